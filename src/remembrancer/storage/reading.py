"""Records as a transaction reads them, for the collections that do."""

from typing import Any, LiteralString, TypeVar

from remembrancer.storage.columns import RECORD, names
from remembrancer.storage.dialect import Values
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.values import RECORD_READ, record_of, undamaged
from remembrancer.storage.weights import WEIGHT
from remembrancer.types.record import Observation, Record

R = TypeVar("R", bound=Record)
COLUMNS: LiteralString = (
    f'scopes.tenant, scopes.project, scopes.agent, scopes."user", {{sources}} AS sources, {WEIGHT} AS weight, '
    + names(RECORD, before="records.")
)
SELECT: LiteralString = f"SELECT {COLUMNS} FROM records JOIN scopes ON scopes.id = records.scope "


class Reading:
    """What the collections have in common that read records."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(RECORD_READ)

    def _record(self, row: Any) -> Record:
        """A record from a row that begins with `COLUMNS`."""
        return record_of(self._read(row[: len(RECORD_READ)]))

    async def _many(
        self, which: LiteralString, values: Values | None = None, *, plan_anew: bool = False
    ) -> list[Record]:
        """The records of a condition, in the order that it names."""
        rows = await self._connection.ask(SELECT + which, values, plan_anew=plan_anew)
        return undamaged(rows, self._record)

    async def _of(
        self, kind: type[R], which: LiteralString, values: Values | None = None, *, plan_anew: bool = False
    ) -> list[R]:
        """Those of a kind."""
        found = await self._many(which, values, plan_anew=plan_anew)
        return [record for record in found if isinstance(record, kind)]

    async def _claims(
        self, which: LiteralString, values: Values | None = None, *, plan_anew: bool = False
    ) -> list[Observation]:
        """Those that are observations or reflections."""
        return await self._of(Observation, which, values, plan_anew=plan_anew)
