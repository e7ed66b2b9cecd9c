"""A pip OpenCV hides JetPack's own, or has no CUDA.

Why it matters
    opencv-python from the default index has neither CUDA nor GStreamer, and stands before JetPack's build on the path.

How it is decided
    The cv2 that the interpreter imports says that it has no CUDA, and a pip OpenCV is installed.

What to do
    Remove the pip package; JetPack's build is then found (in a venv only with system packages).
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import SHARED, About, Because, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD101", name="opencv-without-cuda", root_cause="sibling-wheel-no-cuda", layer=Layer.NEIGHBOURS)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a note when a pip OpenCV without CUDA is what cv2 means."""
    if facts.cuda.opencv_cuda.value is not False or facts.platform.is_jetson.value is False:
        return
    pip_copies = [held for held in facts.torch.installs if held.name.startswith("opencv-") and held.active]
    if pip_copies:
        yield ABOUT.finding(
            f"{pip_copies[0].name} {pip_copies[0].release} has no CUDA and hides JetPack's OpenCV.",
            because=(
                because(facts.cuda.opencv_cuda),
                Because(fact=pip_copies[0].name, value=pip_copies[0].release, read_from=pip_copies[0].location),
            ),
            remedy=(
                Remedy(
                    text="Remove it; JetPack's OpenCV is then imported.",
                    command=f"{python_command(facts)} -m pip uninstall -y {' '.join(held.name for held in pip_copies)}",
                ),
            ),
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            specificity=SHARED,
        )


RULE = ABOUT.rule(check)
