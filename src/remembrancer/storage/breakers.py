"""The breakers of models, alike in every store: they belong to the whole of it, and hold nothing that people wrote."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, LiteralString

from remembrancer.storage.columns import columns, names
from remembrancer.storage.scoped_connection import PortableConnection
from remembrancer.types.breaker import Breaker, Failing
from remembrancer.types.call import CallPurpose

_COLUMNS = columns("model purpose failures opened failing since:moment until:moment change")
_WRITTEN = columns("failures opened failing since until change")
_SELECT: LiteralString = f"SELECT {names(_COLUMNS)} FROM breakers ORDER BY model, purpose"
_SET: LiteralString = ", ".join(f"{column.name} = excluded.{column.name}" for column in _WRITTEN)
_PUT: LiteralString = (
    f"INSERT INTO breakers ({names(_COLUMNS)}) VALUES ({names(_COLUMNS, before=':')})"
    f" ON CONFLICT (model, purpose) DO UPDATE SET {_SET} WHERE breakers.change = excluded.change - 1"
)
_DROP: LiteralString = "DELETE FROM breakers WHERE model = :model AND purpose = :purpose"


def listed(connection: PortableConnection) -> list[Breaker]:
    """Every breaker, by model and purpose. Blocking."""
    read = connection.dialect.reader(_COLUMNS)
    return [_breaker(read(row)) for row in connection.rows(_SELECT)]


def put(connection: PortableConnection, breaker: Breaker) -> bool:
    """Store a breaker; `False` where it has changed since it was read. Blocking."""
    values = asdict(breaker) | {"purpose": breaker.purpose.value, "failing": breaker.failing.name}
    return connection.run(_PUT, values) > 0


def drop(connection: PortableConnection, model: str, purpose: CallPurpose) -> None:
    """Forget a breaker. Blocking."""
    connection.run(_DROP, {"model": model, "purpose": purpose.value})


def _breaker(row: Sequence[Any]) -> Breaker:
    return Breaker(
        model=row[0],
        purpose=CallPurpose(row[1]),
        failures=row[2],
        opened=row[3],
        failing=Failing[row[4]],
        since=row[5],
        until=row[6],
        change=row[7],
    )
