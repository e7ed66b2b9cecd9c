"""Stands in for `jetproof` in a board's process: a real journal in the real places, after a while; no machine is read.

What a board does is told by its name: `red-…` fails an item, `off-…` cannot be checked, `hang-…` never ends, `lie-…`
exits with 0 and leaves nothing, `dies-…` is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[0:0] = [str(ROOT), str(ROOT / "src")]

from tests.qualify.runs import ran  # noqa: E402
from tests.qualify.streams import Scripted, a_plan, end, good_stream  # noqa: E402

from jetproof.qualify.folder import Folder, write  # noqa: E402
from jetproof.qualify.journal import read  # noqa: E402
from jetproof.qualify.locks import held  # noqa: E402
from jetproof.qualify.record import record, to_bytes  # noqa: E402


def main() -> int:
    """Do as the board's name says."""
    words = sys.argv[1:]
    assert words[:2] == ["run", "jetson-cuda-runtime"], words
    out = Path(words[words.index("--output") + 1])
    board = out.parent.name
    state = out.parent.parent.parent
    _note(state / "started.txt", board)
    _note(state / "order.txt", "begin")
    if board.startswith("off-"):
        error = {"schema": "jetproof/error/1", "reason": "no-link", "message": "no route", "hint": "plug it in"}
        sys.stderr.write(json.dumps(error) + "\n")
        return 4
    if board.startswith("lie-"):
        return 0
    if board.startswith("hang-"):
        time.sleep(36000)
    if board.startswith("dies-"):
        os.kill(os.getpid(), signal.SIGSEGV)
    folder = Folder(out=out, gate="jetson-cuda-runtime")
    folder.prepare()
    with held(folder.lock, "the folder"):
        folder.open()
        time.sleep(float(os.environ.get("STAND_IN_SECONDS", "0")))
        stream = good_stream()
        if board.startswith("red-"):
            at = next(n for n, one in enumerate(stream) if one["record"] == "end")
            stream[at] = end(stream[at]["item"], "FAIL", "bound-exceeded", seed=11)
        journal = read(ran(Scripted(stream), folder.side, plan=a_plan(run=os.urandom(16).hex())))
        told = record(journal)
        write(folder.record, to_bytes(told))
    _note(state / "order.txt", "end")
    return 0 if told["green"] else 1


def _note(path: Path, word: str) -> None:
    with path.open("a") as log:
        log.write(f"{word}\n")


if __name__ == "__main__":
    sys.exit(main())
