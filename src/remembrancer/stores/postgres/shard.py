"""What every collection of a transaction works with: its connection, and the scopes it may touch."""

from collections.abc import Callable, Iterable
from typing import LiteralString, TypeVar

from remembrancer.model.scope import Scope
from remembrancer.stores.postgres.connection import Connection
from remembrancer.stores.threads import in_thread

T = TypeVar("T")
# The first of two numbers that name an advisory lock; the audit log's is taken after it.
_SCOPE_WRITER = 1
_VISIBLE: LiteralString = """
    SELECT
        id,
        COALESCE(project, '') = COALESCE(%(project)s, '')
            AND COALESCE(agent, '') = COALESCE(%(agent)s, '')
            AND COALESCE("user", '') = COALESCE(%(user)s, ''),
        documents, words
    FROM scopes
    WHERE tenant = %(tenant)s
        AND COALESCE(project, '') IN ('', COALESCE(%(project)s, ''))
        AND COALESCE(agent, '') IN ('', COALESCE(%(agent)s, ''))
        AND COALESCE("user", '') IN ('', COALESCE(%(user)s, ''))
    ORDER BY id
"""


class Shard:
    """The exact scope of a transaction and those it sees, as numbers of the `scopes` table.

    Args:
        fresh_key: makes a key for the audit log's HMACs when a scope is first written.
        frozen: whether the transaction sees one moment.
        in_thread: whether the transaction runs in a worker thread as it is, so that its work needs no other.

    Attributes:
        sizes: number, wordings and words of each visible scope that holds any; `None` where they may change.
    """

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        *,
        fresh_key: Callable[[], bytes],
        frozen: bool = False,
        in_thread: bool = False,
    ) -> None:
        self.connection = connection
        self.scope = scope
        self._fresh_key = fresh_key
        self._in_thread = in_thread
        self.retired: list[int] = []
        rows = connection.rows(_VISIBLE, _names(scope))
        self.visible = [row[0] for row in rows]
        self.documents = sum(row[2] for row in rows)
        self.sizes = [(row[0], row[2], row[3]) for row in rows if row[2]] if frozen else None
        self._exact = next((row[0] for row in rows if row[1]), None)

    @property
    def exact(self) -> int:
        """The exact scope's number; -1, which no row has, while nothing was ever written to it."""
        return -1 if self._exact is None else self._exact

    def writable(self) -> int:
        """The exact scope's number, which is made on the first write."""
        if self._exact is None:
            self._exact = int(
                self.connection.value(
                    """
                    INSERT INTO scopes (tenant, project, agent, "user", last_document, documents, words, audit_key)
                    VALUES (%(tenant)s, %(project)s, %(agent)s, %(user)s, 0, 0, 0, %(key)s)
                    RETURNING id
                    """,
                    {**_names(self.scope), "key": self._fresh_key()},
                )
            )
            self.visible.append(self._exact)
        return self._exact

    async def run(self, work: Callable[[], T]) -> T:
        """Do blocking work with the connection in a thread."""
        return work() if self._in_thread else await in_thread(work)


def lock_writer(connection: Connection, scope: Scope) -> None:
    """Wait until nobody else writes to an exact scope; nobody else will until the transaction ends."""
    connection.rows("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_SCOPE_WRITER, repr(scope)))


def _names(scope: Scope) -> dict[str, str | None]:
    return {"tenant": scope.tenant, "project": scope.project, "agent": scope.agent, "user": scope.user}


def as_array(numbers: Iterable[int]) -> str:
    """Whole numbers as PostgreSQL writes an array: sent so they take a third of the time of a list of numbers."""
    return "{" + ",".join(map(str, numbers)) + "}"
