"""A first policy: the tiers that were asked for, the project's own tests, and what the lane must prove of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jetproof import tables
from jetproof.cli.main import main
from jetproof.errors import ExitCode, UsageError
from jetproof.policy.load import parse
from jetproof.policy.model import Policy
from jetproof.workflow.document import parse as yaml
from jetproof.workflow.model import Workflow
from jetproof.workflow.scaffold.first_policy import first_policy
from jetproof.workflow.scaffold.first_tiers import PLANNED_IDS, first_tiers
from jetproof.workflow.scaffold.host import WHEEL, Asked, Host
from jetproof.workflow.scaffold.host import host as host_of
from jetproof.workflow.scaffold.host_tests import with_tests
from jetproof.workflow.scaffold.workflows import conditional_tests, tier_labels

PATH = "ci/conditional-test-policy.json"
HOST = Host(
    repository="example/weightlab",
    name="weightlab",
    module="weightlab",
    issue="https://github.com/example/weightlab/issues/1",
)
ON_BOARD = "tests/test_gpu.py::test_edit"
ON_CPU = "tests/test_edit.py::test_edit"


def policy_of(data: bytes) -> Policy:
    return parse(data, what=PATH)[0]


def items(data: bytes, gate: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = next(one["items"] for one in json.loads(data)["gates"] if one["id"] == gate)
    return found


def test_all_tiers_of_the_plan_when_none_is_named() -> None:
    assert [tier.id for tier in policy_of(first_policy(HOST)).tiers] == list(PLANNED_IDS)


def test_only_the_tiers_that_were_asked_for() -> None:
    rows = tables.load()
    host = replace(HOST, tiers=("agx-thor-jp7",), stacks=(rows.stack("jp6.2/orin-nano-8gb"),))
    thor, nano = policy_of(first_policy(host)).tiers
    assert (thor.id, thor.stage.value) == ("agx-thor-jp7", "evaluate")
    assert (nano.id, nano.module, nano.jetpack, nano.l4t) == (
        "orin-nano-8gb-jp62",
        "Jetson Orin Nano 8GB",
        "6.2",
        "36.4.3",
    )
    assert (nano.stage.value, nano.runtime.source) == ("target", WHEEL.source)
    assert "8 GB" in nano.memory


def test_a_stack_and_a_tier_of_the_plan_that_are_the_same_are_one() -> None:
    stack = tables.load().stack("jp6.2/agx-orin-64gb")
    assert [tier["id"] for tier in first_tiers(("agx-orin-64gb-jp62",), (stack,), WHEEL)] == ["agx-orin-64gb-jp62"]


def test_what_is_no_tier_is_refused() -> None:
    with pytest.raises(UsageError, match="no tier 'orin'") as unknown:
        first_tiers(("orin",), (), WHEEL)
    assert "agx-orin-64gb-jp62" in (unknown.value.hint or "")
    with pytest.raises(UsageError, match="names no module"):
        first_tiers((), (tables.load().stack("jp6.2"),), WHEEL)


def test_both_gates_prove_that_the_project_is_installed_from_the_checkout() -> None:
    installed = {"probe": "project-installed", "params": {"distribution": "weightlab"}}
    data = first_policy(HOST)
    assert installed in items(data, "jetson-cuda-runtime")
    assert installed in items(data, "linux-arm64-preflight")


@pytest.mark.parametrize("torch", [True, False])
def test_the_preflight_computes_where_the_project_brings_a_torch(torch: bool) -> None:
    host = replace(HOST, torch=torch, resolver="weightlab.device:get_device", cpu_tests=(ON_CPU,))
    named = [item.get("probe") or item["pytest"] for item in items(first_policy(host), "linux-arm64-preflight")]
    computes = ["torch-import", "device-resolver", "numerics"]
    assert [name for name in named if name in computes] == (computes if torch else [])
    assert named[-1] == "cpu"


def test_tests_go_into_a_policy_that_is_there() -> None:
    before = first_policy(HOST)
    after = with_tests(before, policy_of(before), device=(ON_BOARD,), cpu=(ON_CPU,))
    policy = policy_of(after)
    assert [(one.id, one.tests) for one in policy.host.pytest] == [("gpu", (ON_BOARD,)), ("cpu", (ON_CPU,))]
    assert items(after, "jetson-cuda-runtime")[-1] == {"pytest": "gpu"}
    assert items(after, "linux-arm64-preflight")[-1] == {"pytest": "cpu"}
    assert with_tests(after, policy, device=(ON_BOARD,), cpu=(ON_CPU,)) == after, "a second call changes nothing"
    more = with_tests(after, policy, device=("tests/other.py::test_more",), cpu=())
    (gpu, _) = policy_of(more).host.pytest
    assert gpu.tests == (ON_BOARD, "tests/other.py::test_more")
    assert gpu.paths == ("tests/test_gpu.py", "tests/other.py")
    assert items(more, "jetson-cuda-runtime").count({"pytest": "gpu"}) == 1


def test_a_policy_that_needs_nothing_keeps_its_bytes() -> None:
    odd = json.dumps(json.loads(first_policy(HOST))).encode()
    assert with_tests(odd, policy_of(odd), device=(), cpu=()) == odd


def test_tests_that_no_gate_would_run_are_refused() -> None:
    value = json.loads(first_policy(HOST))
    value["gates"] = value["gates"][:1]
    data = json.dumps(value).encode()
    with pytest.raises(UsageError, match="no gate for ARM64"):
        with_tests(data, policy_of(data), device=(), cpu=(ON_CPU,))


def test_a_count_is_not_silently_replaced_by_names() -> None:
    data = first_policy(replace(HOST, gpu_tests=(ON_BOARD,)))
    value = json.loads(data)
    value["host"]["pytest"][0] = {"id": "gpu", "paths": ["tests"], "at_least": 1, "timeout": 9.0}
    with pytest.raises(UsageError, match="counts tests"):
        with_tests(json.dumps(value).encode(), policy_of(data), device=(ON_BOARD,), cpu=())


@pytest.mark.process
def test_the_command_chooses_tiers_once_and_adds_tests_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["init", "--project", str(tmp_path), "--repository", "example/weightlab"]
    assert main([*words, "--stack", "jp6.2/orin-nano-8gb"]) == ExitCode.OK
    assert "jetproof init --test ID" in capsys.readouterr().out
    assert [tier["id"] for tier in json.loads((tmp_path / PATH).read_bytes())["tiers"]] == ["orin-nano-8gb-jp62"]
    assert main([*words, "--test", ON_BOARD, "--diff"]) == ExitCode.OK
    assert f'+          "{ON_BOARD}"' in capsys.readouterr().out
    assert main([*words, "--test", ON_BOARD]) == ExitCode.OK
    assert f"updated  {PATH}" in capsys.readouterr().out
    assert items((tmp_path / PATH).read_bytes(), "jetson-cuda-runtime")[-1] == {"pytest": "gpu"}
    assert main([*words, "--tier", "agx-thor-jp7"]) == ExitCode.USAGE
    assert "has no tier agx-thor-jp7" in capsys.readouterr().err
    assert main([*words, "--stack", "jp6.2/orin-nano-8gb"]) == ExitCode.OK, "what the policy has may be named again"


def test_a_lane_whose_tiers_are_only_evaluated_has_no_board_of_its_own() -> None:
    data = first_policy(replace(HOST, tiers=("agx-thor-jp7",)))
    assert tier_labels(policy_of(data)) == ()
    flow = Workflow("lane.yml", yaml(conditional_tests(HOST, policy_of(data), PATH).encode()))
    job = flow.job("jetson-cuda-runtime")
    assert job is not None
    assert job.labels == ("self-hosted", "linux", "ARM64", "jetson")


def test_a_policy_with_no_gate_for_a_jetson_has_no_lane() -> None:
    value = json.loads(first_policy(HOST))
    value["gates"] = value["gates"][1:]
    value["tiers"] = []
    with pytest.raises(UsageError, match="no gate for a Jetson"):
        conditional_tests(HOST, policy_of(json.dumps(value).encode()), PATH)


@pytest.mark.parametrize(
    ("wanted", "torch"),
    [('["torch>=2"]', True), ('["Torch"]', True), ('["torchvision", "torch-geometric"]', False), ('"torch"', False)],
)
def test_pyproject_says_whether_the_project_brings_a_torch(tmp_path: Path, wanted: str, torch: bool) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "x"\ndependencies = {wanted}\n')
    assert host_of(tmp_path, Asked(repository="a/b"), None).torch is torch


def test_a_pyproject_that_is_no_toml_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n")
    with pytest.raises(UsageError, match="is not valid TOML"):
        host_of(tmp_path, Asked(repository="a/b"), None)
