"""Exact steps that several rules give, taken from the tables for this JetPack, Python and module."""

from __future__ import annotations

from jetproof.diagnosis.known import capability, jetpack_major, numbers, vendor_python
from jetproof.diagnosis.rule import Remedy
from jetproof.facts.model import Facts
from jetproof.tables import Tables

LAST_KNOWN_GOOD = "2026-11-30"
"""The day the tables of torch builds were compiled: what an index held then."""
NEVER_THE_DRIVER = Remedy(text="Do not update the driver: on a Jetson it is part of L4T and changes only with JetPack.")
LOG_IN_AGAIN = Remedy(text="Log out and in again (or reboot): a running session keeps its old groups.")
_JP61 = (6, 1)


def python_command(facts: Facts) -> str:
    """Return the interpreter to use in commands."""
    return facts.torch.interpreter.value or "python3"


def torch_build_id(facts: Facts) -> str | None:
    """Return the id of the build to take on this stack, None where it is not known which stack it is."""
    major, jetpack = jetpack_major(facts), numbers(facts.platform.jetpack.value or "")
    l4t = numbers(facts.platform.l4t.value or "")
    if major == 4:
        return "nv-box-1.10.0"
    if major == 5:
        return "nv-jp512-2.1.0a0-2306"
    if major == 6:
        old = (len(jetpack) > 1 and jetpack < _JP61) or (len(l4t) > 1 and l4t[:2] < (36, 4))
        return "nv-jp60-2.4.0a0-2407" if old else "jal-jp6-cu126"
    if major == 7:
        return "jal-sbsa-cu130" if capability(facts) == "11.0" else "pt-index-cu132"
    return None


def vendor_torch(facts: Facts, tables: Tables) -> tuple[Remedy, ...]:
    """Return the steps that put the right torch in place, and keep it there."""
    if facts.platform.is_jetson.value is False:
        return (
            Remedy(text="This is no Jetson: take the torch build that pytorch.org's selector gives for this machine."),
        )
    row = next((row for row in tables.torch_builds if row.id == torch_build_id(facts)), None)
    if row is None:
        return (
            Remedy(
                text="Find out which JetPack the board has; each has its own torch.",
                command="cat /etc/nv_tegra_release",
            ),
            Remedy(text="Then let jetproof name the build.", command="jetproof doctor"),
        )
    python = python_command(facts)
    steps = [
        Remedy(
            text="Take away the torch that is there.",
            command=f"{python} -m pip uninstall -y torch torchvision torchaudio",
        )
    ]
    address = row.where.split(" ")[0]
    if row.kind in ("jetson-index", "pytorch-index") or not address.endswith(".whl"):
        text = f"Install from the index that serves this stack (what it held was last known good on {LAST_KNOWN_GOOD})."
        steps.append(Remedy(text=text, command=f"{python} -m pip install torch torchvision --index-url {address}"))
    else:
        needed = f" It needs Python {row.python[2:3]}.{row.python[3:]}." if row.python else ""
        name = f"Install NVIDIA's wheel for JetPack {row.jetpack}.{needed} Last known good on {LAST_KNOWN_GOOD}."
        steps.append(Remedy(text=name, command=f"{python} -m pip install --no-cache-dir '{address}'"))
    steps.append(
        Remedy(
            text="Check it, then hold it so that no dependency replaces it.",
            command=f"{python} -c 'import torch; print(torch.__version__, torch.version.cuda, "
            "torch.cuda.is_available())'\n"
            f"{python} -m pip freeze | grep -iE '^torch(vision|audio)?(==| @)' > torch-constraints.txt\n"
            f"{python} -m pip install -c torch-constraints.txt YOUR_PACKAGE",
        )
    )
    return tuple(steps)


def cusparselt() -> tuple[Remedy, ...]:
    """Return the steps that bring libcusparseLt where the loader finds it."""
    return (
        Remedy(
            text="Install cuSPARSELt from NVIDIA's CUDA repository (already set up by JetPack).",
            command="sudo apt-get update && sudo apt-get install -y libcusparselt0 libcusparselt-dev && sudo ldconfig",
        ),
        Remedy(
            text="If it is already in the environment (nvidia-cusparselt-cu12), show the loader the directory.",
            command="export LD_LIBRARY_PATH=$(python3 -c 'import site,glob;"
            'print(":".join(d for s in site.getsitepackages()+[site.getusersitepackages()] '
            'for d in glob.glob(s+"/nvidia/cusparselt/lib")))\')${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}',
        ),
        Remedy(text="Check that the loader finds it.", command="ldconfig -p | grep cusparseLt"),
    )


