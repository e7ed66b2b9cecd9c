from __future__ import annotations

import ast
import hashlib
import io
import zipfile
from pathlib import Path

import jetproof_worker
from jetproof.target import pack

PACKAGE = Path(jetproof_worker.__file__).parent


def test_the_same_sources_give_the_same_bytes() -> None:
    first, second = pack.worker(), pack.worker()
    assert first == second
    assert first.sha256 == hashlib.sha256(first.content).hexdigest()
    assert first.sha256 != pack.collector().sha256


def test_entries_tell_nothing_about_the_packer() -> None:
    with zipfile.ZipFile(io.BytesIO(pack.worker().content)) as archive:
        entries = archive.infolist()
    assert {(entry.date_time, entry.create_system, entry.compress_type) for entry in entries} == {
        ((1980, 1, 1, 0, 0, 0), 3, 0)
    }
    names = [entry.filename for entry in entries]
    assert names == ["__main__.py", *sorted(names[1:])]
    assert len(names) == len(set(names))
    assert not [name for name in names if "__pycache__" in name or not name.endswith(".py")]


def test_the_whole_worker_is_packed() -> None:
    with zipfile.ZipFile(io.BytesIO(pack.worker().content)) as archive:
        for path in PACKAGE.rglob("*.py"):
            assert archive.read(f"jetproof_worker/{path.relative_to(PACKAGE).as_posix()}") == path.read_bytes()


def test_the_collector_holds_all_that_it_imports() -> None:
    for name in pack.COLLECTOR:
        if name == "__main__.py":
            continue  # names the modes of the whole worker too, and imports each only when it is called
        for node in ast.walk(ast.parse((PACKAGE / name).read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("jetproof_worker"):
                wanted = [node.module.partition(".")[2]] if "." in node.module else [alias.name for alias in node.names]
                for one in wanted:
                    assert f"{one}.py" in pack.COLLECTOR or one == "RELEASE", f"{name} imports {one}"
