"""What becomes of a store in which another hand, or a disk, has changed bytes and removed rows."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any

import anyio
import apsw
import psycopg
import pytest

from remembrancer import Filter, NewObservation, RemembrancerError, Scope, SyncMemory
from remembrancer.types.jobs import StoreFault
from tests.copying.filling import SCOPES, fill
from tests.databases import SECRET, Database
from tests.finding import find_sync

from .requirements import requirement

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
USED = len(SCOPES) if SOAK else 1
# Whose loss is no fault, and why.
NOT_MISSED = {
    "kinds": "words that every opening writes anew",
    "statuses": "words that every opening writes anew",
    "store": "written anew at opening, with the key that it is opened with",
    "leases": "claims of some seconds, taken anew",
    "access_keys": "who may come in; a lost one opens nothing, and `keys list` shows which are left",
    "jobs": "how far work is; what is due is derived from the rest",
    "requests": "answers of a day, which nothing rests on",
    "breakers": "a model that fails is asked once more",
}

_WORDED = ("tags", "metadata", "source", "status", "classification", "trust")
# Texts that hold JSON, or a word of a list, and one that each is damaged to.
DAMAGED: tuple[tuple[str, str, str], ...] = (
    ("records", "tags", "{oops"),
    ("records", "details", "{}"),
    ("versions", "metadata", "5"),
    ("maintenance_runs", "counts", "{oops"),
    ("policies", "details", "{}"),
)
DAMAGED_IN_SOAK = (
    *((table, column, text) for table in ("records", "versions") for column in _WORDED for text in ("{oops", "5")),
    *(("records", "details", text) for text in ("{oops", "5", "{}")),
    *((table, column, text) for table, column, _ in DAMAGED[3:] for text in ("{oops", "5")),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with something in every table."""
    path = tmp_path_factory.mktemp("sound") / "m.db"
    anyio.run(lambda: fill(path, steps=40))
    with opened(path) as memory:
        assert memory.admin.doctor(repair=True) is not None
        memory.admin.doctor(accept_losses=True)
    return path


@pytest.fixture
def file(sound: Path, tmp_path: Path) -> Path:
    """A copy of it to be damaged."""
    return copied(sound, tmp_path / "m.db")


def copied(source: Path, target: Path) -> Path:
    for suffix in ("", ".key"):
        copyfile(f"{source}{suffix}", f"{target}{suffix}")
    for suffix in ("-wal", "-shm"):
        Path(f"{target}{suffix}").unlink(missing_ok=True)
    return target


def opened(path: Path, **settings: Any) -> SyncMemory:
    return SyncMemory(str(path), embedder="hash", background=False, **settings)


def by_hand(path: Path, sql: str, values: Any = ()) -> list[Any]:
    """Run a statement as another program may."""
    with closing(apsw.Connection(str(path))) as connection:
        loosely: Any = connection
        loosely.execute("PRAGMA ignore_check_constraints = ON")
        return list(loosely.execute(sql, values))


