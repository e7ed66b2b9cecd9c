"""What the README shows is what the commands print: each line it quotes stands in the output, in that order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from jetproof.cli.main import main

ROOT = Path(__file__).parent.parent.parent
SHOWN = re.findall(r"```console\n\$ jetproof (.*)\n((?:.*\n)*?)```", (ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_readme_shows_the_four_things() -> None:
    assert [shlex.split(call)[0] for call, _ in SHOWN] == ["doctor", "audit", "run", "claims"]


@pytest.mark.process  # git is asked for the commit
@pytest.mark.parametrize(("call", "quoted"), SHOWN, ids=[call.split()[0] for call, _ in SHOWN])
def test_a_quoted_line_is_a_line_of_the_output(
    call: str, quoted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quote may leave lines out, and the end of a line where it says so by an ellipsis."""
    monkeypatch.chdir(ROOT)
    main(shlex.split(call))
    printed = iter(capsys.readouterr().out.splitlines())
    for line in quoted.splitlines():
        start = line.removesuffix("…").rstrip() if line.endswith("…") else None
        found = any(one.startswith(start) if start is not None else one.rstrip() == line for one in printed)
        assert found, f"not printed, or not in this place: {line}"
