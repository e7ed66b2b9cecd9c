"""An alpha's number, read twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from jetproof.install.fit import Fit, demand, fit
from jetproof.install.held import LISTED, Family, family, is_held

VENDOR = "2.8.0a0+5228986c39.nv25.06"


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("", Fit.AS_IS),
        (">=2.7", Fit.AS_IS),
        ("==2.8.*", Fit.AS_IS),
        ("<2.9", Fit.AS_IS),
        (">=2.8", Fit.ALPHA),
        ("==2.8.0", Fit.ALPHA),
        ("~=2.8.0", Fit.ALPHA),
        (">=2.8.0,<2.9", Fit.ALPHA),
        ("==2.7.1", Fit.UNFIT),
        (">=2.9", Fit.UNFIT),
        ("<2.8", Fit.UNFIT),
    ],
)
def test_nvidias_alpha(specifier: str, expected: Fit) -> None:
    assert fit(SpecifierSet(specifier), VENDOR) is expected


def test_a_plain_number_is_never_an_alpha() -> None:
    assert fit(SpecifierSet(">=2.8"), "2.8.0") is Fit.AS_IS
    assert fit(SpecifierSet(">=2.9"), "2.8.0") is Fit.UNFIT


def test_what_is_no_number_cannot_be_compared() -> None:
    assert fit(SpecifierSet(">=2"), "git-abc") is Fit.UNKNOWN


def test_a_demand_on_what_is_absent_has_no_fit() -> None:
    one = demand("a 1", "torchvision>=0.15", None)
    assert one is not None
    assert (one.name, one.fit) == ("torchvision", None)
    assert demand("a 1", "not a requirement ==", None) is None


numbers = st.builds(lambda major, minor, patch: f"{major}.{minor}.{patch}", *(st.integers(0, 5),) * 3)


@given(bound=numbers, build=numbers, operator=st.sampled_from([">=", "==", "<", "<=", "!=", ">"]))
def test_an_alpha_is_allowed_only_where_its_final_would_fit(bound: str, build: str, operator: str) -> None:
    specifier = SpecifierSet(f"{operator}{bound}")
    found = fit(specifier, f"{build}a0+nv25.6")
    if found is Fit.ALPHA:
        assert specifier.contains(Version(build))
    if found is Fit.UNFIT:
        assert not specifier.contains(Version(build))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch", Family.TORCH),
        ("Torch_Vision", None),
        ("torchvision", Family.SIBLING),
        ("TorchAudio", Family.SIBLING),
        ("pytorch-triton", Family.TRITON),
        ("tensorrt_cu12_libs", Family.TENSORRT),
        ("nvidia.cublas", Family.NVIDIA),
        ("nvidia-cudnn-cu13", Family.NVIDIA),
        ("cuda-toolkit", Family.CUDA),
        ("bitsandbytes", Family.QUANTIZATION),
        ("torchmetrics", None),
        ("torch-geometric", None),
        ("cuda-something", None),
        ("numpy", None),
    ],
)
def test_what_is_held(name: str, expected: Family | None) -> None:
    assert family(name) is expected
    assert is_held(name) is (expected is not None)


def test_everything_listed_is_held() -> None:
    assert all(is_held(name) for name in LISTED)
