"""torchvision's own compiled operation runs on the device and agrees with a plain computation.

What it proves
    `torchvision.ops.nms` was built for this torch and this GPU: it keeps the same boxes, in the same order, as a plain
    computation in float64 on the CPU, for several sets of random boxes.

What it does not prove
    Anything about torchvision's other operations or its image codecs.

Reasons
    `no-operator`, `wrong-boxes`
"""

from __future__ import annotations

from typing import Any, List

from jetproof_worker.probe import GIB, Context, Failed, Probe

_BOXES = 200
_MARGIN = 1e-4


def run(context: Context) -> None:
    """Suppress overlapping boxes on the device and by hand."""
    torch = context.torch()
    device = context.device()
    torchvision = context.package("torchvision")
    context.detail.update(torchvision=str(torchvision.__version__), device=device)
    draw = torch.Generator().manual_seed(context.seed)
    for turn in range(3):
        corner = torch.rand(_BOXES, 2, generator=draw) * 100
        boxes = torch.cat([corner, corner + 5 + torch.rand(_BOXES, 2, generator=draw) * 40], dim=1)
        scores = torch.randperm(_BOXES, generator=draw).to(torch.float32) / _BOXES
        overlaps = _overlaps(torch, boxes.double())
        threshold = next(
            value for value in (0.5 + step * 0.001 for step in range(400)) if _clear(overlaps, value)
        )  # no pair may lie so near the threshold that rounding decides
        try:
            kept = torchvision.ops.nms(boxes.to(device), scores.to(device), threshold)
        except (RuntimeError, NotImplementedError) as error:
            text = str(error)
            if "torchvision::nms" in text or "no kernel image" in text:
                raise Failed("no-operator", text.partition("\n")[0]) from error
            raise
        wanted = _by_hand(overlaps, scores, threshold)
        context.measure("kept/%d" % turn, float(len(wanted)), "boxes")
        if kept.cpu().tolist() != wanted:
            raise Failed("wrong-boxes", "%s are kept, %s would be right" % (kept.cpu().tolist(), wanted))


def _overlaps(torch: Any, boxes: Any) -> Any:
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    top = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    bottom = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = (bottom - top).clamp(min=0).prod(-1)
    return shared / (area[:, None] + area[None, :] - shared)


def _clear(overlaps: Any, threshold: float) -> bool:
    return bool(((overlaps - threshold).abs() > _MARGIN).all())


def _by_hand(overlaps: Any, scores: Any, threshold: float) -> List[int]:
    kept: List[int] = []
    for index in scores.argsort(descending=True).tolist():
        if all(float(overlaps[index, other]) <= threshold for other in kept):
            kept.append(index)
    return kept


PROBE = Probe(
    id="torchvision-nms",
    run=run,
    params={"device": "`cuda` or `cpu`"},
    packages=("torchvision",),
    timeout=120,
    memory=GIB,
    compiler=True,
    weight=4.0,
)
