"""A gate from machine and checkout to journal: what is refused before anything runs, and what a recording can prove."""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.qualify.boards import ORIN, RecordedBoard, snapshot
from tests.qualify.runs import ticking
from tests.qualify.streams import CLEAN

from jetproof import tables
from jetproof.errors import ExitCode, JetproofError, NothingPlanned, PolicyInvalid, Undecided, UsageError
from jetproof.facts.from_snapshot import facts as facts_of
from jetproof.policy.load import Loaded, built_in, parse
from jetproof.policy.model import Policy
from jetproof.qualify import gate as module
from jetproof.qualify import preflight
from jetproof.qualify.code import Code
from jetproof.qualify.folder import Folder
from jetproof.qualify.gate import Prepared, Request, prepare, qualify
from jetproof.qualify.judge import verdict
from jetproof.qualify.locks import held
from jetproof.qualify.plan import plan, tier_of
from jetproof.qualify.plan_model import Plan, Source, Submodule, ToolFacts
from jetproof.qualify.record import record
from jetproof.qualify.state import state
from jetproof.target.recorded import RecordedTarget
from jetproof.target.snapshot import Snapshot
from jetproof_worker.catalogue import PROBES

TABLES = tables.load()
CATALOGUE = {probe.id: probe for probe in PROBES}
TOOL = ToolFacts(release="0.1.0", sha256="d" * 64, worker_sha256="e" * 64)
WEIGHTLAB = Path(__file__).parent.parent.parent / "examples" / "weightlab"


def loaded(**changes: Any) -> Loaded:
    """Return the example's policy with members of the policy changed."""
    data = json.loads((WEIGHTLAB / "ci" / "conditional-test-policy.json").read_text())
    policy, sha256 = parse(json.dumps({**data, **changes}).encode(), what="it")
    return Loaded(policy=policy, sha256=sha256, path="ci/conditional-test-policy.json", project=WEIGHTLAB)


def planned(machine: Snapshot, gate: str = "jetson-cuda-runtime", policy: Policy | None = None) -> Plan:
    """Return the plan of a gate on a machine with a clean checkout."""
    chosen = policy or loaded().policy
    found = chosen.gate(gate)
    assert found is not None
    facts = facts_of(machine, TABLES)
    return plan(
        run="0" * 32,
        policy=chosen,
        policy_path="ci/conditional-test-policy.json",
        policy_sha256="c" * 64,
        gate=found,
        tier=tier_of(chosen, found, facts, TABLES),
        catalogue=CATALOGUE,
        facts=facts,
        tables=TABLES,
        source=CLEAN,
        tool=TOOL,
        rehearsal=(),
        seeds=itertools.count(1),
    )


def test_the_plan_knows_its_tier_and_what_it_promises() -> None:
    made = planned(snapshot())

    assert made.tier is not None
    assert made.tier.id == "agx-orin-64gb-jp62"
    assert made.origin == "live"
    identity = next(step for step in made.items if step.id == "probe::jetson-identity")
    assert identity.params == {"l4t": "36.4.3", "compatible": ["p3701-0005"]}  # type: ignore[union-attr]
    assert len({step.seed for step in made.items}) == len(made.items)


def test_what_the_tier_does_not_support_is_left_out_and_said() -> None:
    data = json.loads((WEIGHTLAB / "ci" / "conditional-test-policy.json").read_text())
    data["tiers"][0]["bitsandbytes"] = "unsupported: no build for this board"
    data["gates"][0]["items"].append({"probe": "project-installed", "params": {"distribution": "weightlab"}})
    policy, _ = parse(json.dumps(data).encode(), what="it")

    made = planned(snapshot(), policy=policy)

    assert "probe::bitsandbytes-nf4" not in [step.id for step in made.items]
    assert {entry.id: entry.reason for entry in made.excluded}["probe::bitsandbytes-nf4"] == "unsupported-by-tier"
    installed = next(step for step in made.items if step.id == "probe::project-installed")
    assert installed.params == {"distribution": "weightlab", "unsupported": ["bitsandbytes"]}  # type: ignore[union-attr]


