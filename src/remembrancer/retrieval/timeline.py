"""Looking along time: what stood around a record, what was said between two dates, what changed between two."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.model.change import Version
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import LIVE, Status
from remembrancer.model.page import Page
from remembrancer.model.record import Record
from remembrancer.ports.tx import Tx

AROUND = 5
# Going back in time, neighbours that have come or gone since are among those that are looked at.
LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A record with what came before and after it in its session, oldest first."""

    before: tuple[Record, ...]
    record: Record
    after: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A record as it read at the earlier and at the later time."""

    before: Record
    after: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What became known, read differently, or was given up between two times; each in order of id."""

    learnt: tuple[Record, ...]
    changed: tuple[Changed, ...]
    retired: tuple[Record, ...]


async def around(tx: Tx, id: str, *, before: int, after: int, as_of: datetime | None) -> Around:
    """A record and its neighbours in time.

    Raises:
        NotFound: no such memory here, or it was not known then.
    """
    record = await tx.records.find(id)
    if record is None or (record.status is Status.DELETED and as_of is None):
        raise NotFound("memory", id)
    if as_of is None:
        earlier, later = await _beside(tx, record, before=before, after=after, statuses=LIVE)
        return Around(before=tuple(earlier), record=record, after=tuple(later))
    then = await _then(tx, [record], as_of)
    if not then:
        raise NotFound("memory", id)
    earlier, later = await _beside(tx, record, before=LOOKED_AT, after=LOOKED_AT, statuses=tuple(Status))
    stood = await _then(tx, earlier, as_of)
    return Around(
        before=tuple(stood[len(stood) - min(before, len(stood)) :]),
        record=then[0],
        after=tuple((await _then(tx, later, as_of))[:after]),
    )


async def _beside(
    tx: Tx, record: Record, *, before: int, after: int, statuses: tuple[Status, ...]
) -> tuple[list[Record], list[Record]]:
    if record.session is None:
        return [], []
    return await tx.records.around(record, before=before, after=after, statuses=statuses)


async def between(
    tx: Tx, since: datetime | None, until: datetime | None, *, limit: int, cursor: str | None, as_of: datetime | None
) -> Page:
    """What was said and claimed between two dates, newest first; as it read at `as_of`, where that is given."""
    statuses = LIVE if as_of is None else tuple(Status)
    page = await tx.records.list(Filter(since=since, until=until, statuses=statuses), limit=limit, cursor=cursor)
    if as_of is None:
        return page
    return Page(records=tuple(await _then(tx, page.records, as_of)), cursor=page.cursor)


async def diff(tx: Tx, earlier: datetime, later: datetime) -> Diff:
    """What changed between two times of knowing.

    Raises:
        InvalidInput: the second time lies before the first.
    """
    if later < earlier:
        raise InvalidInput("the second time lies before the first; exchange them")
    versions = await tx.versions.between(known_from=earlier, known_to=later)
    ids = sorted({version.record.id for version in versions})
    before = {id: record for id in ids if (record := _standing(versions, id, earlier))}
    after = {id: record for id in ids if (record := _standing(versions, id, later))}
    return Diff(
        learnt=tuple(after[id] for id in ids if id in after and id not in before),
        changed=tuple(
            Changed(before=before[id], after=after[id])
            for id in ids
            if id in before and id in after and before[id].updated_at != after[id].updated_at
        ),
        retired=tuple(before[id] for id in ids if id in before and id not in after),
    )


def _standing(versions: list[Version], id: str, at: datetime) -> Record | None:
    """A record as it was served at a time; `None` where it was not."""
    for version in versions:
        stood = version.since <= at and (version.until is None or at < version.until)
        if version.record.id == id and stood:
            return version.record if version.record.status in LIVE else None
    return None


async def _then(tx: Tx, records: list[Record] | tuple[Record, ...], at: datetime) -> list[Record]:
    """Records as they were served at a time; those unknown or not active then are left out."""
    versions = [await tx.versions.at(record.id, at) for record in records]
    return [version for version in versions if version is not None and version.status in LIVE]
