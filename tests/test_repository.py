"""What must hold of the repository as a whole."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_run_requirements_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {line.strip() for line in (ROOT / "requirements/run.in").read_text().splitlines() if line[:1].isalpha()}
    assert wanted == set(project["dependencies"])


@pytest.mark.parametrize("name", ["run", "build", "dev"])
def test_every_pin_has_a_hash(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text()
    pins = re.findall(r"^([a-z0-9][a-z0-9._-]*)==", text, re.MULTILINE)
    assert pins
    for block in re.split(r"\n(?=[a-z0-9])", text):
        if re.match(r"[a-z0-9][a-z0-9._-]*==", block):
            assert "--hash=sha256:" in block, block.splitlines()[0]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_has_one_subject_and_says_so(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(text)), "a module says in one sentence what it is for"
    assert path.stem not in {"utils", "helpers", "common", "base", "manager"}


def test_only_one_file_starts_programs() -> None:
    starts = re.compile(
        r"\b(subprocess\.(Popen|run|call|check_\w+)|os\.(system|popen|exec\w+|spawn\w+|posix_spawn\w*))\("
    )
    found = {
        str(path.relative_to(ROOT / "src"))
        for path in SOURCES
        if any(starts.search(line) for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
    }
    assert found <= {"jetproof_worker/process.py"}


def test_no_module_is_imported_by_help() -> None:
    """The module of a command is named, not imported, so that --help stays cheap."""
    tree = ast.parse((ROOT / "src/jetproof/cli/commands.py").read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [getattr(node, "module", None) for node in imported] == ["__future__"]


def _documents() -> list[Path]:
    """Return the documents that people read here; fixtures and templates have their links elsewhere."""
    places = [ROOT / name for name in (".github", "docs", "examples", "benchmarks", "ci")]
    return sorted([*ROOT.glob("*.md"), *(page for place in places for page in place.rglob("*.md"))])


def _targets(text: str) -> list[str]:
    """Return what the links of a Markdown text lead to, code aside."""
    prose = re.sub(r"^(```|~~~).*?^\1|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", prose)


def _anchors(text: str) -> set[str]:
    """Return the anchors of the headings, as GitHub makes them."""
    headings = re.findall(
        r"^#{1,6} +(.*?) *#*$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.M
    )
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def test_links_and_anchors_are_found_as_they_are_written() -> None:
    assert _targets("[a](b.md#c) `[x](y)` ![i](<p.png>)\n```\n[no](no.md)\n```\n") == ["b.md#c", "p.png"]
    assert _anchors('# "2.8.0a0" is not 2.8\n## `doctor`, and more\n') == {"280a0-is-not-28", "doctor-and-more"}


def test_every_relative_link_leads_somewhere() -> None:
    lost = []
    for page in _documents():
        for target in _targets(page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            broken = not place.exists() or (
                anchor and place.suffix == ".md" and anchor not in _anchors(place.read_text(encoding="utf-8"))
            )
            if broken:
                lost.append(f"{page.relative_to(ROOT)}: {target}")
    assert not lost, "\n".join(lost)


def test_every_page_of_the_project_that_is_named_exists() -> None:
    """Findings, errors and pages name others by address or by path; both are to be found."""
    named = re.compile(r"jetproof/jetproof/blob/main/([\w./-]+\.md)|(?<![\w./-])(docs/[\w./-]+\.md)")
    lost = []
    for source in [
        *SOURCES,
        *_documents(),
        *sorted((ROOT / "scripts").iterdir()),
        *(ROOT / "benchmarks").rglob("*.py"),
    ]:
        if not source.is_file() or "scaffold" in source.parts or source.is_relative_to(ROOT / "examples"):
            continue  # those pages are the host's
        for address, path in named.findall(source.read_text(encoding="utf-8")):
            if not (ROOT / (address or path)).is_file():
                lost.append(f"{source.relative_to(ROOT)}: {address or path}")
    assert not lost, "\n".join(lost)


def test_every_page_is_reached_from_the_index() -> None:
    docs = ROOT / "docs"
    left, reached = [docs / "index.md"], set()
    while left:
        page = left.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in _targets(page.read_text(encoding="utf-8")):
            place = (page.parent / target.partition("#")[0]).resolve()
            if place.suffix == ".md" and place.is_relative_to(docs) and place.is_file():
                left.append(place)
    assert sorted(str(page.relative_to(docs)) for page in set(docs.rglob("*.md")) - reached) == []
