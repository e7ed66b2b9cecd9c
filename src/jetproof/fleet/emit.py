"""Renders a fleet's run for engines that already drive many machines: Kubernetes jobs, a GitHub workflow's matrix."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from jetproof.errors import UsageError
from jetproof.fleet.inventory import Board, Inventory

_DIGEST = re.compile(r"[a-z0-9][a-z0-9._/:-]{0,254}@sha256:[0-9a-f]{64}")
_DNS = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,50}[a-z0-9])?")
_SHA = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*:[A-Za-z0-9._/-]+")

CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"  # v4.2.2
UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"  # v4.6.2
_USER = 65532


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What a cluster has, and where results go: a volume claim, or an object store."""

    image: str
    """Pinned by digest; holds jetproof, the vendor's torch and the project's checkout in /project."""
    namespace: str = "jetproof"
    claim: str | None = None
    """Name of a PersistentVolumeClaim that all nodes can write to."""
    remote: str | None = None
    """`remote:path` of rclone, whose settings lie in the secret of that name."""
    uploader: str | None = None
    """Image with rclone, pinned by digest; needed with `remote`."""
    secret: str = "jetproof-results"  # noqa: S105 - the name of one
    python: str | None = None
    runtime_class: str = "nvidia"


def kubernetes(inventory: Inventory, gate: str, cluster: Cluster) -> str:
    """Return one Job a board, as a stream of YAML documents, behind a policy that keeps the gate off the network.

    Raises UsageError for images without a digest, names that Kubernetes refuses, and no place for results.
    """
    _image(cluster.image, "the image")
    if (cluster.claim is None) == (cluster.remote is None):
        raise UsageError(
            "results need one place", hint="--claim NAME for a volume, or --remote NAME:PATH with --uploader"
        )
    if cluster.remote is not None:
        if not _REMOTE.fullmatch(cluster.remote):
            raise UsageError(f"--remote {cluster.remote!r} is no place of rclone's", hint="like store:jetproof/results")
        _image(cluster.uploader or "", "the uploader")
    for name, what in ((cluster.namespace, "namespace"), (cluster.claim, "claim"), (cluster.secret, "secret")):
        if name is not None:
            _dns(name, what)
    jobs = [_job(board, inventory, gate, cluster) for board in inventory.boards]
    names = [job["metadata"]["name"] for job in jobs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"two boards would have one Kubernetes name: {twice[0]}", hint="rename one of them")
    documents = [*([_no_network(cluster)] if cluster.claim is not None else []), *jobs]
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, explicit_start=True, width=120)


def _job(board: Board, inventory: Inventory, gate: str, cluster: Cluster) -> dict[str, Any]:
    name = f"{_dns(board.name.lower().replace('_', '-').replace('.', '-'), 'board')[:40].rstrip('-')}-{gate}"[
        :63
    ].rstrip("-")
    labels = {"app.kubernetes.io/name": "jetproof", "jetproof.dev/gate": gate, "jetproof.dev/board": board.name}
    seconds = int(board.seconds or inventory.limits.board_seconds)
    command = ["jetproof", "run", gate, "--project", board.project or "/project", "--output", f"/results/{board.name}"]
    python = board.python or cluster.python
    if python is not None:
        command += ["--python", python]
    gated = _container("gate", cluster.image, command, {"limits": {"nvidia.com/gpu": "1"}})
    gated["env"] = [{"name": "HOME", "value": "/tmp"}, {"name": "JETPROOF_GPU_LOCK", "value": "/tmp/gpu.lock"}]  # noqa: S108
    pod: dict[str, Any] = {
        "restartPolicy": "Never",
        "runtimeClassName": cluster.runtime_class,
        "nodeSelector": {"kubernetes.io/hostname": board.node or board.name},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    results: dict[str, Any] = {"name": "results"}
    if cluster.claim is not None:
        results["persistentVolumeClaim"] = {"claimName": cluster.claim}
        pod["containers"] = [gated]
    else:
        results["emptyDir"] = {"sizeLimit": "1Gi"}
        # the gate's end, green or not, must not keep its results from being taken away; the journal holds the verdict
        gated["command"] = ["/bin/sh", "-c", '"$@" || echo "exit $?" >"/results/$BOARD.exit"', "gate", *command]
        gated["env"].append({"name": "BOARD", "value": board.name})
        target = f"{cluster.remote}/{board.name}"
        upload = _container("upload", cluster.uploader or "", ["rclone", "copy", "--immutable", "/results", target], {})
        upload["envFrom"] = [{"secretRef": {"name": cluster.secret}}]
        pod["initContainers"], pod["containers"] = [gated], [upload]
    pod["volumes"] = [results, {"name": "scratch", "emptyDir": {"sizeLimit": "8Gi"}}]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": cluster.namespace, "labels": labels},
        "spec": {
            "backoffLimit": 0,  # a second try would be another run, and a flaky board must be seen
            "completions": 1,
            "parallelism": 1,
            "activeDeadlineSeconds": seconds,
            "ttlSecondsAfterFinished": 86400,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def _container(name: str, image: str, command: Sequence[str], resources: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": list(command),
        **({"resources": dict(resources)} if resources else {}),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "results", "mountPath": "/results"}, {"name": "scratch", "mountPath": "/tmp"}],  # noqa: S108
    }


