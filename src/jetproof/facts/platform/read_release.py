"""Signs of the L4T release and of JetPack: the release file, installed packages, the kernel's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.facts.platform.signs import Kind, Sign
from jetproof.facts.readout import Text

_LINE = re.compile(
    r"^[^A-Za-z0-9]{0,8}R(?P<major>\d{2})[ \t]{0,9}(?:\(release\))?"
    r"[ \t]{0,9},[ \t]{0,9}REVISION:[ \t]{0,9}(?P<revision>\d{1,3}(?:\.\d{1,3}){0,2})\b(?P<rest>.*)",
    re.IGNORECASE | re.MULTILINE,
)
_MADE_UP_GCID = "12345678"
"""jetson-containers writes this build number when it makes the file itself."""
_KERNEL_RELEASE = re.compile(r"-l4t-r(\d{2}(?:\.\d{1,3}){1,2})(?=[-+.]|$)")
_CORE = "nvidia-l4t-core"
_STAMPED = re.compile(r"^(\d{2}\.\d{1,3}(?:\.\d{1,3})?)-\d{8,14}\b")
_NUMBERED = re.compile(r"^(\d{2}\.\d{1,3}(?:\.\d{1,3})?)(?:-|$)")
_JETPACK = re.compile(r"^(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:[-+~]|$)")
_DPKG_ROW = re.compile(r"^(?P<state>[a-z]{2,3})\s+(?P<name>[a-z0-9][a-z0-9.+-]+)(?::\w+)?\s+(?P<release>\S+)")
_QUERY_ROW = re.compile(r"^'?(?P<name>[a-z0-9][a-z0-9.+-]+)(?::\w+)?[\s=]+(?P<release>\d\S*?)'?$")
_APT_ROW = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.+-]+)/\S+\s+(?P<release>\S+)\s+\S+\s+\[(?P<state>[^\]]+)\]")
_UPGRADABLE = re.compile(r"upgradable from: (\S+)")
_STANZA = re.compile(r"^Package:[ \t]*(?P<name>\S+)[ \t]*$", re.MULTILINE)
_POLICY = re.compile(r"^(?P<name>[a-z0-9][a-z0-9.+-]+):[ \t]*\n[ \t]+Installed:[ \t]*(?P<release>\S+)", re.MULTILINE)


def three_numbers(release: str) -> str:
    """Return a release with three numbers: "36.4" gives "36.4.0"."""
    parts = [str(int(part)) for part in release.split(".")]
    return ".".join([*parts, "0", "0"][:3])


def release_lines(text: Text) -> Iterator[Sign]:
    """Yield what the lines of /etc/nv_tegra_release say, also in their odd forms."""
    for found in _LINE.finditer(text.text):
        release = three_numbers(f"{found['major']}.{found['revision']}")
        if _MADE_UP_GCID in found["rest"]:
            yield Sign(kind=Kind.L4T_BUILD, value=release, read_from=text.read_from)
            continue
        yield Sign(kind=Kind.L4T_FILE, value=release, read_from=text.read_from)
        board = re.search(r"BOARD:\s*(\w+)", found["rest"])
        if board:
            yield Sign(kind=Kind.BOARD_FIELD, value=board[1].lower(), read_from=text.read_from)


def kernel_release(kernel: Sign) -> Iterator[Sign]:
    """Yield the L4T release that a Yocto kernel carries in its name."""
    found = _KERNEL_RELEASE.search(kernel.value)
    if found:
        yield Sign(kind=Kind.L4T_KERNEL, value=three_numbers(found[1]), read_from=kernel.read_from)


def installed(text: Text) -> dict[str, str]:
    """Return name and package version of what is installed, from any of dpkg's and apt's listings.

    What apt could install (candidates) is left out.
    """
    found: dict[str, str] = {}
    for line in text.text.splitlines():
        row = _APT_ROW.match(line.strip())
        if row:
            older = _UPGRADABLE.search(row["state"])
            if older or row["state"].startswith("installed"):
                found[row["name"]] = older[1] if older else row["release"]
            continue
        row = _DPKG_ROW.match(line)
        if row:
            if row["state"][1] == "i":
                found[row["name"]] = row["release"]
            continue
        row = _QUERY_ROW.match(line.strip())
        if row:
            found[row["name"]] = row["release"]
    stanzas = list(_STANZA.finditer(text.text))
    ends = [following.start() for following in stanzas[1:]] + [len(text.text)]
    for stanza, end in zip(stanzas, ends, strict=False):
        body = text.text[stanza.end() : end]
        status = re.search(r"^Status:\s*(?:install|hold) ok installed", body, re.MULTILINE)
        release = re.search(r"^Version:\s*(\S+)", body, re.MULTILINE)
        if status and release:
            found[stanza["name"]] = release[1]
    for row in _POLICY.finditer(text.text):
        if row["release"] != "(none)":
            found[row["name"]] = row["release"]
    return found


def packages(text: Text) -> Iterator[Sign]:
    """Yield the L4T release and the JetPack that installed packages name."""
    rows = installed(text)
    bare = text.text.strip().strip("'\"")
    if not rows and re.fullmatch(r"\d\S*", bare):
        # `dpkg-query -f='${Version}'` prints no name: the command line holds it
        rows = {name: bare for name in (_CORE, "nvidia-jetpack") if text.read_from.rstrip().endswith(name)}
    core = _NUMBERED.match(rows.get(_CORE, ""))
    stamped = {
        found[1]
        for name, release in rows.items()
        if name.startswith("nvidia-l4t-") and (found := _STAMPED.match(release))
    }
    if core:
        yield Sign(kind=Kind.L4T_PACKAGE, value=three_numbers(core[1]), read_from=text.read_from)
    elif len(stamped) == 1:
        yield Sign(kind=Kind.L4T_PACKAGE, value=three_numbers(stamped.pop()), read_from=text.read_from)
    jetpack = _JETPACK.match(rows.get("nvidia-jetpack", ""))
    if jetpack:
        yield Sign(kind=Kind.JETPACK_PACKAGE, value=jetpack[1], read_from=text.read_from)