def test_another_release_is_no_tier() -> None:
    other = ORIN["files"]["/etc/nv_tegra_release"].replace("REVISION: 4.3", "REVISION: 4.7")

    assert planned(snapshot(files={**ORIN["files"], "/etc/nv_tegra_release": other})).tier is None


def test_the_same_inputs_give_the_same_digest_and_a_seed_changes_it() -> None:
    made = planned(snapshot())

    assert made.digest == planned(snapshot()).digest
    changed = made.items[0].model_copy(update={"seed": 999})
    assert made.model_copy(update={"items": (changed, *made.items[1:])}).digest != made.digest


def test_an_unknown_probe_is_a_fault_of_the_policy() -> None:
    data = json.loads((WEIGHTLAB / "ci" / "conditional-test-policy.json").read_text())
    for item, reason in (
        ({"probe": "levitation"}, "unknown-probe"),
        ({"probe": "numerics", "params": {"dtype": 1}}, "unknown-parameter"),
    ):
        data["gates"][0]["items"] = [item]
        policy, _ = parse(json.dumps(data).encode(), what="it")
        with pytest.raises(PolicyInvalid) as caught:
            planned(snapshot(), policy=policy)
        assert caught.value.reason == reason
        assert caught.value.exit_code is ExitCode.POLICY_INVALID


def test_an_empty_gate_plans_nothing() -> None:
    data = json.loads((WEIGHTLAB / "ci" / "conditional-test-policy.json").read_text())
    data["gates"][0]["items"] = []
    policy, _ = parse(json.dumps(data).encode(), what="it")

    with pytest.raises(NothingPlanned) as caught:
        planned(snapshot(), policy=policy)
    assert caught.value.exit_code is ExitCode.NOTHING_PLANNED


X86 = {"files": {"/etc/nv_tegra_release": None}, "commands": {"uname -m": "x86_64\n"}, "nodes": {"/dev/nvidia0": None}}


@pytest.mark.parametrize(
    ("gate", "machine", "words"),
    [
        ("jetson-cuda-runtime", X86, "not a Jetson"),
        ("linux-arm64-preflight", X86, "needs an ARM64 machine"),
        ("cuda-runtime", X86, "no NVIDIA device node"),
        ("cuda-runtime", ORIN, "needs an x86-64 machine"),
    ],
)
def test_another_machine_is_told_in_words(gate: str, machine: dict[str, Any], words: str) -> None:
    found = loaded().policy.gate(gate)
    assert found is not None
    here = snapshot(machine)

    with pytest.raises(Undecided) as caught:
        preflight.require_platform(found, facts_of(here, TABLES), TABLES, here)

    assert words in caught.value.message
    assert caught.value.exit_code is ExitCode.UNDECIDED
    assert caught.value.reason == "not-the-platform"


X86_FILES = {"/etc/os-release": "ID=ubuntu\n", "/proc/cpuinfo": "vendor_id\t: GenuineIntel\n"}


def test_what_the_interpreter_lacks_is_named_with_its_items() -> None:
    interpreter = {"executable": "/usr/bin/python3", "version": "3.10.12", "distributions": [], "modules": []}
    here = snapshot(python={"path": "/usr/bin/python3", "interpreter": interpreter})
    found = loaded().policy.gate("jetson-cuda-runtime")
    assert found is not None

    lacks = preflight.lacking(planned(here), found, CATALOGUE, here)

    assert lacks["pytest"] == ["pytest::gpu"]
    assert lacks["accelerate"] == ["probe::offloaded-edit"]
    assert lacks["torchvision"] == ["probe::torchvision-nms"]
    with pytest.raises(Undecided, match=r"(?s)/usr/bin/python3 lacks\n.*accelerate \(for probe::offloaded-edit\)"):
        preflight.require_packages(lacks, here, facts_of(here, TABLES))
    preflight.require_packages({}, here, facts_of(here, TABLES))


