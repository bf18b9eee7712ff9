"""Every table has an owner, is strict, and is emptied by erasure, or is on a list with the reason why not."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import remembrancer
from remembrancer import NewObservation, SyncMemory

Values = Sequence[object] | Mapping[str, object]
MIGRATIONS = Path(remembrancer.__file__).parent / "storage/sqlite/migrations"

# An applied migration never changes: write another one. Recorded when a migration is released.
RELEASED = {
    "0001_initial.sql": "a4e23d5c386b05d0eed1753c0eaab09c5791bec8e43974365a87ff071264970b",
    "0002_versions_say_who.sql": "6ea856188604cde5a99a674036ab05585678d277de635bc9007a451bd962f793",
    "0003_rejections.sql": "a21b9632d05522a833333f15b1b7da3628b36062bffefbf175bd7c2326e86e2e",
    "0004_memories_at_start.sql": "78830f9a4581e7528b321ade9ab06f373f05ba99316f2f23125424cad7cef683",
    "0005_breakers.sql": "cdb23ecef43c5ae258eb215a71e74ffa5c8c14c7b116e8d64a6998c7025fc064",
    "0006_nights_of_their_day.sql": "7b0c5529aa221fbca09bf06d5554eda87217c4762ecec9adcc48b042a0c101dc",
    "0007_notes_called_wrong.sql": "44c6e57205c0a3e089b549292aeffb33d2acbe605b1c39cc249a9f8bef1aa92c",
    "0008_readings.sql": "79bc3ac30818e8930490e29b8a5b16f4eb43c61e614a4b893fc4cf21c57ff417",
    "0009_keys_before_the_rest.sql": "fe2d6e2fb69055cf1f8a93484e110be689cdfa652d8797086b2c5dc90db637d4",
    "0010_tallies.sql": "5272fc7c2bb3498e0f71b5fa27429619c0f118178f46dd6d2f3c9b3497fdfb18",
    "0011_ask.sql": "77631ae02022e8c0d619d22af9b125103041528c1dbf4656ad1c01fc48c0450f",
    "0012_newest_at_start.sql": "074cde2b4e5569a6e25c24583070814f5f65a194303a0c92e0cb72c83f1fea3e",
    "0013_service.sql": "95cf12f784428457f5abcd6187d6ea0c5e280dac405cd37c60cda0320eb5b84a",
    "0014_answering.sql": "cd00b651ede5d91e616ee92c0d0007649668cd507a1f575e91627289c7d02f06",
    "0015_one_form_of_names.sql": "b1ce65a2e4640f8a42e153617bc79152af6b98bd6fc46f98c37ac25c007934b0",
    "0016_keys_of_several_tenants.sql": "3255026fe1a0084492399ffc14cd98cbdd362eabc407c88dc279760bb3667a53",
    "0017_valid_until.sql": "046b8ab5ed1edcde672e910478485696033e725f31f8298639589351e2c31d4e",
    "0018_names.sql": "8cf2cad6108eedb6a2adb9ecf9e2a0b9b48de7c4510e9183f9dcf8e406ea9180",
    "0019_latest_of_a_tenant.sql": "34c09b01058aa866770e2a3fcee65446883a22b40eda8d3c0f39d049c1631d02",
    "0020_large_scopes.sql": "66fdcc9286c16fb6cb9c96267ebd866a3efa367110d0eae20cbaaff2d676fed6",
}

WITHOUT_SCOPE = {
    "scopes": "is what `scope` points to, and has the tenant",
    "migrations": "belongs to the whole store",
    "store": "belongs to the whole store",
    "kinds": "words, the same in every store",
    "statuses": "words, the same in every store",
    "generations": "belongs to the whole store: one embedder serves all scopes",
    "audit": "names its scope by a fingerprint only, and has the tenant",
    "leases": "names work by a fingerprint, for as long as it lasts",
    "breakers": "belongs to the whole store: one provider serves all scopes",
    "access_keys": "names a scope that need hold nothing yet, and has the tenant",
    "jobs": "names a scope that need hold nothing yet, and has the tenant",
}
WITHOUT_TENANT = {"migrations", "store", "generations", "leases", "breakers", "kinds", "statuses"}

# What of a record a table may hold, counted in a store with that one record and its like.
ERASED = {
    "records": "SELECT COUNT(*) FROM records WHERE id = :id",
    "versions": "SELECT COUNT(*) FROM versions WHERE id = :id",
    "evidence": "SELECT COUNT(*) FROM evidence WHERE id = :id",
    "idempotency_keys": "SELECT COUNT(*) FROM idempotency_keys WHERE record = :id",
    "injections": "SELECT COUNT(*) FROM injections WHERE record = :id",
    "verdicts": "SELECT COUNT(*) FROM verdicts WHERE record = :id",
    "weights": "SELECT COUNT(*) FROM weights WHERE record = :id",
    "document_terms": "SELECT COUNT(*) FROM document_terms WHERE document = :document",
    "postings": "SELECT COUNT(*) FROM postings WHERE term = :term",
    "vectors": "SELECT COUNT(*) FROM vectors WHERE document = :document",
    "requests": "SELECT COUNT(*) FROM requests",
}
NOT_ERASED = {
    "chunks": "outlives the messages in it: what it says of their task is emptied, as tested beside erasure",
    "rejections": "outlives what was rejected: fingerprints of its words and of its id, no text",
    "logs": "says how long the log of a session is; no text",
    "scopes": "names and counters of a scope, no text",
    "sessions": "outlives the records in it: a number that was given is never given again",
    "generations": "says which model the vectors are of",
    "policies": "says what operators have set for scopes: kinds, classes, days; no text of any memory",
    "imports": "says from where conversations were imported, and how many messages each has, by fingerprints",
    "tombstones": "says by a fingerprint of its id that a message was erased, so that no import brings it back",
    "calls": "says which model was asked for what, and what it cost; no text of question or answer",
    "blocks": "says how long blocks were and what they spared; no text, and no ids of records",
    "counters": "counts rows by the names of tables",
    "maintenance_runs": "says how far nightly runs have come, in numbers",
    "audit": "is append-only, and holds fingerprints instead of ids and no text",
    "migrations": "says which files were applied",
    "leases": "names work by a fingerprint, for as long as it lasts",
    "breakers": "names models, and says how often they failed; no text of question or answer",
    "access_keys": "says who may come in, by a name and a fingerprint; no text of any memory",
    "jobs": "says how far work is, in numbers; no text, and no ids of records",
    "store": "says which key opens the store, by its fingerprint, with its own sealed under that, and which analyser",
    "kinds": "words, the same in every store",
    "statuses": "words, the same in every store",
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SyncMemory]:
    with SyncMemory(str(tmp_path / "m.db"), embedder="hash", background=False) as memory:
        yield memory


@pytest.fixture
def database(memory: SyncMemory, tmp_path: Path) -> Iterator[apsw.Connection]:
    memory.record("so that the file is there", session="first")
    with closing(apsw.Connection(str(tmp_path / "m.db"), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        yield connection


def query(database: apsw.Connection, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
    loosely: Any = database  # apsw's own types are of a Python newer than ours
    return list(loosely.execute(sql, values))


def tables(database: apsw.Connection) -> list[str]:
    rows = query(database, "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return sorted(str(row[0]) for row in rows)


def columns(database: apsw.Connection, table: str) -> set[str]:
    return {str(row[0]) for row in query(database, "SELECT name FROM pragma_table_info(?)", (table,))}


def count(database: apsw.Connection, sql: str, values: Values) -> int:
    return query(database, sql, values)[0][0]


def test_a_released_migration_has_not_changed() -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in MIGRATIONS.glob("*.sql")}
    assert found == RELEASED


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    numbers = sorted(int(file.name.split("_")[0]) for file in MIGRATIONS.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_no_table_without_row_ids_ends_with_a_column_of_its_key(database: apsw.Connection) -> None:
    """SQLite before 3.41 would call the columns before that one damaged."""
    ends = query(
        database,
        """
        SELECT name, (SELECT pk FROM pragma_table_info(tables.name) ORDER BY cid DESC LIMIT 1)
        FROM pragma_table_list AS tables
        WHERE type = 'table' AND wr AND EXISTS (SELECT 1 FROM pragma_table_info(tables.name) WHERE pk = 0)
        """,
    )
    assert [table for table, in_key in ends if in_key] == []


def test_every_table_names_its_scope_and_its_tenant(database: apsw.Connection) -> None:
    found = tables(database)
    assert {table for table in found if "scope" not in columns(database, table)} == set(WITHOUT_SCOPE)
    assert {table for table in found if "tenant" not in columns(database, table)} == WITHOUT_TENANT


def test_every_table_with_a_scope_has_an_index_that_starts_with_it(database: apsw.Connection) -> None:
    leading = (
        "SELECT 1 FROM pragma_index_list(?) AS i JOIN pragma_index_info(i.name) AS c WHERE c.seqno = 0 AND c.name = ?"
    )
    unled = [
        table
        for table in tables(database)
        if table not in WITHOUT_SCOPE and not query(database, leading, (table, "scope"))
    ]
    assert unled == []


def test_every_table_is_strict(database: apsw.Connection) -> None:
    listed = "SELECT name, strict FROM pragma_table_list WHERE type = 'table'"
    strict = dict(query(database, listed))
    assert {table: strict[table] for table in tables(database)} == dict.fromkeys(tables(database), 1)


def test_every_table_is_on_one_of_the_two_lists_of_erasure(database: apsw.Connection) -> None:
    assert sorted([*ERASED, *NOT_ERASED]) == tables(database)


def test_erasing_empties_every_table_of_a_record(memory: SyncMemory, database: apsw.Connection) -> None:
    source = memory.record("Ana said so", session="first").record
    memory.save("she keeps a tortoise", topic_key="pet", evidence=[source.id])
    saved = memory.save(NewObservation(text="she keeps a quokka", topic_key="pet", key="once")).record
    memory.context("first", mode="brief")
    memory.admin.flush()
    memory.sessions.set_outcome("first", "rework")
    memory.feedback(saved.id, "right")
    asked = memory._open()  # pyright: ignore[reportPrivateUsage] -- what only services reach
    begin = partial(asked.authenticator.begin, runs_for=timedelta(minutes=1))
    memory._portal.call(begin, asked.caller, "k", "save")  # pyright: ignore[reportPrivateUsage] -- where it runs
    document = count(database, "SELECT document FROM records WHERE id = ?", (saved.id,))
    values = {"id": saved.id, "document": document, "term": "quokka"}
    assert {table: count(database, sql, values) > 0 for table, sql in ERASED.items()} == dict.fromkeys(ERASED, True)

    memory.governance.erasure.erase(memories=[saved.id], reason="a test")

    assert {table: count(database, sql, values) for table, sql in ERASED.items()} == dict.fromkeys(ERASED, 0)


def test_no_table_and_no_file_holds_the_words_of_an_erased_record(
    memory: SyncMemory, database: apsw.Connection, tmp_path: Path
) -> None:
    saved = memory.save("her first pet was a tortoise", title="Fauna", tags=["zoology"], topic_key="menagerie").record
    memory.save("her second pet is a quokka", title="Marsupial", topic_key="menagerie")

    memory.governance.erasure.erase(memories=[saved.id], reason="a test")

    words = ("tortois", "quokka", "fauna", "zoology", "menagerie", "marsupial", saved.id)
    held = [
        (table, word)
        for table in tables(database)
        for row in query(database, f'SELECT * FROM "{table}"')
        for word in words
        if any(word in str(value).casefold() for value in row)
    ]
    assert held == []
