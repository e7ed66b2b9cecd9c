from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jetproof.errors import JetproofError, Undecided, UsageError
from jetproof.target.interface import CollectRequest
from jetproof.target.recorded import RecordedTarget

SHARED = Path(__file__).parents[3] / "shared" / "platforms"


def collect(path: Path) -> object:
    return RecordedTarget(path).collect(CollectRequest())


def test_a_bare_read_out_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"id": "x", "files": {"/etc/nv_tegra_release": "# R36"}, "commands": {}, "truth": {}}))
    snapshot = RecordedTarget(path).collect(CollectRequest())
    assert snapshot.origin == "recorded"
    assert snapshot.file("/etc/nv_tegra_release").text == "# R36"


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"files": {}}')
    (tmp_path / "link").symlink_to("s.json")
    assert collect(tmp_path / "link")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 4096,
        b'{"files": {"/etc/nv_te',
        b"\xff\xfe{}",
        b"[" * 1_000_000,
        b'{"files":' * 50_000,
        b'{"files": {"a": "b", "a": "c"}}',
        b'{"files": {"a": NaN}}',
        b"just text",
        b'"text"',
        b'{"files": {"/etc/nv_tegra_release": {"reason": 5}}}',
    ],
)
def test_bad_content_is_a_usage_error_with_the_path(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        collect(path)
    assert str(path) in raised.value.message


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(UsageError, match="too large"):
        collect(path)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "loop", "zero", "nowhere", "."):
        with pytest.raises(UsageError):
            collect(tmp_path / name)


def test_nothing_runs_on_a_recording(tmp_path: Path) -> None:
    with pytest.raises(Undecided) as raised:
        RecordedTarget(tmp_path / "x").serve({}, lambda record: None, 1)
    assert isinstance(raised.value, JetproofError)


@pytest.mark.shared
def test_other_peoples_read_outs_are_read_as_they_are() -> None:
    paths = sorted(SHARED.glob("*.json"))
    if not paths:
        pytest.skip("there is no ../shared/platforms beside the checkout")
    for path in paths:
        given = json.loads(path.read_text())
        snapshot = RecordedTarget(path).collect(CollectRequest())
        assert dict(snapshot.commands) == given["commands"]
        assert set(snapshot.files) == set(given["files"])
        for name, text in given["files"].items():
            if isinstance(text, str):
                assert snapshot.file(name).text == text
            else:
                assert snapshot.strings(name) == (None if text is None else tuple(text))
