"""Readers of single texts: odd forms are understood, garbage gives nothing, nothing ever raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetproof.facts.platform import platform, read_board, read_machine, read_release
from jetproof.facts.platform.signs import Kind
from jetproof.facts.readout import TEXT_LIMIT, ReadOut, Text
from jetproof.tables import load
from jetproof.target.reading import Reading

TABLES = load()


def _text(text: str, read_from: str = "somewhere") -> Text:
    return Text(read_from=read_from, text=text)


@pytest.mark.parametrize(
    ("line", "l4t"),
    [
        ("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64", "36.4.3"),
        (" R32 (release), REVISION: 3.1, GCID: 18186506, BOARD: t210ref", "32.3.1"),
        ("# R32 , REVISION: 7.4, GCID: 33514132, BOARD: t210ref", "32.7.4"),
        ("# R28 (release), REVISION: 1.0, GCID: 9379712", "28.1.0"),
        ("# R36 (release), REVISION: 4, GCID: 1", "36.4.0"),
        ("# R39 (release), REVISION: 2.0, GCID: 45755727, DATE: Mon Jun  1 09:28:48 PM UTC 2026", "39.2.0"),
        ("vendor line\n# R35 (release), REVISION: 6.1, GCID: 39721438\n# more", "35.6.1"),
        ("// R38 (release), REVISION: 4.0, GCID: 43443517", "38.4.0"),
    ],
)
def test_release_lines_in_their_forms(line: str, l4t: str) -> None:
    assert [sign.value for sign in read_release.release_lines(_text(line)) if sign.kind is Kind.L4T_FILE] == [l4t]


@pytest.mark.parametrize(
    "line", ["", "R36", "# R36 (release), REVISION: x", "JetPack 6.2", "see R36, the release notes"]
)
def test_what_is_no_release_line(line: str) -> None:
    assert list(read_release.release_lines(_text(line))) == []


@pytest.mark.parametrize(
    ("listing", "rows"),
    [
        ("nvidia-l4t-core\t36.4.4-20250616085344", {"nvidia-l4t-core": "36.4.4-20250616085344"}),
        ("nvidia-l4t-core 36.4.4-20250616085344", {"nvidia-l4t-core": "36.4.4-20250616085344"}),
        ("ii  nvidia-jetpack:arm64 6.2+b77 arm64 NVIDIA", {"nvidia-jetpack": "6.2+b77"}),
        ("hi  nvidia-jetpack 6.2+b77 arm64 NVIDIA", {"nvidia-jetpack": "6.2+b77"}),
        ("rc  nvidia-jetpack 5.1-b147 arm64 NVIDIA", {}),
        ("un  nvidia-jetpack <none> <none> (no description available)", {}),
        ("nvidia-jetpack/stable,now 6.2+b77 arm64 [installed]", {"nvidia-jetpack": "6.2+b77"}),
        ("nvidia-jetpack/stable 6.2.1+b38 arm64 [upgradable from: 6.2+b77]", {"nvidia-jetpack": "6.2+b77"}),
        ("nvidia-jetpack/stable 6.2.1+b38 arm64", {}),
        ("Package: a\nStatus: install ok installed\nVersion: 1.0\n\nPackage: b\nVersion: 2.0", {"a": "1.0"}),
        ("Package: a\nStatus: deinstall ok config-files\nVersion: 1.0", {}),
        ("vpi:\n  Installed: 1.2\n  Candidate: 1.3", {"vpi": "1.2"}),
        ("vpi:\n  Installed: (none)\n  Candidate: 1.3", {}),
    ],
)
def test_only_what_is_installed_counts(listing: str, rows: dict[str, str]) -> None:
    assert read_release.installed(_text(listing)) == rows


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("699-13834-0008-400 G.5", "p3834-0008"),
        ("699-82888-0004-400 M.0", "p2888-0004"),
        ("699-63701-0001-CS2 B.0", "p3701-0001"),
    ],
)
def test_part_numbers_of_the_eeprom(text: str, part: str) -> None:
    assert [sign.value for sign in read_board.eeprom(_text(text))] == [part]


@pytest.mark.parametrize("text", ["\u00ff" * 30, "699-", "699-13834", "699-13834-00081", "1699-13834-0008"])
def test_what_is_no_part_number(text: str) -> None:
    assert list(read_board.eeprom(_text(text))) == []


_PLAIN_DUMP = """\
01 00 FC 00 54 0E 00 00 03 42 00 00 00 00 00 00
00 00 00 00 36 39 39 2D 31 33 36 36 38 2D 30 30
30 30 2D 33 30 30 20 42 2E 30 00 00 00 00 00 00
"""
_SHOWN_DUMP = """\
     0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f    0123456789abcdef
