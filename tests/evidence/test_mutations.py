"""Twenty thousand mutants of signed evidence: none is accepted with another payload or another signer.

What may be accepted is the same payload by the same signer in another wrapping: other blanks, another key id, an
unknown member. A key id is only a hint.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from tests.evidence.sample import LANE, ROGUE, SECOND, signed, trust, trusted

from jetproof.evidence import envelope as envelopes
from jetproof.evidence.checks import signature
from jetproof.evidence.reason import Reason, Refusal, Unreadable
from jetproof.evidence.signer import keyid
from jetproof.evidence.verify import read

MUTANTS = 20_000
STORE = trust(trusted(name="lane"), trusted(SECOND, name="second"))
GOOD = signed()
PAYLOAD = envelopes.parsed(GOOD).payload


def bit_flips(chance: random.Random) -> Iterator[bytes]:
    while True:
        data = bytearray(GOOD)
        for _ in range(chance.choice((1, 1, 1, 2, 8))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(data)


def truncations(chance: random.Random) -> Iterator[bytes]:
    while True:
        kind = chance.randrange(4)
        cut, other = sorted(chance.randrange(len(GOOD)) for _ in range(2))
        yield (GOOD[:cut], GOOD[cut:], GOOD[:cut] + GOOD[other:], GOOD[:other] + GOOD[cut:])[kind]


def field_edits(chance: random.Random) -> Iterator[bytes]:
    """Change one member of envelope or statement, with the signature kept: an attacker without a key."""
    foreign = json.loads(signed(signer=ROGUE))["signatures"]
    values: tuple[Any, ...] = (None, "", 0, 1, True, [], {}, "PASSED", "live", "x" * 100, [{}], -1, 1.5)
    while True:
        body = json.loads(GOOD)
        kind = chance.randrange(6)
        if kind == 0:
            body[chance.choice(list(body))] = chance.choice(values)
        elif kind == 1:
            body["signatures"] = chance.choice(
                ([], foreign, foreign + body["signatures"], body["signatures"] * 2, [{"sig": ""}])
            )
        elif kind == 2:
            body["signatures"][0]["keyid"] = chance.choice(
                (keyid(LANE.public), keyid(SECOND.public), keyid(ROGUE.public), "", "none", None, 7)
            )
        elif kind == 3:
            statement = json.loads(PAYLOAD)
            place: Any = statement
            for _ in range(chance.randrange(1, 5)):
                keys = list(place) if isinstance(place, dict) else list(range(len(place)))
                if not keys:
                    break
                key = chance.choice(keys)
                if chance.random() < 0.4 or not isinstance(place[key], dict | list):
                    place[key] = chance.choice(values)
                    break
                place = place[key]
            body["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
        elif kind == 4:
            body[f"extra{chance.randrange(9)}"] = chance.choice(values)
        else:
            where = chance.choice(("payload", "sig"))
            text = body["payload"] if where == "payload" else body["signatures"][0]["sig"]
            at = chance.randrange(len(text))
            text = (
                text[:at]
                + chance.choice(("", "=", "A", "-", "_", "+", "/", "\n", "=="))
                + text[at + chance.randrange(2) :]
            )
            if where == "payload":
                body["payload"] = text
            else:
                body["signatures"][0]["sig"] = text
        yield json.dumps(body, indent=chance.choice((None, 2))).encode()


@pytest.mark.parametrize(
    ("kind", "share"), [(bit_flips, 0.4), (truncations, 0.1), (field_edits, 0.5)], ids=["bits", "cuts", "fields"]
)
def test_no_accepted_mutant_changes_payload_or_signer(kind: Any, share: float) -> None:
    mutants = kind(random.Random(20261130))
    accepted = 0
    refused: set[Reason] = set()
    for _ in range(int(MUTANTS * share)):
        data = next(mutants)
        try:
            evidence = read(data)
        except Unreadable as error:
            refused.add(error.refusal.reason)
            continue
        signer = signature.accepted(evidence.envelope, STORE)
        if isinstance(signer, Refusal):
            refused.add(signer.reason)
            continue
        accepted += 1
        assert evidence.envelope.payload == PAYLOAD
        assert evidence.envelope.payload_type == envelopes.PAYLOAD_TYPE
        assert signer.public == LANE.public

    assert Reason.NOT_JSON in refused or kind is field_edits
    assert Reason.SIGNATURE_INVALID in refused or kind is truncations
    assert accepted < MUTANTS * share / 2


def test_shuffled_signatures_of_two_trusted_signers_still_tell_a_trusted_one() -> None:
    body, other = json.loads(GOOD), json.loads(signed(signer=SECOND))
    for signatures in (body["signatures"] + other["signatures"], other["signatures"] + body["signatures"]):
        found = signature.accepted(envelopes.parsed(json.dumps({**body, "signatures": signatures}).encode()), STORE)
        assert not isinstance(found, Refusal)
        assert found.public in (LANE.public, SECOND.public)
