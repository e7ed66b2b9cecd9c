"""Whether two commits are the same where it matters, so that evidence for one serves the other.

Writing a support block makes a commit, and so does keeping evidence or a challenge. By default every tracked file
matters except documents that hold such a block, the evidence store, and the challenges that are kept beside it.
A policy may name the paths that matter instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from jetproof.evidence.challenge import is_kept_path
from jetproof.evidence.git import Repository
from jetproof.evidence.store import STORE_PATH

MARKER = "jetproof:begin"
"""What a managed block begins with."""
_DOCUMENTS = (".md", ".rst", ".txt")


def managed(repository: Repository, commit: str, badges: Iterable[str] = ()) -> frozenset[str]:
    """Return the documents of a commit that hold a managed block, and the badge files.

    Only documents: a marker in a source file does not make it immaterial.
    """
    holding = repository.holding(commit, MARKER)
    return frozenset(badges) | {path for path in holding if path.lower().endswith(_DOCUMENTS)}


def digest(
    repository: Repository,
    commit: str,
    *,
    material_paths: Sequence[str] | None,
    exempt: frozenset[str],
    store: str = STORE_PATH,
) -> str | None:
    """Return one digest over the modes, ids and names of the paths that matter; None when the commit is not here."""
    listing = repository.listing(commit)
    if listing is None:
        return None
    total = hashlib.sha256()
    for path in sorted(listing):
        if path in exempt or _below(path, store) or is_kept_path(path):
            continue
        if material_paths is not None and not any(_below(path, root) for root in material_paths):
            continue
        entry = listing[path]
        total.update(f"{entry.mode} {entry.oid} ".encode() + path.encode("utf-8", "surrogateescape") + b"\0")
    return total.hexdigest()


def _below(path: str, root: str) -> bool:
    root = root.rstrip("/")
    return root in (".", "") or path == root or path.startswith(root + "/")
