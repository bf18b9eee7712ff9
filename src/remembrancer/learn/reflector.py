"""Observations to reflections: read a log, think without a transaction, and change it whole or not at all."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import BudgetExceeded, Conflict, NotAllowed, NotFound, ProviderUnavailable
from remembrancer.ingest.admit import admit
from remembrancer.learn.llm.reflector import reflecting_by_asking
from remembrancer.learn.observer import AUTHOR, IMPORTANCE
from remembrancer.learn.reflect.consolidate import consolidate
from remembrancer.learn.reflect.reflect import reflect
from remembrancer.llm.call import Asker, Models
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.log import retire
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.transactions.write import Writing
from remembrancer.types.budget import Window
from remembrancer.types.calls import CallPurpose
from remembrancer.types.notes import ConsolidatedLog, Insight, Log
from remembrancer.types.record import Observation, Source
from remembrancer.types.scope import Scope

WORDS = "words-reflector 1"
ASKING = "asking-reflector"
# Half of a log of 40,000 tokens, with what JSON puts around each claim.
ANSWER_TOKENS = 32_000
# A log that was reflected on has this part of its threshold left, so that it can grow for a while.
LEFT = 0.5
_TRIES = 3


class Reflecting:
    """The reflector of one open store.

    Args:
        window: the thresholds of an agent's conversations.
        models: asked where one is configured to reflect; else, and where it fails, the words decide.
        seconds: how long a model may take for one log.
    """

    def __init__(
        self,
        desk: Desks,
        rules: Dependencies,
        *,
        zone: tzinfo,
        window: Callable[[Scope], Window],
        models: Models | None = None,
        seconds: float = 600.0,
    ) -> None:
        self._desk = desk
        self._rules = rules
        self._zone = zone
        self._window = window
        self._models = models
        self._seconds = seconds

    async def due(self, scope: Scope) -> list[str]:
        """The logs of a scope that have grown enough, by session."""
        window = self._window(scope)
        found = await self._desk(scope).read(
            lambda tx: tx.logs.list(tokens=window.observations, fresh=window.fresh_tokens)
        )
        return [log.session for log in found]

    async def reflect(self, scope: Scope, session: str, *, asking: bool = True) -> int:
        """Consolidate a log; how many tokens it has fewer, 0 where it is short, or nothing sound came of it.

        Args:
            session: whose log, or `""` for that of the whole scope.
            asking: `False` leaves models out.

        Raises:
            Conflict: the log changed under the reflector again and again.
        """
        for _ in range(_TRIES):
            log, observations = await self._log(scope, session)
            if sum(record.tokens for record in observations) <= self._enough(scope):
                return 0
            refused = Counter[str]()
            reflected, engine, model = await self._thought(scope, session, observations, refused, asking=asking)
            try:
                return await self._write(
                    scope, log, observations, reflected, engine=engine, model=model, refused=refused
                )
            except Conflict:
                continue
        raise Conflict(f"the log of session {session!r} changed while it was reflected on; try again")

    async def now(self, scope: Scope, session: str | None) -> int:
        """Consolidate the log of a session, or every log of the scope; how many tokens they have fewer.

        Raises:
            NotFound: no such session here.
        """

        async def work(tx: Tx) -> list[str]:
            if session is not None and await tx.sessions.find(session) is None:
                raise NotFound("session", session)
            return [log.session for log in await tx.logs.list(tokens=1, fresh=0)]

        logs = await self._desk(scope).read(work)
        # All sessions are one conversation, with one log.
        one = [] if session is None else [session]
        names = [""] if self._window(scope).by_scope else one or logs
        return sum([await self.reflect(scope, name) for name in names])

    async def _log(self, scope: Scope, session: str) -> tuple[Log, list[Observation]]:
        async def work(tx: Tx) -> tuple[Log, list[Observation]]:
            return await tx.logs.find(session), await tx.observations.in_log(session or None)

        return await self._desk(scope).read(work)

    def _enough(self, scope: Scope) -> int:
        """How long a log may be without being worth a reflection."""
        return round(self._window(scope).observations * LEFT)

    async def _thought(
        self, scope: Scope, session: str, observations: Sequence[Observation], refused: Counter[str], *, asking: bool
    ) -> tuple[ConsolidatedLog | None, str, str]:
        """What is left of the log, and who thought; no transaction is open."""
        enough = self._enough(scope)
        models = self._models
        if asking and models is not None and models.available(CallPurpose.REFLECT):
            try:
                with anyio.fail_after(self._seconds):
                    return await self._asked(models, scope, session, observations, enough, refused)
            except (ProviderUnavailable, BudgetExceeded, TimeoutError):
                # The words decide: the conversation goes on.
                pass
            finally:
                self._rules.meter.refused(scope, CallPurpose.REFLECT, refused)
        return await self._by_words(observations, enough), WORDS, ""

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
    ) -> tuple[ConsolidatedLog | None, str, str]:
        count, types = self._rules.tokens.count, self._rules.types
        ask = Asker(models, scope, session or None, CallPurpose.REFLECT, max_tokens=ANSWER_TOKENS)
        think = reflecting_by_asking(ask, zone=self._zone, count=count, types=types, refused=refused)
        reflected = await consolidate(observations, think=think, count=count, types=types, enough=enough)
        return reflected, f"{ASKING} {ask.version}".strip(), ask.model

    async def _write(
        self,
        scope: Scope,
        log: Log,
        observations: Sequence[Observation],
        reflected: ConsolidatedLog | None,
        *,
        engine: str,
        model: str,
        refused: Mapping[str, int],
    ) -> int:
        """Store the insights and retire what they took up, in one transaction.

        Raises:
            Conflict: something that was read stands no longer as it stood.
        """
        kept = set(reflected.kept) if reflected else set[str]()
        async with self._desk(scope).write() as writing:
            tx = writing.tx
            writing.refused("insight", refused)
            standing = await tx.observations.in_log(log.session or None)
            if reflected is None or not (reflected.insights or reflected.dropped):
                await self._noted(writing, log, standing)
                return 0
            now = {record.id: (record.text, record.status) for record in standing}
            if any(now.get(read.id) != (read.text, read.status) for read in observations):
                raise Conflict(f"the log of session {log.session!r} changed while it was reflected on")
            places = (await tx.logs.find(log.session)).places
            taken: set[str] = set()
            for insight in reflected.insights:
                draft = self._draft(log.session, insight, observations, places + 1, engine=engine, model=model)
                # What a person has rejected is not concluded again; what it rested on stays.
                with suppress(NotAllowed):
                    await admit(writing, [draft])
                    taken.update(insight.sources)
                    places += 1
            gone = (taken | set(reflected.dropped)) - kept
            await retire(writing, [record for record in standing if record.id in gone])
            left = await tx.observations.in_log(log.session or None)
            await self._noted(writing, replace(log, places=places), left)
        return sum(record.tokens for record in standing) - sum(record.tokens for record in left)

    def _draft(
        self,
        session: str,
        insight: Insight,
        observations: Sequence[Observation],
        place: int,
        *,
        engine: str,
        model: str,
    ) -> Draft:
        """An insight as a reflection."""
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
                engine=engine,
                model=model,
                priority=insight.priority,
                refers_to=insight.refers_to,
                place=place,
                insight=True,
            ),
        )

    async def _noted(self, writing: Writing, log: Log, standing: Sequence[Observation]) -> None:
        """The log as it stands now; what is in it has been reflected on."""
        found = await writing.tx.logs.find(log.session)
        tokens = sum(record.tokens for record in standing)
        await writing.note(replace(found, places=max(found.places, log.places), tokens=tokens, fresh=0))
