"""What the scripts beside this share: files that are made from the code are written, or with --check only compared."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def write_or_check(wanted: Mapping[Path, str], *folders: Path) -> int:
    """Bring the files up to date and return 0; with --check change nothing, and return 1 when one is not current.

    All Markdown pages in `folders` are to be wanted ones: those that are left over go, too.
    """
    left = [page for folder in folders for page in sorted(folder.glob("*.md")) if page not in wanted]
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in (*stale, *left):
            print(f"{path.relative_to(ROOT)} is not current: make pages", file=sys.stderr)
        return int(bool(stale or left))
    for path in left:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    print(f"{Path(sys.argv[0]).name}: {len(wanted)} files, {len(stale)} written, {len(left)} removed")
    return 0
