"""bitsandbytes comes in only where a tier of the policy requires it and a build for the board is there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jetproof.errors import Refused, UsageError
from jetproof.install.quantization import (
    Build,
    Terms,
    column_of,
    good_indexes,
    local,
    policy_of,
    ruling,
    stack_of_tier,
    tier_of,
    verdict,
)
from jetproof.policy.model import Policy
from jetproof.tables import load

OWN_POLICY = Path(__file__).parents[2] / "ci" / "conditional-test-policy.json"
ORIN = "agx-orin-64gb-jp62"
TABLES = load()

WORKS = {
    "bitsandbytes/__init__.py": "__version__ = '0.46.1'\n",
    "bitsandbytes/functional.py": (
        "def quantize_4bit(weights, quant_type):\n    return weights, None\n"
        "def dequantize_4bit(quantized, state):\n    return quantized\n"
    ),
}
FAILS = {
    **WORKS,
    "bitsandbytes/functional.py": "def quantize_4bit(*a, **k):\n    raise RuntimeError('named symbol not found')\n",
}


def _policy(word: str = "required", **tier: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(OWN_POLICY.read_text(encoding="utf-8"))
    body["tiers"][0] |= {"bitsandbytes": word, **tier}
    return body


def _parsed(*words: str) -> Policy:
    """A policy with the Orin's tier once for each word."""
    body = _policy()
    body["tiers"] = [{**body["tiers"][0], "id": f"t{at}", "bitsandbytes": word} for at, word in enumerate(words)]
    return Policy.model_validate_json(json.dumps(body))


def _build(filename: str = "bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl", place: str = "/w/b.whl") -> Build:
    return Build(filename=filename, address=f"file:///w/{filename}", sha256="aa", place=place)


def _no_search(place: str) -> Build:
    raise AssertionError(place)


def test_the_tier_that_fits_the_board_is_picked() -> None:
    policy = Policy.model_validate_json(json.dumps(_policy()))
    for name, expected in {
        "jp6.2/agx-orin-64gb": ORIN,
        "jp6.2/orin-nano-8gb": None,
        "jp6.1/agx-orin-64gb": None,
        "jp5.1/agx-xavier-32gb": "agx-xavier-jp51",
        "jp7.0/agx-thor-t5000": "agx-thor-jp7",
        "jp6.2": ORIN,
    }.items():
        found = tier_of(policy, TABLES.stack(name), None, TABLES)
        assert (found.id if found else None) == expected, name
    assert tier_of(policy, None, None, TABLES) is None


def test_several_tiers_have_to_agree_or_be_named() -> None:
    stack = TABLES.stack("jp6.2/agx-orin-64gb")
    assert tier_of(_parsed("required", "required"), stack, None, TABLES) is not None
    both = _parsed("required", "unsupported: no build")
    with pytest.raises(UsageError) as caught:
        tier_of(both, stack, None, TABLES)
    assert (caught.value.reason, caught.value.hint) == ("tier-ambiguous", "Name the one that is meant: --tier t0")
    named = tier_of(both, stack, "t1", TABLES)
    assert named is not None
    assert named.id == "t1"
    with pytest.raises(UsageError, match="no tier 'other'"):
        tier_of(both, stack, "other", TABLES)


def test_a_tier_names_its_stack() -> None:
    policy = Policy.model_validate_json(json.dumps(_policy()))
    found = {tier.id: stack_of_tier(tier, TABLES) for tier in policy.tiers}
    orin, xavier, thor = found[ORIN], found["agx-xavier-jp51"], found["agx-thor-jp7"]
    assert orin is not None
    assert orin.name == "jp6.2/agx-orin-64gb"
    assert xavier is not None
    assert xavier.compute_capabilities == ("7.2",)
    assert thor is not None
    assert thor.compute_capabilities == ("11.0",)
    unknown = Policy.model_validate_json(json.dumps(_policy(module="Jetson Unheard Of"))).tiers[0]
    assert stack_of_tier(unknown, TABLES) is None


