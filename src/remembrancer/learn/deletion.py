"""Taking a memory away, and back: deleting means soft, erasing means gone."""

from collections.abc import Set
from contextlib import suppress

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.learn import patterns as learned
from remembrancer.learn.compact import records as compacting
from remembrancer.learn.sessions import is_own_summary, is_summed_up, sum_up_with
from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import all_of, own, resting_on
from remembrancer.transactions.rejections import CLAIMING, PUT_ASIDE, check_standing, whole_words_of
from remembrancer.transactions.write import DELETED, EXPIRED, RESTORED, Writing
from remembrancer.types.feedback import Rejection
from remembrancer.types.lifecycle import GRACE, Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Episode, Observation, Record, Rule, Signal
from remembrancer.types.results import Change
from remembrancer.types.text import hashes_of


async def delete(writing: Writing, id: str, *, erase: bool = False, revision: int | None = None) -> frozenset[str]:
    """Take a memory out of every read at once; with `erase`, for good, its wordings, indexes and vectors too.

    What an engine drew from it goes with it: on deletion what rests on nothing else that stands; on erasure all of it,
    but for what was counted in three others at least and tells nothing of this one, and for what people said of that.
    A summary of our own quotes, and goes with any of what it rests on.

    Returns:
        The sessions whose summary went with it: `sessions.sum_up_again` makes one of what is left.

    Raises:
        NotFound: no such memory here, or it is deleted already.
        NotAllowed: it belongs to a wider scope.
        Outdated: it is at another revision than `revision`, where that is given.
    """
    record = await own(writing.tx, id, revision=revision)
    if record.status is Status.DELETED and not erase:
        raise NotFound("memory", id)
    unsummed = set[str]()
    await _taken_away(writing.as_engine(), record, erase=erase, unsummed=unsummed)
    return frozenset(unsummed)


async def expire(writing: Writing, record: Record) -> None:
    """Take a memory out of every read because its time is over; what rests on it has a time of its own."""
    await writing.as_engine().move(record, Status.DELETED, action=EXPIRED)


async def purge(writing: Writing, record: Record) -> None:
    """Remove a deleted memory for good, because its grace is over, and with it what quotes it."""
    behind = writing.as_engine()
    await _forbid_conclusions(behind, record)
    if isinstance(record, Episode):
        await compacting.release(behind, record, kept=True)
    quoting = [one for one in await drawn_from(behind.tx, record.id) if _is_counter(one) or _was_summary(one)]
    await behind.erase(record)
    if not isinstance(record, Episode):
        for one in quoting:
            # A legal hold may be on what quotes it.
            with suppress(NotAllowed):
                await behind.erase(one)


async def _taken_away(writing: Writing, record: Record, *, erase: bool, unsummed: set[str]) -> None:
    """A memory that is gone, and with it what was drawn from it; the sessions that lost their summary are noted."""
    tx = writing.tx
    drawn = await drawn_from(tx, record.id)
    covers = await compacting.covering(tx, record, ever=erase) if isinstance(record, Episode) else []
    if erase:
        await _forbid_conclusions(writing, record)
        for cover in covers:
            await _uncover(writing, cover)
        if isinstance(record, Episode):
            await compacting.release(writing, record, kept=True)
        await writing.erase(record)
    else:
        await writing.move(record, Status.DELETED, action=DELETED)
        await compacting.retell(writing, covers)
    for conclusion in drawn:
        if erase:
            # One may have gone with another.
            left = await tx.records.find(conclusion.id)
            if isinstance(left, Observation) and await learned.stands_without(tx, left, record):
                await learned.lost(writing, left)
            elif left is not None and not (isinstance(record, Episode) and _is_counter(left)):
                unsummed |= _session_unsummed(left)
                await _taken_away(writing, left, erase=True, unsummed=unsummed)
        elif conclusion.status is not Status.DELETED and not await stands(tx, conclusion):
            unsummed |= _session_unsummed(conclusion)
            await _taken_away(writing, conclusion, erase=False, unsummed=unsummed)


async def _forbid_conclusions(writing: Writing, record: Record) -> None:
    """Keep out what people concluded from a memory that a person has rejected: soon nothing tells that it was."""
    tx = writing.tx
    found: list[Record] = [record] if await tx.rejections.of(record.id) else []
    seen = {record.id}
    while found:
        resting = [one for source in found for one in await resting_on(tx, source.id)]
        found = [one for one in resting if isinstance(one, CLAIMING) and one.scope == tx.scope and one.id not in seen]
        seen.update(one.id for one in found)
        words = {word for one in found for word in whole_words_of(one, sign=writing.rules.sign)}
        await writing.note(*(Rejection(words=word, record=record.id) for word in sorted(words)))


async def _uncover(writing: Writing, cover: Episode) -> None:
    """Erase a compact record, which tells of what is erased; the others it stands for are told by a later one."""
    if await writing.tx.records.find(cover.id) is None:
        # It went with another one.
        return
    for above in await compacting.covering(writing.tx, cover, ever=True):
        await _uncover(writing, above)
    await compacting.release(writing, cover)
    await writing.erase(cover)


async def restore(writing: Writing, id: str) -> Record:
    """A deleted memory as it was before, or an archived one, active again.

    Raises:
        NotFound: no such memory here.
        Conflict: it is neither, or another has taken its place since.
    """
    record = await own(writing.tx, id)
    restored = await bring_back(writing, record)
    if record.status is Status.DELETED:
        await sum_up_with(writing, record)
    return restored


