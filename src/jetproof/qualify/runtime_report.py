"""A report that can be published: what the board is and what a run did, by a list of what may be said and its form.

Free text (messages, output, tracebacks, paths) never enters. Instead the causes that jetproof recognises in it are
named by their rules. What has not the form that its field allows is withheld, and that is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jetproof.diagnosis.engine import Diagnosis, diagnose
from jetproof.diagnosis.rule import Severity
from jetproof.facts.report import facts as facts_of_text
from jetproof.tables import Tables

SCHEMA = "jetproof/report/1"

_RELEASE = r"\d{1,4}(?:\.\d{1,6}){0,3}"
_BUILD = (
    r"\d{1,4}(?:\.\d{1,6}){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)*"
    r"(?:\+(?:cpu|cu\d{2,4}|nv[\d.]{2,24}|[0-9a-f]{6,40}(?:\.nv[\d.]{2,24})?))?"
)
"""A release with the local parts that vendors give; another one may name a person's machine."""
_FLAG = r"true|false"
_PLATFORM: Mapping[str, str] = {
    "is_jetson": _FLAG,
    "platform_class": r"[a-z0-9-]{1,30}",
    "module_part_number": r"p\d{4}-\d{4}",
    "carrier": r"p\d{4}-\d{4}",
    "soc": r"tegra\d{2,4}",
    "compute_capability": r"\d{1,2}\.\d",
    "l4t": _RELEASE,
    "jetpack": r"\d{1,2}(?:\.\d{1,2}){0,3}(?: DP)?",
    "kernel": r"\d+\.\d+\.\d+(?:-tegra|-rt-tegra)?",
    "arch": r"aarch64|x86_64|armv7l",
    "os": r"(?:Ubuntu|Debian GNU/Linux) [\d.]+(?: LTS)?(?: \([a-z]+\))?",
    "in_container": _FLAG,
    "cuda.driver": _RELEASE,
    "cuda.toolkit": _RELEASE,
    "cuda.nvcc": _RELEASE,
    "cuda.cudnn": _RELEASE,
    "cuda.tensorrt": _RELEASE,
    "cuda.power_mode": r"(?:MODE_)?[A-Z0-9_]{1,20}",
    "python": r"\d\.\d{1,2}\.\d{1,3}",
    "python.in_venv": _FLAG,
    "torch.__version__": _BUILD,
    "torch.version.cuda": _RELEASE,
    "torch.cuda.is_available": _FLAG,
    "torch.cuda.get_device_name": r"Orin|Xavier|NVIDIA (?:Tegra [A-Z0-9]{1,6}|Thor|Jetson [A-Za-z0-9 ]{1,30})",
    "torch.cuda.get_device_capability": r"\d{1,2}\.\d",
    "torch.cudnn_found": _RELEASE,
    "torchvision": _BUILD,
    "torchaudio": _BUILD,
    "numpy": _BUILD,
    "bitsandbytes": _BUILD,
    "transformers": _BUILD,
    "triton": _BUILD,
}
"""Facts that may be published, and the form that each must have."""
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ITEM = re.compile(r"(?:probe|pytest)::[a-z0-9]+(?:-[a-z0-9]+)*")
_TEST = re.compile(r"\w[\w./-]{0,200}\.py(?:::[\w\[\].,=+-]{1,200}){1,4}")
_MEASURED = re.compile(r"[A-Za-z0-9 _,()-]{1,60}")
_SIGNAL = re.compile(r"SIG[A-Z]{2,10}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Report:
    """What is published; `as_json` holds nothing else."""

    body: Mapping[str, Any]
    withheld: tuple[str, ...]
    """Names of fields whose value had not the form that is allowed."""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of schema jetproof/report/1."""
        return {"schema": SCHEMA, **self.body, "withheld": list(self.withheld)}


def of_machine(told: Mapping[str, Any], diagnosis: Diagnosis, tables: Tables) -> Report:
    """Return the report of a machine from its facts as `qualify.machine` tells them."""
    withheld: list[str] = []
    machine = _machine(told, tables, withheld)
    return Report(
        body={
            "about": "machine",
            "origin": _word(told.get("origin")),
            "machine": machine,
            "verdict": diagnosis.verdict.value,
            "causes": _causes(diagnosis),
        },
        withheld=tuple(withheld),
    )


def of_run(record: Mapping[str, Any], tables: Tables) -> Report:
    """Return the report of a run from its record, also of a run that failed or was cut."""
    withheld: list[str] = []
    told = _table(record.get("machine"))
    source, journal = _table(record.get("source")), _table(record.get("journal"))
    commit = source.get("commit")
    body: dict[str, Any] = {
        "about": "run",
        "origin": _word(record.get("origin")),
        "gate": _word(record.get("gate")),
        "green": record.get("green") is True,
        "proves": record.get("proves") is True,
        "finished": journal.get("finished") is True,
        "objections": [
            word for one in _rows(record.get("objections")) if (word := _word(one.get("reason"))) is not None
        ],
        "tier": _word(_table(record.get("tier")).get("id")),
        "commit": commit if isinstance(commit, str) and _COMMIT.fullmatch(commit) else None,
        "jetproof": _formed(_table(record.get("tool")).get("release"), _BUILD),
        "machine": _machine(told, tables, withheld),
        "counts": {
            name: value
            for name, value in _table(record.get("counts")).items()
            if name in ("planned", "pass", "fail", "error", "miss", "flaky") and isinstance(value, int)
        },
        "items": [item for one in _rows(record.get("items")) if (item := _item(one, withheld)) is not None],
        "bitsandbytes": _word(_table(record.get("bitsandbytes")).get("status")),
    }
    text = "\n".join(_texts(record))
    body["causes"] = _causes(diagnose(facts_of_text(text, tables), tables)) if text.strip() else []
    return Report(body=body, withheld=tuple(dict.fromkeys(withheld)))


def _machine(told: Mapping[str, Any], tables: Tables, withheld: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, form in _PLATFORM.items():
        fact = _table(told.get(name))
        if fact.get("state") == "known":
            value = _formed(fact.get("value"), form)
            if value is None:
                withheld.append(name)
            else:
                found[name] = value
        elif fact:
            found[name] = (
                f"unknown ({_word(fact.get('reason')) or 'no reason'})" if fact.get("state") == "unknown" else "absent"
            )
    module = _table(told.get("module"))
    if module.get("state") == "known":
        # a module is named by a row of the tables or not at all
        if any(row.name == module.get("value") for row in tables.modules):
            found["module"] = module["value"]
        else:
            withheld.append("module")
    total = _table(told.get("memory.total")).get("value")
    if isinstance(total, int) and 0 < total < 1 << 50:
        found["memory"] = f"{round(total / _GIB)} GiB"
    arches = _table(told.get("torch.arch_list")).get("value")
    if isinstance(arches, list) and arches:
        found["torch.arch_list"] = [
            arch for arch in arches[:40] if isinstance(arch, str) and re.fullmatch(r"\w{1,12}", arch)
        ]
    return found


def _item(one: Mapping[str, Any], withheld: list[str]) -> dict[str, Any] | None:
    name = one.get("id")
    if not isinstance(name, str) or not _ITEM.fullmatch(name):
        withheld.append("item")
        return None
    attempts = _rows(one.get("attempts"))
    last = attempts[-1] if attempts else {}
    found: dict[str, Any] = {
        "id": name,
        "outcome": one.get("outcome") if one.get("outcome") in ("PASS", "FAIL", "ERROR", "MISS", "FLAKY") else None,
        "reason": _word(one.get("reason")),
        "attempts": len(attempts),
    }
    signal = last.get("signal")
    if isinstance(signal, str) and _SIGNAL.fullmatch(signal):
        found["signal"] = signal
    if found["outcome"] != "PASS":
        found["measurements"] = [
            {
                "name": measured["name"],
                "value": measured["value"],
                "bound": measured.get("bound") if isinstance(measured.get("bound"), int | float) else None,
                "unit": measured["unit"] if re.fullmatch(r"[A-Za-z/%]{0,8}", str(measured.get("unit"))) else "",
            }
            for measured in _rows(last.get("measurements"))
            if isinstance(measured.get("value"), int | float)
            and isinstance(measured.get("name"), str)
            and _MEASURED.fullmatch(measured["name"])
        ]
        found["tests"] = [
            {"id": test["id"], "outcome": _word(str(test.get("outcome")).lower()), "reason": _word(test.get("reason"))}
            for test in _rows(last.get("tests"))
            if test.get("outcome") != "PASS" and isinstance(test.get("id"), str) and _TEST.fullmatch(test["id"])
        ]
    return found


def _causes(diagnosis: Diagnosis) -> list[dict[str, str]]:
    """Return the causes by rule: their words are jetproof's own, their reasons are not published."""
    return [
        {"rule": finding.rule, "name": finding.name, "confidence": finding.confidence.value, "url": finding.url}
        for finding in diagnosis.findings
        if finding.severity is not Severity.NOTE
    ]


def _texts(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what failed attempts said; it is read here and goes no further."""
    for one in _rows(record.get("items")):
        if one.get("outcome") != "PASS":
            for attempt in _rows(one.get("attempts")):
                for name in ("message", "stderr", "traceback", "kernel"):
                    value = attempt.get(name)
                    if isinstance(value, str):
                        yield value[:20000]


def _formed(value: object, form: str) -> str | None:
    text = str(value).lower() if isinstance(value, bool) else value
    return text if isinstance(text, str) and re.fullmatch(form, text) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= 64 and _WORD.fullmatch(value) else None


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _rows(value: object) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
