"""Remarks as SARIF 2.1.0, which code-scanning services read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from jetproof.render.notice import Notice
from jetproof.render.style import printable

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(notices: Iterable[Notice], *, release: str, command: str) -> str:
    """Return the remarks of one command as a SARIF log. `release` is jetproof's own number."""
    listed = list(notices)
    rules: dict[str, dict[str, Any]] = {}
    for notice in listed:
        rules.setdefault(notice.rule, _rule(notice))
    places = {rule: place for place, rule in enumerate(rules)}
    body = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "jetproof",
                        "semanticVersion": release,
                        "informationUri": "https://github.com/jetproof/jetproof",
                        "rules": list(rules.values()),
                    }
                },
                "automationDetails": {"id": f"jetproof/{command}/"},
                "columnKind": "utf16CodeUnits",
                "results": [_result(notice, places[notice.rule]) for notice in listed],
            }
        ],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _rule(notice: Notice) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": notice.rule,
        "name": "".join(word.capitalize() for word in notice.name.split("-")),
        "shortDescription": {"text": notice.name.replace("-", " ")},
    }
    if notice.url:
        rule["helpUri"] = notice.url
    return rule


def _result(notice: Notice, place: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "artifactLocation": {"uri": quote(notice.path.lstrip("/")), "uriBaseId": "%SRCROOT%"},
    }
    # a result without a line is not shown by GitHub
    region: dict[str, int] = {"startLine": notice.line or 1}
    if notice.column:
        region["startColumn"] = notice.column
    location["region"] = region
    # the line number is left out, so that a remark stays the same when the file grows above it
    identity = hashlib.sha256("\0".join((notice.rule, notice.path, notice.message)).encode()).hexdigest()
    return {
        "ruleId": notice.rule,
        "ruleIndex": place,
        "level": notice.level.value,
        "message": {"text": printable(notice.message)},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"jetproof/v1": identity[:32]},
    }
