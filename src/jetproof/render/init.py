"""What `jetproof init` wrote, or would, and what a person must still do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jetproof.policy.model import Policy, PytestItem
from jetproof.render.style import Style, counted, printable_line
from jetproof.workflow.scaffold.host import Host
from jetproof.workflow.scaffold.plan import State, Step

SCHEMA = "jetproof/init/1"
_COLOURS = {State.NEW: "green", State.UPDATED: "green", State.KEPT: "yellow"}
_WORDS = {State.KEPT: "changed by hand or not jetproof's; --diff shows how it differs, --force replaces it"}


def told(steps: Sequence[Step], host: Host, policy: Policy, style: Style, *, only_shown: bool) -> str:
    """Return the files with their states, the answer first, and the next steps."""
    count = sum(step.writes for step in steps)
    if not count:
        answer = style("Everything is as jetproof init writes it", "green")
        if any(step.state is State.KEPT for step in steps):
            answer = style("Nothing to write", "green")
    else:
        answer = style(f"{counted(count, 'file')} {'would be written' if only_shown else 'written'}", "green")
    lines = [f"{answer} for {printable_line(host.repository)}"]
    for step in steps:
        colour = _COLOURS.get(step.state)
        state = style(step.state.value, colour) if colour else step.state.value
        lines.append(
            f"  {state:8} {printable_line(step.path)}" + (f"  ({_WORDS[step.state]})" if step.state in _WORDS else "")
        )
    if not only_shown and any(step.state is State.NEW for step in steps):
        lines += ["", "Next:", *(f"  {number}. {text}" for number, text in enumerate(next_steps(host, policy), 1))]
    return "\n".join(lines) + "\n"


def next_steps(host: Host, policy: Policy) -> tuple[str, ...]:
    """Return what nobody but a person can do."""
    found = []
    if not host.own_checkout:
        found.append("fill ci/jetproof-requirements.txt (the command stands in it)")
    claimed = [gate for gate in policy.gates if gate.carries_claim and not gate.software_only]
    if not all(any(isinstance(item, PytestItem) for item in gate.items) for gate in claimed):
        found.append(
            "jetproof init --test ID: the project's own tests that must pass on the board, by their pytest ids"
        )
    if policy.host.device_resolver is None:
        found.append("name the project's device resolver in the policy, if it has one (package.module:function)")
    if host.branch == "main":
        found.append("jetproof init --protected-branch NAME, if the project's main branch is not called main")
    found += [
        f"on GitHub: an environment jetson with reviewers; protect {host.branch} and the tags; require the job lane",
        "attach a runner safely: docs/conditional-testing.md",
        "on the board: jetproof keys new, jetproof policy pin",
        "jetproof policy check",
        "commit what was written: jetproof claims reads the policy and whom the project trusts from the commit",
    ]
    return tuple(found)


def as_json(steps: Sequence[Step], host: Host, policy: Policy, *, only_shown: bool) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "schema": SCHEMA,
        "repository": host.repository,
        "written": not only_shown,
        "files": [{"path": step.path, "state": step.state.value} for step in steps],
        "next": list(next_steps(host, policy)),
    }
