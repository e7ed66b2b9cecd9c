"""Finds what should not be published: serial numbers, addresses, names of hosts and users, home paths, tokens.

Only fields on a list may stand in a statement; their texts are searched for what a field was not meant to hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jetproof.evidence.reason import Reason, Refusal

_MEMBERS: Mapping[str, frozenset[str]] = {
    "": frozenset({"_type", "subject", "predicateType", "predicate"}),
    "predicate": frozenset(
        {
            "result", "configuration", "url", "passedTests", "failedTests", "warnedTests",
            "successes", "failures", "warnings", "jetproof",
        }
    ),
    "predicate.jetproof": frozenset(
        {
            "schema", "plan", "outcome", "because", "origin", "source", "device", "time", "run", "artifacts", "tool",
            "environment",
        }
    ),
    "predicate.jetproof.device": frozenset(
        {
            "platformClass", "arch", "module", "moduleSku", "compatible", "chip", "memTotalClass", "l4t", "jetpack",
            "kernel", "cuda", "driver", "cc", "torch", "powerMode", "deviceId",
        }
    ),
    "predicate.jetproof.time": frozenset(
        {"started", "finished", "monotonicSeconds", "bootHash", "clockSource", "ntpSynced", "notBefore"}
    ),
    "predicate.jetproof.run": frozenset({"runId", "challenge", "attempt", "seq", "previousEvidence", "replaces"}),
    "predicate.jetproof.tool": frozenset({"name", "version", "filesSha256", "workerSha256"}),
    "predicate.jetproof.source": frozenset({"dirty", "untracked", "submodules", "shallow", "outside"}),
}  # fmt: skip

_PATTERNS = (
    ("a home path", re.compile(r"/(?:home|Users)/[^/\s\"']+|/root/\S|[A-Z]:\\Users\\")),
    ("a hardware address", re.compile(r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])")),
    ("an IP address", re.compile(r"(?<![\d.])(?:10|127|172|192|169)(?:\.\d{1,3}){3}(?![\d.])")),
    ("a mail address", re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}")),
    ("a token", re.compile(r"(?:gh[pousr]_|github_pat_|hf_|glpat-|sk-|xox[abp]-|AKIA)[A-Za-z0-9_-]{12,}")),
    ("credentials in a URL", re.compile(r"://[^/\s:@]+:[^/\s@]+@")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")),
    ("a Jetson's serial number", re.compile(r"(?<!\d)(?:0[34]2|14[0-9])\d{10}(?!\d)")),
)
_DIGEST = re.compile(r"(?:sha256:)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")
"""Digests and random ids: thirteen digits in a row happen in one of some thousand, and are no serial number."""


@dataclass(frozen=True, kw_only=True)
class Leak:
    """One thing that should not be published, and where it stands; the text itself is not repeated."""

    path: str
    what: str


def leaks(body: Mapping[str, Any]) -> Iterator[Leak]:
    """Yield each member that is not on the list, and each text that holds what it should not."""
    yield from _walk(body, "")


def _walk(value: Any, path: str) -> Iterator[Leak]:
    if isinstance(value, dict):
        allowed = _MEMBERS.get(path)
        for name, member in value.items():
            deeper = f"{path}.{name}" if path else str(name)
            if allowed is not None and name not in allowed:
                yield Leak(path=deeper, what="a member that is not on the list")
            else:
                yield from _text(str(name), deeper)
                yield from _walk(member, deeper)
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _walk(member, f"{path}[{number}]")
    elif isinstance(value, str):
        yield from _text(value, path)


def _text(text: str, path: str) -> Iterator[Leak]:
    if _DIGEST.fullmatch(text):
        return
    for what, pattern in _PATTERNS:
        if pattern.search(text) and not (what == "a mail address" and path.endswith("uri")):
            yield Leak(path=path, what=what)


def refusals(body: Mapping[str, Any]) -> tuple[Refusal, ...]:
    """Return the leaks of a statement as refusals."""
    return tuple(
        Refusal(
            reason=Reason.PRIVATE_DATA,
            message=f"{leak.path} holds {leak.what}",
            hint="jetproof evidence redact FILE --key KEY makes a new statement without it",
        )
        for leak in leaks(body)
    )


def redacted(body: Mapping[str, Any], replaces: str) -> dict[str, Any]:
    """Return a statement without what should not be published, which names the envelope that it replaces."""
    clean = _clean(body, "")
    clean["predicate"]["jetproof"].setdefault("run", {})["replaces"] = {"sha256": replaces}
    return dict(clean)


def _clean(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        allowed = _MEMBERS.get(path)
        return {
            name: _clean(member, f"{path}.{name}" if path else str(name))
            for name, member in value.items()
            if (allowed is None or name in allowed) and not any(_text(str(name), path))
        }
    if isinstance(value, list):
        return [_clean(member, f"{path}[]") for member in value]
    if isinstance(value, str) and not _DIGEST.fullmatch(value):
        for what, pattern in _PATTERNS:
            if not (what == "a mail address" and path.endswith("uri")):
                value = pattern.sub("[redacted]", value)
    return value