def test_a_distribution_is_there_however_its_name_is_spelt() -> None:
    there = [{"name": "Torch_-.TensorRT", "release": "2.5", "location": "/p"}]
    interpreter = {"executable": "/usr/bin/python3", "version": "3.10.12", "distributions": there, "modules": []}
    here = snapshot(python={"path": "/usr/bin/python3", "interpreter": interpreter})
    found = loaded().policy.gate("jetson-cuda-runtime")
    assert found is not None

    wanting = found.model_copy(update={"modules": ("torch_tensorrt", "peft")})

    assert {"peft"} == {"peft", "torch_tensorrt"} & preflight.lacking(planned(here), wanting, CATALOGUE, here).keys()


def test_what_is_lacking_is_installed_the_way_of_the_machine() -> None:
    interpreter = {"executable": "/usr/bin/python3", "version": "3.10.12", "distributions": [], "modules": []}
    python = {"path": "/usr/bin/python3", "interpreter": interpreter}
    lacks = {"torch": ["probe::numerics"]}
    for files, words in ((ORIN["files"], "jetproof install"), (X86_FILES, "/usr/bin/python3 -m pip install torch (")):
        here = snapshot({"files": files, "commands": {"uname -m": "x86_64\n"}, "python": python})
        with pytest.raises(Undecided) as caught:
            preflight.require_packages(lacks, here, facts_of(here, TABLES))
        assert words in (caught.value.hint or "")
    assert "pytorch.org" in (caught.value.hint or "")
    assert "jetproof" not in (caught.value.hint or "")


def test_too_little_memory_is_said_with_figures() -> None:
    meminfo = "MemTotal: 64349092 kB\nMemFree: 1000 kB\nMemAvailable: 900000 kB\n"
    here = snapshot(files={**ORIN["files"], "/proc/meminfo": meminfo})

    with pytest.raises(Undecided, match=r"too little memory is free: 878 MiB"):
        preflight.require_memory(planned(here), CATALOGUE, facts_of(here, TABLES))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"commit": None, "tree": None}, "no git checkout"),
        ({"changed": ("a.py",)}, "changed: a.py"),
        ({"untracked": ("a", "b", "c", "d")}, "untracked: a, b, c and 1 more"),
        ({"hidden": ("conftest.py",)}, "hidden from git: conftest.py"),
        ({"submodules": (Submodule(path="x", commit="a" * 40, state="other-commit"),)}, "submodule x is other-commit"),
    ],
)
def test_only_a_clean_checkout_or_a_rehearsal_runs(change: dict[str, Any], words: str) -> None:
    unclean: Source = CLEAN.model_copy(update=change)

    assert not unclean.clean
    with pytest.raises(Undecided, match=words) as caught:
        preflight.rehearsal_notes(unclean, asked=False, built_in=False)
    assert caught.value.reason == "checkout-not-clean"
    assert ("git init" if unclean.commit is None else "--rehearsal") in (caught.value.hint or "")
    notes = preflight.rehearsal_notes(unclean, asked=True, built_in=False)
    assert [note.reason for note in notes] == ["rehearsal", "checkout-not-clean"]
    assert preflight.rehearsal_notes(CLEAN, asked=False, built_in=False) == ()


def test_the_board_s_state_is_read_with_units() -> None:
    before = state(snapshot())

    assert before["power_mode"] == "MAXN"
    assert before["temperatures"] == {"cpu-thermal": 48.5}
    assert before["devices"] == {"17000000.gpu": {"cur_freq": 1300500000, "governor": "nvhost_podgov"}}
    assert before["clock_synchronised"] is True
    assert state(snapshot({"files": {}})) == {}


