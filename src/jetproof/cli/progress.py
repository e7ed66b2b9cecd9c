"""One line on standard error that says what is going on, where a person watches."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import TextIO

from jetproof.render.style import printable


class Progress:
    """A line that is rewritten in place on a terminal, and nothing at all elsewhere.

    It first appears after `delay` seconds, so that quick work leaves no flicker.
    """

    def __init__(self, stream: TextIO, delay: float = 0.4) -> None:
        self._stream = stream
        self._from = time.monotonic() + delay
        self._written = False
        self.shown = stream.isatty()

    def __call__(self, text: str) -> None:
        """Say what is being done now."""
        if not self.shown or time.monotonic() < self._from:
            return
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[2K{printable(text)[:width]}")
        self._stream.flush()
        self._written = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._written:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
