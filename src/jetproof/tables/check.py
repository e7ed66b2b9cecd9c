"""Strict checks of the tables' files: shapes, keys, sources, numbers, patterns. Not for run time: tests and scripts."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from jetproof.tables import Tables
from jetproof.tables.reading import document
from jetproof.tables.rows import (
    DetectionFact,
    Image,
    ImageGroup,
    IndexTorch,
    LookAlike,
    Module,
    Neighbour,
    OtherMachine,
    Package,
    QuantizationBuild,
    Release,
    RootCause,
    Signature,
    Soc,
    TorchBuild,
    Ubuntu,
)

_SHAPES: tuple[tuple[str, str, type, str], ...] = (
    ("releases", "rows", Release, "l4t"),
    ("modules", "rows", Module, "id"),
    ("torch_builds", "rows", TorchBuild, "id"),
    ("index_torch", "rows", IndexTorch, "python"),
    ("quantization", "rows", QuantizationBuild, "id"),
    ("failure_signatures", "rows", Signature, "id"),
    ("root_causes", "rows", RootCause, "id"),
    ("neighbours", "rows", Neighbour, "id"),
    ("packages", "rows", Package, "id"),
    ("socs", "rows", Soc, "soc"),
    ("ubuntu", "rows", Ubuntu, "ubuntu"),
    ("other_machines", "rows", OtherMachine, "id"),
    ("detection", "facts", DetectionFact, "id"),
    ("detection", "look_alikes", LookAlike, "id"),
    ("images", "rows", Image, "id"),
    ("images", "groups", ImageGroup, "id"),
)
_CONFIDENCE = {"documented", "community", "inferred"}
_VERDICTS = {"yes", "partly", "unproven", "no"}
_JETPACK = re.compile(r"\d\.\d(?:\.\d)?(?: (?:EA|DP|PRE|PRE-DP))?")
_SECONDS = 0.5
"""A pattern that needs longer on all hostile texts together is told."""
_HOSTILE = tuple(
    piece * 2000 for piece in ("a", " ", "a ", "torch ", "(", "\n", "error: ", "nvidia,", "0x", ".", "sm_")
)


def _unknown_members(kind: type, row: dict[str, Any]) -> set[str]:
    return set(row) - {field.name for field in fields(kind)}


def _shapes() -> Iterator[str]:
    """Every row against its dataclass, strictly, with no member left over."""
    for name, member, kind, key in _SHAPES:
        strict: TypeAdapter[Any] = TypeAdapter(with_config(ConfigDict(strict=True))(kind))
        rows = document(name)[member]
        for row in rows:
            place = f"{name}.{member} {row.get(key, '?')}"
            unknown = _unknown_members(kind, row)
            if unknown:
                yield f"{place}: unknown members {', '.join(sorted(unknown))}"
            try:
                strict.validate_json(json.dumps(row))
            except ValidationError as error:
                for fault in error.errors(include_url=False):
                    yield f"{place}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        for value, count in Counter(row.get(key) for row in rows).items():
            if count > 1:
                yield f"{name}.{member}: {value} stands {count} times"


def _sourced() -> Iterator[str]:
    for name, member, kind, key in _SHAPES:
        if kind in (RootCause, Neighbour):
            continue
        for row in document(name)[member]:
            place = f"{name}.{member} {row.get(key)}"
            if not row.get("sources"):
                yield f"{place}: no source"
            for source in row.get("sources", ()):
                if not source.get("title") or not re.match(r"(?:https://|pkg:)\S+$", source.get("url") or ""):
                    yield f"{place}: a source without title or address: {source}"
            if row.get("confidence") not in _CONFIDENCE:
                yield f"{place}: confidence {row.get('confidence')!r}"


def _modules(tables: Tables) -> Iterator[str]:
    parts = Counter(part for row in tables.modules for part in row.part_numbers)
    yield from (f"modules: part number {part} stands {count} times" for part, count in parts.items() if count > 1)
    socs = {row.soc for row in tables.socs}
    facts_of: dict[str, tuple[Any, ...]] = {}
    for row in tables.modules:
        place = f"modules {row.id}"
        for part in row.part_numbers:
            if not re.fullmatch(r"p\d{4}-\d{4}", part):
                yield f"{place}: part number {part!r} is not like p3701-0005"
        if not row.part_numbers:
            yield f"{place}: no part number"
        if row.soc not in socs:
            yield f"{place}: SoC {row.soc} is not in socs.json"
        if not re.fullmatch(r"\d{1,2}\.\d", row.compute_capability):
            yield f"{place}: compute capability {row.compute_capability!r}"
        if row.is_jetson != (row.family_name is not None):
            yield f"{place}: a Jetson has a family_name, nothing else has"
        same = facts_of.setdefault(row.name, (row.soc, row.cuda_cores, row.memory_gb, row.family_name))
        if same != (row.soc, row.cuda_cores, row.memory_gb, row.family_name):
            yield f"{place}: differs from another row that bears the name {row.name}"
        for entry in row.compatible_strings:
            if not re.fullmatch(r"[a-z0-9]+,[a-z0-9+-]+", entry):
                yield f"{place}: compatible entry {entry!r}"
    for soc in socs:
        if len({row.compute_capability for row in tables.modules if row.soc == soc}) != 1:
            yield f"modules: {soc} has not exactly one compute capability"


def _releases(tables: Tables) -> Iterator[str]:
    socs = {row.soc for row in tables.socs}
    ubuntu = {row.ubuntu: row for row in tables.ubuntu}
    for row in tables.releases:
        place = f"releases {row.l4t}"
        if not re.fullmatch(r"\d{2}\.\d{1,2}\.\d{1,2}", row.l4t):
            yield f"{place}: L4T has three numbers"
        elif int(row.l4t[:2]) != row.l4t_major:
            yield f"{place}: l4t_major is {row.l4t_major}"
        if row.jetpack is not None and not _JETPACK.fullmatch(row.jetpack):
            yield f"{place}: JetPack {row.jetpack!r}"
        if not set(row.socs) <= socs or not row.socs:
            yield f"{place}: SoCs {row.socs}"
        if row.ubuntu is not None and row.ubuntu not in ubuntu:
            yield f"{place}: Ubuntu {row.ubuntu} is not in ubuntu.json"
        elif row.ubuntu and row.python and ubuntu[row.ubuntu].python != row.python:
            yield f"{place}: Python {row.python} on Ubuntu {row.ubuntu}"
    for major in {row.l4t_major for row in tables.releases}:
        jetpacks = {row.jetpack[0] for row in tables.releases if row.l4t_major == major and row.jetpack}
        if len(jetpacks) > 1:
            yield f"releases: L4T {major} belongs to JetPack {' and '.join(sorted(jetpacks))}"


@cache
def _faults(pattern: str) -> tuple[str, ...]:
    """What is wrong with a pattern: it is to compile, not to match everything, and to stay fast on hostile text."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        return (str(error),)
    started = time.process_time()
    for text in _HOSTILE:
        compiled.search(text)
    found = ["matches the empty text"] if compiled.search("") else []
    if time.process_time() - started > _SECONDS:
        found.append("slow on hostile texts")
    return tuple(found)


