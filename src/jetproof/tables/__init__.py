"""Facts about hardware and releases: rows with a source, never branches in code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from jetproof.tables.reading import document, rows
from jetproof.tables.rows import (
    DetectionFact,
    Image,
    ImageGroup,
    IndexTorch,
    LookAlike,
    Module,
    Neighbour,
    OtherMachine,
    Package,
    QuantizationBuild,
    Release,
    RootCause,
    Signature,
    Soc,
    TorchBuild,
    Ubuntu,
)
from jetproof.tables.stacks import Stack, stack, stacks

__all__ = ["Tables", "load"]


class Tables:
    """All tables; each is read from its file when it is first asked for."""

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """L4T releases, oldest first."""
        return rows(Release, "releases")

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """Modules and kits, with two relatives that are no Jetson."""
        return rows(Module, "modules")

    @cached_property
    def torch_builds(self) -> tuple[TorchBuild, ...]:
        """Places where a torch for Jetson can come from."""
        return rows(TorchBuild, "torch_builds")

    @cached_property
    def index_torch(self) -> tuple[IndexTorch, ...]:
        """The newest torch on the public index, for each Python."""
        return rows(IndexTorch, "index_torch")

    @cached_property
    def quantization(self) -> tuple[QuantizationBuild, ...]:
        """Builds of bitsandbytes."""
        return rows(QuantizationBuild, "quantization")

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """Error texts and what they mean."""
        return rows(Signature, "failure_signatures")

    @cached_property
    def root_causes(self) -> tuple[RootCause, ...]:
        """Causes that a finding can name, in the order of the causal chain."""
        return rows(RootCause, "root_causes")

    @cached_property
    def neighbours(self) -> tuple[Neighbour, ...]:
        """Causes that are taken for one another; of one cause the likeliest first."""
        return rows(Neighbour, "neighbours")

    @cached_property
    def packages(self) -> tuple[Package, ...]:
        """Programs and libraries beside torch."""
        return rows(Package, "packages")

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """Links of the causal chain, the one to mend first in front."""
        return tuple(document("root_causes")["layers"])

    @cached_property
    def socs(self) -> tuple[Soc, ...]:
        """Systems on chip of the Jetson line."""
        return rows(Soc, "socs")

    @cached_property
    def ubuntu(self) -> tuple[Ubuntu, ...]:
        """Ubuntu releases under L4T."""
        return rows(Ubuntu, "ubuntu")

    @cached_property
    def other_machines(self) -> tuple[OtherMachine, ...]:
        """Signs of machines that are not a Jetson."""
        return rows(OtherMachine, "other_machines")

    @cached_property
    def look_alikes(self) -> tuple[LookAlike, ...]:
        """Machines that look like a Jetson, in words."""
        return rows(LookAlike, "detection", "look_alikes")

    @cached_property
    def detection(self) -> tuple[DetectionFact, ...]:
        """Where each fact can be read, and the traps there."""
        return rows(DetectionFact, "detection", "facts")

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """Base images that hold a torch."""
        return rows(Image, "images")

    @cached_property
    def image_groups(self) -> tuple[ImageGroup, ...]:
        """Which images run on which hosts."""
        return rows(ImageGroup, "images", "groups")

    @cached_property
    def stacks(self) -> Mapping[str, Stack]:
        """Named targets of audit, install, memory and image, by name."""
        return stacks(self.releases, self.modules, self.socs, self.ubuntu)

    def stack(self, name: str) -> Stack:
        """Return the stack of that name, "jp6.2" or "jp6.2/agx-orin-64gb"; UsageError names the near ones."""
        return stack(self.stacks, self.modules, name)

    def release(self, l4t: str) -> Release | None:
        """Return the row of an L4T release given with three numbers."""
        return next((row for row in self.releases if row.l4t == l4t), None)

    def module_of_part(self, part_number: str) -> Module | None:
        """Return the row of a part number like p3701-0005."""
        return next((row for row in self.modules if part_number in row.part_numbers), None)

    def compute_capability(self, soc: str) -> str | None:
        """Return the compute capability of a SoC's own GPU."""
        soc = "tegra210" if soc == "tegra210b01" else soc  # the die shrink kept the GPU
        return next((row.compute_capability for row in self.modules if row.soc == soc), None)


def load() -> Tables:
    """Return the tables; nothing is read yet."""
    return Tables()
