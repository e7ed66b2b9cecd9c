"""Finds what a command works on: the checkout, its store of evidence, and the trust store of the base revision."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.evidence import trust as trusts
from jetproof.evidence.branch_store import BranchStore
from jetproof.evidence.git import GitRepository, repository
from jetproof.evidence.store import STORE_PATH, FolderStore, read_bounded
from jetproof.evidence.trust import Trust

_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A checkout with its store and trust store."""

    repository: GitRepository
    store: FolderStore | BranchStore
    trust: Trust
    base: str
    """The revision that the trust store was read from."""

    def commit(self, revision: str) -> str:
        """Return the whole id of a commit. Raises UsageError when it is not there."""
        return commit_of(self.repository, revision)


def opened(
    *,
    repo: Path,
    environment: Mapping[str, str],
    store: Path | None = None,
    branch: str | None = None,
    base: str | None = None,
    trust_file: Path | None = None,
) -> Opened:
    """Return the checkout around `repo` with its store, and whom to trust."""
    checkout = repository(repo)
    revision = base or default_base(checkout, environment)
    return Opened(
        repository=checkout,
        store=store_of(checkout, store, branch),
        trust=trust_from(trust_file) if trust_file is not None else trusts.at(checkout, revision),
        base=revision,
    )


def store_of(checkout: GitRepository, folder: Path | None, branch: str | None) -> FolderStore | BranchStore:
    """Return the store that was named, or the one in the checkout's usual place."""
    if branch is not None:
        return BranchStore(checkout, branch)
    return FolderStore(folder if folder is not None else checkout.root / STORE_PATH)


def default_base(checkout: GitRepository, environment: Mapping[str, str]) -> str:
    """Return the revision that judges: a pull request's target, else the remote's main branch, else HEAD.

    Never the working tree, so that what lies there unreviewed names no judge.
    """
    target = environment.get("GITHUB_BASE_REF", "")
    if target:
        if not _REF.fullmatch(target):
            raise UsageError(f"GITHUB_BASE_REF is no branch name: {target[:80]!r}", reason="base-unknown")
        return f"refs/remotes/origin/{target}"
    for revision in ("refs/remotes/origin/HEAD",):
        if checkout.resolve(revision) is not None:
            return revision
    return "HEAD"


def trust_from(path: Path) -> Trust:
    """Return the trust store of a file that somebody names himself: trust.toml, or allowed_signers."""
    data = read_bounded(path)
    keys = (
        trusts.from_toml(data, str(path))
        if path.suffix == ".toml"
        else trusts.from_allowed_signers(data, b"", str(path))
    )
    return Trust(keys=keys, read_from=f"{path}, named by hand")


def envelope_files(path: Path) -> Iterator[Path]:
    """Yield the envelopes of a file or folder: a store, a run's folder, or a folder of downloads."""
    if not os.path.lexists(path):
        raise UsageError(
            f"{path}: there is no such file or folder",
            hint="jetproof evidence list shows what is kept; a run leaves its own under conditional-evidence",
            reason="evidence-not-found",
        )
    if not path.is_dir():
        yield path
        return
    store = list(FolderStore(path).paths())
    if store:
        yield from store
        return
    found = sorted(item for item in path.rglob("*.intoto.json") if item.is_file() and not item.is_symlink())
    if not found:
        raise UsageError(
            f"{path} holds no evidence",
            hint="name an envelope (*.intoto.json), a folder of them, or a store",
            reason="evidence-not-found",
        )
    yield from found


def side_folder(envelope: Path, sha256: str) -> Path | None:
    """Return where an envelope's side files lie: beside it in a store, or in the folder of the run itself."""
    kept = envelope.with_name(f"{sha256}.files")
    if kept.is_dir():
        return kept
    if (envelope.parent / "journal.jsonl").is_file():
        return envelope.parent
    beside = envelope.parent / envelope.name.removesuffix(".intoto.json")
    return beside if (beside / "journal.jsonl").is_file() else None


def commit_of(checkout: GitRepository, revision: str) -> str:
    """Return the whole id of a commit. Raises UsageError when it is not there."""
    commit = checkout.resolve(revision)
    if commit is None:
        raise UsageError(f"there is no revision {revision!r} here", hint="git fetch", reason="revision-unknown")
    return commit
