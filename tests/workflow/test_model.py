"""What a job and a step are taken for; commands of scripts; conditions; schedules."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.workflow import condition, install_commands, schedule, untrusted
from jetproof.workflow.document import Text, parse
from jetproof.workflow.model import Workflow, bare, expressions
from jetproof.workflow.shell import Command, commands, parts


@pytest.mark.parametrize(
    ("runs_on", "hosted"),
    [
        ("ubuntu-24.04", True),
        ("ubuntu-24.04-arm", True),
        ("[ubuntu-latest]", True),
        ("macos-15", True),
        ("[self-hosted, linux]", False),
        ("jetson-orin", False),
        ("{group: boards}", False),
        ("{group: boards, labels: [ubuntu-24.04]}", True),
        ("${{ matrix.os }}", False),
        ("[ubuntu-24.04, jetson]", False),
        ("[]", False),
    ],
)
def test_only_what_is_surely_hosted_counts_as_hosted(runs_on: str, hosted: bool) -> None:
    found = Workflow("w", parse(f"jobs:\n  a:\n    runs-on: {runs_on}\n".encode())).job("a")
    assert found is not None
    assert found.hosted is hosted
    assert found.self_hosted is not hosted


def test_a_job_that_calls_a_workflow_has_no_runner_of_its_own() -> None:
    found = Workflow("w", parse(b"jobs: {a: {uses: ./x.yml}}")).job("a")
    assert found is not None
    assert not found.hosted
    assert not found.self_hosted


@pytest.mark.parametrize("on", ["push", "[push, x]", "{push: }", "{push: {branches: [a]}}"])
def test_triggers_in_all_their_forms(on: str) -> None:
    flow = Workflow("w", parse(f"on: {on}\n".encode()))
    assert flow.trigger("push") is not None
    assert flow.trigger("pull_request") is None


def script(text: str) -> list[tuple[str, int]]:
    return [(one.text, one.line) for one in commands(Text(line=10, column=5, value=text, block=True))]


def test_commands_are_lines_without_comments_and_with_their_continuations() -> None:
    text = "# first\nset -e  # why\n\njetproof run \\\n  gate \\\n  --json\necho '#no'\n"
    assert script(text) == [("set -e", 12), ("jetproof run gate --json", 14), ("echo '#no'", 17)]


def test_here_documents_are_no_commands() -> None:
    assert script("cat > x <<'EOF'\nexit 0\nEOF\ntrue\n") == [("cat > x <<'EOF'", 11), ("true", 14)]
    assert script("cat <<-END\nexit 0\n") == [("cat <<-END", 11)]
    assert script("a \\\n") == [("a", 11)]


def test_parts_respect_quotes() -> None:
    assert parts("a 'x;y' && b || c | d; e & f") == ("a 'x;y'", "b", "c", "d", "e", "f")


@pytest.mark.parametrize(
    ("text", "replaces"),
    [
        ("pip install torch", True),
        ("python -m pip install -r requirements.txt", True),
        (".venv/bin/pip3 install .", True),
        ("uv pip install .", True),
        ("uv sync", True),
        ("poetry install", True),
        ("pip install --no-deps .", False),
        ("pip install jetproof==1.0", False),
        ("pip install --require-hashes -r requirements/jetproof.txt", False),
        ("pip install jetproof torch", True),
        ("pip install jetproofed-thing", True),
        ("jetproof install .", False),
        ("echo pip", False),
        ("pip install 'unclosed", True),
    ],
)
def test_installers_that_may_replace_torch(text: str, replaces: bool) -> None:
    assert (install_commands.replacing(Command(text=text, line=1)) is not None) is replaces


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("github.event.pull_request.title", True),
        ("github.event.issue.body", True),
        ("github.head_ref", True),
        ("github.ref_name", True),
        ("inputs.gate", True),
        ("github.event.inputs.x", True),
        ("github.sha", False),
        ("github.event.number", False),
        ("github.event.repository.name", False),
        ("needs.a.outputs.b", False),
        ("runner.temp", False),
    ],
)
def test_texts_that_strangers_choose(expression: str, chosen: bool) -> None:
    assert untrusted.text(expression) is chosen


@pytest.mark.parametrize(
    ("text", "always"),
    [
        ("always()", True),
        ("${{ always() }}", True),
        ("!cancelled()", True),
        ("always() && github.repository == 'a/b'", True),
        ("always() && needs.x.result == 'success'", False),
        ("success()", False),
        ("", False),
        ("failure()", False),
    ],
)
def test_conditions_that_always_hold(text: str, always: bool) -> None:
    assert condition.only_always(bare(text)) is always


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("github.repository == 'a/b'", True),
        ("github.ref_protected && github.repository == 'a/b'", True),
        ("github.repository == 'a/b' || true", False),
        ("(github.repository == 'a/b' || inputs.x)", False),
        ("", False),
    ],
)
def test_an_alternative_takes_a_guard_away(text: str, guarded: bool) -> None:
    flow = Workflow("w", parse(f"jobs:\n  a:\n    if: {text!r}\n    runs-on: x\n".encode()))
    found = flow.job("a")
    assert found is not None
    assert condition.guarded(flow, found) is guarded


def test_a_guard_is_inherited_from_a_needed_job_unless_status_is_overridden() -> None:
    text = """
