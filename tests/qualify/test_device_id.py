"""The device's id is random, kept, private and never half written."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.errors import JetproofError
from jetproof.qualify.device_id import device_id


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    first = device_id({"HOME": str(tmp_path)})

    place = tmp_path / ".config" / "jetproof" / "device-id"
    assert len(first) == 32
    assert device_id({"HOME": str(tmp_path)}) == first
    assert place.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in place.parent.iterdir()] == ["device-id"]


def test_another_place_has_another_id(tmp_path: Path) -> None:
    first = device_id({"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "x")})

    assert device_id({"HOME": str(tmp_path), "XDG_CONFIG_HOME": "relative/is/ignored"}) != first
    assert (tmp_path / "x" / "jetproof" / "device-id").exists()


def test_a_broken_one_is_named(tmp_path: Path) -> None:
    place = tmp_path / "jetproof" / "device-id"
    place.parent.mkdir()
    place.write_text("serial 1421\n")

    with pytest.raises(JetproofError, match="does not hold a device id"):
        device_id({"XDG_CONFIG_HOME": str(tmp_path)})


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "jetproof").write_text("a file")

    with pytest.raises(JetproofError, match="cannot keep the device's id"):
        device_id({"XDG_CONFIG_HOME": str(tmp_path)})
