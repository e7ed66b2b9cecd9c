"""The control groups that bound a process's memory. Pure. Python >= 3.6."""

import os
from typing import List


def folders(told: str) -> List[str]:
    """Return the groups' folders, given the text of /proc/PID/cgroup: from the process's own up to the mount's root.

    In a container the own path may not be visible, and the root then is the own group.
    """
    found: List[str] = []
    for line in told.splitlines():
        fields = line.split(":", 2)
        if len(fields) != 3 or ".." in fields[2] or not (fields[1] == "" or "memory" in fields[1].split(",")):
            continue
        root = "/sys/fs/cgroup" + ("/memory" if fields[1] else "")
        parts = [part for part in fields[2].split("/") if part]
        found += [os.path.join(root, *parts[:depth]) for depth in range(len(parts), -1, -1)]
    return found
