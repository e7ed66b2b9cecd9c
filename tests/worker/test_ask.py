from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from jetproof_worker import ask, environments

VERSION_PY = """from typing import Optional
__all__ = ['__version__', 'cuda']
__version__ = '2.5.0a0+872d972e41.nv24.08'
debug = False
cuda: Optional[str] = '12.6'
git_version = '872d972e41'
hip: Optional[str] = None
"""


def distribution(site: Path, name: str, release: str, kind: str = "dist-info", **texts: str) -> Path:
    folder = site / f"{name}-{release}.{kind}"
    folder.mkdir(parents=True)
    main = "METADATA" if kind == "dist-info" else "PKG-INFO"
    texts.setdefault(main, f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n\nName: not a header\n")
    for file, text in texts.items():
        (folder / file.replace("_json", ".json")).write_text(text)
    return folder


def test_every_copy_is_told_and_the_first_is_active(tmp_path: Path) -> None:
    user, system = tmp_path / "user", tmp_path / "system"
    distribution(
        user,
        "torch",
        "2.8.0",
        WHEEL="Wheel-Version: 1.0\nTag: cp310-cp310-manylinux_2_28_aarch64\n",
        INSTALLER="pip\n",
        METADATA="Name: torch\nVersion: 2.8.0+cpu\nRequires-Dist: numpy\nRequires-Dist: x; extra == 'dev'\n\nbody",
    )
    (user / "torch").mkdir()
    (user / "torch" / "__init__.py").touch()
    (user / "torch" / "version.py").write_text("__version__ = '2.8.0+cpu'\ncuda: Optional[str] = None\n")
    distribution(
        system,
        "torch",
        "2.5.0a0+872d972e41.nv24.8",
        direct_url_json=json.dumps({"url": "https://me:secret@index.example/torch.whl", "archive_info": {}}),
    )
    (system / "torch" / "lib").mkdir(parents=True)
    (system / "torch" / "version.py").write_text(VERSION_PY)
    (system / "torch" / "lib" / "libtorch_cuda.so").touch()
    distribution(system, "left_pad", "1.0")
    hidden, active = sorted(ask.distributions([str(user), str(system)]), key=lambda one: bool(one["active"]))
    assert (active["release"], active["built_for_cuda"], active["installer"]) == ("2.8.0+cpu", "", "pip")
    assert active["requires"] == ["numpy"]
    assert active["tags"] == ["cp310-cp310-manylinux_2_28_aarch64"]
    assert active["file"] == str(user / "torch" / "__init__.py")
    assert (hidden["release"], hidden["built_for_cuda"]) == ("2.5.0a0+872d972e41.nv24.8", "12.6")
    assert hidden["has_cuda_library"] is True
    assert hidden["git"] == "872d972e41"
    assert hidden["version_py"] == "2.5.0a0+872d972e41.nv24.08"
    assert hidden["origin"] == "https://index.example/torch.whl"


def test_old_and_broken_metadata(tmp_path: Path) -> None:
    distribution(tmp_path, "nvidia_cudnn_cu12", "9.3.0.75", kind="egg-info")
    (tmp_path / "numpy-1.13.3.egg-info").write_text("Metadata-Version: 1.1\nName: numpy\nVersion: 1.13.3\n")
    (tmp_path / "triton-3.0.0.dist-info").mkdir()  # nothing in it
    (tmp_path / "scipy.egg-info").mkdir()  # no number anywhere
    distribution(tmp_path, "opencv_python", "4.10.0.84", METADATA="\0\xff garbage")
    distribution(tmp_path, "jax", "0.4", direct_url_json="[" * 100_000)
    found = {one["name"]: one["release"] for one in ask.distributions([str(tmp_path), str(tmp_path / "gone")])}
    assert found == {
        "nvidia-cudnn-cu12": "9.3.0.75",
        "numpy": "1.13.3",
        "triton": "3.0.0",
        "opencv-python": "4.10.0.84",
        "jax": "0.4",
    }


def test_the_same_folder_by_two_names_hides_nothing(tmp_path: Path) -> None:
    distribution(tmp_path / "lib", "torch", "2.5.0")
    (tmp_path / "lib64").symlink_to("lib")
    assert len(ask.distributions([str(tmp_path / "lib"), str(tmp_path / "lib64")])) == 1


def test_an_editable_install(tmp_path: Path) -> None:
    said = json.dumps({"url": "file:///src/bitsandbytes", "dir_info": {"editable": True}})
    distribution(tmp_path, "bitsandbytes", "0.48.0", direct_url_json=said)
    (copy,) = ask.distributions([str(tmp_path)])
    assert copy["editable"] is True
    assert copy["origin"] == "file:///src/bitsandbytes"


def test_modules_without_metadata(tmp_path: Path) -> None:
    pip, debian = tmp_path / "pip", tmp_path / "debian"
    (pip / "cv2").mkdir(parents=True)
    (pip / "cv2" / "__init__.py").touch()
    debian.mkdir()
    (debian / "cv2.cpython-310-aarch64-linux-gnu.so").touch()
    (debian / "cv2wrong.so").touch()
    (debian / "tensorrt.py").touch()
    assert ask.modules([str(pip), str(debian)]) == [
        {"name": "cv2", "file": str(pip / "cv2" / "__init__.py"), "active": True},
        {"name": "cv2", "file": str(debian / "cv2.cpython-310-aarch64-linux-gnu.so"), "active": False},
        {"name": "tensorrt", "file": str(debian / "tensorrt.py"), "active": True},
    ]


@pytest.mark.parametrize(
    ("told", "release"), [("12060", "12.6"), ("13000", "13.0"), ("11040", "11.4"), ("12.6", "12.6"), ("", "")]
)
def test_the_librarys_number_is_a_release(told: str, release: str) -> None:
    assert ask.cuda_release(told) == release


def test_this_interpreter() -> None:
    said = ask.interpreter()
    assert said["executable"] == sys.executable
    assert said["version"] == ".".join(str(part) for part in sys.version_info[:3])
    assert said["is_venv"] == (sys.prefix != sys.base_prefix)
    assert "pip" not in said["site_paths"]
    json.dumps(said, allow_nan=False)


def test_other_interpreters_that_hold_a_torch(tmp_path: Path) -> None:
    for prefix in ("a", "b"):
        distribution(tmp_path / prefix / "lib" / "python3.10" / "site-packages", "torch", "2.5.0")
        (tmp_path / prefix / "bin").mkdir()
        (tmp_path / prefix / "bin" / "python3.10").touch()
    distribution(tmp_path / "c" / "lib" / "python3.10" / "site-packages", "torchvision", "0.20.0")
    prefixes = [str(tmp_path / name) for name in ("a", "b", "c", "gone")]
    python = "bin/python3.10"
    assert [(one.executable, one.python, one.torch) for one in environments.holders(prefixes)] == [
        (str(tmp_path / "a" / python), "3.10", "2.5.0"),
        (str(tmp_path / "b" / python), "3.10", "2.5.0"),
    ]


def test_the_chosen_interpreter_is_no_other(tmp_path: Path) -> None:
    patch = pytest.MonkeyPatch()
    site = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages"
    distribution(site, "torch", "2.9.0")
    (tmp_path / ".venv" / "bin").mkdir()
    (tmp_path / ".venv" / "bin" / "python3.12").touch()
    with patch.context() as context:
        context.chdir(tmp_path)
        context.setenv("PATH", "")
        (found,) = [one for one in environments.others(None) if str(tmp_path) in one["executable"]]
        assert (found["version"], found["torch"]) == ("3.12", "2.9.0")
        chosen = {"distributions": [{"name": "torch", "location": str(site)}]}
        assert [one for one in environments.others(chosen) if str(tmp_path) in one["executable"]] == []
        # what else lies in its folders is hidden, and belongs to no other interpreter
        distribution(site.parents[0] / "dist-packages", "torch", "2.1.0")
        assert [one for one in environments.others(chosen) if str(tmp_path) in one["executable"]] == []
