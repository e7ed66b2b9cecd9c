"""What the policy of the working tree asks less of than that of a base revision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.evidence.git import GitRepository
from jetproof.policy.load import DEFAULT_PATH, load, named_by_pyproject, parse
from jetproof.policy.ratchet import Loosened, weakenings


@dataclass(frozen=True, kw_only=True)
class Change:
    """Both policies by their digests, and each weakening."""

    base: str
    """Whole id of the base commit."""
    path: str
    old_sha256: str | None
    """None when the base has no policy: then nothing can have become weaker."""
    new_sha256: str | None
    """None when the working tree has none any more."""
    loosened: tuple[Loosened, ...]

    @property
    def weakened(self) -> bool:
        """Whether anything became weaker, the loss of the whole policy included."""
        return bool(self.loosened) or (self.old_sha256 is not None and self.new_sha256 is None)


def change(repository: GitRepository, base: str, project: Path, policy: str | None) -> Change:
    """Compare the policy of a base revision with the one that lies in the project.

    Raises `UsageError` for an unknown revision, `PolicyInvalid` for a policy that does not stand.
    """
    commit = repository.resolve(base)
    if commit is None:
        raise UsageError(f"there is no revision {base!r} here", hint="git fetch", reason="revision-unknown")
    named = policy or named_by_pyproject(project) or DEFAULT_PATH
    path = (project.resolve() / named).relative_to(repository.root.resolve()).as_posix()
    now = load(project, named) if (project / named).exists() else None
    data = repository.file(commit, path)
    before = None if data is None else parse(data, what=f"{path} of {base}")
    loosened = weakenings(before[0], now.policy) if before is not None and now is not None else ()
    return Change(
        base=commit,
        path=path,
        old_sha256=None if before is None else before[1],
        new_sha256=None if now is None else now.sha256,
        loosened=loosened,
    )
