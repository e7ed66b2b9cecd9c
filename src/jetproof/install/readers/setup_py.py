"""
setup.py: a program that computes the metadata, which is never run here.

What is read
    The arguments of `setup()` that stand there as plain texts, to say what would probably happen.

What is not decided
    Everything: a program may do anything before and after. Whatever is found, the answer is UNDETERMINED.
"""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import Kind, LockedPackage, Project, Unknown, Where
from jetproof.install.readers.document import content, where_of
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.requirement import package

NAME = "setup.py"


def _tree(path: Path) -> ast.Module:
    text = content(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # foreign code may hold odd escapes
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{path}:{line}" if line else str(path)
        raise UsageError(f"{place}: not valid Python", hint="is it complete?", reason="not-python") from None


def _setup_call(tree: ast.Module) -> ast.Call | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if name == "setup":
                return node
    return None


def is_bare(path: Path) -> bool:
    """Whether a setup.py does nothing but call `setup()` without arguments."""
    body = [
        node
        for node in _tree(path).body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    bodies = [inner for node in body for inner in (node.body if isinstance(node, ast.If) else [node])]
    return len(bodies) == 1 and all(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and not node.value.args
        and not node.value.keywords
        for node in bodies
    )


def _literal(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def read(path: Path, root: Path) -> Project:
    """Read what stands in a setup.py as plain text."""
    call = _setup_call(_tree(path))
    file = where_of(path, root)
    arguments = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg} if call else {}
    node = arguments.get("install_requires")
    wanted = _literal(node)
    line = node.lineno if node else call.lineno if call else 1
    packages: list[LockedPackage] = []
    if isinstance(node, ast.List) and isinstance(wanted, list):
        for entry, element in zip(wanted, node.elts, strict=True):
            one = package(entry, Where(file=file, line=element.lineno)) if isinstance(entry, str) else None
            if isinstance(one, LockedPackage):
                packages.append(one)
    why = "a setup.py is a program: its dependencies are known only when it runs, and nothing of the project is run"
    python = _literal(arguments.get("python_requires"))
    name = _literal(arguments.get("name"))
    return Project(
        kind=Kind.SETUP_PY,
        path=str(path),
        name=name if isinstance(name, str) else None,
        requires_python=python if isinstance(python, str) else None,
        requires_python_where=Where(file=file, line=arguments["python_requires"].lineno)
        if "python_requires" in arguments
        else None,
        locked=False,
        packages=tuple(packages),
        computed=True,
        unknowns=(Unknown(what="the project's dependencies", why=why, where=Where(file=file, line=line)),),
    )


READER = Reader(kind=Kind.SETUP_PY, recognises=unshadowed(NAME), read=read)
