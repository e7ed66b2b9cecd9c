"""A policy is read strictly, and each fault is named by line and column."""

from __future__ import annotations

import contextlib
import copy
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jetproof.errors import ExitCode, JetproofError, PolicyInvalid, UsageError
from jetproof.policy.load import built_in, digest, load, parse
from jetproof.policy.positions import line_and_column, positions
from jetproof.policy.release import covers
from jetproof.policy.schema import json_schema
from jetproof.policy.waivers import expired

ROOT = Path(__file__).parent.parent.parent
SHIPPED = ROOT / "src" / "jetproof" / "policy" / "data" / "default-policy.json"
WEIGHTLAB = ROOT / "examples" / "weightlab" / "ci" / "conditional-test-policy.json"
GOOD: dict[str, Any] = json.loads(WEIGHTLAB.read_text())


def changed(*path: str | int, to: Any) -> bytes:
    """Return the example's policy with one member changed (or taken out, when `to` is ...)."""
    value = copy.deepcopy(GOOD)
    place: Any = value
    for part in path[:-1]:
        place = place[part]
    if to is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return json.dumps(value, indent=2).encode()


WAIVER = {
    "id": "board-away",
    "gate": "jetson-cuda-runtime",
    "owner": "me",
    "reason": "the board is being repaired",
    "issue": "#7",
    "opened": "2026-11-01",
    "expires": "2026-11-30",
}


@pytest.mark.parametrize("place", [SHIPPED, WEIGHTLAB])
def test_what_ships_is_valid(place: Path) -> None:
    policy, sha256 = parse(place.read_bytes(), what="it")

    assert len(sha256) == 64
    assert policy.gate("jetson-runtime") is policy.gate("jetson-cuda-runtime")


def test_the_gates_that_must_ship_do() -> None:
    assert {gate.id for gate in built_in().policy.gates} == {
        "jetson-cuda-runtime",
        "cuda-runtime",
        "linux-arm64-preflight",
        "model-download",
    }


FAULTS = [
    (("cadence",), "yearly", "cadence"),
    (("owner",), ..., "owner"),
    (("gates", 0, "id"), "Jetson Gate", "gates[0].id"),
    (("gates", 0, "unknown"), 1, "gates[0].unknown"),
    (("gates", 0, "items", 2, "timeout"), -1, "gates[0].items[2].timeout"),
    (("gates", 0, "items", 2, "timeout"), "60", "gates[0].items[2].timeout"),
    (("gates", 0, "items", 1), {"pytest": "nowhere"}, "gates[0].items[1].pytest"),
    (("gates", 0, "items", 1), {"probe": "architecture"}, "gates[0].items[1]"),
    (("gates", 1, "id"), "jetson-runtime", "gates[1].id"),
    (("gates", 0, "attempts"), 9, "gates[0].attempts"),
    (("gates", 0, "coverage_paths"), ["../elsewhere"], "gates[0].coverage_paths[0]"),
    (("gates", 0, "coverage_paths"), ["--upload=x"], "gates[0].coverage_paths[0]"),
    (("host", "device_resolver"), "weightlab.device", "host.device_resolver"),
    (("host", "pytest", 0, "tests"), [], "host.pytest[0]"),
    (("host", "pytest", 0, "tests"), ["tests/a.py::x", "tests/a.py::x"], "host.pytest[0].tests"),
    (("tiers", 0, "gate"), "nope", "tiers[0].gate"),
    (("tiers", 0, "gate"), "cpu-rehearsal", "tiers[0].gate"),
    (("tiers", 0, "l4t"), "36.x", "tiers[0].l4t"),
    (("tiers", 0, "bitsandbytes"), "unsupported", "tiers[0].bitsandbytes"),
    (("tiers", 0, "runtime", "digest"), "sha256:abc", "tiers[0].runtime.digest"),
    (("evidence_retention_days",), 5, "evidence_retention_days"),
    (("environment_waivers",), [{**WAIVER, "expires": "2026-12-02"}], "environment_waivers[0].expires"),
    (("environment_waivers",), [{**WAIVER, "expires": "2026-10-02"}], "environment_waivers[0].expires"),
    (("environment_waivers",), [{**WAIVER, "gate": "linux-arm64-preflight"}], "environment_waivers[0].gate"),
    (("environment_waivers",), [{**WAIVER, "gate": "nope"}], "environment_waivers[0].gate"),
    (("environment_waivers",), [{**WAIVER, "tier": "nope"}], "environment_waivers[0].tier"),
    (("environment_waivers",), [WAIVER, WAIVER], "environment_waivers[1].id"),
]


@pytest.mark.parametrize(("path", "to", "named"), FAULTS)
def test_each_fault_is_named_with_its_place(path: tuple[str | int, ...], to: Any, named: str) -> None:
    with pytest.raises(PolicyInvalid) as caught:
        parse(changed(*path, to=to), what="ci/policy.json")

    assert caught.value.exit_code is ExitCode.POLICY_INVALID
    told = [line for line in caught.value.message.splitlines() if f": {named}: " in line]
    assert len(told) == 1
    place, line, column, _ = told[0].split(":", 3)
    assert place == "ci/policy.json"
    text = changed(*path, to=to).decode().splitlines()
    assert int(column) <= len(text[int(line) - 1])


