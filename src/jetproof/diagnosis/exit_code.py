"""How a command that ran a diagnosis ends."""

from __future__ import annotations

from jetproof.diagnosis.engine import Diagnosis, Verdict, blocks
from jetproof.errors import ExitCode


def exit_code(diagnosis: Diagnosis) -> ExitCode:
    """Return NO for a blocking finding, UNDECIDED where nothing is shown either way, else OK."""
    if any(blocks(finding) for finding in diagnosis.findings):
        return ExitCode.NO
    return ExitCode.UNDECIDED if diagnosis.verdict is Verdict.UNDECIDED else ExitCode.OK


def explained(diagnosis: Diagnosis) -> ExitCode:
    """Return OK where a cause was named, UNDECIDED where the text was not recognised."""
    return ExitCode.OK if diagnosis.findings else ExitCode.UNDECIDED
