"""Which base a project's image is built on: the one that is named, else the one that its policy has pinned."""

from __future__ import annotations

from jetproof.errors import Refused, Undecided
from jetproof.image.choose import Choice
from jetproof.image.reference import Reference, parse


def base_of(named: str | None, choice: Choice | None) -> tuple[Reference, str]:
    """Return the base and why. Raises `Undecided` when nothing is pinned, `Refused` when nothing fits."""
    if named is not None:
        return parse(named), "named with --base-image"
    if choice is None:
        raise Undecided(
            "no base image is named", hint="--base-image NAME@sha256:…, or --stack jp6.2", reason="no-base-image"
        )
    if choice.pinned:
        pin = choice.pinned[0]
        return parse(pin.reference), f"pinned by the policy for the tier {pin.tier}"
    if choice.best is None:
        raise Refused(
            f"no base image is known to fit {choice.stack} (L4T {choice.l4t})",
            hint="jetproof image choose lists what was looked at; jetproof install works without an image",
            reason="no-image-fits",
        )
    raise Undecided(
        f"{choice.best.reference} fits, and it is not pinned: a tag may mean another image tomorrow",
        hint=f"docker pull {choice.best.reference}; then --base-image NAME@sha256:… as docker image inspect tells it",
        reason="image-not-pinned",
    )