@pytest.mark.parametrize(
    ("stack", "column"),
    [
        ("jp6.2/agx-orin-64gb", "orin_jp62"),
        ("jp7.2-orin", "orin_jp72"),
        ("jp7-thor", "thor_jp7"),
        ("jp5.1", "xavier_jp51"),
        ("jp5.1-orin", "xavier_jp51"),
        ("jp4.6", None),
    ],
)
def test_each_stack_has_its_column(stack: str, column: str | None) -> None:
    assert column_of(TABLES.stack(stack)) == column


@pytest.mark.parametrize(
    ("filename", "place", "stack", "word"),
    [
        ("bitsandbytes-0.46.1-py3-none-manylinux_2_24_aarch64.whl", "/w", "jp6.2", "no"),
        ("bitsandbytes-0.50.1-py3-none-manylinux_2_24_aarch64.whl", "/w", "jp7-thor", "unproven"),
        ("bitsandbytes-9.0-py3-none-manylinux_2_24_aarch64.whl", "/w", "jp6.2", None),
        ("bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl", "/w", "jp6.2", "yes"),
        ("bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl", "/w", "jp5.1", "unproven"),
        ("bitsandbytes-0.46.1-cp310-cp310-linux_aarch64.whl", "/w", "jp4.6", None),
    ],
)
def test_what_the_tables_say_of_a_build(filename: str, place: str, stack: str, word: str | None) -> None:
    found, _ = verdict(_build(filename, place), TABLES.stack(stack), TABLES)
    assert (found.verdict if found else None) == word


def test_an_index_whose_builds_work_is_known_by_its_address() -> None:
    index, *more = good_indexes(TABLES.stack("jp6.2"), TABLES)
    assert more == []
    assert not index.endswith("bitsandbytes")
    assert good_indexes(TABLES.stack("jp7-thor"), TABLES) == ()
    found, row = verdict(_build(place=f"{index}/+simple/"), TABLES.stack("jp7-thor"), TABLES)
    assert found is not None
    assert (found.verdict, row) == ("no", "bnb-jal")


def _ruled(policy: Policy | None, **members: Any) -> Any:
    named = {"find": _no_search, "asked": True, "present": None, "locked_at": None, **members}
    stack = TABLES.stack("jp6.2/agx-orin-64gb")
    terms = named.pop("terms", Terms(policy=lambda: policy, stack=lambda: stack))
    return ruling(terms, TABLES, **named)


def test_without_a_policy_or_a_tier_it_stays_out() -> None:
    found = _ruled(None)
    assert (found.tier, found.required, found.unmet) == (None, False, False)
    assert "-DCOMPUTE_CAPABILITY=87 " in found.recipe[1]
    found = _ruled(_parsed())
    assert found.told == "no tier of the project's policy fits this board"
    assert found.recipe
    with pytest.raises(UsageError) as caught:
        _ruled(None, terms=Terms(tier="t0"))
    assert caught.value.reason == "policy-missing"


def test_unsupported_is_told_with_its_reason_and_no_recipe() -> None:
    found = _ruled(_parsed("unsupported: no build is pinned"))
    assert (found.tier, found.told, found.recipe) == ("t0", "unsupported: no build is pinned", ())
    assert not found.unmet


def test_required_and_none_at_hand() -> None:
    found = _ruled(_parsed("required"))
    assert found.unmet
    assert "an index is known that has one: --bitsandbytes https://" in found.told
    assert found.recipe[1].startswith("cmake -DCOMPUTE_BACKEND=cuda -DCOMPUTE_CAPABILITY=87 -S . && make")
    assert _ruled(_parsed("required"), asked=False).told == "nothing in the project asks for it"
    there = _ruled(_parsed("required"), present="0.46.1")
    assert (there.unmet, there.recipe) == (False, ())


def test_required_and_the_locks_own_index_has_one() -> None:
    index = good_indexes(TABLES.stack("jp6.2"), TABLES)[0]
    found = _ruled(_parsed("required"), locked_at=f"{index}/+simple", find=lambda place: _build(place=place))
    assert found.build is not None
    assert found.build.place == f"{index}/+simple"
    assert not found.unmet
    assert _ruled(_parsed("required"), locked_at="https://index.example/simple").unmet


