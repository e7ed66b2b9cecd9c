"""What a container sees of its host, from its own table of mounts. Pure."""

from __future__ import annotations

import re

_OURS = "/jetproof"
_DRIVER = re.compile(r"\.so(?:\.\d+)*$|^/dev/(?:nv|dri)|/nvidia(?:/|$)|^/usr/bin/nvidia-|^/usr/local/cuda|^/etc/nv_")


def driver_mounts(mountinfo: str) -> tuple[str, ...]:
    """Return the places where the host's driver, or a part of it, is mounted; sorted."""
    found = set()
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        if len(fields) > 4:
            place = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
            if not place.startswith(_OURS) and _DRIVER.search(place):
                found.add(place)
    return tuple(sorted(found))
