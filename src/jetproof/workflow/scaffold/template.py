"""Fill in templates: every place must be known, every value used, and no value can be more than it says.

A place is `@@name@@`, or `@@use:OWNER/ACTION@@` for a pinned action. A value on a line of its own may have several
lines, and with an empty one the line goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import resources

from jetproof.errors import InternalError

_PLACE = re.compile(r"@@(?P<name>[a-z0-9_]+|use:[A-Za-z0-9._/-]+)@@")


def template(name: str) -> str:
    """Return a template of this package."""
    return resources.files("jetproof.workflow.scaffold").joinpath(f"templates/{name}").read_text(encoding="utf-8")


def actions() -> dict[str, tuple[str, str]]:
    """Return each action's commit and release: the only place where they stand."""
    return {name: (pin["commit"], pin["release"]) for name, pin in json.loads(template("actions.json")).items()}


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a template with its places filled in. Raises InternalError for a place without a value."""
    pins = actions()

    def value(match: re.Match[str]) -> str:
        name = match["name"]
        if name.startswith("use:"):
            action = name.removeprefix("use:")
            if action not in pins:
                raise InternalError(f"a template uses {action}, which is not pinned")
            commit, release = pins[action]
            return f"{action}@{commit} # {release}"
        if name not in values:
            raise InternalError(f"a template has a place {name} that nothing fills")
        return values[name].removesuffix("\n")

    gone = re.sub(
        r"^@@([a-z0-9_]+)@@\n", lambda match: "" if values.get(match[1]) == "" else match[0], text, flags=re.MULTILINE
    )
    # one pass: what a value holds is never a place
    return _PLACE.sub(value, gone)
