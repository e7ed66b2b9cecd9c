"""A stand-in for torchvision: one operation."""

import types

import torch
from torch import faults

__version__ = "0.20.0a0+stand.in"


def _nms(boxes, scores, threshold):
    if faults.has("no-nms"):
        raise RuntimeError("operator torchvision::nms does not exist")
    rows, kept = boxes.tolist(), []
    for index in scores.argsort(descending=True).tolist():
        if all(_overlap(rows[index], rows[other]) <= threshold for other in kept):
            kept.append(index)
    return torch.tensor(kept, dtype=torch.int64, device=boxes.device)


def _overlap(one, other):
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0.0) * max(height, 0.0)
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return shared / (area - shared)


ops = types.SimpleNamespace(nms=_nms)
