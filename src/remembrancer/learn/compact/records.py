"""Replacement of episodes by a record of their week or month, and its reversal: nothing is deleted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.ingest.admission import admit
from remembrancer.learn.compact import Group, compacted, is_unchanged_source
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.ownership import dependents_of, find_records, get_own
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.episode import Event, Tier
from remembrancer.types.lifecycle import LIVE_IN, Status
from remembrancer.types.record import Episode, Metadata, Source
from remembrancer.types.results import Change
from remembrancer.types.text import hash_of

AUTHOR = "remembrancer"
# What becomes of the sources of a record of each tier.
COVERED = {Tier.WEEKLY: Status.SUPERSEDED_RAW, Tier.MONTHLY: Status.SUPERSEDED_WEEKLY}
BELOW = {Tier.WEEKLY: Tier.RAW, Tier.MONTHLY: Tier.WEEKLY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A model's summary of episodes.

    Args:
        model: as `provider:name`.
        prompt: the version of the prompt.
    """

    text: str
    model: str
    prompt: str


async def compact(
    writer: WriteTransaction, groups: Sequence[Group], tier: Tier, stories: Sequence[Story | None]
) -> list[Episode]:
    """Return one record in place of each group; none for a group that another writer has changed.

    Args:
        stories: of each group, or `None`.
    """
    tx = writer.tx
    found = {one.id: one for one in await _episodes(tx, [one.id for group in groups for one in group.episodes])}
    drafts: list[Draft] = []
    covered: list[Episode] = []
    for group, story in zip(groups, stories, strict=True):
        sources = [found[one.id] for one in group.episodes if one.id in found]
        if len(sources) == len(group.episodes) and all(one.status is LIVE_IN[BELOW[tier]] for one in sources):
            drafts.append(await _draft(tx, group, sources, tier, story))
            covered += sources
    saved = await admit(writer, drafts)
    await writer.set_aside(covered, COVERED[tier])
    return [one.record for one in saved if isinstance(one.record, Episode)]


async def _draft(tx: Tx, group: Group, sources: Sequence[Episode], tier: Tier, story: Story | None) -> Draft:
    text, details = compacted(
        sources,
        raw=await raw_of(tx, sources),
        tier=tier,
        begins=group.begins,
        ends=group.ends,
        agent=tx.scope.agent,
        story=story.text if story else "",
    )
    metadata: Metadata = {}
    if story and text.endswith(story.text):
        metadata = {"model": story.model, "prompt": story.prompt}
    elif is_unchanged_source(sources, tier):
        metadata = sources[0].metadata
    return Draft(
        text=text,
        metadata=metadata,
        author=AUTHOR,
        source=Source.OBSERVER,
        occurred_at=max(source.occurred_at for source in sources),
        importance=max(source.importance for source in sources),
        evidence=[source.id for source in sources],
        details=details,
    )


async def restore(writer: WriteTransaction, id: str) -> list[Episode]:
    """Restore the episodes of a compact record; they are not compacted again.

    Raises:
        NotFound: no such memory in this scope.
        NotAllowed: it belongs to a wider scope.
        InvalidInput: it is not a compact record.
        Conflict: a record of its month covers it, which must be restored first, or it was restored already.
    """
    record = await get_own(writer.tx, id)
    if not isinstance(record, Episode) or record.details.event is not Event.COMPACT:
        raise InvalidInput(f"memory {id!r} is no compact record; only those can be restored")
    if record.status is Status.SUPERSEDED_WEEKLY:
        (above,) = await covering(writer.tx, record) or [record]
        raise Conflict(f"memory {id!r} is part of {above.id!r}; restore that one first")
    if record.status is not Status.ACTIVE:
        raise Conflict(f"memory {id!r} is {record.status}; there is nothing to restore")
    tier = record.details.tier
    behind = writer.as_engine()
    back = [source for source in await _episodes(behind.tx, record.evidence) if source.status is COVERED[tier]]
    await _move(behind, record, Status.RETIRED)
    return [await _move(behind, source, LIVE_IN[BELOW[tier]], kept=True) for source in back]


