"""Where a text says something: a rule's own signatures, the wordings of a row, and a hit as a reason."""

from __future__ import annotations

import dataclasses

from jetproof.diagnosis.evidence import exact, hit, signature, signed
from jetproof.diagnosis.rule import About, Because, Layer
from jetproof.facts.expression import Expression
from jetproof.facts.fact import absent, known, unknown
from jetproof.facts.report import facts
from jetproof.tables import load

TABLES = load()
CUDNN = About(id="JD000", name="x", root_cause="cudnn-abi-mismatch", layer=Layer.TORCH_LIBRARIES)


def test_a_rule_asks_for_the_signatures_of_its_own_cause_alone() -> None:
    report = facts("CUDNN_STATUS_VERSION_MISMATCH", TABLES)
    assert signed(report, TABLES, CUDNN)
    assert signed(report, TABLES, dataclasses.replace(CUDNN, root_cause="static-tls-preload")) is None
    shared = facts("NvMapMemAllocInternalTagged: error 12", TABLES)
    for cause in ("unified-memory-oom", "l4t-nvmap-regression"):  # the row has both causes, so neither owns it
        assert signed(shared, TABLES, dataclasses.replace(CUDNN, root_cause=cause)) is None


def test_what_programs_print_is_looked_for_before_other_wordings() -> None:
    row = next(row for row in TABLES.signatures if row.id == "static-tls")
    report = facts("no STATIC TLS space\n\nlibgomp.so.1: cannot allocate memory in static TLS block", TABLES)
    found = signature(report, TABLES, row.id)
    assert found is not None
    assert found.because.read_from == "line 3"
    assert exact(facts("no STATIC TLS space", TABLES), row) is None
    assert signature(facts("no STATIC TLS space", TABLES), TABLES, row.id)


def test_reasons_are_facts_hits_or_nothing_and_each_is_told_once() -> None:
    found = hit(facts("Illegal instruction", TABLES), Expression("Illegal"))
    torch = known("torch", "2.5.0", "here")
    told = CUDNN.finding("x", because=(None, torch, torch, unknown("numpy"), absent("cuda", "there"), found)).because
    assert told == (
        Because(fact="torch", value="2.5.0", read_from="here"),
        Because(fact="prose", value="Illegal instruction", read_from="line 1"),
    )


def test_an_error_that_does_not_come_is_no_hit_and_the_one_after_it_is() -> None:
    pattern = Expression(r"(?i)error 801|lib\w+\.so")
    for text in ("it starts (no error 801 here)", "runs without any error 801"):
        assert hit(facts({"symptom": text}, TABLES), pattern) is None
    found = hit(facts({"symptom": "no error 801 as root\nand error 801 as the user"}, TABLES), pattern)
    assert found is not None
    assert found.because.value == "and error 801 as the user"
    assert hit(facts({"symptom": "there is no libcudart.so"}, TABLES), pattern) is not None
