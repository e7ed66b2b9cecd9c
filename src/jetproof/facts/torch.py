"""PyTorch and its neighbours in the interpreter in question: what is installed, and how its trials ended."""

from __future__ import annotations

from typing import Any

from jetproof.facts.fact import Fact, absent, known, unknown
from jetproof.facts.model import Distribution, Outcome, TorchStack, Trial
from jetproof.target.reading import Reason
from jetproof.target.snapshot import Snapshot
from jetproof.target.snapshot_model import Distribution as Read
from jetproof.target.snapshot_model import Interpreter, Python
from jetproof_worker.names import normalised

_STATUS = {"timed-out": Reason.TIMED_OUT, "failed": Reason.FAILED, "crashed": Reason.FAILED, "missing": Reason.FAILED}
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


def _distribution(read: Read) -> Distribution:
    return Distribution(
        name=normalised(read.name),
        release=read.release,
        location=read.location,
        installer=read.installer,
        origin=read.origin,
        tags=tuple(read.tags),
        built_for_cuda=read.built_for_cuda,
        active=read.active,
        requires=tuple(read.requires),
    )


class _Trials:
    """What the trials told, by step and member."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.trials = snapshot.trials

    def fact(self, name: str, step_name: str, member: str, kind: type) -> Fact[Any]:
        """A fact from a step's data; unknown with the reason why the step tells none."""
        place = f"trial: {step_name}"
        step = self.trials.step(step_name) if self.trials else None
        if step is None:
            return unknown(name, detail="torch was not tried" if self.trials is None else "")
        value = step.data.get(member)
        if isinstance(value, kind):
            return known(name, value, place)
        if member in step.data and value is None and step.outcome == "ok":
            return absent(name, place)
        reason = {"timed-out": Reason.TIMED_OUT, "not-run": Reason.NOT_READ}.get(step.outcome, Reason.FAILED)
        return unknown(name, reason, place, step.message.split("\n", 1)[0][:300])


def _installed(name: str, fact_name: str, python: Python | None, rows: tuple[Distribution, ...]) -> Fact[str]:
    """The release of the copy that an import finds."""
    if python is None or python.interpreter is None:
        status = python.status if python else None
        return unknown(fact_name, _STATUS.get(status or "", Reason.NOT_READ), detail=python.detail if python else "")
    copies = [row for row in rows if row.name == name]
    active = next((row for row in copies if row.active), copies[0] if copies else None)
    if active is None:
        return absent(fact_name, f"site paths of {python.interpreter.executable}")
    return known(fact_name, active.release, f"{active.location}: {name}")


def _built_for(python: Python | None, rows: tuple[Distribution, ...]) -> Fact[str]:
    """The CUDA release that torch's own files name; absent where they say that it was built without."""
    name = "torch.version.cuda"
    torch = next((row for row in rows if row.name == "torch" and row.active), None)
    if torch is None or torch.built_for_cuda is None:
        return unknown(name, detail="" if python else "no interpreter was asked")
    if not torch.built_for_cuda:
        return absent(name, f"{torch.location}/torch/version.py", "built without CUDA")
    return known(name, torch.built_for_cuda, f"{torch.location}/torch/version.py")


def _wheel(python: Python | None) -> Fact[str]:
    """The digest of the wheel that the imported torch came from, where its installer noted one."""
    name = "torch.wheel_sha256"
    copies = python.interpreter.distributions if python and python.interpreter else ()
    torch = next((one for one in copies if normalised(one.name) == "torch" and one.active), None)
    if torch is None:
        return unknown(name)
    place = f"{torch.location}/{torch.metadata or 'torch'}/direct_url.json"
    if torch.archive_sha256 is None:
        return absent(name, place, "the installer noted no digest")
    return known(name, torch.archive_sha256, place)


def _cudnn(fact: Fact[Any]) -> Fact[str]:
    """A cuDNN number like 90300 as 9.3.0, or 8907 as 8.9.7."""
    if not isinstance(fact.value, int):
        return (
            unknown(fact.name, fact.reason or Reason.NOT_READ, fact.read_from, fact.detail) if not fact.absent else fact
        )
    major = fact.value // 10000 if fact.value >= 90000 else fact.value // 1000
    rest = fact.value % 10000 if fact.value >= 90000 else fact.value % 1000
    return known(fact.name, f"{major}.{rest // 100}.{rest % 100}", fact.read_from)


