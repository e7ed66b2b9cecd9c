"""Everything up to the first change: the vendor's Python, what of the person's settings uv gets to see, the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jetproof.errors import Refused
from jetproof.facts.model import Outcome
from jetproof.install import build, quantization, uv_settings
from jetproof.install.bounds import bounds
from jetproof.install.interpreter import Asker, Installed, Interpreter, constraint_files
from jetproof.install.locked import SourceKind
from jetproof.install.plan import Agreed, Plan
from jetproof.install.proof import told_demand
from jetproof.install.quantization import NAME, Terms
from jetproof.install.resolve import Resolver, Wanted
from jetproof.install.uv import Sources, Uv
from jetproof.tables import load

OLDEST_PYTHON = (3, 8)
"""That uv installs for."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a person asked for."""

    wanted: Wanted
    root: Path
    """Folder of the project; `.jetproof` lies there."""
    venv: Path | None = None
    python: str | None = None
    dry_run: bool = False
    elsewhere: Interpreter | None = None
    """The Python of a board that is not at hand: then nothing but a plan can be had."""
    agreed: Agreed = field(default_factory=Agreed)
    sources: Sources = field(default_factory=Sources)
    terms: Terms = field(default_factory=Terms)
    """What decides about bitsandbytes."""
    deep: bool = False
    timeout: float = 3600
    """Seconds for each single run of uv."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The surroundings' variables: settings of uv and pip, and names of constraint files."""


def vendor(asker: Asker, python: str | None) -> Interpreter:
    """Return the interpreter that sees the vendor's torch, having made sure that it works.

    A virtual environment without a torch of its own stands over a base; then the base is what counts.
    """
    found = asker.ask(python)
    if found.is_venv and not found.vendor_inside:
        short = ".".join(found.release.split(".")[:2])
        base = found.base_prefix / "bin" / f"python{short}"
        found = replace(asker.ask(str(base)), asked=f"the base of {found.executable} ({found.asked})")
    refuse_old(found)
    if found.active("torch") is None and found.torch.outcome is not Outcome.OK:
        raise Refused(
            f"{found.executable} ({found.asked}) has no torch, so there is nothing to install over",
            hint="See which build is right for this board: jetproof install --torch",
            reason="no-torch",
        )
    if found.torch.outcome is not Outcome.OK:
        raise Refused(
            f"torch of {found.executable} does not work before anything is installed: {found.torch.message[:500]}",
            hint="Find the cause first: jetproof doctor",
            reason="torch-broken-before",
        )
    return found


def refuse_old(found: Interpreter) -> None:
    """Raise Refused for a Python that uv does not install for: JetPack 4's."""
    if tuple(int(part) for part in found.release.split(".")[:2]) < OLDEST_PYTHON:
        raise Refused(
            f"{found.executable} is Python {found.release}, and uv installs for 3.8 and later: nothing was changed",
            hint="On JetPack 4 install package by package with pip3 install --no-deps, and leave out what jetproof "
            "audit PROJECT --stack jp4.6 names: docs/install/offline.md",
            reason="python-too-old",
        )


def configured(uv: Uv, request: Request, scratch: Path) -> tuple[Uv, tuple[str, ...]]:
    """Return uv with the one file of settings that it will read, and notes on what of the person's was left out."""
    found = uv_settings.settings(
        request.wanted.path.parent,
        request.variables,
        with_pip=not request.sources.named,
    )
    path = scratch / "uv.toml"
    path.write_text(found.text, encoding="utf-8")
    return replace(uv, config=path, variables=request.variables), tuple(
        f"not honoured, since jetproof decides what is installed and where to: {one}" for one in found.ignored
    )


def planned(request: Request, before: Interpreter, uv: Uv, scratch: Path) -> Plan:
    """Return the plan; twice computed where a tier lets bitsandbytes in.

    Raises Refused, UsageError or Undecided where there is none.
    """
    resolver = Resolver(uv=uv, interpreter=before, sources=request.sources, scratch=scratch)
    wanted = replace(
        request.wanted,
        constraint_files=constraint_files(request.variables),
        bounds=bounds(before.torch.release, load()),
    )
    plan = resolver.plan(wanted)
    asked = NAME in plan.dropped
    if asked or request.terms.tier is not None or request.terms.build is not None:
        ruling = quantization.ruling(
            request.terms,
            load(),
            asked=asked,
            present=None if (there := before.active(NAME)) is None else there.release,
            locked_at=_locked_at(wanted),
            find=resolver.build,
        )
        if ruling.build is not None:
            plan = resolver.plan(replace(wanted, let_in=ruling.build))
        plan = replace(plan, quantization=ruling)
    build.check(plan)
    return plan


def _locked_at(wanted: Wanted) -> str | None:
    """The index from which the lock takes bitsandbytes."""
    sources = (one.source for one in wanted.project.packages if one.name == NAME)
    return next((source.location for source in sources if source.kind is SourceKind.INDEX), None)


def agree(plan: Plan, agreed: Agreed) -> None:
    """Raise Refused while something that the vendor's build does not meet is not agreed to."""
    refused = agreed.refuses(plan.demands)
    if not refused:
        return
    names = sorted({one.asker for one in refused if one in plan.unfit})
    options = [*(["--allow-alpha"] if any(one in plan.alphas for one in refused) else [])]
    options += [f"--allow-overrule {name}" for name in names]
    raise Refused(
        "the vendor's build does not meet what is asked of it, and nothing was changed:\n"
        + "\n".join(f"  {told_demand(one)}" for one in refused),
        hint=f"Choose older releases of what asks, or go ahead at your own risk with: {' '.join(options)}",
        reason="alpha" if not names else "unfit",
    )


def refuse_clash(clash: Sequence[str]) -> None:
    """Raise Refused where installing would overwrite files of the vendor's."""
    if clash:
        raise Refused(
            f"a package would overwrite {len(clash)} of the vendor's files, like {clash[0]}; nothing was changed",
            hint="Leave that package out.",
            reason="collision",
        )


def refuse_claim(dist: Installed, claimed: Sequence[str]) -> None:
    """Raise Refused where replacing a distribution would delete files that are not its own."""
    if claimed:
        raise Refused(
            f"{dist.name} {dist.release} in {dist.location} has to be replaced and counts {len(claimed)} files as its "
            f"own that are not, like {claimed[0]}; nothing was changed",
            hint="Find out how it came there; ask for the release that is installed, or make the environment anew.",
            reason="collision",
        )