jobs:
  a: {if: "github.repository == 'a/b'", runs-on: x}
  b: {needs: a, runs-on: x}
  c: {needs: [b], runs-on: x}
  d: {needs: [a], if: always(), runs-on: x}
  e: {needs: [e], runs-on: x}
"""
    flow = Workflow("w", parse(text.encode()))
    told = {found.id: condition.guarded(flow, found) for found in flow.jobs}
    assert told == {"a": True, "b": True, "c": True, "d": False, "e": False}


def test_a_chain_of_thousands_of_jobs_is_followed() -> None:
    chain = "".join(f"  j{n}: {{needs: [j{n + 1}], runs-on: x}}\n" for n in range(3000))
    last = "  j3000: {if: \"github.repository == 'a/b'\", runs-on: x}\n"
    flow = Workflow("w", parse(f"jobs:\n{chain}{last}".encode()))
    assert condition.guarded(flow, flow.jobs[0])


def test_long_continued_lines_are_cut_and_still_looked_at() -> None:
    assert script("a \\\n" * 5000 + "pytest || true\n")[-1][0].endswith("pytest || true")


def test_expressions() -> None:
    assert expressions("${{ " * 20_000) == ()
    assert expressions("a ${{ b }} ${{\n c\n}}") == ("b", "c")
    assert bare("${{ a }} && ${{ b }}") == "${{ a }} && ${{ b }}"


@pytest.mark.parametrize(
    ("crons", "days"),
    [
        (("0 0 * * *",), 1),
        (("17 3 * * 1",), 7),
        (("17 3 * * mon,thu",), 4),
        (("0 0 1 * *",), 31),
        (("0 0 1 */2 *",), 62),
        (("0 0 1 1 *",), 366),
        (("0 0 30 2 *",), None),
        (("0 0 1 * 1",), 7),
        (("0 0 * * 0", "0 0 * * 3"), 4),
        (("0 0 * * 7",), 7),
        (("0 0 1-7 * *",), 25),
        (("0 0 29 2 *",), 1461),
        (("0 0 */10 * *",), 10),
    ],
)
def test_longest_gap(crons: tuple[str, ...], days: int | None) -> None:
    assert schedule.longest_gap(crons) == days


WRONG = """
* * * *|60 * * * *|* 24 * * *|* * 0 * *|* * * 13 *|* * * * 8|a * * * *|5-1 * * * *|*/0 * * * *|* * * * * *
1, * * * *|*/ * * * *|² * * * *
"""


@pytest.mark.parametrize("cron", ["", *WRONG.strip().replace("\n", "|").split("|")])
def test_what_is_no_schedule(cron: str) -> None:
    with pytest.raises(schedule.Malformed):
        schedule.longest_gap((cron,))
    assert schedule.malformed(cron)


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(1, 28), min_size=1, max_size=4))
def test_gap_agrees_with_counting_days(days: set[int]) -> None:
    first = date(2024, 1, 1)
    hits = [offset for offset in range(1461) if (first + timedelta(days=offset)).day in days]
    gaps = [b - a for a, b in zip(hits, [*hits[1:], hits[0] + 1461], strict=True)]
    assert schedule.longest_gap((f"0 0 {','.join(map(str, sorted(days)))} * *",)) == max(gaps)
