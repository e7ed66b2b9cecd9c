"""What jetproof, zizmor and actionlint say of the same planted faults; --write puts the table into docs/ci/.

zizmor is taken from PATH or --zizmor; actionlint from --actionlint, which names any build of it that prints
`file:line:col message`. A tool that is not there has no column of its own invention: the table says so.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from jetproof.workflow.all_rules import RULES
from jetproof.workflow.check import check
from jetproof.workflow.gather import gather
from jetproof_worker import process

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
PAGE = ROOT / "docs" / "ci" / "lint-comparison.md"
NOW = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)
_LINE = re.compile(r"^(?P<path>.*?):(?P<line>\d+):(?P<column>\d+):? (?P<message>.*)$", re.MULTILINE)
_KIND = re.compile(r"\[ ?([a-z-]+) ?\]\s*$")


@dataclass(frozen=True, kw_only=True)
class Tool:
    """What one tool said of each project, by the folder's name; None when it is not there."""

    name: str
    release: str
    said: dict[str, Counter[str]] | None

    def new(self, name: str) -> list[str]:
        """Return what it says of a planted project and not of the good one."""
        if self.said is None:
            return []
        return sorted((self.said.get(name, Counter()) - self.said.get("good", Counter())).elements())


def ran(words: list[str], cwd: Path) -> process.Completed:
    """Run a tool to its end."""
    return process.run(words, 600, cwd=cwd, limit=64 << 20)


def jetproof(folder: Path, names: list[str]) -> Tool:
    """Lint each project here, without zizmor."""
    said = {}
    for name in names:
        said[name] = Counter(one.rule for one in check(gather(folder / name, policy=None, now=NOW), RULES))
    return Tool(name="jetproof", release="", said=said)


def zizmor(program: str | None, persona: str, folder: Path, names: list[str]) -> Tool:
    """Let zizmor read all projects in one offline run."""
    label = f"zizmor, {persona}"
    if program is None:
        return Tool(name=label, release="not installed", said=None)
    release = ran([program, "--version"], folder).stdout.decode().strip()
    said: dict[str, Counter[str]] = {name: Counter() for name in names}
    options = ["--offline", "--no-progress", "--color=never", "--format=json-v1", f"--persona={persona}"]
    done = ran([program, *options, *names], folder)
    # a file that it cannot read ends the whole run: then each project is asked by itself
    if done.code not in (0, 11, 12, 13, 14):
        for name in names:
            one = ran([program, *options, name], folder)
            if one.code in (0, 11, 12, 13, 14):
                said[name] += Counter(found["ident"] for found in json.loads(one.stdout))
            else:
                said[name]["refuses the file"] += 1
        return Tool(name=label, release=release, said=said)
    for found in json.loads(done.stdout):
        local = found["locations"][0]["symbolic"]["key"]["Local"]
        path = local.get("verbatim_path") or local["given_path"]
        said[path.removeprefix("./").split("/")[0]][found["ident"]] += 1
    return Tool(name=label, release=release, said=said)


def actionlint(program: str | None, release: str, folder: Path, names: list[str]) -> Tool:
    """Let actionlint read all workflows in one run."""
    if program is None:
        return Tool(name="actionlint", release="not installed", said=None)
    from tests.workflow.planted import CI, LANE

    files = [f"{name}/{path}" for name in names for path in (CI, LANE)]
    words = [word.replace("{glob}", "*/.github/workflows/*.yml") for word in program.split()]
    done = ran(words if "{glob}" in program else [*words, *files], folder)
    said: dict[str, Counter[str]] = {name: Counter() for name in names}
    for match in _LINE.finditer(done.stdout.decode("utf-8", "replace")):
        kind = _KIND.search(match["message"])
        name = next((part for part in match["path"].split("/") if part in said), None)
        if name is not None and kind is not None:
            said[name][kind.group(1)] += 1
    return Tool(name="actionlint", release=release, said=said)


