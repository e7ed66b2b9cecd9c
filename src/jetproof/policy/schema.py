"""The policy's form as a JSON Schema, made from the model that reads it."""

from __future__ import annotations

from typing import Any

from jetproof.policy.model import Policy


def json_schema() -> dict[str, Any]:
    """Return the schema of `ci/conditional-test-policy.json`."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "jetproof/policy/1"}
    return {**head, **Policy.model_json_schema()}
