"""What the rules look at together: workflows, policy and documents of one project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from jetproof.policy.model import Gate, Platform, Policy, ProbeItem, Tier
from jetproof.policy.positions import Path as MemberPath
from jetproof.workflow.document import Node
from jetproof.workflow.model import Job, Step, Workflow
from jetproof.workflow.shell import Command

PAGES = ("docs/conditional-testing.md", "docs/jetson-support.md")
"""Pages that say to people outside what the lane does."""
_RUN = re.compile(r"run_conditional_gate\.py\b|\bjetproof\s+run\b")


@dataclass(frozen=True, kw_only=True)
class Place:
    """A line of a file of the project."""

    path: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A file that could not be read as what it should be."""

    place: Place
    member: MemberPath
    """Of the policy: the member that is wrong; empty for a workflow."""
    message: str


@dataclass(frozen=True)
class GateJob:
    """A job that runs a gate of the policy."""

    workflow: Workflow
    job: Job
    gate: Gate

    @property
    def gate_commands(self) -> Iterator[tuple[Step, Command]]:
        """The commands that run a gate, whichever."""
        return ((step, command) for step, command in self.job.scripts if runs_a_gate(command))


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One project's conditional lane: its workflows, its policy, the pages that speak of it."""

    workflows: tuple[Workflow, ...]
    policy: Policy | None
    """None when there is none, or when it is invalid."""
    policy_path: str
    policy_places: Mapping[MemberPath, Place]
    pages: Mapping[str, str]
    """Text by path: docs/conditional-testing.md, docs/jetson-support.md, README."""
    broken_workflows: tuple[Broken, ...] = ()
    broken_policy: tuple[Broken, ...] = ()
    broken_trust: tuple[Broken, ...] = ()
    now: datetime

    @cached_property
    def gate_jobs(self) -> tuple[GateJob, ...]:
        """Each job that the policy names for a gate, in each workflow that has one."""
        return tuple(
            GateJob(workflow, job, gate)
            for workflow in self.workflows
            for gate in (self.policy.gates if self.policy else ())
            for job in workflow.jobs
            if job.id == gate.job
        )

    @cached_property
    def claim_jobs(self) -> tuple[GateJob, ...]:
        """Gate jobs whose evidence may carry a claim."""
        return tuple(found for found in self.gate_jobs if found.gate.carries_claim)

    @cached_property
    def device_gate_jobs(self) -> tuple[GateJob, ...]:
        """Gate jobs that need a board or a GPU and may carry a claim."""
        return tuple(found for found in self.claim_jobs if not found.gate.software_only)

    @cached_property
    def jetson_jobs(self) -> tuple[GateJob, ...]:
        """Gate jobs that run on a Jetson and may carry a claim."""
        return tuple(found for found in self.claim_jobs if found.gate.platform is Platform.JETSON)

    @cached_property
    def device_jobs(self) -> tuple[tuple[Workflow, Job], ...]:
        """Jobs of any workflow that run on the project's own machines."""
        return tuple((workflow, job) for workflow in self.workflows for job in workflow.jobs if job.self_hosted)

    @cached_property
    def gate_workflows(self) -> tuple[Workflow, ...]:
        """Workflows with a job that runs a gate; without a policy, those with any job on an own machine."""
        if self.policy is None:
            return self.lane_workflows
        named = {found.workflow.path for found in self.gate_jobs}
        return tuple(workflow for workflow in self.workflows if workflow.path in named)

    @cached_property
    def lane_workflows(self) -> tuple[Workflow, ...]:
        """Workflows with a job that runs a gate on a device; without a policy, those with any job on an own machine."""
        named = {
            found.workflow.path for found in self.gate_jobs if not found.gate.software_only or found.job.self_hosted
        }
        if self.policy is None:
            named = {workflow.path for workflow, _ in self.device_jobs}
        return tuple(workflow for workflow in self.workflows if workflow.path in named)

    @property
    def pull_request_workflows(self) -> Iterator[Workflow]:
        """Workflows that a pull request starts."""
        return (workflow for workflow in self.workflows if workflow.trigger("pull_request"))

    @property
    def freshness_days(self) -> int:
        """Days for which evidence counts."""
        return self.policy.maximum_evidence_age_days if self.policy else 30

    @property
    def target_tiers(self) -> Iterator[tuple[int, Tier]]:
        """Tiers that may become supported, with their number in the file."""
        for number, tier in enumerate(self.policy.tiers if self.policy else ()):
            if tier.stage.value == "target":
                yield number, tier

    @property
    def hub_gates(self) -> Iterator[tuple[int, Gate]]:
        """Gates that download a model, with their number in the file."""
        for number, gate in enumerate(self.policy.gates if self.policy else ()):
            if downloads(gate):
                yield number, gate

    def in_workflow(self, workflow: Workflow, node: Node | None = None) -> Place:
        """Return the place of a value of a workflow."""
        return (
            Place(path=workflow.path) if node is None else Place(path=workflow.path, line=node.line, column=node.column)
        )

    def at_command(self, workflow: Workflow, command: Command) -> Place:
        """Return the line of a script's command."""
        return Place(path=workflow.path, line=command.line)

    def in_policy(self, *member: str | int) -> Place:
        """Return the place of a member of the policy, or of the nearest one around it."""
        known = tuple(member)
        while known and known not in self.policy_places:
            known = known[:-1]
        return self.policy_places.get(known, Place(path=self.policy_path))

    @property
    def documented(self) -> bool:
        """Whether the pages are there, so that it makes sense to ask what they name."""
        return all(page in self.pages for page in PAGES)

    @cached_property
    def _words(self) -> str:
        return _plain("\n".join(self.pages[page] for page in PAGES if page in self.pages))

    def mentions(self, words: str) -> bool:
        """Return whether the pages hold these words, blanks and case apart."""
        return _plain(words) in self._words


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def downloads(gate: Gate) -> bool:
    """Return whether the gate downloads a model."""
    return any(isinstance(item, ProbeItem) and item.probe == "hub-model" for item in gate.items)


def runs_a_gate(command: Command) -> bool:
    """Return whether the command runs a gate, whichever."""
    return bool(_RUN.search(command.text))


def runs_gate(command: Command, gate: Gate) -> bool:
    """Return whether the command runs that gate, by its id or an alias."""
    words = re.split(r"[\s'\"]+", command.text)
    return runs_a_gate(command) and any(name in words for name in (gate.id, *gate.aliases))
