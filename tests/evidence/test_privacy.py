"""What must not be published is found wherever it stands, and good evidence is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.sample import P, changed, put, statement

from jetproof.evidence.privacy import leaks, redacted, refusals
from jetproof.evidence.reason import Reason


def test_good_evidence_gives_nothing_away() -> None:
    assert list(leaks(statement())) == []


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("/home/alice/project", "a home path"),
        ("/Users/alice/project", "a home path"),
        ("/root/project", "a home path"),
        ("48:b0:2d:11:22:33", "a hardware address"),
        ("192.168.1.44", "an IP address"),
        ("alice@host.example", "a mail address"),
        ("hf_" + "a" * 20, "a token"),
        ("ghp_" + "a" * 36, "a token"),
        ("https://user:pass@git.example/x", "credentials in a URL"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
        ("1421900012345", "a Jetson's serial number"),
    ],
)
@pytest.mark.parametrize("path", [f"{P}.device.kernel", "predicate.passedTests.0", f"{P}.run.runId"])
def test_private_text(value: str, what: str, path: str) -> None:
    body = changed(put(path, f"x {value} y"))

    assert what in [leak.what for leak in leaks(body)]
    assert list(leaks(redacted(body, "0" * 64))) == []


@pytest.mark.parametrize("length", [32, 40, 64])
def test_a_digest_may_hold_any_digits(length: int) -> None:
    """One run in some hundred has thirteen digits in one of its digests that could be a serial number."""
    digest = ("ab1421900012345c" * 4)[:length]
    body = changed(put(f"{P}.run.runId", digest))

    assert list(leaks(body)) == []
    assert redacted(body, "0" * 64)["predicate"]["jetproof"]["run"]["runId"] == digest


@pytest.mark.parametrize("path", ["serial", "predicate.hostname", f"{P}.device.serialNumber", f"{P}.time.bootId"])
def test_a_member_that_is_not_on_the_list(path: str) -> None:
    body = changed(put(path, "x"))

    assert [(leak.path, leak.what) for leak in leaks(body)] == [(path, "a member that is not on the list")]
    assert list(leaks(redacted(body, "0" * 64))) == []


def test_a_private_name_of_a_member() -> None:
    body = changed(put("subject.0.annotations", {"/home/alice": 1}))

    assert [leak.what for leak in leaks(body)] == ["a home path"]
    assert list(leaks(redacted(body, "0" * 64))) == []


def test_a_leak_is_refused_by_name_without_being_repeated() -> None:
    (found,) = refusals(changed(put(f"{P}.device.kernel", "alice@host.example")))

    assert found.reason is Reason.PRIVATE_DATA
    assert "alice" not in found.message


def test_redaction_leaves_all_else_as_it_is() -> None:
    body: dict[str, Any] = redacted(statement(), "0" * 64)
    del body["predicate"]["jetproof"]["run"]["replaces"]

    assert body == statement()
