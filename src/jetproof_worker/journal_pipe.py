"""The way by which a host's pytest hands its journal to the supervisor: numbered records on one pipe."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Sequence

from jetproof_worker import frames

_PART = 1 << 20
"""Characters of test ids that go into one record."""


class Writer:
    """Writes numbered records to the journal's pipe, from the process that it was made in only."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pid = os.getpid()
        self._count = 0

    def write(self, record: Mapping[str, Any]) -> None:
        """Write one record. A fork of the session writes nothing: its tests are not ours."""
        if os.getpid() != self._pid:
            return
        frames.write(self._fd, dict(record, n=self._count, pid=self._pid))
        self._count += 1

    def write_ids(self, kind: str, ids: Sequence[str]) -> None:
        """Write a list of test ids, in parts where it is long; all but the last say that there is `more`."""
        part: List[str] = []
        size = 0
        for id_ in ids:
            if part and size + len(id_) > _PART:
                self.write({"record": kind, "ids": part, "more": True})
                part, size = [], 0
            part.append(id_)
            size += len(id_)
        self.write({"record": kind, "ids": part, "more": False})
