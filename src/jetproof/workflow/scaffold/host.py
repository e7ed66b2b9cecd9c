"""What a scaffold must know of the project; every value has a form that can do no harm in a workflow or a page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import UsageError
from jetproof.tables.stacks import Stack
from jetproof.target.recorded import read

_FORMS: dict[str, str] = {
    "repository": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}/[A-Za-z0-9._-]{1,100}",
    "name": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    "module": r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*",
    "resolver": r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*",
    "branch": r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}",
    "command": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    "issue": r"https://[A-Za-z0-9.-]+/[A-Za-z0-9._~/#?=&%+-]{1,300}",
    "test": r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.py::[\w:\[\]., =+-]{1,400}",
    "source": r"[A-Za-z0-9][A-Za-z0-9._:/+%~@-]{1,400}",
    "digest": r"sha256:[0-9a-f]{64}",
}
_EXAMPLES = {
    "repository": "owner/project",
    "resolver": "package.device:get_device",
    "test": "tests/test_gpu.py::test_matmul: each test by its pytest id, no whole file",
    "issue": "https://github.com/owner/project/issues/1",
    "source": "https://vendor.example/torch-2.5.0-cp310-cp310-linux_aarch64.whl",
    "digest": "sha256:… (64 hex digits)",
}


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """Where the target tier's torch comes from."""

    kind: str
    """image or wheel."""
    source: str
    digest: str | None = None


WHEEL = Runtime(
    kind="wheel",
    source="https://developer.download.nvidia.com/compute/redist/jp/v61/pytorch/"
    "torch-2.5.0a0+872d972e41.nv24.08.17622132-cp310-cp310-linux_aarch64.whl",
)
"""NVIDIA's wheel for JetPack 6.1, which has the CUDA and cuDNN of 6.2; its digest is pinned on the board."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """A project that is to get a lane."""

    repository: str
    """Owner and name on GitHub."""
    name: str
    module: str
    """What is imported to see whether the package works at all."""
    issue: str
    branch: str = "main"
    resolver: str | None = None
    command: str | None = None
    """A program of the package, called with --help at level 0."""
    gpu_tests: tuple[str, ...] = ()
    cpu_tests: tuple[str, ...] = ()
    runtime: Runtime = WHEEL
    hub: bool = False
    """Whether there is a gate that downloads a model."""
    own_checkout: bool = False
    """Whether jetproof is installed from the checkout itself: its own lane."""
    skips: tuple[str, ...] = ()
    """Documents that say nothing of the project itself."""
    torch: bool = False
    """Whether the project requires torch, so that installing it on ARM64 brings one."""
    tiers: tuple[str, ...] = ()
    """Tiers of the plan for the first policy; with no stack either, all."""
    stacks: tuple[Stack, ...] = ()
    """Boards for which the first policy has a tier each."""

    def __post_init__(self) -> None:
        for member, form, value in self._foreign():
            if not re.fullmatch(_FORMS[form], value) or ".." in value:
                raise UsageError(
                    f"{member} {value!r} has not the form that is wanted",
                    hint=f"like {_EXAMPLES[form]}" if form in _EXAMPLES else None,
                    reason="host-malformed",
                )

    def again(self) -> str:
        """Return the command that brings the files up to date; what the policy holds is read from it."""
        words = ["jetproof init", f"--repository {self.repository}"]
        words += [f"--protected-branch {self.branch}"] if self.branch != "main" else []
        words += ["--jetproof-from checkout"] if self.own_checkout else []
        words += [f"--skip {path}" for path in self.skips]
        return " ".join(words)

    def _foreign(self) -> list[tuple[str, str, str]]:
        found = [
            (name, name, value)
            for name in ("repository", "name", "module", "resolver", "branch", "command", "issue")
            if (value := getattr(self, name)) is not None
        ]
        found += [("test", "test", value) for value in (*self.gpu_tests, *self.cpu_tests)]
        found += [("skip", "branch", value) for value in self.skips]
        found.append(("runtime", "source", self.runtime.source))
        if self.runtime.digest is not None:
            found.append(("digest", "digest", self.runtime.digest))
        return found


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was given on the command line; None means: look."""

    repository: str | None = None
    name: str | None = None
    module: str | None = None
    issue: str | None = None
    branch: str | None = None
    resolver: str | None = None
    gpu_tests: tuple[str, ...] = ()
    cpu_tests: tuple[str, ...] = ()
    runtime: Runtime | None = None
    hub: bool = False
    own_checkout: bool = False
    skips: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    stacks: tuple[Stack, ...] = ()


def host(project: Path, asked: Asked, remote: str | None) -> Host:
    """Return the project as it is told, and where it is not, as pyproject and the remote say.

    Raises UsageError when the repository is neither told nor found, or when something has not its form.
    """
    told = _pyproject(project)
    name = asked.name or _text(told, "name") or project.resolve().name
    repository = asked.repository or _github(remote)
    if repository is None:
        raise UsageError(
            "which repository on GitHub is it? The remote origin does not say",
            hint="jetproof init --repository owner/name",
            reason="repository-unknown",
        )
    scripts = told.get("scripts")
    commands = sorted(scripts) if isinstance(scripts, dict) else []
    return Host(
        repository=repository,
        name=name,
        module=asked.module or _module(project, name),
        issue=asked.issue or f"https://github.com/{repository}/issues",
        branch=asked.branch or "main",
        resolver=asked.resolver,
        command=commands[0] if commands and re.fullmatch(_FORMS["command"], commands[0]) else None,
        gpu_tests=asked.gpu_tests,
        cpu_tests=asked.cpu_tests,
        runtime=asked.runtime or WHEEL,
        hub=asked.hub,
        own_checkout=asked.own_checkout,
        skips=asked.skips,
        torch=_requires_torch(told),
        tiers=asked.tiers,
        stacks=asked.stacks,
    )


def _pyproject(project: Path) -> Mapping[str, Any]:
    import tomli

    file = project / "pyproject.toml"
    if not os.path.lexists(file):
        return {}
    try:
        told = tomli.loads(read(file, 4 << 20).decode("utf-8")).get("project", {})
    except (tomli.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not valid TOML: {error}", reason="pyproject-not-toml") from None
    return told if isinstance(told, dict) else {}


def _text(told: Mapping[str, Any], name: str) -> str | None:
    value = told.get(name)
    return value if isinstance(value, str) else None


def _requires_torch(told: Mapping[str, Any]) -> bool:
    wanted = told.get("dependencies")
    return isinstance(wanted, list) and any(re.match(r"\s*torch(?![\w.-])", str(one), re.IGNORECASE) for one in wanted)


def _module(project: Path, name: str) -> str:
    """Return the name to import: a folder of that name if there is one, else the name with underscores."""
    plain = re.sub(r"[-.]+", "_", name)
    for candidate in (plain, plain.lower()):
        if any((project / place / candidate).is_dir() for place in ("src", ".")):
            return candidate
    return plain.lower()


def _github(remote: str | None) -> str | None:
    match = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?github\.com/|(?:ssh://)?git@github\.com[:/])([^/]+/[^/]+?)(?:\.git)?/?", remote or ""
    )
    return match[1] if match else None
