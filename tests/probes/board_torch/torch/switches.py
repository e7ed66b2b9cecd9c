"""What a program may switch on and off."""

import types

from torch import faults

cuda_build = None if faults.has("cpu-build") else "12.6"
backends = types.SimpleNamespace(
    cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)),
    cudnn=types.SimpleNamespace(allow_tf32=True, is_available=lambda: cuda_build is not None, version=lambda: 90300),
)
