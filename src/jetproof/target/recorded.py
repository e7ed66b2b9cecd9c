"""A saved read-out: judged like a machine, and never evidence of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jetproof.errors import Undecided, UsageError
from jetproof.target import strict_json
from jetproof.target.interface import CollectRequest, OnRecord
from jetproof.target.snapshot import Snapshot, parse
from jetproof_worker import files
from jetproof_worker.process import Completed

MAX_BYTES = 32 << 20
MAX_DEPTH = 32


class RecordedTarget:
    """A file that `inspect --save` or the collector wrote, or any object with `files` and `commands`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def collect(self, request: CollectRequest) -> Snapshot:  # noqa: ARG002 - what was recorded was recorded
        """Read the file. Raises UsageError when it is no read-out."""
        data = read(self.path)
        try:
            value = strict_json.loads(data, what=str(self.path), max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
        except UsageError as error:
            hint = (
                error.hint
                or f"a read-out is what `jetproof inspect --save` wrote; a text: jetproof explain {self.path}"
            )
            raise UsageError(error.message, hint=hint, reason=error.reason) from None
        return parse(value, what=str(self.path), origin="recorded")

    def serve(
        self,
        request: Mapping[str, object],  # noqa: ARG002 - the interface's; nothing is run
        on_record: OnRecord,  # noqa: ARG002
        timeout: float,  # noqa: ARG002
    ) -> Completed:
        """Refuse: nothing can be run on a recording."""
        raise Undecided(f"{self.path} is a recording: nothing can be run on it", hint="run it on the machine itself")


def read(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return a file's bytes. Raises UsageError for what is missing, no regular file, or larger than `max_bytes`."""
    content = files.raw(str(path), max_bytes)
    if content is None:
        raise UsageError(f"{path}: there is no such file", hint="check the path")
    if isinstance(content, bytes):
        return content
    told = {"too-large": f"is too large: at most {max_bytes} bytes are read", "no-permission": "may not be read by you"}
    raise UsageError(
        f"{path} {told.get(content['reason'], 'cannot be read: ' + content['detail'])}",
        hint="name a file that `jetproof inspect --save` or jetproof-collect.pyz wrote",
    )
