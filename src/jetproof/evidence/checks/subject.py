"""
Evidence for another commit, another tree, another project, or for code that no commit holds.

Commit and tree are recomputed from the checkout. A merge that a pull request only proposes never serves a branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal

_PROPOSED = re.compile(r"(?:^|[/@])(?:pull|merge-requests)/\d+/(?:head|merge|train)\b")
"""What hosts call a proposal's commits, as a ref, and as the remote ref that a checkout makes of it."""
_BRANCH = re.compile(r"(?:^|@)refs/heads/")


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield what is wrong with the subject."""
    said = evidence.statement
    if around.commit is not None and said.commit != around.commit:
        yield Refusal(
            reason=Reason.COMMIT_DIFFERENT,
            message=f"the evidence is for commit {said.commit[:12]}, not for {around.commit[:12]}",
        )
    others = [one.get("digest") for one in said.body["subject"][1:] if isinstance(one, dict)]
    if any(isinstance(digest, dict) and digest.get("gitCommit", said.commit) != said.commit for digest in others):
        yield Refusal(
            reason=Reason.COMMIT_DIFFERENT, message="it names a second commit: another reader would take that one"
        )
    pulled = [ref for ref in (*said.source_refs, said.uri) if _PROPOSED.search(ref) and not _BRANCH.search(ref)]
    if pulled:
        yield Refusal(
            reason=Reason.MERGE_COMMIT,
            message=f"it ran on {pulled[0]}, a merge that no branch holds: it proves no commit",
        )
    if around.repository_uri is not None and said.uri and project(said.uri) != project(around.repository_uri):
        yield Refusal(
            reason=Reason.REPOSITORY_DIFFERENT,
            message=f"the evidence is for {project(said.uri)}, this is {project(around.repository_uri)}",
        )
    yield from _recomputed(evidence, around)
    yield from _unclean(evidence)


def _recomputed(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    said, repository = evidence.statement, around.repository
    if repository is None:
        return
    tree = repository.tree(said.commit)
    if tree is None:
        yield Refusal(
            reason=Reason.COMMIT_UNKNOWN,
            message=f"the commit {said.commit[:12]} is not in this checkout",
            hint="git fetch --unshallow, or git fetch origin " + said.commit,
        )
        return
    if tree != said.tree:
        yield Refusal(
            reason=Reason.TREE_MISMATCH,
            message=f"commit {said.commit[:12]} has the tree {tree[:12]}, the evidence says {said.tree[:12]}",
        )
    pinned = {
        path: entry.oid for path, entry in (repository.listing(said.commit) or {}).items() if entry.mode == "160000"
    }
    for module in said.source.get("submodules") or ():
        path = module.get("path") if isinstance(module, dict) else None
        if isinstance(path, str) and any(path.startswith(f"{one}/") for one in pinned):
            continue  # a submodule of a submodule is pinned by the other's commit
        if not isinstance(path, str) or pinned.get(path) != module.get("gitCommit"):
            yield Refusal(
                reason=Reason.SUBMODULE_MISMATCH,
                message=f"the submodule {str(path)[:80]} ran at another commit than {said.commit[:12]} pins",
            )


def _unclean(evidence: Evidence) -> Iterator[Refusal]:
    source = evidence.statement.source
    untracked = source.get("untracked")
    if source.get("dirty") is not False or type(untracked) is not int or untracked != 0:
        yield Refusal(
            reason=Reason.DIRTY_TREE,
            message="the tree held changes or files that the commit does not have",
            hint="git stash --include-untracked, then run the gate again",
        )
    outside = source.get("outside")
    if outside:
        first = str(outside[0])[:120] if isinstance(outside, list) else "?"
        yield Refusal(
            reason=Reason.CODE_OUTSIDE_TREE, message=f"code of the project was loaded from outside its tree: {first}"
        )


def project(uri: str) -> str:
    """Return the part of a repository's URL that says which project it is, like github.com/owner/name."""
    text = uri.removeprefix("git+").partition("@refs/")[0]
    ssh = re.fullmatch(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)", text)
    if ssh:
        text = f"{ssh.group(1)}/{ssh.group(2)}"
    text = re.sub(r"^[a-z+]+://(?:[^@/]*@)?", "", text)
    return text.rstrip("/").removesuffix(".git").lower()
