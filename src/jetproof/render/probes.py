"""The probes for a person: a list, and each probe's page, which is the docstring of its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jetproof.errors import UsageError
from jetproof_worker.probe import MIB, Probe


def probes(catalogue: Sequence[Probe]) -> str:
    """Return one line a probe."""
    width = max(len(probe.id) for probe in catalogue)
    lines = [f"{len(catalogue)} probes; jetproof probes ID shows a page"]
    lines += [f"  {probe.id:<{width}}  {probe.summary}" for probe in catalogue]
    return "\n".join(lines) + "\n"


def page(name: str, catalogue: Sequence[Probe]) -> str:
    """Return a probe's page. Raises `UsageError` for one that does not exist."""
    probe = _find(name, catalogue)
    lines = [f"{probe.id}: {probe.documentation}", "", "Parameters"]
    lines += [f"    {parameter}: {words}" for parameter, words in probe.params.items()]
    lines.append("    bounds: replaces the bound of a measurement, by its name")
    needs = ", ".join((("torch",) if probe.needs_torch else ()) + probe.packages) or "nothing beside Python"
    lines += ["", "Needs", f"    {needs}; up to {probe.memory // MIB} MiB and {probe.timeout:g} s"]
    if probe.exclusive:
        lines.append("    runs alone")
    return "\n".join(lines) + "\n"


def probes_json(catalogue: Sequence[Probe], name: str | None = None) -> dict[str, Any]:
    """Return the probes (or the one named) for machines."""
    chosen = catalogue if name is None else (_find(name, catalogue),)
    return {
        "schema": "jetproof/probes/1",
        "probes": [
            {
                "id": probe.id,
                "summary": probe.summary,
                "documentation": probe.documentation,
                "params": dict(probe.params),
                "packages": list(probe.packages),
                "needs_torch": probe.needs_torch,
                "timeout": probe.timeout,
                "memory_bytes": probe.memory,
                "exclusive": probe.exclusive,
            }
            for probe in chosen
        ],
    }


def _find(name: str, catalogue: Sequence[Probe]) -> Probe:
    wanted = name.removeprefix("probe::")
    found = next((probe for probe in catalogue if probe.id == wanted), None)
    if found is None:
        raise UsageError(
            f"there is no probe {name}", hint="jetproof probes lists those there are", reason="unknown-probe"
        )
    return found
