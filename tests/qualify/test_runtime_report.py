"""Reports: only what the list allows, however hostile the run was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.cli.main import main
from jetproof.qualify.runtime_report import of_run
from jetproof.render.runtime_report import markdown, text
from jetproof.tables import Tables, load

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"
TABLES: Tables = load()
SECRETS = (
    "alice", "/home/alice/project", "1421223001234", "48:b0:2d:12:34:56", "hf_abcdefghijklmnopqrstu",
    "10.0.0.7", "board.lab.example", "alice@lab.example",
)  # fmt: skip


def record(name: str = "not-green") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((GOLDEN / "gate" / f"{name}.record").read_text())
    value["machine"] = {
        "module": {"state": "known", "value": "Jetson AGX Orin 64GB"},
        "l4t": {"state": "known", "value": "36.4.3"},
        "jetpack": {"state": "known", "value": "6.2"},
        "kernel": {"state": "known", "value": "5.15.148-tegra"},
        "cuda.nvcc": {"state": "unknown", "reason": "no-permission"},
        "torchvision": {"state": "absent"},
        "memory.total": {"state": "known", "value": 65_849_000_000},
        "torch.arch_list": {"state": "known", "value": ["sm_87"]},
    }
    return value


@pytest.mark.parametrize("name", ["not-green", "cut", "green", "interrupted"])
def test_golden(name: str) -> None:
    report = of_run(record(name), TABLES)
    assert markdown(report) == (GOLDEN / "report" / f"{name}.md").read_text(encoding="utf-8")
    assert json.loads(json.dumps(report.as_json()))["schema"] == "jetproof/report/1"


def everywhere(value: Any, secret: str) -> Any:
    """Put a secret beside every text of a record."""
    if isinstance(value, str):
        return f"{value} {secret}"
    if isinstance(value, list):
        return [everywhere(one, secret) for one in value]
    if isinstance(value, dict):
        return {name: everywhere(one, secret) for name, one in value.items()}
    return value


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_enters_from_any_field(secret: str) -> None:
    report = of_run(everywhere(record(), secret), TABLES)
    for told in (json.dumps(report.as_json()), markdown(report), text(report)):
        assert secret not in told


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for name, one in value.items() for leaf in leaves(one, (*path, name))]
    if isinstance(value, list):
        return [leaf for number, one in enumerate(value) for leaf in leaves(one, (*path, number))]
    return [path]


def test_no_secret_takes_the_place_of_a_field() -> None:
    for path in leaves(record()):
        value = record()
        at = value
        for part in path[:-1]:
            at = at[part]
        at[path[-1]] = "/home/alice/project"
        assert "alice" not in json.dumps(of_run(value, TABLES).as_json()), path


def test_a_fact_without_its_form_is_withheld_and_told() -> None:
    value = record()
    value["machine"]["kernel"] = {"state": "known", "value": "5.15.0-alice-laptop"}
    value["machine"]["module"] = {"state": "known", "value": "Alice's board"}
    value["machine"]["torch.__version__"] = {"state": "known", "value": "2.5.0+alice.laptop"}
    report = of_run(value, TABLES)
    assert report.withheld == ("kernel", "torch.__version__", "module")
    assert "Withheld" in markdown(report)
    assert "alice" not in markdown(report).lower()


def test_output_is_recognised_and_not_repeated() -> None:
    value = record()
    attempt = value["items"][0]["attempts"][0]
    attempt["stderr"] = (
        "Traceback (most recent call last):\n  File \"/home/alice/x.py\", line 1, in <module>\n    import torch\n"
        "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory\n"
    )  # fmt: skip
    report = of_run(value, TABLES)
    assert report.body["causes"]
    assert all(cause["rule"].startswith("JD") for cause in report.body["causes"])
    assert "libcudnn" not in json.dumps(report.as_json())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(record())), values, max_size=8))
def test_no_record_breaks_it(value: dict[str, Any]) -> None:
    markdown(of_run(value, TABLES))


def test_this_machine_from_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    board = ROOT / "examples" / "boards" / "agx-orin-pypi-torch.json"
    assert main(["report", "--from", str(board), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["about"], body["verdict"], body["origin"]) == ("machine", "blocked", "recorded")
    assert body["causes"][0]["rule"] == "JD070"
    assert main(["report", "--from", str(board)]) == 0
    assert capsys.readouterr().out.startswith("Jetson AGX Orin 64GB, JetPack 6.2.1: blocked\n")


def test_a_folder_without_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "journal.jsonl" in capsys.readouterr().err
