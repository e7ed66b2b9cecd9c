"""Another copy of torch hides one that was made for this board.

Why it matters
    Python takes the first copy on its path: an environment's or ~/.local's before the system's. `pip list` shows one
    of them, which may be the other interpreter's.

How it is decided
    Two copies of torch on the site paths of one interpreter, the hidden one with CUDA or of another release.

What to do
    Remove the copy that is first, or keep one on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import reported
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import SHARED, About, Because, Confidence, Finding, Layer, Remedy, Severity
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD078", name="torch-shadowed", root_cause="torch-replaced-by-resolver", layer=Layer.TORCH_BUILD)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when torch stands on the path more than once."""
    copies = [held for held in facts.torch.installs if held.name == "torch"]
    active = next((held for held in copies if held.active), None)
    hidden = [held for held in copies if not held.active]
    if active is None or not hidden or reported(facts):
        return
    reasons = tuple(
        Because(fact="torch" if held.active else "torch (hidden)", value=held.release, read_from=held.location)
        for held in (active, *hidden)
    )
    works = facts.torch.available.value is True
    yield ABOUT.finding(
        f"{len(copies)} copies of torch are on the path; {active.release} hides "
        f"{', '.join(held.release for held in hidden)}.",
        because=reasons,
        remedy=(
            Remedy(
                text="See which one is imported.",
                command=f"{python_command(facts)} -c 'import torch; print(torch.__file__, torch.__version__, "
                "torch.version.cuda)'",
            ),
            Remedy(
                text="Remove the copy that is first, if the hidden one is the board's.",
                command=f"{python_command(facts)} -m pip uninstall torch",
            ),
        ),
        severity=Severity.WARNING if not works else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        specificity=SHARED,
    )


RULE = ABOUT.rule(check)
