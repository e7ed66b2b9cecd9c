"""Poetry's own notation of bounds (`^2.7`, `~0.6.3`, `1.2.*`) as the specifiers all other tools know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jetproof.install.readers.document import MAX_NUMBER

_NUMBER = re.compile(r"v?(\d+(?:\.\d+)*)([A-Za-z0-9.+-]*)\Z")


def specifier(text: str) -> str | None:
    """Return a bound as a PEP 440 specifier, "" for any; None for what is no conjunction (`||`) or not understood."""
    if len(text) > MAX_NUMBER:
        return None
    if "|" in text:
        return _alternatives(text)
    parts: list[str] = []
    for part in filter(None, re.split(r"\s*,\s*|\s+(?=[<>=!~^])", text.strip())):
        one = _one(part.strip())
        if one is None:
            return None
        if one:
            parts.append(one)
    return ",".join(parts)


def python_bound(text: str | None) -> str | None:
    """Return a bound on Python; one that is not understood stays as it is written, so that it is told."""
    if text is None or text == "*":
        return None
    found = specifier(text)
    return text if found is None else found or None


def _alternatives(text: str) -> str | None:
    """`^1 || ^2` spans from the first to the last; only such neighbours can be told as one specifier."""
    spans = [specifier(part) for part in re.split(r"\s*\|\|?\s*", text)]
    if any(span is None for span in spans) or not spans[0] or not spans[-1]:
        return None
    lower = [part for part in str(spans[0]).split(",") if part.startswith(">")]
    upper = [part for part in str(spans[-1]).split(",") if part.startswith("<")]
    return ",".join(lower + upper) if lower else None


def _one(part: str) -> str | None:
    if part in ("*", ""):
        return ""
    if part.startswith(("==", "!=", ">=", "<=", "~=", "===")):
        return part.replace(" ", "")
    if part.startswith((">", "<")):
        return part.replace(" ", "")
    if part.startswith("^"):
        return _caret(part[1:].strip())
    if part.startswith("~"):
        return _tilde(part[1:].strip())
    part = part.removeprefix("=").strip()
    if part.endswith(".*"):
        return f"=={part}"
    return f"=={part}" if _NUMBER.match(part) else None


def _caret(number: str) -> str | None:
    match = _NUMBER.match(number)
    if match is None:
        return None
    parts = [int(one) for one in match[1].split(".")]
    # the leftmost number that is not zero may not change
    at = next((index for index, one in enumerate(parts) if one), len(parts) - 1)
    return f">={number},<{_bumped(parts, at)}"


def _tilde(number: str) -> str | None:
    match = _NUMBER.match(number)
    if match is None:
        return None
    parts = [int(one) for one in match[1].split(".")]
    return f">={number},<{_bumped(parts, min(1, len(parts) - 1))}"


def _bumped(parts: Sequence[int], at: int) -> str:
    upper = [*parts[:at], parts[at] + 1, *[0] * (len(parts) - at - 1)]
    return ".".join(map(str, upper))


def wishes(name: str, raw: object) -> list[tuple[str | None, str | None, Mapping[str, object]]]:
    """Return (specifier, marker, the table it stood in) of each way in which Poetry's metadata asks for a package.

    The specifier is None where the bound could not be read.
    """
    if isinstance(raw, list):
        return [wish for one in raw for wish in wishes(name, one)]
    if isinstance(raw, str):
        return [(specifier(raw), None, {})]
    if not isinstance(raw, dict):
        return [(None, None, {})]
    bound = raw.get("version")
    markers = [str(raw["markers"])] if isinstance(raw.get("markers"), str) else []
    python = raw.get("python")
    if isinstance(python, str):
        markers += [f"python_full_version {_spaced(one)}" for one in (specifier(python) or "").split(",") if one]
    platform = raw.get("platform")
    if isinstance(platform, str):
        markers.append(f"sys_platform == '{platform}'")
    marker = " and ".join(f"({one})" for one in markers) if len(markers) > 1 else (markers[0] if markers else None)
    return [(specifier(bound) if isinstance(bound, str) else "", marker, raw)]


def _spaced(bound: str) -> str:
    match = re.match(r"([<>=!~]+)(.*)", bound)
    return f"{match[1]} '{match[2]}'" if match else bound
