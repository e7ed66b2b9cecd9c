"""Whole installations on a stand-in machine: everything else comes, the vendor's torch stays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process


def _names(result: Any) -> list[str]:
    return [item["name"] for item in result["plan"]["items"]]


def test_a_project_is_installed_over_the_vendors_torch(machine: Any) -> None:
    machine.wants("small-lib")
    before = machine.vendor()
    result = machine.result()
    assert _names(result) == ["helper", "small-lib"]
    assert result["plan"]["dropped"] == ["torch"]
    assert result["proof"]["holds"]
    assert result["proof"]["files"] == len(before)
    assert result["proof"]["available_before"] is True
    assert result["proof"]["available_after"] is True
    assert machine.vendor() == before
    assert machine.says("import small_lib, torch; print(torch.__version__)") == "2.8.0a0+5228986c39.nv25.06"
    link = machine.project / ".venv-jetson"
    assert link.is_symlink()
    assert not link.readlink().is_absolute()


def test_a_dry_run_makes_no_environment(machine: Any) -> None:
    machine.wants("small-lib")
    done = machine.install("--dry-run")
    assert done.returncode == 0
    assert done.stdout.startswith("Planned: 2 packages over torch 2.8.0a0+5228986c39.nv25.06, which stays.\n")
    assert "Left out, because they are the vendor's: torch" in done.stdout
    assert [path.name for path in machine.project.iterdir()] == ["requirements.txt"]


def test_a_second_installation_replaces_the_first_in_one_step(machine: Any) -> None:
    machine.wants("helper==1.0")
    machine.result()
    first = (machine.project / ".venv-jetson").resolve()
    machine.wants("helper")
    machine.result()
    assert machine.says("import helper; print(helper.__version__)") == "2.0"
    assert not first.exists()


def test_a_needed_sibling_that_is_absent_is_never_filled(machine: Any) -> None:
    machine.wants("vision-app")
    result = machine.result()
    assert "torchvision" not in _names(result)
    assert [one["name"] for one in result["plan"]["absent"]] == ["torchvision"]
    assert [(one["by"], one["why"]) for one in result["proof"]["unmet"]] == [("vision-app 1.0", "held_absent")]


def test_bitsandbytes_is_shown_as_a_recipe(machine: Any) -> None:
    machine.wants("quantizer")
    told = machine.install("--dry-run").stdout
    assert "never filled from an index: bitsandbytes (quantization; asked by quantizer)" in told
    assert "-DCOMPUTE_CAPABILITY=87" in told


def test_an_unlisted_nvidia_library_is_found_in_the_answer_and_left_out(machine: Any) -> None:
    machine.wants("server-app")
    assert _names(machine.result("--dry-run")) == ["helper", "server-app"]


def test_an_alpha_needs_a_yes(machine: Any) -> None:
    machine.wants("newest")
    error = machine.error()
    assert error["reason"] == "alpha"
    assert "newest 1.0 asks for torch>=2.8" in error["message"]
    assert error["hint"].endswith("--allow-alpha")
    assert not (machine.project / ".venv-jetson").exists()
    result = machine.result("--allow-alpha")
    assert result["plan"]["demands"][0]["fit"] == "alpha"
    assert [one["why"] for one in result["proof"]["unmet"]] == ["alpha"]


def test_what_does_not_fit_at_all_is_refused_unless_named(machine: Any) -> None:
    machine.wants("pinned")
    assert machine.error("--allow-alpha")["reason"] == "unfit"
    result = machine.result("--allow-overrule", "pinned")
    assert [one["why"] for one in result["proof"]["unmet"]] == ["overruled"]


def test_a_package_that_hides_torch_is_undone(machine: Any) -> None:
    machine.wants("helper")
    machine.result()
    first = (machine.project / ".venv-jetson").resolve()
    machine.wants("shadow")
    before = machine.vendor()
    done = machine.install()
    assert done.returncode == 1
    assert done.stdout.startswith("Undone: the installation broke the vendor's torch")
    assert "Broken: import torch worked before and now ends with: failed" in done.stdout
    assert (machine.project / ".venv-jetson").resolve() == first
    assert machine.vendor() == before
    assert list((machine.project / ".jetproof" / "install").glob("*.log"))


def test_a_source_build_uses_the_vendors_torch(machine: Any) -> None:
    machine.wants("compiled")
    result = machine.result()
    assert [item["build"] for item in result["plan"]["items"]] == [True]
    assert machine.says("import compiled; print(compiled.BUILT)") == "2.8.0a0+5228986c39.nv25.06"


def test_the_project_itself_is_installed_editable(machine: Any, stand_in: Any) -> None:
    backend = stand_in.BACKEND.format(name="mine", release="1.0", top="", body="''")
    (machine.project / "backend.py").write_text(backend)
    (machine.project / "src").mkdir()
    (machine.project / "src" / "mine.py").write_text("HERE = 1\n")
    (machine.project / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "mine"\nversion = "1.0"\ndependencies = ["torch>=2.1", "helper"]\n'
        '[project.optional-dependencies]\nmore = ["small-lib"]\n'
    )
    result = machine.result("--extra", "more")
    assert _names(result) == ["helper", "small-lib"]
    assert {one["by"].split(" ")[0] for one in result["plan"]["demands"]} == {"mine", "small-lib"}
    assert machine.says("import mine, helper, small_lib; print(mine.HERE)") == "1"
    assert machine.error("--extra", "other")["reason"] == "unknown-extra"


def test_torch_in_the_users_own_site_stays_too(machine: Any, vendor_torch: Path, tmp_path: Path) -> None:
    import shutil
    import zipfile

    users = tmp_path / "users"
    machine.variables["PYTHONUSERBASE"] = str(users)
    shutil.rmtree(machine.site / "torch")
    for entry in machine.site.glob("torch-*"):
        shutil.rmtree(entry)
    machine.site = users / "lib" / machine.site.parent.name / "site-packages"
    with zipfile.ZipFile(vendor_torch) as archive:
        archive.extractall(machine.site)
    machine.wants("small-lib")
    before = machine.vendor()
    result = machine.result("--deep")
    assert result["held"][0]["site"] == "user"
    assert result["proof"]["deep"]
    assert machine.vendor() == before


def test_torch_of_a_conda_environment_stays_too(machine: Any) -> None:
    (machine.root / "conda-meta").mkdir()
    machine.wants("small-lib")
    result = machine.result()
    assert result["held"][0]["site"] == "conda"
    assert result["target"]["in_place"] is False


def test_a_bare_environment_leads_to_the_python_beneath_it(machine: Any, tmp_path: Path) -> None:
    import subprocess

    bare = tmp_path / "bare"
    subprocess.run([str(machine.python), "-m", "venv", "--without-pip", str(bare)], check=True, env=machine.variables)
    machine.python = bare / "bin" / "python"
    machine.wants("small-lib")
    result = machine.result()
    assert result["held"][0]["location"] == str(machine.site)
    assert result["python"]["asked"].startswith("the base of ")


def test_torch_inside_the_environment_is_kept_and_the_rest_comes_in_place(
    machine: Any, venv_with_torch: Callable[[], Path]
) -> None:
    own = venv_with_torch()
    machine.wants("small-lib", "helper==1.0")
    before = machine.vendor()
    result = machine.result()
    assert (result["target"]["path"], result["target"]["in_place"]) == (str(own), True)
    assert machine.vendor() == before
    assert machine.says("import small_lib, helper; print(helper.__version__)", own) == "1.0"
    machine.wants("small-lib", "helper==2.0")
    machine.result()
    assert machine.says("import helper; print(helper.__version__)", own) == "2.0"


def test_what_would_overwrite_the_vendors_files_in_place_never_starts(
    machine: Any, venv_with_torch: Callable[[], Path]
) -> None:
    own = venv_with_torch()
    machine.wants("shadow")
    before = {path: path.stat().st_mtime_ns for path in own.rglob("*")}
    error = machine.error()
    assert error["reason"] == "collision"
    assert {path: path.stat().st_mtime_ns for path in own.rglob("*")} == before


def test_a_containers_constraints_are_respected_and_named(machine: Any, tmp_path: Path) -> None:
    bounds = tmp_path / "constraint.txt"
    bounds.write_text("torch==2.8.0a0+5228986c39.nv25.6\nhelper==1.0\n")
    machine.variables["PIP_CONSTRAINT"] = str(bounds)
    machine.wants("small-lib")
    result = machine.result("--dry-run")
    assert [item["release"] for item in result["plan"]["items"] if item["name"] == "helper"] == ["1.0"]
    assert result["plan"]["constraints"] == [f"helper==1.0 (PIP_CONSTRAINT, {bounds})"]
    machine.wants("helper")
    older = machine.result("--dry-run")["plan"]["backtracked"]
    assert older == [{"name": "helper", "chosen": "1.0", "free": "2.0"}]
    machine.variables["PIP_CONSTRAINT"] = "/nowhere/constraint.txt"
    assert machine.error()["reason"] == "constraint-file"


LOCK = """\
version = 1
requires-python = ">=3.8"

