"""Every rule, listed by hand: nothing registers itself."""

from __future__ import annotations

from jetproof.diagnosis.rule import Rule

RULES: tuple[Rule, ...] = ()
"""In the order of their ids."""
