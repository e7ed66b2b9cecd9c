"""Exact steps that several rules give, taken from the tables for this JetPack, Python and module."""

from __future__ import annotations

from jetproof.diagnosis.known import host_groups, jetpack_major, line, release_row, vendor_python
from jetproof.diagnosis.rule import Remedy
from jetproof.facts.model import Facts
from jetproof.facts.stack import stack_of
from jetproof.tables import Tables
from jetproof.tables.builds import BuildOnStack
from jetproof.tables.rows import TorchBuild
from jetproof.tables.sources import INDEXES, Condition, address, best_first, conditions, requirements
from jetproof.tables.stacks import Stack

LAST_KNOWN_GOOD = "2026-11-30"
"""The day the tables of torch builds were compiled: what an index held then."""
NEVER_THE_DRIVER = Remedy(text="Do not update the driver: on a Jetson it is part of L4T and changes only with JetPack.")
LOG_IN_AGAIN = Remedy(text="Log out and in again (or reboot): a running session keeps its old groups.")


def python_command(facts: Facts) -> str:
    """Return the interpreter to use in commands."""
    return facts.torch.interpreter.value or "python3"


def torch_sources(facts: Facts, tables: Tables) -> tuple[tuple[BuildOnStack, ...], Stack | None]:
    """Return the builds to take, the best first, in the order of `install --torch`; none where no stack is known."""
    row = release_row(facts, tables)
    major = jetpack_major(facts)
    jetpack = facts.platform.jetpack.value or (row.jetpack if row else None) or (str(major) if major else None)
    stack = stack_of(facts, tables, jetpack, _soc(facts)) if jetpack else None
    return (best_first(stack, tables.torch_builds), stack) if stack else ((), None)


def _soc(facts: Facts) -> str | None:
    """Return the SoC, where it is told, else the one of the module's line."""
    found = line(facts)
    return facts.platform.soc.value or (found.soc if found else None)


def vendor_torch(facts: Facts, tables: Tables) -> tuple[Remedy, ...]:
    """Return the steps that put the right torch in place, and keep it there."""
    if facts.platform.is_jetson.value is False:
        return (
            Remedy(text="This is no Jetson: take the torch build that pytorch.org's selector gives for this machine."),
        )
    ranked, stack = torch_sources(facts, tables)
    if not ranked or stack is None:
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
        ),
        *_taken(ranked[0], stack, python),
    ]
    other = next((one for one in ranked[1:] if one.build.kind in INDEXES and address(one.build)), None)
    if other is not None and ranked[0].build.kind not in INDEXES:
        steps.append(_from_index(other, stack, python, "Or instead, with its torchvision, from"))
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


def _taken(one: BuildOnStack, stack: Stack, python: str) -> tuple[Remedy, ...]:
    """Return the steps for one build: what it needs, then the build itself."""
    build = one.build
    place = address(build)
    sure = _unsure(one)
    needs, _ = conditions(one, stack)
    needed = "".join(f" It needs {need.text}." for need in needs if need.command is None)
    if build.kind in INDEXES and place:
        return (_from_index(one, stack, python, "Install from"),)
    before = tuple(Remedy(text=f"It needs {need.text}.", command=_with(need, python)) for need in needs if need.command)
    if place is None:
        text = f"Take {build.what} ({build.where}).{needed} Last known good on {LAST_KNOWN_GOOD}.{sure}"
        return (*before, Remedy(text=text, command=_other(build)))
    text = f"Install {build.what} for JetPack {build.jetpack}.{needed} Last known good on {LAST_KNOWN_GOOD}.{sure}"
    return (Remedy(text=text, command=f"{python} -m pip install --no-cache-dir '{place}'"), *before)


def _from_index(one: BuildOnStack, stack: Stack, python: str, begin: str) -> Remedy:
    torch, vision, _ = requirements(one)
    needed = "".join(f" It needs {need.text}." for need in conditions(one, stack)[0])
    return Remedy(
        text=f"{begin} {one.build.what}, last known good on {LAST_KNOWN_GOOD}.{needed}{_unsure(one)}",
        command=f"{python} -m pip install '{torch}' '{vision}' --index-url {address(one.build)}",
    )


def _unsure(one: BuildOnStack) -> str:
    return "" if one.verdict.verdict == "yes" else f" {one.verdict.verdict.capitalize()}: {one.verdict.why}."


def _with(need: Condition, python: str) -> str | None:
    command = need.command or ""
    return f"{python} -m {command}" if command.startswith("pip ") else command or None


def _other(build: TorchBuild) -> str | None:
    if build.kind == "conda":
        return f"conda install -c {build.where} 'pytorch={build.torch_version}.*=*cuda*'"
    if build.kind.endswith("container") and "://" not in build.where:
        return f"docker run --rm -it --runtime nvidia {build.where.split(' ')[0]}"
    return None


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


_IMAGES = {
    "32.7": "nvcr.io/nvidia/l4t-pytorch:r32.7.1-pth1.10-py3",
    "32.6": "nvcr.io/nvidia/l4t-pytorch:r32.6.1-pth1.9-py3",
    "34/35": "docker.io/dustynv/pytorch:2.1-r35.4.1",
    "36.4-36.5": "docker.io/dustynv/pytorch:2.7-r36.4.0",
}
"""One image for each L4T group that has one."""


def image_for_host(facts: Facts, tables: Tables) -> tuple[Remedy, ...]:
    """Return the step that names an image which fits this L4T."""
    major = jetpack_major(facts)
    hosts = host_groups(facts, tables)
    image = next((image for group, image in _IMAGES.items() if group in hosts), None)
    if image:
        return (
            Remedy(
                text=f"Take an image made for this L4T (host: cat /etc/nv_tegra_release), for JetPack {major} e.g. "
                "this one.",
                command=f"docker pull {image}",
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