@pytest.fixture
def board(tmp_path: Path) -> RecordedBoard:
    """Return a recorded board with a scripted worker."""
    return RecordedBoard(tmp_path / "board.json")


def prepared(
    board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any
) -> tuple[Request, Prepared]:
    """Prepare the gate with a checkout that is clean."""
    monkeypatch.setattr(module, "source_of", lambda project, ours: CLEAN)
    monkeypatch.setattr(module, "code_of", lambda project, journal, resolver: Code())
    request = replace(
        Request(loaded=loaded(), gate="jetson-runtime", project=WEIGHTLAB, output=tmp_path / "out"), **changes
    )
    from jetproof.target.interface import CollectRequest

    return request, prepare(request, board.collect(CollectRequest(trials=False)), TABLES, CATALOGUE, tool=TOOL)


def test_a_recorded_board_is_green_and_can_prove_nothing(
    board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, ready = prepared(board, tmp_path, monkeypatch)

    journal = qualify(request, ready, board, now=ticking())

    judged, told = verdict(journal), record(journal)
    assert judged.green
    assert not judged.proves
    assert [entry.reason for entry in judged.not_proven] == ["origin-recorded"]
    assert told["origin"] == "recorded"
    assert told["proves"] is False
    assert told["machine"]["l4t"]["value"] == "36.4.3"
    assert told["machine"]["l4t_line"]["value"].startswith("# R36 (release)")
    assert told["torch"]["data"]["torch"] == "2.5.0a0+stand.in"
    assert told["bitsandbytes"]["status"] == "passed"
    assert told["state"]["before"]["power_mode"] == "MAXN"
    assert told["state"]["after"]["temperatures"] == {"cpu-thermal": 48.5}
    assert len(told["device_id"]) == 32
    assert (request.output / "jetson-cuda-runtime" / "snapshot.json").is_file()
    assert str(WEIGHTLAB) not in json.dumps(told)


def test_an_earlier_run_is_put_aside_and_kept(
    board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, first = prepared(board, tmp_path, monkeypatch)
    qualify(request, first, board, now=ticking())
    earlier = (request.output / "jetson-cuda-runtime" / "journal.jsonl").read_bytes()
    _, second = prepared(board, tmp_path, monkeypatch)

    qualify(request, second, board, now=ticking())

    aside = request.output / f"jetson-cuda-runtime.{first.plan.run[:12]}"
    assert (aside / "journal.jsonl").read_bytes() == earlier


def test_two_runs_at_once_are_refused(board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request, ready = prepared(board, tmp_path, monkeypatch)
    folder = Folder(out=request.output, gate="jetson-cuda-runtime")
    folder.prepare()

    with held(folder.lock, "this output folder"), pytest.raises(Undecided) as caught:
        qualify(request, ready, board, now=ticking())
    assert caught.value.reason == "busy"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_clear_error(
    board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, ready = prepared(board, tmp_path, monkeypatch)
    request.output.mkdir(mode=0o500)

    with pytest.raises(JetproofError, match="Permission denied"):
        qualify(request, ready, board, now=ticking())


def test_a_file_in_the_folder_s_place_is_a_clear_error(
    board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, ready = prepared(board, tmp_path, monkeypatch)
    request.output.write_text("a file")

    with pytest.raises(JetproofError) as caught:
        qualify(request, ready, board, now=ticking())
    assert caught.value.reason == "journal-unwritable"


def test_nothing_is_run_on_a_recording(board: RecordedBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request, ready = prepared(board, tmp_path, monkeypatch)

    with pytest.raises(Undecided, match="is a recording") as caught:
        qualify(request, ready, RecordedTarget(tmp_path / "board.json"), now=ticking())
    assert caught.value.reason == "recorded"
    assert not request.output.exists()


def test_an_unknown_gate_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="jetson-cuda-runtime"):
        module.find_gate(built_in(), "nope")
