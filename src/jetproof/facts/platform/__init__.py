"""What the machine is: pure, from texts alone, and unknown where they do not decide."""

from __future__ import annotations

from jetproof.facts.platform.decide import platform

__all__ = ["platform"]
