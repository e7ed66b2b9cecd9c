"""The torch wheel links libraries that JetPack does not ship and that the wheel does not declare.

Why it matters
    Wheels of the Jetson and SBSA indexes link NVPL, cuDSS, OpenBLAS or OpenMPI from the machine they were built on.
    pip reports success and the import fails.

How it is decided
    The missing library is one of these. cuSPARSELt has a rule of its own.

What to do
    Install the library from NVIDIA's or Ubuntu's repository.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD081",
    name="torch-wheel-undeclared-libs",
    root_cause="torch-wheel-undeclared-libs",
    layer=Layer.TORCH_LIBRARIES,
)

_LIBRARY = Expression(
    r"\blib(nvpl|cudss|openblas|mpi|gfortran|blas|lapack|nccl|nvshmem|omp|cufile)(?:_\w{1,40})?\.so(?:\.\d{1,3}){0,3}"
)
_STEPS = {
    "nvpl": (
        "Install NVPL.",
        "python3 -m pip install nvpl-blas nvpl-lapack\nsudo apt-get install -y libnvpl-blas0 libnvpl-lapack0",
    ),
    "cudss": ("Install cuDSS from NVIDIA's CUDA repository.", "sudo apt-get install -y cudss"),
    "openblas": ("Install OpenBLAS.", "sudo apt-get install -y libopenblas0"),
    "mpi": ("Install OpenMPI.", "sudo apt-get install -y libopenmpi-dev openmpi-bin"),
    "gfortran": ("Install the Fortran runtime.", "sudo apt-get install -y libgfortran5"),
    "nccl": ("Install NCCL, or a wheel for Jetson, which does without.", "sudo apt-get install -y libnccl2"),
}


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an undeclared library is what an import misses."""
    found = signed(facts, tables, ABOUT) or hit(facts, _LIBRARY)
    if found is None:
        return
    named = _LIBRARY.search(found.match.group(0)) or _LIBRARY.search(found.message.text)
    text, command = _STEPS.get(
        named.group(1) if named else "", ("Install the library that the message names.", "apt-cache search LIBRARY")
    )
    torch = facts.torch
    yield ABOUT.finding(
        "The torch wheel links a library that JetPack does not ship and the wheel does not declare.",
        because=(found.because, torch.torch_source),
        remedy=(
            Remedy(text=text, command=command),
            Remedy(
                text="See all that is missing at once.",
                command="ldd $(python3 -c 'import importlib.util as u; "
                'print(u.find_spec("torch").submodule_search_locations[0])\')/lib/libtorch_*.so '
                "| grep 'not found'",
            ),
        ),
        confidence=Confidence.CERTAIN if "cannot open" in found.message.text else Confidence.LIKELY,
        specificity=LITERAL,
    )


RULE = ABOUT.rule(check)