async def covering(tx: Tx, episode: Episode, *, ever: bool = False) -> list[Episode]:
    """Return the compact record that covers an episode, unless it was restored; none or one.

    Args:
        ever: True to include earlier ones.
    """
    return [
        record
        for record in await dependents_of(tx, episode.id)
        if isinstance(record, Episode) and (ever or record.status not in (Status.RETIRED, Status.DELETED))
    ]


async def settled(tx: Tx, episode: Episode, status: Status) -> Status:
    """Return the status of a restored episode: live if its summary was restored meanwhile."""
    if status in COVERED.values() and not await covering(tx, episode):
        return LIVE_IN[episode.details.tier]
    return status


async def recount(writer: WriteTransaction, episodes: Sequence[Episode]) -> list[Episode]:
    """Update the records that cover episodes whose contradictions have changed; return the changed ones."""
    waiting = {record.id: record for episode in episodes for record in await covering(writer.tx, episode)}
    return await retell(writer, list(waiting.values()))


async def retell(writer: WriteTransaction, records: Sequence[Episode]) -> list[Episode]:
    """Rebuild compact records from what is left of their sources, and those above; return the changed ones."""
    changed: list[Episode] = []
    for record in records:
        found = await _episodes(writer.tx, record.evidence)
        counted = [source for source in found if source.status not in (Status.CONTRADICTED, Status.DELETED)]
        changed.append(await _retold(writer, record, counted))
    if changed:
        await recount(writer, changed)
    return changed


async def release(writer: WriteTransaction, record: Episode, *, kept: bool = False) -> list[Episode]:
    """Return the sources of a compact record to be deleted, live again; a raw episode has none.

    Args:
        kept: True if they are not to be compacted again.
    """
    tier = record.details.tier
    if tier is Tier.RAW:
        return []
    covered = [source for source in await _episodes(writer.tx, record.evidence) if source.status is COVERED[tier]]
    return [await _move(writer, source, LIVE_IN[BELOW[tier]], kept=kept) for source in covered]


async def _retold(writer: WriteTransaction, record: Episode, sources: Sequence[Episode]) -> Episode:
    """Rebuild a compact record from what is left of its sources; it is contradicted if nothing is."""
    tx, details = writer.tx, record.details
    if not sources:
        return await _move(writer, record, Status.CONTRADICTED)
    # Of a record that has lost its days, the days of its sources.
    done = [source.occurred_at.date() for source in sources]
    text, details = compacted(
        sources,
        raw=await raw_of(tx, sources),
        tier=details.tier,
        begins=details.begins or min(done),
        ends=details.ends or max(done),
        agent=tx.scope.agent,
    )
    status = record.status
    if status is Status.CONTRADICTED:
        status = await settled(
            tx, record, await tx.versions.status_before(record.id, apart_from=(Status.CONTRADICTED, Status.DELETED))
        )
    # A model's summary was of other episodes.
    metadata: Metadata = sources[0].metadata if is_unchanged_source(sources, details.tier) else {}
    change = Change(text=text, hash=hash_of(text), details=details, metadata=metadata, status=status, reworded=True)
    return await writer.change(record, change, action="retold")


async def _move(writer: WriteTransaction, record: Episode, status: Status, *, kept: bool = False) -> Episode:
    """Return an episode in another status, out of the indexes or back in them."""
    return await writer.move(record, status, details=replace(record.details, kept=True) if kept else None)


async def raw_of(tx: Tx, sources: Sequence[Episode]) -> list[Episode]:
    """Return the raw episodes that records summarise."""
    raw = [source for source in sources if source.details.tier is Tier.RAW]
    for source in sources:
        if source.details.tier is not Tier.RAW:
            raw += await raw_of(
                tx,
                [
                    below
                    for below in await _episodes(tx, source.evidence)
                    if below.status not in (Status.CONTRADICTED, Status.DELETED)
                ],
            )
    return raw


async def _episodes(tx: Tx, ids: Sequence[str]) -> list[Episode]:
    """Episodes by their ids, oldest first."""
    episodes = [record for record in await find_records(tx, ids) if isinstance(record, Episode)]
    return sorted(episodes, key=lambda episode: (episode.occurred_at, episode.id))
