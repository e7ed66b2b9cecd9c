"""Makes this interpreter see a board's files in the place of this machine's; imported at its start.

JETPROOF_STAND_IN_BOARD names a folder that holds them. Without it nothing is changed.
"""

import builtins
import os
import sys

_FOLDER = os.environ.get("JETPROOF_STAND_IN_BOARD", "")


def _instead(real):
    def opened(path, *args, **named):
        place = _FOLDER + str(path) if isinstance(path, str) and path.startswith("/") else ""
        if path == sys.executable and args and args[0] == "rb":
            place = _FOLDER + "/python"
        return real(place if place and os.path.isfile(place) else path, *args, **named)

    return opened


if _FOLDER:
    _machine = list(os.uname())
    _machine[4] = "aarch64"
    os.uname = lambda: os.uname_result(_machine)
    builtins.open, os.open = _instead(builtins.open), _instead(os.open)
