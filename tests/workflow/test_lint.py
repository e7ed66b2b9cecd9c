"""The lint as a whole: what is read, what zizmor adds, how it ends and how it is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.workflow.planted import GOOD, LANE, PLANTED, POLICY
from tests.workflow.projects import NOW

from jetproof.cli.main import main
from jetproof.diagnosis.rule import Severity
from jetproof.errors import UsageError
from jetproof.workflow import zizmor
from jetproof.workflow.check import Checked
from jetproof.workflow.gather import gather
from jetproof.workflow.lane import Place
from jetproof.workflow.lint import lint
from jetproof.workflow.rule import Finding
from jetproof_worker.process import Completed

GOLDEN = Path(__file__).parent.parent / "golden" / "lane"


def planted(rule: str, project: Path) -> Path:
    next(fault for fault in PLANTED if fault.rule == rule).into(project)
    return project


def test_folder_without_anything_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a policy"):
        gather(tmp_path, policy=None, now=NOW)
    with pytest.raises(UsageError, match="is no folder"):
        gather(tmp_path / "nowhere", policy=None, now=NOW)


def test_policy_that_is_no_json_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOOD, tmp_path, dirs_exist_ok=True)
    (tmp_path / POLICY).write_text("{")
    (broken,) = gather(tmp_path, policy=None, now=NOW).broken_policy
    assert "is not valid JSON" in broken.message
    assert (broken.place.path, broken.member) == (POLICY, ())


def test_more_workflows_than_anybody_has_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for number in range(201):
        (folder / f"{number}.yml").touch()
    with pytest.raises(UsageError, match="more than 200 workflows"):
        gather(tmp_path, policy=None, now=NOW)


@pytest.mark.parametrize(
    ("path", "text", "where"),
    [
        (".jetproof/trust.toml", 'schema = "jetproof/trust/1"\nx = [\n', None),
        (".jetproof/trust.toml", "a = 1\nb = = 2\n", (2, 5)),
        (".jetproof/allowed_signers", "nobody at all\n", (1, 1)),
    ],
)
def test_trust_store_of_the_working_tree_is_read(
    path: str, text: str, where: tuple[int, int] | None, tmp_path: Path
) -> None:
    shutil.copytree(GOOD, tmp_path, dirs_exist_ok=True)
    (tmp_path / path).write_text(text)
    found = lint(tmp_path, policy=None, now=NOW, zizmor=False)
    (one,) = found.findings
    assert (one.rule, one.place.path, found.exit_code) == ("JW720", path, 9)
    assert where is None or (one.place.line, one.place.column) == where


def test_workflow_without_a_policy_is_linted_still(tmp_path: Path) -> None:
    flow = tmp_path / ".github/workflows/x.yaml"
    flow.parent.mkdir(parents=True)
    flow.write_text(
        "on: pull_request\njobs:\n  a:\n    runs-on: [self-hosted, jetson]\n    continue-on-error: true\n"
        "    steps:\n      - run: pytest || true\n"
    )
    found = lint(tmp_path, policy=None, now=NOW, zizmor=False)
    assert {one.rule for one in found.findings} == {"JW101", "JW203", "JW301", "JW304", "JW602"}
    assert found.policy is None


def test_link_in_the_place_of_a_workflow_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOOD, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".github/workflows/big.yml").write_bytes(b"#" * (2 << 20))
    found = lint(tmp_path, policy=None, now=NOW, zizmor=False)
    assert [one.rule for one in found.findings] == ["JW001"]


@pytest.mark.parametrize(
    ("rule", "code"), [("JW301", 1), ("JW701", 9), ("JW702", 9), ("JW703", 9), ("JW704", 0), ("JW705", 0), ("JW001", 1)]
)
def test_how_it_ends(rule: str, code: int, tmp_path: Path) -> None:
    assert lint(planted(rule, tmp_path), policy=None, now=NOW, zizmor=False).exit_code == code


def test_policy_faults_have_their_places(tmp_path: Path) -> None:
    found = lint(planted("JW702", tmp_path), policy=None, now=NOW, zizmor=False).findings[0]
    lines = (tmp_path / POLICY).read_text().splitlines()
    assert '"expires"' in lines[found.place.line - 1]
    assert "at most 30 days" in found.message


def answer(code: int | None, stdout: object = (), status: str = "exited") -> zizmor.Run:
    data = stdout if isinstance(stdout, bytes) else json.dumps(stdout).encode()
    return lambda words, project: Completed(words, status, code, data, b"WARN x\nERROR why\n", 0.1)


def said(ident: str, line: int, severity: str = "High", path: str = LANE) -> dict[str, object]:
    return {
        "ident": ident,
        "desc": "what it is",
        "url": f"https://zizmor.example/{ident}",
        "determinations": {"severity": severity},
        "ignored": False,
        "locations": [
            {
                "symbolic": {"key": {"Local": {"verbatim_path": f"./{path}"}}, "annotation": "here", "kind": kind},
                "concrete": {"location": {"start_point": {"row": row, "column": 4}}},
            }
            for kind, row in (("Hidden", 0), ("Primary", line - 1))
        ],
    }


def test_zizmor_is_folded_in() -> None:
    ignored = {**said("x", 1), "ignored": True}
    start = answer(14, [said("cache-poisoning", 20), said("bot-conditions", 3, "Low"), said("a", 4, "Medium"), ignored])
    found = zizmor.ask(GOOD, start)
    assert [(one.rule, one.place.line, one.severity) for one in found.findings] == [
        ("zizmor/cache-poisoning", 20, Severity.BLOCKING),
        ("zizmor/bot-conditions", 3, Severity.NOTE),
        ("zizmor/a", 4, Severity.WARNING),
    ]
    assert found.findings[0].place.path == LANE
    assert found.told == "asked offline, 3 findings"


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (answer(None, status="missing"), "not installed"),
        (answer(None, status="timed-out"), "not heard: timed-out"),
        (answer(1), "ended with 1 and said ERROR why"),
        (answer(3), "found no workflow"),
        (answer(0, b"not json"), "not understood"),
        (answer(11, {"a": 1}), "not understood"),
        (answer(12, [{"locations": []}]), "not understood"),
        (answer(0, []), "0 findings"),
    ],
)
def test_what_zizmor_does_not_answer_is_told_and_is_no_finding(start: zizmor.Run, told: str) -> None:
    found = zizmor.ask(GOOD, start)
    assert found.findings == ()
    assert told in found.told


def finding(rule: str, line: int) -> Finding:
    place = Place(path=LANE, line=line)
    name = rule.partition("/")[2]
    return Finding(rule=rule, name=name, severity=Severity.BLOCKING, place=place, message="m", fix="f", url="u")


def test_what_both_find_is_told_once() -> None:
    ours = (finding("JW601", 142),)
    theirs = (finding("zizmor/unpinned-uses", 142), finding("zizmor/unpinned-uses", 20), finding("zizmor/other", 142))
    assert zizmor.new_to(ours, theirs) == theirs[1:]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["policy", *words])
    return code, capsys.readouterr().out


def test_good_project_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "check", "--project", str(GOOD), "--no-zizmor")
    assert code == 0
    assert text == (GOLDEN / "good.txt").read_text()


def test_faulty_project_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "check", "--project", str(planted("JW404", tmp_path)), "--no-zizmor")
    assert code == 1
    assert text == (GOLDEN / "faulty.txt").read_text()


def test_machine_forms_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = str(planted("JW301", tmp_path))
    code, text = run(capsys, "check", "--project", project, "--no-zizmor", "--json")
    told = json.loads(text)
    assert (code, told["schema"], told["ok"], told["exit_code"]) == (1, "jetproof/policy-check/1", False, 1)
    assert [one["rule"] for one in told["findings"]] == ["JW301"]
    line = told["findings"][0]["line"]
    code, text = run(capsys, "check", "--project", project, "--no-zizmor", "--sarif")
    result = json.loads(text)["runs"][0]["results"][0]
    assert code == 1
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line
    code, text = run(capsys, "check", "--project", project, "--no-zizmor", "--github")
    assert code == 1
    assert text.startswith(f"::error file={LANE},line={line},")


def test_control_characters_of_a_workflow_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flow = tmp_path / ".github/workflows/x.yml"
    flow.parent.mkdir(parents=True)
    flow.write_text('on: pull_request\njobs:\n  "a\\e[31mb":\n    runs-on: jetson\n')
    code, text = run(capsys, "check", "--project", str(tmp_path), "--no-zizmor")
    assert code == 1
    assert "\x1b" not in text
    assert "\\x1b" in text


def test_nothing_but_warnings_is_no_refusal() -> None:
    checked = Checked(findings=(), rules=1, workflows=(), policy=None, zizmor="")
    assert checked.exit_code == 0


@pytest.mark.process
def test_real_zizmor_is_heard_where_it_is_installed(tmp_path: Path) -> None:
    found = lint(planted("JW601", tmp_path), policy=None, now=NOW, zizmor=True)
    assert [one.rule for one in found.findings if one.rule.startswith("JW")] == ["JW601"]
    assert found.zizmor.startswith(("asked offline", "not installed"))
