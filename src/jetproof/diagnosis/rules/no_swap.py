"""There is no swap, or only compressed memory, on a small board.

Why it matters
    zram takes its room from the same memory. Without swap on a disk, builds and model loading on 4 and 8 GB boards
    are killed.

How it is decided
    Swap on disk (all swap less zram) below 2 GiB on a board with less than 12 GiB.

What to do
    Add a swap file on a fast disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.rule import SYMPTOM, About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD112", name="no-swap", root_cause="unified-memory-oom", layer=Layer.OPERATION)
_GIB = 1 << 30


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a note when a small board has no swap on disk."""
    memory = facts.memory
    if (
        facts.platform.is_jetson.value is not True
        or memory.total.value is None
        or memory.total.value > 12 * _GIB
        or not (memory.swap_total.known or memory.swap_total.absent)
    ):
        return
    on_disk = (memory.swap_total.value or 0) - (memory.zram.value or 0)
    if on_disk < 2 * _GIB:
        yield ABOUT.finding(
            "There is no swap on disk worth the name; builds and large models will be killed.",
            because=(
                because(memory.swap_total),
                memory.zram,
                because(memory.total),
            ),
            remedy=(
                Remedy(
                    text="Add a swap file (8 GB here).",
                    command="sudo fallocate -l 8G /swapfile && sudo chmod 600 /swapfile && sudo mkswap /swapfile && "
                    "sudo swapon /swapfile\necho '/swapfile none swap sw 0 0' | sudo tee -a /etc/fstab",
                ),
            ),
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            specificity=SYMPTOM,
        )


RULE = ABOUT.rule(check)
