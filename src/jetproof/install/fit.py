"""Whether a vendor's build satisfies a requirement, told apart from "only its release number does".

NVIDIA ships builds such as 2.8.0a0+5228986c39.nv25.6. By the ordering of releases an alpha comes before 2.8.0,
so `torch>=2.8` rejects a build that is 2.8 in all but name. Both readings are computed and neither is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version


class Fit(Enum):
    """How well a build fits a requirement."""

    AS_IS = "fits"
    ALPHA = "fits by its release number only"
    """An alpha may lack what the final release added late: a person has to say yes."""
    UNFIT = "does not fit"
    UNKNOWN = "cannot be compared"


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What one package asks of a held one, and how the copy that is there fits."""

    by: str
    """Who asks, like "accelerate 1.15.0"; the project itself by its own name."""
    requirement: str
    """As it is written in the metadata, like "torch>=2.0.0"."""
    name: str
    """The held package, normalised."""
    present: str | None
    """The number of the copy that is there; None when there is none."""
    fit: Fit | None
    """None when nothing is there to compare."""

    @property
    def asker(self) -> str:
        """The word that overrules it: who asks without the number; `project` for a project that has no name."""
        return self.by.removeprefix("the ").split(" ")[0]


def fit(specifier: SpecifierSet, release: str) -> Fit:
    """Compare a build's number with a specifier, pre-releases always admitted."""
    try:
        build = Version(release)
    except InvalidVersion:
        return Fit.UNKNOWN
    # prereleases=True: without it the answer for an alpha differs between releases of packaging
    if specifier.contains(build, prereleases=True):
        return Fit.AS_IS
    number = Version(build.base_version)
    if build.is_prerelease and specifier.contains(number, prereleases=True):
        return Fit.ALPHA
    return Fit.UNFIT


def demand(by: str, text: str, present: str | None) -> Demand | None:
    """Judge one requirement on a held package; None when the text is no requirement."""
    try:
        requirement = Requirement(text)
    except (InvalidRequirement, InvalidSpecifier):
        return None
    return Demand(
        by=by,
        requirement=text,
        name=canonicalize_name(requirement.name),
        present=present,
        fit=None if present is None else fit(requirement.specifier, present),
    )
