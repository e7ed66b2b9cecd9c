"""Reads a policy from a commit's bytes."""

from __future__ import annotations

from jetproof.errors import PolicyInvalid
from jetproof.policy.model import Policy


def policy_from(data: bytes, where: str) -> Policy:
    """Return the policy that the bytes hold, or raise PolicyInvalid."""
    try:
        return Policy.model_validate_json(data)
    except ValueError as error:
        raise PolicyInvalid(f"{where} is not a policy: {error}", reason="policy") from None
