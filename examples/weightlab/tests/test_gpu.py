"""What must hold on a board. Nothing here is skipped: without CUDA these fail, which is the truth."""

import pytest
import torch
from weightlab.device import get_device
from weightlab.edit import without_direction
from weightlab.shelf import Shelf

pytestmark = pytest.mark.gpu


def test_resolver_chooses_cuda():
    assert get_device("auto").type == "cuda"


def test_edit_on_gpu_equals_reference():
    layer = torch.nn.Linear(256, 512)
    reference = layer.weight.detach().double()
    direction = torch.randn(512)
    shelf = Shelf(layer, torch.device("cuda"))

    shelf.edit("weight", direction)

    wanted = without_direction(reference, direction.double())
    assert torch.allclose(shelf.weights["weight"].double(), wanted, atol=1e-3)
    assert layer.weight.is_meta


def test_edited_model_runs_forward():
    layer = torch.nn.Linear(256, 512)
    shelf = Shelf(layer, torch.device("cuda"))
    shelf.edit("weight", torch.randn(512))

    output = layer(torch.randn(4, 256))

    assert output.device.type == "cuda"
    assert output.isfinite().all()
    assert layer.weight.is_meta
