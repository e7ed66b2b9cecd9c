"""A report for a person, and as the body of an issue. All in it has passed the report's list of allowed forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jetproof.qualify.runtime_report import Report

_NOTE = (
    "Nothing here proves support. No serial numbers, names, addresses or paths are in it; look it through all the same."
)


def answer(report: Report) -> str:
    """Return the report in one line."""
    body = report.body
    where = body["machine"].get("module") or body["machine"].get("platform_class") or "a machine that is not known"
    release = body["machine"].get("jetpack")
    place = where + (f", JetPack {release}" if release and release[0].isdigit() else "")
    if body["about"] == "machine":
        return f"{place}: {body['verdict']}"
    state = "green" if body["green"] else "not green" if body["finished"] else "not finished"
    return f"{body['gate'] or 'a gate'} on {place}: {state}"


def text(report: Report) -> str:
    """Return the report as plain text."""
    lines = [answer(report)]
    lines += [f"  {name}: {_shown(value)}" for name, value in _rows(report.body)]
    lines += [f"  {_item(item)}" for item in report.body.get("items", ())]
    lines += [f"  cause: {cause['rule']} {cause['name']} ({cause['confidence']})" for cause in report.body["causes"]]
    if report.withheld:
        lines.append(f"  withheld: {', '.join(report.withheld)}")
    return "\n".join(lines) + "\n"


def markdown(report: Report) -> str:
    """Return the report as the body of an issue."""
    lines = [f"**{answer(report)}**", "", _NOTE, "", "| | |", "|---|---|"]
    lines += [f"| {name} | `{_shown(value)}` |" for name, value in _rows(report.body)]
    items = report.body.get("items", ())
    if items:
        lines += ["", "| item | outcome | reason | |", "|---|---|---|---|"]
        for item in items:
            more = "; ".join(_measured(one) for one in item.get("measurements", ()))
            tests = "; ".join(f"{one['id']}: {one['outcome']}" for one in item.get("tests", ()))
            told = "; ".join(part for part in (item.get("signal", ""), more, tests) if part)
            lines.append(
                f"| `{item['id']}` | {item['outcome']} | {item['reason'] or ''} | {'`' + told + '`' if told else ''} |"
            )
    if report.body["causes"]:
        lines += ["", "Recognised:", ""]
        lines += [
            f"- [{one['rule']} {one['name']}]({one['url']}), {one['confidence']}" for one in report.body["causes"]
        ]
    if report.withheld:
        lines += ["", f"Withheld, since they had not the form that is published: {', '.join(report.withheld)}."]
    return "\n".join(lines) + "\n"


def _rows(body: Mapping[str, Any]) -> list[tuple[str, Any]]:
    named = [
        (name, body[name])
        for name in (
            "verdict",
            "gate",
            "green",
            "proves",
            "finished",
            "tier",
            "commit",
            "jetproof",
            "origin",
            "bitsandbytes",
        )
        if body.get(name) is not None
    ]
    if body.get("objections"):
        named.append(("objections", body["objections"]))
    return [*named, *sorted(body["machine"].items())]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _item(item: Mapping[str, Any]) -> str:
    more = ", ".join(_measured(one) for one in item.get("measurements", ()))
    why = ", ".join(part for part in (item["reason"], item.get("signal")) if part)
    return f"{item['outcome']:5} {item['id']} ({why}) {more}".rstrip()


def _measured(one: Mapping[str, Any]) -> str:
    bound = "" if one["bound"] is None else f" (bound {one['bound']:g})"
    return f"{one['name']} {one['value']:g}{one['unit']}{bound}"
