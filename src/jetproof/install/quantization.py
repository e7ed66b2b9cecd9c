"""Whether a tier of the project's policy lets bitsandbytes in, and from which build: the one held name it may ask for.

Wheels on the usual index hold CUDA code for servers. So a build comes in only where a tier requires it and the tables
do not say that it cannot work on this board; whether it does work is tried afterwards, like torch itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from jetproof.errors import Refused, UsageError
from jetproof.install.protected import digest
from jetproof.policy.release import covers
from jetproof.tables import Tables
from jetproof.tables.rows import Module, QuantizationBuild, Verdict
from jetproof.tables.stacks import Stack

if TYPE_CHECKING:
    from jetproof.policy.model import Policy, Tier

NAME = "bitsandbytes"
REQUIRED = "required"


@dataclass(frozen=True, kw_only=True)
class Build:
    """One wheel of bitsandbytes."""

    filename: str
    address: str
    """URL of the file itself; a local one is a file URL."""
    sha256: str
    place: str
    """The index or the file as a person named it."""

    @property
    def release(self) -> str:
        """Its number, from its name."""
        return str(_parsed(self.filename)[0])

    @property
    def from_public_index(self) -> bool:
        """Whether its name is that of the builds for servers; what is built on a board has no manylinux tag."""
        return any(platform.startswith("manylinux") for platform in _parsed(self.filename)[1])


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What the policy says of bitsandbytes here, and what follows."""

    tier: str | None
    """The tier that was picked; None without a policy, or where no tier fits."""
    required: bool
    told: str
    """Why it comes, or why it stays out."""
    build: Build | None = None
    """What will be installed; None when it stays out."""
    present: bool = False
    """Whether it is there already."""
    compute_capabilities: tuple[str, ...] = ()
    """Of the board, for the recipe."""

    @property
    def unmet(self) -> bool:
        """Whether the tier requires it and it will not be there."""
        return self.required and self.build is None and not self.present

    @property
    def recipe(self) -> tuple[str, ...]:
        """The commands that build it on the board; none where the tier does not support it."""
        if self.build is not None or self.present or (self.tier is not None and not self.required):
            return ()
        targets = ";".join(one.replace(".", "") for one in self.compute_capabilities)
        remark = "" if len(self.compute_capabilities) == 1 else "   # 72 Xavier, 87 Orin, 110 Thor"
        return (
            "git clone --depth 1 https://github.com/bitsandbytes-foundation/bitsandbytes && cd bitsandbytes",
            f"cmake -DCOMPUTE_BACKEND=cuda -DCOMPUTE_CAPABILITY={shlex.quote(targets or '87')} -S . && make{remark}",
            "pip wheel --no-deps --no-build-isolation -w dist .",
        )


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a ruling is made from; each part is asked for only when it is needed."""

    policy: Callable[[], Policy | None] = lambda: None
    """The project's policy; None where it has none."""
    stack: Callable[[], Stack | None] = lambda: None
    """The board's stack; None when this is no board that the tables know."""
    tier: str | None = None
    """The tier that a person named."""
    build: str | None = None
    """A wheel, as file or URL, or an index, that a person named."""
    indexes: tuple[str, ...] = ()
    """Indexes that a person named for everything."""


def policy_of(project: Path) -> Policy | None:
    """Return the project's own policy; None where it has none. Raises what reading it raises."""
    from jetproof.policy.load import load  # pydantic is loaded only where a policy is asked

    found = load(project)
    return None if found.built_in else found.policy


def tier_of(policy: Policy, stack: Stack | None, named: str | None, tables: Tables) -> Tier | None:
    """Return the tier that a person named, else the one that fits the stack; None when none does.

    UsageError: no such tier, or several fit and differ about bitsandbytes.
    """
    if named is not None:
        tier = policy.tier(named)
        if tier is None:
            known = ", ".join(one.id for one in policy.tiers) or "none"
            raise UsageError(f"the policy has no tier {named!r}", hint=f"its tiers: {known}", reason="tier-unknown")
        return tier
    fitting = [] if stack is None else [one for one in policy.tiers if _fits(one, stack, tables)]
    if len({one.bitsandbytes for one in fitting}) > 1:
        ids = [one.id for one in fitting]
        raise UsageError(
            f"several tiers of the policy fit this board and differ about bitsandbytes: {', '.join(ids)}",
            hint=f"Name the one that is meant: --tier {ids[0]}",
            reason="tier-ambiguous",
        )
    return fitting[0] if fitting else None


def stack_of_tier(tier: Tier, tables: Tables) -> Stack | None:
    """Return the stack that a tier speaks of; None where the tables do not have it."""
    base = tables.stacks.get(f"jp{tier.jetpack.removesuffix('.x')}")
    module = next(iter(_modules(tier, tables)), None)
    if base is None or module is None or module.soc not in base.socs:
        return None
    return tables.stack(f"{base.name}/{module.id}")


def verdict(build: Build, stack: Stack | None, tables: Tables) -> tuple[Verdict | None, str | None]:
    """Return what the tables say of a build on a stack, and the row that says so; None where they say nothing."""
    column = None if stack is None else column_of(stack)
    row = _row(build, tables)
    return (None if row is None or column is None else row.works_on.get(column)), (None if row is None else row.id)


def column_of(stack: Stack) -> str | None:
    """Return the column of the table of bitsandbytes builds that speaks about a stack."""
    major = stack.jetpack.split(".")[0]
    columns = {("tegra234", "6"): "orin_jp62", ("tegra234", "7"): "orin_jp72", ("tegra264", "7"): "thor_jp7"}
    return columns.get((stack.soc or "", major), "xavier_jp51" if major == "5" else None)


