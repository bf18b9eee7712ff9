"""The door to what was done: recording it, listing it, and taking it back out of the records that stand for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.context.working_memory import RunEnd, RunEntryKind, WorkingMemory
from remembrancer.errors import InvalidInput
from remembrancer.ingest.admission import admit, admit_one
from remembrancer.learn.compact import records as compacting
from remembrancer.resources.requests import request_of
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline as looking
from remembrancer.transactions.draft import Draft, draft_from
from remembrancer.types.arguments import check_fields, member, within
from remembrancer.types.details import EpisodeDetails, SignalDetails
from remembrancer.types.episode import (
    MAX_SUMMARY_CHARACTERS,
    OUTCOME_OF,
    Attributes,
    Entity,
    EpisodeOutcome,
    Event,
    SignalType,
)
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.new import NewEpisode, NewSignal
from remembrancer.types.record import Episode, Kind, Signal
from remembrancer.types.results import Saved, without_hash
from remembrancer.types.times import optional_utc

MOST_LISTED = 1_000
_ALL = (*LIVE, Status.SUPERSEDED_RAW, Status.SUPERSEDED_WEEKLY, Status.CONTRADICTED, Status.RETIRED)


class Episodes(Resource, path="episodes"):
    """What was done in one scope. Reached as `memory.episodes`."""

    async def record(
        self,
        episode: str | NewEpisode,
        *,
        event: str = "action_completed",
        outcome: str | None = None,
        contact: str = "",
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        key: str | None = None,
    ) -> Saved[Episode]:
        """Record an episode. The detector counts it tonight; after 30 days it is summarised with its week.

        Args:
            episode: a summary of the action without its content, such as `removed semicolon from third paragraph`,
                in 1 to 100 characters.
            event: `action_completed`, `approval_approved`, `approval_rejected`, `approval_modified`,
                `exception_raised` or `user_correction`.
            outcome: `done`, `approved`, `rejected`, `modified` or `exception`; by default that of the event.
            contact: the person concerned; the same as a first entity of the type `contact`.
            attributes: values to count: names to text, numbers and truth values.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message names what to change.
        """
        options: dict[str, object] = {"event": event, "outcome": outcome, "contact": contact, "attributes": attributes}
        options |= {"session": session, "occurred_at": occurred_at, "key": key}
        return (await self.record_many([request_of(self.record, NewEpisode, "summary", episode, **options)]))[0]

    async def record_many(self, episodes: Sequence[NewEpisode]) -> list[Saved[Episode]]:
        """Record several episodes in one transaction: all of them, or none.

        Raises:
            InvalidInput: one of them is not allowed; nothing is recorded.
        """
        drafts = [_draft(one) for one in episodes]
        async with self._unit.write() as writer:
            saved = await admit(writer, drafts)
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
        """Record the actions of a finished run: its steps, approvals, and end.

        Its purpose and partial results are content, such as a mail, and are not recorded.

        Args:
            ended: `done`, `failed` or `rolled back`.
            summary: of the whole run; by default its steps, results and approvals are counted.

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
        signal: str | NewSignal,
        summary: str = "",
        *,
        contact: str = "",
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        key: str | None = None,
    ) -> Saved[Signal]:
        """Record feedback or behaviour that is no episode of its own; the detector counts it.

        Args:
            signal: its type: `draft_modified` (attribute `part`), `approval_rejected` (`reason`), `routed_differently`
                (`from`, `to`), `exception_surfaced` or `correction` (`did`, `changed_to`).

        Raises:
            InvalidInput: something is not allowed; the message names what to change.
        """
        options: dict[str, object] = {"summary": summary, "contact": contact, "attributes": attributes}
        options |= {"session": session, "occurred_at": occurred_at, "key": key}
        new = request_of(self.signal, NewSignal, "type", signal, **options)
        check_fields(new)
        named = member(SignalType, new.type, "type")
        if named is SignalType.OBSERVATION_REJECTED:
            raise InvalidInput(f"type {new.type!r} is what a verdict leaves; record the verdict `wrong` instead")
        details = SignalDetails(signal=named, entities=_concerned(new.contact, new.entities), attributes=new.attributes)
        draft = Draft(
            text=new.summary,
            session=new.session,
            occurred_at=new.occurred_at,
            author=new.author,
            key=new.key,
            details=details,
        )
        async with self._unit.write() as writer:
            return await admit_one(writer, draft, Signal)

    async def restore(self, id: str) -> list[Episode]:
        """Restore the episodes that a compact record summarises, in its place.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is no compact record.
            Conflict: it is part of a month, which is to be restored first, or was restored already.
        """
        async with self._unit.write() as writer:
            return [await writer.as_seen(one) for one in await compacting.restore(writer, id)]

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
        """Return episodes that the scope sees, the latest first.

        Args:
            contact: their first contact; `""` for those without one.
            tier: `raw`, `weekly` or `monthly`.
            superseded: with those that a compact record summarises.
            limit: 1 to 1,000.
            as_of: the episodes of that time, as they then read.
        """
        within(limit, 1, MOST_LISTED, what="limit")
        filter = Filter(
            kinds=(Kind.EPISODE,),
            statuses=_ALL if superseded else LIVE,
            since=since,
            until=until,
            tiers=() if tier is None else (tier,),
            contact=contact,
        )
        known = optional_utc(as_of, what="as_of")
        page = await self._unit.read(lambda tx: looking.list_records(tx, filter, limit=limit, cursor=None, as_of=known))
        return [without_hash(one) for one in page.records if isinstance(one, Episode)]


