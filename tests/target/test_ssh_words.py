"""Addresses that are accepted, and what ssh's own words are taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.target.ssh import SshTarget
from jetproof.target.ssh_address import Address, parse
from jetproof.target.ssh_errors import told


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ssh://orin", Address(host="orin")),
        ("ssh://nvidia@orin.lab.example:2222", Address(host="orin.lab.example", user="nvidia", port=2222)),
        ("ssh://me@192.0.2.7/", Address(host="192.0.2.7", user="me")),
        ("ssh://me@[2001:db8::7]:22", Address(host="2001:db8::7", user="me", port=22)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse(text) == address
    assert parse(f"ssh://{address}") == address


@pytest.mark.parametrize(
    "text",
    [
        "ssh://",
        "ssh://-oProxyCommand=touch%20x",
        "ssh://-oProxyCommand=x@host",
        "ssh://me@-host",
        "ssh://me@host;reboot",
        "ssh://me@$(reboot)",
        "ssh://me@host:99999",
        "ssh://me@host:0",
        "ssh://me@host:22:22",
        "ssh://me@host/path",
        "ssh://me@host name",
        "ssh://me@host\n",
        "ssh://me:password@host",
        "ssh://`id`@host",
        "orin",
        "http://orin",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


@given(st.text())
def test_whatever_is_accepted_holds_nothing_for_a_shell_or_for_ssh_to_take_as_an_option(text: str) -> None:
    try:
        words = parse("ssh://" + text).words
    except UsageError:
        return
    assert words[-2] == "--"
    assert not words[-1].startswith("-")
    assert not set("".join(words)) & set(" \t\n;&|$`'\"\\<>(){}*?!~#")
    assert words[0] in ("-l", "-p", "--")
    assert words[0] != "-l" or not words[1].startswith("-")


@pytest.mark.parametrize("python", ["", "-c", "py\nthon", "/usr/bin/py\x1b[0m"])
def test_an_interpreter_that_is_an_option_or_not_printable_is_refused(python: str) -> None:
    with pytest.raises(UsageError):
        SshTarget("ssh://me@orin", python)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("No ED25519 host key is known for x and you have requested strict checking.", "ssh-host-key-unknown"),
        ("Host key verification failed.", "ssh-host-key-unknown"),
        (
            "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.",
            "ssh-host-key-changed",
        ),
        ("me@orin: Permission denied (publickey,password).", "ssh-permission-denied"),
        ("ssh: connect to host orin port 22: Connection refused", "ssh-refused"),
        ("ssh: connect to host orin port 22: Connection timed out", "ssh-timeout"),
        ("ssh: connect to host orin port 22: No route to host", "ssh-no-route"),
        ("ssh: Could not resolve hostname orin: Name or service not known", "ssh-no-such-host"),
        ("kex_exchange_identification: read: Connection reset by peer", "ssh-closed"),
        ("/home/me/.ssh/config: line 3: Bad configuration option: hots", "ssh-configuration"),
        ("something new", "ssh-failed"),
        ("", "ssh-failed"),
    ],
)
def test_what_ssh_says_is_understood(words: str, reason: str) -> None:
    error = told(words, Address(host="orin", user="me", port=2222))
    assert error.reason == reason
    assert error.hint
    assert "{" not in error.message + error.hint
