"""A fleet's summary: the answer first, boards that ended alike together, and how to go on."""

from __future__ import annotations

from typing import Any

from jetproof.fleet.run import FleetResult
from jetproof.fleet.state import BoardResult
from jetproof.render.fleet import as_json, progress, summary


def result(board: str, status: str = "green", reason: str = "ok", **more: Any) -> BoardResult:
    members = {"target": "local", "gate": "g", "exit_code": 0, "seconds": 2.0, "proves": status == "green"}
    return BoardResult(board=board, status=status, reason=reason, **{**members, **more})


def told(*results: BoardResult, missing: tuple[str, ...] = (), resumed: int = 0) -> str:
    found = FleetResult(results=results, missing=missing, seconds=4.0, resumed=resumed)
    return summary(found, "g", state="fleet-evidence", resume="jetproof fleet run x g --resume")


def test_all_green_is_one_line_and_the_place() -> None:
    assert told(result("a"), result("b"), resumed=1) == (
        "g: green on 2 of 2 boards\n4.0 s for 4.0 s of runs, 1 kept from before; files: fleet-evidence\n"
    )


def test_boards_that_ended_alike_stand_together() -> None:
    offline = [result(f"off-{n}", "not-checked", "ssh-refused", message="port closed", hint="ssh -v") for n in range(7)]

    red = result("b", "not-green", "bound", message="x \x1b[2J\ny")

    assert told(result("a", proves=False, message="recorded"), *offline, red, missing=("c", "d")) == (
        "g: green on 1 of 11 boards (1 not green, 7 not checked, 2 not run)\n"
        "  1 of the green ones prove nothing: recorded\n"
        "  not checked  7 boards: off-0, off-1, off-2, off-3, off-4 and 2 more\n"
        "                 ssh-refused: port closed\n"
        "                 fix: ssh -v\n"
        "    not green  b\n"
        "                 bound: x \\x1b[2J y\n"
        "      not run  2 boards: c, d\n"
        "go on with: jetproof fleet run x g --resume\n"
        "4.0 s for 18.0 s of runs; files: fleet-evidence\n"
    )  # fmt: skip


def test_many_kinds_are_cut() -> None:
    text = told(*(result(f"b{n}", "broke", f"r{n}") for n in range(40)))

    assert "  and 10 more kinds (all of them: --json)\n" in text


def test_progress_and_json_tell_the_same() -> None:
    bad = result("a", "timed-out", "fleet-time-limit\n\x1b")

    assert progress(bad, 1, 2) == "[1/2] a timed out (fleet-time-limit \\x1b) 2.0 s"
    found = as_json(FleetResult(results=(bad,), missing=("b",), seconds=1.0, resumed=0), "g")
    assert (found["green"], found["missing"], found["counts"]["timed-out"]) == (False, ["b"], 1)
