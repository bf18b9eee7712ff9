"""Running a coroutine to its end without an event loop."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from remembrancer.errors import StoreError

T = TypeVar("T")


def finished(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never has to wait.

    Raises:
        StoreError: it waited.
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise StoreError("a piece of work in a transaction waited for something else than its transaction")
