"""Read the policy of a project, and say of each fault where it stands."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from jetproof.errors import PolicyInvalid, UsageError
from jetproof.policy.consistency import faults
from jetproof.policy.model import Gate, Policy
from jetproof.policy.positions import Path, line_and_column, positions
from jetproof.target import strict_json
from jetproof.target.canonical import sha256
from jetproof.target.recorded import read

DEFAULT_PATH = "ci/conditional-test-policy.json"
LARGEST = 4 << 20
_MOST_TOLD = 20


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A policy, where it came from and the digest that evidence names."""

    policy: Policy
    sha256: str
    """Over the canonical JSON (RFC 8785) of the file: blanks and the order of names do not count."""
    path: str
    """As the project names it; "(built in)" for the one that ships with jetproof."""
    project: FilePath | None
    """Top of the project that it governs; None for the built-in one."""

    @property
    def built_in(self) -> bool:
        """Whether it is the one that ships with jetproof."""
        return self.project is None


def load(project: FilePath, path: str | None = None) -> Loaded:
    """Return the policy of a project.

    `path` is relative to the project; without it pyproject's `[tool.jetproof] policy` names it, else
    `ci/conditional-test-policy.json`; where that is not there, the one that ships with jetproof is returned.
    Raises `UsageError` when a named file is missing, `PolicyInvalid` for each fault in it.
    """
    if not project.is_dir():
        raise UsageError(f"{project} is no folder", hint="name the top of the project", reason="no-project")
    named = path if path is not None else named_by_pyproject(project)
    wanted = named if named is not None else DEFAULT_PATH
    file = project / wanted
    if not os.path.lexists(file):
        if named is None:
            return built_in()
        raise UsageError(
            f"there is no policy {wanted} in {project}",
            hint="jetproof init writes one; or name another with --policy",
            reason="policy-missing",
        )
    policy, digest = parse(read(file, LARGEST), what=wanted)
    return Loaded(policy=policy, sha256=digest, path=wanted, project=project)


def built_in() -> Loaded:
    """Return the policy that ships with jetproof: its gates, for boards without a project."""
    data = resources.files("jetproof.policy").joinpath("data/default-policy.json").read_bytes()
    policy, digest = parse(data, what="the built-in policy")
    return Loaded(policy=policy, sha256=digest, path="(built in)", project=None)


def named_gate(policy: Policy, path: str, name: str) -> Gate:
    """Return the policy's gate of that id or alias. Raises `UsageError` that lists those there are."""
    gate = policy.gate(name)
    if gate is None:
        known = [gate.id for gate in policy.gates]
        near = difflib.get_close_matches(name, [*known, *(one for gate in policy.gates for one in gate.aliases)], n=3)
        raise UsageError(
            f"the policy {path} has no gate {name}; it has: {', '.join(known) or 'none'}",
            hint=f"did you mean {' or '.join(near)}?" if near else "jetproof gates lists them",
            reason="unknown-gate",
        )
    return gate


def parse(data: bytes, *, what: str) -> tuple[Policy, str]:
    """Return the policy that the bytes hold and its digest. Raises `PolicyInvalid` that names each fault's place."""
    try:
        value = strict_json.loads(data, what=what, max_bytes=LARGEST)
    except UsageError as error:
        raise PolicyInvalid(error.message, hint=error.hint, reason="policy-not-json") from None
    try:
        policy = Policy.model_validate_json(data)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)
        raise _invalid(data, what, [(_path(fault["loc"]), _words(fault)) for fault in wrong]) from None
    found = [(fault.path, fault.message) for fault in faults(policy)]
    if found:
        raise _invalid(data, what, found)
    return policy, digest(value)


def digest(value: Any) -> str:
    """Return SHA-256 over the canonical JSON of a policy's value. Raises `PolicyInvalid` for numbers it cannot hold."""
    try:
        return sha256(value)
    except ValueError as error:
        raise PolicyInvalid(f"the policy holds a number that JSON readers disagree on: {error}") from None


def named_by_pyproject(project: FilePath) -> str | None:
    """Return the path that `[tool.jetproof] policy` gives. Raises `UsageError` for one that is no path inside."""
    import tomli

    file = project / "pyproject.toml"
    if not file.is_file():
        return None
    try:
        value = tomli.loads(read(file, LARGEST).decode("utf-8"))
    except (tomli.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not valid TOML: {error}", reason="pyproject-not-toml") from None
    tool = value.get("tool")
    table = tool.get("jetproof") if isinstance(tool, dict) else None
    named = table.get("policy") if isinstance(table, dict) else None
    if named is None:
        return None
    if not isinstance(named, str) or not named or named.startswith("/") or ".." in named.split("/"):
        raise UsageError(
            f"{file}: [tool.jetproof] policy names no file inside the project: {named!r}",
            hint=f'policy = "{DEFAULT_PATH}"',
            reason="policy-outside",
        )
    return named


def _path(loc: tuple[int | str, ...]) -> Path:
    """Return the path of a member; pydantic puts the kind of an item between its number and its members."""
    path = list(loc)
    if len(path) > 4 and path[0] == "gates" and path[2] == "items" and path[4] in ("probe", "pytest"):
        del path[4]
    return tuple(part for part in path if part != "[key]")


def _words(fault: Any) -> str:
    message = str(fault["msg"]).removeprefix("Value error, ")
    match fault["type"]:
        case "extra_forbidden":
            return "there is no such member"
        case "missing":
            return "it is missing"
        case "string_pattern_mismatch":
            return f"{_shown(fault['input'])} has not the form that is wanted here"
        case _:
            text = re.sub(r"^Input should", "it should", message)
            return text if isinstance(fault["input"], dict | list) else f"{text}, not {_shown(fault['input'])}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _invalid(data: bytes, what: str, wrong: list[tuple[Path, str]]) -> PolicyInvalid:
    text = data.decode("utf-8")
    places = positions(text)
    lines = []
    for path, message in wrong[:_MOST_TOLD]:
        known = path
        while known not in places:  # what is missing has no place: its parent has
            known = known[:-1]
        line, column = line_and_column(text, places[known])
        lines.append(f"{what}:{line}:{column}: {_dotted(path)}: {message}")
    if len(wrong) > _MOST_TOLD:
        lines.append(f"... and {len(wrong) - _MOST_TOLD} more")
    return PolicyInvalid(
        "\n".join(lines), hint="docs/policy.md tells the members; the schema is docs/schemas/policy-1.json"
    )


def _dotted(path: Path) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(the whole)"
