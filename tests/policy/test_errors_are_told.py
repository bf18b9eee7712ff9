"""Every error is documented and has an exit code."""

import ast
from functools import cache

import remembrancer
from remembrancer import errors
from remembrancer.errors import RemembrancerError
from remembrancer.problems import ERRORS
from tests.policy.sources import REPOSITORY, modules
from tests.rows import every_row

PAGE = REPOSITORY / "docs/reference/errors.md"


def error_classes() -> list[type[BaseException]]:
    found = (value for value in vars(errors).values() if isinstance(value, type))
    return [value for value in found if issubclass(value, BaseException) and value.__module__ == errors.__name__]


def raised_names() -> set[str]:
    """Return the names of the classes that some module raises."""
    calls = (node.exc for one in modules().values() for node in ast.walk(one.tree) if isinstance(node, ast.Raise))
    return {call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}


@cache
def concrete() -> list[type[RemembrancerError]]:
    """Return the errors that a caller may meet: raised somewhere, or without a subclass."""
    raised = raised_names()
    known = [one for one in error_classes() if issubclass(one, RemembrancerError)]
    return [one for one in known if one.__name__ in raised or not one.__subclasses__()]


def test_an_error_is_a_remembrancer_error_with_a_docstring_and_is_exported() -> None:
    with every_row() as row:
        for error in error_classes():
            with row(error.__name__):
                assert issubclass(error, RemembrancerError)
                assert (error.__doc__ or "").strip()
                assert isinstance(error.retryable, bool)
                assert getattr(remembrancer, error.__name__) is error


def test_every_error_stands_in_the_tree_at_the_top_of_its_module() -> None:
    tree = (errors.__doc__ or "").split()
    assert [error.__name__ for error in error_classes() if error.__name__ not in tree] == []


def test_every_concrete_error_is_in_the_table_of_errors() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.lstrip().startswith("|")]
    names = [error.__name__ for error in concrete()]
    assert [name for name in names if not any(f"`{name}`" in row for row in rows)] == []


def test_the_table_of_errors_names_only_errors_that_exist() -> None:
    known = {error.__name__ for error in error_classes()}
    cells = [
        line.split("|")[1].strip() for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    assert [cell for cell in cells if cell.strip("`") not in known] == []


def test_every_concrete_error_has_an_exit_code_above_zero() -> None:
    assert [error.__name__ for error in concrete() if error not in ERRORS or ERRORS[error].exit_code <= 0] == []
