"""torch imports here, and is the build that the tier names.

What it proves
    The import came to its end without an error in this interpreter, and torch's number and the CUDA release that it was
    built for are as wanted. Without a wish in the policy it must at least be a build with CUDA.

What it does not prove
    That a GPU is seen or anything runs on it; see `cuda-available` and `numerics`.

Reasons
    `wrong-torch`, `built-without-cuda`, `wrong-cuda`
"""

from __future__ import annotations

import platform

from jetproof_worker.probe import GIB, Context, Failed, Probe


def run(context: Context) -> None:
    """Compare torch's build with what is wanted."""
    torch = context.torch()
    cuda = torch.version.cuda
    cudnn = torch.backends.cudnn.version() if cuda and torch.backends.cudnn.is_available() else None
    context.detail.update(
        torch=str(torch.__version__),
        cuda=cuda,
        cudnn=cudnn,
        git=getattr(torch.version, "git_version", None),
        file=torch.__file__,
        python=platform.python_version(),
    )
    wanted = context.params.get("torch")
    if wanted is not None and str(torch.__version__) != wanted and str(torch.__version__).partition("+")[0] != wanted:
        raise Failed("wrong-torch", "torch %s is wanted, %s is here" % (wanted, torch.__version__))
    if cuda is None and context.params.get("cuda", True) is not False:
        raise Failed("built-without-cuda", "torch %s was built without CUDA" % torch.__version__)
    release = context.params.get("cuda")
    if isinstance(release, str) and cuda != release and not str(cuda).startswith(release + "."):
        raise Failed("wrong-cuda", "a build for CUDA %s is wanted, this one is for %s" % (release, cuda))


PROBE = Probe(
    id="torch-import",
    run=run,
    params={
        "torch": "torch's number, with or without its local part",
        "cuda": "CUDA release that it is built for, like `12.6`; false: a build without CUDA will do",
    },
    timeout=120,
    memory=GIB // 2,
    weight=0.2,
)
