"""The texts that say what is supported: README block, matrix, release notes and badge, from what may be said alone.

Each is a pure function of what is said and of the policy's scopes, so that a check can write it again and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jetproof.claims.said import Said, Saying
from jetproof.claims.scope import Kind, Scope

BADGE_PATH = ".jetproof/badge.json"
"""Where the badge's endpoint file lies in the project."""

SUPPORT, MATRIX, NOTES = "support", "matrix", "release-notes"

_ONLY = (
    "A module is supported only with the JetPack and the runtime for which fresh, green evidence proves it, at the "
    "commit named, until the day named."
)

Writer = Callable[[Sequence[Scope], Said], str]


def support(scopes: Sequence[Scope], said: Said) -> str:
    """Return the README's block: what is proven, at which commit, and the day on which it lapses."""
    jetson = _said_of(scopes, said, Kind.JETSON)
    lines = []
    if jetson:
        lines += [f"**NVIDIA Jetson**: {_ONLY}", "", *_table(jetson)]
    else:
        lines.append(
            f"**NVIDIA Jetson**: no module and no JetPack release is supported as of {said.as_of} (UTC). {_ONLY}"
        )
    others = [*_said_of(scopes, said, Kind.X86_CUDA), *_said_of(scopes, said, Kind.ARM64_IMPORTS)]
    if others:
        lines += ["", "Proven beside it, and saying nothing about a Jetson:", ""]
        lines += _table(others)
    lines += ["", _ends(said)]
    return "\n".join(lines) + "\n"


def matrix(scopes: Sequence[Scope], said: Said) -> str:
    """Return the table of all tiers with their releases, and which of them is proven until when."""
    lines = [
        "| module | JetPack | L4T | CUDA | stage | today |",
        "|---|---|---|---|---|---|",
    ]
    for scope in scopes:
        if scope.tier is not None:
            tier = scope.tier
            row = [_plain(text) for text in (tier.module, tier.jetpack, tier.l4t, tier.cuda, tier.stage.value)]
            lines.append(f"| {' | '.join(row)} | {_today(said.of(scope.id))} |")
    others = [scope for scope in scopes if scope.tier is None]
    if others:
        lines += ["", "| beside Jetson | today |", "|---|---|"]
        lines += [f"| {_plain(scope.title)} | {_today(said.of(scope.id))} |" for scope in others]
    lines += ["", _ends(said)]
    return "\n".join(lines) + "\n"


def release_notes(scopes: Sequence[Scope], said: Said) -> str:
    """Return the section of release notes: CUDA on a Jetson and importing on ARM64 are told apart."""
    lines = ["### Jetson CUDA", ""]
    lines += _bullets(_said_of(scopes, said, Kind.JETSON), "No Jetson module is supported by this release.")
    lines += ["", "### ARM64 importability", ""]
    lines += _bullets(
        _said_of(scopes, said, Kind.ARM64_IMPORTS),
        "Not proven for this release.",
        "It says nothing about CUDA or a Jetson.",
    )
    if any(scope.kind is Kind.X86_CUDA for scope in scopes):
        lines += ["", "### CUDA on x86", ""]
        lines += _bullets(_said_of(scopes, said, Kind.X86_CUDA), "Not proven for this release.")
    lines += ["", _ends(said)]
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Writer] = {SUPPORT: support, MATRIX: matrix, NOTES: release_notes}
"""What writes a block, by the block's id."""


def history(name: str) -> bool:
    """Whether a block belongs to a release that is out: it tells what was proven then, and only stays whole."""
    return name.startswith(f"{NOTES}-")


def badge(scopes: Sequence[Scope], said: Said, *, lapsed: bool = False) -> dict[str, Any]:
    """Return the badge for shields.io's endpoint: the day until which it holds is part of its text."""
    found = _said_of(scopes, said, Kind.JETSON)
    if found:
        first = found[0][0]
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        until = min(saying.until for _, saying in found)
        return _badge(f"{first.machine}{more}, until {until}", "brightgreen")
    return _badge("proof lapsed", "red", error=True) if lapsed else _badge("not claimed", "lightgrey")


def badges_without_claim() -> tuple[dict[str, Any], ...]:
    """Return the badges that claim nothing."""
    return (_badge("proof lapsed", "red", error=True), _badge("not claimed", "lightgrey"))


def _badge(message: str, colour: str, *, error: bool = False) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "label": "Jetson CUDA",
        "message": message,
        "color": colour,
        "isError": error,
        "cacheSeconds": 3600,
    }


def _said_of(scopes: Sequence[Scope], said: Said, kind: Kind) -> list[tuple[Scope, Saying]]:
    found = []
    for scope in scopes:
        saying = said.of(scope.id) if scope.kind is kind else None
        if saying is not None:
            found.append((scope, saying))
    return found


def _table(found: Sequence[tuple[Scope, Saying]]) -> list[str]:
    rows = [f"| {_plain(scope.title)} | `{saying.commit[:12]}` | {saying.until} (UTC) |" for scope, saying in found]
    return ["| what | proven at | until |", "|---|---|---|", *rows]


def _bullets(found: Sequence[tuple[Scope, Saying]], otherwise: str, beside: str = "") -> list[str]:
    if not found:
        return [otherwise]
    return [
        f"- {_plain(scope.title)}: proven at `{saying.commit[:12]}`, until {saying.until} (UTC)."
        + (f" {beside}" if beside else "")
        for scope, saying in found
    ]


def _today(saying: Saying | None) -> str:
    return "not claimed" if saying is None else f"proven at `{saying.commit[:12]}` until {saying.until}"


def _ends(said: Said) -> str:
    if said.until is None:
        return f"Nothing more is claimed. As of {said.as_of} (UTC); `jetproof claims` says what is missing."
    return f"Nothing more is claimed. As of {said.as_of}; lapses after {said.until} (UTC) without new evidence."


def _plain(text: str) -> str:
    """Return a text of the policy so that it cannot end the block, open a comment or make a link."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>|" else char for char in text if char.isprintable())
