"""The user may not open the GPU's device nodes.

Why it matters
    /dev/nvmap, /dev/nvhost-* and, from JetPack 6, /dev/dri/renderD* belong to the groups video and render. Without
    them CUDA answers "no CUDA-capable device" (100) or "operation not supported" (801), as if the driver were broken.

How it is decided
    A node that the user may not open; groups without video (from JetPack 6 also render); "Permission denied" on a node;
    or it works as root and not as the user, or only while somebody is logged in at the display.

What to do
    Add the user to the groups and log in again; in containers pass the groups on.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import TOLD, hit, reported, signature, signed
from jetproof.diagnosis.known import jetpack_major
from jetproof.diagnosis.remedies import groups
from jetproof.diagnosis.rule import LITERAL, SHARED, SYMPTOM, About, Because, Confidence, Finding, Layer, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import DeviceNode, Facts
from jetproof.tables import Tables

ABOUT = About(id="JD040", name="user-not-in-video-group", root_cause="user-not-in-video-group", layer=Layer.ACCESS)

_NEEDED = Expression(
    r"/dev/(?:nvmap|nvhost-(?:ctrl|ctrl-gpu|gpu|as-gpu)|nvgpu/igpu0/(?:ctrl|as|channel|tsg)|nvidia0|nvidiactl)"
)
_NEEDED_FROM_6 = Expression(_NEEDED.pattern + r"|/dev/dri/renderD\d{3}")
_ROOT_WORKS = Expression(
    r"(?i)\b(?:works?|fine|ok|succeeds?|worked|detected|runs?|visible|available|True)\b[^.\n]{0,40}\b(?:as root"
    r"|with sudo|under sudo|using sudo|as superuser|for root|when root|\(root\))|\b(?:root"
    r"|sudo)\b[^.\n]{0,30}\b(?:works?|fine|is ok|succeeds?|sees|can (?:use|see)"
    r"|(?:gives|returns|prints|says|is|it's) True)\b"
    r"|\bnon-?root\b|\bas (?:a |an |the )?(?:normal|regular|unprivileged|ordinary|other|service) user\b"
    r"|\buser other than root\b|\bnot as (?:the )?(?:my )?user\b|\bunless (?:I |it )?(?:runs? )?(?:as )?(?:root"
    r"|sudo)\b|\bonly (?:as|with|under) (?:root|sudo)\b"
)
_SEAT = Expression(
    r"(?i)\blogged in\b[^.\n]{0,40}\b(?:display|desktop|monitor|console|screen|GUI|locally)|\b(?:over|via"
    r"|through) SSH\b[^.\n]{0,60}\b(?:fails?|not|no GPU|denied|False)|\bafter (?:someone |somebody )?log(?:s|ging"
    r"|ged)? in (?:at|on|to) the (?:display|desktop|console)|\bno monitor\b"
)
_USER_MADE = Expression(
    r"(?i)\buseradd\b|\badduser\b|(?-i:\bUSER \w)|--user[ =]\d|(?-i:\bUser=\w)|\bid -nG\b"
    r"|\b(?:docker|podman|nerdctl)\b[^\n]{0,300} (?:--user[ =]\S|-u ?\d)|\b(?:not"
    r"|n't)\b[^.\n]{0,20}\bin (?:the )?(?:group )?['\"`]?(?:video|render)\b|\bvideo group\b|\brender group\b"
    r"|group ['\"`]?(?:video|render)\b|\busermod\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when the user's groups keep CUDA from the device."""
    if facts.platform.is_jetson.value is False or facts.permissions.is_root.value:
        return
    denied = signed(facts, tables, ABOUT)
    if denied:
        yield _finding(facts, (denied.because, *_groups(facts)), LITERAL, Confidence.CERTAIN)
        return
    closed = _closed(facts)
    if closed:
        node = Because(fact=closed.path, value=f"{closed.mode} {closed.owner}:{closed.group}", read_from=closed.path)
        yield _finding(facts, (node, *_groups(facts)), LITERAL, Confidence.CERTAIN)
        return
    lacking = _groups(facts)
    if lacking and reported(facts) and facts.torch.available.value is not True:
        yield _finding(facts, lacking, SHARED, Confidence.LIKELY)
        return
    root, seat = hit(facts, _ROOT_WORKS), hit(facts, _SEAT)
    code = signature(facts, tables, "no-cuda-device", "error-801-not-supported", "nvrm-channel") or hit(
        facts, Expression(r"(?i)NvRm\w{2,40} failed|no CUDA-capable device")
    )
    made = hit(facts, _USER_MADE)
    blind = code or facts.torch.available.value is False
    told = tuple(found.because for found in (root, seat, made, code) if found)
    if (
        (root or seat)
        and (
            code
            or made
            or (root and seat)
            or facts.torch.available.value is False
            or hit(facts, Expression(r"(?i)GPU|CUDA|801|100"), *TOLD)
        )
    ) or (made and blind):
        yield _finding(facts, told, LITERAL, Confidence.LIKELY)
    elif code:
        yield _finding(facts, told, SYMPTOM, Confidence.POSSIBLE)


def _closed(facts: Facts) -> DeviceNode | None:
    """Return a node that CUDA needs and that the user may not open; others are root's on a healthy board too."""
    if facts.torch.available.value is True:
        return None
    needed = _NEEDED if jetpack_major(facts) in (4, 5) else _NEEDED_FROM_6
    return next(
        (node for node in facts.permissions.nodes if node.usable is False and needed.fullmatch(node.path)), None
    )


def _groups(facts: Facts) -> tuple[Because, ...]:
    held = facts.permissions.groups
    if held.value is None:
        return ()
    major = jetpack_major(facts)
    wanted = ("video", "render") if major is None or major >= 6 else ("video",)
    lacking = [name for name in wanted if name not in held.value]
    if "video" in held.value and major is None:
        return ()
    return (because(held, " ".join(held.value) + f" (lacks {' and '.join(lacking)})"),) if lacking else ()


def _finding(facts: Facts, reasons: tuple[Because, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "The user may not open the GPU's device nodes: it is not in the groups that own them.",
        because=reasons,
        remedy=groups(facts),
        specificity=specificity,
        confidence=confidence,
        missing=() if facts.permissions.groups.known else ("user.groups",),
    )


RULE = ABOUT.rule(check)
