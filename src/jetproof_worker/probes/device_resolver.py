"""The host project's own device resolver turns `auto` into the GPU.

What it proves
    The function that the policy names is the project's own (its file lies in the checkout), and given `auto` it answers
    with the wanted device, `cuda` if the policy says nothing else.

What it does not prove
    That the project then really uses that device; its own tests must show that.

Reasons
    `resolver-missing`, `resolver-not-from-project`, `resolver-raised`, `wrong-device`
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import traceback
from typing import Any

from jetproof_worker import project
from jetproof_worker.probe import GIB, Context, Failed, Missed, Probe


def run(context: Context) -> None:
    """Import the resolver from the checkout, call it, compare."""
    if context.resolver is None:
        raise Missed("no-resolver", "the policy names no device resolver")
    expected = str(context.params.get("expected", "cuda"))
    argument = context.params.get("argument", "auto")
    context.torch()  # before the project's folders are searched: the project cannot put its own in torch's place
    project.use(context)
    module_name, _, path = context.resolver.partition(":")
    try:
        target: Any = importlib.import_module(module_name)
        for name in path.split("."):
            target = getattr(target, name)
    except (ImportError, AttributeError) as error:
        raise Failed("resolver-missing", "%s: %s: %s" % (context.resolver, type(error).__name__, error)) from error
    except Exception as error:
        message = "importing %s raised %s: %s" % (module_name, type(error).__name__, error)
        raise Failed("resolver-raised", message) from error
    if not callable(target):
        raise Failed("resolver-missing", "%s is not a function" % context.resolver)
    file = inspect.getsourcefile(inspect.unwrap(target)) or ""
    if not project.owns(context, file):
        raise Failed("resolver-not-from-project", "%s comes from %s, not from the checkout" % (context.resolver, file))
    with open(file, "rb") as source:
        context.detail.update(file=project.relative(context, file), sha256=hashlib.sha256(source.read()).hexdigest())
    try:
        answer = target(argument)
    except Exception as error:
        context.detail["traceback"] = traceback.format_exc()[-4000:]
        message = "%s(%r) raised %s: %s" % (context.resolver, argument, type(error).__name__, error)
        raise Failed("resolver-raised", message) from error
    device = str(getattr(answer, "type", answer)).partition(":")[0]
    context.detail.update(answer=str(answer)[:200], device=device)
    if device != expected:
        raise Failed("wrong-device", "%s(%r) is %s, %s is wanted" % (context.resolver, argument, answer, expected))


PROBE = Probe(
    id="device-resolver",
    run=run,
    params={"argument": "what it is called with, `auto` if not given", "expected": "`cuda` or `cpu`"},
    timeout=120,
    memory=GIB,
    weight=1.5,
)
