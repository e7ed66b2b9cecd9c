"""Read files, folders and device nodes of a machine that may be broken or hostile: bounded, never blocking.

Python >= 3.6.
"""

import errno
import fcntl
import glob
import grp
import os
import pwd
import re
import stat
from typing import Any, Callable, Dict, List, Optional, Union

Entry = Union[str, List[str], Dict[str, str], None]
"""Text or list, None for absent, or an object with the reason why it is unknown."""

LIMIT = 256 << 10
"""Bytes of one file that are read."""

LARGEST_UID_OF_SYSTEM = 999

_REASONS = {errno.EACCES: "no-permission", errno.EPERM: "no-permission"}
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO)
_I2C_SLAVE = 0x0703
_EEPROM_ADDRESS = 0x50
_PART_OFFSET, _PART_LENGTH = 20, 20
_PART = re.compile(r"699-[0-9A-Z]{5}-[0-9A-Z]{4}(-[0-9A-Z]{3})?")


def unknown(reason: str, detail: str = "") -> Dict[str, str]:
    """Return the entry for what is there, or may be there, and is not known."""
    return {"reason": reason, "detail": detail}


def refused(error: OSError, place: str = "") -> Optional[Dict[str, str]]:
    """Return the entry for what the system did not give: None where it says that there is none."""
    if error.errno in _ABSENT:
        return None
    return unknown(_REASONS.get(error.errno or 0, "failed"), place + os.strerror(error.errno or 0))


def raw(path: str, limit: int = LIMIT) -> Union[bytes, Dict[str, str], None]:
    """Return a regular file's bytes, None when there is no such file, or the reason why it cannot be had.

    Links are followed (release files are links on some systems), devices, pipes and sockets never opened for
    their content: the file is opened without blocking and must turn out to be a regular one.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        return refused(error)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return unknown("not-understood", "not a regular file")
        parts: List[bytes] = []
        size = 0
        while size <= limit:
            part = os.read(fd, min(65536, limit + 1 - size))
            if not part:
                break
            parts.append(part)
            size += len(part)
        if size > limit:
            return unknown("too-large", "more than %d bytes" % limit)
        return b"".join(parts)
    except OSError as error:
        return refused(error)
    finally:
        os.close(fd)


def text(path: str, limit: int = LIMIT) -> Entry:
    """Return a file's text; what is not UTF-8 or holds NULs is told as such."""
    content = raw(path, limit)
    if not isinstance(content, bytes):
        return content
    return decoded(content)


def decoded(content: bytes) -> Entry:
    """Return bytes as text, or the reason why they are none. One NUL at the end is the device tree's habit."""
    if content.endswith(b"\0"):
        content = content[:-1]
    if b"\0" in content:
        return unknown("not-text", "holds NUL bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        return unknown("not-text", "not UTF-8 at byte %d" % error.start)


def strings(path: str) -> Entry:
    """Return a device-tree property that holds several texts as a list, split at its NULs."""
    content = raw(path)
    if not isinstance(content, bytes):
        return content
    try:
        return [part.decode("utf-8") for part in content.split(b"\0") if part]
    except UnicodeDecodeError as error:
        return unknown("not-text", "not UTF-8 at byte %d" % error.start)


def chosen_lines(path: str, wanted: Callable[[str], Any]) -> Entry:
    """Return the lines of a file that `wanted` accepts, so that nothing else leaves the machine."""
    content = text(path)
    if not isinstance(content, str):
        return content
    return "".join(line + "\n" for line in content.splitlines() if wanted(line))


def listing(path: str, pattern: str = "", most: int = 500) -> Entry:
    """Return a folder's names that match, sorted; None when there is no such folder."""
    try:
        names = sorted(name for name in os.listdir(path) if not pattern or re.search(pattern, name))
    except OSError as error:
        return refused(error)
    if len(names) > most:
        return unknown("too-large", "more than %d names" % most)
    return names


def expand(pattern: str, most: int = 64) -> List[str]:
    """Return the paths that a pattern stands for, sorted; at most `most`."""
    return sorted(glob.glob(pattern))[:most] if "*" in pattern else [pattern]


def node(path: str) -> Optional[Dict[str, Any]]:
    """Return who may use a device node; None when it is not there. It is not opened."""
    try:
        found = os.stat(path)
    except OSError as error:
        why = refused(error)
        return None if why is None else {**why, "usable": None}
    kind = "c" if stat.S_ISCHR(found.st_mode) else "b" if stat.S_ISBLK(found.st_mode) else "-"
    return {
        "type": kind,
        "mode": stat.filemode(found.st_mode),
        "owner": owner_name(found.st_uid),
        "group": group_name(found.st_gid),
        "usable": os.access(path, os.R_OK | os.W_OK),
    }


def owner_name(uid: int) -> str:
    """Return a system account's name; a person's account is only its number."""
    if uid > LARGEST_UID_OF_SYSTEM:
        return str(uid)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid: int) -> str:
    """Return a group's name, or its number where it has none; a person's own group is only its number."""
    try:
        name = grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
    return str(gid) if gid > LARGEST_UID_OF_SYSTEM and name == user_name() else name