[[package]]
name = "mine"
version = "0.1.0"
source = {{ virtual = "." }}
dependencies = [{{ name = "small-lib" }}, {{ name = "torch" }}]

[package.metadata]
requires-dist = [{{ name = "small-lib" }}, {{ name = "torch", specifier = ">=2.8" }}]

[[package]]
name = "small-lib"
version = "1.0"
source = {{ registry = "{index}" }}
dependencies = [{{ name = "helper" }}, {{ name = "torch" }}]
wheels = [{{ url = "{files}/small_lib-1.0-py3-none-any.whl", hash = "sha256:{small}" }}]

[[package]]
name = "helper"
version = "1.0"
source = {{ registry = "{index}" }}
wheels = [{{ url = "{files}/helper-1.0-py3-none-any.whl", hash = "sha256:{helper}" }}]

[[package]]
name = "torch"
version = "2.14.1"
source = {{ registry = "{index}" }}
dependencies = [{{ name = "nvidia-cublas" }}, {{ name = "many1" }}]

[[package]]
name = "nvidia-cublas"
version = "9.9"
source = {{ registry = "{index}" }}

[[package]]
name = "many1"
version = "1.0"
source = {{ registry = "{index}" }}
"""


def test_a_locks_numbers_and_hashes_without_what_only_torch_wants(machine: Any, shelf: Path) -> None:
    digests = {
        name: hashlib.sha256((shelf / f"{name}-1.0-py3-none-any.whl").read_bytes()).hexdigest()
        for name in ("small_lib", "helper")
    }
    url = machine.index.url
    text = LOCK.format(
        index=url, files=url.replace("simple", "files"), small=digests["small_lib"], helper=digests["helper"]
    )
    (machine.project / "uv.lock").write_text(text)
    (machine.project / "pyproject.toml").write_text(
        '[project]\nname = "mine"\nversion = "0.1.0"\ndependencies = ["small-lib", "torch>=2.8"]\n'
    )
    assert machine.error()["reason"] == "alpha"
    result = machine.result("--allow-alpha")
    assert result["plan"]["from_lock"].endswith("uv.lock")
    assert [(item["name"], item["release"]) for item in result["plan"]["items"]] == [
        ("helper", "1.0"),
        ("small-lib", "1.0"),
    ]
    assert {one["requirement"]: one["fit"] for one in result["plan"]["demands"]} == {
        "torch>=2.8": "alpha",
        "torch>=2.0": "as_is",
    }


def test_a_project_for_another_python_is_refused(machine: Any) -> None:
    (machine.project / "pyproject.toml").write_text(
        '[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=4"\n'
    )
    error = machine.error()
    assert error["reason"] == "python-unfit"
    assert "mine needs Python >=4" in error["message"]


def test_no_torch_and_a_broken_torch_are_told_apart(machine: Any) -> None:
    machine.wants("small-lib")
    (machine.site / "torch" / "__init__.py").write_text("raise ImportError('libcudnn.so.9: cannot open')\n")
    error = machine.error()
    assert error["reason"] == "torch-broken-before"
    assert "libcudnn.so.9" in error["message"]
    import shutil

    for entry in machine.site.glob("torch*"):
        shutil.rmtree(entry)
    error = machine.error()
    assert error["reason"] == "no-torch"
    assert "jetproof install --torch" in error["hint"]


def test_a_lock_that_contradicts_a_containers_constraints(machine: Any, shelf: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256((shelf / "helper-2.0-py3-none-any.whl").read_bytes()).hexdigest()
    machine.wants(f"helper==2.0 --hash=sha256:{digest}")
    bounds = tmp_path / "constraint.txt"
    machine.variables["PIP_CONSTRAINT"] = str(bounds)
    bounds.write_text("helper<2 ; python_version < '3'\n")
    assert machine.result("--dry-run")["plan"]["from_lock"].endswith("requirements.txt")
    bounds.write_text("# from the image\nhelper<2\n-r more.txt\n")
    error = machine.error("--dry-run")
    assert error["reason"] == "lock-contradicts"
    assert f"helper<2 is needed here (PIP_CONSTRAINT, {bounds})" in error["message"]


def test_what_the_vendors_torch_asks_of_others_bounds_them(machine: Any) -> None:
    metadata = next(machine.site.glob("torch-*.dist-info")) / "METADATA"
    with metadata.open("a") as stream:
        stream.write(
            "Requires-Dist: helper<2\nRequires-Dist: triton<4\nRequires-Dist: ???\nRequires-Dist: big; extra == 'x'\n"
        )
    machine.wants("helper")
    plan = machine.result("--dry-run")["plan"]
    assert [item["release"] for item in plan["items"]] == ["1.0"]
    assert plan["constraints"] == ["helper<2 (asked by torch 2.8.0a0+5228986c39.nv25.06)"]


def test_a_conda_environment_may_be_named_as_the_place_itself(machine: Any) -> None:
    (machine.root / "conda-meta").mkdir()
    (machine.root / "bin" / "python").symlink_to(machine.python.name)
    machine.wants("small-lib")
    before = machine.vendor()
    result = machine.result("--venv", str(machine.root))
    assert (result["target"]["path"], result["target"]["in_place"]) == (str(machine.root), True)
    assert machine.says("import small_lib, torch", machine.root) == ""
    assert machine.vendor() == before
