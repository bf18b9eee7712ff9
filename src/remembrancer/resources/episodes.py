"""Episodes and signals."""

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
from remembrancer.search import timeline
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
    """The episodes and signals of one scope. Reached as `memory.episodes`."""

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
        """Record an episode. The detector counts it at night; after 30 days it is summarised with its week.

        Args:
            episode: a summary of the action without content, such as `removed semicolon from third paragraph`, in 1 to
                100 characters.
            event: `action_completed`, `approval_approved`, `approval_rejected`, `approval_modified`,
                `exception_raised` or `user_correction`.
            outcome: `done`, `approved`, `rejected`, `modified` or `exception`; by default that of the event.
            contact: the person concerned; a shorthand for a first entity of the type `contact`.
            attributes: values to count, by name: strings, numbers and booleans.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message names what to change.
        """
        options: dict[str, object] = {"event": event, "outcome": outcome, "contact": contact, "attributes": attributes}
        options |= {"session": session, "occurred_at": occurred_at, "key": key}
        return (await self.record_many([request_of(self.record, NewEpisode, "summary", episode, **options)]))[0]

    async def record_many(self, episodes: Sequence[NewEpisode]) -> list[Saved[Episode]]:
        """Record several episodes in one transaction.

        Raises:
            InvalidInput: one of them is not valid; nothing is recorded.
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
        """Record the steps, approvals and end of a finished run as episodes.

        Its task and its results are content, such as a mail, and are not recorded.

        Args:
            ended: `done`, `failed` or `rolled back`.
            summary: a summary of the run; by default the numbers of its steps, results and approvals.

        Raises:
            InvalidInput: a value is not valid; nothing is recorded.
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
                for text, event, outcome in _actions(run, end, summary)
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
        """Record feedback or behaviour without an episode. The detector counts it.

        Args:
            signal: the type: `draft_modified` (attribute `part`), `approval_rejected` (`reason`), `routed_differently`
                (`from`, `to`), `exception_surfaced` or `correction` (`did`, `changed_to`).

        Raises:
            InvalidInput: something is not allowed; the message names what to change.
        """
        options: dict[str, object] = {"summary": summary, "contact": contact, "attributes": attributes}
        options |= {"session": session, "occurred_at": occurred_at, "key": key}
        new = request_of(self.signal, NewSignal, "type", signal, **options)
        check_fields(new)
        signal_type = member(SignalType, new.type, "type")
        if signal_type is SignalType.OBSERVATION_REJECTED:
            raise InvalidInput(f"type {new.type!r} is recorded by the verdict `wrong`; use feedback instead")
        details = SignalDetails(
            signal=signal_type, entities=_entities(new.contact, new.entities), attributes=new.attributes
        )
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
        """Replace a compact record by the episodes that it summarises, and return them.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is not a compact record.
            Conflict: it is part of a monthly record, which must be restored first, or was restored before.
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
        """Return the episodes that the scope sees, latest first.

        Args:
            contact: the first contact; `""` for episodes without one.
            tier: `raw`, `weekly` or `monthly`.
            superseded: include episodes that a compact record summarises.
            limit: 1 to 1,000.
            as_of: the episodes in their state at that time.
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
        when = optional_utc(as_of, what="as_of")
        page = await self._unit.read(lambda tx: timeline.list_records(tx, filter, limit=limit, cursor=None, as_of=when))
        return [without_hash(one) for one in page.records if isinstance(one, Episode)]


def _actions(run: WorkingMemory, end: RunEnd, summary: str) -> list[tuple[str, Event, EpisodeOutcome]]:
    """Return the actions of a run, each with its event and outcome; the last is its end."""
    actions: list[tuple[str, Event, EpisodeOutcome]] = []
    for entry in run.all_entries:
        if entry.part is RunEntryKind.STEP:
            actions.append((entry.text, Event.ACTION_COMPLETED, EpisodeOutcome.DONE))
        elif entry.part is RunEntryKind.APPROVAL:
            event = Event.APPROVAL_APPROVED if entry.approved else Event.APPROVAL_REJECTED
            actions.append((entry.text, event, OUTCOME_OF[event]))
    return [*actions, (summary or _counted(run, end), *_ENDS[end])]


def _counted(run: WorkingMemory, end: RunEnd) -> str:
    """Return a summary of a run in numbers, without its content."""
    counts = Counter(entry.part for entry in run.all_entries)
    refused = sum(entry.part is RunEntryKind.APPROVAL and not entry.approved for entry in run.all_entries)
    numbers = [
        f"{counts[part]} {part.value}{'' if counts[part] == 1 else 's'}" for part in RunEntryKind if counts[part]
    ]
    return f"run {end.value}: {', '.join(numbers) or 'no entries'}{f', {refused} refused' if refused else ''}"


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
        raise InvalidInput(f"event {one.event!r} is reserved for the engine; use another event")
    outcome = OUTCOME_OF[event] if one.outcome is None else member(EpisodeOutcome, one.outcome, "outcome")
    details = EpisodeDetails(
        event=event, outcome=outcome, entities=_entities(one.contact, one.entities), attributes=one.attributes
    )
    return replace(draft, details=details)


def _entities(contact: str, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    return (*([Entity(type="contact", name=contact)] if contact else []), *entities)
