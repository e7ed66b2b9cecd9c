"""The host project is installed in this interpreter, whole, from the checkout that is tested.

What it proves
    The distribution that the policy names has its metadata here; every file that it lists with a hash has that hash; no
    Python file of it differs from the checkout's file of the same name; and each distribution that it requires without
    a condition is there too, but for what the tier itself declares unsupported, which is told as left out.

What it does not prove
    That the installed releases are those that it asks for (see the install lane's own proof), that it imports (see
    `import-project`), or anything of a GPU. Requirements with a condition are told, not judged.

Reasons
    `not-installed`, `files-changed`, `not-this-checkout`, `requirement-missing`
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from importlib import metadata
from typing import List, Optional, Tuple

from jetproof_worker.names import normalised
from jetproof_worker.probe import MIB, Broken, Context, Failed, Probe

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_LARGEST = 64 * MIB
_MOST = 20000


def run(context: Context) -> None:
    """Read the distribution's metadata, hash its files, and hold them to the checkout."""
    name = context.params.get("distribution")
    if not isinstance(name, str) or not name:
        raise Broken("nothing-to-check", "no distribution is named")
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError as error:
        raise Failed("not-installed", "%s is not installed in this interpreter" % name) from error
    context.detail.update(release=found.version, editable=_editable(found))
    changed, elsewhere, compared, hashed = [], [], 0, 0
    for entry in (found.files or [])[:_MOST]:
        digest = _sha256(str(entry.locate()))
        if entry.hash is not None and entry.hash.mode == "sha256":
            hashed += 1
            if digest is None or entry.hash.value != digest[1]:
                changed.append(str(entry))
        own = _in_checkout(context, str(entry))
        if own is not None and digest is not None:
            compared += 1
            if _sha256(own) != digest:
                elsewhere.append(str(entry))
    context.detail.update(files_hashed=hashed, files_compared=compared)
    if changed:
        raise Failed("files-changed", "%d files are not as installed, first %s" % (len(changed), changed[0]))
    if elsewhere:
        raise Failed(
            "not-this-checkout", "%d files differ from the checkout, first %s" % (len(elsewhere), elsewhere[0])
        )
    missing, conditional = _requirements(found)
    context.detail["not_judged"] = conditional[:100]
    unsupported = {normalised(str(one)) for one in context.params.get("unsupported", [])}
    context.detail["left_out"] = [one for one in missing if normalised(one) in unsupported]
    missing = [one for one in missing if normalised(one) not in unsupported]
    if missing:
        raise Failed("requirement-missing", "%s requires what is not installed: %s" % (name, ", ".join(missing)))


def _editable(found: "metadata.Distribution") -> bool:
    try:
        told = json.loads(found.read_text("direct_url.json") or "{}")
    except ValueError:
        return False
    return bool(isinstance(told, dict) and (told.get("dir_info") or {}).get("editable"))


def _sha256(path: str) -> Optional[Tuple[str, str]]:
    """Return a file's digest in hex and as a RECORD has it, None when it cannot be read or is too large."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read())
    except OSError:
        return None
    return digest.hexdigest(), base64.urlsafe_b64encode(digest.digest()).decode("ascii").rstrip("=")


def _in_checkout(context: Context, entry: str) -> Optional[str]:
    """Return the checkout's file of that name; what a build makes has none."""
    if context.project_root is None or not entry.endswith(".py") or ".." in entry.split("/"):
        return None
    for folder in context.project_paths:
        path = os.path.join(context.project_root, folder, entry)
        if os.path.isfile(path):
            return path
    return None


def _requirements(found: "metadata.Distribution") -> Tuple[List[str], List[str]]:
    """Return required distributions that are not there, and requirements that hold only under a condition."""
    missing, conditional = [], []
    for line in found.requires or []:
        requirement, _, condition = line.partition(";")
        match = _NAME.match(requirement)
        if condition.strip():
            conditional.append(line)
        elif match is not None:
            try:
                metadata.distribution(match.group(1))
            except metadata.PackageNotFoundError:
                missing.append(match.group(1))
    return missing, conditional


PROBE = Probe(
    id="project-installed",
    run=run,
    params={
        "distribution": "name of the project's distribution",
        "unsupported": "requirements that may be absent; by default those that the tier declares unsupported",
    },
    needs_torch=False,
    timeout=120,
    memory=128 * MIB,
    weight=0.3,
)
