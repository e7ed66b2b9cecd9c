"""What a diagnosis means for the exit status of `doctor`."""

from __future__ import annotations

from jetproof.diagnosis.engine import Diagnosis, Verdict
from jetproof.diagnosis.rule import Severity
from jetproof.errors import ExitCode


def exit_code(diagnosis: Diagnosis) -> ExitCode:
    """Return 1 only for a blocking finding, 4 when nothing was decided, else 0."""
    if any(finding.severity is Severity.BLOCKING for finding in diagnosis.findings):
        return ExitCode.NO
    if diagnosis.verdict is Verdict.UNDECIDED:
        return ExitCode.UNDECIDED
    return ExitCode.OK
