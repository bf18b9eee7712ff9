"""The table of routes in the reference, made of the operations: `python -m tests.docs.routes_table` writes it."""

from collections.abc import Iterator
from itertools import groupby

from remembrancer.operations import OPERATIONS
from tests.policy.sources import REPOSITORY

PAGE = REPOSITORY / "docs/reference/service.md"
BEGIN, END = "<!-- routes -->\n", "<!-- end of routes -->\n"


def table() -> str:
    """Return the routes of all operations, by resources."""
    return "\n".join(_tables())


def page() -> str:
    """Return the reference with the table as it is now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def _tables() -> Iterator[str]:
    for resource, operations in groupby(OPERATIONS.values(), key=lambda one: one.resource):
        rows = (f"| `{one.verb} {one.path}` | `{one.name}` | `{one.right.value}` |\n" for one in operations)
        yield f"### `{resource}`\n\n| route | method | right |\n|---|---|---|\n{''.join(rows)}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
