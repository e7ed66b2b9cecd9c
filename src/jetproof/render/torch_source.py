"""Which torch is right for a board, as a person or a machine reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jetproof.install.torch_source import Answer, Check, Choice
from jetproof.render.style import PLAIN, Style, printable

SCHEMA = "jetproof/install-torch/1"
_SHOWN = 6


def text(answer: Answer, style: Style = PLAIN) -> str:
    """Return the answer for a terminal; the first line names the best source."""
    first, *rest = (printable(line) for line in _lines(answer))
    return "\n".join([style(first, "bold"), *rest]) + "\n"


def _lines(answer: Answer) -> Iterator[str]:
    stack = answer.stack
    if answer.checks:
        yield _verdict(answer)
        yield from (_check(check) for check in answer.checks)
        return
    if not answer.choices:
        yield f"No source of torch is known for {stack.name}."
        return
    best = answer.choices[0]
    yield f"For {stack.name}: {_name(best)}"
    capabilities = ", ".join(stack.compute_capabilities)
    yield f"(L4T {stack.l4t}, Python {stack.python}, CUDA {stack.cuda}, compute capability {capabilities})"
    for choice in answer.choices[:_SHOWN]:
        yield ""
        yield from _choice(choice)
    left = len(answer.choices) - _SHOWN
    if left > 0:
        yield ""
        yield f"{left} more with --json."
    yield ""
    yield "Nothing was downloaded. A yes is somebody's report; prove it on your board: jetproof doctor"


def _verdict(answer: Answer) -> str:
    if answer.undone:
        return f"This torch is not right for {answer.stack.name}; it was removed again."
    if any(check.passed is None for check in answer.checks):
        return f"Installed in {answer.installed}; not everything could be checked here."
    return f"Installed in {answer.installed}, and it works."


def _check(check: Check) -> str:
    mark = {True: "yes", False: "NO", None: "not known"}[check.passed]
    return f"  {check.name}: {mark} ({check.told})"


def _name(choice: Choice) -> str:
    build = choice.on_stack.build
    number = f" {build.torch_version}" if build.torch_version else ""
    return f"{build.what}{', torch' + number if number else ''}"


def _choice(choice: Choice) -> Iterator[str]:
    build, verdict = choice.on_stack.build, choice.on_stack.verdict
    yield f"{verdict.verdict}: {_name(choice)}"
    yield f"  from: {build.where}"
    yield f"  why: {verdict.why} ({build.confidence})"
    for condition in choice.conditions:
        yield f"  needs: {condition.text}" + (f"   [{condition.command}]" if condition.command else "")
    for note in choice.notes:
        yield f"  note: {note}"
    yield f"  beside it: {choice.siblings}"
    if choice.command:
        yield f"  command: {choice.command}"


def json_object(answer: Answer) -> dict[str, Any]:
    """Return the answer for machines."""
    stack = answer.stack
    return {
        "schema": SCHEMA,
        "stack": stack.name,
        "l4t": stack.l4t,
        "python": stack.python,
        "cuda": stack.cuda,
        "compute_capabilities": list(stack.compute_capabilities),
        "choices": [
            {
                "id": choice.on_stack.build.id,
                "kind": choice.on_stack.build.kind,
                "torch": choice.on_stack.build.torch_version,
                "where": choice.on_stack.build.where,
                "verdict": choice.on_stack.verdict.verdict,
                "why": choice.on_stack.verdict.why,
                "confidence": choice.on_stack.build.confidence,
                "conditions": [{"text": one.text, "command": one.command} for one in choice.conditions],
                "notes": list(choice.notes),
                "siblings": choice.siblings,
                "command": choice.command,
                "sources": [source.url for source in choice.on_stack.build.sources],
            }
            for choice in answer.choices
        ],
        "installed": None if answer.installed is None else str(answer.installed),
        "undone": answer.undone,
        "checks": [{"name": check.name, "passed": check.passed, "told": check.told} for check in answer.checks],
    }