async def bring_back(writing: Writing, record: Record) -> Record:
    """A memory as `restore` gives it, without a summary anew of its session.

    Raises:
        Conflict: it is neither deleted nor archived, or another has taken its place since.
    """
    id = record.id
    if record.status is Status.DELETED and record.updated_at + GRACE < writing.now:
        raise Conflict(f"memory {id!r} was deleted more than {GRACE.days} days ago, and can be restored no longer")
    if record.status is Status.DELETED and is_own_summary(record) and not await stands(writing.tx, record):
        raise Conflict(f"memory {id!r} is a summary that quotes what is deleted; restore that first")
    if record.status is Status.DELETED and isinstance(record, Observation):
        other = await _taken(writing.tx, record)
        if other is not None:
            place = f"the topic key {record.topic_key!r}" if record.topic_key else "the same text"
            raise Conflict(f"memory {other.id!r} has {place} now; delete that one first")
    return await _brought_back(writing.as_engine(), record)


async def _brought_back(writing: Writing, record: Record) -> Record:
    tx = writing.tx
    if record.status is Status.ARCHIVED:
        return await writing.move(record, Status.ACTIVE, action=RESTORED)
    if record.status is not Status.DELETED:
        raise Conflict(f"memory {record.id!r} is neither deleted nor archived, but {record.status}")
    before = await _before(writing, record)
    if isinstance(record, CLAIMING) and before in (Status.ACTIVE, Status.BUFFERED):
        await check_standing(tx, await all_of(tx, record.evidence), sign=writing.rules.sign)
    if isinstance(record, Episode):
        before = await compacting.settled(tx, record, before)
    result = await writing.change(record, await back_to(tx, record, before), action=RESTORED)
    if isinstance(result, Episode):
        await compacting.retell(writing, await compacting.covering(tx, result))
    for conclusion in await drawn_from(tx, record.id):
        taken = await _taken(tx, conclusion) if isinstance(conclusion, Observation) else None
        if is_own_summary(conclusion) and await is_summed_up(tx, conclusion.session):
            continue
        if conclusion.status is Status.DELETED and not taken and await stands(tx, conclusion):
            # What a person has rejected besides stays away.
            with suppress(NotAllowed):
                await _brought_back(writing, conclusion)
    return result


async def _before(writing: Writing, record: Record) -> Status:
    """The status that a deleted memory had; one whose rejection was taken back meanwhile is not rejected again."""
    versions = writing.tx.versions
    before = await versions.status_before(record.id, apart_from=(Status.DELETED,))
    if before not in PUT_ASIDE or await writing.tx.rejections.of(record.id):
        return before
    return await versions.status_before(record.id, apart_from=(*PUT_ASIDE, Status.DELETED))


async def back_to(tx: Tx, record: Record, status: Status) -> Change:
    """The change that gives a memory back a status: a note whose messages have given way meanwhile is shown."""
    if status is Status.BUFFERED and isinstance(record, Observation) and (place := await _shown_at(tx, record)):
        return Change(status=Status.ACTIVE, place=place)
    return Change(status=status)


async def _shown_at(tx: Tx, note: Observation) -> int | None:
    """Where a note belongs in the log whose messages have given way while it was deleted: behind those beside it."""
    chunks = await tx.chunks.list(note.session) if note.session else []
    return next((chunk.place for chunk in chunks if chunk.first <= note.first <= chunk.last), None)


async def drawn_from(tx: Tx, id: str) -> list[Record]:
    """What was concluded from a memory, in the exact scope: by us, or as a rule or a counter-signal of it."""
    return [
        item
        for item in await resting_on(tx, id)
        if item.scope == tx.scope
        and (
            isinstance(item, Rule | Signal) or (isinstance(item, Observation) and (item.engine or is_own_summary(item)))
        )
    ]


def _session_unsummed(record: Record) -> set[str]:
    """The session that has no summary once this one is gone, if it is one of our own that stands."""
    stood = is_own_summary(record) and record.status is Status.ACTIVE
    return {record.session} if stood and record.session else set()


def _was_summary(record: Record) -> bool:
    """Whether it is a summary of our own that went with something that it quotes."""
    return is_own_summary(record) and record.status is Status.DELETED


def _is_counter(record: Record) -> bool:
    """Whether it keeps what a "wrong" did: it goes with the observation that was wrong."""
    return isinstance(record, Signal) and record.details.is_counter


async def stands(tx: Tx, conclusion: Record, *, without: Set[str] = frozenset()) -> bool:
    """Return True if any of a conclusion's evidence is not deleted; of a summary that quotes, all of it.

    Args:
        without: ids of evidence that counts as deleted.
    """
    sources = await all_of(tx, conclusion.evidence)
    held = [source.status is not Status.DELETED and source.id not in without for source in sources]
    return all(held) if is_own_summary(conclusion) else any(held)


async def _taken(tx: Tx, record: Observation) -> Record | None:
    """What was saved since under the same topic key, or with the same text where there is none."""
    if record.type == SUMMARY:
        return None
    if record.topic_key is not None:
        return await tx.observations.by_topic(record.topic_key)
    return await tx.observations.by_hash(record.hash, *hashes_of(record.text))
