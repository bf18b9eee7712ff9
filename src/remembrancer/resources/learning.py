"""The door to what the detector observed: what people say of it, how it stands, and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.errors import NotFound
from remembrancer.ingest.admit import clean_name
from remembrancer.jobs.maintenance.aging import RETENTION_COUNTS
from remembrancer.jobs.maintenance.context import ProgressCallback
from remembrancer.jobs.maintenance.runner import no_progress
from remembrancer.learn import feedback as verdicts
from remembrancer.learn import outcomes, sessions
from remembrancer.learn import patterns as learned
from remembrancer.learn import pause as pausing
from remembrancer.resources.resource import Door
from remembrancer.search import timeline as looking
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.draft import utc
from remembrancer.transactions.ownership import own
from remembrancer.types.arguments import checked, within
from remembrancer.types.choice import member
from remembrancer.types.forms import without_hash
from remembrancer.types.lifecycle import Status
from remembrancer.types.night import Night, Preview
from remembrancer.types.record import Fact, Observation, Record, kind_of
from remembrancer.types.scope import check_name
from remembrancer.types.standing import Standing
from remembrancer.types.verdict import Move, Said, SessionOutcome

_KEPT = (
    *(Status.ACTIVE, Status.PAUSED, Status.MERGED, Status.REJECTED),
    *(Status.DISMISSED, Status.RETIRED, Status.ARCHIVED),
)
_DEEPEST = 8
SOMEBODY = "somebody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A memory, and what it was concluded from, down to the words that were said and the things that were done.

    Args:
        said: what people have said of it.
        sources: those that are still there, each once in the whole chain.
        gone: ids of sources that were erased, or that this scope may not see.
    """

    record: Record
    said: tuple[Said, ...]
    sources: tuple["Why", ...]
    gone: tuple[str, ...] = ()


