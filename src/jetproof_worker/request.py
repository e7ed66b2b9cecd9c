"""What `serve` is asked to run: the request, checked field by field before anything is started."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from jetproof_worker import catalogue
from jetproof_worker.probe import GIB

MAX_ITEMS = 1000
MAX_EXPECTED = 100_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_RESOLVER = re.compile(_NAME.pattern + ":" + _NAME.pattern)
_STEERING = ("LD_", "PYTHON", "PYTEST_", "JETPROOF_")
"""Beginnings of environment names that could change what is run."""


class BadRequest(ValueError):
    """A request that is not what it should be; the message names the field."""


@dataclass(frozen=True)
class PytestSelection:
    """A host's own tests: where they are and which ids must pass."""

    root: str
    args: Tuple[str, ...]
    expected: Tuple[str, ...]
    expected_at_least: Optional[int]
    allow_plugins: Tuple[str, ...]
    side_folder: Optional[str]
    collect_only: bool


@dataclass(frozen=True)
class Item:
    """One planned item: a probe or a pytest selection, with its limits."""

    id: str
    timeout: float
    exclusive: bool
    memory: int
    seed: int
    weight: float
    needs_torch: bool
    """Whether it is forked from the process that holds the one import of torch."""
    compiler: bool = False
    """Whether its imports bring torch._dynamo."""
    probe: Optional[str] = None
    params: Mapping[str, Any] = field(default_factory=dict)
    pytest: Optional[PytestSelection] = None


@dataclass(frozen=True)
class Request:
    """All that one run of the worker is to do."""

    nonce: str
    items: Tuple[Item, ...]
    parallel: Optional[int]
    """None: by cores and free memory."""
    mode: str
    import_timeout: float
    environment: Mapping[str, str]
    resolver: Optional[str]
    project_root: Optional[str]
    project_paths: Tuple[str, ...]
    grace: float


def parse(request: Mapping[str, Any]) -> Request:
    """Check a request and return it typed. Raises `BadRequest`."""
    items = _list(request, "items")
    if not 1 <= len(items) <= MAX_ITEMS:
        raise BadRequest("items: 1 to %d are wanted, not %d" % (MAX_ITEMS, len(items)))
    parsed = tuple(_item(item, "items[%d]" % index) for index, item in enumerate(items))
    if len({item.id for item in parsed}) != len(parsed):
        raise BadRequest("items: an id stands twice")
    nonce = _text(request, "nonce")
    if not 1 <= len(nonce) <= 128:
        raise BadRequest("nonce: 1 to 128 characters are wanted")
    mode = request.get("mode", "auto")
    if mode not in ("auto", "spawn"):
        raise BadRequest("mode: auto or spawn is wanted, not %r" % (mode,))
    resolver = _optional_text(request, "resolver")
    if resolver is not None and not _RESOLVER.fullmatch(resolver):
        raise BadRequest("resolver: pkg.module:function is wanted, not %r" % resolver)
    root = _optional_text(request, "project_root")
    if root is not None and not os.path.isabs(root):
        raise BadRequest("project_root: an absolute path is wanted, not %r" % root)
    paths = tuple(_texts(request, "project_paths", ["src", "."]))
    if any(os.path.isabs(path) or ".." in path.split("/") for path in paths):
        raise BadRequest("project_paths: folders inside the project are wanted")
    return Request(
        nonce=nonce,
        items=parsed,
        parallel=_parallel(request.get("parallel", "auto")),
        mode=mode,
        import_timeout=_number(request, "import_timeout", 300.0, 0.01, 86400),
        environment=_environment({} if request.get("python_env") is None else request["python_env"]),
        resolver=resolver,
        project_root=root,
        project_paths=paths,
        grace=_number(request, "grace", 0.5, 0, 60),
    )


def _item(item: Any, where: str) -> Item:
    if not isinstance(item, dict):
        raise BadRequest("%s: an object is wanted" % where)
    if ("probe" in item) == ("pytest" in item):
        raise BadRequest("%s: one of probe and pytest is wanted" % where)
    id_ = _text(item, "id", where)
    if not 1 <= len(id_) <= 512:
        raise BadRequest("%s.id: 1 to 512 characters are wanted" % where)
    seed = item.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
        raise BadRequest("%s.seed: a whole number from 0 to 2^63-1 is wanted" % where)
    if "pytest" in item:
        selection = _pytest(item["pytest"], where + ".pytest")
        return Item(
            id=id_,
            timeout=_number(item, "timeout", 600.0, 0.01, 86400, where),
            exclusive=_flag(item, "exclusive", False, where),
            memory=int(_number(item, "memory", 2 * GIB, 0, 1 << 50, where)),
            seed=seed,
            weight=10.0,  # a torch import of its own, then the host's tests: always among the longest
            needs_torch=False,
            pytest=selection,
        )
    name = _text(item, "probe", where)
    probe = catalogue.find(name)
    if probe is None:
        raise BadRequest("%s.probe: there is no probe %r" % (where, name))
    params = {} if item.get("params") is None else item["params"]
    if not isinstance(params, dict):
        raise BadRequest("%s.params: an object is wanted" % where)
    unknown = sorted(set(params) - set(probe.params) - {"bounds"})
    if unknown:
        raise BadRequest("%s.params: %s takes no %s" % (where, name, ", ".join(map(repr, unknown))))
    bounds = params.get("bounds", {})
    if not isinstance(bounds, dict) or not all(_is_number(bound) for bound in bounds.values()):
        raise BadRequest("%s.params.bounds: an object of numbers is wanted" % where)
    return Item(
        id=id_,
        timeout=_number(item, "timeout", probe.timeout, 0.01, 86400, where),
        exclusive=_flag(item, "exclusive", probe.exclusive, where),
        memory=int(_number(item, "memory", probe.memory, 0, 1 << 50, where)),
        seed=seed,
        weight=probe.weight,
        needs_torch=probe.needs_torch,
        compiler=probe.compiler,
        probe=name,
        params=params,
    )


