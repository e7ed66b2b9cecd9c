"""Which container images are made for Jetson, by their names."""

from __future__ import annotations

from jetproof.diagnosis.rule import Because, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts

FOR_TEGRA = Expression(
    r"(?i)l4t|igpu|jetson|tegra|jetpack|\bjp\d|dustynv|\br3[2-9]\.\d|[-_]r3[2-9]\b|roboflow-inference-server-jetson"
)
GENERIC = Expression(
    r"(?i)nvcr\.io/nvidia/(?:pytorch|tensorflow|tensorrt|tritonserver|cuda|deepstream|clara|cuopt|nemo|vllm"
    r"|pytorch-geometric|rapidsai|merlin|modulus)\b|\bnvidia/cuda\b|\bpytorch/pytorch\b|\bvllm/vllm-openai\b"
    r"|\bultralytics/ultralytics\b|\brapidsai/|\btensorflow/tensorflow\b|\bdgpu\b|\bdiscrete[- ]GPU\b|\bsbsa\b"
    r"|\bserver (?:arm64|aarch64)\b|\bhuggingface/\S{1,40}|\bghcr\.io/\S{1,80}|\b(?:generic|desktop"
    r"|data-?cent(?:er|re)) (?:CUDA |arm64 |NGC )?(?:image|container)"
)


def generic_image(facts: Facts) -> Because | None:
    """Return the image when its name is that of one made for all arm64 machines or for servers."""
    image = facts.container.image
    return because(image) if image.value and GENERIC.search(image.value) else None
