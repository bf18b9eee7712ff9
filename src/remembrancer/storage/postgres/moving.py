"""Moving a tenant from one database to another while it is in use.

Each database has a state of each tenant that is not simply in it, which `admit` enforces for each transaction:

1. `arriving` in the target, which admits no caller; `copying` in the source, where triggers log the keys of changed
   rows.
2. The rows are copied as of one moment and compared by hash. Then the logged changes are copied, several times, until
   few are left.
3. The lock of the tenant's writers: writes wait, for `WAITING_SECONDS` at most. The last changes are copied and
   compared.
4. `left` in the source: from here on the tenant is in the target in any case. The target admits it.
5. Both are compared as of that moment, the source is emptied, and the receipt is stored in its place. The audit log is
   append-only, so its entries stay in the source too; the keys of what is sealed in them do not.

A move that is killed before step 4 has changed nothing for callers; run again it begins from the start, and
`Move.cancel` deletes what it has copied. Killed later, the next one does the rest.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from threading import Event
from time import monotonic
from typing import Any, Final, LiteralString, Self

import psycopg
from psycopg import sql

from remembrancer.errors import Conflict, InvalidInput, StoreError
from remembrancer.storage.postgres.connection import READ, WRITE, PostgresConnection, Raw, translated
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.postgres.store import ADMISSION
from remembrancer.types.placements import MAIN, MovedTable, MoveReceipt

WAITING_SECONDS = 2.0
"""The longest time for which writes of the tenant wait."""
# The part of it in which the writers end that came before.
_LOCK_SECONDS = 0.8
# The last changes are few if those before them needed no longer.
_PASS_SECONDS = 1.0
_PASSES = 10
_ATTEMPTS = 20
_PAUSE_SECONDS = 1.0
_CANCEL_SECONDS = 2.0
# Kinds of advisory locks; see `admit`.
_WRITERS, _MOVES = 3, 4
_ENDED: Final = "the move of {tenant!r} has ended meanwhile; see `remembrancer tenants list`"
# A trigger computes it.
_NOT_COPIED = ("indexed",)
_NUMBERED = {"scopes": "id", "records": "row", "vectors": "sequence", "audit": "sequence"}
# Rows of other tables refer to theirs.
_REFERENCED = ("scopes", "records")
_TABLES: LiteralString = """
    SELECT
        relname,
        ARRAY(
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                AND attname <> ALL(%s)
            ORDER BY attname
        ),
        ARRAY(
            SELECT attname::text FROM pg_constraint
            CROSS JOIN unnest(conkey) WITH ORDINALITY AS keys (number, place)
            JOIN pg_attribute ON attrelid = conrelid AND attnum = number
            WHERE conrelid = pg_class.oid AND contype = 'p' ORDER BY place
        ),
        has_table_privilege(pg_class.oid, 'DELETE')
    FROM pg_class
    WHERE relnamespace = 'remembrancer'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'logged_changes'
    -- Rows are of scopes, evidence is of records, and triggers count the rows of the others.
    ORDER BY relname <> 'scopes', relname = 'counters', relname <> 'records', relname
"""
_GENERATIONS: LiteralString = """
    SELECT number, name, model_version, dimension, random_cosine, random_spread, state
    FROM remembrancer_ops.generations ORDER BY number
"""
_PUT: LiteralString = """
    INSERT INTO remembrancer_ops.placements (tenant, state, database, since) VALUES (%s, %s, %s, now())
    ON CONFLICT (tenant) DO UPDATE
    SET state = excluded.state, database = excluded.database, since = excluded.since, receipt = NULL
