"""The runtime is right, and its list of host files for containers is missing or incomplete.

Why it matters
    On L4T the nvidia runtime mounts what /etc/nvidia-container-runtime/host-files-for-container.d/*.csv lists. Without
    the lists a container of the right release still misses CUDA libraries that the host has.

How it is decided
    No csv lists on the host; or runtime given, image and host of one group, and libraries missing inside that the
    host has.

What to do
    Install the packages that bring the lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reason, signature
from jetproof.diagnosis.known import host_groups, in_container, jetpack_major, l4t_group
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Remedy,
    Severity,
    because,
)
from jetproof.diagnosis.sonames import missing_libraries
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD052", name="container-runtime-csv-missing", root_cause="container-runtime-csv-missing", layer=Layer.CONTAINER
)

_LISTS = Expression(
    r"(?i)(?:host-files-for-container\.d|\b(?:cuda|cudnn|tensorrt|l4t|devices|drivers)\.csv|csv (?:files?"
    r"|lists?))[^\n]{0,80}(?:No such file|empty|missing|not there|absent"
    r"|not found|(?:is|was|are|were) gone|removed|not exist|total 0|lacks?|only"
    r"|without)"
    r"|(?:no|missing|without|lost|lacks?|empty)\b[^.\n]{0,30}(?:csv (?:files?|lists?)|\*\.csv|\w{2,10}\.csv)"
    r"|skipping[^\n]{0,30}csv"
)
_NODE = Expression(r"mount error: stat failed: /dev/\S{1,40}|mount error: file creation failed: \S{1,300}: file exists")
_NOT_MOUNTED = Expression(
    r"(?i)\b(?:missing|absent|not there|not found|nowhere) (?:from|in|inside) (?:the |my )?container|\b(?:not"
    r"|n't|never) (?:being )?(?:properly )?mount(?:ed|ing)?\b"
)
_HOST_HAS = Expression(
    r"(?i)\b(?:exists?|present|there|found|have|has)\b[^.\n]{0,40}\bon (?:the )?host\b|\bhost (?:has|have"
    r"|does have)\b|\bon (?:the )?host\b[^.\n]{0,60}\b(?:exists?|present|there|are|is)\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when the mount lists are the reason."""
    if facts.platform.is_jetson.value is False or jetpack_major(facts) == 7:
        return
    lists = facts.container.csv_lists
    told = hit(facts, _LISTS)
    runtime = facts.container.runtime.value or ""
    given = "nvidia" in runtime.lower() and "not" not in runtime.lower()
    if told:
        yield _finding(
            (told.because, because(facts.container.runtime) if runtime else None), LITERAL, Confidence.LIKELY
        )
        return
    library = next((found.because for found in missing_libraries(facts)), None) or reason(facts, _NOT_MOUNTED)
    image = l4t_group(facts.container.image_l4t.value or "")
    agree = image is not None and image in host_groups(facts, tables)
    host = hit(facts, _HOST_HAS)
    if given and library and in_container(facts) and (agree or host):
        yield _finding(
            (library, because(facts.container.runtime), host),
            LITERAL if agree else SHARED,
            Confidence.LIKELY,
        )
        return
    if (lists.absent or lists.value == ()) and facts.container.engine.known and not in_container(facts):
        yield _finding((because(lists),), SHARED, Confidence.POSSIBLE, Severity.WARNING)
    node = hit(facts, _NODE) or signature(facts, tables, "nvidiactl-mount")
    if node:
        yield _finding((node.because,), SHARED, Confidence.LIKELY)


def _finding(
    reasons: tuple[Reason, ...],
    specificity: int,
    confidence: Confidence,
    severity: Severity = Severity.BLOCKING,
) -> Finding:
    return ABOUT.finding(
        "The runtime's lists of host files for containers do not fit: missing, incomplete or of another release.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        severity=severity,
        remedy=(
            Remedy(
                text="See which lists there are.",
                command="ls -l /etc/nvidia-container-runtime/host-files-for-container.d/",
            ),
            Remedy(
                text="Install what brings them (JetPack 4: one package a part; later: nvidia-container).",
                command="sudo apt-get update && sudo apt-get install -y --reinstall nvidia-container "
                "nvidia-container-toolkit\nsudo systemctl restart docker",
            ),
        ),
        missing=("container.csv_lists",),
    )


RULE = ABOUT.rule(check)
