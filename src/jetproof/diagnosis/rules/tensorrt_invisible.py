"""TensorRT is installed and this environment does not see it.

Why it matters
    JetPack installs TensorRT's Python package for the system's interpreter. A venv without system packages, or
    another Python, has none, and the default index has no build for Jetson.

How it is decided
    The system has TensorRT, `import tensorrt` fails, and the interpreter is an environment that does not see system
    packages.

What to do
    Make the environment with --system-site-packages, on JetPack's own Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.remedies import matching_python
from jetproof.diagnosis.rule import SHARED, About, Because, Confidence, Finding, Layer, Severity, because
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables

ABOUT = About(id="JD102", name="tensorrt-invisible", root_cause="torch-ok-problem-elsewhere", layer=Layer.NEIGHBOURS)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a note when the environment hides JetPack's TensorRT."""
    trial = facts.torch.trial("import tensorrt")
    sees = facts.torch.sees_system_packages
    if trial is None or trial.outcome is not Outcome.FAILED or not facts.cuda.tensorrt.known or sees.value is not False:
        return
    yield ABOUT.finding(
        "TensorRT is installed, and this environment does not see it.",
        because=(
            because(facts.cuda.tensorrt),
            because(sees),
            Because(fact="import tensorrt", value=trial.message or "failed", read_from="trial: import tensorrt"),
        ),
        remedy=matching_python(facts, tables),
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        specificity=SHARED,
    )


RULE = ABOUT.rule(check)
