"""The container runs without the nvidia runtime, so it has neither device nodes nor the host's libraries.

Why it matters
    On L4T the images take the driver (on L4T 32 all of CUDA too) from the host by way of the nvidia runtime. Without it
    libraries are missing or empty, and the GPU is not there. `docker build` uses it only when it is the default.

How it is decided
    The runtime is stated not to be nvidia, Docker does not know it, --gpus is refused in csv mode, libraries in the
    image have no bytes, or device nodes are absent in the container while the host works.

What to do
    Install and register the runtime, make it the default, and start with --runtime nvidia.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.known import host_groups, in_container, jetpack_major, l4t_group
from jetproof.diagnosis.remedies import nvidia_runtime
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Because,
    Confidence,
    Finding,
    Layer,
    Reason,
    because,
)
from jetproof.diagnosis.sonames import empty_library, missing_libraries
from jetproof.diagnosis.symptoms import on_cpu
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD050", name="container-no-nvidia-runtime", root_cause="container-no-nvidia-runtime", layer=Layer.CONTAINER
)

_NO_NODES = Expression(
    r"(?i)/dev/(?:nvmap|nvhost-(?:ctrl|gpu|ctrl-gpu|as-gpu|\*)|nvgpu)\S{0,20}[^\n]{0,60}(?:No such file|not found"
    r"|missing|absent|do(?:es)?(?:n't| not) exist)|NvRmMemInitNvmap[^\n]{0,60}No such file|(?:no|without"
    r"|lacks?) /dev/(?:nvhost|nvmap|nvgpu)"
)
_NOT_NVIDIA = Expression(
    r"(?i)\bnot nvidia\b|\brunc\b|\bnone\b|\bnot given\b|\bdefault\b(?!.{0,20}nvidia)|\bcrun\b|\bplain\b"
    r"|\bkata\b|\bmissing\b"
)
_HOST_WORKS = Expression(
    r"(?i)\b(?:works?|fine|True|ok|available|detected)\b[^.\n]{0,40}\bon (?:the )?host\b"
    r"|\bon (?:the )?host\b[^.\n]{0,60}\b(?:works?|fine|True|ok|available|detected|sees)\b"
    r"|\boutside (?:of )?(?:the )?(?:container|docker)\b[^.\n]{0,40}\b(?:works?|fine|True)"
    r"|\boutside(?: of it)?,? (?:it |everything |that |all )?(?:works?|is fine|runs?)\b"
)
_BUILD = Expression(
    r"(?i)\bdocker(?:-compose| compose)? build\b|\bduring (?:the )?(?:docker )?build\b"
    r"|\bjetson-containers build\b|\bbuildx?\b.{0,20}\bDockerfile\b|^ => ERROR \[|RUN python3? -c",
    re.MULTILINE,
)
_FROM_HOST = frozenset(
    {
        "libcurand",
        "libcublas",
        "libcudart",
        "libcudnn",
        "libcufft",
        "libcusolver",
        "libcusparse",
        "libnvinfer",
        "libcuda",
        "libnvToolsExt",
        "libnvrm",
        "libnvrm_gpu",
        "libnvdla_compiler",
        "libnvrtc",
        "libcublasLt",
        "libnvrm_mem",
        "libnvos",
        "libnvcuvid",
    }
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a container lacks the nvidia runtime."""
    if facts.platform.is_jetson.value is False:
        return
    literal = signed(facts, tables, ABOUT)
    if literal:
        yield _finding((literal.because, *_runtime(facts)), LITERAL, Confidence.CERTAIN)
        return
    empty = empty_library(facts)
    if empty and (in_container(facts) or jetpack_major(facts) == 4):
        yield _finding((empty, *_runtime(facts)), LITERAL, Confidence.LIKELY)
        return
    if not in_container(facts):
        return
    runtime = facts.container.runtime
    not_given = bool(runtime.value and _NOT_NVIDIA.search(runtime.value))
    nodes_absent = facts.container.gpu_nodes.value is False
    nodes = hit(facts, _NO_NODES)
    library = _host_library(facts)
    given = bool(runtime.value and "nvidia" in runtime.value.lower() and not not_given)
    available = facts.torch.available
    if nodes_absent or (not_given and (library or nodes or available.value is False)):
        reasons = (
            *_runtime(facts),
            because(facts.container.gpu_nodes) if nodes_absent else None,
            library,
            nodes,
        )
        yield _finding(reasons, LITERAL, Confidence.CERTAIN if nodes_absent else Confidence.LIKELY)
    elif not_given:
        yield _finding(_runtime(facts), SHARED, Confidence.LIKELY)
    elif nodes and not given:
        yield _finding((nodes.because,), SHARED, Confidence.LIKELY)
    elif library and not given:
        build = hit(facts, _BUILD)
        differs = _differs(facts, tables)
        strong = build is not None or (not differs and (jetpack_major(facts) or 4) <= 5)
        yield _finding(
            (library, build),
            SHARED if strong else SYMPTOM,
            Confidence.LIKELY if strong else Confidence.POSSIBLE,
        )
    elif not given and (build := hit(facts, _BUILD)) and (blind := on_cpu(facts)):
        yield _finding((build, blind), SHARED, Confidence.LIKELY)
    elif not given and _host_works(facts):
        yield _finding((_host_works(facts), available), SHARED, Confidence.LIKELY)


def _host_works(facts: Facts) -> Because | None:
    found = hit(facts, _HOST_WORKS)
    blind = facts.torch.available.value is False or hit(
        facts,
        Expression(
            r"(?i)no CUDA|no GPU|no NVIDIA (?:driver|GPU)|not detect|cannot (?:find|see)|False|100\b"
            r"|CUDA driver version is insufficient|libcuda"
        ),
    )
    return found.because if found and blind else None


def _differs(facts: Facts, tables: Tables) -> bool:
    image = l4t_group(facts.container.image_l4t.value or "")
    host = host_groups(facts, tables)
    return bool(image and host and image not in host)


def _host_library(facts: Facts) -> Because | None:
    return next((library.because for library in missing_libraries(facts) if library.name in _FROM_HOST), None)


def _runtime(facts: Facts) -> tuple[Because, ...]:
    return (because(facts.container.runtime),) if facts.container.runtime.known else ()


def _finding(reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "The container runs without the nvidia runtime: the host's driver and libraries are not in it.",
        because=reasons,
        remedy=nvidia_runtime(),
        specificity=specificity,
        confidence=confidence,
        missing=() if specificity == LITERAL else ("container.runtime", "container.gpu_nodes"),
    )


RULE = ABOUT.rule(check)
