"""What a job's or step's `if` says."""

from __future__ import annotations

import re

from jetproof.workflow.model import Job, Workflow

_STATUS = re.compile(r"\b(always|failure|cancelled)\s*\(\s*\)")
_REPOSITORY = re.compile(r"github\.repository(?:_owner|_id)?\s*==")
_TRUSTED = re.compile(
    r"github\.ref_protected|github\.ref\s*==\s*'refs/heads/|startsWith\(\s*github\.ref\s*,\s*'refs/tags/"
    r"|github\.ref\s*==\s*format\('refs/heads/\{0\}',\s*github\.event\.repository\.default_branch"
)
_ALWAYS = re.compile(r"always\s*\(\s*\)|!\s*cancelled\s*\(\s*\)")


def runs_after_failure(condition: str) -> bool:
    """Return whether it lets a step or job run when something before it failed."""
    return bool(_ALWAYS.search(condition))


def overrides_status(condition: str) -> bool:
    """Return whether it replaces the rule that everything before must have succeeded."""
    return bool(_STATUS.search(condition))


def only_always(condition: str) -> bool:
    """Return whether it always holds, in forks perhaps not."""
    words = [word.strip(" ()") for word in condition.split("&&")]
    return bool(words) and all(
        _ALWAYS.fullmatch(word + ("()" if word in ("always", "cancelled") else "")) is not None
        or word in ("!cancelled", "always")
        or _REPOSITORY.match(word) is not None
        for word in words
    )


def guarded(workflow: Workflow, job: Job) -> bool:
    """Return whether the job runs in the project's own repository alone."""
    return _holds(workflow, job, _REPOSITORY)


def trusted_ref(workflow: Workflow, job: Job) -> bool:
    """Return whether the job runs on a protected branch or a tag alone."""
    return _holds(workflow, job, _TRUSTED)


def _holds(workflow: Workflow, job: Job, pattern: re.Pattern[str]) -> bool:
    """Look at the job's own condition, and at those of the jobs without whose success it does not run."""
    jobs = {found.id: found for found in workflow.jobs}
    left, seen = [job], {job.id}
    while left:
        here = left.pop()
        if any(pattern.search(part) for part in _conjuncts(here.condition)):
            return True
        if overrides_status(here.condition):
            continue
        new = [name for name in here.needs if name in jobs and name not in seen]
        seen.update(new)
        left += [jobs[name] for name in new]
    return False


def _conjuncts(condition: str) -> list[str]:
    """Return the parts that must all hold, none when an alternative lets the job run all the same.

    A part with an alternative in brackets counts when each of them narrows the ref.
    """
    parts, depth, word = [], 0, ""
    position = 0
    while position < len(condition):
        pair = condition[position : position + 2]
        if depth == 0 and pair == "||":
            return []
        if depth == 0 and pair == "&&":
            parts.append(word)
            word = ""
            position += 2
            continue
        depth += {"(": 1, ")": -1}.get(condition[position], 0)
        word += condition[position]
        position += 1
    parts.append(word)
    return [part for part in parts if "||" not in part or _all_refs(part)]


def _all_refs(part: str) -> bool:
    """Return whether each alternative in a bracket narrows the ref by itself."""
    inner = part.strip().removeprefix("(").removesuffix(")")
    return all(_TRUSTED.search(alternative) for alternative in inner.split("||"))
