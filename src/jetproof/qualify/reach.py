"""How far a gate's green reaches, by the machine that it runs on: what it says, and what not to take it for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The proof levels of a gate, and its words."""

    levels: tuple[int, ...]
    """0 source, 1 ARM64 preflight, 2 smoke on the board, 3 release (docs/lanes/README.md)."""
    says: str
    never: str

    def as_json(self) -> dict[str, object]:
        """Return it as the record holds it."""
        return {"levels": list(self.levels), "says": self.says, "never": self.never}


_REACHES = {
    "linux-arm64": Reach(
        levels=(0, 1), says="installs, imports and computes on ARM64, on the CPU", never="CUDA, or a Jetson"
    ),
    "x86-cuda": Reach(levels=(0,), says="CUDA through PyTorch works on this x86 machine", never="ARM64, or a Jetson"),
    "jetson": Reach(levels=(2,), says="this stack works on this board", never="other boards, or other releases"),
}


def reach(platform: str) -> Reach | None:
    """Return the reach of gates for a platform of the policy; None where a gate proves nothing of any machine."""
    return _REACHES.get(platform)
