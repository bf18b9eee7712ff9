"""The package's modules, each parsed and read once per process."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import remembrancer

ROOT = Path(remembrancer.__file__).parent
REPOSITORY = ROOT.parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module's text and tree.

    Args:
        imports: the modules that it imports, and `module.name` for each name that it imports from one.
        names: every name and dotted name that it uses or imports.
    """

    text: str
    tree: ast.Module
    imports: frozenset[str]
    names: frozenset[str]


@cache
def modules() -> Mapping[str, Module]:
    """Return every module by its path within the package."""
    return {file.relative_to(ROOT).as_posix(): _read(file) for file in sorted(ROOT.rglob("*.py"))}


def _read(file: Path) -> Module:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imports, names = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name() | ast.Attribute():
                names.add(_dotted(node))
            case ast.Import():
                imports.update(alias.name for alias in node.names)
            case ast.ImportFrom(level=0):
                imports.update((node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)))
                names.update(alias.name for alias in node.names)
            case _:
                pass
    return Module(text=text, tree=tree, imports=frozenset(imports), names=frozenset(names | imports))


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Attribute():
            return f"{_dotted(node.value)}.{node.attr}"
        case ast.Name():
            return node.id
        case _:
            return ""
