"""What a judgement is. Judgements do not know one another; the audit is handed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jetproof.install.case import Case
from jetproof.install.finding import Finding, Remedy


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One kind of fault. Its module's docstring is its documentation page."""

    id: str
    name: str
    check: Callable[[Case], Iterator[Finding]]


def hold(case: Case) -> tuple[Remedy, ...]:
    """The two ways to install a project without losing the vendor's torch; none where its Python does not fit."""
    bound = case.project.requires_python
    if bound is not None and case.takes_python(bound) is False:
        return ()
    path = case.quoted_path
    return (
        Remedy(text="install everything else and keep the vendor's torch", command=f"jetproof install {path}"),
        Remedy(
            text="or hold it for other tools",
            command=f"jetproof audit {path} --stack {case.board.stack} --emit override",
        ),
    )
