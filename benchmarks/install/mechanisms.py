"""What happens to the vendor's torch when a real project is installed: mechanism by project, kept or replaced.

    python mechanisms.py --base-nv PYTHON --base-plain PYTHON --wheel-nv WHEEL --wheel-plain WHEEL --work DIR --out JSON

Each base is a Python whose own site directory holds torch repacked by repack_wheel.py. Plain mechanisms are only
asked what they would do (dry runs with a time limit: the answer would be gigabytes of CUDA libraries); jetproof
installs for real, and the project is imported afterwards. Needs a network. No Jetson is involved.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PROJECTS = {
    "accelerate": "accelerate",
    "transformers[torch]": "transformers",
    "peft": "peft",
    "sentence-transformers": "sentence_transformers",
    "diffusers[torch]": "diffusers",
    "trl": "trl",
    "torchmetrics": "torchmetrics",
    "kornia": "kornia",
    "lightning": "lightning",
    "speechbrain": "speechbrain",
    "openai-whisper": "whisper",
    "safetensors[torch]": "safetensors.torch",
    "gpytorch": "gpytorch",
    "torchdiffeq": "torchdiffeq",
    "pytorch-metric-learning": "pytorch_metric_learning",
    "timm": "timm",
    "open-clip-torch": "open_clip",
    "ultralytics": "ultralytics",
    "easyocr": "easyocr",
    "segmentation-models-pytorch": "segmentation_models_pytorch",
    "facenet-pytorch": "facenet_pytorch",
}
LIMIT = 60
NUMBERS = {"nv": "2.8.0a0+5228986c39.nv25.6", "plain": "2.8.0"}


@dataclass
class Bench:
    uv: str
    work: Path
    form: str
    base: Path
    inside: Path
    """An environment that holds the vendor's torch itself, with pip."""
    over: Path
    """An environment over the base, with pip."""

    def all(self, only: list[str]) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for project, module in PROJECTS.items():
            if only and project not in only:
                continue
            number = NUMBERS[self.form]
            bound = self.work / "bound.txt"
            bound.write_text(f"torch=={number}\n")
            uv_inside = [self.uv, "pip", "install", "--dry-run", "--python", str(self.inside / "bin/python"), project]
            uv_over = [self.uv, "pip", "install", "--dry-run", "--python", str(self.over / "bin/python"), project]
            row = {
                "pip": self.pip(self.inside, [project]),
                "pip -c": self.pip(self.inside, [project, "-c", str(bound)]),
                "pip, venv over it": self.pip(self.over, [project]),
                "uv": self.uv_says(uv_inside),
                "uv -c": self.uv_says([*uv_inside, "--constraints", str(bound)]),
                "uv --overrides": self.uv_says([*uv_inside, "--overrides", str(bound)]),
                "uv, venv over it": self.uv_says(uv_over),
                "jetproof": self.jetproof(project, module),
            }
            found[project] = row
            print(self.form, project, json.dumps(row), flush=True)
        return found

    def pip(self, venv: Path, words: list[str]) -> str:
        argv = [str(venv / "bin/python"), "-m", "pip", "install", "--dry-run", "-q", "--report", "-", *words]
        variables = {name: value for name, value in os.environ.items() if name not in ("PIP_FIND_LINKS",)}
        variables["PIP_CONFIG_FILE"] = os.devnull
        done = _run(argv, variables)
        if done is None:
            return "T"
        if done.returncode:
            return "E"
        try:
            wanted = {
                _name(one["metadata"]["name"]): one["metadata"]["version"] for one in json.loads(done.stdout)["install"]
            }
        except ValueError:
            return "E"
        return _told(wanted, words[0])

    def uv_says(self, argv: list[str]) -> str:
        done = _run(argv, dict(os.environ))
        if done is None:
            return "T"
        if done.returncode:
            return "E"
        return _told(dict(re.findall(r"^ \+ ([a-z0-9-]+)==(\S+)", done.stderr, re.MULTILINE)), argv[6])

    def jetproof(self, project: str, module: str) -> str:
        folder = self.work / f"jp-{self.form}" / _name(project.partition("[")[0])
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "requirements.txt").write_text(project + "\n")
        argv = [sys.executable, "-m", "jetproof", "install", str(folder), "--python", str(self.base), "--json"]
        agreed: list[str] = []
        for _ in range(3):
            done = _run([*argv, *agreed], dict(os.environ), limit=600)
            if done is None:
                return "T"
            if done.returncode == 0:
                break
            try:
                error = json.loads(done.stderr.strip().splitlines()[-1])
            except ValueError:
                return "E " + done.stderr.strip().splitlines()[-1][:200]
            if error["reason"] not in ("alpha", "unfit"):
                return f"E {error['reason']}: {error['message'].splitlines()[0][:120]}"
            agreed = error["hint"].split("with: ")[1].split()
        body = json.loads(done.stdout)
        python = folder / ".venv-jetson" / "bin" / "python"
        tried = _run(
            [str(python), "-c", f"import {module}, torch; print(torch.__version__, torch.__file__)"],
            {**os.environ, "HF_HUB_OFFLINE": "1"},
            limit=240,
        )
        kept = "K" if body["proof"]["holds"] else "R"
        number = next(
            (item["release"] for item in body["plan"]["items"] if item["name"] == _name(project.partition("[")[0])), "?"
        )
        absent = [
            one["name"] for one in body["plan"]["absent"] if not one["name"].startswith(("nvidia-", "cuda-", "triton"))
        ]
        if tried is not None and tried.returncode == 0 and str(self.base.parent.parent) in tried.stdout:
            imports = "imports"
        else:
            last = (
                tried.stderr.strip().splitlines()[-1][:100]
                if tried is not None and tried.stderr.strip()
                else "no answer"
            )
            imports = f"import fails: {last}"
        asked = f" after {' '.join(agreed)}" if agreed else ""
        lacking = f"; absent: {', '.join(absent)}" if absent else ""
        shutil.rmtree(folder, ignore_errors=True)
        return f"{kept} {number} {imports}{asked}{lacking}"


