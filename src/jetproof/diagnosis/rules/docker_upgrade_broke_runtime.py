"""Containers no longer start after Docker or the runtime was upgraded on the host.

Why it matters
    L4T's kernels lack features that newer Docker releases ask for (iptables' raw table, nf_tables, clone3 in
    seccomp), so an ordinary `apt upgrade` can stop every container.

How it is decided
    The daemon or the container does not start at all, with messages about iptables, seccomp, clone3 or cgroups, mostly
    after an upgrade.

What to do
    Go back to the Docker release that worked and hold it, or switch iptables to its legacy backend.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Because, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD055",
    name="host-docker-upgrade-broke-runtime",
    root_cause="host-docker-upgrade-broke-runtime",
    layer=Layer.CONTAINER,
)

_TABLES = Expression(r"(?i)\b(?:ip_?tables?|nf_?tables)\b")
_UPGRADED = Expression(
    r"(?i)\b(?:after|since|following|upon)\b[^.\n]{0,60}\b(?:apt(?:-get)?(?: update| upgrade| dist-upgrade"
    r"|-get upgrade)?|upgrad\w{1,3}|updat\w{1,3})\b|\bdocker(?:-ce"
    r"|\.io)?(?:\s?\d{2}(?:\.\d{1,2}){0,2})?\b[^.\n]{0,40}\b(?:upgrad|updat)\w{1,3}|\bunattended[- ]upgrades?\b"
    r"|\bdocker(?:-ce|\.io)? (?:went|moved|jumped) (?:from \S{1,12} )?to \d"
    r"|\bupgraded (?:to )?docker|\bdocker(?:-ce)? (?:2[3-9]|[3-9]\d)\.\d"
)
_DOES_NOT_START = Expression(
    r"(?i)\b(?:container|docker|daemon)s?\b[^.\n]{0,40}\b(?:no longer|not|n't|fails? to|never"
    r"|refuses to)\b[^.\n]{0,20}\b(?:start|run|launch)|OCI runtime create failed|failed to create (?:shim|task)"
    r"|daemon is not running|Cannot connect to the Docker daemon|docker\.service: Failed"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an upgrade keeps containers from starting."""
    kernel, upgraded, dead = signed(facts, tables, ABOUT), hit(facts, _UPGRADED), hit(facts, _DOES_NOT_START)
    started = facts.container.started
    reasons: tuple[Because | None, ...] = tuple(found.because for found in (kernel, upgraded, dead) if found)
    if started.value is False:
        reasons = (*reasons, because(started))
    if kernel:
        yield _finding(reasons, LITERAL, Confidence.CERTAIN if upgraded else Confidence.LIKELY)
    elif tables_of_kernel := hit(facts, _TABLES):
        yield _finding((tables_of_kernel.because, *reasons), SHARED, Confidence.LIKELY)
    elif upgraded and (dead or started.value is False) and hit(facts, Expression(r"(?i)docker|container|podman")):
        yield _finding(reasons, SHARED, Confidence.LIKELY)


def _finding(reasons: tuple[Because | None, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "Containers do not start since Docker or its runtime was upgraded: the release asks L4T's kernel for "
        "what it lacks.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Go back to a release that this kernel serves, and hold it.",
                command="sudo apt-get install -y --allow-downgrades docker-ce=5:27.5* docker-ce-cli=5:27.5*\nsudo "
                "apt-mark hold docker-ce docker-ce-cli",
            ),
            Remedy(
                text="If the message names iptables, use its legacy backend.",
                command="sudo update-alternatives --set iptables /usr/sbin/iptables-legacy\nsudo update-alternatives "
                "--set ip6tables /usr/sbin/ip6tables-legacy\nsudo systemctl restart docker",
            ),
        ),
    )


RULE = ABOUT.rule(check)