def test_a_claiming_gate_may_not_count_tests() -> None:
    value = copy.deepcopy(GOOD)
    value["host"]["pytest"][0] = {"id": "gpu", "paths": ["tests"], "at_least": 3}

    with pytest.raises(PolicyInvalid, match="count floor"):
        parse(json.dumps(value).encode(), what="it")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"schema_version": 1, "schema_version": 1}',
        b'{"schema_version": NaN}',
        b'{"schema_version": 1e400}',
        b'{"owner": "\\ud800"}',
        b"\xff\xfe",
        b"[" * 100000,
        b'{"schema_version": 1} trailing',
    ],
)
def test_hostile_json_is_refused(data: bytes) -> None:
    with pytest.raises(PolicyInvalid):
        parse(data, what="it")


def test_a_number_that_readers_disagree_on_is_refused() -> None:
    with pytest.raises(PolicyInvalid, match="number"):
        digest({"n": 2**60})


def test_blanks_and_order_do_not_change_the_digest() -> None:
    turned = dict(reversed(list(GOOD.items())))

    assert parse(json.dumps(turned).encode(), what="it")[1] == parse(json.dumps(GOOD, indent=4).encode(), what="it")[1]


def test_the_published_schema_accepts_what_ships() -> None:
    schema = json.loads((ROOT / "docs" / "schemas" / "policy-1.json").read_text())

    jsonschema.validate(GOOD, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**GOOD, "schema_version": 2}, schema)


def test_the_published_schema_is_current() -> None:
    schema = json.loads((ROOT / "docs" / "schemas" / "policy-1.json").read_text())

    assert json_schema() == schema


def test_pyproject_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.jetproof]\npolicy = "lane.json"\n')

    with pytest.raises(UsageError) as caught:
        load(tmp_path)
    assert caught.value.reason == "policy-missing"
    assert caught.value.exit_code is ExitCode.USAGE

    (tmp_path / "lane.json").write_bytes(WEIGHTLAB.read_bytes())
    assert load(tmp_path).path == "lane.json"


def test_without_a_policy_the_built_in_gates_serve(tmp_path: Path) -> None:
    assert load(tmp_path).built_in


@pytest.mark.parametrize("named", ["/etc/passwd", "../policy.json", 3])
def test_pyproject_may_name_no_file_outside(named: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.jetproof]\npolicy = {json.dumps(named)}\n")

    with pytest.raises(JetproofError):
        load(tmp_path)


def test_a_waiver_holds_to_the_end_of_its_last_day_in_utc() -> None:
    policy, _ = parse(changed("environment_waivers", to=[WAIVER]), what="it")
    waiver = policy.environment_waivers[0]
    last = datetime(2026, 11, 30, 23, 59, 59, tzinfo=timezone.utc)

    assert expired(policy, last) == ()
    assert expired(policy, datetime(2026, 12, 1, tzinfo=timezone.utc)) == (waiver,)
    with pytest.raises(ValueError):
        expired(policy, datetime(2026, 11, 30))


@pytest.mark.parametrize(
    ("named", "release", "expected"),
    [
        ("36.4.3", "36.4.3", True),
        ("36.4.3", "36.4.30", False),
        ("36.4", "36.4.0", True),
        ("6.2", "6.2.1", False),
        ("35.x", "35.5.0", True),
        ("35.x", "3.5", False),
        ("5.1.x", "5.1.2", True),
        ("5.1.x", "5.10.2", False),
    ],
)
def test_releases(named: str, release: str, expected: bool) -> None:
    assert covers(named, release) is expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=JSON, indent=st.sampled_from([None, 1, 4]))
def test_every_value_has_its_position(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    found = positions(text)

    def walk(inner: Any, path: tuple[str | int, ...]) -> None:
        start = found[path]
        assert json.JSONDecoder().raw_decode(text, start)[0] == inner
        assert line_and_column(text, start)[0] == text[:start].count("\n") + 1
        if isinstance(inner, dict):
            for name, member in inner.items():
                walk(member, (*path, name))
        if isinstance(inner, list):
            for number, member in enumerate(inner):
                walk(member, (*path, number))

    walk(value, ())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(path=st.lists(st.sampled_from(list(GOOD)) | st.integers(0, 3), min_size=1, max_size=4), value=JSON)
def test_any_change_is_accepted_or_named(path: list[Any], value: Any) -> None:
    data = copy.deepcopy(GOOD)
    place: Any = data
    for part in path[:-1]:
        inner = place.get(part) if isinstance(place, dict) else None
        if not isinstance(inner, dict | list):
            break
        place = inner
    if isinstance(place, list):
        place.append(value)
    else:
        place[str(path[-1])] = value

    with contextlib.suppress(PolicyInvalid):
        parse(json.dumps(data).encode(), what="it")
