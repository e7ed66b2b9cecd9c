"""What ssh's own error texts mean, each with the next thing to try. Pure."""

from __future__ import annotations

import re

from jetproof.errors import Undecided
from jetproof.target.ssh_address import Address

_KNOWN: tuple[tuple[str, str, str, str], ...] = (
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Offending \S+ key",
        "ssh-host-key-changed",
        "the host key of {at} is not the one that is known",
        "was the board flashed anew? ssh-keygen -R '{name}', then connect once with ssh and compare the key",
    ),
    (
        r"Host key verification failed|No \S+ host key is known",
        "ssh-host-key-unknown",
        "the host key of {at} is not known yet",
        "connect once by hand and compare the key: ssh {by_hand}",
    ),
    (
        r"Permission denied \(|Too many authentication failures|no mutual signature",
        "ssh-permission-denied",
        "{at} accepts no key that ssh offers (a password cannot be asked for here)",
        "ssh-copy-id {by_hand} puts your key there; ssh-add loads one that has a passphrase",
    ),
    (
        r"Connection refused",
        "ssh-refused",
        "{at} refuses the connection: no SSH server listens there",
        "on the board: systemctl status ssh; a port other than 22 goes into --target ssh://user@host:port",
    ),
    (
        r"Could not resolve hostname|Name or service not known|Temporary failure in name resolution",
        "ssh-no-such-host",
        "the name {host} cannot be resolved",
        "check the spelling, name the address, or add a Host entry to ~/.ssh/config",
    ),
    (
        r"timed out|Operation timed out|Connection timeout",
        "ssh-timeout",
        "{at} does not answer",
        "is the board switched on and in this network? ping {host}",
    ),
    (
        r"No route to host|Network is unreachable",
        "ssh-no-route",
        "there is no route to {at}",
        "check the network on both sides: ip route",
    ),
    (
        r"Bad configuration option|terminating, \d+ bad configuration|Bad owner or permissions",
        "ssh-configuration",
        "ssh does not accept its own configuration: {last}",
        "ssh -G {by_hand} shows what it reads",
    ),
    (
        r"kex_exchange_identification|Connection closed by|Connection reset by|banner exchange",
        "ssh-closed",
        "{at} closed the connection before anybody was let in",
        "it may be overloaded, or refuse this address (MaxStartups, hosts.deny): journalctl -u ssh on the board",
    ),
)


def told(stderr: str, address: Address) -> Undecided:
    """Return the error that ssh's words stand for."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    last = lines[-1][:300] if lines else "it said nothing"
    by_hand = (
        f"{f'-p {address.port} ' if address.port else ''}{f'{address.user}@' if address.user else ''}{address.host}"
    )
    name = f"[{address.host}]:{address.port}" if address.port else address.host
    for pattern, reason, message, hint in _KNOWN:
        if re.search(pattern, stderr):
            words = {"at": str(address), "host": address.host, "name": name, "by_hand": by_hand, "last": last}
            return Undecided(message.format(**words), hint=hint.format(**words), reason=reason)
    return Undecided(
        f"ssh could not connect to {address}: {last}", hint=f"try it by hand: ssh {by_hand} true", reason="ssh-failed"
    )
