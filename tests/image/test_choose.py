"""The choice of a base image: what fits, what does not, and what nobody knows."""

from __future__ import annotations

import pytest

from jetproof.errors import Refused, Undecided, UsageError
from jetproof.image.choose import Choice, Pinned, choose, matches
from jetproof.image.pinned import base_of
from jetproof.image.reference import parse
from jetproof.render.image import choice_json, choice_text
from jetproof.tables import load

TABLES = load()
DIGEST = "sha256:" + "a" * 64


def chosen(stack: str, l4t: str | None = None) -> Choice:
    one = TABLES.stack(stack)
    return choose(one, l4t or one.l4t, TABLES)


@pytest.mark.parametrize(
    ("stack", "l4t", "group"),
    [
        ("jp4.6", "32.6.1", "l4t-32.6"),
        ("jp5.1-xavier", "35.4.1", "l4t-35"),
        ("jp5.1-orin", "35.2.1", "l4t-35"),
        ("jp6.0", "36.3.0", "l4t-36.3"),
        ("jp6.2", "36.4.3", "l4t-36.4"),
        ("jp6.2/agx-orin-64gb", "36.4.7", "l4t-36.4"),
    ],
)
def test_a_board_gets_an_image_of_its_group(stack: str, l4t: str, group: str) -> None:
    found = chosen(stack, l4t)
    assert found.best is not None
    assert found.best.group.id == group
    assert found.best.image.confirmed
    assert matches(found.best.group, l4t)
    assert "latest" not in choice_text(found)


@pytest.mark.parametrize("stack", ["jp7.0", "jp7.2-thor", "jp7.2-orin"])
def test_where_none_is_known_to_fit_it_is_said(stack: str) -> None:
    found = chosen(stack)
    assert found.best is None
    assert choice_text(found).startswith("no image is known to fit")
    assert [one.image.id for one in found.unproven] == ["ngc-pytorch-arm64-jp7"]


def test_igpu_images_are_for_jetpack_6_alone() -> None:
    for stack in ("jp7.0", "jp7.2-orin", "jp5.1-orin"):
        igpu = [one for one in chosen(stack).refused if one.group.id == "igpu"]
        assert len(igpu) == 3
    assert all(one.reference != "nvcr.io/nvidia/pytorch:26.02-py3-igpu" for one in chosen("jp6.2").refused)


def test_32_takes_cuda_from_its_host_and_must_match_it() -> None:
    for one in chosen("jp4.6", "32.7.1").others:
        assert one.group.id == "l4t-32.7"


def test_every_container_of_the_torch_builds_is_judged_once() -> None:
    found = chosen("jp6.2")
    judged = [one["id"] for name in ("others", "unproven", "refused") for one in choice_json(found)[name]]
    judged.append(choice_json(found)["best"]["id"])
    assert sorted(judged) == sorted(row.id for row in TABLES.torch_builds if row.kind.endswith("container"))


def test_a_base_is_named_or_pinned_and_never_a_tag() -> None:
    found = chosen("jp6.2")
    assert str(base_of(f"nvcr.io/nvidia/pytorch@{DIGEST}", None)[0]) == f"nvcr.io/nvidia/pytorch@{DIGEST}"
    with pytest.raises(UsageError):
        base_of("nvcr.io/nvidia/pytorch:26.02-py3-igpu", None)
    with pytest.raises(Undecided) as undecided:
        base_of(None, found)
    assert undecided.value.reason == "image-not-pinned"
    with pytest.raises(Refused):
        base_of(None, chosen("jp7.0"))
    with pytest.raises(Undecided):
        base_of(None, None)
    pin = Pinned(tier="orin", reference=f"docker.io/x/y@{DIGEST}")
    from dataclasses import replace

    reference, why = base_of(None, replace(found, pinned=(pin,)))
    assert (reference.digest, "orin" in why) == (DIGEST, True)
    assert choice_text(replace(found, pinned=(pin,))).startswith("last known good: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "x:latest",
        "x@sha256:abc",
        f"-x@{DIGEST}",
        f"X@{DIGEST}",
        f"a b@{DIGEST}",
        f"x@{DIGEST}\n",
        f"--runtime=x@{DIGEST}",
        f"a//b@{DIGEST}",
        f"x@{DIGEST} --privileged",
        DIGEST,
    ],
)
def test_what_is_no_pinned_image_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


@pytest.mark.parametrize("name", ["x", "localhost:5000/a/b", "nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3", "a__b/c"])
def test_names_of_pinned_images(name: str) -> None:
    assert parse(f"{name}@{DIGEST}").digest == DIGEST
