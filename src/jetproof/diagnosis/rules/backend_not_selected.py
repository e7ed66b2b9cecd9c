"""CUDA starts, and the program picks the CPU for lack of a setting, without an error.

Why it matters
    The service looks healthy and is slow. Nothing is wrong with the board.

How it is decided
    CUDA initialises (or torch sees the GPU), the program serves on the CPU, and no error says why.

What to do
    Set the program's switch for its backend.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis import symptoms
from jetproof.diagnosis.evidence import SAID, hit
from jetproof.diagnosis.packages import named
from jetproof.diagnosis.rule import LITERAL, SHARED, SYMPTOM, About, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind
from jetproof.tables import Tables

ABOUT = About(id="JD122", name="app-backend-not-selected", root_cause="app-backend-not-selected", layer=Layer.PROGRAM)

_CPU = Expression(
    r"(?i)\b\w{3,20}s on (?:the )?CPU\b|\b(?:serves?|runs?|running|ran|falls? back|fell back|defaults?|inference"
    r"|generat\w{1,4}|uses?|stays?|silently)\b[^.\n]{0,40}\b(?:on|over|to|uses?|with|using) (?:the )?CPU\b"
    r"|\b100% CPU\b|\bGPU (?:utili[sz]ation|load|usage|util)\b[^.\n]{0,20}\b0 ?%|offloaded 0/\d{1,4} layers"
    r"|n_gpu_layers ?= ?0|library=cpu|\bGPU (?:is |stays |was )?(?:idle|unused|never used|not used)"
)
_FINE = Expression(
    r"(?i)\bno error\b|\bwithout (?:an |any )?error|\blooks? healthy|\bCUDA (?:initiali[sz]es|works|is fine"
    r"|itself works|is available|is working)|\bCUDA init\w{0,12} (?:ok|succeed\w{0,3}|fine)"
    r"|is_available\W{0,12}[^\n]{0,12}True|deviceQuery[^.\n]{0,30}(?:pass|works|ok|fine)"
    r"|torch[^.\n]{0,30}\b(?:works|sees|fine|True)"
)
_SWITCH = Expression(
    r"(?i)\b(?:environment variable|env(?:ironment)? var|env\b|flag|option|switch|setting|JETSON_JETPACK"
    r"|--device|--gpu-layers|-ngl\b|n_gpu_layers|num_gpu|device ?= ?['\"]?(?:cuda|cpu)|OLLAMA_\w{3,30}|BACKEND"
    r"|provider(?:s)?\b|must be set|was not set|unset)"
)
_BROKEN = Expression(
    r"(?i)cannot open shared|no kernel image|driver .{0,40}too old|not compiled with|Permission denied|Traceback"
    r"|undefined symbol|unsupported jetpack|not supported|\b(?:CUDA|GPU) (?:is )?(?:not|un)[- ]?available"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a program stays on the CPU although CUDA works."""
    on_cpu = hit(facts, _CPU) or symptoms.on_cpu(facts)
    if on_cpu is None or facts.torch.available.value is False or hit(facts, _BROKEN, *SAID):
        return
    fine, switch = hit(facts, _FINE), hit(facts, _SWITCH)
    program = named(facts, tables, "backend-switch")
    works = facts.torch.available if facts.torch.available.value else None
    reasons = (
        on_cpu.because,
        fine,
        because(works) if works else None,
        switch,
        program,
    )
    if any(message.kind is MessageKind.ERROR for message in facts.messages):
        specificity = SYMPTOM  # an error says why, then
    elif fine or works or switch:
        specificity = LITERAL if (fine or works or (switch and program)) else SHARED
    elif facts.torch.torch.known:
        return
    elif program or hit(facts, _CPU):
        specificity = SYMPTOM
    else:
        return
    yield ABOUT.finding(
        "CUDA works, and the program picks the CPU for lack of a setting.",
        because=reasons,
        specificity=specificity,
        confidence=Confidence.LIKELY if specificity == LITERAL else Confidence.POSSIBLE,
        remedy=(
            Remedy(
                text="Set the program's switch for CUDA; its start-up log says which backend it takes.",
                command="export JETSON_JETPACK=6   # ollama in a container; llama.cpp: -ngl 99; others: --device cuda",
            ),
        ),
    )


RULE = ABOUT.rule(check)
