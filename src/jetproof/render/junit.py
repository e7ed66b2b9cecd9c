"""A gate as JUnit XML in the xunit2 dialect: one case a probe, one a test, and never a skip that looks like nothing.

What did not run is an error, not a skip: readers of JUnit count a skipped case as no trouble.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from jetproof.qualify.outcome import Attempt, ItemResult, Outcome, Verdict

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(verdict: Verdict, properties: dict[str, str]) -> str:
    """Return the report. `properties` name what was tested: commit, plan, device class."""
    cases = [case for item in verdict.items for case in _cases(item)]
    cases += [_objection(f"{entry.reason}-{number}", entry.message) for number, entry in enumerate(verdict.objections)]
    if not verdict.green and not any(
        case.find("failure") is not None or case.find("error") is not None for case in cases
    ):
        cases.append(_objection("not-green", "the gate is not green"))
    suite = ElementTree.Element(
        "testsuite",
        name=f"jetproof.{verdict.gate}",
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors=str(sum(case.find("error") is not None for case in cases)),
        skipped="0",
        time=f"{sum(float(case.get('time', '0')) for case in cases):.3f}",
    )
    listed = ElementTree.SubElement(suite, "properties")
    for name, value in {**properties, "jetproof.green": str(verdict.green).lower()}.items():
        ElementTree.SubElement(listed, "property", name=name, value=_clean(value))
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    # ASCII with character references: valid under whatever encoding a reader assumes
    body: bytes = ElementTree.tostring(root, encoding="us-ascii")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + body.decode("ascii") + "\n"


def _cases(item: ItemResult) -> Iterator[ElementTree.Element]:
    last = item.last
    case = ElementTree.Element(
        "testcase", classname="jetproof." + item.id.partition("::")[0], name=_clean(item.id), time=_seconds(last)
    )
    _mark(case, item.outcome, item.reason, item.message)
    for attempt in item.attempts[:-1]:
        kind = "flakyError" if item.outcome is Outcome.FLAKY else "rerunError"
        again = ElementTree.SubElement(case, kind, message=_clean(attempt.message), type=_clean(attempt.reason))
        again.text = f"attempt {attempt.number}"
    if last is not None and (last.stderr or last.traceback):
        ElementTree.SubElement(case, "system-err").text = _clean("\n".join(filter(None, [last.traceback, last.stderr])))
    yield case
    for test in last.tests if last is not None else ():
        path, _, name = test.id.partition("::")
        inner = ElementTree.Element(
            "testcase", classname=_clean(path), name=_clean(name or path), time=f"{test.seconds:.3f}"
        )
        _mark(inner, test.outcome, test.reason, test.message)
        yield inner


def _mark(case: ElementTree.Element, outcome: Outcome, reason: str, message: str) -> None:
    if outcome is Outcome.PASS:
        return
    tag = "failure" if outcome in (Outcome.FAIL, Outcome.FLAKY) else "error"
    mark = ElementTree.SubElement(case, tag, message=_clean(message or reason), type=_clean(reason))
    mark.text = f"{outcome.value}: {_clean(reason)}"


def _objection(name: str, message: str) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="jetproof.run", name=_clean(name), time="0.000")
    _mark(case, Outcome.ERROR, name, message)
    return case


def _seconds(attempt: Attempt | None) -> str:
    return f"{attempt.seconds if attempt is not None else 0.0:.3f}"


def _clean(text: str) -> str:
    """Return the text with characters shown that XML cannot hold."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