def table(tools: list[Tool]) -> str:
    """Return the comparison as a page."""
    from tests.workflow.planted import CI, LANE, PLANTED

    ours, others = tools[0], tools[1:]
    head = ["rule", "planted fault", "file", "jetproof", *(tool.name for tool in others)]
    rows = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    hits: Counter[str] = Counter()
    workflows = 0
    for number, fault in enumerate(PLANTED):
        name = f"p{number:03}"
        found = ours.new(name)
        exact = found and set(found) == {fault.rule}
        hits["jetproof"] += bool(exact)
        cells = [
            fault.rule,
            fault.what.replace("|", "\\|"),
            fault.path.rpartition("/")[2],
            "found" if exact else str(found),
        ]
        of_workflow = fault.path in (LANE, CI)
        workflows += of_workflow
        for tool in others:
            if tool.said is None:
                cells.append("?")
            elif not of_workflow:
                cells.append("–")
            else:
                new = sorted(set(tool.new(name)))
                hits[tool.name] += bool(new)
                cells.append(", ".join(new) or "nothing")
        rows.append(f"| {' | '.join(cells)} |")
    summary = [
        "| tool | says something new of | of |",
        "|---|---|---|",
        f"| jetproof, each fault by its own rule and no other | {hits['jetproof']} | {len(PLANTED)} planted faults |",
        *(
            f"| {tool.name} ({tool.release}) | {hits[tool.name] if tool.said is not None else 'not asked'} "
            f"| {workflows} faults in workflows |"
            for tool in others
        ),
    ]
    silent = {
        tool.name: sum((tool.said or {}).get("good", Counter()).values()) for tool in tools if tool.said is not None
    }
    return (
        "# The lane's rules beside zizmor and actionlint\n\n"
        "Generated by `benchmarks/lane_lint.py --write` from `tests/workflow/planted.py`: one edit of a good project"
        " for each fault. A cell names what a tool says of the faulty project and not of the good one; `–` is a fault"
        " outside of workflows, which the other two do not read.\n\n"
        "The faults were planted from the rules here, so that our own column shows that each rule is alive and alone,"
        " and no more; the others show which of these faults are found without it. What they say need not name the"
        " fault: an unknown name in an expression may be what is seen of another change. A file that zizmor cannot"
        " parse is left out with a warning, and its exit status is 0.\n\n"
        + "\n".join(summary)
        + "\n\nOf the good project: "
        + ", ".join(f"{name} {count} findings" for name, count in silent.items())
        + ". actionlint's are labels of own runners that it does not know.\n\n"
        + "\n".join(rows)
        + "\n"
    )


def main() -> int:
    """Plant, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--zizmor", default=shutil.which("zizmor"))
    parser.add_argument(
        "--actionlint",
        default=shutil.which("actionlint"),
        help="command line of an actionlint; {glob} where it takes a pattern",
    )
    parser.add_argument("--actionlint-release", default="of unknown release", help="what the table calls it")
    parser.add_argument("--write", action="store_true", help="write docs/ci/lint-comparison.md")
    arguments = parser.parse_args()
    from tests.workflow.planted import GOOD, PLANTED

    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        shutil.copytree(GOOD, folder / "good")
        names = ["good"]
        for number, fault in enumerate(PLANTED):
            names.append(f"p{number:03}")
            fault.into(folder / names[-1])
        tools = [
            jetproof(folder, names),
            zizmor(arguments.zizmor, "regular", folder, names),
            zizmor(arguments.zizmor, "auditor", folder, names),
            actionlint(arguments.actionlint, arguments.actionlint_release, folder, names),
        ]
        seconds = []
        for _ in range(20):
            began = time.perf_counter()
            check(gather(folder / "good", policy=None, now=NOW), RULES)
            seconds.append(time.perf_counter() - began)
    page = table(tools)
    print(page)
    print(f"{len(RULES)} rules over the good project: {statistics.median(seconds) * 1000:.0f} ms (median of 20)")
    if arguments.write:
        if any(tool.said is None for tool in tools):
            print("not written: a tool is missing", file=sys.stderr)
            return 1
        PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
