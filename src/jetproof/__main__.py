"""The program, as `jetproof` and as `python -m jetproof`: Ctrl-C is heard from the first moment on.

Nothing is imported before it is, since a Ctrl-C while Python imports would end in a traceback.
"""

# `signal` makes classes of it first, and that takes long enough to be struck; a part without types, like any in C
import _signal  # type: ignore[import-not-found]
import os


def script() -> None:
    """Run as the program."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # what nohup ignores stays ignored
        _signal.signal(_signal.SIGINT, _gone)
    from jetproof.cli.main import script as run

    run()


def _gone(number: int, frame: object) -> None:
    """End at once: nothing was started yet that would have to be ended first."""
    del number, frame
    try:
        os.write(2, b"jetproof: interrupted\n")
    finally:
        os._exit(130)


if __name__ == "__main__":
    script()
