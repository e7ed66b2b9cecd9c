"""The JSON Schema of jetproof/diagnosis/1, generated from the enums and names that the code itself uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jetproof.diagnosis.as_json import SCHEMA
from jetproof.diagnosis.engine import Verdict
from jetproof.diagnosis.rule import Confidence, Severity
from jetproof.facts.model import Origin


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members)}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"enum": list(values)}


_TEXT: dict[str, Any] = {"type": "string"}


def schema() -> dict[str, Any]:
    """Return the schema of what `doctor --json` and `explain --json` print."""
    finding = _object(
        {
            "rule": {"type": "string", "pattern": "^JD[0-9]{3}$"},
            "name": _TEXT,
            "root_cause": _TEXT,
            "severity": _one_of([one.value for one in Severity]),
            "confidence": _one_of([one.value for one in Confidence]),
            "message": _TEXT,
            "because": _list(_object({"fact": _TEXT, "value": _TEXT, "read_from": _TEXT})),
            "remedy": _list(_object({"text": _TEXT, "command": {"type": ["string", "null"]}})),
            "missing": _list(_TEXT),
            "url": _TEXT,
        }
    )
    answer = _object(
        {
            "schema": {"const": SCHEMA},
            "verdict": _one_of([one.value for one in Verdict]),
            "origin": _one_of([one.value for one in Origin]),
            "findings": _list(finding),
            "facts": _object({"schema": {"const": "jetproof/facts/1"}}),
            "missing": _list(_TEXT),
        }
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **answer}
