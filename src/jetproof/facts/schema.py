"""The JSON Schema of `inspect --json`."""

from __future__ import annotations

from typing import Any

from jetproof.facts.as_json import PLATFORM, SCHEMA
from jetproof.facts.model import Origin, Outcome, PlatformClass
from jetproof.target.reading import Reason

_TEXT_OR_NULL = {"type": ["string", "null"]}


def _object(properties: dict[str, Any], *, required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def json_schema() -> dict[str, Any]:
    """Return the schema of a jetproof/facts/1 object."""
    platform = dict.fromkeys(PLATFORM, _TEXT_OR_NULL)
    platform["is_jetson"] = {"type": ["boolean", "null"]}
    platform["platform_class"] = {"enum": [one.value for one in PlatformClass]}
    detail = _object(
        {
            "state": {"enum": ["known", "absent", "unknown"]},
            "value": {},
            "reason": {"enum": [one.value for one in Reason]},
            "read_from": {"type": "string"},
            "detail": {"type": "string"},
        },
        required=["state"],
    )
    trial = _object(
        {
            "name": {"type": "string"},
            "outcome": {"enum": [one.value for one in Outcome]},
            "message": {"type": "string"},
            "seconds": {"type": ["number", "null"]},
        }
    )
    node = _object(
        {
            **{name: {"type": "string"} for name in ("path", "owner", "group", "mode")},
            "usable": {"type": ["boolean", "null"]},
        }
    )
    install = _object(
        {
            **{name: {"type": "string"} for name in ("name", "release", "location")},
            **dict.fromkeys(("installer", "origin", "built_for_cuda"), _TEXT_OR_NULL),
            **{name: {"type": "array", "items": {"type": "string"}} for name in ("tags", "requires")},
            "active": {"type": "boolean"},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "What is known about one machine",
        **_object(
            {
                "schema": {"const": SCHEMA},
                "origin": {"enum": [one.value for one in Origin]},
                "platform": _object(platform),
                "notes": {"type": "array", "items": {"type": "string"}},
                "details": {"type": "object", "additionalProperties": detail},
                "installs": {"type": "array", "items": install},
                "other_interpreters": {"type": "array", "items": {"type": "string"}},
                "nodes": {"type": "array", "items": node},
                "trials": {"type": "array", "items": trial},
            }
        ),
    }
