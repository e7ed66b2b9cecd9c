"""Plans from locks, and what a person has to agree to: pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused, Undecided
from jetproof.facts.model import Outcome
from jetproof.install.build import check
from jetproof.install.fit import Fit
from jetproof.install.interpreter import Installed, Interpreter, Site, Torch, constraint_files
from jetproof.install.locked import DEFAULT, Edge, File, Kind, LockedPackage, Project, Source, SourceKind, Where
from jetproof.install.merged import Why, unmet
from jetproof.install.plan import Agreed, Item, Plan, absent, backtracked, demands, holds, items, kept
from jetproof.install.proof import proof

SYSTEM = Path("/usr/lib/python3/dist-packages")


def _dist(name: str, release: str, location: Path = SYSTEM, requires: tuple[str, ...] = ()) -> Installed:
    return Installed(name=name, release=release, location=location, active=True, requires=requires)


TORCH = _dist("torch", "2.8.0a0+5228986c39.nv25.6", requires=("sympy>=1.13",))


def _python(*dists: Installed, **members: Any) -> Interpreter:
    settled: dict[str, Any] = {
        "executable": Path("/usr/bin/python3"),
        "release": "3.10.12",
        "prefix": Path("/usr"),
        "base_prefix": Path("/usr"),
        "is_venv": False,
        "is_conda": False,
        "user_site": Path("/home/u/.local/lib/python3.10/site-packages"),
        "machine": "aarch64",
        "glibc": "2.35",
        "distributions": (TORCH, *dists),
        "torch": Torch(outcome=Outcome.OK, release=TORCH.release, file="/t", built_for_cuda="12.6", available=True),
    }
    return Interpreter(**{**settled, **members})


def _package(name: str, *requires: Edge, **members: Any) -> LockedPackage:
    settled: dict[str, Any] = {
        "release": "1.0",
        "source": Source(kind=SourceKind.INDEX, location="https://index.example/simple"),
        "files": (File(filename=f"{name}-1.0-py3-none-any.whl", sha256="aa"),),
        "where": Where(file="uv.lock"),
    }
    return LockedPackage(name=name, requires=requires, **{**settled, **members})


def _project(*packages: LockedPackage, roots: tuple[Edge, ...] | None) -> Project:
    return Project(
        kind=Kind.UV_LOCK,
        path="uv.lock",
        name="mine",
        locked=True,
        packages=packages,
        roots=None if roots is None else {DEFAULT: roots, "extra:more": (Edge(name="extra-only"),)},
    )


LOCK = _project(
    _package(
        "lib",
        Edge(name="torch", specifier=">=2.8"),
        Edge(name="shared"),
        Edge(name="x86", marker="platform_machine == 'x86_64'"),
    ),
    _package("torch", Edge(name="only-torch"), Edge(name="shared"), Edge(name="nvidia-cublas")),
    _package("nvidia-cublas"),
    _package("only-torch"),
    _package("shared"),
    _package("x86"),
    _package("extra-only"),
    roots=(Edge(name="lib", extras=("fast",)),),
)


def test_a_lock_without_what_is_held_and_what_only_that_wants() -> None:
    found = kept(LOCK, _python())
    assert [package.name for package in found.packages] == ["lib", "shared"]
    assert found.held == {"torch": (("lib 1.0", ">=2.8"),)}
    assert found.extras == {"lib": ("fast",)}
    lib, shared = items(found)
    assert lib.line == "lib[fast]==1.0 --hash=sha256:aa"
    assert shared.wanted_by == ("lib",)
    assert shared.index == "https://index.example/simple"


def test_extras_of_the_project_are_followed() -> None:
    assert [package.name for package in kept(LOCK, _python(), extras=["more"]).packages] == [
        "extra-only",
        "lib",
        "shared",
    ]


def test_markers_are_those_of_the_interpreter() -> None:
    names = [package.name for package in kept(LOCK, _python(machine="x86_64")).packages]
    assert names == ["lib", "shared", "x86"]


def test_a_lock_without_roots_keeps_what_cannot_be_told_apart() -> None:
    flat = _project(_package("torch", Edge(name="sympy")), _package("sympy"), _package("lib"), roots=None)
    found = kept(flat, _python())
    assert [package.name for package in found.packages] == ["lib", "sympy"]
    assert set(found.held) == {"torch"}


def test_a_marker_that_cannot_be_read_decides_nothing() -> None:
    broken = _project(_package("lib", marker="nonsense ==="), roots=None)
    with pytest.raises(Undecided, match="leaves open"):
        kept(broken, _python())


def test_direct_sources_are_not_checked_by_hash_and_projects_left_out() -> None:
    lock = _project(
        _package("a", source=Source(kind=SourceKind.VCS, location="git+https://git.example/a@1")),
        _package("b", source=Source(kind=SourceKind.EDITABLE, location="./b")),
        _package("c", source=Source(kind=SourceKind.CONDA)),
        roots=None,
    )
    first, second = items(kept(lock, _python()))
    assert (first.line, first.hashes) == ("a @ git+https://git.example/a@1", ())
    assert second.editable


def test_demands_read_twice() -> None:
    asked = [
        ("a 1", (), ["torch>=2.8", "numpy", "torch>=9; sys_platform == 'win32'", "broken ==="]),
        ("b 1", ("fast",), ["torchvision>=0.20; extra == 'fast'", "torch==2.7.*"]),
    ]
    found = {one.requirement: one.fit for one in demands(asked, _python())}
    assert found == {"torch>=2.8": Fit.ALPHA, "torchvision>=0.20": None, "torch==2.7.*": Fit.UNFIT}


def test_agreeing() -> None:
    found = demands([("a 1", (), ["torch>=2.8"]), ("b 1", (), ["torch==2.7.*"])], _python())
    assert len(Agreed().refuses(found)) == 2
    assert [one.by for one in Agreed(alpha=True).refuses(found)] == ["b 1"]
    assert Agreed(alpha=True, overrule=frozenset({"b"})).refuses(found) == ()
    assert Agreed(overrule=frozenset({"torch"})).refuses(found) == ()
    (nameless,) = demands([("the project", (), ["torch==2.7.*"])], _python())
    assert nameless.asker == "project"
    assert Agreed(overrule=frozenset({nameless.asker})).refuses([nameless]) == ()
    plan = Plan(items=(), demands=found)
    assert (len(plan.alphas), len(plan.unfit)) == (1, 1)


def test_absent_and_backtracked() -> None:
    assert [one.name for one in absent({"torchvision": ["a"], "torch": ["a"]}, _python())] == ["torchvision"]
    older = backtracked(["a", "b", "c", "d"], {"a": "1", "b": "2", "d": "x"}, {"a": "2", "b": "2", "c": "1", "d": "1"})
    assert [(one.name, one.chosen, one.free) for one in older] == [("a", "1", "2")]


def test_a_plan_that_touches_what_is_held_never_runs() -> None:
    check(Plan(items=(Item(name="numpy", release="1"),)))
    with pytest.raises(Refused, match="the plan holds nvidia-cublas"):
        check(Plan(items=(Item(name="nvidia-cublas", release="1"),)))


def test_markers_that_cannot_be_read_hold() -> None:
    assert holds(None, {})
    assert holds("nonsense ===", {})
    assert not holds("os_name == 'nt'", _python().markers)


def test_where_a_distribution_lies() -> None:
    venv = Path("/home/u/venv")
    user = Path("/home/u/.local/lib/python3.10/site-packages")
    python = _python(is_venv=True, prefix=venv)
    assert python.site(TORCH) is Site.SYSTEM
    assert python.site(_dist("a", "1", user)) is Site.USER
    inside = _dist("torch", "1", venv / "lib")
    assert python.site(inside) is Site.VENV
    assert not python.vendor_inside
    assert _python(is_venv=True, prefix=venv, distributions=(inside,)).vendor_inside
    assert _python(is_conda=True).site(TORCH) is Site.CONDA


def test_constraint_files_of_a_container() -> None:
    found = constraint_files({"PIP_CONSTRAINT": "/a /b", "UV_CONSTRAINT": "/c", "PATH": "/d"})
    assert [str(path) for _, path in found] == ["/a", "/b", "/c"]


def test_unmet_over_both_levels_each_explained() -> None:
    old = _python(_dist("relic", "1", requires=("lost",)))
    new = _python(
        _dist("relic", "1", requires=("lost",)),
        _dist("a", "1", requires=("torch>=2.0", "torch>=2.8", "torchvision", "x>=2", "y; os_name == 'nt'", "?")),
        _dist("b", "1", requires=("torch==2.7.*",)),
        _dist("x", "1"),
    )
    found = {one.requirement: one.why for one in unmet(new, old)}
    assert found == {
        "sympy>=1.13": Why.BEFORE,
        "lost": Why.BEFORE,
        "torch>=2.8": Why.ALPHA,
        "torchvision": Why.HELD_ABSENT,
        "x>=2": Why.OTHER,
        "torch==2.7.*": Why.OVERRULED,
    }


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ({"file": "/venv/torch/__init__.py"}, "is now imported from"),
        ({"release": "2.14.1"}, "is now 2.14.1"),
        ({"built_for_cuda": None}, "the one imported now for None"),
        ({"available": False}, "now sees none"),
    ],
)
def test_every_way_to_lose_the_vendors_torch_breaks_the_proof(after: dict[str, Any], told: str) -> None:
    settled: dict[str, Any] = {
        "outcome": Outcome.OK,
        "release": TORCH.release,
        "file": "/t",
        "built_for_cuda": "12.6",
        "available": True,
    }
    found = proof(
        _python(), _python(torch=Torch(**{**settled, **after})), {}, Agreed(), deep=False, plan=Plan(items=())
    )
    assert not found.holds
    assert any(told in why for why in found.broken)


def test_a_second_copy_or_a_new_sibling_breaks_the_proof() -> None:
    copy = _dist("torch", TORCH.release, Path("/venv/lib"))
    found = proof(_python(), _python(distributions=(copy,)), {}, Agreed(), deep=False, plan=Plan(items=()))
    assert any("hides" in why for why in found.broken)
    found = proof(_python(), _python(_dist("torchvision", "0.29")), {}, Agreed(), deep=False, plan=Plan(items=()))
    assert found.broken == (f"torchvision 0.29 was installed to {SYSTEM}",)
    assert proof(_python(), _python(), {}, Agreed(), deep=False, plan=Plan(items=())).holds


def test_a_demand_that_shows_only_afterwards_breaks_the_proof() -> None:
    after = _python(_dist("late", "1", requires=("torch>=2.9",)))
    plan = Plan(items=(Item(name="late", release="1"),))
    found = proof(_python(), after, {}, Agreed(), deep=False, plan=plan)
    assert not found.holds
    assert proof(_python(), after, {}, Agreed(overrule=frozenset({"late"})), deep=False, plan=plan).holds


def test_each_planned_item_has_to_be_in_the_environment_with_its_number() -> None:
    plan = Plan(
        items=tuple(Item(name=name, release="1.0") for name in ("there", "gone", "older", "outside", "local")),
        project="/p",
        project_name="My_Project",
    )
    outside = Path("/elsewhere/site-packages")
    after = _python(
        _dist("there", "1"), _dist("older", "0.9"), _dist("outside", "1.0", outside), _dist("local", "1.0+cu126")
    )
    found = proof(_python(), after, {}, Agreed(), deep=False, plan=plan)
    assert found.missing == (
        "gone 1.0 was planned and is not there",
        "older 1.0 was planned, and 0.9 is there",
        f"outside 1.0 was planned for /usr, and an import finds 1.0 in {outside}",
        "my-project was planned and is not there",
    )
    assert not found.holds
