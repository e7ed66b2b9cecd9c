"""What a container engine's refusal means: its own reason code, and the finding that the doctor has for such words."""

from __future__ import annotations

import re

from jetproof.diagnosis.engine import diagnose
from jetproof.diagnosis.rule import Finding
from jetproof.errors import Undecided
from jetproof.facts.report import facts as facts_of
from jetproof.tables import Tables

_KINDS: tuple[tuple[str, str], ...] = (
    (
        r"(?i)unknown (?:or invalid )?runtime(?: name| specified)?\W{1,3}nvidia|runtime\W{1,3}nvidia\W{1,3}not found",
        "engine-unknown-runtime",
    ),
    (r"could not select device driver", "engine-no-device-driver"),
    (r"invoking the NVIDIA Container Runtime Hook directly .{0,80}is not supported", "engine-csv-refused"),
    (r"(?i)exec format error", "engine-exec-format"),
    (r"(?i)unsatisfied condition|requirements? (?:error|not met)", "engine-l4t-mismatch"),
    (r"(?i)unresolvable CDI devices|failed to inject CDI", "engine-no-cdi-device"),
    (r"(?i)mount error: .{0,200}(?:file exists|no such file)", "engine-csv-mount"),
    (r"(?i)no such image|unable to find image|image not known", "engine-no-such-image"),
    (
        r"(?i)cannot connect to the docker daemon|denied while trying to connect|is the docker daemon running",
        "engine-unreachable",
    ),
    (
        r"(?i)executable file .{0,200}not found|no such file or directory: unknown|a command that was not found",
        "engine-no-such-program",
    ),
)
_HINTS = {
    "engine-no-such-image": "pull it by its digest: docker pull NAME@sha256:…",
    "engine-unreachable": "sudo systemctl start docker; sudo usermod -aG docker $USER, then log in again",
    "engine-no-such-program": "--python names another interpreter of the image",
    "engine-no-cdi-device": "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml (nvidia-container-toolkit)",
    "engine-no-device-driver": "use the NVIDIA runtime (--gpu runtime) or CDI (--gpu cdi)",
}


def kind(stderr: str) -> str | None:
    """Return the reason code of an engine's refusal; None when these are not such words."""
    return next((reason for pattern, reason in _KINDS if re.search(pattern, stderr)), None)


def findings(stderr: str, tables: Tables) -> tuple[Finding, ...]:
    """Return what the doctor's rules find in an engine's words."""
    return diagnose(facts_of(stderr, tables), tables).findings


def told(stderr: str, tables: Tables) -> Undecided:
    """Return the error for an engine that did not start a container."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip() and "--help" not in line]
    last = lines[-1][:500] if lines else "it said nothing"
    found = findings(stderr, tables)
    reason = kind(stderr) or "engine-failed"
    hint = _HINTS.get(reason)
    if "default OCI runtime" in stderr:  # podman, which needs no such runtime
        hint = "use CDI: --gpu cdi"
    if found:
        remedy = found[0].remedy[0] if found[0].remedy else None
        hint = hint or (remedy.command or remedy.text if remedy is not None else None)
        return Undecided(f"{found[0].message} ({found[0].rule}; the engine said: {last})", hint=hint, reason=reason)
    return Undecided(f"the container was not started: {last}", hint=hint, reason=reason)
