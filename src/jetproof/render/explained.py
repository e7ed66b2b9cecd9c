"""An explanation for a terminal: the diagnosis, then what was taken from the report and what it lacks."""

from __future__ import annotations

from jetproof.diagnosis.as_json import missing
from jetproof.diagnosis.engine import Diagnosis
from jetproof.facts.model import Facts
from jetproof.render import diagnosis as render
from jetproof.render.facts import every_fact, value_text
from jetproof.render.style import PLAIN, Style, printable


def told(diagnosis: Diagnosis, facts: Facts, style: Style = PLAIN) -> str:
    """Return the diagnosis and the facts that the report gave, each with its place."""
    lines = []
    for fact in every_fact(facts):
        if fact.known or fact.absent:
            value = printable(value_text(fact)).replace("\n", " ")
            lines.append(f"  {fact.name.ljust(30)} {value[:100]}   {style('from ' + printable(fact.read_from), 'dim')}")
    if lines:
        lines = ["", style("taken from the report", "bold"), *lines]
    lacking = missing(diagnosis, facts)
    if lacking:
        lines += ["", f"{style('not in the report', 'bold')}: {', '.join(lacking)}"]
    return render.told(diagnosis, facts, style) + "".join(f"{line}\n" for line in lines)
