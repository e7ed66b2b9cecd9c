"""The container around the interpreter: which engine, which image, and whether the GPU is inside."""

from __future__ import annotations

import re

from jetproof.facts.fact import Fact, absent, known, not_read, unknown
from jetproof.facts.model import Container, Platform
from jetproof.target.snapshot import Snapshot

_CSV = "/etc/nvidia-container-runtime/host-files-for-container.d"
_GPU_NODES = ("/dev/nvmap", "/dev/nvhost-ctrl-gpu", "/dev/nvgpu/", "/dev/nvidia0", "/dev/nvidiactl")


def _engine(snapshot: Snapshot, platform: Platform) -> Fact[str]:
    name = "container.engine"
    podman = snapshot.file("/run/.containerenv")
    if podman.text is not None:
        return known(name, "podman", podman.read_from)
    docker = snapshot.file("/.dockerenv")
    if docker.text is not None:
        return known(name, "docker", docker.read_from)
    system = snapshot.file("/run/systemd/container")
    if system.text:
        return known(name, system.text.strip(), system.read_from)
    group = snapshot.file("/proc/1/cgroup").text or ""
    found = re.search(r"\b(docker|containerd|kubepods|libpod|lxc)\b", group)
    if found:
        return known(name, found[1], "/proc/1/cgroup")
    if platform.in_container.value is False:
        return absent(name, platform.in_container.read_from, "not in a container")
    return unknown(name)


def _gpu_nodes(snapshot: Snapshot) -> Fact[bool]:
    name = "container.gpu_nodes"
    seen = {path: node for path, node in snapshot.nodes.items() if path.startswith(_GPU_NODES)}
    there = [path for path, node in seen.items() if node is not None]
    if there:
        return known(name, True, there[0])
    return known(name, False, ", ".join(sorted(seen))) if seen else unknown(name)


def _runtime(snapshot: Snapshot, gpu_nodes: Fact[bool]) -> Fact[str]:
    """NVIDIA's runtime shows by what it sets and mounts; nothing inside tells the name of another one."""
    visible = snapshot.environment.get("NVIDIA_VISIBLE_DEVICES")
    if visible and gpu_nodes.value is True:
        return known("container.runtime", "nvidia", f"NVIDIA_VISIBLE_DEVICES and {gpu_nodes.read_from}")
    return unknown("container.runtime", detail="no runtime leaves its name inside")


def _lists(snapshot: Snapshot) -> Fact[tuple[str, ...]]:
    listing = snapshot.listing(_CSV)
    if isinstance(listing, tuple):
        return known("container.csv_lists", listing, _CSV)
    return not_read("container.csv_lists", listing)


def container(snapshot: Snapshot, platform: Platform) -> Container:
    """Return what is known of the container; outside of one, only what the host offers to containers."""
    if platform.in_container.value is not True:
        return Container(engine=_engine(snapshot, platform), csv_lists=_lists(snapshot))
    nodes = _gpu_nodes(snapshot)
    arch = platform.arch
    return Container(
        engine=_engine(snapshot, platform),
        image_arch=known("container.image_arch", arch.value, arch.read_from)
        if arch.value
        else unknown("container.image_arch"),
        runtime=_runtime(snapshot, nodes),
        gpu_nodes=nodes,
        host_l4t=known("container.host_l4t", platform.l4t.value, platform.l4t.read_from)
        if platform.l4t.value
        else unknown("container.host_l4t"),
        csv_lists=_lists(snapshot),
        started=known("container.started", True, "jetproof runs inside"),
    )