def groups(facts: Facts) -> tuple[Remedy, ...]:
    """Return the steps that let a user open the GPU."""
    major = jetpack_major(facts)
    names = "video" if major in (4, 5) else "video,render"
    return (
        Remedy(
            text="Add the user (or the service's user) to the groups that own the device nodes.",
            command=f'sudo usermod -aG {names} "$USER"',
        ),
        LOG_IN_AGAIN,
        Remedy(
            text="In a container pass the groups on; a service gets SupplementaryGroups=video render in its unit.",
            command="docker run --runtime nvidia --group-add video --group-add $(getent group render "
            "| cut -d: -f3) IMAGE",
        ),
        Remedy(text="Check.", command="id && ls -l /dev/nvmap /dev/nvhost-* /dev/dri 2>/dev/null"),
    )


def nvidia_runtime() -> tuple[Remedy, ...]:
    """Return the steps that make Docker use the nvidia runtime."""
    return (
        Remedy(
            text="Install and register the runtime.",
            command="sudo apt-get install -y nvidia-container-toolkit\nsudo nvidia-ctk runtime configure "
            "--runtime=docker --set-as-default\nsudo systemctl restart docker",
        ),
        Remedy(
            text="Start containers with it (the default now covers `docker build` too).",
            command="docker run --rm --runtime nvidia IMAGE",
        ),
        Remedy(text="Check.", command="docker info | grep -i runtime"),
    )


def image_for_host(facts: Facts) -> tuple[Remedy, ...]:
    """Return the step that names an image which fits this L4T."""
    major = jetpack_major(facts)
    tag = {
        4: "nvcr.io/nvidia/l4t-pytorch:r32.7.1-pth1.10-py3",
        5: "docker.io/dustynv/pytorch:2.1-r35.4.1",
        6: "docker.io/dustynv/pytorch:2.7-r36.4.0",
    }
    if major in tag:
        return (
            Remedy(
                text=f"Take an image made for this L4T (host: cat /etc/nv_tegra_release), for JetPack {major} e.g. "
                "this one.",
                command=f"docker pull {tag[major]}",
            ),
        )
    if major == 7:
        return (
            Remedy(
                text="On JetPack 7 take the standard arm64 image with CUDA 13, not an -igpu one.",
                command="docker pull nvcr.io/nvidia/pytorch:YY.MM-py3",
            ),
        )
    return (
        Remedy(
            text="Compare the host's L4T with the image's tag and take the image of the same group.",
            command="cat /etc/nv_tegra_release",
        ),
    )


def free_memory() -> tuple[Remedy, ...]:
    """Return the steps that give a board more memory to work with."""
    return (
        Remedy(
            text="See who holds the memory; CPU and GPU share it.", command="free -h && sudo tegrastats --interval 1000"
        ),
        Remedy(
            text="Drop caches and stop the desktop.",
            command="sync && echo 3 | sudo tee /proc/sys/vm/drop_caches\nsudo systemctl isolate multi-user.target",
        ),
        Remedy(text="Reboot if the same request passed before: long uptime fragments the memory."),
        Remedy(
            text="Smaller batch, lower precision, or segments that grow.",
            command="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        ),
    )


def numpy_below_2(facts: Facts) -> tuple[Remedy, ...]:
    """Return the step that puts a NumPy of generation 1 back."""
    return (
        Remedy(
            text="Install NumPy 1 in the same interpreter, and keep the bound in your requirements.",
            command=f"{python_command(facts)} -m pip install 'numpy<2'",
        ),
    )


def matching_python(facts: Facts, tables: Tables) -> tuple[Remedy, ...]:
    """Return the steps that make an environment with JetPack's own Python."""
    version = vendor_python(facts, tables) or "3.X"
    tag = "cp" + version.replace(".", "")
    return (
        Remedy(
            text=f"Use JetPack's own Python {version}; wheels for this JetPack carry the tag {tag}.",
            command=f"python{version} -m venv --system-site-packages ~/jetson && ~/jetson/bin/python -m pip install "
            "--upgrade pip",
        ),
        Remedy(text="Check the pip in use and the tags it takes.", command="python3 -m pip debug --verbose | head -40"),
    )
