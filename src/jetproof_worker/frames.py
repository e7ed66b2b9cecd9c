"""Frame JSON records on a stream that other programs may print into, so that a record is whole or does not count.

A record is the line `JP1 <bytes of JSON> <first 16 hex digits of its SHA-256>`, the JSON on one line in UTF-8, and a
newline.
Python 3.6 and later.
"""

import hashlib
import json
import os
import re
from typing import Any, Dict, List, Mapping, Optional

MAX_RECORD = 4 << 20
"""Bytes of JSON that one record may have."""

_HEADER = re.compile(rb"JP1 ([0-9]{1,7}) ([0-9a-f]{16})\n")
_MARK = b"JP1 "
_LONGEST_HEADER = len("JP1 9999999 0123456789abcdef\n")


class RecordTooLarge(ValueError):
    """A record whose JSON is longer than `MAX_RECORD`."""


def frame(record: Mapping[str, Any]) -> bytes:
    """Return one record as it goes over the wire. Raises `RecordTooLarge`; NaN and infinity are a ValueError."""
    # ASCII only, so that a lone surrogate in a file name is escaped and cannot break the encoding
    body = json.dumps(record, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_RECORD:
        raise RecordTooLarge("a record of %d bytes is longer than %d" % (len(body), MAX_RECORD))
    return b"JP1 %d %s\n%s\n" % (len(body), _digest(body), body)


def write(fd: int, record: Mapping[str, Any]) -> None:
    """Write one whole record to a descriptor. Raises OSError when the reader has gone."""
    view = memoryview(frame(record))
    while view:
        view = view[os.write(fd, view) :]


def take_stdout() -> int:
    """Keep a private duplicate of descriptor 1 for records and point descriptor 1 at 2; return the duplicate.

    Whatever prints from then on, also C code and children, goes to standard error and cannot break a record.
    """
    private = os.dup(1)  # not inheritable: children cannot write to it
    os.dup2(2, 1)
    return private


class Reader:
    """Picks complete, valid records out of a stream, in bounded memory; anything between them is skipped."""

    def __init__(self) -> None:
        self.skipped = 0
        """Bytes that were no part of a record."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> List[Dict[str, Any]]:
        """Take the next bytes and return the records that they complete."""
        self._buffer += data
        records: List[Dict[str, Any]] = []
        at = 0
        while True:
            start = self._buffer.find(_MARK, at)
            if start < 0:
                # the mark itself may have been cut in two
                keep = _cut_mark(self._buffer, at)
                self.skipped += keep - at
                at = keep
                break
            self.skipped += start - at
            at = start
            header = _HEADER.match(self._buffer, at)
            if header is None and _may_become_header(self._buffer[at : at + _LONGEST_HEADER]):
                break
            end = header.end() + int(header.group(1)) if header is not None else 0
            if header is not None and int(header.group(1)) <= MAX_RECORD:
                # the JSON is one line: a line that ends early is no record, and nobody need wait for the rest
                newline = self._buffer.find(b"\n", header.end(), end + 1)
                if newline < 0 and len(self._buffer) <= end:
                    break
                record = _record(bytes(self._buffer[header.end() : end]), header.group(2)) if newline == end else None
                if record is not None:
                    records.append(record)
                    at = end + 1
                    continue
            at += 1
            self.skipped += 1
        del self._buffer[:at]
        return records


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode("ascii")


def _record(body: bytes, digest: bytes) -> Optional[Dict[str, Any]]:
    if _digest(body) != digest:
        return None
    try:
        record = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _cut_mark(buffer: bytearray, at: int) -> int:
    for length in range(len(_MARK) - 1, 0, -1):
        if len(buffer) - at >= length and buffer.endswith(_MARK[:length]):
            return len(buffer) - length
    return len(buffer)


def _may_become_header(rest: bytearray) -> bool:
    return b"\n" not in rest and len(rest) < _LONGEST_HEADER
