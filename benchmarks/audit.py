"""Audit of generated uv.lock files: against the TOML parser alone, against size, and beside other tools.

Run with: python benchmarks/audit.py [--other-tools PATH_OF_PIP_AUDIT]

Prints ratios. The first (audit over TOML parser, in one process) has to stay below 1.5; time per package from 500
to 10 000 has to stay level.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tomli

from jetproof.install import readers
from jetproof.install.audit import audit
from jetproof.install.stack_environment import board
from jetproof.tables import load

PLATFORMS = (
    "macosx_10_13_x86_64",
    "macosx_11_0_arm64",
    "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "musllinux_1_2_aarch64",
    "musllinux_1_2_x86_64",
    "win_amd64",
)
PYTHONS = ("cp310", "cp311", "cp312", "cp313")
MARKERS = (
    "sys_platform == 'win32'",
    "python_full_version < '3.11'",
    "platform_machine == 'x86_64' and sys_platform == 'linux'",
    "sys_platform != 'darwin'",
)


def generated(packages: int, seed: int = 7) -> str:
    """Return a uv.lock of so many packages, shaped like those of real projects: a quarter with compiled wheels."""
    chance = random.Random(seed)
    names = [f"package-{number:05d}" for number in range(packages - 1)]
    lines = ["version = 1", "revision = 3", 'requires-python = ">=3.10"', ""]
    lines += ["[[package]]", 'name = "project"', 'version = "1.0"', 'source = { virtual = "." }', "dependencies = ["]
    lines += [f'    {{ name = "{name}" }},' for name in names[:: max(1, packages // 40)]]
    lines += ["]", "", "[package.metadata]", "requires-dist = []", ""]
    for place, name in enumerate(names):
        release = f"{chance.randrange(9)}.{chance.randrange(30)}.{chance.randrange(9)}"
        lines += ["[[package]]", f'name = "{name}"', f'version = "{release}"']
        lines.append('source = { registry = "https://index.example/simple" }')
        wanted = {names[min(len(names) - 1, place + chance.randrange(1, 30))] for _ in range(chance.randrange(6))}
        wanted.add(names[min(len(names) - 1, place + 1)])
        lines.append("dependencies = [")
        for other in sorted(wanted - {name}):
            marker = f', marker = "{chance.choice(MARKERS)}"' if chance.random() < 0.15 else ""
            lines.append(f'    {{ name = "{other}"{marker} }},')
        lines.append("]")
        stem = f"https://files.index.example/packages/{chance.getrandbits(240):060x}/{name.replace('-', '_')}-{release}"
        details = 'size = 1234567, upload-time = "2026-01-01T00:00:00.000Z"'

        def digest() -> str:
            return f"sha256:{chance.getrandbits(256):064x}"

        lines.append(f'sdist = {{ url = "{stem}.tar.gz", hash = "{digest()}", {details} }}')
        lines.append("wheels = [")
        compiled = [f"{python}-{python}-{platform}" for python in PYTHONS for platform in PLATFORMS]
        for tags in compiled if chance.random() < 0.25 else ["py3-none-any"]:
            lines.append(f'    {{ url = "{stem}-{tags}.whl", hash = "{digest()}", {details} }},')
        lines += ["]", ""]
    return "\n".join(lines)


def seconds(action: Callable[[], object], rounds: int) -> float:
    """Return the best of several rounds, as time of the processor: other work on the machine does not count."""
    best: list[float] = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        action()
        best.append(time.process_time() - start)
    return min(best)


def whole(command: list[str], rounds: int = 5) -> float:
    """Return the median time of a whole process."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def in_process(folder: Path, packages: int, rounds: int) -> dict[str, float]:
    path = folder / str(packages) / "uv.lock"
    path.parent.mkdir()
    path.write_text(generated(packages), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    tables = load()
    stack = tables.stack("jp6.2")
    parser = seconds(lambda: tomli.loads(text), rounds)
    judged = seconds(lambda: audit(readers.read(path), board(stack), tables), rounds)
    result = audit(readers.read(path), board(stack), tables)
    return {
        "packages": packages,
        "selected": len(result.selection.selected),
        "bytes": len(text),
        "parser_seconds": parser,
        "audit_seconds": judged,
        "ratio": judged / parser,
        "microseconds_a_package": judged / packages * 1e6,
    }


def beside(path: Path, pip_audit: str | None) -> dict[str, float]:
    """Whole processes on the same file; pip-audit reads it as requirements, which is what it can do offline."""
    found: dict[str, float] = {}
    found["jetproof audit"] = whole(
        [sys.executable, "-m", "jetproof", "audit", str(path), "--stack", "jp6.2", "--json"]
    )
    found["python -c 'import tomli; parse'"] = whole(
        [sys.executable, "-c", f"import tomli; tomli.loads(open({str(path)!r}).read())"]
    )
    uv = shutil.which("uv") or str(Path(sys.executable).parent / "uv")
    if Path(uv).exists():
        (path.parent / "pyproject.toml").write_text(
            '[project]\nname = "project"\nversion = "1.0"\nrequires-python = ">=3.10"\n', encoding="utf-8"
        )
        shell = f"{uv} export --frozen --offline --no-hashes --directory {path.parent} | grep -E '^(torch|nvidia-)'"
        found["uv export | grep"] = whole(["sh", "-c", shell])
    if pip_audit is not None:
        listed = path.parent / "requirements.txt"
        subprocess.run(
            [uv, "export", "--frozen", "--offline", "--directory", str(path.parent), "-o", str(listed), "-q"],
            check=False, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        found["pip-audit --dry-run"] = whole(
            [pip_audit, "--dry-run", "--disable-pip", "--require-hashes", "-r", str(listed)], rounds=3
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other-tools", metavar="PIP_AUDIT", help="path of a pip-audit program")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [in_process(folder, 500, arguments.rounds)]
        rows += [in_process(folder, packages, 3) for packages in (1000, 2000, 5000, 10_000)]
        others = beside(folder / "500" / "uv.lock", arguments.other_tools)
    if arguments.json:
        print(json.dumps({"in_process": rows, "whole_process_seconds": others}, indent=2))
        return
    for row in rows:
        print(
            f"{row['packages']:6.0f} packages ({row['selected']:.0f} selected, {row['bytes'] / 1e6:.1f} MB): "
            f"TOML {row['parser_seconds'] * 1e3:7.1f} ms, audit {row['audit_seconds'] * 1e3:7.1f} ms, "
            f"ratio {row['ratio']:.2f}, {row['microseconds_a_package']:.0f} us a package"
        )
    own = others["jetproof audit"]
    for tool, took in others.items():
        print(f"whole process, 500 packages: {tool}: {took * 1e3:.0f} ms ({took / own:.2f} of jetproof's)")


if __name__ == "__main__":
    main()
