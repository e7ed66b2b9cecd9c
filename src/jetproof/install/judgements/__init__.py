"""The judgements of an audit, in the order of their ids."""

from __future__ import annotations

from jetproof.install.judgements import (
    bitsandbytes_wheel,
    index_elsewhere,
    input_not_known,
    marker_for_machine,
    no_wheel,
    numpy_two,
    nvidia_wheels,
    python_not_supported,
    replaces_through,
    sibling_not_held,
    torch_locked,
    torch_requirement,
    triton_not_paired,
    uv_blind,
)
from jetproof.install.judgements.judgement import Judgement

JUDGEMENTS: tuple[Judgement, ...] = (
    python_not_supported.JUDGEMENT,
    torch_locked.JUDGEMENT,
    torch_requirement.JUDGEMENT,
    sibling_not_held.JUDGEMENT,
    index_elsewhere.JUDGEMENT,
    replaces_through.JUDGEMENT,
    nvidia_wheels.JUDGEMENT,
    triton_not_paired.JUDGEMENT,
    bitsandbytes_wheel.JUDGEMENT,
    numpy_two.JUDGEMENT,
    no_wheel.JUDGEMENT,
    marker_for_machine.JUDGEMENT,
    input_not_known.JUDGEMENT,
    uv_blind.JUDGEMENT,
)