def _pytest(selection: Any, where: str) -> PytestSelection:
    if not isinstance(selection, dict):
        raise BadRequest("%s: an object is wanted" % where)
    root = _text(selection, "root", where)
    if not os.path.isabs(root):
        raise BadRequest("%s.root: an absolute path is wanted, not %r" % (where, root))
    args = _texts(selection, "args", [], where)
    for arg in args:
        if arg.startswith(("-", "@")) or os.path.isabs(arg) or ".." in arg.split("::")[0].split("/"):
            raise BadRequest("%s.args: paths and test ids inside the root are wanted, not %r" % (where, arg))
    expected = _texts(selection, "expected", [], where)
    if len(set(expected)) != len(expected) or len(expected) > MAX_EXPECTED:
        raise BadRequest("%s.expected: at most %d test ids, each once, are wanted" % (where, MAX_EXPECTED))
    floor = selection.get("expected_at_least")
    if floor is not None and (isinstance(floor, bool) or not isinstance(floor, int) or floor < 1):
        raise BadRequest("%s.expected_at_least: a whole number above 0 is wanted" % where)
    collect_only = _flag(selection, "collect_only", False, where)
    if not collect_only and bool(expected) == (floor is not None):
        raise BadRequest("%s: one of expected and expected_at_least is wanted" % where)
    plugins = _texts(selection, "allow_plugins", [], where)
    if not all(_NAME.fullmatch(plugin) for plugin in plugins):
        raise BadRequest("%s.allow_plugins: names of modules are wanted" % where)
    side = _optional_text(selection, "side_folder", where)
    if side is not None and not os.path.isabs(side):
        raise BadRequest("%s.side_folder: an absolute path is wanted, not %r" % (where, side))
    return PytestSelection(root, tuple(args), tuple(expected), floor, tuple(plugins), side, collect_only)


def _environment(given: Any) -> Dict[str, str]:
    if not isinstance(given, dict):
        raise BadRequest("python_env: an object is wanted")
    for name, value in given.items():
        if not isinstance(value, str) or "\0" in value or "\0" in name or "=" in name or not name:
            raise BadRequest("python_env.%s: a name and a text are wanted" % name)
        if name.startswith(_STEERING):
            raise BadRequest("python_env.%s: such a variable could change what is run" % name)
    return given


def _parallel(value: Any) -> Optional[int]:
    if value == "auto":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 256:
        raise BadRequest('parallel: "auto" or a whole number from 1 to 256 is wanted, not %r' % (value,))
    return value


def _place(where: str, name: str) -> str:
    return "%s.%s" % (where, name) if where else name


def _text(source: Mapping[str, Any], name: str, where: str = "") -> str:
    value = source.get(name)
    if not isinstance(value, str) or "\0" in value:
        raise BadRequest("%s: a text is wanted" % _place(where, name))
    return value


def _optional_text(source: Mapping[str, Any], name: str, where: str = "") -> Optional[str]:
    return None if source.get(name) is None else _text(source, name, where)


def _list(source: Mapping[str, Any], name: str, where: str = "") -> "list[Any]":
    value = source.get(name)
    if not isinstance(value, list):
        raise BadRequest("%s: a list is wanted" % _place(where, name))
    return value


def _texts(source: Mapping[str, Any], name: str, default: "list[str]", where: str = "") -> "list[str]":
    if source.get(name) is None:
        return default
    values = _list(source, name, where)
    if not all(isinstance(value, str) and "\0" not in value for value in values):
        raise BadRequest("%s: a list of texts is wanted" % _place(where, name))
    return values


def _flag(source: Mapping[str, Any], name: str, default: bool, where: str) -> bool:
    value = source.get(name, default)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise BadRequest("%s: true or false is wanted" % _place(where, name))
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - NaN


def _number(
    source: Mapping[str, Any], name: str, default: Union[int, float], least: float, most: float, where: str = ""
) -> float:
    value = source.get(name)
    if value is None:
        return default
    if not _is_number(value) or not least <= value <= most:
        raise BadRequest("%s: a number from %s to %s is wanted" % (_place(where, name), least, most))
    return float(value)