def _either(first: Fact[Any], second: Fact[Any]) -> Fact[Any]:
    return first if not first.unknown else second


def _interpreter(python: Python | None) -> tuple[Fact[str], Fact[str], Fact[bool], Fact[bool]]:
    one: Interpreter | None = python.interpreter if python else None
    if one is None:
        reason = _STATUS.get((python.status if python else None) or "", Reason.NOT_READ)
        detail = python.detail if python else ""
        path: Fact[str] = (
            known("python.executable", python.path, "the choice of the interpreter", detail)
            if python and python.path
            else unknown("python.executable", reason, detail=detail)
        )
        return (
            path,
            unknown("python", reason, detail=detail),
            unknown("python.in_venv", reason),
            unknown("python.sees_system_packages", reason),
        )
    place = one.executable

    def flag(name: str, value: bool | None) -> Fact[bool]:
        return unknown(name, read_from=place) if value is None else known(name, value, place)

    return (
        known("python.executable", one.executable, place),
        known("python", one.version, place),
        flag("python.in_venv", one.is_venv),
        flag("python.sees_system_packages", one.system_site_packages),
    )


def _trials(snapshot: Snapshot) -> tuple[Trial, ...]:
    if snapshot.trials is None:
        return ()
    return tuple(
        Trial(
            name=step.name,
            outcome=_OUTCOMES.get(step.outcome, Outcome.FAILED),
            message=step.message,
            seconds=step.seconds,
        )
        for step in snapshot.trials.steps
    )


def torch(snapshot: Snapshot) -> TorchStack:
    """Return what is known of torch in the interpreter that is meant."""
    python, told = snapshot.python, _Trials(snapshot)
    rows = (
        tuple(_distribution(one) for one in python.interpreter.distributions) if python and python.interpreter else ()
    )
    executable, release, in_venv, sees_system = _interpreter(python)
    arches = told.fact("torch.arch_list", "import torch", "arch_list", list)
    source = next((row for row in rows if row.name == "torch" and row.active and (row.origin or row.installer)), None)
    importable = told.fact("torch.version.cuda", "import torch", "cuda", str)
    return TorchStack(
        interpreter=executable,
        python=release,
        chosen_by=known("python.chosen_by", python.asked, "jetproof")
        if python and python.asked
        else unknown("python.chosen_by"),
        in_venv=in_venv,
        sees_system_packages=sees_system,
        others=tuple(f"{one.executable}: {one.torch}" for one in python.others) if python else (),
        installs=rows,
        torch=_either(
            told.fact("torch.__version__", "import torch", "torch", str),
            _installed("torch", "torch.__version__", python, rows),
        ),
        torch_cuda=_either(importable, _built_for(python, rows)),
        torch_file=told.fact("torch.__file__", "import torch", "file", str),
        torch_source=known("torch.source", source.origin or f"installed by {source.installer}", source.location)
        if source
        else unknown("torch.source"),
        wheel_sha256=_wheel(python),
        arch_list=known(arches.name, tuple(str(one) for one in arches.value), arches.read_from)
        if arches.value is not None
        else arches,
        cudnn_built=_cudnn(told.fact("torch.cudnn_compiled", "import torch", "cudnn_compiled", int)),
        cudnn_found=_cudnn(told.fact("torch.cudnn_found", "cuda device", "cudnn_found", int)),
        available=told.fact("torch.cuda.is_available", "cuda available", "available", bool),
        device_name=told.fact("torch.cuda.get_device_name", "cuda device", "name", str),
        device_capability=told.fact("torch.cuda.get_device_capability", "cuda device", "capability", str),
        device_memory=told.fact("memory.device", "cuda device", "memory", int),
        torchvision=_installed("torchvision", "torchvision", python, rows),
        torchaudio=_installed("torchaudio", "torchaudio", python, rows),
        numpy=_installed("numpy", "numpy", python, rows),
        bitsandbytes=_installed("bitsandbytes", "bitsandbytes", python, rows),
        transformers=_installed("transformers", "transformers", python, rows),
        triton=_installed("triton", "triton", python, rows),
        trials=_trials(snapshot),
    )
