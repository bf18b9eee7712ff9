"""What every collection of a transaction works with: its connection, and the scopes it may touch."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from remembrancer.model.scope import Scope
from remembrancer.ports.wordings import Documents
from remembrancer.stores.sqlite.connection import Connection
from remembrancer.stores.threads import in_thread

T = TypeVar("T")


class Shard:
    """The exact scope of a transaction and those it sees, as numbers of the `scopes` table.

    Args:
        exact: the scope's own number, or `None` until it is first written.
        in_thread: whether the transaction runs in a worker thread as it is, so that its work needs no other.
        secret: makes a fresh key for the audit log's HMACs when a scope is first written.
    """

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        *,
        exact: int | None,
        visible: Sequence[int],
        secret: Callable[[], bytes],
        in_thread: bool = False,
    ) -> None:
        self.connection = connection
        self.scope = scope
        self.visible = json.dumps(list(visible))
        self.numbers = tuple(visible)
        self._exact = exact
        self._secret = secret
        self._in_thread = in_thread
        self.retired: list[int] = []

    @property
    def exact(self) -> int:
        """The exact scope's number; -1, which no row has, while nothing was ever written to it."""
        return -1 if self._exact is None else self._exact

    def writable(self) -> int:
        """The exact scope's number, which is made on the first write."""
        if self._exact is None:
            self._exact = self._insert()
            self.numbers = (*self.numbers, self._exact)
            self.visible = json.dumps(list(self.numbers))
        return self._exact

    async def run(self, work: Callable[[], T]) -> T:
        """Do blocking work with the connection in a thread."""
        return work() if self._in_thread else await in_thread(work)

    def _insert(self) -> int:
        scope = self.scope
        row = self.connection.row(
            """
            INSERT INTO scopes (tenant, project, agent, user, last_document, documents, words, audit_key)
            VALUES (?, ?, ?, ?, 0, 0, 0, ?)
            RETURNING id
            """,
            (scope.tenant, scope.project, scope.agent, scope.user, self._secret()),
        )
        assert row is not None
        return row[0]


def as_json(documents: Documents | Sequence[int]) -> str:
    """Numbers as a JSON array, which SQL reads with `json_each`."""
    return "[" + ",".join(map(str, documents)) + "]"
