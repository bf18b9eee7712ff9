"""Writes `sync.pyi`, the types of `SyncMemory`, from the source of `Memory` and its resources.

Run it as `python -m tests.policy.sync_stub` after a change of a public signature; a policy test says when.
"""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from remembrancer import sync
from remembrancer.operations import RESOURCES
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.resource import SubResource
from remembrancer.sync import ASYNC_ONLY, SYNC_RESOURCES

STUB = Path(sync.__file__ or "").with_suffix(".pyi")
_HEADER = '"""The types of `sync.py`; made by tests/policy/sync_stub.py, do not edit."""\n'
_PRIVATE = frozenset({"__init__", "__enter__", "__exit__", "_enter", "_open"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A parsed module.

    Args:
        names: where each name of the module comes from, as the line that imports it.
    """

    tree: ast.Module
    names: Mapping[str, str]


def stub() -> str:
    """Return the text of the stub, formatted."""
    imports = {"from collections.abc import Generator", "from anyio.from_thread import BlockingPortal"}
    classes = [
        _rendered("class SyncConversation:", [*_own("SyncConversation", imports), *_mirrored(Conversation, imports)]),
        _rendered("class SyncResource:", ["memory: SyncMemory", "def __init__(self, memory: SyncMemory) -> None: ..."]),
    ]
    for path, kind in reversed(SYNC_RESOURCES.items()):
        classes.append(_rendered(f"class {kind.__name__}(SyncResource):", _mirrored(RESOURCES[path], imports)))
    # Defined by hand or mirrored: what sync.py defines itself comes first.
    own = _own("SyncMemory", imports)
    defined = {line.partition("(")[0] for line in own}
    mirrored = [one for one in _mirrored(RESOURCES[""], imports) if one.partition("(")[0] not in defined]
    classes.append(_rendered("class SyncMemory:", [*own, *mirrored]))
    classes.append("SYNC_RESOURCES: dict[str, type[SyncResource]]\nASYNC_ONLY: frozenset[str]")
    return _formatted("\n".join([_HEADER, *sorted(imports), *classes]))


def _rendered(head: str, members: list[str]) -> str:
    body = "\n".join(members) or "..."
    return f"{head}\n" + "\n".join(f"    {line}" for line in body.splitlines())


def _own(name: str, imports: set[str]) -> list[str]:
    """Return the members that a class of sync.py defines itself."""
    source = _source(sync.__name__)
    functions = [one for one in _functions(source, name) if one.name in _PRIVATE or not one.name.startswith("_")]
    names = {"SyncConversation": ["session: str"], "SyncMemory": ["_portal: BlockingPortal"]}[name]
    return [*names, *(_function(one, source, imports) for one in functions)]


def _mirrored(original: type, imports: set[str]) -> list[str]:
    """Return the members of a class as they are without `await`."""
    source = _source(original.__module__)
    resources = [
        f"@property\ndef {name}(self) -> Sync{cast('SubResource[Any]', member).cls.__name__}: ..."
        for name, member in vars(original).items()
        if isinstance(member, SubResource)
    ]
    functions = [one for one in _functions(source, original.__name__) if not one.name.startswith("_")]
    overloaded = {one.name for one in functions if _has(one, "overload")}
    return [
        *resources,
        *(
            _function(one, source, imports)
            for one in functions
            if one.name not in ASYNC_ONLY and (one.name not in overloaded or _has(one, "overload"))
        ),
    ]


def _functions(source: Source, name: str) -> list[Function]:
    (found,) = (one for one in source.tree.body if isinstance(one, ast.ClassDef) and one.name == name)
    return [one for one in found.body if isinstance(one, Function)]


def _has(function: Function, decorator: str) -> bool:
    return any(ast.unparse(one) == decorator for one in function.decorator_list)


def _function(function: Function, source: Source, imports: set[str]) -> str:
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None and argument.annotation is not None:
            argument.annotation = _annotation(argument.annotation)
            imports.update(_imported(argument.annotation, source))
    arguments.defaults = [_default(one) for one in arguments.defaults]
    arguments.kw_defaults = [None if one is None else _default(one) for one in arguments.kw_defaults]
    returns = _annotation(function.returns or ast.Constant(None))
    if isinstance(returns, ast.Subscript) and ast.unparse(returns.value) == "AsyncGenerator":
        piece = returns.slice.elts[0] if isinstance(returns.slice, ast.Tuple) else returns.slice
        returns = ast.parse(f"Generator[{ast.unparse(piece)}, None, None]", mode="eval").body
    imports.update(_imported(returns, source))
    decorators = [f"@{name}\n" for name in ("property", "overload") if _has(function, name)]
    if "@overload\n" in decorators:
        imports.add("from typing import overload")
    signature = f"def {function.name}({ast.unparse(arguments)}) -> {ast.unparse(returns)}:"
    summary = (ast.get_docstring(function) or "").split("\n\n")[0]
    text = "\n    ".join(line.strip() for line in summary.splitlines())
    body = f'\n    """{text}"""' if text else " ..."
    return f"{''.join(decorators)}{signature}{body}"


def _annotation(node: ast.expr) -> ast.expr:
    """Return an annotation without the quotes of names that are only there for type checkers."""

    class Unquoted(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.expr:
            return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node

        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)

    return Unquoted().visit(node)


def _default(node: ast.expr) -> ast.expr:
    """Return a default as the stub has it: a literal, or `...`."""
    literal = isinstance(node, ast.Constant) or (isinstance(node, ast.Tuple) and not node.elts)
    return node if literal else ast.Constant(...)


def _imported(annotation: ast.expr, source: Source) -> Iterator[str]:
    """Yield the lines that import the names in an annotation."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id in source.names:
            yield source.names[node.id]


@cache
def _source(module: str) -> Source:
    tree = ast.parse(inspect.getsource(import_module(module)))
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {_known_as(one): f"from {node.module} import {_alias(one)}" for one in node.names}
        elif isinstance(node, ast.Import):
            names |= {_known_as(one): f"import {_alias(one)}" for one in node.names}
    for node in tree.body:
        defined = [node.name] if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.Assign):
            defined += [one.id for one in node.targets if isinstance(one, ast.Name)]
        names |= {} if module == sync.__name__ else {name: f"from {module} import {name}" for name in defined}
    return Source(tree=tree, names=names)


def _known_as(alias: ast.alias) -> str:
    return alias.asname or alias.name


def _alias(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _formatted(text: str) -> str:
    ruff = str(Path(sys.executable).with_name("ruff"))
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [ruff, *command, "--stdin-filename", str(STUB), "-"], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