def good_indexes(stack: Stack | None, tables: Tables) -> tuple[str, ...]:
    """Return the indexes whose builds are known to work on a stack."""
    column = None if stack is None else column_of(stack)
    return tuple(
        _plain(row.where)
        for row in tables.quantization
        if row.kind == "package-index" and column is not None and row.works_on[column].verdict == "yes"
    )


def local(path: Path) -> Build:
    """Look at a wheel file. UsageError when it is none of bitsandbytes."""
    check_name(path.name)
    found = digest(path)
    if found is None:
        raise UsageError(f"{path} cannot be read", reason="wheel-unreadable")
    return Build(filename=path.name, address=path.absolute().as_uri(), sha256=found, place=str(path))


def ruling(
    terms: Terms,
    tables: Tables,
    *,
    asked: bool,
    present: str | None,
    locked_at: str | None,
    find: Callable[[str], Build],
) -> Ruling:
    """Judge. `asked`: whether the project asks for it; `find` looks at a file or into an index.

    `present` is the number that is there, `locked_at` the index of the lock.

    Raises UsageError for a tier or a build that cannot be meant, and whatever reading the policy raises.
    """
    policy = terms.policy()
    if policy is None:
        if terms.tier is not None:
            raise UsageError(
                "--tier names a tier of the project's policy, and there is none",
                hint="jetproof init writes one",
                reason="policy-missing",
            )
        return Ruling(tier=None, required=False, told="the project has no policy that asks for it")
    stack = None if terms.tier is not None else terms.stack()
    tier = tier_of(policy, stack, terms.tier, tables)
    if tier is None:
        return Ruling(
            tier=None,
            required=False,
            told="no tier of the project's policy fits this board",
            compute_capabilities=() if stack is None else stack.compute_capabilities,
        )
    if tier.bitsandbytes != REQUIRED:
        return Ruling(tier=tier.id, required=False, told=tier.bitsandbytes)
    stack = stack_of_tier(tier, tables) or stack
    if present is not None:
        return Ruling(tier=tier.id, required=True, present=True, told=f"{NAME} {present} is there already")
    build, why = None, "nothing in the project asks for it"
    if asked:
        build, why = _usable(terms, stack, tables, locked_at, find)
    return Ruling(
        tier=tier.id,
        required=True,
        told=why,
        build=build,
        compute_capabilities=() if stack is None else stack.compute_capabilities,
    )


def _usable(
    terms: Terms, stack: Stack | None, tables: Tables, locked_at: str | None, find: Callable[[str], Build]
) -> tuple[Build | None, str]:
    good = good_indexes(stack, tables)
    place = terms.build or next(
        (one for one in (locked_at, *terms.indexes) if one is not None and _plain(one) in map(_plain, good)), None
    )
    if place is None:
        known = f"; an index is known that has one: --bitsandbytes {good[0]}" if good else ""
        return None, f"no build for this board was named{known}"
    build = find(place)
    said, row = verdict(build, stack, tables)
    if said is None:
        return None, f"nothing is known of {build.filename} on this board"
    if said.verdict == "no":
        return None, f"{build.filename} does not work on this board: {said.why} (tables: {row})"
    return build, f"{build.filename} from {build.place} ({said.verdict}: {said.why}; tables: {row})"


def _row(build: Build, tables: Tables) -> QuantizationBuild | None:
    mine = [row for row in tables.quantization if row.package == NAME]
    if build.from_public_index:
        number = Version(build.release)
        spans = ((row, span) for row in mine if row.kind.startswith("pypi") and (span := span_of(row)) is not None)
        return next((row for row, (low, high) in spans if low <= number <= high), None)
    indexes = (row for row in mine if row.kind == "package-index" and _plain(row.where) == _plain(build.place))
    return next(indexes, None) or next((row for row in mine if row.kind == "source-build"), None)


def span_of(row: QuantizationBuild) -> tuple[Version, Version] | None:
    """Return the first and last number of a row about published wheels, like "0.48.0 - 0.48.2" or "<= 0.45.5"."""
    first, _, last = row.version.partition(" - ")
    if first.startswith("<= "):
        return Version("0"), Version(first.removeprefix("<= "))
    return Version(first), Version(last or first)


def _plain(index: str) -> str:
    """The index itself, however it is written: the table names the page of the package on it."""
    return index.rstrip("/").removesuffix(f"/{NAME}").removesuffix("/+simple").rstrip("/")


def _fits(tier: Tier, stack: Stack, tables: Tables) -> bool:
    if not covers(tier.jetpack, stack.jetpack) or not any(covers(tier.l4t, one) for one in stack.l4t_releases):
        return False
    modules = _modules(tier, tables)
    if stack.module is not None:
        return stack.module.name in {row.name for row in modules}
    return any(row.soc in stack.socs for row in modules)


def _modules(tier: Tier, tables: Tables) -> list[Module]:
    return [row for row in tables.modules if row.is_jetson and tier.module in (row.name, row.family_name)]


def check_name(filename: str) -> None:
    """Raise UsageError for the name of a file that is no wheel of bitsandbytes."""
    try:
        name = parse_wheel_filename(filename)[0]
    except InvalidWheelFilename:
        name = None
    if name != NAME:
        raise UsageError(
            f"{filename!r} is no wheel of {NAME}",
            hint="give the file that the build wrote, or an index: --bitsandbytes dist/bitsandbytes-….whl",
            reason="wrong-wheel",
        )


def _parsed(filename: str) -> tuple[Version, tuple[str, ...]]:
    try:
        _, number, _, tags = parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise Refused(f"an index has a wheel with a wrong name: {filename[:200]}", reason="wrong-wheel") from error
    return number, tuple(tag.platform for tag in tags)
