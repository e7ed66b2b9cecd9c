"""A store on a git branch of its own: one commit an addition, the working tree untouched, history only ever grows."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import JetproofError, UsageError
from jetproof.evidence.git import Entry, GitRepository
from jetproof.evidence.store import PRUNED, PRUNED_SCHEMA, Added, digest_of, floors_from, path_of

_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")
_ENVELOPE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.json")
_AUTHOR = {
    "GIT_AUTHOR_NAME": "jetproof",
    "GIT_AUTHOR_EMAIL": "jetproof@localhost",
    "GIT_COMMITTER_NAME": "jetproof",
    "GIT_COMMITTER_EMAIL": "jetproof@localhost",
}


@dataclass(frozen=True)
class BranchStore:
    """A store on a branch of a repository."""

    repository: GitRepository
    branch: str

    def __post_init__(self) -> None:
        """Refuse what is no plain branch name."""
        if not _BRANCH.fullmatch(self.branch) or ".." in self.branch or self.branch.endswith((".lock", "/", ".")):
            raise UsageError(f"{self.branch[:80]!r} is not the name of a branch", reason="branch-name")

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def head(self) -> str | None:
        """Return the branch's commit, None before the first addition."""
        return self.repository.resolve(self._ref)

    def envelopes(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of each envelope in the order of their digests."""
        head = self.head()
        for path in sorted(self._listing(head)) if head else ():
            if _ENVELOPE.fullmatch(path):
                data = self.repository.file(head or "", path)
                if data is None:
                    raise self._unreadable(path)
                yield path.partition("/")[2], data

    def floors(self) -> Mapping[str, int]:
        """Return, for each signer, the highest number that was pruned."""
        head = self.head()
        data = self.repository.file(head, PRUNED) if head else None
        return {} if data is None else floors_from(data)

    def add(self, data: bytes) -> Added:
        """Keep an envelope; what is there is never replaced."""
        sha256 = digest_of(data)
        head = self.head()
        if head is not None and self.repository.file(head, path_of(sha256)) is not None:
            return Added(sha256=sha256, new=False)
        self._commit(head, {path_of(sha256): data}, (), f"Add evidence {sha256[:12]}")
        return Added(sha256=sha256, new=True)

    def remove(self, digests: Iterable[str], floors: Mapping[str, int]) -> int:
        """Take envelopes out of the branch's tip; its history keeps them."""
        head = self.head()
        gone = [path_of(sha256) for sha256 in digests]
        if head is None or not gone:
            return 0
        known = dict(self.floors())
        for signer, number in floors.items():
            known[signer] = max(number, known.get(signer, 0))
        body = {"schema": PRUNED_SCHEMA, "floors": dict(sorted(known.items()))}
        note = json.dumps(body, indent=2).encode() + b"\n"
        self._commit(head, {PRUNED: note}, gone, f"Prune {len(gone)} pieces of evidence")
        return len(gone)

    def dropped(self, base: str) -> tuple[str, ...]:
        """Return the envelopes that an earlier commit of the store held and the tip does not."""
        head, before = self.head(), self.repository.resolve(base)
        if head is None or before is None:
            return ()
        now, then = self._listing(head), self._listing(before)
        return tuple(sorted(path for path in then if _ENVELOPE.fullmatch(path) and now.get(path) != then[path]))

    def _listing(self, commit: str) -> Mapping[str, Entry]:
        found = self.repository.listing(commit)
        if found is None:
            raise self._unreadable(commit[:12])
        return found

    def _unreadable(self, what: str) -> JetproofError:
        """Return the error for what the branch holds and git does not give: never passed over, it may be a failure."""
        return JetproofError(
            f"{what} on the branch {self.branch} cannot be read",
            hint=f"git fsck; git fetch --unshallow; an envelope is a regular file: git ls-tree -r {self.branch}",
            reason="store-broken",
        )

    def _commit(self, head: str | None, files: Mapping[str, bytes], gone: Iterable[str], message: str) -> None:
        with tempfile.TemporaryDirectory(prefix="jetproof-index-") as folder:
            extra = {**_AUTHOR, "GIT_INDEX_FILE": str(Path(folder) / "index")}
            if head is not None:
                self._git(extra, "read-tree", head)
            for path, data in files.items():
                blob = self._git(extra, "hash-object", "-w", "--no-filters", "--stdin", stdin=data)
                self._git(extra, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
            for path in gone:
                self._git(extra, "update-index", "--force-remove", "--", path)
            tree = self._git(extra, "write-tree")
            parents = [] if head is None else ["-p", head]
            commit = self._git(extra, "commit-tree", "--no-gpg-sign", *parents, "-m", message, tree)
            # the old value is named, so that an addition made meanwhile is not lost
            self._git(extra, "update-ref", self._ref, commit, head or "0" * len(commit))

    def _git(self, extra: Mapping[str, str], *words: str, stdin: bytes = b"") -> str:
        done = self.repository.git(*words, stdin=stdin, extra=extra)
        if not done.ok:
            said = done.stderr.decode("utf-8", "replace").strip()[:300]
            raise JetproofError(
                f"git {words[0]} failed on the branch {self.branch}: {said}",
                hint="somebody else may have added evidence at the same time: try again",
                reason="store-branch",
            )
        return done.stdout.decode("ascii", "replace").strip()
