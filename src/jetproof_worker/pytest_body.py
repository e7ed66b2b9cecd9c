"""Whether a test's own function was called, once and to its end: others may claim that, or put another in its place.

Runs inside the host's pytest, nearest to the call. Works with pytest 6 and later, Python 3.8 and later.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Dict, Optional, Tuple

import pytest

from jetproof_worker.pytest_surroundings import within

_NOT_DONE = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
"""What a function returns whose work has not even begun."""


class Bodies:
    """Follows each test's function through the call phase."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: Dict[str, Optional[int]] = {}
        self._replaced: Dict[str, str] = {}

    def begin(self, item: Any) -> None:
        """Expect a call; what is no function of pytest's kind has none that could be counted."""
        name = item.nodeid
        self._calls[name] = 0 if isinstance(item, pytest.Function) else None
        self._replaced.pop(name, None)

    def put(self, item: Any) -> Any:
        """Put a function that counts in the place of the test's own; return what belongs there afterwards."""
        name, body = item.nodeid, getattr(item, "obj", None)
        said = self._stranger(item)
        if said is not None:
            self._replaced[name] = said
        if not isinstance(item, pytest.Function) or not callable(body):
            return body
        item.obj = counted = self._counted(name, body)
        if inspect.iscoroutinefunction(body):
            # unittest looks for asynchronous tests on the instance, and pytest does not put them there
            instance = getattr(body, "__self__", None)
            if type(item).__name__ == "TestCaseFunction" and instance is not None:
                setattr(instance, item.name, counted)
        return body

    def fault(self, item: Any) -> Optional[Tuple[str, str]]:
        """Return why a call that raised nothing proves nothing: a reason and a message; None when it was a call."""
        name = item.nodeid
        if name in self._replaced:
            return "body-replaced", self._replaced[name]
        calls = self._calls.get(name, 0)
        if calls is None or calls == 1:
            return None
        message = "the test's function was called to its end %d times" % calls
        return ("body-not-run" if calls == 0 else "ran-twice"), message

    def _counted(self, name: str, body: Any) -> Any:
        if inspect.iscoroutinefunction(body):

            @functools.wraps(body)
            async def awaited(*args: Any, **named: Any) -> Any:
                result = await body(*args, **named)
                self._count(name, 1)
                return result

            return awaited

        @functools.wraps(body)
        def counted(*args: Any, **named: Any) -> Any:
            self._count(name, 1)
            result = body(*args, **named)
            if isinstance(result, _NOT_DONE):
                self._count(name, -1)
            return result

        return counted

    def _count(self, name: str, by: int) -> None:
        self._calls[name] = (self._calls.get(name) or 0) + by

    def _stranger(self, item: Any) -> Optional[str]:
        """Say what of the project's own stands in the place of the function that the test's id names."""
        if not isinstance(item, pytest.Function):
            file = _file(type(item))
            return "a kind of item of the project's own: %s" % type(item).__name__ if self._own(file) else None
        plain = _plain(item.obj)
        named = item.originalname or item.name.partition("[")[0]
        meant = _plain(getattr(getattr(item.parent, "obj", None), named, None))
        if plain is meant or plain == meant or not self._own(_file(plain)):
            return None  # what an installed plugin put there is the plugin's affair, and plugins are allowed by name
        return "another function of the project stands in its place: %s" % getattr(plain, "__qualname__", plain)

    def _own(self, file: Optional[str]) -> bool:
        return file is not None and (within(file, self._root) or file.startswith("<"))


def _plain(function: Any) -> Any:
    return getattr(function, "__func__", function)


def _file(thing: Any) -> Optional[str]:
    code = getattr(thing, "__code__", None)
    if code is not None:
        return str(code.co_filename)
    try:
        return inspect.getfile(thing)
    except (TypeError, OSError):
        return None
