"""An expression searches as a compiled one does, and is compiled at its first use only."""

from __future__ import annotations

import re

from jetproof.facts.expression import Expression


def test_it_searches_as_a_compiled_pattern() -> None:
    expression, compiled = Expression(r"(a+)(b)", re.IGNORECASE), re.compile(r"(a+)(b)", re.IGNORECASE)
    text = "xAAb aab"
    for ours, theirs in (
        (expression.search(text), compiled.search(text)),
        (expression.search(text, 4), compiled.search(text, 4)),
        (expression.match("aab"), compiled.match("aab")),
        (expression.fullmatch("ab"), compiled.fullmatch("ab")),
    ):
        assert ours is not None
        assert theirs is not None
        assert (ours.span(), ours.groups()) == (theirs.span(), theirs.groups())
    assert [found.group(0) for found in expression.finditer(text)] == ["AAb", "aab"]
    assert expression.findall(text) == compiled.findall(text)
    assert expression.sub("-", text) == "x- -"
    assert expression.search("none") is None


def test_a_pattern_that_is_never_searched_is_never_compiled() -> None:
    assert Expression("(").pattern == "("


def test_a_dot_inside_a_name_or_a_number_ends_no_sentence() -> None:
    within = Expression(r"host[^.\n]{0,60}True")
    assert within.search("on the host torch.cuda.is_available() of 2.5.0 is True")
    assert within.search("on the host (e.g. here) it is True") is None
    assert within.search("on the host it fails. In the image it is True") is None
    assert within.search("on the host\nTrue") is None
