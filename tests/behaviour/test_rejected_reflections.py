"""Reflections by a model that are refused: the store stays as it was, and what stands is sound, or by the words."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import apsw
import pytest

from bench.replaying import caught_up
from remembrancer import ContextRequest, Memory, Observation, Reflection
from remembrancer.errors import ProviderUnavailable
from remembrancer.learn.reflector import WORDS
from remembrancer.testing import ScriptedModel
from remembrancer.types.calls import Usage
from tests.engines.test_reflecting_by_asking import answered, insight

from .opener import Opener
from .requirements import requirement

# No block differs by the time.
pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("clock")]

# Where the store makes no difference.
ON_DISK = pytest.mark.parametrize("where", ["sqlite"], indirect=True)
# Long logs stay as they are, where nobody asks for a reflection.
LONG: dict[str, Any] = {"observe_tokens": 100, "reflect_tokens": 100_000, "audit_reads": False}
SHORT: dict[str, Any] = {"observe_tokens": 100, "reflect_tokens": 100, "observe_model": "none", "model_retries": 0}
# Stands in no message, so that it is in a store only where an answer was kept.
MARK = "quokka"
TOLD = "The rooms are painted in red and green."
SOUND = answered(insight(text=TOLD, sources=[1, 2, 3, 4], priority=5))
UNSOUND: dict[str, str] = {
    "garbage": f"The {MARK} likes the log as it is.",
    "half JSON": SOUND.replace("rooms", MARK)[:-9],
    "nothing": "",
    "null": "null",
    "an invented source": answered(insight(text=MARK, sources=[999])),
    "an invented number": answered(insight(text=f"{MARK} 777", sources=[1, 2], priority=5)),
    "an invented date": answered(insight(text=MARK, sources=[1, 2], priority=5, refers_to="2031-05-05")),
    "what is grave for what is not": answered(insight(text=MARK, sources=[1, 2], priority=4)),
    "what is grave for nothing": answered(drop=[1, 2]),
    "no source": answered(insight(text=MARK, sources=[])),
    "no text": answered(insight(text=" \n", sources=[1, 2])),
    "a NUL": answered(insight(text=f"{MARK}\0", sources=[1, 2])),
    "no shorter": answered(),
    "longer": answered(insight(text=" ".join(f"{MARK} {number}" for number in range(999)), sources=[1, 2])),
    "endless": answered(insight(text=f"{MARK} " * 400, sources=[1, 2])),
}

_COLUMNS = """
SELECT t.name, GROUP_CONCAT(c.name, ' ' ORDER BY c.cid)
FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
WHERE t.type IN ('table', 'shadow')
GROUP BY t.name
"""

Tables = Mapping[str, Sequence[Mapping[str, Any]]]


class Shelf:
    """The tables of a store, read by another road than the product's; what models were asked is left out of them."""

    def __init__(self, where: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
        self._db: str = where["db"]
        self._admin_url = request.getfixturevalue("database").admin_url if "://" in self._db else ""

    def tables(self) -> Tables:
        """Every row of every table."""
        found = self._of_server() if self._admin_url else self._of_file()
        assert {"records", "sessions", "chunks", "logs", "audit"} <= found.keys()
        counters = [row for row in found["counters"] if row["name"] not in ("calls", "changes", "audit")]
        # The audit log says what was dropped of an answer, and nothing else.
        audit = [row for row in found["audit"] if row["action"] != "refused"]
        left = {name: rows for name, rows in found.items() if name not in ("calls", "breakers", "sqlite_sequence")}
        return left | {"counters": counters, "audit": audit}

    def _of_file(self) -> Tables:
        # Through the same SQLite as the product's: with two of them in one process the locks of both are lost.
        with closing(apsw.Connection(self._db, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            loosely: Any = connection  # apsw's own types are of a Python newer than ours
            found: dict[str, list[dict[str, Any]]] = {}
            for table, columns in loosely.execute(_COLUMNS).fetchall():
                names = columns.split()
                rows = loosely.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()
                found[table] = [dict(zip(names, row, strict=True)) for row in rows]
            return found

    def _of_server(self) -> Tables:
        # Loaded only by the tests that need it.
        import psycopg
        from psycopg import sql

        with psycopg.connect(self._admin_url) as admin:
            names = admin.execute(
                "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'remembrancer%'"
            ).fetchall()
            return {
                table: [
                    row
                    for (row,) in admin.execute(
                        sql.SQL("SELECT to_jsonb(one) FROM {} one ORDER BY 1").format(sql.Identifier(schema, table))
                    )
                ]
                for schema, table in names
            }


@pytest.fixture
def shelf(where: dict[str, Any], request: pytest.FixtureRequest) -> Shelf:
    return Shelf(where, request)


async def said(memory: Memory, *, rooms: range = range(1, 17)) -> None:
    """Messages that were observed, and what was noted of them is told."""
    for room in rooms:
        colour = ("red", "green", "blue")[room % 3]
        await memory.record(f"I decided on {room} May 2026 that room {room} is painted {colour}.", session="talk")
    await memory.notes.observe("talk")
    await memory.admin.flush()


async def block(memory: Memory) -> str:
    return (await memory.context(ContextRequest(session="talk", recall=False, record_access=False))).text


def without_bookkeeping(tables: Tables) -> Tables:
    """Tables without how much has come since a log was last reflected on: without that it would be without end."""
    logs = [{name: value for name, value in row.items() if name != "fresh"} for row in tables["logs"]]
    return {**tables, "logs": logs}


@requirement("reflecting.refused-changes-nothing")
@pytest.mark.parametrize(
    ("where", "names"),
    [("sqlite", tuple(UNSOUND)), ("postgres", ("half JSON", "an invented source", "an invented number", "no shorter"))],
    indirect=["where"],
    ids=["sqlite", "postgres"],
)
async def test_a_reflection_that_is_refused_leaves_every_table_and_the_block_as_they_were(
    opener: Opener, shelf: Shelf, names: Sequence[str]
) -> None:
    memory = await opener(**LONG)
    await said(memory)
    answer = ""
    model = ScriptedModel(lambda _: answer)
    reflecting = await opener(**SHORT, model=model)
    before, text = shelf.tables(), await block(memory)
    assert await reflecting.notes.reflect("talk") == 0
    after = shelf.tables()
    assert after != before
    assert without_bookkeeping(after) == without_bookkeeping(before)

    before, wrong = shelf.tables(), list[str]()
    for name in names:
        # Asked again each time, as long as its failures are not in a row.
        await reflecting.admin.doctor(repair=True)
        before = shelf.tables()
        answer, asked = UNSOUND[name], len(model.asked)
        assert await reflecting.notes.reflect("talk") == 0
        assert len(model.asked) - asked in (4, 8), "at four levels, and where the shape is broken once more at each"
        if shelf.tables() != before or await block(memory) != text:
            wrong.append(name)
    assert wrong == []
    assert MARK not in repr(before)
    (total,) = (await reflecting.admin.costs(days=1)).totals
    assert total.calls == len(model.asked)


@requirement("reflecting.refused-changes-nothing")
@ON_DISK
async def test_a_log_whose_reflection_was_refused_is_reflected_on_again_only_when_it_has_grown(opener: Opener) -> None:
    await said(await opener(**LONG))
    model = ScriptedModel(lambda _: UNSOUND["garbage"])
    memory = await opener(**SHORT, model=model)
    await caught_up(memory)
    asked = len(model.asked)
    assert asked == 8
    for _ in range(3):
        await caught_up(memory)
        await memory.context("talk")
    assert len(model.asked) == asked

    await said(memory, rooms=range(17, 33))
    await caught_up(memory)
    assert len(model.asked) == 2 * asked


@requirement("reflecting.refused-changes-nothing")
async def test_of_several_answers_only_what_is_sound_stands(opener: Opener, shelf: Shelf) -> None:
    await said(await opener(**LONG))
    refused = [UNSOUND["an invented source"], UNSOUND["an invented number"], UNSOUND["no shorter"]]
    memory = await opener(**SHORT, model=ScriptedModel([*refused, SOUND]))
    before = {record.id for record in await memory.notes.log("talk")}
    assert await memory.notes.reflect("talk") > 0
    (made,) = [record for record in await memory.notes.log("talk") if record.id not in before]
    assert (made.text, made.model, set(made.evidence) <= before) == (
        TOLD,
        "scripted:model",
        True,
    )
    assert MARK not in repr(shelf.tables())


def told(log: Sequence[Observation]) -> list[tuple[object, ...]]:
    return [(isinstance(one, Reflection), one.text, one.priority, one.engine, one.model) for one in log]


FALLING_SHORT: dict[str, tuple[list[str | Exception], dict[str, Any]]] = {
    "it is away after two refusals": (
        [UNSOUND["an invented source"], UNSOUND["no shorter"], ProviderUnavailable("status 500", lasting=True)],
        {},
    ),
    "nothing more may be spent after a refusal": ([UNSOUND["no shorter"]], {"budget_day_tokens": 36_000}),
}


@requirement("reflecting.falls-back-to-words")
@ON_DISK
@pytest.mark.parametrize("name", FALLING_SHORT)
async def test_where_a_model_falls_short_what_stands_is_what_the_words_alone_make_of_it(
    opener: Opener, shelf: Shelf, name: str
) -> None:
    memory = await opener(**LONG)
    await said(memory)
    within_another = await opener(**LONG, user="another")
    await said(within_another)
    words = await opener(**SHORT, user="another")
    await words.notes.reflect("talk")

    script, given = FALLING_SHORT[name]
    model = ScriptedModel(script, usage=Usage(prompt=9_000, cached=0, answer=0))
    asking = await opener(**SHORT, **given, model=model)
    assert await asking.notes.reflect("talk") > 0
    assert model.left == 0
    assert told(await asking.notes.log("talk")) == told(await words.notes.log("talk"))
    assert {one.engine for one in await asking.notes.log("talk") if isinstance(one, Reflection)} == {WORDS}
    assert await block(memory) == await block(within_another)
    assert MARK not in repr(shelf.tables())


@requirement("reflecting.falls-back-to-words")
@ON_DISK
async def test_past_the_deadline_of_a_reflection_the_words_reflect(opener: Opener) -> None:
    await said(await opener(**LONG))
    memory = await opener(**SHORT, reflect_seconds=0.2, model=ScriptedModel(lambda _: SOUND, delay=60.0))
    assert await memory.notes.reflect("talk") > 0
    assert {one.engine for one in await memory.notes.log("talk") if isinstance(one, Reflection)} == {WORDS}