"""


class MoveStage(StrEnum):
    """A stage of a move."""

    COPIED = "copied"
    CAUGHT_UP = "caught up"
    COMPARED = "compared"
    EMPTIED = "emptied"


MoveProgress = Callable[[MoveStage, int], None]
"""Is called with a number of further rows of a stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A table by its name, its columns and those of its primary key.

    Args:
        is_appended: whether its rows are only ever added.
    """

    name: str
    columns: Sequence[str]
    key: Sequence[str]
    is_appended: bool

    @property
    def is_referenced(self) -> bool:
        return self.name in _REFERENCED

    @property
    def named(self) -> sql.Identifier:
        return sql.Identifier(self.name)

    @property
    def listed(self) -> sql.Composed:
        return _list(self.columns)

    def of(self, tenant: str) -> sql.Composed:
        """Return the rows of a tenant, as a query."""
        return sql.SQL("SELECT * FROM {} WHERE tenant = {}").format(self.named, tenant)

    def keyed(self, tenant: str, keys: sql.Composable, *, selected: LiteralString = "found.*") -> sql.Composed:
        """Return the rows of a tenant with some keys, as a query that looks each key up in the index.

        Estimates of the planner cannot change that: the inner query is one of its own by its OFFSET.

        Args:
            keys: a query of distinct keys, which are JSON objects.
            selected: of `found`, which has the columns of the table and `row_ctid`.
        """
        return sql.SQL(
            "SELECT {selected} FROM ({keys}) AS listed (of_row)"
            " CROSS JOIN LATERAL jsonb_populate_record(NULL::{named}, of_row) AS sought"
            " CROSS JOIN LATERAL ("
            "SELECT *, ctid AS row_ctid FROM {named} AS one WHERE tenant = {tenant} AND {equal} OFFSET 0"
            ") AS found"
        ).format(
            selected=sql.SQL(selected),
            keys=keys,
            named=self.named,
            tenant=tenant,
            equal=sql.SQL(" AND ").join(
                sql.SQL("one.{0} = sought.{0}").format(sql.Identifier(column)) for column in self.key
            ),
        )


def _list(columns: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))


class Side:
    """One of the two databases of a move, on a connection of its own. Blocking.

    Args:
        stopping: if it is set, no further statement runs.
    """

    def __init__(self, name: str, raw: Raw, tenant: str, *, stopping: Event | None = None) -> None:
        self.name = name
        self.tenant = tenant
        self.raw = raw
        self.connection = PostgresConnection(raw)
        self._stopping = stopping

    def begin(self, mode: LiteralString) -> None:
        """Open a transaction of the tenant without a limit of time."""
        self.connection.begin(mode, tenant=self.tenant, timeout=0, moves=True)
        self.rows("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")

    def roll_back(self) -> None:
        """End a transaction, if there is one."""
        with suppress(psycopg.Error):
            self.raw.execute("ROLLBACK", prepare=False)

    @contextmanager
    def transaction(self, mode: LiteralString) -> Generator[None]:
        """Open a transaction of the tenant without a limit of time; commit it when the block ends."""
        self.begin(mode)
        try:
            yield
            self.connection.commit()
        except BaseException:
            self.roll_back()
            raise

    def rows(self, statement: sql.Composable | LiteralString, values: Any = ()) -> list[Any]:
        """Return the rows of a statement.

        Raises:
            StoreError: the move is to stop.
        """
        if self._stopping is not None and self._stopping.is_set():
            raise StoreError("the move was stopped; run it again, or cancel it")
        query = statement.as_bytes(self.raw) if isinstance(statement, sql.Composable) else statement
        cursor = self.raw.execute(query, values or None, prepare=False)
        return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    def value(self, statement: LiteralString, values: Any = ()) -> Any:
        """Return the first value of the first row, or `None`."""
        rows = self.rows(statement, values)
        return rows[0][0] if rows else None

    def state(self) -> tuple[str, str]:
        """Return the state of the tenant and the other database; two empty texts if it is simply here."""
        rows = self.rows("SELECT state, database FROM remembrancer_ops.placements WHERE tenant = %s", (self.tenant,))
        return rows[0] if rows else ("", "")

    def lock_move(self) -> None:
        """Lock the moves of the tenant until the connection ends.

        Raises:
            Conflict: another process is moving it.
            InvalidInput: the connection is one to a pooler, which keeps no lock.
        """
        if self.raw.prepare_threshold is None:
            raise InvalidInput(
                f"the address of {self.name!r} is that of a pooler; name the server's own for this command"
            )
        if not self.value("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_MOVES, self.tenant)):
            raise Conflict(f"another process is moving {self.tenant!r}; wait until it has ended")

    def stop_logging(self) -> None:
        """Mark the tenant as simply here, and delete what was logged for its move."""
        with self.transaction(WRITE):
            self.clear_state()
            self.rows("DELETE FROM logged_changes")

    def has_rows(self) -> bool:
        """Return True if the database has a scope of the tenant, within a transaction."""
        return self.value("SELECT EXISTS (SELECT 1 FROM scopes WHERE tenant = %s)", (self.tenant,))

    def put_state(self, state: str, database: str) -> None:
        """Set the state of the tenant."""
        self.rows(_PUT, (self.tenant, state, database))

    def clear_state(self) -> None:
        """Delete the state: the tenant is simply here."""
        self.rows("DELETE FROM remembrancer_ops.placements WHERE tenant = %s", (self.tenant,))

    def put_receipt(self, receipt: Mapping[str, Any]) -> None:
        """Store the receipt of a move from here."""
        self.rows(
            "UPDATE remembrancer_ops.placements SET receipt = %s WHERE tenant = %s", (json.dumps(receipt), self.tenant)
        )

    def empty(
        self, tables: Sequence[_Table], state: str, database: str, *, receipt: Mapping[str, Any] | None = None
    ) -> int:
        """Delete the rows of the tenant in a state, in which it is not in this database; return their number.

        Args:
            receipt: is stored in the same transaction.
        """
        with self.transaction(WRITE):
            if self.state() != (state, database):
                raise StoreError(f"the tenant {self.tenant!r} is in {self.name!r}; nothing was deleted")
            if receipt is not None:
                self.put_receipt(receipt)
            self.rows("DELETE FROM logged_changes WHERE tenant = %s", (self.tenant,))
            deleted = sql.SQL("DELETE FROM {} WHERE tenant = {}")
            return sum(
                self.raw.execute(deleted.format(table.named, self.tenant), prepare=False).rowcount
                for table in _to_delete(tables)
            )

    def tables(self) -> list[_Table]:
        """Return the tables whose rows move, in an order in which no row names one that comes later."""
        found = self.rows(_TABLES, (list(_NOT_COPIED),))
        return [
            _Table(name=name, columns=columns, key=key, is_appended=not may_delete)
            for name, columns, key, may_delete in found
        ]

    def digest(self, table: _Table, rows_of: sql.Composable | None = None) -> MovedTable:
        """Return the number of a table's rows of the tenant, or of some of them, and their hash."""
        rows, digest = self.rows(
            sql.SQL(
                "SELECT COUNT(*), encode(sha256(convert_to("
                "COALESCE(string_agg(digest, '' ORDER BY digest), ''), 'UTF8')), 'hex')"
                ' FROM (SELECT md5(ROW({columns})::text) COLLATE "C" AS digest FROM ({rows}) AS chosen) AS digests'
            ).format(columns=table.listed, rows=rows_of or table.of(self.tenant))
        )[0]
        return MovedTable(rows=rows, sha256=digest)

    def digests(self, tables: Sequence[_Table]) -> Mapping[str, MovedTable]:
        """Return the digests of all tables, by name."""
        return {table.name: self.digest(table) for table in tables}


