"""What an ARM64 preflight may be counted for: from an emulated root for nothing, from real ARM64 for its own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import LANE, FakeRepository, P, around, put, signed, trust, trusted
from tests.qualify.test_forged import forged, with_member

from jetproof.claims.calculus import Record, State, claims
from jetproof.claims.gather import Gathered, gather
from jetproof.errors import Refused
from jetproof.evidence.from_run import Place, statement
from jetproof.evidence.seal import Extras, seal
from jetproof.policy.load import parse
from jetproof.qualify.code import Code
from jetproof.qualify.journal import load, read
from jetproof.qualify.judge import plan_of, verdict
from jetproof.qualify.record import record
from jetproof.render.gate_markdown import gate_markdown
from jetproof.render.gate_text import gate_text

FIXTURE = Path(__file__).parent.parent / "fixtures" / "arm64"
BYTES = forged((FIXTURE / "journal.jsonl").read_bytes(), with_member("after", "code", Code().as_json()))
"""The run as it would be written down today: when it was made, nobody held the imported code against the commit."""
JOURNAL = read(BYTES)
POLICY_BYTES = (FIXTURE / "policy.json").read_bytes()
POLICY = parse(POLICY_BYTES, what="policy")[0]
GATE = "linux-arm64-preflight"
Change = Callable[[dict[str, Any]], None]


def made(*changes: Change) -> dict[str, Any]:
    """Return the statement of the emulated run, with changes that somebody might make to it."""
    body: dict[str, Any] = json.loads(json.dumps(statement(JOURNAL, (), Place(seq=1))))
    for change in changes:
        change(body)
    return body


def as_if_real(body: dict[str, Any]) -> None:
    """Make the statement say what the same run on a hosted ARM64 machine would say."""
    for path, value in (
        (f"{P}.origin", "live"),
        (f"{P}.outcome", "PASS"),
        (f"{P}.because", []),
        (f"{P}.device.platformClass", "arm64-server"),
        (f"{P}.time.ntpSynced", True),
        ("predicate.result", "PASSED"),
    ):
        put(path, value)(body)


def counted(body: dict[str, Any]) -> tuple[Gathered, dict[str, State]]:
    """Return what the statement counts for, signed by a key that is trusted with everything."""
    plan = plan_of(JOURNAL)
    assert plan is not None
    commit, tree = str(plan.source.commit), str(plan.source.tree)
    finished = datetime.fromisoformat(JOURNAL.entries[-1].at.utc.replace("Z", "+00:00")).astimezone(timezone.utc)
    repository = FakeRepository(
        trees={commit: tree}, times={commit: finished - timedelta(minutes=5)}, policy=POLICY_BYTES, url=None
    )
    found = gather(
        [("evidence.json", signed(body))],
        around(
            trust=trust(trusted(LANE, modules=("*",))),
            now=finished + timedelta(hours=1),
            repository=repository,
            commit=commit,
            repository_uri=None,
        ),
    )
    said = claims(POLICY, Record(proofs=list(found.proofs)), commit, finished.date())
    return found, {claim.scope.id: claim.state for claim in said.claims}


def jetson(states: dict[str, State]) -> set[State]:
    """Return the states of all tiers."""
    return {states[tier.id] for tier in POLICY.tiers}


def test_the_run_is_green_and_says_itself_that_it_proves_nothing() -> None:
    judged, told = verdict(JOURNAL), record(JOURNAL)

    assert (judged.green, judged.proves, told["origin"]) == (True, False, "emulated")
    assert [entry.reason for entry in judged.not_proven] == ["origin-emulated"]
    assert told["torch"]["data"]["torch"].startswith("2.9.1")
    assert told["machine"]["arch"]["value"] == "aarch64"
    assert told["machine"]["is_jetson"]["value"] is False
    assert told["reach"] == {
        "levels": [0, 1],
        "says": "installs, imports and computes on ARM64, on the CPU",
        "never": "CUDA, or a Jetson",
    }
    for text in (gate_text(judged, where="out"), gate_markdown(judged, told)):
        assert "It says nothing of CUDA, or a Jetson." in text
    items = {item.id: item for item in judged.items}
    assert len(items["probe::numerics"].attempts[0].measurements) > 5
    assert items["probe::architecture"].attempts[0].detail["emulation"]["emulated"] is True


def test_the_run_as_it_was_written_down_then_is_not_green_today() -> None:
    judged = verdict(read(load(FIXTURE / "journal.jsonl")))

    assert [entry.reason for entry in judged.objections] == ["code-not-checked"]


def test_nobody_can_sign_it(tmp_path: Path) -> None:
    run = tmp_path / GATE
    run.mkdir()
    (run / "journal.jsonl").write_bytes(BYTES)

    with pytest.raises(Refused, match="emulated"):
        seal(run, LANE, tmp_path / "counter", Extras())


def test_signed_all_the_same_it_counts_for_nothing() -> None:
    found, states = counted(made())

    assert found.proofs == ()
    assert any("emulated, not live" in refusal.message for refusal in found.turned[0].refusals)
    assert set(states.values()) == {State.UNPROVEN}


def test_from_a_real_arm64_machine_it_proves_that_it_imports_there_and_no_more() -> None:
    found, states = counted(made(as_if_real))

    assert found.turned == ()
    assert states[GATE] is State.SUPPORTED
    assert jetson(states) == {State.UNPROVEN}
    assert states["cuda-runtime"] is State.UNPROVEN


@pytest.mark.parametrize(
    "lies",
    [
        (put(f"{P}.device.platformClass", "jetson"),),
        (
            put(f"{P}.device.platformClass", "jetson"),
            put(f"{P}.device.module", "Jetson AGX Orin 64GB"),
            put(f"{P}.device.l4t", "36.4.3"),
            put(f"{P}.device.jetpack", "6.2"),
            put(f"{P}.device.cuda", "12.6"),
        ),
        (put(f"{P}.plan.gate", "jetson-cuda-runtime"),),
        (
            put(f"{P}.plan.gate", "jetson-cuda-runtime"),
            put(f"{P}.device.platformClass", "jetson"),
            put(f"{P}.device.module", "Jetson AGX Orin 64GB"),
            put(f"{P}.device.chip", "tegra234"),
            put(f"{P}.device.l4t", "36.4.3"),
            put(f"{P}.device.jetpack", "6.2"),
            put(f"{P}.device.cuda", "12.6"),
        ),
    ],
)
def test_even_a_trusted_liar_gets_no_jetson_out_of_it(lies: tuple[Change, ...]) -> None:
    _, states = counted(made(as_if_real, *lies))

    assert jetson(states) == {State.UNPROVEN}
