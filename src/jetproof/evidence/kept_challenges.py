"""The challenges that a project issued and kept: read from the revision that judges, with the time since it holds each.

What lies only in a working tree, or came along with the evidence, was issued by nobody in particular and is no
witness. Who may write to the judging revision may issue a challenge, as he may name a key that is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from jetproof.errors import JetproofError, UsageError
from jetproof.evidence.challenge import CHALLENGES_PATH, Challenge, is_kept_path, kept_path, nonce_of, parsed
from jetproof.evidence.git import GitRepository, moment

MOST = 20_000
"""Files that are read; more are an error, never passed over."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A challenge that the revision holds."""

    challenge: Challenge
    since: datetime | None
    """Committer's time of the first commit that touched its file; None where the history is cut off."""


@dataclass(frozen=True, kw_only=True)
class KeptChallenges:
    """All challenges of one revision."""

    held: Mapping[str, Kept] = field(default_factory=dict)
    """Nonce to the challenge that is kept under it."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Nonce to why the file of that name keeps no challenge."""
    read_from: str = "nowhere"

    def of(self, text: str) -> Kept | str:
        """Return the kept challenge with that text, or why there is none."""
        nonce = nonce_of(text) or ""
        if nonce in self.broken:
            return f"{kept_path(nonce)} at {self.read_from} keeps none: {self.broken[nonce]}"
        kept = self.held.get(nonce)
        if kept is None:
            return f"its challenge is not kept at {self.read_from}"
        if kept.challenge.text != text:
            return f"another challenge is kept under its nonce at {self.read_from}"
        return kept


NONE = KeptChallenges()


def kept_at(repository: GitRepository, revision: str) -> KeptChallenges:
    """Return the challenges that a revision holds. Raises UsageError when there are too many to read."""
    commit = repository.resolve(revision)
    if commit is None:
        return KeptChallenges(read_from=revision)
    read_from = f"{revision} ({commit[:12]})"
    files = repository.contents(commit, CHALLENGES_PATH, MOST)
    if not files:
        return KeptChallenges(read_from=read_from)
    since = _since(repository, commit)
    held: dict[str, Kept] = {}
    broken: dict[str, str] = {}
    for path, data in files.items():
        if not is_kept_path(path):
            continue
        nonce = path.rpartition("/")[2].removesuffix(".json")
        try:
            challenge = parsed(data, path)
            if challenge.path != path:
                raise UsageError(f"it holds the nonce {nonce_of(challenge.text)}", reason="challenge")
            held[nonce] = Kept(challenge=challenge, since=since.get(path))
        except JetproofError as error:
            broken[nonce] = error.message
    return KeptChallenges(held=held, broken=broken, read_from=read_from)


def _since(repository: GitRepository, commit: str) -> Mapping[str, datetime]:
    """Return for each path when the first commit that touched it was made, on whatever branch that was.

    The first one, so that an issue time cannot be moved afterwards. With a history that is cut off nothing is told.
    """
    cut = repository.git("rev-parse", "--is-shallow-repository")
    if not cut.ok or cut.stdout.strip() != b"false":
        return {}
    words = ("log", "-m", "--name-only", "--no-renames", "--format=%x01%ct", commit, "--", CHALLENGES_PATH)
    done = repository.git(*words)
    found: dict[str, datetime] = {}
    odd: set[str] = set()
    for path, when in _touched(done.stdout.decode("utf-8", "replace")) if done.ok else ():
        if when is None:
            odd.add(path)
        else:
            found[path] = min(when, found.get(path, when))
    return {path: when for path, when in found.items() if path not in odd}


def _touched(text: str) -> Iterator[tuple[str, datetime | None]]:
    when = None
    for line in text.splitlines():
        if line.startswith("\x01"):
            when = moment(line[1:])
        elif line:
            yield line, when
