"""What the guard of a build sees as torch, and as a change of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.image.engines import TORCH, torch_files, wheel

from jetproof_worker import image_guard


def site(folder: Path, *wheels: Path) -> list[str]:
    import zipfile

    for one in wheels:
        with zipfile.ZipFile(one) as archive:
            archive.extractall(folder)
    return [str(folder)]


def test_the_family_is_seen_and_what_came_beside_it_is_no_change(tmp_path: Path) -> None:
    path = site(tmp_path / "s", wheel(tmp_path / "w", "torch", TORCH, torch_files(TORCH)))
    before = image_guard.installed(path)
    assert before["torch"]["release"] == TORCH
    site(tmp_path / "s", wheel(tmp_path / "w", "nvidia-cublas", "1.0", {"nvidia/a.so": "x"}))
    site(tmp_path / "s", wheel(tmp_path / "w", "plain", "1.0", {"plain.py": ""}))
    assert image_guard.differences(before, image_guard.installed(path)) == []


def test_another_release_other_files_and_another_copy_are_changes(tmp_path: Path) -> None:
    path = site(tmp_path / "s", wheel(tmp_path / "w", "torch", TORCH, torch_files(TORCH)))
    before = image_guard.installed(path)
    (tmp_path / "s/torch/__init__.py").write_text("x")
    assert "other files" in image_guard.differences(before, image_guard.installed(path))[0]
    first = site(tmp_path / "t", wheel(tmp_path / "w", "torch", "2.9.1", torch_files("2.9.1")))
    assert image_guard.differences(before, image_guard.installed(first + path)) == [f"torch {TORCH} became 2.9.1"]
    assert image_guard.differences(before, image_guard.installed([])) == [f"torch {TORCH} became nothing"]
    vision = image_guard.installed(
        site(tmp_path / "s", wheel(tmp_path / "w", "torchvision", "1", {"torchvision.py": ""}))
    )
    assert any("torchvision" in change for change in image_guard.differences(before, vision))


def test_a_torch_without_metadata_is_seen(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").write_text("a = 1")
    before = image_guard.installed([str(tmp_path)])
    assert before["torch"]["release"] is None
    (tmp_path / "torch/__init__.py").write_text("a = 12")
    assert image_guard.differences(before, image_guard.installed([str(tmp_path)]))


def test_steps_and_their_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(image_guard, "NOTE", str(tmp_path / "note" / "torch.json"))
    path = site(tmp_path / "s", wheel(tmp_path / "w", "torch", TORCH, torch_files(TORCH)))
    monkeypatch.setattr(image_guard, "_path", lambda: path)
    assert image_guard.main(["note"]) == 0
    assert image_guard.main(["check"]) == 0
    assert f"unchanged: torch {TORCH}" in capsys.readouterr().out
    (tmp_path / "s/torch/version.py").unlink()
    with pytest.raises(SystemExit):
        image_guard.main(["check"])
    assert "was replaced" in capsys.readouterr().err
    path[:] = []
    with pytest.raises(SystemExit):
        image_guard.main(["note"])
    assert "holds no torch" in capsys.readouterr().err
    assert image_guard.main([]) == 2


PIP = """
import os, sys
if os.environ["SAYS"] == "ok":
    print(" ".join(sys.argv[1:]), open(os.environ["PIP_CONSTRAINT"].split()[-1]).read(), sep="|")
else:
    sys.exit(os.environ["SAYS"])
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("ok", None),
        ("ERROR: ResolutionImpossible: torch==2.9 and torch==2.8", "without replacing torch"),
        ("ERROR: ResolutionImpossible: plain==1 and plain==2", "pip could not install the project (exited 1)"),
        ("torch: no space left", "pip could not install the project (exited 1)"),
    ],
)
def test_pip_is_held_to_the_image_s_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], says: str, told: str | None
) -> None:
    (tmp_path / "pip.py").write_text(PIP)
    (tmp_path / "torch.json").write_text('{"torch": {"release": "2.8.0"}, "triton": {"release": null}}')
    monkeypatch.setattr(image_guard, "NOTE", str(tmp_path / "torch.json"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PIP_CONSTRAINT", "/the/image's")
    monkeypatch.setenv("SAYS", says)
    if told is None:
        assert image_guard.main(["install", "-e", "."]) == 0
        assert capfd.readouterr().out == "install -e .|torch==2.8.0\n\n"
        return
    with pytest.raises(SystemExit) as ended:
        image_guard.main(["install", "."])
    assert ended.value.code == 1
    said = capfd.readouterr().err
    assert says in said
    assert told in said


def test_a_distribution_without_a_record_is_told_by_names_and_sizes(tmp_path: Path) -> None:
    (tmp_path / "torch-2.8.0.dist-info").mkdir()
    before = image_guard.installed([str(tmp_path)])
    (tmp_path / "torch-2.8.0.dist-info" / "METADATA").write_text("x")
    assert image_guard.differences(before, image_guard.installed([str(tmp_path)]))
