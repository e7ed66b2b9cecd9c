"""What is written for Kubernetes and GitHub: plain data in the shape that each expects, pinned, closed, one a board."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from jetproof.errors import UsageError
from jetproof.fleet.emit import Cluster, github, kubernetes
from jetproof.fleet.inventory import Board, Inventory, Limits

IMAGE = "registry.example/lab/jetproof@sha256:" + "a" * 64
UPLOADER = "registry.example/rclone@sha256:" + "b" * 64
BOARDS = Inventory(
    boards=(
        Board(name="orin-01", labels=("linux", "ARM64", "jetson"), node="orin-01.example", python="/usr/bin/python3"),
        Board(name="Thor_02", labels=("self-hosted", "thor"), seconds=900.0),
    ),
    limits=Limits(parallel=3, board_seconds=1800.0),
    read_from="boards.toml",
)


def documents(**changes: Any) -> list[dict[str, Any]]:
    members: dict[str, Any] = {"image": IMAGE, "claim": "results"}
    return list(yaml.safe_load_all(kubernetes(BOARDS, "jetson-cuda-runtime", Cluster(**{**members, **changes}))))


def test_a_job_a_board_on_its_node_with_one_gpu() -> None:
    policy, *jobs = documents()

    assert (policy["kind"], policy["spec"]["policyTypes"]) == ("NetworkPolicy", ["Ingress", "Egress"])
    assert (
        policy["spec"]["podSelector"]["matchLabels"].items()
        <= jobs[0]["spec"]["template"]["metadata"]["labels"].items()
    )
    assert [job["metadata"]["name"] for job in jobs] == ["orin-01-jetson-cuda-runtime", "thor-02-jetson-cuda-runtime"]
    assert [job["spec"]["activeDeadlineSeconds"] for job in jobs] == [1800, 900]
    assert {job["spec"]["backoffLimit"] for job in jobs} == {0}
    pods = [job["spec"]["template"]["spec"] for job in jobs]
    assert [pod["nodeSelector"]["kubernetes.io/hostname"] for pod in pods] == ["orin-01.example", "Thor_02"]
    assert {pod["runtimeClassName"] for pod in pods} == {"nvidia"}
    (gate,) = pods[0]["containers"]
    assert gate["image"] == IMAGE
    assert gate["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert gate["command"] == [
        "jetproof", "run", "jetson-cuda-runtime", "--project", "/project", "--output", "/results/orin-01",
        "--python", "/usr/bin/python3",
    ]  # fmt: skip
    assert pods[0]["volumes"][0] == {"name": "results", "persistentVolumeClaim": {"claimName": "results"}}


def test_nothing_in_a_pod_may_do_more_than_run_the_gate() -> None:
    for job in documents()[1:] + documents(claim=None, remote="store:a/b", uploader=UPLOADER):
        pod = job["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert "hostNetwork" not in pod
        assert not [volume for volume in pod["volumes"] if "hostPath" in volume]
        for container in pod["containers"] + pod.get("initContainers", []):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_an_object_store_gets_the_results_also_of_a_red_gate() -> None:
    jobs = documents(claim=None, remote="store:jetproof/results", uploader=UPLOADER)

    assert {job["kind"] for job in jobs} == {"Job"}
    pod = jobs[0]["spec"]["template"]["spec"]
    (gate,), (upload,) = pod["initContainers"], pod["containers"]
    # the gate's own end must not keep the upload from starting
    assert gate["command"][:4] == ["/bin/sh", "-c", '"$@" || echo "exit $?" >"/results/$BOARD.exit"', "gate"]
    assert upload["command"] == ["rclone", "copy", "--immutable", "/results", "store:jetproof/results/orin-01"]
    assert upload["envFrom"] == [{"secretRef": {"name": "jetproof-results"}}]
    assert "resources" not in upload


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"image": "registry.example/jetproof:latest"}, "pinned by digest"),
        ({"claim": None}, "one place"),
        ({"remote": "a:b"}, "one place"),
        ({"claim": None, "remote": "store:a"}, "the uploader must be pinned"),
        ({"claim": None, "remote": "/etc", "uploader": UPLOADER}, "no place of rclone's"),
        ({"namespace": "Lab"}, "takes for a namespace"),
        ({"claim": "a b"}, "takes for a claim"),
    ],
)
def test_what_a_cluster_would_refuse_or_take_for_something_else(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        documents(**changes)


def test_two_boards_of_one_kubernetes_name() -> None:
    boards = Inventory(boards=(Board(name="a.b"), Board(name="a_b")), limits=Limits(), read_from="x")

    with pytest.raises(UsageError, match="one Kubernetes name: a-b-g"):
        kubernetes(boards, "g", Cluster(image=IMAGE, claim="results"))


def test_a_matrix_over_the_runners_labels_that_no_stranger_starts() -> None:
    text = github(BOARDS, "jetson-cuda-runtime", python="/opt/python")
    value = yaml.safe_load(text)

    assert value["on"] == {"workflow_dispatch": {}}
    assert value["permissions"] == {}
    job = value["jobs"]["jetson-cuda-runtime"]
    assert job["strategy"] == {
        "fail-fast": False,
        "max-parallel": 3,
        "matrix": {
            "include": [
                {
                    "board": "orin-01",
                    "labels": ["self-hosted", "linux", "ARM64", "jetson"],
                    "python": "/usr/bin/python3",
                },
                {"board": "Thor_02", "labels": ["self-hosted", "thor"], "python": "/opt/python"},
            ]
        },
    }
    assert job["timeout-minutes"] == 35
    checkout, gate, upload = job["steps"]
    assert checkout["with"]["persist-credentials"] is False
    assert "${{" not in gate["run"]
    assert upload["if"] == "always()"
    assert all(len(step["uses"].partition("@")[2]) == 40 for step in (checkout, upload))


def test_a_matrix_needs_labels_pins_and_bounds() -> None:
    with pytest.raises(UsageError, match="has no labels"):
        github(Inventory(boards=(Board(name="a"),), limits=Limits(), read_from="x"), "g")
    with pytest.raises(UsageError, match="not pinned by a commit"):
        github(BOARDS, "g", checkout="actions/checkout@v4")
    many = tuple(Board(name=f"b{n}", labels=("x",)) for n in range(257))
    with pytest.raises(UsageError, match="at most 256"):
        github(Inventory(boards=many, limits=Limits(), read_from="x"), "g")
