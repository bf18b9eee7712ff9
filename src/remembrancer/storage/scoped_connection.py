"""Connections for statements of both databases; one of them within a transaction of one caller."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, LiteralString, TypeVar

import numpy as np

from remembrancer.storage.connection import SqlConnection
from remembrancer.storage.dialect import Dialect, Values
from remembrancer.storage.documents import DocumentNumbers
from remembrancer.storage.threads import in_thread
from remembrancer.storage.values import scope_columns
from remembrancer.types.access import EVERY_RIGHT, FULL, Caller
from remembrancer.types.scope import Scope

T = TypeVar("T")
_SCOPE_ROWS: LiteralString = """
    SELECT
        id,
        COALESCE(project, '') = COALESCE(:project::text, '')
            AND COALESCE(agent, '') = COALESCE(:agent::text, '')
            AND COALESCE("user", '') = COALESCE(:user::text, ''),
        documents, words,
        (
            SELECT MIN(valid_until) FROM records
            WHERE records.scope = scopes.id AND valid_until IS NOT NULL AND status = 'active'
        )
    FROM scopes
    WHERE """
VISIBLE: LiteralString = """
    tenant = :tenant
        AND COALESCE(project, '') IN ('', COALESCE(:project::text, ''))
        AND COALESCE(agent, '') IN ('', COALESCE(:agent::text, ''))
        AND COALESCE("user", '') IN ('', COALESCE(:user::text, ''))
    ORDER BY id
"""
"""The condition of the scopes that a scope sees, in their order."""
_VISIBLE: LiteralString = _SCOPE_ROWS + VISIBLE
# What an operator reads of a whole tenant, or of a part of it.
_BENEATH: LiteralString = _SCOPE_ROWS + "{beneath} ORDER BY id"
_OWNERS: LiteralString = """
    SELECT DISTINCT scopes.project, scopes.agent, scopes."user" FROM records JOIN scopes ON scopes.id = records.scope
    WHERE records.id = ANY(:ids) AND {seen}
"""
# Kinds of locks: writers lock their scope first, then the tenant's audit chain.
SCOPE_WRITER = 1
_TENANT_CHAIN = 2
_AUDIT_KEY_BYTES = 32
_INSERT: LiteralString = """
    INSERT INTO scopes (id, tenant, project, agent, "user", last_document, documents, words, audit_key)
    VALUES ({scope_number}, :tenant, :project, :agent, :user, 0, 0, 0, :key)
    RETURNING id
"""
_HIDDEN: LiteralString = """
    SELECT records.document FROM records{by_kind}
    WHERE records.scope = ANY(:visible) AND records.document IS NOT NULL AND records.classification IN {closed}
