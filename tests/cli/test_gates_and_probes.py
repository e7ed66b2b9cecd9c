"""`gates`, `probes`, `policy` and `run --dry-run` for people and for machines; none of them imports torch."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from jetproof.cli.main import main
from jetproof.errors import ExitCode, UsageError
from jetproof.policy import host

ROOT = Path(__file__).parent.parent.parent
WEIGHTLAB = ROOT / "examples" / "weightlab"


def test_gates_of_a_project_without_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gates", "--project", str(tmp_path)]) == ExitCode.OK

    told = capsys.readouterr().out
    assert told.startswith("4 gates in (built in)")
    assert "jetson-cuda-runtime, jetson-runtime" in told
    assert "needs jetson, runner self-hosted linux ARM64 jetson" in told


def test_gates_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gates", "--project", str(WEIGHTLAB), "--json"]) == ExitCode.OK

    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "jetproof/gates/1"
    assert "cpu-rehearsal" in [gate["id"] for gate in told["gates"]]


def test_probes_and_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probes"]) == ExitCode.OK
    assert "numerics" in capsys.readouterr().out
    assert main(["probes", "numerics"]) == ExitCode.OK
    page = capsys.readouterr().out
    assert page.startswith("numerics: ")
    assert "What it does not prove" in page
    assert main(["probes", "probe::memory", "--json"]) == ExitCode.OK
    told = json.loads(capsys.readouterr().out)
    assert [probe["id"] for probe in told["probes"]] == ["memory"]
    assert told["probes"][0]["exclusive"] is True
    assert main(["probes", "levitation"]) == ExitCode.USAGE
    assert main(["probes", "levitation", "--json"]) == ExitCode.USAGE
    assert "torch" not in sys.modules


def test_policy_show_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show", "--project", str(WEIGHTLAB)]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "tier agx-orin-64gb-jp62 (target): Jetson AGX Orin 64 GB on JetPack 6.2" in told
    assert "not pinned: cannot be claimed" in told
    assert "pytest::gpu (3 test ids)" in told
    assert main(["policy", "check-schema", "--project", str(WEIGHTLAB)]) == ExitCode.OK
    assert "its form is right" in capsys.readouterr().out
    assert main(["policy", "show", "--project", str(WEIGHTLAB), "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["policy"]["maximum_evidence_age_days"] == 30

    (tmp_path / "p.json").write_text('{"schema_version": 1,\n "owner": 7}')
    assert main(["policy", "check-schema", "--project", str(tmp_path), "--policy", "p.json"]) == ExitCode.POLICY_INVALID
    assert "p.json:2:11: owner: " in capsys.readouterr().err


@pytest.mark.process
def test_a_plan_is_shown_and_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = tmp_path / "board.json"
    from tests.qualify.boards import ORIN

    board.write_text(json.dumps(ORIN))
    words = ["run", "jetson-runtime", "--from", str(board), "--project", str(tmp_path), "--dry-run"]

    assert main(words) == ExitCode.OK
    told = capsys.readouterr().out
    assert told.startswith("jetson-cuda-runtime: ")
    assert "agx-orin-64gb-jp62" in told
    assert "the machine is recorded" in told
    assert "torch-compile  " in told
    assert main([*words, "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["origin"] == "recorded"
    assert main(words[:-1]) == ExitCode.UNDECIDED
    assert "is a recording" in capsys.readouterr().err
    assert not (tmp_path / "conditional-evidence").exists()


@pytest.mark.process
def test_a_plan_is_shown_with_all_that_is_in_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = tmp_path / "x86.json"
    lacks = {"path": "/usr/bin/python3", "status": "ok"}
    lacks["interpreter"] = {"executable": "/usr/bin/python3", "version": "3.12.3", "distributions": []}
    files = {"/etc/os-release": "ID=ubuntu\n", "/proc/cpuinfo": "vendor_id\t: GenuineIntel\n"}
    read = {"schema": "jetproof/snapshot/1", "files": files, "commands": {"uname -m": "x86_64\n"}, "python": lacks}
    here.write_text(json.dumps(read))
    project = tmp_path / "weightlab"
    shutil.copytree(WEIGHTLAB, project)  # no checkout
    words = ["run", "jetson-runtime", "--from", str(here), "--project", str(project), "--dry-run"]

    assert main(words) == ExitCode.UNDECIDED
    told = capsys.readouterr()
    assert told.out.startswith("jetson-cuda-runtime: ")
    assert "at most 300 s" in told.out
    for way in ("needs a Jetson", "no git checkout", "/usr/bin/python3 lacks"):
        assert way in told.err
    assert "pytorch.org" in told.err
    assert main([*words, "--json"]) == ExitCode.UNDECIDED
    told = capsys.readouterr()
    assert json.loads(told.out)["gate"]["id"] == "jetson-cuda-runtime"
    assert json.loads(told.err)["reason"] == "not-the-platform"
    assert main(words[:-1]) == ExitCode.UNDECIDED
    assert capsys.readouterr().out == ""


def test_the_example_stands_in_where_there_is_no_policy(tmp_path: Path) -> None:
    found = host.host_of(tmp_path, None)

    assert found.loaded.built_in
    assert (found.root / "src" / "weightlab" / "device.py").is_file()
    assert host.host_of(WEIGHTLAB, None).root == WEIGHTLAB
    with pytest.raises(UsageError, match="is no folder"):
        host.host_of(tmp_path / "none", None)