def _no_network(cluster: Cluster) -> dict[str, Any]:
    """Return the policy that lets a gate's pod talk to nobody."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "jetproof-no-network", "namespace": cluster.namespace},
        "spec": {
            "podSelector": {"matchLabels": {"app.kubernetes.io/name": "jetproof"}},
            "policyTypes": ["Ingress", "Egress"],
        },
    }


def github(
    inventory: Inventory, gate: str, *, python: str | None = None, checkout: str = CHECKOUT, upload: str = UPLOAD
) -> str:
    """Return a workflow with a matrix over the boards' runner labels, started by hand only.

    A self-hosted board must not run what strangers propose, so that no pull request and no push starts it.
    Raises UsageError for a board without labels and for actions that are not pinned by commit.
    """
    for action in (checkout, upload):
        if not _SHA.fullmatch(action):
            raise UsageError(f"{action} is not pinned by a commit", hint="owner/name@ and the 40 digits of the commit")
    bare = next((board.name for board in inventory.boards if not board.labels), None)
    if bare is not None:
        raise UsageError(f"the board {bare} has no labels", hint="add labels = [...]: those of its runner")
    if len(inventory.boards) > 256:
        raise UsageError("a matrix takes at most 256 jobs", hint="choose boards with --label")
    include = []
    for board in inventory.boards:
        own = [label for label in board.labels if label != "self-hosted"]
        chosen = board.python or python
        row: dict[str, Any] = {"board": board.name, "labels": ["self-hosted", *own], "python": chosen or ""}
        include.append(row)
    minutes = max(int((board.seconds or inventory.limits.board_seconds) // 60) + 5 for board in inventory.boards)
    steps: list[dict[str, Any]] = [
        {"uses": checkout, "with": {"persist-credentials": False, "clean": True}},
        {
            "name": "Run the gate",
            "env": {"BOARD_PYTHON": "${{ matrix.python }}"},
            "run": (
                "set -euo pipefail\n"
                f"jetproof run {shlex.quote(gate)} --output conditional-evidence"
                ' ${BOARD_PYTHON:+--python "$BOARD_PYTHON"}\n'
            ),
        },
        {
            "name": "Keep the results, green or not",
            "if": "always()",
            "uses": upload,
            "with": {
                "name": f"{gate}-${{{{ matrix.board }}}}-${{{{ github.run_attempt }}}}",
                "path": "conditional-evidence",
                "if-no-files-found": "error",
                "retention-days": 30,
            },
        },
    ]
    workflow = {
        "name": f"fleet {gate}",
        "on": {"workflow_dispatch": {}},
        "permissions": {},
        "concurrency": {"group": f"fleet-{gate}", "cancel-in-progress": False},
        "jobs": {
            gate: {
                "name": f"{gate} on ${{{{ matrix.board }}}}",
                "permissions": {"contents": "read"},
                "runs-on": "${{ matrix.labels }}",
                "timeout-minutes": minutes,
                "strategy": {
                    "fail-fast": False,
                    "max-parallel": inventory.limits.parallel,
                    "matrix": {"include": include},
                },
                "steps": steps,
            }
        },
    }
    return yaml.dump(workflow, Dumper=_Dumper, sort_keys=False, width=120)


class _Dumper(yaml.SafeDumper):
    """Writes plain data: lists indented below their name, texts of several lines as blocks, nothing by reference."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists too, as people write them."""
        del indentless
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out again: Kubernetes and GitHub readers differ about references."""
        del data
        return True


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _block)


def _image(image: str, what: str) -> None:
    if not _DIGEST.fullmatch(image):
        raise UsageError(
            f"{what} must be pinned by digest, found {image[:200]!r}",
            hint="NAME@sha256:…: a tag may be another image tomorrow",
            reason="image-not-pinned",
        )


def _dns(name: str, what: str) -> str:
    if not _DNS.fullmatch(name):
        raise UsageError(f"{name!r} is no name that Kubernetes takes for a {what}", hint="lower case, digits, hyphens")
    return name