def test_required_and_a_build_that_cannot_work() -> None:
    policy, stack = _parsed("required"), TABLES.stack("jp6.2/agx-orin-64gb")
    terms = Terms(policy=lambda: policy, stack=lambda: stack, build="/w/b.whl")
    for filename, why in {
        "bitsandbytes-0.46.1-py3-none-manylinux_2_24_aarch64.whl": "does not work on this board",
        "bitsandbytes-9.0-py3-none-manylinux_2_24_aarch64.whl": "nothing is known of",
    }.items():
        build = _build(filename)
        found = _ruled(None, terms=terms, find=lambda place, build=build: build)
        assert found.unmet
        assert why in found.told


def test_a_file_has_to_be_a_wheel_of_it(tmp_path: Path) -> None:
    for name in ("bitsandbytes.whl", "numpy-1.0-py3-none-any.whl", "bitsandbytes-1.0.tar.gz"):
        with pytest.raises(UsageError, match="is no wheel of bitsandbytes"):
            local(tmp_path / name)
    with pytest.raises(UsageError, match="cannot be read"):
        local(tmp_path / "bitsandbytes-1.0-py3-none-any.whl")
    with pytest.raises(Refused, match="wheel with a wrong name"):
        assert replace(_build(), filename="x").release


def test_a_project_without_a_policy_has_none(tmp_path: Path) -> None:
    assert policy_of(tmp_path) is None


def _write_policy(machine: Any, word: str = "required") -> None:
    path = machine.project / "ci" / "conditional-test-policy.json"
    path.parent.mkdir()
    path.write_text(json.dumps(_policy(word)))


@pytest.mark.process
def test_the_command_without_a_tier(machine: Any) -> None:
    machine.wants("quantizer")
    told = machine.result("--dry-run")["plan"]
    assert [one["name"] for one in told["absent"]] == ["bitsandbytes"]
    assert (told["bitsandbytes"]["tier"], told["bitsandbytes"]["required"]) == (None, False)
    assert machine.error("--dry-run", "--tier", ORIN)["reason"] == "policy-missing"


@pytest.mark.process
def test_the_command_where_the_tier_does_not_support_it(machine: Any) -> None:
    machine.wants("quantizer")
    _write_policy(machine, "unsupported: no build is pinned")
    done = machine.install("--tier", ORIN)
    assert done.returncode == 0, done.stderr
    why = "bitsandbytes stays out: the tier agx-orin-64gb-jp62 of the policy calls it unsupported: no build is pinned\n"
    assert why in done.stdout
    assert "cmake" not in done.stdout


@pytest.mark.process
def test_the_command_where_it_is_required_and_not_to_be_had(machine: Any, tmp_path: Path, stand_in: Any) -> None:
    machine.wants("quantizer")
    _write_policy(machine)
    done = machine.install("--tier", ORIN)
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.endswith("The tier agx-orin-64gb-jp62 is NOT met: it requires bitsandbytes.")
    assert "-DCOMPUTE_CAPABILITY=87 -S ." in done.stdout
    server = stand_in.wheel(tmp_path, "bitsandbytes", "0.46.1", WORKS)
    server = server.rename(tmp_path / "bitsandbytes-0.46.1-py3-none-manylinux_2_24_aarch64.whl")
    told = machine.result("--dry-run", "--tier", ORIN, "--bitsandbytes", str(server))["plan"]["bitsandbytes"]
    assert told["met"] is False
    assert "does not work on this board" in told["told"]