"""


@dataclass(slots=True)
class _Scopes:
    """The numbers of a transaction's scopes, and the documents that it removed; shared by all its views.

    Attributes:
        shared_values: the values that every statement may name.
    """

    exact: int | None
    visible: list[int]
    sizes: list[tuple[int, int, int]]
    shared_values: dict[str, object] = field(default_factory=dict[str, object])
    retired: list[int] = field(default_factory=list[int])


class PortableConnection:
    """A connection for statements that are written once for both databases. Blocking.

    Args:
        raw: the connection for statements of the database's own dialect.
    """

    def __init__(self, raw: SqlConnection, dialect: Dialect) -> None:
        self.raw = raw
        self.dialect = dialect

    def rows(self, statement: LiteralString, values: Values | None = None, *, replan: bool = False) -> list[Any]:
        """Return every row of a statement, in the database's own values.

        Args:
            values: by name.
        """
        return self.raw.rows(self._sql(statement), self._values(values), replan=replan)

    def row(self, statement: LiteralString, values: Values | None = None) -> Any:
        """Return the first row of a statement, or `None`."""
        return next(iter(self.rows(statement, values)), None)

    def value(self, statement: LiteralString, values: Values | None = None) -> Any:
        """Return the first column of the first row, or `None`."""
        row = self.row(statement, values)
        return None if row is None else row[0]

    def run(self, statement: LiteralString, values: Values | None = None) -> int:
        """Run a statement; return the number of rows that it changed."""
        return self.raw.run(self._sql(statement), self._values(values))

    def run_many(self, statement: LiteralString, values: Sequence[Values]) -> None:
        """Run a statement once for each set of values."""
        if values:
            self.raw.run_many(self._sql(statement), [self._values(each) for each in values])

    def _sql(self, statement: LiteralString) -> LiteralString:
        return self.dialect.sql(statement)

    def _values(self, values: Values | None) -> dict[str, object]:
        return self.dialect.values(values) if values else {}


class ScopedConnection(PortableConnection):
    """A connection within one transaction of one caller, with the caller's exact scope and all that it sees.

    Statements may name the values `scope`, `visible` and `tenant`.

    Args:
        is_snapshot: whether the transaction sees one moment.
        in_thread: whether the transaction runs in a worker thread as it is, so that its work needs no other.
    """

    def __init__(
        self,
        raw: SqlConnection,
        dialect: Dialect,
        caller: Caller,
        *,
        is_snapshot: bool = False,
        in_thread: bool = False,
    ) -> None:
        super().__init__(raw, dialect)
        self.caller = caller
        self.is_snapshot = is_snapshot
        self.is_in_thread = in_thread
        seen = _BENEATH if caller.all_scopes else _VISIBLE
        rows = raw.rows(dialect.sql(seen), scope_columns(caller.scope))
        self._scopes = _Scopes(
            exact=next((row[0] for row in rows if row[1]), None),
            visible=[row[0] for row in rows],
            sizes=[(row[0], row[2], row[3]) for row in rows if row[2]],
        )
        ends = [row[4] for row in rows if row[4] is not None]
        self.next_end: datetime | None = dialect.moment(min(ends, default=None))
        self._hidden: DocumentNumbers | None = None
        self._update_shared_values()

    def engine(self) -> "ScopedConnection":
        """Return the same connection for the engine, which sees everything."""
        if self.caller.sees_as_engine:
            return self
        other = object.__new__(ScopedConnection)
        other.__dict__.update(self.__dict__)
        other.caller, other._hidden = replace(self.caller, clearance=FULL, rights=EVERY_RIGHT), None
        return other

    def at(self, caller: Caller) -> "ScopedConnection":
        """Return the same transaction for a caller in another scope, once no other transaction writes to it. Blocking.

        A transaction that sees one moment cannot write and does not wait.
        """
        if not self.is_snapshot:
            self.raw.lock(SCOPE_WRITER, repr(caller.scope))
        return ScopedConnection(
            self.raw,
            self.dialect,
            caller,
            is_snapshot=self.is_snapshot,
            in_thread=self.is_in_thread,
        )

    @property
    def scope(self) -> Scope:
        """The exact scope."""
        return self.caller.scope

    @property
    def exact(self) -> int:
        """The exact scope's number; -1, which no row has, while nothing was ever written to it."""
        return -1 if self._scopes.exact is None else self._scopes.exact

    @property
    def visible(self) -> list[int]:
        """The numbers of the visible scopes."""
        return self._scopes.visible

    @property
    def sizes(self) -> list[tuple[int, int, int]]:
        """Number, documents and words of each visible scope that had any when the transaction began."""
        return self._scopes.sizes

    @property
    def retired(self) -> list[int]:
        """The documents that the transaction has removed from the indexes so far."""
        return self._scopes.retired

    def writable(self) -> int:
        """Return the exact scope's number; create the scope on the first write."""
        if self._scopes.exact is None:
            exact: int = self.value(
                _INSERT, {**scope_columns(self.scope), "key": secrets.token_bytes(_AUDIT_KEY_BYTES)}
            )
            self._scopes.exact = exact
            self._scopes.visible.append(exact)
            self._update_shared_values()
        return self._scopes.exact

    @property
    def hidden(self) -> DocumentNumbers:
        """The indexed documents whose classification is closed to the caller, ascending. Blocking."""
        if self._hidden is None:
            rows = [] if self.caller.sees_all else self.rows(_HIDDEN)
            self._hidden = np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))
        return self._hidden

    async def ask(self, statement: LiteralString, values: Values | None = None, *, replan: bool = False) -> list[Any]:
        """Return every row of a statement, in a thread."""
        return await self.in_thread(lambda: self.rows(statement, values, replan=replan))

    async def change(self, statement: LiteralString, values: Values | None = None) -> int:
        """Run a statement in a thread; return the number of rows that it changed."""
        return await self.in_thread(lambda: self.run(statement, values))

    async def write(self, statement: LiteralString, values: Values | None = None) -> int:
        """Run a statement that inserts rows of the exact scope, in a thread; return the number of rows it changed."""

        def write() -> int:
            self.writable()
            return self.run(statement, values)

        return await self.in_thread(write)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do blocking work with the connection in a thread."""
        return work() if self.is_in_thread else await in_thread(work)

    def lock_chain(self) -> None:
        """Wait for other writers of the tenant's audit chain, and keep them waiting until the transaction ends."""
        self.raw.lock(_TENANT_CHAIN, self.scope.tenant)

    def lock_owners(self, ids: Sequence[str]) -> None:
        """Wait for other writers of the wider scopes of some records, in which this transaction is about to write.

        In the order of `Scope.visible`, which began with its own: then no two transactions wait for each other.
        """
        if not self.raw.has_locks:
            return
        owners = {tuple(row) for row in self.rows(_OWNERS, {"ids": ids})}
        for scope in self.scope.visible()[1:]:
            if (scope.project, scope.agent, scope.user) in owners:
                self.raw.lock(SCOPE_WRITER, repr(scope))

    def _sql(self, statement: LiteralString) -> LiteralString:
        return self.dialect.sql(statement, self.caller.clearance)

    def _values(self, values: Values | None) -> dict[str, object]:
        shared_values = self._scopes.shared_values
        return {**shared_values, **self.dialect.values(values)} if values else shared_values

    def _update_shared_values(self) -> None:
        shared_values = {"scope": self.exact, "visible": self.visible, "tenant": self.scope.tenant}
        self._scopes.shared_values = self.dialect.values(shared_values)
