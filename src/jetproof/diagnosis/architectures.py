"""Which GPU code a build holds, and whose code a failing launch was."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jetproof.diagnosis.evidence import Hit, hit
from jetproof.diagnosis.rule import Because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, MessageKind

_WARNING = Expression(
    r"Found GPU\d+ [^\n]{0,60} which is of compute capability[^\n]{0,200}|[^\n]{0,60}with CUDA capability sm_\d+ is not compatible with the current PyTorch"
)
_PACKAGES = (
    r"flash[-_ ]?attn|flash[-_ ]?attention|jax(?:lib)?|xformers|mamba(?:[-_]ssm)?|causal[-_]conv1d|deepspeed|detectron2|mmcv|mmdet3d|spconv|minkowski ?engine|pytorch3d|torch[-_](?:scatter|sparse|cluster)"
    r"|tiny-?cuda-?nn|tinycudann|gsplat|diff[-_]gaussian\w{0,20}|nerfacc|bevfusion|exllama\w{0,3}|auto[-_]?gptq|autoawq|awq(?:_inference)?|sage ?attention|vllm|sglang|ggml\w{0,20}|llama\.?cpp|llama-cpp-python|ollama|whisper\.cpp"
    r"|cupy|numba|onnxruntime\w{0,4}|tensorflow|paddle\w{0,10}|apex|DCNv[23]|deform\w{0,4}[-_ ]?conv\w{0,4}|pointnet2?\w{0,12}|DROID-?SLAM|droid_backends|lietorch|dpvo|natten|fused[-_]\w{2,20}|nvdiffrast|curobo|kaolin|natten|lmdeploy|mlc[-_]llm|tvm|dlib|opencv|darknet|openpose|colmap|open3d|taichi|warp|isaac\w{0,10}|unsloth|qserve|quip|hqq|torchao|torch2trt|fastllm|stable-diffusion\.cpp|exllamav2|k2|fairscale|trt_?llm|tensorrt[-_]llm"
)
_OTHER = Expression(
    rf"(?i)(?<![\w/])(?:{_PACKAGES})(?![\w])|\b(?:custom|own|project'?s|its|our|my) (?:CUDA )?(?:extension|kernel|op|plugin|build)s?\b|\bCUDA (?:extension|plugin)s?\b|\bin function ggml\w*|\bcompiled (?:my|our|the) (?:own )?(?:kernel|extension|\.cu\b)"
)
_OTHER_MODULE = Expression(
    r"(?i)\bpython3? -m (?!torch|pip|venv|build)([a-z_]\w{1,40})|\bimport (?!torch|numpy|os\b|sys\b|time\b)([a-z_]\w{1,40})"
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


def other_code(facts: Facts) -> Because | None:
    """Return what names another package than torch as the one whose code ran."""
    for message in facts.messages:
        if message.read_from == "reported.package" and not re.match(
            r"(?i)\W{0,3}(?:py)?torch\b(?![- ]?\w)", message.text
        ):
            return Because(fact="package", value=message.text[:200], read_from=message.read_from)
    for message in facts.messages:
        if message.read_from in ("reported.torch_source", "reported.container_image", "reported.model"):
            continue
        if (
            message.kind is MessageKind.COMMAND
            and message.read_from == "reported.install_commands"
            and no_kernel(facts) is None
        ):
            continue
        found = _OTHER.search(message.text) or (
            _OTHER_MODULE.search(message.text) if message.kind is MessageKind.COMMAND else None
        )
        if found:
            return Hit(match=found, message=message).because
        frames = _FRAME.findall(message.text)
        if frames and _NO_KERNEL.search(message.text) and frames[-1] not in ("torch", "torchvision", "torchaudio"):
            last = list(_FRAME.finditer(message.text))[-1]
            return Hit(match=last, message=message).because
    return None
