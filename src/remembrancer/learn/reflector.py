"""Observations to reflections: read a log, think without a transaction, and change it whole or not at all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from anyio.to_thread import run_sync

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.ingest.admission import admit
from remembrancer.learn.engine import LearningEngine
from remembrancer.learn.llm.reflector import reflecting_by_asking
from remembrancer.learn.observer import AUTHOR, IMPORTANCE
from remembrancer.learn.reflect.consolidate import consolidate
from remembrancer.learn.reflect.reflect import reflect
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.transitions import retire_notes
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.calls import CallPurpose
from remembrancer.types.notes import ConsolidatedLog, Insight, Log
from remembrancer.types.record import Observation, Source
from remembrancer.types.scope import Scope

WORDS = "words-reflector 1"
ASKING = "asking-reflector"
# Half of a log of 40,000 tokens, with the JSON around each claim.
ANSWER_TOKENS = 32_000
# A log that was reflected on has this part of its threshold left, so that it can grow for a while.
LEFT = 0.5
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thought:
    """The new log, the engine that made it, and what was dropped."""

    reflected: ConsolidatedLog | None
    engine: str
    model: str = ""
    refused: Mapping[str, int] = field(default_factory=dict[str, int])


class Reflector(LearningEngine):
    """The reflector of one open store."""

    purpose = CallPurpose.REFLECT
    timeout = 600.0

    async def due(self, scope: Scope) -> list[str]:
        """Return the sessions whose logs are long enough for a reflection."""
        window = self._window(scope)
        found = await self._units(scope).read(
            lambda tx: tx.logs.list(tokens=window.observations, fresh=window.fresh_tokens)
        )
        return [log.session for log in found]

    async def reflect(self, scope: Scope, session: str, *, asking: bool = True) -> int:
        """Consolidate a log, and return how many tokens it lost.

        The result is 0 for a short log, and if no valid reflection was made.

        Args:
            session: the session of the log; `""` for the log of the scope.
            asking: `False` leaves models out.

        Raises:
            Conflict: the log changed in each attempt.
        """
        for _ in range(_TRIES):
            log, observations = await self._log(scope, session)
            if sum(record.tokens for record in observations) <= self._enough(scope):
                return 0
            thought = await self._thought(scope, session, observations, asking=asking)
            try:
                return await self._write(scope, log, observations, thought)
            except Conflict:
                continue
        raise Conflict(f"the log of session {session!r} changed while it was reflected on; try again")

    async def now(self, scope: Scope, session: str | None) -> int:
        """Consolidate the log of a session, or each log of the scope; return the tokens they lost.

        Raises:
            NotFound: no such session in this scope.
        """

        async def work(tx: Tx) -> list[str]:
            if session is not None and await tx.sessions.find(session) is None:
                raise NotFound("session", session)
            return [log.session for log in await tx.logs.list(tokens=1, fresh=0)]

        logs = await self._units(scope).read(work)
        # All sessions are one conversation, with one log.
        one = [] if session is None else [session]
        names = [""] if self._window(scope).by_scope else one or logs
        return sum([await self.reflect(scope, name) for name in names])

    async def _log(self, scope: Scope, session: str) -> tuple[Log, list[Observation]]:
        async def work(tx: Tx) -> tuple[Log, list[Observation]]:
            return await tx.logs.find(session), await tx.observations.in_log(session or None)

        return await self._units(scope).read(work)

    def _enough(self, scope: Scope) -> int:
        """Return the length of a log, in tokens, from which a reflection is due."""
        return round(self._window(scope).observations * LEFT)

    async def _thought(
        self, scope: Scope, session: str, observations: Sequence[Observation], *, asking: bool
    ) -> _Thought:
        """Return the log that is left; no transaction is open."""
        enough = self._enough(scope)

        async def with_model(models: Models, refused: Counter[str]) -> _Thought:
            return await self._asked(models, scope, session, observations, enough, refused)

        async def by_words(refused: Counter[str]) -> _Thought:
            return _Thought(reflected=await self._by_words(observations, enough), engine=WORDS, refused=refused)

        return await self.think(scope, with_model=with_model if asking else None, by_words=by_words)

    async def _by_words(self, observations: Sequence[Observation], enough: int) -> ConsolidatedLog | None:
        count, types = self._rules.tokens.count, self._rules.types

        async def think(log: Sequence[Observation], level: int, /) -> ConsolidatedLog:
            return await run_sync(lambda: reflect(log, level=level, count=count, types=types))

        return await consolidate(observations, think=think, count=count, types=types, enough=enough)

    async def _asked(
        self,
        models: Models,
        scope: Scope,
        session: str,
        observations: Sequence[Observation],
        enough: int,
        refused: Counter[str],
    ) -> _Thought:
        count, types = self._rules.tokens.count, self._rules.types
        ask = ScopedModels(models, scope, session or None, CallPurpose.REFLECT, max_tokens=ANSWER_TOKENS)
        think = reflecting_by_asking(ask, zone=self._zone, count=count, types=types, refused=refused)
        reflected = await consolidate(observations, think=think, count=count, types=types, enough=enough)
        engine = f"{ASKING} {ask.version}".strip()
        return _Thought(reflected=reflected, engine=engine, model=ask.model, refused=refused)

    async def _write(
        self,
        scope: Scope,
        log: Log,
        observations: Sequence[Observation],
        thought: _Thought,
    ) -> int:
        """Store the insights and retire their sources, in one transaction.

        Raises:
            Conflict: a record that was read has changed.
        """
        reflected = thought.reflected
        kept = set(reflected.kept) if reflected else set[str]()
        async with self._units(scope).write() as writer:
            tx = writer.tx
            writer.audit_dropped("insight", thought.refused)
            current = await tx.observations.in_log(log.session or None)
            if reflected is None or not (reflected.insights or reflected.dropped):
                await self._noted(writer, log, current)
                return 0
            now = {record.id: (record.text, record.status) for record in current}
            if any(now.get(read.id) != (read.text, read.status) for read in observations):
                raise Conflict(f"the log of session {log.session!r} changed while it was reflected on")
            places = (await tx.logs.find(log.session)).places
            sources: set[str] = set()
            for insight in reflected.insights:
                draft = self._draft(log.session, insight, observations, places + 1, thought)
                # What a person has rejected is not concluded again; what it rested on stays.
                with suppress(NotAllowed):
                    await admit(writer, [draft])
                    sources.update(insight.sources)
                    places += 1
            retired = (sources | set(reflected.dropped)) - kept
            await retire_notes(writer, [record for record in current if record.id in retired])
            left = await tx.observations.in_log(log.session or None)
            await self._noted(writer, replace(log, places=places), left)
        return sum(record.tokens for record in current) - sum(record.tokens for record in left)

    def _draft(
        self,
        session: str,
        insight: Insight,
        observations: Sequence[Observation],
        place: int,
        thought: _Thought,
    ) -> Draft:
        """Return the draft of a reflection."""
        sources = [record for record in observations if record.id in insight.sources]
        return Draft(
            text=insight.text,
            type=insight.type,
            session=session or None,
            author=AUTHOR,
            source=Source.OBSERVER,
            occurred_at=max(record.occurred_at for record in sources),
            importance=IMPORTANCE[insight.priority],
            evidence=insight.sources,
            metadata={"replaces": list(insight.replaces)} if insight.replaces else {},
            derived=Derived(
                engine=thought.engine,
                model=thought.model,
                priority=insight.priority,
                refers_to=insight.refers_to,
                place=place,
                insight=True,
            ),
        )

    async def _noted(self, writer: WriteTransaction, log: Log, observations: Sequence[Observation]) -> None:
        """Mark the current observations of a log as reflected on."""
        found = await writer.tx.logs.find(log.session)
        tokens = sum(record.tokens for record in observations)
        await writer.put(replace(found, places=max(found.places, log.places), tokens=tokens, fresh=0))