def user_name() -> str:
    """Return the name of the account that asks, "" where the number has none."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def user() -> Dict[str, Any]:
    """Return who asks: root or not, the session's groups, and the groups that a new login would have."""
    name = user_name()
    gids = sorted({os.getgid(), os.getegid(), *os.getgroups()})
    on_file: Entry = text("/etc/group", 1 << 20)
    if isinstance(on_file, str):
        on_file = _groups_on_file(on_file, name)
    return {
        "is_root": os.geteuid() == 0,
        "groups": sorted({group_name(gid) for gid in gids}),
        "groups_on_file": on_file if isinstance(on_file, list) else None,
    }


def _groups_on_file(content: str, name: str) -> List[str]:
    primary = pwd.getpwuid(os.getuid()).pw_gid if name else os.getgid()
    found = {group_name(primary)}
    for line in content.splitlines():
        fields = line.split(":")
        if len(fields) == 4 and name and name in fields[3].split(","):
            found.add(fields[0])
    return sorted(found)


def eeprom_part_number() -> Entry:
    """Return the part number of the module's EEPROM (never the serial number that follows it).

    Read through the kernel's driver where one is bound, else from the bus without forcing it.
    Call it on Tegra machines only: elsewhere another device answers at this address.
    """
    why: Entry = None
    for path in expand("/sys/bus/i2c/devices/*-0050/eeprom", 8):
        content = raw(path, limit=1 << 16)
        if isinstance(content, bytes):
            found = _part(content[_PART_OFFSET : _PART_OFFSET + _PART_LENGTH])
            if isinstance(found, str):
                return found
            why = found
        elif content is not None:
            why = content
    for bus in (0, 1, 2, 7):
        answer = _i2c("/dev/i2c-%d" % bus)
        if isinstance(answer, str):
            return answer
        why = answer or why
    return why


def _i2c(path: str) -> Entry:
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return refused(error, path + ": ")
    try:
        if not stat.S_ISCHR(os.fstat(fd).st_mode):
            return unknown("not-understood", "%s is not a device" % path)
        fcntl.ioctl(fd, _I2C_SLAVE, _EEPROM_ADDRESS)
        os.write(fd, bytes([_PART_OFFSET]))
        return _part(os.read(fd, _PART_LENGTH))
    except OSError as error:
        return unknown("failed", "%s: %s" % (path, os.strerror(error.errno or 0)))
    finally:
        os.close(fd)


def _part(content: bytes) -> Entry:
    found = _PART.match(content.decode("ascii", "replace"))
    return found.group(0) if found else unknown("not-understood", "no part number at offset 20 of the EEPROM")
