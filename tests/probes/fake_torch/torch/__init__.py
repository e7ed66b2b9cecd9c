"""A stand-in for torch where only its import and a few names matter. FAKE_TORCH says how it misbehaves."""

import os
import signal
import sys
import threading
import time
import types

_how = os.environ.get("FAKE_TORCH", "")
if _how == "raise":
    raise OSError("libcudart.so.12: cannot open shared object file")
if _how == "illegal":
    os.kill(os.getpid(), signal.SIGILL)
if _how == "hang":
    time.sleep(600)
if _how == "exit":
    os._exit(0)
if _how == "threads":
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
if _how == "print":
    sys.stdout.write("a library greets\n")
    sys.stderr.write("and warns\n")

__version__ = "0.0+fake"
version = types.SimpleNamespace(cuda=None, git_version="0")
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(is_available=lambda: False))


class _Cuda:
    def is_available(self) -> bool:
        return False

    def is_initialized(self) -> bool:
        return _how == "cuda"


cuda = _Cuda()


def set_num_threads(count: int) -> None:
    pass


def manual_seed(seed: int) -> None:
    pass