def _told(wanted: dict[str, str], project: str) -> str:
    name = _name(project.partition("[")[0])
    torch = wanted.get("torch")
    text = f"R {torch}" if torch else "K"
    if name in wanted:
        text += f" ({wanted[name]})"
    extra = sum(1 for one in wanted if one.startswith(("nvidia-", "cuda-")) or one == "triton")
    if "torchvision" in wanted:
        text += f" tv{wanted['torchvision']}"
    return text + (f" +{extra}nv" if extra else "")


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _run(argv: list[str], variables: dict[str, str], limit: float = LIMIT) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=limit, env=variables, check=False)
    except subprocess.TimeoutExpired:
        return None


def main() -> None:
    parser = argparse.ArgumentParser()
    for form in NUMBERS:
        parser.add_argument(f"--base-{form}", type=Path, required=True)
        parser.add_argument(f"--wheel-{form}", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--uv", default="uv")
    parser.add_argument(
        "--form", choices=sorted(NUMBERS), action="append", help="only this form of the vendor's number"
    )
    parser.add_argument("--only", action="append", default=[], metavar="PROJECT", help="only this project")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    results: dict[str, object] = {"date": time.strftime("%Y-%m-%d"), "limit_s": LIMIT}
    for form in arguments.form or NUMBERS:
        base, wheel = getattr(arguments, f"base_{form}"), getattr(arguments, f"wheel_{form}")
        inside, over = arguments.work / f"inside-{form}", arguments.work / f"over-{form}"
        for venv, options in ((inside, ()), (over, ("--system-site-packages",))):
            subprocess.run([arguments.uv, "venv", "-q", "--clear", *options, "--python", base, venv], check=True)
            what = ["pip", *([str(wheel), "numpy"] if venv is inside else [])]
            subprocess.run([arguments.uv, "pip", "install", "-q", "--python", venv / "bin/python", *what], check=True)
        bench = Bench(uv=arguments.uv, work=arguments.work, form=form, base=base, inside=inside, over=over)
        results[form] = bench.all(arguments.only)
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