class _TooLong(Exception):
    """Writes wait for too long."""


_LATE = (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled, _TooLong)


def forget_target(address: str, tenant: str, *, source: str, target: str) -> None:
    """Abandon the move of a tenant to a database that is lost: its changes are no longer logged.

    Blocking. A target that was not lost after all has its copies until the move is cancelled again, or the tenant moves
    there.

    Args:
        address: of the source.

    Raises:
        Conflict: the tenant is not moving there, or the move runs.
    """
    with closing(connected(address)) as raw, translated():
        side = Side(source, raw, tenant)
        side.lock_move()
        if side.state() != ("copying", target):
            raise Conflict(_ENDED.format(tenant=tenant))
        side.stop_logging()


class Move:
    """The move of one tenant. Blocking; use it in a `with` block.

    Args:
        addresses: of the databases by name; the main one is `MAIN`.
    """

    def __init__(self, addresses: Mapping[str, str], tenant: str, *, source: str, target: str) -> None:
        self._addresses = addresses
        self._tenant = tenant
        self._names = source, target
        self._stack = ExitStack()
        self._stopping = Event()
        self._sides: Sequence[Side] = ()
        self._waited: float | None = None
        self._generations: list[Any] = []
        self._has_snapshot = self._has_left = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._sides = self._source, self._target = [self._side(stack, name) for name in self._names]
            same: LiteralString = "SELECT system_identifier, current_database() FROM pg_control_system()"
            with translated():
                if self._source.rows(same) == self._target.rows(same):
                    raise InvalidInput("both names are of the same database; name another target")
                for side in (self._source, self._target):
                    side.lock_move()
                self._tables = self._source.tables()
                if self._tables != self._target.tables():
                    raise Conflict("the databases are of different versions; run `remembrancer init-db` on both")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _side(self, stack: ExitStack, name: str) -> Side:
        raw = connected(self._addresses[name])
        stack.callback(raw.close)
        return Side(name, raw, self._tenant, stopping=self._stopping)

    def stop(self) -> None:
        """End the move that runs in another thread, as soon as possible, as if it were killed.

        Once the tenant has left the source, the move runs to its end: only it can compare both as of that moment.
        """
        if self._has_left:
            return
        self._stopping.set()
        for side in self._sides:
            # A statement may need minutes.
            with suppress(psycopg.Error):
                side.raw.cancel_safe(timeout=_CANCEL_SECONDS)

    def cancel(self) -> int:
        """Delete what a move has copied that was killed before the cut-over; return the number of rows.

        The source may have forgotten the target; see `forget_target`.

        Raises:
            Conflict: there is no such move.
        """
        with translated():
            state, copies = self._source.state(), self._target.state()
            is_forgotten = state == ("", "") and copies == ("arriving", self._source.name)
            if state != ("copying", self._target.name) and not is_forgotten:
                raise Conflict(_ENDED.format(tenant=self._tenant))
            return self._give_up()

    def run(self, progress: MoveProgress, *, sign: Callable[[str], str]) -> tuple[MoveReceipt, bool]:
        """Move the tenant, or finish a move that was killed; return the receipt, and whether it is new.

        Raises:
            Conflict: the databases have different generations of vectors, or a write of the tenant lasts too long.
            StoreError: what was copied differs.
            StoreUnavailable: a database cannot be reached.
        """
        with translated():
            self._check_states()
            if self._source.state()[0] != "left":
                self._copy_all(progress)
                self._cut_over(progress)
            return self._finish(progress, sign=sign)

    def _check_states(self) -> None:
        """Check that the tenant is in the source, or has left it for the target.

        Raises:
            Conflict: it is neither, or is on its way from a third database.
            StoreError: the target has rows that differed after an earlier move.
        """
        source, target = self._source, self._target
        _check_receipt(target)
        state, database = source.state()
        if state == "arriving" and database == target.name and target.state() == ("left", source.name):
            # A move was killed before the tenant was admitted here.
            source.clear_state()
        elif state == "arriving" or (state == "left" and database != target.name):
            raise Conflict(
                f"{self._tenant!r} is on its way between {source.name!r} and {database!r}; finish that move first:"
                f" `remembrancer tenants move {self._tenant} --to {source.name if state == 'arriving' else database}`"
            )

    def _copy_all(self, progress: MoveProgress) -> None:
        """Copy all rows as of one moment, and compare them; later changes are logged."""
        source, target = self._source, self._target
        self._copy_generations()
        self._generations = [side.rows(_GENERATIONS) for side in (source, target)]
        with target.transaction(READ):
            if target.state() == ("", "") and target.has_rows():
                raise Conflict(
                    f"{target.name!r} has memories of a tenant {self._tenant!r} of its own; erase them, or name another"
                    " database"
                )
        self._give_up_former(*source.state())
        # First, so that what is in the target from here on can be cancelled.
        source.put_state("copying", target.name)
        target.put_state("arriving", source.name)
        target.empty(self._tables, "arriving", source.name)
        # Writers that were admitted before log nothing: they end first.
        for _ in self._attempts():
            with suppress(psycopg.errors.LockNotAvailable), source.transaction(WRITE):
                self._lock_writers()
                source.rows("DELETE FROM logged_changes")
                break
        with source.transaction(READ):
            for table in self._tables:
                progress(MoveStage.COPIED, self._copy(table))
            self._number_after()
            for table in self._tables:
                progress(MoveStage.COMPARED, self._compare(table))

    def _give_up_former(self, state: str, database: str) -> None:
        """Delete what a move to a third database has copied that was killed."""
        if state == "copying" and database not in (self._target.name, "") and database in self._addresses:
            with connected(self._addresses[database]) as raw:
                third = Side(database, raw, self._tenant)
                if third.state() == ("arriving", self._source.name):
                    third.empty(self._tables, "arriving", self._source.name)
                    third.clear_state()

    def _cut_over(self, progress: MoveProgress) -> None:
        """Copy what changed since, and mark the tenant as moved to the target."""
        source = self._source
        for _ in self._attempts():
            for _ in range(_PASSES):
                begun = monotonic()
                with source.transaction(READ):
                    numbers = self._catch_up()
                with source.transaction(WRITE):
                    source.rows("DELETE FROM logged_changes WHERE number = ANY(%s)", (numbers,))
                progress(MoveStage.CAUGHT_UP, len(numbers))
                if monotonic() - begun < _PASS_SECONDS:
                    break
            begun = monotonic()
            with suppress(*_LATE), source.transaction(WRITE):
                self._lock_writers()
                progress(MoveStage.CAUGHT_UP, len(self._catch_up(until=begun + WAITING_SECONDS)))
                self._check_unchanged()
                # Of the moment before the first write there.
                self._target.begin(READ)
                self._target.rows("SELECT 1 FROM scopes LIMIT 1")
                source.put_state("left", self._target.name)
                self._waited = monotonic() - begun
                if self._waited > WAITING_SECONDS:
                    raise _TooLong
                self._has_snapshot = self._has_left = True
                return
            self._target.roll_back()

    def _check_unchanged(self) -> None:
        """Check that tables and generations of vectors are those of the beginning, on both sides.

        Raises:
            Conflict: they are not.
        """
        for side, generations in zip((self._source, self._target), self._generations, strict=True):
            if side.tables() != self._tables or side.rows(_GENERATIONS) != generations:
                raise Conflict(
                    f"the tables or the vectors of {side.name!r} were changed while {self._tenant!r} was copied;"
                    " nothing was moved: run the command again when `init-db` or `admin index reembed` has ended"
                )

    def _attempts(self) -> Iterator[None]:
        """Try several times, with pauses; then restore the state before the move.

        Raises:
            Conflict: no attempt succeeded.
        """
        for _ in range(_ATTEMPTS):
            yield
            self._stopping.wait(_PAUSE_SECONDS)
        self._give_up()
        raise Conflict(
            f"writes of {self._tenant!r} last too long, or are too many, to wait for {WAITING_SECONDS:g} s at most;"
            " nothing was moved: try again when less is written"
        )

    def _give_up(self) -> int:
        """Restore the state before the move; return the number of rows that are deleted in the target."""
        source, target = self._source, self._target
        deleted = 0
        # The source is last, so that an interruption is followed by another call of this.
        if target.state() == ("arriving", source.name):
            deleted = target.empty(self._tables, "arriving", source.name)
            # Not simply without a state: a database that the tenant has left before must go on refusing it.
            target.put_state("left", source.name)
        source.stop_logging()
        return deleted

    def _lock_writers(self) -> None:
        """Block writes of the tenant until the end of the transaction of the source.

        The server ends a transaction that does nothing for too long, such as that of a process that hangs.

        Raises:
            LockNotAvailable: writers that came before do not end.
        """
        self._source.rows(
            "SELECT set_config('lock_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true)",
            (f"{_LOCK_SECONDS * 1000:.0f}ms", f"{2 * WAITING_SECONDS * 1000:.0f}ms"),
        )
        self._source.rows("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_WRITERS, self._tenant))

    def _copy_generations(self) -> None:
        """Create the generations of vectors of the source in the target.

        Raises:
            Conflict: it has others.
        """
        here, there = self._source.rows(_GENERATIONS), self._target.rows(_GENERATIONS)
        if not there:
            for row in here:
                self._target.rows("SELECT remembrancer_ops.copy_generation(%s, %s, %s, %s, %s, %s, %s)", row)
        elif here and [row[:4] for row in here] != [row[:4] for row in there]:
            raise Conflict(
                f"the vectors of {self._source.name!r} and {self._target.name!r} are of different embedders or"
                " generations; run `remembrancer admin index reembed`, with all databases in the settings, first"
            )

    def _copy(self, table: _Table) -> int:
        """Copy the rows of a table, within the transaction of the source; return their number."""
        with self._target.transaction(WRITE):
            self._receive(table, table.of(self._tenant))
            return self._insert(table)

    def _receive(self, table: _Table, rows: sql.Composable) -> None:
        """Copy some rows of the source into a temporary table of the target."""
        self._transfer(
            sql.SQL("SELECT {} FROM ({}) AS chosen").format(table.listed, rows),
            sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} LIMIT 0").format(
                _incoming(table), table.listed, table.named
            ),
            _incoming(table),
        )

    def _transfer(self, rows: sql.Composable, creation: sql.Composable, into: sql.Composable) -> None:
        self._target.rows(creation)
        out = sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(rows)
        into = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(into)
        with (
            self._source.raw.cursor() as reader,
            self._target.raw.cursor() as writer,
            reader.copy(out) as reading,
            writer.copy(into) as writing,
        ):
            for data in reading:
                writing.write(data)

    def _insert(self, table: _Table) -> int:
        """Insert the received rows; return their number."""
        others = [column for column in table.columns if column not in table.key]
        changes = sql.SQL(", ").join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(column)) for column in others)
        update = sql.SQL("DO UPDATE SET {}").format(changes) if others and not table.is_appended else None
        return self._target.raw.execute(
            sql.SQL(
                "INSERT INTO {named} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {incoming}"
                " ON CONFLICT ({key}) {act}"
            ).format(
                named=table.named,
                columns=table.listed,
                incoming=_incoming(table),
                key=_list(table.key),
                act=update or sql.SQL("DO NOTHING"),
            ),
            prepare=False,
        ).rowcount

    def _number_after(self, *, until: float | None = None) -> None:
        """Set the next numbers of the target above those that were copied."""
        for table in self._tables:
            if column := _NUMBERED.get(table.name):
                with self._target.transaction(WRITE):
                    self._limit(until)
                    self._target.rows(
                        sql.SQL(
                            "SELECT remembrancer_ops.number_after({name}, MAX({column})) FROM {named}"
                            " WHERE tenant = {tenant} HAVING MAX({column}) IS NOT NULL"
                        ).format(name=table.name, column=sql.Identifier(column), named=table.named, tenant=self._tenant)
                    )

    def _compare(self, table: _Table) -> int:
        """Compare a table as of the source's transaction; return its number of rows."""
        here = self._source.digest(table)
        with self._target.transaction(READ):
            self._check_equal(table, here, self._target.digest(table))
        return here.rows

    def _check_equal(self, table: _Table, here: MovedTable, there: MovedTable) -> None:
        if here != there:
            raise StoreError(
                f"{table.name} differ after copying: {here.rows} rows {here.sha256[:12]} in {self._source.name!r},"
                f" {there.rows} rows {there.sha256[:12]} in {self._target.name!r}; was {self._target.name!r} written?"
                " The tenant stays where it is; run the command again"
            )

    def _catch_up(self, *, until: float | None = None) -> list[int]:
        """Copy the rows of the logged changes, within the transaction of the source; return their numbers.

        Args:
            until: the end of the time for it, by `monotonic`.

        Raises:
            _TooLong: it has passed.
        """
        source, target = self._source, self._target
        logged = source.rows("SELECT number, name FROM logged_changes")
        names = {name for _, name in logged}
        if changed := [table for table in self._tables if table.name in names]:
            with target.transaction(WRITE):
                self._apply(changed, until=until)
            self._number_after(until=until)
        return [number for number, _ in logged]

    def _apply(self, changed: Sequence[_Table], *, until: float | None) -> None:
        of_source = sql.SQL("SELECT DISTINCT key FROM logged_changes WHERE name = {}")
        of_target = sql.SQL("SELECT key FROM {}")
        logged = {table.name: table.keyed(self._tenant, of_source.format(table.name)) for table in changed}
        keys = {table.name: of_target.format(_keys_of(table)) for table in changed}
        for table in changed:
            self._limit(until)
            self._transfer(
                of_source.format(table.name),
                sql.SQL("CREATE TEMPORARY TABLE {} (key jsonb) ON COMMIT DROP").format(_keys_of(table)),
                _keys_of(table),
            )
            self._receive(table, logged[table.name])
        for table in _to_delete(changed):
            self._limit(until)
            absent = table.keyed(self._tenant, keys[table.name], selected="row_ctid")
            if table.is_referenced:
                absent += sql.SQL(" WHERE ({0}) NOT IN (SELECT {1} FROM {2})").format(
                    sql.SQL(", ").join(sql.Identifier("found", column) for column in table.key),
                    _list(table.key),
                    _incoming(table),
                )
            self._target.rows(
                sql.SQL("DELETE FROM {} WHERE tenant = {} AND ctid = ANY(ARRAY({}))").format(
                    table.named, self._tenant, absent
                )
            )
        for table in changed:
            self._limit(until)
            self._insert(table)
        for table in changed:
            self._limit(until)
            self._check_equal(
                table,
                self._source.digest(table, logged[table.name]),
                self._target.digest(table, table.keyed(self._tenant, keys[table.name])),
            )

    def _limit(self, until: float | None) -> None:
        """Limit the next statements to the time that is left, if there is an end.

        Raises:
            _TooLong: none is left.
        """
        if until is None:
            return
        left = until - monotonic()
        if left <= 0:
            raise _TooLong
        for side in self._sides:
            side.rows("SELECT set_config('statement_timeout', %s, true)", (f"{left * 1000 + 1:.0f}ms",))

    def _finish(self, progress: MoveProgress, *, sign: Callable[[str], str]) -> tuple[MoveReceipt, bool]:
        """Open the target, compare both, empty the source; return the receipt, and whether it is new."""
        source, target, tables = self._source, self._target, self._tables
        self._has_left = True
        stored = _check_receipt(source)
        since = source.value("SELECT since FROM remembrancer_ops.placements WHERE tenant = %s", (self._tenant,))
        if stored is not None:
            self._note_in_main(since)
            return _receipt(stored), False
        self._open_target()
        with source.transaction(READ):
            digests = source.digests(tables)
        if self._has_snapshot:
            there = target.digests(tables)
            target.roll_back()
            if differing := [name for name, digest in digests.items() if digest != there[name]]:
                source.put_receipt({"differ": differing})
                _check_receipt(source)
            progress(MoveStage.COMPARED, sum(one.rows for one in digests.values()))
        receipt = {
            "tenant": self._tenant,
            "former": source.name,
            "database": target.name,
            "at": since.isoformat(),
            "tables": {name: {"rows": one.rows, "sha256": one.sha256} for name, one in digests.items() if one.rows},
            "is_compared": self._has_snapshot,
            "waited_seconds": None if self._waited is None else round(self._waited, 3),
            "kept": [table.name for table in tables if table.is_appended],
        }
        receipt["signature"] = sign(json.dumps(receipt, sort_keys=True))
        emptied = source.empty(tables, "left", target.name, receipt=receipt)
        self._note_in_main(since)
        progress(MoveStage.EMPTIED, emptied)
        return _receipt(receipt), True

    def _open_target(self) -> None:
        """Admit the tenant in the target, on a connection of its own: the target's has a snapshot."""
        with connected(self._addresses[self._target.name]) as raw:
            Side(self._target.name, raw, self._tenant).rows(ADMISSION, (self._tenant, self._source.name))

    def _note_in_main(self, since: datetime) -> None:
        """Write the tenant's database into the main one, if that is neither of the two."""
        if MAIN in self._names:
            return
        with connected(self._addresses[MAIN]) as raw:
            Side(MAIN, raw, self._tenant).rows(
                "UPDATE remembrancer_ops.placements SET database = %s, since = %s WHERE tenant = %s AND state = 'left'",
                (self._target.name, since, self._tenant),
            )


