"""A table that one test goes through: every row is tried, and those that fail are named together."""

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, cast

import pytest

_LONGEST_NAME = 60


@contextmanager
def every_row() -> Generator[Callable[..., AbstractContextManager[None]]]:
    """Yield a block that tries one row under a name; fail once, with all rows that failed."""
    faults: list[str] = []
    tried = 0

    @contextmanager
    def row(*names: object) -> Generator[None]:
        nonlocal tried
        tried += 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            told = " ".join(str(error).split()) or "assertion failed"
            faults.append(f"{', '.join(map(_short, names))}: {type(error).__name__}: {told[:400]}")

    yield row
    assert tried, "the table has no rows"
    if faults:
        pytest.fail("\n".join([f"{len(faults)} of {tried} rows fail", *faults]), pytrace=False)


def each_row(names: str, rows: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make one test of a function and a table, where `pytest.mark.parametrize` makes one test per row.

    All rows share the fixtures of the test.

    Args:
        names: the parameters that a row fills, separated by commas.
        rows: the table; the keys of a mapping name its rows.
    """
    columns = [name.strip() for name in names.split(",")]
    cases = _cases(columns, rows)

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def run(*args: Any, **fixtures: Any) -> None:
            with every_row() as row:
                for name, values in cases:
                    with row(*name):
                        test(*args, **values, **fixtures)

        @wraps(test)
        async def run_async(*args: Any, **fixtures: Any) -> None:
            with every_row() as row:
                for name, values in cases:
                    with row(*name):
                        await test(*args, **values, **fixtures)

        looped: Any = run_async if inspect.iscoroutinefunction(test) else run
        signature = inspect.signature(test)
        fixtures = [given for name, given in signature.parameters.items() if name not in columns]
        assert len(fixtures) == len(signature.parameters) - len(columns), f"{names} are not all parameters"
        looped.__signature__ = signature.replace(parameters=fixtures)
        return looped

    return decorate


def _cases(columns: list[str], rows: Iterable[Any]) -> list[tuple[tuple[object, ...], dict[str, Any]]]:
    """Return the name of each row and the arguments that it fills."""
    by_name = cast(Mapping[object, Any], rows) if isinstance(rows, Mapping) else None
    cases: list[tuple[tuple[object, ...], dict[str, Any]]] = []
    for key in rows:
        row = key if by_name is None else by_name[key]
        values: tuple[Any, ...] = (row,) if len(columns) == 1 else tuple(row)
        cases.append((values if by_name is None else (key,), dict(zip(columns, values, strict=True))))
    return cases


def _short(name: object) -> str:
    text = repr(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"
