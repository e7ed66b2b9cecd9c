"""The GPU of an AGX Orin, as far as a program can ask: its streams do everything at once, in order."""

import time
import types

from torch import faults
from torch.switches import cuda_build

_state = {"used": 0}


def is_available():
    return cuda_build is not None


def is_initialized():
    return False


def device_count():
    return int(is_available())


def get_device_name(index=0):
    return "Orin"


def get_device_capability(index=0):
    return (8, 7)


def get_device_properties(index=0):
    return types.SimpleNamespace(total_memory=64349092 * 1024, multi_processor_count=16, is_integrated=1)


def get_arch_list():
    return ["sm_80", "sm_90"] if faults.has("no-sm87") else ["sm_80", "sm_86", "sm_87"]


def synchronize():
    pass


def empty_cache():
    pass


def mem_get_info():
    return 60 << 30, 61 << 30


class Stream:
    def wait_event(self, event):
        assert event.query()

    def synchronize(self):
        pass


class stream:  # noqa: N801 - torch's own name
    def __init__(self, one):
        self._one = one

    def __enter__(self):
        return self._one

    def __exit__(self, *_):
        return None


class Event:
    def __init__(self, enable_timing=False):
        self._at = None

    def record(self, stream=None):
        self._at = time.monotonic()

    def query(self):
        return self._at is not None

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return 0.0 if faults.has("events-without-time") else (end._at - self._at) * 1000
