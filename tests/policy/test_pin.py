"""A pin is what the installer noted or a wheel that equals the installation; else it is told why there is none."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from jetproof.errors import Undecided, UsageError
from jetproof.facts.fact import known, unknown
from jetproof.facts.model import Distribution, Facts, Origin, Platform, PlatformClass, TorchStack
from jetproof.policy import pin
from jetproof.policy.load import parse

SOURCE = (Path(__file__).parent.parent / "workflow/fixtures/good/ci/conditional-test-policy.json").read_text()
DIGEST = "sha256:" + "5" * 64
OLD = '"digest": "sha256:9c56bd1d57a5a5b3a1bb2b2d6a4e6cbb5cd2c4e5d5a8b0d1f2e3a4b5c6d7e8f9"'
UNPINNED = SOURCE.replace(",\n        " + OLD, "")
TIER = parse(SOURCE.encode(), what="p")[0].tiers[0]


@pytest.mark.parametrize(
    "before",
    [
        SOURCE,
        UNPINNED,
        SOURCE.replace(OLD, '"digest": null'),
        json.dumps(json.loads(UNPINNED)),
        json.dumps(json.loads(SOURCE), indent=4),
    ],
)
def test_the_digest_is_put_in_and_all_else_stays(before: str) -> None:
    after = pin.pinned(before.encode(), 0, DIGEST, "p").decode()
    wanted = json.loads(before)
    wanted["tiers"][0]["runtime"]["digest"] = DIGEST
    assert json.loads(after) == wanted
    assert len(after.splitlines()) - len(before.splitlines()) in (0, 1)
    assert pin.pinned(after.encode(), 0, DIGEST, "p").decode() == after


def installed(site: Path, direct: object = None, body: bytes = b"torch") -> Path:
    folder = site / "torch-2.8.0.dist-info"
    folder.mkdir(parents=True)
    digest = hashlib.sha256(body).hexdigest()
    (folder / "RECORD").write_text(f"torch/__init__.py,sha256={digest},5\ntorch-2.8.0.dist-info/RECORD,,\n")
    if direct is not None:
        (folder / "direct_url.json").write_text(json.dumps(direct))
    return site


def wheel(path: Path, body: bytes = b"torch", name: str = "torch-2.8.0") -> Path:
    digest = hashlib.sha256(body).hexdigest()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("torch/__init__.py", body)
        archive.writestr(f"{name}.dist-info/RECORD", f"torch/__init__.py,sha256={digest},5\n")
    return path


@pytest.mark.parametrize("archive", [{"hashes": {"sha256": "a" * 64}}, {"hash": "sha256=" + "a" * 64}])
def test_what_the_installer_noted(archive: object, tmp_path: Path) -> None:
    site = installed(tmp_path, {"url": "https://vendor.example/x.whl", "archive_info": archive})
    found = pin.from_installation(site)
    assert found.digest == "sha256:" + "a" * 64
    assert found.read_from.endswith("direct_url.json")


@pytest.mark.parametrize(
    "direct",
    [
        None,
        {},
        {"archive_info": {}},
        {"archive_info": {"hash": "md5=x"}},
        [],
        {"archive_info": {"hashes": {"sha256": 3}}},
    ],
)
def test_what_the_installer_did_not_note(direct: object, tmp_path: Path) -> None:
    with pytest.raises(Undecided, match="noted no digest") as caught:
        pin.from_installation(installed(tmp_path, direct))
    assert caught.value.reason == "digest-not-noted"


def test_a_wheel_that_is_what_is_installed(tmp_path: Path) -> None:
    file = wheel(tmp_path / "torch.whl")
    found = pin.from_wheel(file, installed(tmp_path / "site"))
    assert found.digest == "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()


def test_another_wheel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Undecided, match="is not what is installed"):
        pin.from_wheel(wheel(tmp_path / "torch.whl", b"other"), installed(tmp_path / "site"))


def test_what_is_no_wheel_of_torch(tmp_path: Path) -> None:
    site = installed(tmp_path / "site")
    (tmp_path / "x.whl").write_bytes(b"no zip")
    with pytest.raises(UsageError, match="is no wheel"):
        pin.from_wheel(tmp_path / "x.whl", site)
    with pytest.raises(UsageError, match="is no wheel of torch"):
        pin.from_wheel(wheel(tmp_path / "y.whl", name="numpy-2"), site)


def test_an_image_by_digest_only() -> None:
    assert pin.from_image(f"registry.example/l4t@{DIGEST}").digest == DIGEST
    for name in ("registry.example/l4t:latest", f"{DIGEST}x", ""):
        with pytest.raises(UsageError, match="holds no digest"):
            pin.from_image(name)


def board(**members: object) -> Facts:
    platform = Platform(
        is_jetson=known("is_jetson", True, "test"),
        platform_class=known("platform_class", PlatformClass.JETSON, "test"),
        l4t=known("l4t", "36.4.3", "test"),
    )
    return Facts(origin=Origin.LIVE, platform=replace(platform, **members))  # type: ignore[arg-type]


def test_only_the_tier_s_board_is_pinned_on() -> None:
    pin.on_the_board(TIER, board())
    x86 = known("platform_class", PlatformClass.X86, "test")
    with pytest.raises(Undecided, match="this machine is x86") as caught:
        pin.on_the_board(TIER, board(is_jetson=known("is_jetson", False, "test"), platform_class=x86))
    assert caught.value.reason == "not-the-board"
    with pytest.raises(Undecided, match=r"has 36\.4\.4"):
        pin.on_the_board(TIER, board(l4t=known("l4t", "36.4.4", "test")))
    with pytest.raises(Undecided, match="unknown one"):
        pin.on_the_board(TIER, board(l4t=unknown("l4t")))


def test_the_torch_that_is_imported(tmp_path: Path) -> None:
    installed(tmp_path, {"archive_info": {"hashes": {"sha256": "b" * 64}}})
    row = Distribution(name="torch", release="2.8.0", location=str(tmp_path))
    facts = replace(board(), torch=TorchStack(installs=(replace(row, location="/hidden", active=False), row)))
    assert pin.found(TIER, facts, wheel=None, image=None).digest == "sha256:" + "b" * 64
    assert pin.found(TIER, facts, wheel=None, image=f"x@{DIGEST}").digest == DIGEST
    with pytest.raises(Undecided, match="no torch is installed"):
        pin.found(TIER, board(), wheel=None, image=None)
    image = TIER.model_copy(update={"runtime": TIER.runtime.model_copy(update={"kind": "image"})})
    with pytest.raises(UsageError, match="is an image"):
        pin.found(image, facts, wheel=None, image=None)


def test_the_file_is_written_once_and_on_request(tmp_path: Path) -> None:
    file = tmp_path / "ci/conditional-test-policy.json"
    file.parent.mkdir()
    file.write_text(UNPINNED)
    planned = pin.begun(tmp_path, None, TIER.id)
    noted = pin.Pin(digest=DIGEST, read_from="test")
    assert pin.finished(planned, noted, write=False)
    assert file.read_text() == UNPINNED
    assert pin.finished(planned, noted, write=True)
    assert json.loads(file.read_text())["tiers"][0]["runtime"]["digest"] == DIGEST
    assert not pin.finished(pin.begun(tmp_path, None, TIER.id), noted, write=True)
    with pytest.raises(UsageError, match="has no tier"):
        pin.begun(tmp_path, None, "nobody")
    with pytest.raises(UsageError, match="there is no policy"):
        pin.begun(tmp_path / "ci", None, TIER.id)