@pytest.mark.process
def test_the_command_takes_a_build_that_the_tier_requires_and_tries_it(
    machine: Any, tmp_path: Path, stand_in: Any
) -> None:
    machine.wants("quantizer")
    _write_policy(machine)
    before = machine.vendor()
    wheel = stand_in.wheel(tmp_path, "bitsandbytes", "0.46.1", WORKS, requires=["torch>=2.0", "helper"])
    result = machine.result("--tier", ORIN, "--bitsandbytes", str(wheel))
    assert [item["name"] for item in result["plan"]["items"]] == ["bitsandbytes", "helper", "quantizer"]
    assert result["plan"]["items"][0]["hashes"] == [f"sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"]
    assert result["plan"]["dropped"] == ["torch"]
    assert result["plan"]["bitsandbytes"]["installed"] == wheel.name
    assert result["proof"]["notes"] == []
    assert machine.says("import bitsandbytes, quantizer; print(bitsandbytes.__version__)") == "0.46.1"
    assert machine.vendor() == before
    broken = stand_in.wheel(tmp_path, "bitsandbytes", "0.46.2", FAILS)
    done = machine.install("--tier", ORIN, "--bitsandbytes", str(broken))
    assert done.returncode == 1
    assert "bitsandbytes quantize ends with: failed" in done.stdout
    assert machine.says("import bitsandbytes; print(bitsandbytes.__version__)") == "0.46.1"
    assert machine.vendor() == before


@pytest.mark.process
def test_the_command_takes_a_build_in_place_of_a_locked_one(machine: Any, tmp_path: Path, stand_in: Any) -> None:
    _write_policy(machine)
    digest = "0" * 64
    package = '[[package]]\nname = "{0}"\nversion = "{1}"\nsource = {{ registry = "https://index.example/simple" }}\n'
    helper = hashlib.sha256((machine.index.folder / "helper-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    own = package.replace("https://index.example/simple", machine.index.url)
    files = machine.index.url.replace("simple", "files")
    (machine.project / "uv.lock").write_text(
        'version = 1\nrequires-python = ">=3.8"\n'
        '[[package]]\nname = "mine"\nversion = "1"\nsource = { virtual = "." }\n'
        'dependencies = [{ name = "bitsandbytes" }]\n'
        + package.format("bitsandbytes", "0.45.0")
        + 'dependencies = [{ name = "helper" }, { name = "torch" }]\n'
        + f'wheels = [{{ url = "https://index.example/b-0.45.0-py3-none-any.whl", hash = "sha256:{digest}" }}]\n'
        + package.format("torch", "2.14.1")
        + own.format("helper", "1.0")
        + f'wheels = [{{ url = "{files}/helper-1.0-py3-none-any.whl", hash = "sha256:{helper}" }}]\n'
    )
    (machine.project / "pyproject.toml").write_text(
        '[project]\nname = "mine"\nversion = "1"\ndependencies = ["bitsandbytes"]\n'
    )
    wheel = stand_in.wheel(tmp_path, "bitsandbytes", "0.46.1", WORKS, requires=["torch", "helper"])
    result = machine.result("--tier", ORIN, "--bitsandbytes", str(wheel))
    assert [(item["name"], item["release"]) for item in result["plan"]["items"]] == [
        ("bitsandbytes", "0.46.1"),
        ("helper", "1.0"),
    ]
    assert machine.says("import bitsandbytes, helper; print(bitsandbytes.__version__)") == "0.46.1"


@pytest.mark.process
def test_the_command_takes_an_index_for_it_alone(machine: Any, shelf: Path) -> None:
    machine.wants("quantizer")
    _write_policy(machine)
    told = machine.result("--dry-run", "--tier", ORIN, "--bitsandbytes", machine.index.url)["plan"]
    assert told["bitsandbytes"]["installed"] == "bitsandbytes-9.9-py3-none-any.whl"
    at = f"{machine.index.url.replace('simple', 'files')}/bitsandbytes-9.9-py3-none-any.whl"
    told = machine.result("--dry-run", "--tier", ORIN, "--bitsandbytes", at)["plan"]
    assert [item["address"] for item in told["items"]] == [at, None]


@pytest.mark.process
def test_the_tier_of_a_stack_elsewhere(machine: Any) -> None:
    machine.wants("quantizer")
    _write_policy(machine)
    stack = ("--dry-run", "--stack", "jp6.2/agx-orin-64gb")
    result = machine.result(*stack)
    assert result["held"][0]["release"].startswith("2.")
    assert result["python"]["release"].startswith("3.10.")
    assert (result["plan"]["bitsandbytes"]["tier"], result["plan"]["bitsandbytes"]["met"]) == (ORIN, False)
    assert not (machine.project / ".jetproof").exists()
