"""What is taken from a pasted text or a report object, and that nothing pasted can do harm."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.diagnosis.engine import diagnose
from jetproof.errors import UsageError
from jetproof.facts.model import MessageKind, Origin, PlatformClass
from jetproof.facts.report import facts
from jetproof.facts.report.intake import LIMIT, intake, read
from jetproof.facts.report.segments import LONGEST_LINE, MOST_TEXT, messages
from jetproof.tables import load

TABLES = load()

ISSUE = """\
### Bug
On my Orin Nano the GPU is not seen.
<!-- Please say whether you use Windows, an RTX card or WSL -->

```
$ python3 -c "import torch"
Traceback (most recent call last):
  File "/usr/lib/python3.10/site-packages/torch/__init__.py", line 1, in <module>
ImportError: libcusparseLt.so.0: cannot open shared object file
```
# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64
"""

COLLECT_ENV = """\
PyTorch version: 2.5.0a0+872d972e41.nv24.08
CUDA used to build PyTorch: 12.6
OS: Ubuntu 22.04.5 LTS (aarch64)
Python version: 3.10.12 (main, Feb  4 2025, 14:57:36) [GCC 11.4.0] (64-bit runtime)
Python platform: Linux-5.15.148-tegra-aarch64-with-glibc2.35
Is CUDA available: True
Nvidia driver version: 540.4.0
[pip3] numpy==1.26.4
[pip3] torchvision==0.20.0
"""


def test_an_issue_is_cut_into_messages_with_their_lines() -> None:
    found, note = messages(ISSUE)
    assert note is None
    kinds = {message.read_from: message.kind for message in found}
    assert kinds["line 6"] is MessageKind.COMMAND
    assert kinds["line 7"] is MessageKind.ERROR
    assert not any("Windows" in message.text for message in found)


def test_facts_come_with_their_lines() -> None:
    found = facts(ISSUE, TABLES)
    assert found.origin is Origin.REPORTED
    assert (found.platform.l4t.value, found.platform.l4t.read_from) == ("36.4.3", "line 11")
    assert (found.platform.jetpack.value, found.platform.jetpack.read_from) == ("6.2", "line 11")
    assert found.platform.is_jetson.value is True
    assert found.platform.compute_capability.value == "8.7"
    assert diagnose(found, TABLES).findings[0].because[0].read_from == "line 9"


def test_collect_env_is_read() -> None:
    found = facts(COLLECT_ENV, TABLES)
    torch = found.torch
    assert (torch.torch.value, torch.torch_cuda.value, torch.available.value) == (
        "2.5.0a0+872d972e41.nv24.08",
        "12.6",
        True,
    )
    assert (torch.python.value, torch.numpy.value, torch.torchvision.value) == ("3.10.12", "1.26.4", "0.20.0")
    assert (found.platform.kernel.value, found.cuda.kernel_driver.value) == ("5.15.148-tegra", "540.4.0")
    assert found.platform.is_jetson.value is True


def test_no_cuda_in_the_build_is_absent_and_not_unknown() -> None:
    assert facts("CUDA used to build PyTorch: None", TABLES).torch.torch_cuda.absent
    assert facts("CUDA used to build PyTorch: Could not collect", TABLES).torch.torch_cuda.unknown
    assert facts({"torch_cuda": None}, TABLES).torch.torch_cuda.absent


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "OS: Ubuntu 22.04 LTS (x86_64)\nGPU models and configuration: GPU 0: NVIDIA GeForce RTX 3060",
            PlatformClass.X86,
        ),
        ("GPU models and configuration: GPU 0: NVIDIA GB10", PlatformClass.DGX_SPARK),
        ("Linux 5.15.167.4-microsoft-standard-WSL2 x86_64", PlatformClass.WSL),
        ("this Raspberry Pi 5 has no GPU", PlatformClass.RASPBERRY_PI),
    ],
)
def test_other_machines_are_told_apart(text: str, kind: PlatformClass) -> None:
    found = facts(text, TABLES)
    assert found.platform.is_jetson.value is False
    assert found.platform.platform_class.value is kind


def test_a_desktop_named_beside_a_jetson_does_not_make_it_one() -> None:
    assert (
        facts("Works on my desktop with an RTX 4090, fails on the Jetson AGX Orin.", TABLES).platform.is_jetson.value
        is True
    )


def test_nothing_is_guessed() -> None:
    assert facts("something is wrong", TABLES).platform.is_jetson.unknown


def test_the_tag_of_an_image_is_not_the_hosts_release() -> None:
    found = facts({"container_image": "nvcr.io/nvidia/l4t-base:r32.4.4", "model": "Jetson Nano"}, TABLES)
    assert found.platform.l4t.unknown
    assert found.container.image_l4t.value == "32.4.4"


def test_members_of_a_wrong_kind_are_told_and_left_out() -> None:
    found = facts({"model": ["a"], "cuda_available": "maybe", "l4t": {"x": 1}, "python": True, "odd": object()}, TABLES)
    assert found.torch.available.unknown
    assert found.platform.l4t.unknown
    assert found.platform.notes


def test_a_case_file_and_its_reported_object_are_the_same_report() -> None:
    inner = {"model": "Jetson Nano", "error_text": "Illegal instruction"}
    assert intake(json.dumps({"id": "x", "reported": inner}).encode()).members == inner
    assert intake(json.dumps(inner).encode()).members == inner


def test_a_snapshot_is_sent_to_the_doctor() -> None:
    with pytest.raises(UsageError) as caught:
        intake(b'{"schema": "jetproof/snapshot/1", "files": {}}', "board.json")
    assert "doctor --from board.json" in str(caught.value.hint)


@pytest.mark.parametrize("data", [b"", b" \n", bytes(range(256)) * 40, b"\0" * 5000])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError):
        intake(data)


def test_stray_bytes_are_left_out_and_told() -> None:
    taken = intake(b"ImportError: libcusparseLt.so.0\0\xff and more text that can be read")
    assert "\0" not in taken.text
    assert taken.notes


def test_other_encodings_and_terminal_codes() -> None:
    assert intake("Orin\r\nNano".encode("utf-16")).text == "Orin\nNano"
    assert intake(b"\x1b[31mred\x1b[0m\rnext").text == "red\nnext"


def test_deep_json_is_a_text() -> None:
    assert intake(b'{"model":' * 200_000 + b"1").members is None


def test_a_huge_stream_costs_bounded_memory_and_keeps_its_end() -> None:
    line = b"[ 12%] Building CXX object x.cpp.o\n"
    data = line * (3 * LIMIT // len(line)) + b"ImportError: libcusparseLt.so.0: cannot open shared object file\n"
    taken = intake(read(io.BytesIO(data), "log"))
    assert len(taken.text) < LIMIT + 4096
    assert taken.notes
    assert diagnose(facts(taken.text, TABLES), TABLES).findings[0].root_cause == "missing-cusparselt"


def test_long_texts_keep_their_telling_lines_and_places() -> None:
    lines = [f"noise {number}" for number in range(20_000)]
    lines[12_345] = "ImportError: libcusparseLt.so.0: cannot open shared object file"
    found, note = messages("\n".join(lines))
    assert note is not None
    assert sum(len(message.text) for message in found) <= MOST_TEXT + LONGEST_LINE
    assert any(message.read_from == "line 12346" for message in found)


def test_a_very_long_line_keeps_head_and_tail() -> None:
    found, _ = messages("error " + "x" * 100_000 + " libcudss.so.0")
    assert len(found[0].text) <= LONGEST_LINE + 10
    assert found[0].text.endswith("libcudss.so.0")


_WORDS = st.sampled_from(
    [
        "torch ",
        "2.11.0+cu130",
        "libcudart.so.",
        "10.0",
        "\n",
        "```\n",
        "$ ",
        "Jetson ",
        "Nano ",
        "R36 (release), REVISION: ",
        "4.3",
        "CUDA ",
        "<!--",
        "-->",
        "NvMapMemAllocInternalTagged",
        "docker run ",
        "--runtime nvidia ",
        "cannot open shared object",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "cp310",
        "-",
        "uid=1(x) groups=",
        "\t",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(_WORDS, max_size=60).map("".join)))
def test_any_text_is_explained_without_an_error(text: str) -> None:
    found = facts(text, TABLES)
    diagnose(found, TABLES)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    [
        "model",
        "jetpack",
        "l4t",
        "arch",
        "cuda",
        "python",
        "torch_cuda",
        "torch_version",
        "torch_arch_list",
        "container_image",
        "docker_runtime",
        "error_text",
        "package",
        "x",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(_NAMES, _JSON, max_size=6))
def test_any_object_is_explained_without_an_error(members: dict[str, object]) -> None:
    diagnose(facts(members, TABLES), TABLES)


CUT = '{"schema": "jetproof/snapshot/1",\n "emulation": {"emulated": false, "x86": null},\n "files": {"/etc/nv_te'


@pytest.mark.parametrize("text", [CUT, '{"is_x86_64": false, "machine": null, "windows 11": "no"}', '[{"amd64": 1}]'])
def test_the_names_of_json_members_are_no_prose(text: str) -> None:
    found = facts(intake(text.encode()).text, TABLES)
    assert found.platform.is_jetson.unknown
    assert found.platform.platform_class.unknown


def test_the_values_of_json_members_are_read_with_their_lines() -> None:
    given = intake(b'{\n "log": "ImportError: libcusparseLt.so.0: cannot open shared object file",\n "cut')
    first = diagnose(facts(given.text, TABLES), TABLES).findings[0]
    assert first.root_cause == "missing-cusparselt"
    assert first.because[0].read_from == "line 2"


@pytest.mark.parametrize("filler", ["\n", "   \n", "\t\r\n", "nothing to see\n"])
def test_what_tells_nothing_does_not_hide_what_does(filler: str) -> None:
    given = intake((filler * 50_000 + "ImportError: libcusparseLt.so.0: cannot open shared object\n").encode())
    found = facts(given.text, TABLES)
    assert len(found.messages) == 1
    assert found.messages[0].read_from == "line 50001"


@pytest.mark.parametrize(
    "text",
    [
        "See #512 about JetPack (#6123) on my Jetson.",
        "JetPack: see #6",
        "L4T: as in #36",
        "- [#3641](https://forge.example/owner/jetson/issues/3641) CUDA #12",
    ],
)
def test_the_number_of_an_issue_is_no_release(text: str) -> None:
    found = facts(text, TABLES)
    assert found.platform.jetpack.unknown
    assert found.platform.l4t.unknown
    assert found.cuda.toolkit.unknown


def test_a_heading_is_no_command_and_roots_prompt_is_one() -> None:
    kinds = {
        message.read_from: message.kind
        for message in messages("# Orin Nano sees no GPU\n\n```\n# ls /dev\n```\n# pip3 list\n")[0]
    }
    assert kinds == {
        "line 1": MessageKind.PROSE,
        "line 4": MessageKind.COMMAND,
        "line 6": MessageKind.COMMAND,
    }


def test_a_command_may_end_with_a_dot_and_a_sentence_is_none() -> None:
    assert messages("pip install -e .")[0][0].kind is MessageKind.COMMAND
    assert messages("docker is installed.")[0][0].kind is MessageKind.PROSE


def test_of_an_upgrade_the_second_release_is_there() -> None:
    found = facts("I went from JetPack 5.1 to JetPack 6.2 on an Orin NX", TABLES)
    assert found.platform.jetpack.value == "6.2"
    assert facts("apt took my Orin from 36.4.4 to 36.4.7", TABLES).platform.l4t.value == "36.4.7"


def test_what_a_command_printed_on_its_own_line_is_read() -> None:
    torch = facts('python3 -c "import torch; print(torch.__version__, torch.version.cuda)" -> 2.4.1 None', TABLES).torch
    assert torch.torch.value == "2.4.1"
    assert torch.torch_cuda.absent
    torch = facts("print(torch.__version__, torch.version.cuda): 2.8.0 12.6 True", TABLES).torch
    assert (torch.torch_cuda.value, torch.available.value) == ("12.6", True)


def test_a_warning_with_its_file_is_an_error() -> None:
    assert messages("/x/torchvision/io/image.py:13: UserWarning: no")[0][0].kind is MessageKind.ERROR


@pytest.mark.parametrize(
    "words", ["There are only x86_64 wheels", "wheels for x86_64 alone", "x86_64 and aarch64 wheels"]
)
def test_the_machine_of_a_wheel_is_not_this_machine(words: str) -> None:
    found = facts(f"{words}, and I have a Jetson Nano.", TABLES).platform
    assert found.arch.value != "x86_64"
    assert found.is_jetson.value is True


def test_a_toolkit_is_named_and_a_wheels_cuda_is_not_the_toolkit() -> None:
    assert facts("cuda-10.0 (was preinstalled), Jetson Nano", TABLES).cuda.toolkit.value == "10.0"
    assert not facts("a wheel built for cuda-10.2, Jetson Nano", TABLES).cuda.toolkit.known


def test_the_release_of_an_image_is_not_the_hosts() -> None:
    found = facts("I start the r32.7.1 l4t-pytorch image on an Orin with JetPack 5.1", TABLES)
    assert found.container.image_l4t.value == "32.7.1"
    assert not found.platform.l4t.known
    assert facts("Orin with L4T 36.4.3 and a container", TABLES).platform.l4t.value == "36.4.3"
