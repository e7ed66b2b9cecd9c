"""Turn the JSON of a data file into frozen rows, quickly: shapes are checked by tests, not at run time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from jetproof.tables.rows import Source, Verdict

DATA = Path(__file__).parent / "data"

Row = TypeVar("Row")


@cache
def document(name: str) -> Mapping[str, Any]:
    """Return the JSON object of data/NAME.json."""
    parsed: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return parsed


def _frozen(member: str, value: Any) -> Any:
    match member, value:
        case "sources", list():
            return tuple(Source(**source) for source in value)
        case "works_on", dict():
            return {key: Verdict(**verdict) for key, verdict in value.items()}
        case _, list():
            return tuple(value)
        case _:
            return value


def rows(kind: Callable[..., Row], name: str, member: str = "rows") -> tuple[Row, ...]:
    """Return the rows of data/NAME.json as frozen dataclasses of one kind."""
    return tuple(kind(**{key: _frozen(key, value) for key, value in row.items()}) for row in document(name)[member])
