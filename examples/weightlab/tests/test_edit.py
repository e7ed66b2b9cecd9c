"""What holds on any machine."""

import torch
from weightlab.device import get_device
from weightlab.edit import without_direction
from weightlab.shelf import Shelf


def test_projection_removes_the_direction():
    weight, direction = torch.randn(16, 8, dtype=torch.float64), torch.randn(16, dtype=torch.float64)

    changed = without_direction(weight, direction)

    assert torch.allclose(direction @ changed, torch.zeros(8, dtype=torch.float64), atol=1e-12)


def test_edit_of_an_offloaded_weight():
    layer = torch.nn.Linear(8, 16)
    reference = layer.weight.detach().clone()
    direction = torch.randn(16)
    shelf = Shelf(layer, torch.device("cpu"))

    shelf.edit("weight", direction)

    assert torch.allclose(shelf.weights["weight"], without_direction(reference, direction), atol=1e-6)
    assert layer(torch.randn(3, 8)).isfinite().all()
    assert layer.weight.is_meta


def test_resolver_names_a_device():
    assert get_device("cpu").type == "cpu"
    assert get_device("auto").type in ("cpu", "cuda")
