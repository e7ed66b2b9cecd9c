"""A full round over two machines: a project with a key is made here, its gate runs there, and is verified here.

    python benchmarks/gate/round.py make DIR                  # project, kept challenge, bundle, throw-away key
    benchmarks/gate/round.sh DIR/project.bundle DIR/lane      # on the machine: run and sign, results into $OUT
    python benchmarks/gate/round.py check DIR RESULTS         # here: verify, claim, and six refusals

`check` exits 1 unless every step ends with the code that it must.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from jetproof.cli.main import main as jetproof  # noqa: E402 - found beside the checkout

BLOCK = f"""# weightlab

<!-- jetproof:begin support as-of=2026-11-01 says=nothing sha256={"0" * 64} -->
<!-- jetproof:end support -->
"""


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=round", "-c", "user.email=round@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, check=True, timeout=60)
    return done.stdout.decode().strip()


def called(*words: str, day: date | None = None) -> tuple[int, str]:
    """Run one command in this process, with the clock of the commands at the end of a day; return code and output."""
    out = io.StringIO()

    def then() -> datetime:
        return datetime.combine(day, time(23, 59, 59), timezone.utc) if day else datetime.now(timezone.utc)

    with (
        redirect_stdout(out),
        redirect_stderr(out),
        mock.patch("jetproof.cli.verify.now", then),
        mock.patch("jetproof.cli.claims.now", then),
    ):
        code = int(jetproof(list(words)))
    return code, out.getvalue()


def make(folder: Path, gate: str) -> int:
    """Make project, key, trust, a challenge that is kept at the branch that judges, and the bundle."""
    project = folder / "project"
    shutil.copytree(ROOT / "examples" / "weightlab", project, ignore=shutil.ignore_patterns("__pycache__"))
    (project / ".gitignore").write_text("conditional-evidence/\n__pycache__/\n")
    (project / "README.md").write_text(BLOCK)
    git(project, "init", "-q", "-b", "main")
    for words in (
        ("keys", "new", str(folder / "lane")),
        ("keys", "trust", str(folder / "lane.pub"), "--name", "lane", "--module", "x86", "--project", str(project)),
    ):
        code, told = called(*words)
        if code:
            print(told)
            return code
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "the project under test")
    code, told = called("challenge", gate, "--module", "x86", "--keep", "--project", str(project))
    if code:
        print(told)
        return code
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "ask for a run")
    git(project, "bundle", "create", str((folder / "project.bundle").resolve()), "HEAD", "main")
    print(f"{folder}/project.bundle and {folder}/lane: take both to the machine")
    return 0


class Steps:
    """What was done, what came of it, and whether that is what must come of it."""

    def __init__(self, repo: Path) -> None:
        self._repo = repo
        self.wrong = 0

    def sign(self, run: str, key: Path, out: Path) -> None:
        code, told = called("evidence", "sign", run, "--key", str(key), "--output", str(out))
        self.say("signed again", code == 0, f"exit {code}, 0 is wanted", told)

    def step(self, what: str, wanted: int, *words: str, day: date | None = None) -> str:
        code, told = called(*words, "--project", str(self._repo), day=day)
        self.say(what, code == wanted, f"exit {code}, {wanted} is wanted", told)
        return told

    def say(self, what: str, good: bool, figure: str, told: str = "") -> None:
        self.wrong += not good
        print(f"{'ok   ' if good else 'WRONG'} {what}: {figure}")
        if not good:
            print("      " + told.strip().replace("\n", "\n      "))


def claims(told: str) -> dict[str, str]:
    return {claim["id"]: claim["state"] for claim in json.loads(told)["claims"]}


def check(folder: Path, results: Path, gate: str) -> int:
    """Verify what came back, compute the claim, and try what must be refused."""
    project, steps = folder / "project", Steps(folder / "project")
    envelope, side = results / f"{gate}.intoto.json", str(results / gate)
    record: dict[str, Any] = json.loads((results / f"{gate}.json").read_bytes())
    stack = record["stack"]
    print(f"{gate} on {stack['device_name']}, torch {stack['torch']}: {record['counts']['pass']} passed")
    verified = steps.step("the evidence is proven", 0, "verify", str(envelope), "--side-files", side, "--json")
    began = date.fromisoformat(json.loads(verified)["evidence"][0]["counts_from"][:10])
    base = git(project, "rev-list", "--max-parents=0", "HEAD")
    unasked = steps.step(
        "unproven where nobody kept the challenge", 7, "verify", str(envelope), "--side-files", side, "--base", base
    )
    steps.say("for want of a clock", "CLOCK_UNTRUSTED" in unasked, "CLOCK_UNTRUSTED", unasked)
    steps.step("it is kept", 0, "evidence", "add", str(envelope))
    found = claims(steps.step("the claims where nobody kept it", 0, "claims", "--json", "--base", base))
    steps.say("the gate's claim there", found[gate] == "unproven", found[gate])
    found = claims(steps.step("the claims", 0, "claims", "--json"))
    steps.say("the gate's own claim", found[gate] == "supported", found[gate])
    others = {name: state for name, state in found.items() if name != gate}
    none = all(state == "unproven" for state in others.values())
    steps.say("no Jetson, no ARM64", none, ", ".join(f"{name} {state}" for name, state in others.items()))
    steps.step("the block is written", 0, "claims", "--write")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "say what is proven")
    steps.step("the block says no more than is proven", 0, "claims", "--check")

    body = json.loads(envelope.read_text())
    body["payload"] = body["payload"][:40] + ("A" if body["payload"][40] != "A" else "B") + body["payload"][41:]
    forged = results / "forged.intoto.json"
    forged.write_text(json.dumps(body))
    steps.step("refused after one edit", 6, "verify", str(forged), "--side-files", side)
    age = json.loads((project / "ci" / "conditional-test-policy.json").read_text())["maximum_evidence_age_days"]
    last = began + timedelta(days=age)
    steps.step(f"accepted on day {age}", 0, "verify", str(envelope), "--side-files", side, day=last)
    late = last + timedelta(days=1)
    steps.step(f"refused on day {age + 1}", 7, "verify", str(envelope), "--side-files", side, day=late)
    again = folder / "again.intoto.json"
    for _ in range(2):  # number 1 is the one that is kept
        steps.sign(side, folder / "lane", again)
    told = steps.step("refused as a second answer", 6, "verify", str(again), "--side-files", side)
    steps.say("for its challenge", "CHALLENGE_REUSED" in told, "CHALLENGE_REUSED", told)
    (project / "src" / "weightlab" / "shelf.py").write_text("SHELF = None\n")
    git(project, "commit", "-q", "-a", "-m", "other code")
    steps.step("refused at another commit", 6, "verify", str(envelope), "--side-files", side, "--commit", "HEAD")
    steps.step("the block now says too much", 8, "claims", "--check", "--today")
    print("the round holds" if not steps.wrong else f"{steps.wrong} steps went wrong")
    return 1 if steps.wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    making = actions.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--gate", default="cuda-runtime")
    checking = actions.add_parser("check")
    checking.add_argument("folder", type=Path, help="the one that `make` made")
    checking.add_argument("results", type=Path, help="a writable copy of what came back from the machine")
    checking.add_argument("--gate", default="cuda-runtime")
    arguments = parser.parse_args()
    if arguments.action == "make":
        return make(arguments.folder, arguments.gate)
    return check(arguments.folder, arguments.results, arguments.gate)


if __name__ == "__main__":
    sys.exit(main())
