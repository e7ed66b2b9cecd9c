"""A challenge is fresh, bound to commit and gate, and read back only whole."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from jetproof.errors import UsageError
from jetproof.evidence.challenge import challenge_from, issue_time, issued

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=timezone.utc)


def test_issued_and_read_back(tmp_path: Path) -> None:
    made = issued("c" * 40, "gate", NOW)
    path = tmp_path / "challenge.json"
    path.write_text(json.dumps(made.as_json()))

    assert challenge_from(path) == made
    assert issue_time(made.text, "c" * 40, "gate") == NOW
    assert issued("c" * 40, "gate", NOW).text != made.text


@pytest.mark.parametrize("text", ["", "jpc1", "jpc1.x.1.y", "jpc1." + "0" * 32 + ".99999999999999999." + "0" * 32])
def test_no_challenge(text: str) -> None:
    assert issue_time(text, "c" * 40, "gate") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema":"jetproof/challenge/1"}', '{"a":1,"a":2}'])
def test_a_file_that_is_no_challenge(text: str, tmp_path: Path) -> None:
    path = tmp_path / "challenge.json"
    path.write_text(text)

    with pytest.raises(UsageError):
        challenge_from(path)


def test_a_file_whose_challenge_is_for_something_else(tmp_path: Path) -> None:
    members = {**issued("c" * 40, "gate", NOW).as_json(), "gate": "other"}
    path = tmp_path / "challenge.json"
    path.write_text(json.dumps(members))

    with pytest.raises(UsageError, match="not for the commit and gate"):
        challenge_from(path)
