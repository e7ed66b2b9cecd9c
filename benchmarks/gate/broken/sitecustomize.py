"""Breaks torch in this process as JETPROOF_BREAK says, right after its import: a build that is wrong on purpose."""

import importlib.abc
import importlib.machinery
import os
import sys


def _break(torch):
    how = os.environ["JETPROOF_BREAK"]
    if how == "arch":
        torch.cuda.get_arch_list = lambda: ["sm_53", "sm_62", "sm_72"]
    elif how == "softmax":
        right = torch.softmax
        # the reference in float64 stays right
        torch.softmax = lambda x, **named: right(x, **named) * (1.0 if x.dtype == torch.float64 else 1.01)
    elif how == "nan":
        right_fft = torch.fft.rfft2
        torch.fft.rfft2 = lambda *given, **named: right_fft(*given, **named) * float("nan")
    elif how == "device":
        torch.cuda.is_available = lambda: False


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _break(module)

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("JETPROOF_BREAK"):
    sys.meta_path.insert(0, _Finder())
