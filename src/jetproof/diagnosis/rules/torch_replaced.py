"""A torch with CUDA for this board was there, and a resolver put another over it or before it.

Why it matters
    `pip install -U`, `uv sync` or any package that depends on torch takes the newest from the default index. Up to
    2.10 that is a build without CUDA, from 2.11 on one for CUDA 13, which JetPack 6 cannot start.

How it is decided
    Two torches: the first with CUDA for this board (in the image, the system, ~/.local, an earlier step), the later
    one by a dependency or a script. A command that names torch itself is the user's own choice.

What to do
    Put the vendor's build back and constrain it in every later install.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import reported
from jetproof.diagnosis.remedies import NEVER_THE_DRIVER, vendor_torch
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer
from jetproof.diagnosis.torch_known import two_torches
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD071", name="torch-replaced-by-resolver", root_cause="torch-replaced-by-resolver", layer=Layer.TORCH_BUILD
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a second torch displaced the board's own."""
    if facts.platform.is_jetson.value is False or facts.torch.available.value is True:
        return
    pair = two_torches(facts)
    if pair:
        yield ABOUT.finding(
            "The torch for this board was replaced by another that an installer brought.",
            because=pair,
            remedy=(*vendor_torch(facts, tables), NEVER_THE_DRIVER),
            confidence=Confidence.LIKELY if reported(facts) else Confidence.CERTAIN,
            specificity=LITERAL,
        )


RULE = ABOUT.rule(check)
