"""The host project's packages import in this interpreter, from the checkout.

What it proves
    Each module that the policy names imports to its end, and its file lies in the checkout.

What it does not prove
    That any of it works. On a generic ARM64 machine this is a preflight and says nothing of a Jetson.

Reasons
    `import-failed`, `not-from-project`
"""

from __future__ import annotations

import importlib
import time

from jetproof_worker import project
from jetproof_worker.probe import GIB, Broken, Context, Failed, Probe


def run(context: Context) -> None:
    """Import each module and look where it came from."""
    modules = context.params.get("modules", ())
    modules = [modules] if isinstance(modules, str) else list(modules)
    if not modules:
        raise Broken("nothing-to-check", "no modules are named")
    project.use(context)
    files = {}
    for name in modules:
        started = time.monotonic()
        try:
            module = importlib.import_module(name)
        except Exception as error:
            raise Failed("import-failed", "import %s: %s: %s" % (name, type(error).__name__, error)) from error
        context.measure("import %s" % name, time.monotonic() - started, "s")
        places = [module.__file__] if getattr(module, "__file__", None) else list(getattr(module, "__path__", ()))
        if not places or not all(project.owns(context, str(place)) for place in places):
            raise Failed("not-from-project", "%s comes from %s, not from the checkout" % (name, places or "nowhere"))
        files[name] = project.relative(context, str(places[0]))
    context.detail["files"] = files


PROBE = Probe(
    id="import-project",
    run=run,
    params={"modules": "names of the modules to import"},
    timeout=300,
    memory=GIB,
    weight=3.0,
)