@checked
class Learning(Door):
    """What one scope has learnt. Reached as `memory.learning`."""

    async def right(self, id: str, *, person: str = "") -> Observation:
        """Say that an observation is right: it is surer by one level, up to high, and may become a rule at once.

        Where `learned.rule` is empty no order follows of what was counted: it stays an observation, which agents are
        told as one, until a person gives the rule with `procedures.add`.

        Args:
            person: who says so; each person counts once. Without a name: the caller's actor,
                the scope's user, or somebody.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is no observation.
            Conflict: it was rejected or dismissed; undo that first.
        """
        async with self._desk.write() as writing:
            return await writing.as_seen(
                await verdicts.right(writing, id, self._person(person), self._engine.room(self._caller.scope))
            )

    async def wrong(self, id: str, *, person: str = "") -> Observation:
        """Say that an observation is wrong: it and what rests on it are in no recall and no context from now on.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is no observation.
        """
        async with self._desk.write() as writing:
            return await writing.as_seen(await verdicts.wrong(writing, id, self._person(person)))

    async def dismiss(self, id: str, *, person: str = "") -> Observation:
        """Put aside an observation of the last 48 hours: it never becomes a rule.

        Raises:
            NotFound: no such memory here.
            Conflict: it is older, or somebody has said that it is right.
        """
        async with self._desk.write() as writing:
            return await writing.as_seen(await verdicts.dismiss(writing, id, self._person(person)))

    async def undo(self, id: str) -> Observation | None:
        """Take back a verdict "wrong" or "dismissed", with all that went with it.

        Returns:
            The observation as it stands again; `None` where it was erased since, and its words may be said again.

        Raises:
            NotFound: no such memory here.
            Conflict: it is neither rejected nor dismissed, or another memory has its topic key now.
        """
        async with self._desk.write() as writing:
            undone = await verdicts.undo(writing, id)
            return None if undone is None else await writing.as_seen(undone)

    async def merge(self, into: str, other: str) -> Observation:
        """One observation with the evidence of another, which is out of recall then.

        Raises:
            NotFound: one of them is not here.
            InvalidInput: they are one, or one is no observation.
            Conflict: one of them is not active.
        """
        async with self._desk.write() as writing:
            return await writing.as_seen(await learned.merge(writing, into, other))

    async def pause(self, id: str) -> Observation | Fact:
        """Leave an observation or a fact out of every recall and context until it is resumed.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it is not active.
        """
        return await self._put(id, Status.PAUSED)

    async def resume(self, id: str) -> Observation | Fact:
        """Take an observation or a fact up again that was paused or retired.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: nobody has paused or retired it, or something else holds in place of a fact.
        """
        return await self._put(id, Status.ACTIVE)

    async def retire(self, id: str) -> Observation | Fact:
        """Give an observation or a fact up; it is kept, and not observed anew.

        Raises:
            NotFound: no such memory here.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it cannot be retired from where it stands.
        """
        return await self._put(id, Status.RETIRED)

    async def _put(self, id: str, status: Status) -> Observation | Fact:
        async with self._desk.write() as writing:
            return await pausing.put(writing, id, status)

    async def why(self, id: str) -> Why:
        """The whole chain of evidence of a memory.

        Raises:
            NotFound: no such memory here.
        """

        async def work(tx: Tx) -> Why:
            record = await tx.records.find(id)
            if record is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            return await _why(tx, record, {record.id}, _DEEPEST)

        return await self._desk.read(work)

    async def outcome(self, session: str, outcome: str) -> Sequence[Move]:
        """Say how the work of a session was taken: it moves the weight of what was put before the agent in it.

        Said again of the same session, it changes nothing.

        Args:
            outcome: `accepted`, `rejected` or `rework`.

        Raises:
            InvalidInput: the name of the session or the outcome is none.
            NotFound: no such session here, and nothing was put before an agent in it.
            Conflict: another outcome was told of this session before.
        """
        said, name = member(SessionOutcome, outcome, "outcome"), sessions.session_name(session, self._desk.rules)
        await self._engine.sweep.access_log.flush()
        async with self._desk.write() as writing:
            return await outcomes.learn(writing, name, said)

    async def weights(self, id: str) -> Sequence[Move]:
        """How outcomes of sessions have moved a memory's weight, the earliest first.

        Raises:
            NotFound: no such memory here.
        """

        async def work(tx: Tx) -> Sequence[Move]:
            await _standing_record(tx, id)
            return await tx.weights.of(id)

        return await self._desk.read(work)

    async def standing(self, id: str) -> Standing:
        """How a memory stands.

        Raises:
            NotFound: no such memory in this very scope.
        """

        async def work(tx: Tx) -> Standing | None:
            await _standing_record(tx, id)
            return await _weighed(tx, id)

        found = await self._desk.read(work)
        if found is None:
            raise NotFound("memory", id)
        return found

    async def rate(self, id: str, rating: float) -> Standing:
        """Rate a memory, from 0 to 1.

        Raises:
            NotFound: no such memory here.
        """
        within(rating, 0, 1, what="rating")
        return await self._set(id, "rated", rating=rating)

    async def boost(self, id: str, boost: float) -> Standing:
        """Lift a memory's standing by hand, from 0 to 1.

        Raises:
            NotFound: no such memory here.
        """
        within(boost, 0, 1, what="boost")
        return await self._set(id, "boosted", boost=boost)

    async def pin(self, id: str) -> Standing:
        """Keep a memory's importance as it is, and keep it from being archived.

        Raises:
            NotFound: no such memory here.
        """
        return await self._set(id, "pinned", pinned=True)

    async def unpin(self, id: str) -> Standing:
        """Let a memory's importance decay again.

        Raises:
            NotFound: no such memory here.
        """
        return await self._set(id, "unpinned", pinned=False)

    async def nightly(self, *, told: ProgressCallback = no_progress) -> Night:
        """Run the night of this scope for the last local day that is due, as far as it is not done yet.

        The engine does it, and sees all; what it counted and noted is told to who may see all.

        Raises:
            Conflict: another process is at it.
            NotFound: the scope was erased meanwhile.
        """
        done = await self._engine.nightly.run(self._desk.scope, by=self._caller, progress=told)
        night = await self._desk.read(lambda tx: tx.nights.find(done.day))
        if night is None:
            raise NotFound("night", done.day.isoformat())
        return night

    async def preview(self) -> Preview:
        """What the nightly run of this scope would do now; nothing is changed, and no model is asked."""
        told = await self._engine.nightly.preview(self._caller)
        if self._caller.sees_all:
            return told
        # What is due is due, whoever may see it.
        return replace(
            told, counts={name: count for name, count in told.counts.items() if name not in RETENTION_COUNTS}
        )

    async def nights(self) -> Night | None:
        """The latest nightly run of this scope, or `None`."""
        return await self._desk.read(lambda tx: tx.nights.latest())

    def _person(self, person: str) -> str:
        """Who says so, as it is stored; what is private in a name gives way to a fingerprint."""
        name = person or self._caller.actor or self._caller.scope.user or SOMEBODY
        return clean_name(check_name(name, what="person"), self._desk.rules)

    async def _set(self, id: str, action: str, **factors: float | bool) -> Standing:
        async with self._desk.write() as writing:
            record = await own(writing.tx, id)
            found = await _weighed(writing.tx, id)
            if found is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            changed = replace(found, **factors)  # pyright: ignore[reportArgumentType] -- factors by their names
            await writing.note(changed, action=action, kind=kind_of(record).value, id=id)
        return changed

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Observation]:
        """What the detector has observed and nobody has rejected, in the order in which it was found.

        Args:
            all: whether those that were paused, retired, rejected, dismissed, merged and archived are listed too.
            as_of: those of that time, as they then read.
        """
        statuses = _KEPT if all else (Status.ACTIVE,)
        known = None if as_of is None else utc(as_of, what="as_of")
        found = await self._desk.read(lambda tx: looking.learned(tx, statuses, as_of=known))
        return [without_hash(one) for one in found]


async def _why(tx: Tx, record: Record, seen: set[str], deep: int) -> Why:
    sources: list[Why] = []
    gone: list[str] = []
    for id in record.evidence:
        if id in seen or not deep:
            continue
        seen.add(id)
        source = await tx.records.find(id)
        if source is None or source.status is Status.DELETED:
            gone.append(id)
        else:
            sources.append(await _why(tx, source, seen, deep - 1))
    said = await tx.verdicts.of(record.id) if record.scope == tx.scope else []
    return Why(record=record, said=tuple(said), sources=tuple(sources), gone=tuple(gone))


async def _weighed(tx: Tx, id: str) -> Standing | None:
    """How a memory of the exact scope stands, with how its weight was moved."""
    found = await tx.standings.find(id)
    return found and replace(found, moves=tuple(await tx.weights.of(id)))


async def _standing_record(tx: Tx, id: str) -> Record:
    """A memory that is not deleted.

    Raises:
        NotFound: there is none.
    """
    record = await tx.records.find(id)
    if record is None or record.status is Status.DELETED:
        raise NotFound("memory", id)
    return record
