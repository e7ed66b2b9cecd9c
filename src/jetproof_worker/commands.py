"""Ask the machine's own programs, each with a time limit and only where it is there. Python >= 3.6."""

import os
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from jetproof_worker import places, process
from jetproof_worker.files import Entry

CUDA_LIBRARY = re.compile(
    r"lib(cuda|cudart|cublas|cublasLt|cudnn\w*|cufft|curand|cusolver|cusparse|cusparseLt|cudss|cupti|nvrtc|nvJitLink|nccl"
    r"|nvinfer\w*|nvidia-ml|nvrm_gpu|openblas|mpi|mpi_cxx|gomp|nvpl\w*|opencv_core|torch\w*|c10\w*)\.so"
)
"""Names in the loader's cache that matter here."""

_LIMIT = 1 << 18
"""Bytes of what a program prints that are kept."""


def find(name: str) -> Optional[str]:
    """Return where a program is, on PATH or in its known folders; None when nowhere."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in [*folders, *places.PROGRAMS.get(name, ())]:
        path = os.path.join(folder, name)
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def ask(argv: Sequence[str], timeout: float, ok: Sequence[int] = (0,)) -> Any:
    """Run a program and return its text; an object that tells how it ended when it did not end well."""
    completed = process.run(argv, timeout, env={**os.environ, "LC_ALL": "C"}, limit=_LIMIT)
    if completed.status == "missing":
        return None
    output = completed.stdout.decode("utf-8", "replace")
    if completed.status == "exited" and completed.code in ok and "\0" not in output:
        return output
    return _trouble(completed, output)


def _trouble(completed: process.Completed, output: str) -> Dict[str, Any]:
    return {
        "status": completed.status,
        "code": completed.code,
        "stdout": output[-4096:],
        "stderr": completed.stderr.decode("utf-8", "replace")[-4096:] or completed.detail,
        "seconds": round(completed.seconds, 3),
    }


class _Enough(Exception):
    pass


def first_line(argv: Sequence[str], timeout: float) -> Any:
    """Return the first line of a program that would go on for ever."""
    seen = bytearray()

    def listen(chunk: bytes) -> None:
        seen.extend(chunk)
        if b"\n" in seen:
            raise _Enough

    try:
        completed = process.run(argv, timeout, on_stdout=listen)
    except _Enough:
        return bytes(seen).partition(b"\n")[0].decode("utf-8", "replace") + "\n"
    return None if completed.status == "missing" else _trouble(completed, bytes(seen).decode("utf-8", "replace"))


def matching(pattern: str) -> Callable[[str], str]:
    """Return a filter that keeps the lines in which the pattern is found."""
    wanted = re.compile(pattern)
    return lambda output: "".join(line + "\n" for line in output.splitlines() if wanted.search(line))


def _installed(output: str) -> str:
    # as `dpkg-query -W` prints them, but only what is really installed
    rows = [line.split("\t") for line in output.splitlines()]
    return "".join("%s\t%s\n" % (row[0], row[1]) for row in rows if len(row) == 3 and row[2].startswith("ii"))


Question = Tuple[str, Callable[[str], Any]]
"""The name in the snapshot, which begins with the program's, and how to ask given where that program is."""


def questions(is_tegra: bool) -> List[Question]:
    """Return what is asked here of the machine's programs."""

    def simple(
        program: str, *arguments: str, timeout: float = 5, ok: Sequence[int] = (0,), keep: Callable[[str], str] = str
    ) -> Question:
        def work(path: str) -> Any:
            answer = ask([path, *arguments], timeout, ok)
            return keep(answer) if isinstance(answer, str) else answer

        return " ".join([program, *arguments]), work

    form = "-f=${Package}\t${Version}\t${db:Status-Abbrev}\n"
    packages = ("dpkg-query -W", simple("dpkg-query", "-W", form, *places.PACKAGES, ok=(0, 1), keep=_installed)[1])
    smi = ("--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")
    asked = [
        packages,
        simple("ldconfig", "-p", keep=matching(CUDA_LIBRARY.pattern)),
        simple("nvidia-smi", *smi, timeout=8),
        simple("nvcc", "--version"),
    ]
    if is_tegra:
        asked += [
            simple("nvpmodel", "-q"),
            simple("apt-cache", "show", "nvidia-jetpack", timeout=10, keep=matching(r"^(Package|Version):")),
            ("tegrastats", lambda path: first_line([path, "--interval", "200"], 3)),
        ]
        if os.geteuid() == 0:
            asked.append(simple("jetson_clocks", "--show", timeout=10))
    return asked


def kernel() -> Dict[str, Entry]:
    """Return what `uname` says, without starting it; never the host's name."""
    said = os.uname()
    return {"uname -r": said.release, "uname -m": said.machine, "uname -s": said.sysname, "uname -v": said.version}