def _done_in(run: WorkingMemory, end: RunEnd, summary: str) -> list[tuple[str, Event, EpisodeOutcome]]:
    """Return the actions of a run, each with its event and outcome; the last is its end."""
    done: list[tuple[str, Event, EpisodeOutcome]] = []
    for entry in run.all_entries:
        if entry.part is RunEntryKind.STEP:
            done.append((entry.text, Event.ACTION_COMPLETED, EpisodeOutcome.DONE))
        elif entry.part is RunEntryKind.APPROVAL:
            event = Event.APPROVAL_APPROVED if entry.approved else Event.APPROVAL_REJECTED
            done.append((entry.text, event, OUTCOME_OF[event]))
    return [*done, (summary or _counted(run, end), *_ENDS[end])]


def _counted(run: WorkingMemory, end: RunEnd) -> str:
    """Return a summary of a run in numbers, without its content."""
    counts = Counter(entry.part for entry in run.all_entries)
    refused = sum(entry.part is RunEntryKind.APPROVAL and not entry.approved for entry in run.all_entries)
    told = [f"{counts[part]} {part.value}{'' if counts[part] == 1 else 's'}" for part in RunEntryKind if counts[part]]
    return f"run {end.value}: {', '.join(told) or 'nothing was noted'}{f', {refused} refused' if refused else ''}"


_ENDS = {
    RunEnd.DONE: (Event.ACTION_COMPLETED, EpisodeOutcome.DONE),
    RunEnd.FAILED: (Event.EXCEPTION_RAISED, EpisodeOutcome.EXCEPTION),
    RunEnd.ROLLED_BACK: (Event.ACTION_COMPLETED, EpisodeOutcome.REJECTED),
}


def _short(text: str) -> str:
    """Return the first line of a note, shortened to the length of a summary."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "a run")
    if len(line) <= MAX_SUMMARY_CHARACTERS:
        return line
    return line[: MAX_SUMMARY_CHARACTERS - 2].rsplit(" ", 1)[0][: MAX_SUMMARY_CHARACTERS - 2] + " …"


def _draft(one: NewEpisode) -> Draft:
    draft = draft_from(one, one.summary, classification=one.classification)
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
