"""Every error is documented and has an exit code."""

import ast
import importlib
from pathlib import Path

import pytest

import remembrancer
from remembrancer import errors
from remembrancer.errors import RemembrancerError

SOURCES = Path(remembrancer.__file__).parent
REPOSITORY = SOURCES.parents[1]


def error_classes() -> list[type[BaseException]]:
    found = (value for value in vars(errors).values() if isinstance(value, type))
    return [value for value in found if issubclass(value, BaseException) and value.__module__ == errors.__name__]


def raised_names() -> set[str]:
    """Names of the classes that some module raises."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in SOURCES.rglob("*.py"))
    calls = (node.exc for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}


def concrete() -> list[type[BaseException]]:
    """Those that a caller may meet: raised somewhere, or without a more special one."""
    raised = raised_names()
    return [one for one in error_classes() if one.__name__ in raised or not one.__subclasses__()]


CONCRETE = concrete()


@pytest.mark.parametrize("error", error_classes(), ids=lambda error: error.__name__)
def test_an_error_is_a_remembrancer_error_with_a_docstring_and_is_exported(error: type[BaseException]) -> None:
    assert issubclass(error, RemembrancerError)
    assert (error.__doc__ or "").strip()
    assert isinstance(error.retryable, bool)
    assert getattr(remembrancer, error.__name__) is error


def test_every_error_stands_in_the_tree_at_the_top_of_its_module() -> None:
    tree = (errors.__doc__ or "").split()
    assert [error.__name__ for error in error_classes() if error.__name__ not in tree] == []


@pytest.mark.parametrize("error", CONCRETE, ids=lambda error: error.__name__)
def test_a_concrete_error_stands_in_the_table_of_errors(error: type[BaseException]) -> None:
    page = (REPOSITORY / "docs/reference/errors.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.lstrip().startswith("|")]
    assert any(f"`{error.__name__}`" in row for row in rows)


def test_the_table_of_errors_names_no_error_that_is_gone() -> None:
    page = (REPOSITORY / "docs/reference/errors.md").read_text(encoding="utf-8")
    known = {error.__name__ for error in error_classes()}
    cells = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| `")]
    assert [cell for cell in cells if cell.strip("`") not in known] == []


@pytest.mark.parametrize("error", CONCRETE, ids=lambda error: error.__name__)
def test_a_concrete_error_has_an_exit_code_above_zero(error: type[BaseException]) -> None:
    codes: dict[type, int] = importlib.import_module("remembrancer.cli.errors").EXIT_CODES
    assert codes[error] > 0
