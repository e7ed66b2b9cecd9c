"""Begin slow work in a thread while this process still imports what it needs to judge the answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Work that began when this was made; `result` waits for it and raises what it raised."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._answer: list[T] = []
        self._error: BaseException | None = None

        def do() -> None:
            try:
                self._answer.append(work())
            except BaseException as error:  # raised again where somebody waits
                self._error = error

        self._thread = threading.Thread(target=do, daemon=True)
        self._thread.start()

    def result(self) -> T:
        """Return the answer."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._answer[0]
