"""A table that one test goes through: every row is tried, and those that fail are named together."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

import pytest


@contextmanager
def every_row() -> Generator[Callable[..., AbstractContextManager[None]]]:
    """A block that tries rows, each in a block of its own that takes its name, and fails once with all that failed."""
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
            faults.append(f"{', '.join(map(repr, names))}: {type(error).__name__}: {told[:400]}")

    yield row
    assert tried, "the table has no rows"
    if faults:
        pytest.fail("\n".join([f"{len(faults)} of {tried} rows fail", *faults]), pytrace=False)
