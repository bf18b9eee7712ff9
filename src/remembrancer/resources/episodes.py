"""The door to what was done: recording it, listing it, and taking it back out of the records that stand for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.context.working import Part, RunEnd, WorkingMemory
from remembrancer.errors import InvalidInput
from remembrancer.ingest.admit import admit, admit_one
from remembrancer.learn.compact import records as compacting
from remembrancer.resources.resource import Door
from remembrancer.search import timeline as looking
from remembrancer.transactions.draft import Draft, drafted, utc
from remembrancer.types.arguments import checked, within
from remembrancer.types.choice import member
from remembrancer.types.details import EpisodeDetails, SignalDetails
from remembrancer.types.episode import (
    MAX_SUMMARY_CHARACTERS,
    OUTCOME_OF,
    Attributes,
    Entity,
    EpisodeOutcome,
    Event,
    SignalType,
    Tier,
    folded_name,
)
from remembrancer.types.filter import Filter
from remembrancer.types.forms import without_hash
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.new import NewEpisode
from remembrancer.types.record import Episode, Kind, Metadata, Signal
from remembrancer.types.saved import Saved

MOST_LISTED = 1_000
_ALL = (*LIVE, Status.SUPERSEDED_RAW, Status.SUPERSEDED_WEEKLY, Status.CONTRADICTED, Status.RETIRED)


@checked
class Episodes(Door):
    """What was done in one scope. Reached as `memory.episodes`."""

    async def record(
        self,
        summary: str,
        *,
        event: str = "action_completed",
        outcome: str | None = None,
        contact: str = "",
        entities: Sequence[Entity] = (),
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        tags: Sequence[str] = (),
        metadata: Metadata | None = None,
        author: str = "",
        source: str = "tool",
        classification: str | None = None,
        importance: float | None = None,
        key: str | None = None,
    ) -> Saved[Episode]:
        """Record something done. The detector counts it tonight; after 30 days its week stands for it.

        Args:
            summary: what was done, not the content: `removed semicolon from third paragraph`; 1 to 100 characters.
            event: `action_completed`, `approval_approved`, `approval_rejected`, `approval_modified`,
                `exception_raised` or `user_correction`.
            outcome: `done`, `approved`, `rejected`, `modified` or `exception`; that of the event, if not given.
            contact: whom it concerns; the same as a first entity of the type `contact`.
            attributes: what can be counted of it: names to text, numbers and truths.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
        """
        one = NewEpisode(
            summary=summary,
            event=event,
            outcome=outcome,
            contact=contact,
            entities=entities,
            attributes=attributes or {},
            session=session,
            occurred_at=occurred_at,
            tags=tags,
            metadata=metadata or {},
            author=author,
            source=source,
            classification=classification,
            importance=importance,
            key=key,
        )
        return (await self.record_many([one]))[0]

    async def record_many(self, episodes: Sequence[NewEpisode]) -> list[Saved[Episode]]:
        """Record several episodes in one transaction: all of them, or none.

        Raises:
            InvalidInput: one of them is not allowed; nothing is recorded.
        """
        drafts = [_draft(one) for one in episodes]
        async with self._desk.write() as writing:
            saved = await admit(writing, drafts)
        return [Saved(outcome=item.outcome, record=item.record) for item in saved if isinstance(item.record, Episode)]

    async def end_run(
        self,
        run: WorkingMemory,
        ended: str = "done",
        *,
        contact: str = "",
        session: str | None = None,
        summary: str = "",
    ) -> list[Saved[Episode]]:
        """Record what a run did, now that it is over: its steps, what was approved in it, and how it ended.

        What the run was for and its partial results are content, such as a mail, and go with the run.

        Args:
            ended: `done`, `failed` or `rolled back`.
            summary: what the run did as a whole; else its steps, results and approvals are counted.

        Raises:
            InvalidInput: something is not allowed; nothing is recorded.
        """
        end = member(RunEnd, ended, "ended")
        return await self.record_many(
            [
                NewEpisode(
                    summary=_short(text),
                    event=event,
                    outcome=outcome,
                    contact=contact,
                    session=session,
                    attributes={"run": end.value},
                )
                for text, event, outcome in _done_in(run, end, summary)
            ]
        )

    async def signal(
        self,
        type: str,
        summary: str = "",
        *,
        contact: str = "",
        entities: Sequence[Entity] = (),
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        author: str = "",
        key: str | None = None,
    ) -> Saved[Signal]:
        """Tell the detector of feedback or behaviour that is no episode of its own.

        Args:
            type: `draft_modified` (attribute `part`), `approval_rejected` (`reason`), `routed_differently` (`from`,
                `to`), `exception_surfaced` or `correction` (`did`, `changed_to`).

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
        """
        named = member(SignalType, type, "type")
        if named is SignalType.OBSERVATION_REJECTED:
            raise InvalidInput(f"type {type!r} is what a verdict leaves; say that the observation is wrong")
        details = SignalDetails(signal=named, entities=_concerned(contact, entities), attributes=attributes or {})
        draft = Draft(text=summary, session=session, occurred_at=occurred_at, author=author, key=key, details=details)
        async with self._desk.write() as writing:
            return await admit_one(writing, draft, Signal)

    async def restore(self, id: str) -> list[Episode]:
        """The episodes that a compact record stands for, live again in its place.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is no compact record.
            Conflict: it is part of a month, which is to be restored first, or was restored already.
        """
        async with self._desk.write() as writing:
            return [await writing.as_seen(one) for one in await compacting.restore(writing, id)]

    async def list(
        self,
        *,
        contact: str | None = None,
        tier: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        superseded: bool = False,
        limit: int = 20,
        as_of: datetime | None = None,
    ) -> Sequence[Episode]:
        """Episodes that the scope sees, the latest first.

        Args:
            contact: whom they concern first; `""` for those that concern nobody.
            tier: `raw`, `weekly` or `monthly`.
            superseded: whether those that a compact record stands for are listed too.
            limit: 1 to 1,000.
            as_of: those of that time, as they then read.
        """
        within(limit, 1, MOST_LISTED, what="limit")
        filter = Filter(
            kinds=(Kind.EPISODE,),
            statuses=_ALL if superseded else LIVE,
            since=None if since is None else utc(since, what="since"),
            until=None if until is None else utc(until, what="until"),
            tiers=() if tier is None else (member(Tier, tier, "tier"),),
            contact=None if contact is None else folded_name(contact),
        )
        known = None if as_of is None else utc(as_of, what="as_of")
        page = await self._desk.read(lambda tx: looking.listed(tx, filter, limit=limit, cursor=None, as_of=known))
        return [without_hash(one) for one in page.records if isinstance(one, Episode)]


def _done_in(run: WorkingMemory, end: RunEnd, summary: str) -> list[tuple[str, Event, EpisodeOutcome]]:
    """What was done in a run, each with its event and outcome; last how it ended."""
    done: list[tuple[str, Event, EpisodeOutcome]] = []
    for entry in run.all_entries:
        if entry.part is Part.STEP:
            done.append((entry.text, Event.ACTION_COMPLETED, EpisodeOutcome.DONE))
        elif entry.part is Part.APPROVAL:
            event = Event.APPROVAL_APPROVED if entry.approved else Event.APPROVAL_REJECTED
            done.append((entry.text, event, OUTCOME_OF[event]))
    return [*done, (summary or _counted(run, end), *_ENDS[end])]


def _counted(run: WorkingMemory, end: RunEnd) -> str:
    """What a run came to, without a word of what it was about."""
    counts = Counter(entry.part for entry in run.all_entries)
    refused = sum(entry.part is Part.APPROVAL and not entry.approved for entry in run.all_entries)
    told = [f"{counts[part]} {part.value}{'' if counts[part] == 1 else 's'}" for part in Part if counts[part]]
    return f"run {end.value}: {', '.join(told) or 'nothing was noted'}{f', {refused} refused' if refused else ''}"


_ENDS = {
    RunEnd.DONE: (Event.ACTION_COMPLETED, EpisodeOutcome.DONE),
    RunEnd.FAILED: (Event.EXCEPTION_RAISED, EpisodeOutcome.EXCEPTION),
    RunEnd.ROLLED_BACK: (Event.ACTION_COMPLETED, EpisodeOutcome.REJECTED),
}


def _short(text: str) -> str:
    """The first line of what was noted, in so many characters as a summary has; what is left out shows."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "a run")
    if len(line) <= MAX_SUMMARY_CHARACTERS:
        return line
    return line[: MAX_SUMMARY_CHARACTERS - 2].rsplit(" ", 1)[0][: MAX_SUMMARY_CHARACTERS - 2] + " …"


def _draft(one: NewEpisode) -> Draft:
    draft = drafted(one, one.summary, classification=one.classification)
    event = member(Event, one.event, "event")
    if event is Event.COMPACT:
        raise InvalidInput(f"event {one.event!r} is what the engine records of many episodes; say what was done")
    outcome = OUTCOME_OF[event] if one.outcome is None else member(EpisodeOutcome, one.outcome, "outcome")
    details = EpisodeDetails(
        event=event, outcome=outcome, entities=_concerned(one.contact, one.entities), attributes=one.attributes
    )
    return replace(draft, details=details)


def _concerned(contact: str, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    return (*([Entity(type="contact", name=contact)] if contact else []), *entities)
