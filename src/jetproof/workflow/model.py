"""A workflow as the rules see it: triggers, jobs, steps, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from jetproof.workflow.document import Node, Rows, Table, Text, walk
from jetproof.workflow.shell import Command, commands

_HOSTED = re.compile(r"(ubuntu|windows|macos)-[a-z0-9.-]+", re.IGNORECASE)
_NOTHING = Table(line=1, column=1)


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """One event that starts the workflow."""

    name: str
    place: Node
    settings: Table
    """What the event is narrowed to; empty when it is not."""
    value: Node | None = None


@dataclass(frozen=True)
class Step:
    """One step of a job."""

    table: Table

    @property
    def uses(self) -> str:
        """The action that it runs, or nothing."""
        return self.table.text("uses") or ""

    def runs_action(self, name: str) -> bool:
        """Return whether it runs this action, whichever release."""
        return self.uses.partition("@")[0].lower() == name

    @property
    def inputs(self) -> Table:
        """What is given to the action."""
        return self.table.table("with") or _NOTHING

    @property
    def env(self) -> Table:
        """Its own environment variables."""
        return self.table.table("env") or _NOTHING

    @property
    def condition(self) -> str:
        """Its `if`, without the braces."""
        return bare(self.table.text("if") or "")

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The commands of its script, comments taken away."""
        node = self.table.members.get("run")
        return commands(node) if isinstance(node, Text) else ()


@dataclass(frozen=True)
class Job:
    """One job of a workflow."""

    id: str
    table: Table
    name_at: Node

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its steps in order."""
        return tuple(Step(item) for item in self.table.items("steps") if isinstance(item, Table))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels that its runner must have; empty when a group or an expression decides."""
        node = self.table.members.get("runs-on")
        if isinstance(node, Table):
            return node.texts("labels")
        return self.table.texts("runs-on")

    @property
    def dynamic(self) -> bool:
        """Whether an expression chooses the runner."""
        node = self.table.members.get("runs-on")
        return node is not None and any("${{" in text.value for text in walk(node))

    @property
    def hosted(self) -> bool:
        """Whether it surely runs on a machine of the hosting service."""
        return bool(self.labels) and not self.dynamic and all(_HOSTED.fullmatch(label) for label in self.labels)

    @property
    def self_hosted(self) -> bool:
        """Whether it runs, or may run, on a machine of the project's own."""
        return "runs-on" in self.table.members and not self.hosted

    @property
    def needs(self) -> tuple[str, ...]:
        """The jobs that must have ended before."""
        return self.table.texts("needs")

    @property
    def condition(self) -> str:
        """Its `if`, without the braces."""
        return bare(self.table.text("if") or "")

    @property
    def env(self) -> Table:
        """Environment variables of all its steps."""
        return self.table.table("env") or _NOTHING

    @property
    def image(self) -> Text | None:
        """The image that its steps run in."""
        node = self.table.members.get("container")
        if isinstance(node, Table):
            node = node.members.get("image")
        return node if isinstance(node, Text) else None

    @property
    def scripts(self) -> Iterator[tuple[Step, Command]]:
        """Each command of each step."""
        for step in self.steps:
            for command in step.commands:
                yield step, command

    def uploads(self) -> tuple[Step, ...]:
        """Return the steps that keep an artifact."""
        return tuple(step for step in self.steps if step.runs_action("actions/upload-artifact"))

    def checkouts(self) -> tuple[Step, ...]:
        """Return the steps that check the project out."""
        return tuple(step for step in self.steps if step.runs_action("actions/checkout"))


@dataclass(frozen=True)
class Workflow:
    """One workflow file."""

    path: str
    """Relative to the project, with slashes."""
    root: Table

    @cached_property
    def triggers(self) -> tuple[Trigger, ...]:
        """The events that start it."""
        node = self.root.members.get("on")
        if isinstance(node, Text):
            return (Trigger(name=node.value, place=node, settings=_NOTHING),)
        if isinstance(node, Rows):
            return tuple(
                Trigger(name=item.value, place=item, settings=_NOTHING)
                for item in node.values
                if isinstance(item, Text)
            )
        if isinstance(node, Table):
            return tuple(
                Trigger(
                    name=name,
                    place=node.at(name),
                    settings=value if isinstance(value, Table) else _NOTHING,
                    value=value,
                )
                for name, value in node.members.items()
            )
        return ()

    def trigger(self, name: str) -> Trigger | None:
        """Return the trigger of that event."""
        return next((trigger for trigger in self.triggers if trigger.name == name), None)

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Its jobs in order."""
        table = self.root.table("jobs") or _NOTHING
        return tuple(
            Job(name, value, table.at(name)) for name, value in table.members.items() if isinstance(value, Table)
        )

    def job(self, name: str) -> Job | None:
        """Return the job of that id."""
        return next((job for job in self.jobs if job.id == name), None)

    @property
    def env(self) -> Table:
        """Environment variables of all its jobs."""
        return self.root.table("env") or _NOTHING


def default_shell(table: Table) -> Text | None:
    """Return the shell that a workflow or a job gives to all its scripts."""
    run = (table.table("defaults") or _NOTHING).table("run")
    shell = run.members.get("shell") if run is not None else None
    return shell if isinstance(shell, Text) else None


def bare(condition: str) -> str:
    """Return a condition without braces and doubled blanks."""
    text = condition.strip()
    if text.startswith("${{") and text.endswith("}}") and text.count("${{") == 1:
        text = text[3:-2]
    return " ".join(text.split())


def expressions(text: str) -> tuple[str, ...]:
    """Return what stands in `${{ }}` in a text."""
    found: list[str] = []
    start = text.find("${{")
    while start >= 0 and (end := text.find("}}", start)) >= 0:
        found.append(" ".join(text[start + 3 : end].split()))
        start = text.find("${{", end)
    return tuple(found)
