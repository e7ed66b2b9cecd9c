"""uv's answers read, its refusals put into words."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.errors import ExitCode, JetproofError, Refused
from jetproof.install.plan import Item
from jetproof.install.resolve import with_indexes
from jetproof.install.uv import Sources, environment, failure
from jetproof.install.uv_answers import parse
from jetproof_worker.process import Completed

ANSWER = """\
accelerate==1.15.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via -r requirements.txt
    # from https://index.example/simple
numpy==2.4.6 ; python_version >= '3.10' \\
    --hash=sha256:cc
    # via
    #   accelerate
    #   transformers[torch]
transformers[torch]==5.24.0
    # via mine (pyproject.toml)
thing @ git+https://git.example/thing@0123abc
    # via accelerate
"""


def test_an_answer_in_its_split_style() -> None:
    found = parse(ANSWER)
    accelerate, numpy, thing, transformers = found.items
    assert accelerate.hashes == ("sha256:aa", "sha256:bb")
    assert accelerate.index == "https://index.example/simple"
    assert (numpy.release, numpy.wanted_by) == ("2.4.6", ("accelerate", "transformers"))
    assert transformers.extras == ("torch",)
    assert thing.address == "git+https://git.example/thing@0123abc"
    assert found.tops == {"accelerate", "transformers"}
    assert found.releases["accelerate"] == "1.15.0"
    assert accelerate.line == "accelerate==1.15.0 --hash=sha256:aa --hash=sha256:bb"
    assert transformers.line == "transformers[torch]==5.24.0"


def test_an_answer_that_is_none() -> None:
    with pytest.raises(Refused):
        parse("this is = no requirement\n")
    assert parse("").items == ()


def _failed(stderr: str, status: str = "exited", code: int | None = 1) -> JetproofError:
    return failure(Completed(["uv"], status, code, b"", stderr.encode(), 1.0, detail="no such file"), 5)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("Hash mismatch for `helper==1.0`", "wrong-hash"),
        ("failed to write: No space left on device (os error 28)", "disk-full"),
        ("Read-only file system (os error 30)", "read-only"),
        ("Permission denied (os error 13)", "no-permission"),
        ("Network connectivity is disabled, but the requested data wasn't found in the cache", "offline"),
        ("operation timed out", "index-timeout"),
        ("HTTP status server error (500 Internal Server Error) for url", "index-error"),
        ("HTTP status client error (403 Forbidden)", "index-forbidden"),
        ("error sending request for url: dns error", "no-network"),
        ("No solution found when resolving dependencies", "no-solution"),
        ("something else", "uv-failed"),
    ],
)
def test_uvs_refusals(told: str, reason: str) -> None:
    error = _failed(told)
    assert error.reason == reason
    assert error.exit_code is ExitCode.NO
    assert told[:20] in error.message


def test_other_ends_of_uv() -> None:
    assert _failed("", "timed-out", None).exit_code is ExitCode.TIME_LIMIT
    assert _failed("", "missing", None).reason == "uv-missing"
    assert _failed("", "signalled", 9).reason == "uv-crashed"


def test_credentials_never_reach_a_message() -> None:
    assert "secret" not in _failed("Failed to fetch: `https://me:secret@index.example/simple/x`").message


def test_uv_sees_no_variable_that_would_pick_a_torch() -> None:
    seen = environment({"UV_CONSTRAINT": "x", "UV_TORCH_BACKEND": "cu130", "VIRTUAL_ENV": "/v", "PATH": "/bin"})
    assert not {"UV_CONSTRAINT", "UV_TORCH_BACKEND", "VIRTUAL_ENV"} & set(seen)
    assert seen["PATH"] == "/bin"
    assert seen["UV_PYTHON_DOWNLOADS"] == "never"


def test_a_locks_indexes_are_used_unless_one_is_named() -> None:
    items = [Item(name="a", release="1", index="https://one.example"), Item(name="b", release="1")]
    assert with_indexes(Sources(), items).extra_index_urls == ("https://one.example",)
    named = Sources(index_url="https://mine.example")
    assert with_indexes(named, items) is named
    assert Sources(index_url="u", find_links=("d",), offline=True, no_index=True).arguments() == [
        "--default-index",
        "u",
        "--find-links",
        "d",
        "--no-index",
        "--offline",
    ]


def test_uv_is_found_beside_jetproof() -> None:
    from jetproof.install.uv import find

    assert find().name == "uv"
    assert isinstance(find(), Path)
