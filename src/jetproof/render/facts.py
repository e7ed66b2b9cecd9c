"""Facts as a person reads them: a short summary for the doctor, and every fact with its place for `inspect`."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts, Outcome, PlatformClass
from jetproof.render.style import PLAIN, Style, one_line

_GIB = 1 << 30


def value_text(fact: Fact[object]) -> str:
    """Return a fact's value, "none" when it is known to be absent, else why it is not known."""
    if fact.absent:
        return "none"
    if fact.value is None:
        return f"unknown ({fact.reason.value})" if fact.reason else "unknown"
    value = fact.value
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        items = (" ".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value)
        return one_line(", ".join(items)) or "none"
    if isinstance(value, int) and fact.name.startswith("memory."):
        return f"{value / _GIB:.1f} GiB"
    return one_line(str(value))


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _with(label: str, fact: Fact[str]) -> str:
    return f"{label} {value_text(fact)}" if fact.known or fact.absent else ""


def machine(facts: Facts) -> str:
    """Name the machine in a few words, with no more than is known."""
    platform = facts.platform
    if platform.module.known:
        return value_text(platform.module)
    if platform.model.known:
        return value_text(platform.model)
    kind = platform.platform_class.value
    if kind is PlatformClass.JETSON:
        return "a Jetson whose module is not known"
    if kind is not None and kind is not PlatformClass.UNKNOWN:
        return f"{kind.value} machine"
    return "a machine that is not known"


def summary(facts: Facts) -> list[tuple[str, str]]:
    """Return (label, text) lines that say what was looked at: board, releases, Python, torch, memory."""
    platform, cuda, torch, memory = facts.platform, facts.cuda, facts.torch, facts.memory
    lines = [
        (
            "machine",
            _joined(
                machine(facts),
                value_text(platform.module_part_number) if platform.module_part_number.known else "",
                value_text(platform.soc) if platform.soc.known else "",
                _with("compute capability", platform.compute_capability),
                value_text(platform.arch) if platform.arch.known else "",
            ),
        )
    ]
    if platform.l4t.known or platform.jetpack.known or platform.is_jetson.value:
        lines.append(("L4T", _joined(value_text(platform.l4t), f"JetPack {value_text(platform.jetpack)}")))
    stack = _joined(
        _with("driver speaks", cuda.driver),
        _with("toolkit", cuda.toolkit),
        _with("cuDNN", cuda.cudnn),
        _with("TensorRT", cuda.tensorrt),
    )
    if stack:
        lines.append(("CUDA", stack))
    if torch.interpreter.known or torch.python.known:
        chosen = f"from {value_text(torch.chosen_by)}" if torch.chosen_by.known else ""
        name = value_text(torch.interpreter) if torch.interpreter.known else ""
        lines.append(("Python", _joined(f"{name} {value_text(torch.python)}".strip(), chosen)))
    if torch.torch.known or torch.torch.absent:
        built = "built without CUDA" if torch.torch_cuda.absent else _with("built for CUDA", torch.torch_cuda)
        where = value_text(torch.torch_file) if torch.torch_file.known else ""
        lines.append(("torch", _joined(value_text(torch.torch), built, where)))
    if torch.device_name.known:
        lines.append(
            (
                "GPU",
                _joined(
                    value_text(torch.device_name),
                    _with("compute capability", torch.device_capability),
                    value_text(torch.device_memory) if torch.device_memory.known else "",
                ),
            )
        )
    # asking for the device is told by the lines above; what was done with it stands here
    done = [trial for trial in torch.trials if trial.outcome is not Outcome.NOT_RUN and trial.name[:5] != "cuda "]
    tried = [f"{trial.name} {trial.outcome.value}" for trial in done]
    if tried:
        where = " (on the CPU)" if torch.available.value is False else ""
        lines.append(("tried", one_line(", ".join(tried)) + where))
    for other in torch.others:
        lines.append(("also", one_line(other)))
    if memory.total.known:
        lines.append(
            (
                "memory",
                _joined(
                    value_text(memory.total),
                    f"{value_text(memory.available)} available" if memory.available.known else "",
                    f"{value_text(memory.swap_total)} swap" if memory.swap_total.known else "",
                ),
            )
        )
    return lines


def every_fact(facts: Facts) -> Iterator[Fact[object]]:
    """Yield each fact of each group, in the order of the model."""
    for group in fields(facts):
        value = getattr(facts, group.name)
        if not is_dataclass(value) or isinstance(value, type):
            continue
        for member in fields(value):
            fact = getattr(value, member.name)
            if isinstance(fact, Fact):
                yield fact


def told(facts: Facts, style: Style = PLAIN, *, everything: bool = False) -> str:
    """Return the facts for a terminal; with `everything`, the unknown ones and each place too."""
    title = machine(facts)
    if facts.platform.is_jetson.value is False:
        title += " (not a Jetson)"
    elif facts.platform.is_jetson.value is None:
        title += " (whether it is a Jetson is not known)"
    if facts.origin.value != "live":
        title += f" [{facts.origin.value}]"
    lines = [style(title, "bold")]
    lines += [f"  {style(label.ljust(8), 'dim')} {text}" for label, text in summary(facts)[1:]]
    lines += [f"  {style('note'.ljust(8), 'yellow')} {one_line(note)}" for note in facts.platform.notes]
    if everything:
        lines.append("")
        for fact in every_fact(facts):
            place = f"   {style('from ' + one_line(fact.read_from), 'dim')}" if fact.read_from else ""
            lines.append(f"  {fact.name.ljust(34)} {value_text(fact)}{place}")
    return "\n".join(lines) + "\n"
