"""The board names itself as the module and the L4T release of the tier.

What it proves
    The release file of L4T gives exactly a release that the tier names, and the device tree names the module, by its
    part number or by its model text.

What it does not prove
    That the files tell the truth: whoever owns the board can write them. JetPack is not read here; it follows from the
    L4T release by the controller's tables, which judge the whole snapshot beside this probe.

Reasons
    `identity-not-read`, `wrong-l4t`, `wrong-module`
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

from jetproof_worker.probe import MIB, Broken, Context, Failed, Probe

RELEASE_FILE = "/etc/nv_tegra_release"
DEVICE_TREE = "/proc/device-tree"
_LINE = re.compile(r"#?\s*R(\d+)\s*\(release\),\s*REVISION:\s*(\d+)\.(\d+)")
_LIMIT = 65536


def run(context: Context) -> None:
    """Read the board's own words and compare them with the tier's."""
    found = read()
    context.detail.update(found)
    judge(found, context.params)


def read(root: str = "") -> Dict[str, Any]:
    """Return the release line, the L4T release in it, the model and the compatible strings; None for what is absent."""
    line = (_text(root + RELEASE_FILE) or "").partition("\n")[0] or None
    match = _LINE.match(line or "")
    compatible = _text(root + DEVICE_TREE + "/compatible")
    return {
        "release_line": line,
        "l4t": ".".join(match.groups()) if match else None,
        "model": (_text(root + DEVICE_TREE + "/model") or "").rstrip("\0") or None,
        "compatible": [word for word in (compatible or "").split("\0") if word],
    }


def judge(found: Dict[str, Any], params: Any) -> None:
    """Compare what was read with the parameters. Raises `Failed`, or `Broken` when there is nothing to compare with."""
    releases, modules, models = (_words(params.get(name)) for name in ("l4t", "compatible", "model"))
    if not releases and not modules and not models:
        raise Broken("nothing-to-check", "neither l4t nor compatible nor model is given")
    if releases:
        if found["l4t"] is None:
            raise Failed("identity-not-read", "no L4T release in %s: %r" % (RELEASE_FILE, found["release_line"]))
        if found["l4t"] not in releases:
            raise Failed("wrong-l4t", "L4T %s is wanted, the board has %s" % (" or ".join(releases), found["l4t"]))
    if modules:
        if not found["compatible"]:
            raise Failed("identity-not-read", "%s/compatible is absent or empty" % DEVICE_TREE)
        # "nvidia,p3737-0000+p3701-0005" names the carrier board and the module
        parts = {part for word in found["compatible"] for part in re.split(r"[,+]", word)} | set(found["compatible"])
        if not parts.intersection(modules):
            raise Failed("wrong-module", "%s is wanted, the board has %s" % (modules, found["compatible"]))
    if models:
        if found["model"] is None:
            raise Failed("identity-not-read", "%s/model is absent or empty" % DEVICE_TREE)
        if not any(model in found["model"] for model in models):
            raise Failed("wrong-module", "%s is wanted, the board is %r" % (" or ".join(models), found["model"]))


def _words(value: Any) -> List[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(one) for one in value]


def _text(path: str) -> Optional[str]:
    try:
        with open(path, "rb") as file:
            return file.read(_LIMIT).decode("utf-8", "replace")
    except OSError:
        return None


PROBE = Probe(
    id="jetson-identity",
    run=run,
    params={
        "l4t": "L4T release or releases that the tier names, like `36.4.3`",
        "compatible": "part numbers of the module, like `p3701-0005`, any of which the device tree must name",
        "model": "texts, any of which the device tree's model must hold",
    },
    needs_torch=False,
    timeout=30,
    memory=64 * MIB,
    weight=0.1,
)