def _pattern(place: str, pattern: str) -> Iterator[str]:
    return (f"{place}: {fault}" for fault in _faults(pattern))


def _patterns(tables: Tables) -> Iterator[str]:
    causes = {row.id for row in tables.root_causes}
    for signature in tables.signatures:
        place = f"failure_signatures {signature.id}"
        for pattern in (signature.signature_regex, *signature.also_seen):
            yield from _pattern(place, pattern)
        for cause in signature.root_causes:
            if cause not in causes:
                yield f"{place}: root cause {cause} is not in root_causes.json"
    for row in tables.other_machines:
        if row.id != "dgx-other":  # it means every text that does not name DGX Spark
            yield from _pattern(f"other_machines {row.id}", row.pattern)
    for root in tables.root_causes:
        if root.layer not in tables.layers:
            yield f"root_causes {root.id}: layer {root.layer}"
    judged = {row.id: row.works_on for row in tables.torch_builds}
    judged.update({row.id: row.works_on for row in tables.quantization})
    for name, works_on in judged.items():
        for key, verdict in works_on.items():
            if verdict.verdict not in _VERDICTS or not verdict.why:
                yield f"{name}: {key} says {verdict.verdict!r} without a reason or in other words"


def _images(tables: Tables) -> Iterator[str]:
    """Every container among the torch builds is an image, in a group that exists, under a name that is fixed."""
    containers = {row.id: row for row in tables.torch_builds if row.kind.endswith("container")}
    groups = {row.id for row in tables.image_groups}
    socs = {row.soc for row in tables.socs}
    yield from (f"images: {name} of torch_builds.json is missing" for name in containers if name not in _ids(tables))
    for row in tables.images:
        place = f"images {row.id}"
        if row.id not in containers:
            yield f"{place}: no container of torch_builds.json"
        elif row.tag is not None and f"{row.repository}:{row.tag}" not in containers[row.id].where:
            yield f"{place}: {row.repository}:{row.tag} is not what torch_builds.json names"
        if row.group not in groups:
            yield f"{place}: group {row.group}"
        if row.tag == "latest" or (row.tag is not None and row.repository is None):
            yield f"{place}: tag {row.tag}"
    for group in tables.image_groups:
        place = f"images group {group.id}"
        if not set(group.socs) <= socs:
            yield f"{place}: SoCs {group.socs}"
        for bound in (group.l4t_low, group.l4t_high):
            if not re.fullmatch(r"\d{2}(?:\.\d{1,2}){0,2}", bound):
                yield f"{place}: L4T {bound}"
        if group.driver not in ("csv", "toolkit"):
            yield f"{place}: driver {group.driver}"


def _ids(tables: Tables) -> frozenset[str]:
    return frozenset(row.id for row in tables.images)


def problems(tables: Tables, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return everything that is wrong with the tables; `names` are module names that must be known."""
    misshapen = tuple(_shapes())
    if misshapen:
        return misshapen  # nothing else can be read from rows that do not fit
    told = {row.name for row in tables.modules} | {row.family_name for row in tables.modules}
    unknown = (f"modules: no row bears the name {name}" for name in sorted(set(names) - told))
    return (
        *_sourced(),
        *_modules(tables),
        *_releases(tables),
        *_patterns(tables),
        *_images(tables),
        *unknown,
    )