def place(addresses: Mapping[str, str], tenant: str, database: str) -> None:
    """Record in the main database that a tenant without memories is in another one. Blocking.

    Raises:
        Conflict: it has memories, or is elsewhere.
    """
    with translated(), connected(addresses[MAIN]) as raw, connected(addresses[database]) as raw_of_other:
        main, other = Side(MAIN, raw, tenant), Side(database, raw_of_other, tenant)
        with main.transaction(WRITE):
            main.connection.lock(_WRITERS, tenant)
            state, elsewhere = main.state()
            if state == "left" and elsewhere == database:
                return
            if state or main.has_rows():
                where = f"is in {elsewhere!r}" if state == "left" else "has memories in the main database"
                raise Conflict(
                    f"the tenant {tenant!r} {where}; use `remembrancer tenants move {tenant} --to {database}`"
                )
            with other.transaction(WRITE):
                # Of an earlier tenant of this name, which had been there.
                if other.state() != ("", ""):
                    if other.has_rows():
                        raise Conflict(
                            f"{database!r} has rows of an unfinished move of {tenant!r}; finish or cancel it"
                        )
                    other.clear_state()
            main.put_state("left", database)


def _to_delete(tables: Sequence[_Table]) -> list[_Table]:
    """Return the tables from which rows are deleted, in their order.

    Triggers count rows until the last one is deleted, and all rows are of scopes.
    """
    deleted = [table for table in tables if not table.is_appended]
    return sorted(deleted, key=lambda table: (table.name == "scopes", table.name == "counters"))


def _incoming(table: _Table) -> sql.Identifier:
    return sql.Identifier(f"incoming_{table.name}")


def _keys_of(table: _Table) -> sql.Identifier:
    return sql.Identifier(f"keys_of_{table.name}")


def _check_receipt(side: Side) -> Mapping[str, Any] | None:
    """Return the receipt of a move from a database, if there is one.

    Raises:
        StoreError: both databases differed after that move.
    """
    stored = side.value("SELECT receipt FROM remembrancer_ops.placements WHERE tenant = %s", (side.tenant,))
    if stored is not None and "differ" in stored:
        raise StoreError(
            f"{', '.join(stored['differ'])} differed after {side.tenant!r} left {side.name!r}: its former rows are"
            " still there; compare them before you delete them"
        )
    return stored


def _receipt(stored: Mapping[str, Any]) -> MoveReceipt:
    tables = {name: MovedTable(**one) for name, one in stored["tables"].items()}
    at = datetime.fromisoformat(stored["at"]).astimezone(UTC)
    values: dict[str, Any] = {**stored, "tables": tables, "at": at}
    return MoveReceipt(**values)
