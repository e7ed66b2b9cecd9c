"""Settings of a project by which uv would write to places of the project's choice instead of ours: refused."""

from __future__ import annotations

from pathlib import Path

from jetproof.errors import Refused
from jetproof.install.readers.document import content, table, toml

_REDIRECT = ("target", "prefix", "output-file", "system", "break-system-packages", "python")


def refuse_other_places(folder: Path) -> None:
    """Raise Refused when the settings that uv finds from a folder on upwards name another place to write to."""
    for place in (folder, *folder.parents):
        for name in ("uv.toml", "pyproject.toml"):
            path = place / name
            if not path.is_file():
                continue
            settings = table(toml(path, content(path)), str(path))
            if name == "pyproject.toml":
                tool = table(settings.get("tool"), f"{path}: tool")
                if "uv" not in tool:
                    continue
                settings = table(tool["uv"], f"{path}: tool.uv")
            found = [key for key in _REDIRECT if key in table(settings.get("pip"), f"{path}: pip")]
            if found:
                raise Refused(
                    f"{path} tells uv to write elsewhere, by its pip setting {found[0]!r}; nothing was changed",
                    hint="take that setting out; jetproof install has --venv and --python for it",
                    reason="uv-redirected",
                )
            return
