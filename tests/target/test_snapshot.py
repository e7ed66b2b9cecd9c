from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetproof.errors import UsageError
from jetproof.target.reading import Reading, Reason
from jetproof.target.snapshot import Snapshot, parse

FULL = {
    "schema": "jetproof/snapshot/1",
    "origin": "live",
    "files": {
        "/etc/nv_tegra_release": "# R36 (release), REVISION: 4.3\n",
        "/proc/device-tree/compatible": ["nvidia,p3737-0000+p3701-0005", "nvidia,tegra234"],
        "/sys/firmware/devicetree/base/model": "NVIDIA Jetson AGX Orin Developer Kit",
        "/run/.containerenv": None,
        "/a": {"reason": "no-permission", "detail": "Permission denied"},
        "/b": {"reason": "of a later release"},
    },
    "commands": {
        "uname -r": "5.15.148-tegra",
        "nvpmodel -q": None,
        "nvidia-smi": {"status": "timed-out", "code": None, "stdout": "", "stderr": "x" * 600, "seconds": 5.0},
        "gone": {"status": "missing"},
        "bad": {"status": "exited", "code": 9},
        "not allowed": {"status": "denied"},
    },
    "listings": {"/usr/local": ["cuda"], "/dev/nvgpu": None, "/secret": {"reason": "no-permission"}},
    "nodes": {"/dev/nvmap": {"type": "c", "mode": "crw-rw----", "owner": "root", "group": "video", "usable": True}},
    "python": {"status": "ok", "interpreter": {"executable": "/usr/bin/python3", "version": "3.10.12"}},
    "trials": {"status": "crashed", "signal": 11, "steps": [{"name": "import torch", "outcome": "crashed"}]},
    "invented": {"by": "a later release"},
}


def snapshot(**members: object) -> Snapshot:
    return parse({**FULL, **members}, what="it", origin="recorded")


def test_three_states_of_a_file() -> None:
    read = snapshot()
    assert read.file("/etc/nv_tegra_release").text == "# R36 (release), REVISION: 4.3\n"
    assert read.file("/run/.containerenv").absent
    assert read.file("/nowhere") == Reading(read_from="/nowhere", reason=Reason.NOT_READ)
    assert read.file("/a").reason is Reason.NO_PERMISSION
    assert read.file("/b").reason is Reason.FAILED


def test_both_names_of_the_device_tree() -> None:
    read = snapshot()
    assert read.file("/proc/device-tree/model").text == "NVIDIA Jetson AGX Orin Developer Kit"
    assert read.file("/proc/device-tree/model").read_from == "/sys/firmware/devicetree/base/model"
    base = "/sys/firmware/devicetree/base/compatible"
    assert read.strings(base) == ("nvidia,p3737-0000+p3701-0005", "nvidia,tegra234")
    assert read.file(base).text == "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234"
    assert read.strings("/nowhere") is None


def test_commands() -> None:
    read = snapshot()
    assert read.command("uname -r").text == "5.15.148-tegra"
    assert read.command("nvpmodel -q").absent
    assert read.command("gone").absent
    assert read.command("nvidia-smi").reason is Reason.TIMED_OUT
    assert len(read.command("nvidia-smi").detail) == 500
    assert read.command("bad").reason is Reason.FAILED
    assert read.command("not allowed").reason is Reason.NO_PERMISSION
    assert read.command("never asked").reason is Reason.NOT_READ


def test_listings() -> None:
    read = snapshot()
    assert read.listing("/usr/local") == ("cuda",)
    for path, state in (("/dev/nvgpu", None), ("/secret", Reason.NO_PERMISSION), ("/other", Reason.NOT_READ)):
        reading = read.listing(path)
        assert isinstance(reading, Reading)
        assert reading.reason is state
        assert reading.absent is (state is None)


def test_trials_and_parts() -> None:
    read = snapshot()
    assert read.trials is not None
    assert read.trials.signal == 11
    step = read.trials.step("import torch")
    assert step is not None
    assert step.outcome == "crashed"
    assert read.trials.step("never") is None


@pytest.mark.parametrize(("told", "became"), [("live", "recorded"), ("emulated", "emulated"), (None, "recorded")])
def test_what_comes_from_a_file_is_never_live(told: str | None, became: str) -> None:
    assert snapshot(origin=told).origin == became


def test_what_is_emulated_stays_so_even_live() -> None:
    assert parse({**FULL, "origin": "emulated"}, what="it", origin="live").origin == "emulated"


def test_a_saved_snapshot_reads_back_the_same_and_is_stable() -> None:
    read = snapshot()
    text = read.dumps()
    assert parse(json.loads(text), what="it", origin="recorded") == read
    assert parse(json.loads(text), what="it", origin="recorded").dumps() == text
    assert "invented" not in text
    assert json.loads(text)["schema"] == "jetproof/snapshot/1"


def test_saving_takes_out_what_names_people() -> None:
    read = snapshot(files={"/home/alice/x": "https://user:pa55word@index.example/simple?token=abc /home/alice/y"})
    text = read.dumps()
    assert "alice" not in text
    assert "pa55word" not in text
    assert "abc" not in text
    assert "/home/<user>/y" in text


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "holds no JSON object"),
        (None, "holds no JSON object"),
        ({}, "neither `files` nor `commands`"),
        ({"platform": {}}, "neither `files` nor `commands`"),
        ({"schema": "jetproof/facts/1"}, 'has schema "jetproof/facts/1"'),
        ({"schema": 3, "files": {}}, "has schema 3"),
        ({"files": []}, "files: expected an object, found a list"),
        ({"files": {"/x": 1}}, "files./x: expected text or a list or an object or null, found a number"),
        ({"files": {}, "trials": {"steps": [{"name": "x"}]}}, "the member outcome is missing"),
    ],
)
def test_what_is_no_snapshot_is_told(value: object, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(value, what="it", origin="recorded")
    assert told in raised.value.message
    assert raised.value.hint


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: (
            st.lists(v)
            | st.dictionaries(
                st.sampled_from(["files", "commands", "python", "trials", "steps", "name", "nodes", "schema", "x"]), v
            )
        ),
    )
)
def test_any_value_is_a_snapshot_or_a_usage_error(value: object) -> None:
    try:
        read = parse(value, what="it", origin="recorded")
    except UsageError:
        return
    assert parse(json.loads(read.dumps()), what="it", origin="recorded").origin == read.origin