def tables(path: Path) -> list[str]:
    rows = by_hand(path, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [row[0] for row in rows]


def known(path: Path, **options: Any) -> dict[StoreFault, tuple[str, ...]]:
    with opened(path) as memory:
        return {item.finding.fault: item.finding.where for item in memory.admin.doctor(**options)}


def used(path: Path) -> None:
    """Everything that people do: all of it goes on."""
    with opened(path) as root:
        for scope in SCOPES[:USED]:
            memory = root.within(scope)
            for record in memory.list(Filter(statuses=["active", "soft-deleted"]), limit=100).records[:3]:
                find_sync(memory, record.id)
            memory.recall("quartz basalt")
            memory.context("quartz")
            memory.context(mode="brief")
            memory.sessions.list()
            memory.sessions.start()
            memory.timeline.between(limit=10)
            memory.admin.stats()
            memory.admin.costs()
            memory.patterns.list()
            memory.facts.list()
            memory.episodes.list()
            memory.rules.list()
            saved = memory.save("A heron came by", evidence=[memory.record("It came", session="after").record.id])
            assert memory.get(saved.record.id).text == "A heron came by"
            memory.governance.erasure.erase(memories=[saved.record.id], reason="a test")
            memory.record("It comes on Mondays", session="monday")
            memory.admin.maintenance.run()
        root.admin.index.rebuild()


def pieces(path: Path) -> Iterator[tuple[str, str, bytes]]:
    """A text of every column of the file that holds any."""
    for table in tables(path):
        for (column,) in by_hand(path, f"SELECT name FROM pragma_table_info('{table}') WHERE type = 'TEXT'"):
            sql = f'SELECT CAST("{column}" AS BLOB) FROM {table} WHERE "{column}" <> \'\' ORDER BY 1 DESC LIMIT 1'
            for (stored,) in by_hand(path, sql):
                yield table, column, stored


def damage(path: Path, table: str, column: str, stored: bytes, place: int) -> None:
    """Make a byte of a text one that is none of UTF-8."""
    hurt = stored[:place] + b"\xff" + stored[place + 1 :]
    for trigger in ("audit_is_not_changed",):
        by_hand(path, f"DROP TRIGGER IF EXISTS {trigger}")
    by_hand(
        path,
        f'UPDATE {table} SET "{column}" = CAST(? AS TEXT) WHERE rowid = ('
        f'SELECT rowid FROM {table} WHERE CAST("{column}" AS BLOB) = ? LIMIT 1)'
        if has_row_numbers(path, table)
        else f'UPDATE {table} SET "{column}" = CAST(? AS TEXT) WHERE CAST("{column}" AS BLOB) = ?',
        (hurt, stored),
    )


def has_row_numbers(path: Path, table: str) -> bool:
    return bool(by_hand(path, "SELECT 1 FROM pragma_table_list WHERE name = ? AND NOT wr", (table,)))


@pytest.fixture
def all_pieces(sound: Path) -> list[tuple[str, str, bytes]]:
    return list(pieces(sound))


@requirement("upkeep.doctor-finds")
def test_a_byte_that_is_no_text_is_named_and_everything_else_goes_on(
    sound: Path, tmp_path: Path, all_pieces: list[tuple[str, str, bytes]]
) -> None:
    for table, column, stored in all_pieces if SOAK else all_pieces[::24]:
        for place in range(len(stored)) if SOAK else [0]:
            path = copied(sound, tmp_path / "m.db")
            damage(path, table, column, stored, place)
            try:
                named = known(path).get(StoreFault.DAMAGED_TEXT, ())
                used(path)
            except Exception as error:
                error.add_note(f"{table}.{column}, byte {place} of {stored!r}")
                raise
            assert any(one.split()[0] == f"{table}.{column}" for one in named), (table, column, named)


@requirement("upkeep.doctor-finds")
def test_a_row_whose_json_or_word_is_damaged_is_named_and_everything_else_goes_on(sound: Path, tmp_path: Path) -> None:
    for table, column, text in DAMAGED_IN_SOAK if SOAK else DAMAGED:
        path = copied(sound, tmp_path / "m.db")
        # The kind that has most in its details.
        which = "kind = 'episode'" if (table, column) == ("records", "details") else "TRUE"
        by_hand(path, f"UPDATE {table} SET {column} = ? WHERE {which}", (text,))
        try:
            named = known(path)[StoreFault.DAMAGED_TEXT]
            mended = known(path, repair=True)[StoreFault.DAMAGED_TEXT]
            used(path)
        except Exception as error:
            error.add_note(f"{table}.{column} = {text}")
            raise
        assert {one.split()[0] for one in (*named, *mended)} == {f"{table}.{column}"}


@requirement("upkeep.doctor-finds")
def test_a_damaged_row_is_left_out_of_what_is_read_and_filtered(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        kept = memory.save(
            NewObservation(text="The heron nests in April", tags=["bird"], metadata={"place": "weir", "type": "note"})
        ).record
        lost = [memory.save(f"The heron nests by weir {place}").record for place in range(2)]
    for record, column in zip(lost, ("tags", "metadata"), strict=True):
        by_hand(file, f"UPDATE records SET {column} = '[oops' WHERE id = ?", (record.id,))
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        everything = {record.id for record in memory.list(limit=1_000).records}
        assert kept.id in everything
        assert not everything & {record.id for record in lost}
        assert [one.id for one in memory.list(Filter(tags=["bird"])).records] == [kept.id]
        assert [one.id for one in memory.list(Filter(metadata={"place": "weir"})).records] == [kept.id]
        assert kept.id in {one.id for one in memory.list(Filter(types=["discovery"]), limit=1_000).records}
        assert [hit.record.id for hit in memory.recall("heron").hits][:1] == [kept.id]
        assert find_sync(memory, lost[0].id) is None
    assert {f"records.tags {lost[0].id}", f"records.metadata {lost[1].id}"} <= set(known(file)[StoreFault.DAMAGED_TEXT])


@requirement("upkeep.doctor-finds")
def test_a_night_does_what_it_can_beside_a_damaged_memory(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(Scope(tenant="nightly"))
        done = [memory.episodes.record(f"Mailed offer {place}") for place in range(3)]
    by_hand(file, "UPDATE records SET details = '{oops' WHERE id = ?", (done[1].record.id,))
    with opened(file) as root:
        memory = root.within(Scope(tenant="nightly"))
        assert memory.admin.maintenance.run().failures == ()
        assert {one.id for one in memory.episodes.list()} == {done[0].record.id, done[2].record.id}


@requirement("upkeep.doctor-finds")
def test_nothing_is_deleted_under_a_legal_hold_that_is_damaged(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        saved = memory.save("The heron nests in April").record
        memory.governance.holds.place("case 7", reason="a court order")
    by_hand(file, "UPDATE policies SET details = '{oops' WHERE kind = 'hold'")
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        with pytest.raises(RemembrancerError, match="legal hold is damaged"):
            memory.governance.erasure.erase(memories=[saved.id], reason="a test")
        assert memory.get(saved.id) == saved
        assert memory.save("The heron sleeps in May").record


@requirement("upkeep.doctor-finds")
def test_a_row_that_another_hand_removed_is_named_and_everything_else_goes_on(sound: Path, tmp_path: Path) -> None:
    for table in tables(sound) if SOAK else tables(sound)[::4]:
        identity = "rowid" if has_row_numbers(sound, table) else keys(sound, table)
        # Entries of the log are counted anew, with the next one, where their count is gone.
        kept = "name <> 'audit'" if table == "counters" else "true"
        rows = by_hand(sound, f"SELECT {identity} FROM {table} WHERE {kept} ORDER BY {identity}")
        assert rows or table in NOT_MISSED
        for row in rows if SOAK else rows[:1]:
            path = copied(sound, tmp_path / "m.db")
            by_hand(path, "DROP TRIGGER IF EXISTS audit_is_not_deleted")
            by_hand(path, f"DELETE FROM {table} WHERE ({identity}) = ({', '.join('?' * len(row))})", row)
            try:
                if table == "migrations":
                    with pytest.raises(RemembrancerError, match="migration"):
                        opened(path).save("anything")
                    continue
                found = known(path)
                used(path)
            except Exception as error:
                error.add_note(f"{table} {row}")
                raise
            assert table in NOT_MISSED or found, (table, row)


@requirement("upkeep.doctor-finds")
def test_the_last_entry_of_a_log_is_missed_whatever_others_wrote_after_it(file: Path) -> None:
    with opened(file) as root:
        root.within(SCOPES[0]).save("The heron nests in April")
        (last,) = by_hand(file, "SELECT MAX(sequence) FROM audit")[0]
        root.within(Scope(tenant="others")).save("The heron nests in May")
    by_hand(file, "DROP TRIGGER audit_is_not_deleted")
    by_hand(file, "DELETE FROM audit WHERE sequence = ?", (last,))
    assert "audit 1" in known(file)[StoreFault.LOST_ROWS]
    assert StoreFault.LOST_ROWS in known(file, accept_losses=True)
    assert StoreFault.LOST_ROWS not in known(file)


def keys(path: Path, table: str) -> str:
    found = by_hand(path, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,))
    return ", ".join(f'"{name}"' for (name,) in found)


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
def test_what_is_no_text_is_mended_so_that_it_can_be_read_and_judged(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        saved = memory.save(
            NewObservation(text="The heron nests in April", title="Herons", metadata={"place": "weir"})
        ).record
    stored = by_hand(file, "SELECT metadata FROM records WHERE id = ?", (saved.id,))[0][0].encode()
    damage(file, "records", "metadata", stored, stored.index(b"weir"))
    damage(file, "records", "text", saved.text.encode(), 4)

    with opened(file) as root:
        memory = root.within(SCOPES[0])
        found = memory.get(saved.id)
        assert (found.text, found.metadata) == ("The \ufffderon nests in April", {"place": "\ufffdeir"})
    assert set(known(file)) >= {StoreFault.DAMAGED_TEXT, StoreFault.WRONG_HASH}
    assert StoreFault.DAMAGED_TEXT in known(file, repair=True)
    assert StoreFault.DAMAGED_TEXT not in known(file)
    with opened(file) as root:
        root.within(SCOPES[0]).edit(saved.id, "The heron nests in April")
    assert known(file) == {}


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
def test_no_mending_makes_another_fingerprint_of_one(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        memory.feedback(memory.save("The heron nests in April").record.id, "wrong")
    for table, column in (("rejections", "words"), ("store", "fingerprint")):
        stored = by_hand(file, f'SELECT CAST("{column}" AS BLOB) FROM {table}')[0][0]
        damage(file, table, column, stored, 0)

    for _ in range(2):
        assert len(known(file, repair=True)[StoreFault.DAMAGED_TEXT]) == 2
    with pytest.raises(RemembrancerError, match="key"):
        opened(file, secret_key="another key, as long as a key has to be").save("anything")
    assert len(known(file)[StoreFault.DAMAGED_TEXT]) == 2


@requirement("upkeep.doctor-finds")
def test_a_word_that_cannot_be_told_leaves_its_row_out(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        saved = memory.save("The heron nests in April", session="the weir").record
    damage(file, "records", "session", b"the weir", 0)

    with opened(file) as root:
        memory = root.within(SCOPES[0])
        assert find_sync(memory, saved.id) is None
        assert saved.id not in {record.id for record in memory.list(limit=1_000).records}
    assert f"records.session {saved.id}" in known(file)[StoreFault.DAMAGED_TEXT]
    known(file, repair=True)
    with opened(file) as root:
        assert root.within(SCOPES[0]).get(saved.id).session == "\ufffdhe weir"


@requirement("upkeep.doctor-finds")
def test_losses_are_told_until_a_person_takes_them_as_they_are(file: Path) -> None:
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        said = [memory.record(f"The heron, {place}", session="at the weir").record for place in range(3)]
    by_hand(file, "DELETE FROM records WHERE id = ?", (said[1].id,))

    assert set(known(file, repair=True)) >= {StoreFault.LOST_ROWS, StoreFault.NUMBER_GAP}
    assert set(known(file)) >= {StoreFault.LOST_ROWS, StoreFault.NUMBER_GAP}
    assert set(known(file, accept_losses=True)) >= {StoreFault.LOST_ROWS, StoreFault.NUMBER_GAP}
    assert known(file) == {}
    with opened(file) as root:
        memory = root.within(SCOPES[0])
        assert memory.record("The heron again", session="at the weir").record.number == 4


@requirement("upkeep.doctor-finds")
def test_a_changed_audit_log_is_named(file: Path) -> None:
    by_hand(file, "DROP TRIGGER audit_is_not_changed")
    by_hand(file, "UPDATE audit SET count = count + 1 WHERE sequence = 3")
    assert known(file) == {StoreFault.BROKEN_CHAIN: ("entry 3",)}


@requirement("upkeep.doctor-finds")
def test_a_row_removed_from_a_server_is_named(database: Database) -> None:
    with SyncMemory(database.serving_url, secret_key=SECRET, embedder="hash", background=False) as root:
        memory = root.within(SCOPES[0])
        said = [memory.record(f"The heron, {place}", session="at the weir").record for place in range(3)]
        saved = memory.save(NewObservation(text="The heron nests in April", key="once", evidence=[said[0].id])).record
        memory.edit(saved.id, "The heron nests in May")
        memory.facts.set("bird", "A heron")
        memory.admin.maintenance.run()
        assert root.admin.doctor() == []
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            for table in ("sessions", "versions", "evidence", "idempotency_keys", "maintenance_runs", "records"):
                row = f"DELETE FROM remembrancer.{table} WHERE ctid = (SELECT ctid FROM remembrancer.{table} LIMIT 1)"
                removed = admin.execute(row.encode()).rowcount
                assert removed == 1
                lost = [
                    item.finding.where for item in root.admin.doctor() if item.finding.fault is StoreFault.LOST_ROWS
                ]
                assert [where.split()[0] for where in lost[0]].count(table) == 1
        root.admin.doctor(accept_losses=True, repair=True)
        assert {item.finding.fault for item in root.admin.doctor()} <= {
            StoreFault.BROKEN_EVIDENCE,
            StoreFault.ORPHAN_INDEX_ROW,
        }
