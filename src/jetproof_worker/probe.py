"""What a probe is, what it is given and how it answers.

A probe is one file in `probes/`; `catalogue.py` lists them. Its `run(context)` returns when what it proves holds,
measures along the way, and raises `Failed`, `Missed` or `Broken` when not. Torch is imported by `Context.torch` only.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

MIB = 1 << 20
GIB = 1 << 30


class NotPassed(Exception):
    """Why a probe did not pass: an outcome, a stable reason code and words for a person."""

    outcome = "ERROR"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Failed(NotPassed):
    """It ran, and the answer is no."""

    outcome = "FAIL"


class Missed(NotPassed):
    """It could not run: something that it needs is not there."""

    outcome = "MISS"


class Broken(NotPassed):
    """The probe itself could not do its work."""

    outcome = "ERROR"


@dataclass(frozen=True)
class Measurement:
    """One figure that was measured, with the bound it must keep, if there is one."""

    name: str
    value: float
    unit: str = ""
    bound: Optional[float] = None
    sense: Optional[str] = None
    """at-most or at-least; None without a bound."""

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; a figure that is not finite keeps none."""
        if not math.isfinite(self.value):
            return False
        if self.bound is None:
            return True
        return self.value >= self.bound if self.sense == "at-least" else self.value <= self.bound

    def as_record(self) -> Dict[str, Union[str, float, None]]:
        """Return it as JSON can hold it: a figure that is not finite becomes a word."""
        value: Union[str, float] = self.value if math.isfinite(self.value) else str(float(self.value))
        return {"name": self.name, "value": value, "unit": self.unit, "bound": self.bound, "sense": self.sense}


@dataclass
class Context:
    """What one run of a probe is given, and where it writes what it measures."""

    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    scratch: str = ""
    """An empty folder of this run's own."""
    threads: int = 1
    """Threads that the CPU side of torch may use."""
    resolver: Optional[str] = None
    project_root: Optional[str] = None
    project_paths: Tuple[str, ...] = ("src", ".")
    measurements: List[Measurement] = field(default_factory=list)
    detail: Dict[str, Any] = field(default_factory=dict)

    def measure(
        self, name: str, value: float, unit: str = "", bound: Optional[float] = None, sense: str = "at-most"
    ) -> Measurement:
        """Write down a figure; `bound` may be replaced by the policy's (`params["bounds"][name]`)."""
        given = self.params.get("bounds", {}).get(name)
        bound = bound if given is None else float(given)
        measured = Measurement(name, float(value), unit, bound, sense if bound is not None else None)
        self.measurements.append(measured)
        return measured

    def torch(self) -> Any:
        """Import torch, hold its CPU side to this run's threads and seed it. Raises `Missed` when there is none."""
        try:
            torch = importlib.import_module("torch")
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise Missed("no-torch", "this interpreter has no torch") from error
        torch.set_num_threads(self.threads)
        torch.manual_seed(self.seed)
        return torch

    def device(self) -> str:
        """Return the device under test, `params["device"]` or cuda. Raises `Missed` when torch sees no such device."""
        name = str(self.params.get("device", "cuda"))
        if name == "cuda" and not self.torch().cuda.is_available():
            raise Missed("device-missing", "torch.cuda.is_available() is False: there is no device to run this on")
        if name not in ("cuda", "cpu"):
            raise Broken("bad-parameter", "device must be cuda or cpu, not %r" % name)
        return name

    def package(self, name: str) -> Any:
        """Import a package that the probe needs. Raises `Missed` when the interpreter lacks it."""
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name.partition(".")[0]:
                raise
            raise Missed("package-missing", "this interpreter has no %s" % name) from error

    def require(self, holds: bool, reason: str, message: str) -> None:
        """Raise `Failed` unless it holds."""
        if not holds:
            raise Failed(reason, message)


@dataclass(frozen=True)
class Probe:
    """One thing that can be proven, and what running it takes."""

    id: str
    run: Callable[[Context], None]
    params: Mapping[str, str] = field(default_factory=dict)
    """Names of the parameters it takes beside `bounds`, each with what it means."""
    needs_torch: bool = True
    compiler: bool = False
    """Whether what it imports brings torch's own compiler front end, torch._dynamo, which costs as much as torch."""
    packages: Tuple[str, ...] = ()
    """Packages beside torch that it imports, so that what is missing can be named before a run."""
    timeout: float = 120.0
    """Seconds, unless the policy says otherwise."""
    memory: int = GIB
    """Bytes of main memory that it is expected to take at its peak, on unified memory the GPU's included."""
    weight: float = 1.0
    """How long its imports and its work take beside the others': the heaviest begins first."""
    exclusive: bool = False
    """Whether nothing else may run beside it."""

    @property
    def documentation(self) -> str:
        """The probe's page: the docstring of the file that holds it."""
        return (importlib.import_module(self.run.__module__).__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of its page."""
        return self.documentation.partition("\n")[0]


def relative_error(torch: Any, result: Any, reference: Any) -> float:
    """Return ‖result − reference‖ / ‖reference‖ in float64 on the CPU; NaN when anything is not finite."""
    result = result.detach().to("cpu", torch.float64)
    reference = reference.detach().to("cpu", torch.float64)
    if result.shape != reference.shape or not bool(torch.isfinite(result).all()):
        return math.nan
    scale = float(torch.linalg.vector_norm(reference))
    return float(torch.linalg.vector_norm(result - reference)) / (scale or 1.0)
