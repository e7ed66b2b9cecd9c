"""The trust store is not valid.

Why it matters
    Once it is on the branch that judges, no evidence can be verified and nothing can be claimed.

How it is decided
    .jetproof/trust.toml, .jetproof/allowed_signers and .jetproof/revoked_keys of the working tree are read as
    `jetproof verify` reads them from a revision.

What to do
    Mend what is named. `jetproof keys trust` writes entries that stand.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW720", name="trust-store-invalid")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each fault of the trust store."""
    for broken in lane.broken_trust:
        yield ABOUT.at(broken.place, broken.message, "Mend it; jetproof keys trust writes entries that stand.")


RULE = ABOUT.rule(check)
