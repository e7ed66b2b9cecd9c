"""Asks an interpreter of this machine, through the worker, what it sees and whether its torch works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import Undecided
from jetproof.facts.model import Outcome, Trial
from jetproof.install.interpreter import Installed, Interpreter, Torch
from jetproof_worker import distributions, trying

_DECISIVE = ("import torch", "matmul")
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


@dataclass(frozen=True, kw_only=True)
class LocalAsker:
    """Asks on this machine. Nothing is redacted: paths are needed as they are."""

    choose: Callable[[str | None], tuple[str | None, str]]
    """Gives (path of the interpreter, by what it was chosen)."""
    patience: float = 1.0
    """Stretches the time limits of slow storage."""

    def ask(self, python: str | None) -> Interpreter:
        """Describe the interpreter and try its torch in a fresh process. Undecided when it does not answer."""
        path, asked = self.choose(python)
        if path is None:
            raise Undecided("no Python was found", hint="Name one with --python.", reason="no-python")
        told, tried = trying.run(path, asked, patience=self.patience)
        answer = told["interpreter"]
        if told["status"] != "ok" or not isinstance(answer, dict):
            raise Undecided(
                f"{path} does not answer: {told['detail'] or told['status']}",
                hint="Name a Python that starts with --python.",
                reason="python-broken",
            )
        return interpreter(answer, tried, asked)


def interpreter(
    answer: Mapping[str, Any],
    tried: Mapping[str, Any],
    asked: str,
    found: Iterable[Mapping[str, Any]] | None = None,
) -> Interpreter:
    """Put together what the interpreter said of itself and what lies on its paths; `found` where that was listed."""
    return Interpreter(
        executable=Path(answer["executable"]),
        release=answer["version"],
        prefix=Path(answer["prefix"]),
        base_prefix=Path(answer["base_prefix"]),
        is_venv=bool(answer["is_venv"]),
        is_conda=bool(answer["is_conda"]),
        user_site=Path(answer["user_site"]) if answer["user_site"] else None,
        machine=answer["machine"],
        glibc=answer["glibc"],
        distributions=installed(answer["site_paths"]) if found is None else listed(found),
        torch=torch(tried),
        asked=asked,
    )


def installed(site_paths: Iterable[str]) -> tuple[Installed, ...]:
    """List every distribution on these paths; the first of a name is the one that an import finds."""
    return listed(distributions.installed(site_paths))


def listed(told: Iterable[Mapping[str, Any]]) -> tuple[Installed, ...]:
    """Return the distributions that the worker listed."""
    return tuple(
        Installed(
            name=one["name"],
            release=one["release"],
            location=Path(one["location"]),
            active=one["active"],
            requires=tuple(one["requires"]),
        )
        for one in told
    )


def torch(tried: Mapping[str, Any]) -> Torch:
    """Read what became of the trials."""
    made = tuple(
        Trial(
            name=step["name"],
            outcome=_OUTCOMES.get(step["outcome"], Outcome.FAILED),
            message=step.get("message", ""),
            seconds=step.get("seconds"),
        )
        for step in tried["steps"]
    )
    data: dict[str, Mapping[str, Any]] = {step["name"]: step.get("data") or {} for step in tried["steps"]}
    decisive = [trial for trial in made if trial.name in _DECISIVE]
    broken = next((trial for trial in decisive if trial.outcome is not Outcome.OK), None)
    if broken is not None:
        outcome, message = broken.outcome, f"{broken.name}: {broken.message}"
    elif len(decisive) == len(_DECISIVE):
        outcome, message = Outcome.OK, ""
    else:
        outcome, message = Outcome.NOT_RUN, tried.get("stderr") or "nothing was tried"
    imported = data.get("import torch", {})
    return Torch(
        outcome=outcome,
        message=message,
        release=imported.get("torch"),
        file=imported.get("file"),
        built_for_cuda=imported.get("cuda"),
        available=data.get("cuda available", {}).get("available"),
        arch_list=None if imported.get("arch_list") is None else tuple(imported["arch_list"]),
        trials=made,
    )
