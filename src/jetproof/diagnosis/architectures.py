"""Which GPU code a build holds, and whose code a failing launch was."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jetproof.diagnosis.evidence import Hit, hit
from jetproof.diagnosis.packages import package, with_trait
from jetproof.diagnosis.rule import Because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind
from jetproof.tables import Tables

_WARNING = Expression(
    r"Found GPU\d+ [^\n]{0,60} which is of compute capability[^\n]{0,200}"
    r"|[^\n]{0,60}(?:with CUDA capability )?\bsm_\d+ is not compatible with the current PyTorch"
)
_OWN_CODE = Expression(
    r"(?i)\b(?:custom|own|project'?s|its|our|my) (?:CUDA )?(?:extension|kernel|op|plugin|build)s?\b"
    r"|\bCUDA (?:extension|plugin)s?\b"
    r"|\bin function ggml\w*|\bcompiled (?:my|our|the) (?:own )?(?:kernel|extension|\.cu\b)"
    r"|\bcompatible \w{2,30} extension\b"
    r"|\bdiff[-_]gaussian\w{0,20}|\bdeform\w{0,4}[-_ ]?conv\w{0,4}|\bfused[-_]\w{2,20}|\bisaac\w{0,10}"
)
_OTHER_MODULE = Expression(
    r"(?i)\bpython3? -m (?!torch|pip|venv|build)([a-z_]\w{1,40})|\bimport (?!torch|numpy|os\b|sys\b"
    r"|time\b)([a-z_]\w{1,40})"
)
_NO_KERNEL = Expression(r"(?i)no kernel image is available|NoKernelImageForDevice|invalid device function")
_FRAME = Expression(r"(?:site|dist)-packages/([A-Za-z_][\w.-]{0,40})/")


def covers(archs: Sequence[str], capability: int) -> bool:
    """Whether an arch list holds code for a capability (87, 110): its own machine code, or PTX that is not newer."""
    for arch in archs:
        kind, _, number = arch.partition("_")
        digits = int(re.sub(r"\D", "", number) or 0)
        if kind == "sm" and digits == capability:
            return True
        if kind == "compute" and 0 < digits <= capability and not number.endswith(("a", "f")):
            return True
    return False


def torch_warning(facts: Facts) -> Because | None:
    """Return torch's own warning that it has no code for the GPU."""
    found = hit(facts, _WARNING)
    return found.because if found else None


def no_kernel(facts: Facts) -> Hit | None:
    """Return where a launch failed for lack of code."""
    return hit(facts, _NO_KERNEL)


def other_code(facts: Facts, tables: Tables) -> Because | None:
    """Return what names another package than torch as the one whose code ran."""
    given = package(facts)
    if given:
        return Because(fact="package", value=given.text[:200], read_from=given.read_from)
    names = with_trait(tables, "own-kernels")
    for message in facts.messages:
        if message.member in ("torch_source", "container_image", "model"):
            continue
        if message.kind is MessageKind.COMMAND and message.member == "install_commands" and no_kernel(facts) is None:
            continue
        found = (
            names.search(message.text)
            or _OWN_CODE.search(message.text)
            or (_OTHER_MODULE.search(message.text) if message.kind is MessageKind.COMMAND else None)
        )
        if found:
            return Hit(match=found, message=message).because
        frames = _FRAME.findall(message.text)
        if frames and _NO_KERNEL.search(message.text) and frames[-1] not in ("torch", "torchvision", "torchaudio"):
            last = list(_FRAME.finditer(message.text))[-1]
            return Hit(match=last, message=message).because
    return None
