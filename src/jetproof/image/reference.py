"""The name of an image that is pinned by its digest; a tag alone is never enough."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jetproof.errors import UsageError

_WORD = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?"
_FORM = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_WORD}(?:/{_WORD})*)(?::(?P<tag>\w[\w.-]{{0,127}}))?@(?P<digest>sha256:[0-9a-f]{{64}})",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An image by its name and its digest: the registry's, or the id of an image that was built here."""

    name: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name}@{self.digest}"


def parse(text: str) -> Reference:
    """Return the reference. Raises UsageError for a tag, an id without a name, or anything else."""
    found = _FORM.fullmatch(text) if len(text) < 512 else None
    if found is None:
        raise UsageError(
            f"{text[:160]!r} is not an image that is pinned by its digest",
            hint="NAME@sha256:…; docker image inspect --format '{{json .RepoDigests}} {{.Id}}' IMAGE tells it",
            reason="image-without-digest",
        )
    return Reference(name=found["name"], digest=found["digest"])
