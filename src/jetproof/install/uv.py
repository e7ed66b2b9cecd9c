"""uv, which resolves and installs: found, started with limits, and its refusals put into plain words."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import JetproofError, Refused, TimeLimitReached, UsageError
from jetproof.install import uv_settings
from jetproof_worker import process
from jetproof_worker.redact import without_secrets

CONNECT_SECONDS = 30
"""How long one request to an index may hang before uv tries again; uv tries three times more."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where distributions may come from. Credentials inside addresses reach uv alone, never a message."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    offline: bool = False
    no_index: bool = False

    @property
    def named(self) -> bool:
        """Whether a person said on the command line where packages come from, instead of the usual index."""
        return bool(self.index_url or self.no_index)

    def arguments(self) -> list[str]:
        """Return them as uv's options."""
        words: list[str] = []
        if self.index_url:
            words += ["--default-index", self.index_url]
        for address in self.extra_index_urls:
            words += ["--index", address]
        for place in self.find_links:
            words += ["--find-links", place]
        if self.extra_index_urls:
            # every file is checked against a hash, so that the nearest match of any index is the right one
            words += ["--index-strategy", "unsafe-best-match"]
        if self.no_index:
            words.append("--no-index")
        if self.offline:
            words.append("--offline")
        return words


@dataclass(frozen=True, kw_only=True)
class Uv:
    """One uv program, the time it may take, and the descriptors its processes keep open (a held lock)."""

    program: Path
    timeout: float = 3600
    keep_open: tuple[int, ...] = ()
    log: Path | None = None
    config: Path | None = None
    """The one file of settings that it reads; None leaves the search for them to uv."""
    variables: Mapping[str, str] | None = None
    """The surroundings' variables; None for those of this process."""

    def run(self, words: Sequence[str], *, cwd: Path | None = None) -> str:
        """Run it and return standard output.

        Raises Refused, UsageError or TimeLimitReached with what went wrong in plain words.
        """
        done = self.attempt(words, cwd=cwd)
        if not done.ok:
            raise failure(done, self.timeout)
        return done.stdout.decode(errors="replace")

    def attempt(self, words: Sequence[str], *, cwd: Path | None = None) -> process.Completed:
        """Run it and return what became of it; the log gets the command and its output, credentials removed."""
        argv = [str(self.program), *words, *(["--config-file", str(self.config)] if self.config else [])]
        done = process.run(
            argv,
            timeout=self.timeout,
            env=environment(os.environ if self.variables is None else self.variables),
            cwd=cwd,
            limit=64 << 20,
            pass_fds=self.keep_open,
        )
        if self.log is not None:
            told = done.stderr.decode(errors="replace")
            with self.log.open("a", encoding="utf-8") as stream:
                stream.write(without_secrets(f"$ uv {' '.join(words)}\n{told}[{done.status} {done.code}]\n"))
        return done


def find() -> Path:
    """Return uv's program: the one that came with this installation, else the one on PATH."""
    try:
        import uv
    except ImportError:
        pass
    else:
        try:
            return Path(uv.find_uv_bin())
        except FileNotFoundError:
            pass
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        candidate = Path(folder or ".") / "uv"
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise UsageError("uv is not there: neither beside jetproof nor on PATH", hint="pip install uv", reason="uv-missing")


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that uv may see: none that would pick another Python, constraint or torch."""
    kept = uv_settings.variables(variables)
    kept.setdefault("UV_HTTP_TIMEOUT", str(CONNECT_SECONDS))
    kept["UV_PYTHON_DOWNLOADS"] = "never"
    kept["UV_NO_PROGRESS"] = "1"
    kept["NO_COLOR"] = "1"
    return kept


_CAUSES: tuple[tuple[str, str, str, str | None], ...] = (
    (
        r"[Hh]ash mismatch",
        "wrong-hash",
        "a file's hash is not the one that was planned",
        "The file was changed on its way or on the index. Do not install it; ask who runs the index.",
    ),
    (
        r"No space left on device|[Dd]isk quota|File too large",
        "disk-full",
        "the disk is full",
        "Free space (uv cache clean helps), then run the same command again.",
    ),
    (
        r"Read-only file system",
        "read-only",
        "the file system is read-only",
        "Give another place with --venv, on a disk that can be written.",
    ),
    (r"Permission denied", "no-permission", "permission was denied", "Give a place of your own with --venv."),
    (
        r"network (was|is) disabled|Network connectivity is disabled|--offline",
        "offline",
        "something is needed that is neither in uv's cache nor in --find-links",
        "Run without --offline, or fill a wheelhouse on another machine: docs/install/offline.md.",
    ),
    (
        r"[Tt]im(ed|e) ?out",
        "index-timeout",
        "the index does not answer in time",
        "Try again, or give another index with --index-url.",
    ),
    (
        r"50[0-9] |HTTP status server error|status code 5",
        "index-error",
        "the index answers with an error of its own",
        "Try again later, or give another index with --index-url.",
    ),
    (
        r"401|403 Forbidden|Unauthorized",
        "index-forbidden",
        "the index refuses access",
        "Check the credentials of the index.",
    ),
    (
        r"dns error|Could not connect|error sending request|Failed to fetch|[Cc]onnection refused|tcp connect",
        "no-network",
        "the index cannot be reached",
        "Check the network, or install from a wheelhouse with --offline --find-links DIR.",
    ),
    (
        r"No solution found|unsatisfiable",
        "no-solution",
        "no set of releases satisfies all requirements",
        "uv's own words above name the requirements that contradict.",
    ),
)


def failure(done: process.Completed, limit: float) -> JetproofError:
    """Return the error for a uv that did not end well."""
    if done.status == "timed-out":
        return TimeLimitReached(f"uv did not end within {limit:.0f} s", hint="Try again, or raise --timeout.")
    if done.status in ("missing", "denied", "failed"):
        return UsageError(f"uv cannot be started: {done.detail}", hint="pip install uv", reason="uv-missing")
    told = without_secrets(done.stderr.decode(errors="replace")).strip()
    if done.status == "signalled":
        return Refused(f"uv was ended by signal {done.code}\n{_short(told)}", reason="uv-crashed")
    for pattern, reason, message, hint in _CAUSES:
        if re.search(pattern, told):
            return Refused(f"{message}\n{_short(told)}", hint=hint, reason=reason)
    return Refused(f"uv ended with exit status {done.code}\n{_short(told)}", reason="uv-failed")


def _short(text: str, lines: int = 12) -> str:
    kept = [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(f"  {line}" for line in kept[-lines:])
