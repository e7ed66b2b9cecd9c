"""The collector as a program for people: one file to carry to a board, one snapshot to carry back. Python >= 3.6."""

import argparse
import json
import sys
from typing import List, Optional

from jetproof_worker import collect, process

_DESCRIPTION = """\
Read what jetproof needs to know about this machine into one JSON file.
Nothing is changed, nothing is sent anywhere; serial numbers, host, user names and home paths are left out."""

_EPILOG = """\
example:
  python3 jetproof-collect.pyz > snapshot.json
then, on any machine that has jetproof:
  jetproof doctor --from snapshot.json"""


def main(words: List[str]) -> int:
    """Collect and print the snapshot; progress goes to standard error."""
    parser = argparse.ArgumentParser(
        prog="jetproof-collect.pyz",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="PATH",
        help="the Python to ask about torch (default: the one that runs this)",
    )
    parser.add_argument("--no-trials", action="store_true", help="do not import torch or anything else, only read")
    parser.add_argument(
        "--patience", type=float, default=1.0, metavar="N", help="stretch every time limit N times, for slow storage"
    )
    parser.add_argument("--output", metavar="FILE", help="write the snapshot to FILE instead of standard output")
    arguments = parser.parse_args(words)
    if not 0 < arguments.patience <= 100:
        parser.error("--patience must be above 0 and at most 100")
    asked = "running" if arguments.python == sys.executable else "--python"
    try:
        collect.told("reading this machine; importing torch may take a minute")
        snapshot = collect.collect(
            arguments.python, asked, not arguments.no_trials, arguments.patience, _own_digest(), collect.told
        )
    except KeyboardInterrupt:
        process.kill_descendants()
        collect.told("interrupted")
        return 130
    text = json.dumps(snapshot, indent=1, sort_keys=True) + "\n"
    try:
        if arguments.output:
            with open(arguments.output, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError as error:
        collect.told("could not write the snapshot: %s" % error)
        return 2
    collect.told(
        "done. Next, on a machine with jetproof: jetproof doctor --from %s" % (arguments.output or "snapshot.json")
    )
    return 0


def _own_digest() -> Optional[str]:
    import hashlib

    from jetproof_worker import files, start

    content = files.raw(start.HOME, 8 << 20)
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else None
