"""The packed worker's modes: `collect`, `serve` and `install` for the controller.

`load`, `try` and `pytest` are for its own children; `guard` runs while an image is built.

Without a mode, or with options, it is the collector as a program for people. Python >= 3.6.
"""

import json
import os
import sys
from typing import List, Optional

REQUEST_LIMIT = 16 << 20


def main(argv: Optional[List[str]] = None) -> int:
    """Run one mode and return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    mode = words[0] if words else ""
    if mode == "load":
        from jetproof_worker import loader

        return loader.loads(words[1:])
    if mode == "try":
        from jetproof_worker import trials

        return trials.main()
    if mode == "collect":
        return _collect(words[1:])
    if mode == "serve":
        return _serve(words[1:])
    if mode == "install":
        return _install(words[1:])
    if mode == "pytest":
        from jetproof_worker import pytest_session

        return pytest_session.main()
    if mode == "guard":
        from jetproof_worker import image_guard

        return image_guard.main(words[1:])
    from jetproof_worker import program

    return program.main(words)


def _request(words: List[str]) -> dict:  # type: ignore[type-arg]  # `dict[...]` is not understood by 3.6
    """Read the request: from the file that is named, as in a container, else from standard input."""
    with open(words[0], "rb") if words else os.fdopen(0, "rb", closefd=False) as stream:
        data = stream.read(REQUEST_LIMIT + 1)
    if len(data) > REQUEST_LIMIT:
        raise ValueError("the request is longer than %d bytes" % REQUEST_LIMIT)
    request = json.loads(data.decode("utf-8"))
    if not isinstance(request, dict) or not isinstance(request.get("nonce"), str):
        raise ValueError("the request is not an object with a nonce")  # noqa: TRY004 - a wrong value, whatever its type
    return request


def _collect(words: List[str]) -> int:
    from jetproof_worker import collect, frames, start

    out = frames.take_stdout()
    request = _request(words)
    if request.get("packed"):
        start.use_packed(str(request["packed"]))
    snapshot = collect.collect(
        sys.executable if request.get("own") else request.get("python"),
        str(request.get("asked", "")),
        bool(request.get("trials", True)),
        float(request.get("patience", 1.0)),
        request.get("sha256"),
        collect.told if request.get("progress") else collect.silent,
    )
    frames.write(out, {"record": "snapshot", "nonce": request["nonce"], "snapshot": snapshot})
    return 0


def _serve(words: List[str]) -> int:
    from jetproof_worker import frames, serve

    out = frames.take_stdout()
    return int(serve.main(_request(words), out))


def _install(words: List[str]) -> int:
    from jetproof_worker import frames

    out = frames.take_stdout()
    request = _request(words)
    if sys.version_info < (3, 8):
        message = "%s is Python %d.%d, and uv plans for 3.8 and later" % (sys.executable, *sys.version_info[:2])
        hint = "Name another interpreter of the board with --python; on JetPack 4: docs/install/offline.md"
        told = {"record": "refused", "reason": "python-too-old", "message": message, "hint": hint}
        frames.write(out, dict(told, nonce=request["nonce"]))
        return 0
    from jetproof_worker import board_environment

    return board_environment.main(request, out)


if __name__ == "__main__":
    sys.exit(main())