10: 00 00 00 00 36 39 39 2d 31 33 36 36 38 2d 30 30    ....699-13668-00
20: 30 30 2d 33 30 30 20 42 2e 30 00 00 00 00 00 00    00-300 B.0......
"""


@pytest.mark.parametrize("dump", [_PLAIN_DUMP, _SHOWN_DUMP])
def test_a_dump_of_the_eeprom(dump: str) -> None:
    assert [sign.value for sign in read_board.eeprom_dump(_text(dump))] == ["p3668-0000"]


def test_compatible_as_a_terminal_shows_it() -> None:
    shown = "nvidia,p3737-0000+p3701-0005nvidia,p3701-0005nvidia,tegra234nvidia,tegra23x"
    found = list(read_board.compatible(_text(shown)))
    assert [sign.value for sign in found if sign.kind is Kind.SOC] == ["tegra234"]
    assert [sign.value for sign in found if sign.kind is Kind.CARRIER] == ["p3737-0000"]
    assert sum(sign.kind is Kind.COMPATIBLE for sign in found) == 4


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ("nvidia,p3509-0000-a00+p3668-0001-a01", "p3668-0001"),
        ("nvidia,p3768-0000+p3767-0005-super", "p3767-0005"),
        ("nvidia,p3701-0008", "p3701-0008"),
        ("nvidia,tegra234", None),
        ("acme,p3701-0008", None),
    ],
)
def test_the_module_half_of_an_entry(entry: str, part: str | None) -> None:
    assert read_board.part_of_entry(entry) == part


@pytest.mark.parametrize(
    ("text", "kernel", "arch"),
    [
        ("Linux host 4.9.108-tegra #2 SMP Wed Oct 31 15:11:49 PDT 2018 aarch64 GNU/Linux", "4.9.108-tegra", "aarch64"),
        ("Linux 6.17.0-1008-nvidia #8-Ubuntu SMP aarch64 GNU/Linux", "6.17.0-1008-nvidia", "aarch64"),
        ("5.15.148-tegra aarch64", "5.15.148-tegra", "aarch64"),
        ("Linux host 4.14.98-v7+ #1200 SMP armv7l armv7l arm7l GNU/Linux", "4.14.98-v7+", "armv7l"),
        ("Linux 10.0.0.1 6.8.0-40-generic x86_64", "6.8.0-40-generic", "x86_64"),
    ],
)
def test_uname(text: str, kernel: str, arch: str) -> None:
    found = {sign.kind: sign.value for sign in read_machine.uname(_text(text))}
    assert found == {Kind.KERNEL: kernel, Kind.ARCH: arch}


def test_a_host_name_is_no_kernel() -> None:
    found = [sign.value for sign in read_machine.uname(_text("Linux jetson-igx-drive 5.15.0 #1 aarch64"))]
    assert found == ["5.15.0", "aarch64"]


def test_last_of_repeated_keys_and_no_serial_number() -> None:
    text = 'DGX_NAME="DGX Spark"\nDGX_SERIAL_NUMBER="1234567890123"\nDGX_NAME=DGX Spark\n'
    assert [sign.value for sign in read_machine.dgx_release(_text(text))] == ["DGX Spark"]


def test_a_long_text_is_cut() -> None:
    line = "# R36 (release), REVISION: 4.3, GCID: 1"
    for text, l4t in ((line + " " * (4 * TEXT_LIMIT), "36.4.3"), (" " * (4 * TEXT_LIMIT) + line, None)):
        read = ReadOut(files={"/etc/nv_tegra_release": Reading(read_from="/etc/nv_tegra_release", text=text)})
        assert platform(read, TABLES).l4t.value == l4t


_FILE_NAMES = [
    "/etc/nv_tegra_release",
    "/proc/device-tree/model",
    "/proc/device-tree/compatible",
    "/proc/device-tree/nvidia,boardids",
    "/proc/device-tree/nvidia,dtsfilename",
    "/proc/device-tree/chosen/ids",
    "eeprom/699-part-number",
    "/etc/nv_boot_control.conf",
    "/sys/module/tegra_fuse/parameters/tegra_chip_id",
    "/proc/cmdline",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/etc/os-release",
    "/etc/dgx-release",
    "/sys/class/dmi/id/product_name",
    "/sys/class/dmi/id/sys_vendor",
    "/proc/version",
]
_FILES = st.sampled_from(_FILE_NAMES)
_COMMAND_LINES = [
    "uname -a",
    "uname -m",
    "hostnamectl",
    "dpkg -l",
    "dpkg-query -W",
    "apt-cache policy nvidia-jetpack",
    "nvidia-smi",
    "nvidia-smi -L",
    "nvidia-smi --query-gpu=name,compute_cap --format=csv",
    "tegrastats",
    "i2cdump -y 0 0x50",
    "dmesg",
    "lscpu",
    "jetson_clocks --show",
    "nvpmodel -q",
    "python3 -m torch.utils.collect_env",
    "ls /proc/device-tree/chosen/plugin-manager/ids",
    "docker run image uname -m",
    "cat /etc/nv_tegra_release",
]
_COMMANDS = st.sampled_from(_COMMAND_LINES)
_WORDS = st.sampled_from(
    [
        "# R36 (release), REVISION: 4.3",
        "NVIDIA Jetson AGX Orin Developer Kit",
        "nvidia,p3737-0000+p3701-0005",
        "nvidia,tegra234",
        "699-13701-0005-500",
        "3668-0001-300",
        "aarch64",
        "x86_64",
        "5.15.148-tegra",
        "GPU 0: NVIDIA GB10",
        "GenuineIntel",
        "CPU implementer : 0x41",
        "CPU part : 0xd0c",
        "nvidia-l4t-core 36.4.3-20250107174145",
        "Raspberry Pi",
        "\0",
        "\n",
        ":",
        "Linux",
    ]
)
_TEXTS = st.text(max_size=60) | st.lists(_WORDS, max_size=8).map(" ".join) | st.lists(_WORDS, max_size=8).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(files=st.dictionaries(_FILES, _TEXTS, max_size=6), commands=st.dictionaries(_COMMANDS, _TEXTS, max_size=6))
def test_no_text_raises_or_gives_an_absurd_value(files: dict[str, str], commands: dict[str, str]) -> None:
    read = ReadOut(
        files={path: Reading(read_from=path, text=text) for path, text in files.items()},
        commands={line: Reading(read_from=line, text=text) for line, text in commands.items()},
    )
    found = platform(read, TABLES)
    names = {row.name for row in TABLES.modules} | {row.family_name for row in TABLES.modules} | {None}
    socs = {row.soc for row in TABLES.socs} | {"tegra210b01", "tegra124", None}
    assert found.module.value in names
    assert found.soc.value in socs or str(found.soc.value).startswith("tegra")
    assert found.jetpack.value is None or found.jetpack.value[0].isdigit()
    assert found.l4t.value is None or found.l4t.value.count(".") == 2
    if found.is_jetson.value is not True:
        assert found.module.value is None
    if found.is_jetson.value is True:
        shown = " ".join([*files.values(), *commands.values()]).lower()
        assert any(word in shown for word in ("jetson", "p3701", "3701", "3668")), shown


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " ",
        "a",
        "0",
        "| 0 x ",
        "GPU 0: ",
        "699-13701-0005 ",
        "3668-0001-300 ",
        "nvidia,p3701-0005",
        "Package: x\n",
        "R36",
        "# R36 (release)    ",
        "Linux ",
        "CPU part : 0x1\n",
        "aa:\n \n",
        "00 ",
    ],
)
def test_hostile_texts_come_to_an_end(piece: str) -> None:
    """A pattern whose work grows with the square of the text would hang here."""
    for start in ("", "R36"):
        text = start + piece * ((1 << 14) // len(piece))
        read = ReadOut(
            files={path: Reading(read_from=path, text=text) for path in _FILE_NAMES},
            commands={line: Reading(read_from=line, text=text) for line in _COMMAND_LINES},
        )
        found = platform(read, TABLES)
        assert all(len(note) < 4000 for note in found.notes)


@pytest.mark.parametrize(
    ("files", "commands", "soc", "kernel"),
    [
        ({"/proc/cmdline": "tegraid=23.1.2.0.0 root=/dev/mmcblk0p1"}, {}, "tegra234", None),
        ({"/proc/cmdline": "tegraid=99.1 root=/dev/mmcblk0p1"}, {}, None, None),
        ({"/proc/sys/kernel/osrelease": "5.15.148-tegra\n"}, {}, None, "5.15.148-tegra"),
        ({"/proc/sys/kernel/osrelease": "unknown"}, {}, None, None),
        ({}, {"cat /proc/device-tree/model /etc/nv_tegra_release": "Jetson TX2\n# R32, REVISION: 7.4,"}, None, None),
    ],
)
def test_where_soc_and_kernel_stand(
    files: dict[str, str], commands: dict[str, str], soc: str | None, kernel: str | None
) -> None:
    found = platform(
        ReadOut(
            files={path: Reading(read_from=path, text=text) for path, text in files.items()},
            commands={line: Reading(read_from=line, text=text) for line, text in commands.items()},
        ),
        TABLES,
    )
    assert (found.soc.value, found.kernel.value) == (soc, kernel)
    assert found.model.value is None  # several texts in one: only what cannot be mistaken is taken
