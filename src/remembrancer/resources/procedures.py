"""The door to procedures: the rules that an agent reads word for word."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.learn import rules as procedures
from remembrancer.learn.rules import Refused, Room
from remembrancer.resources.resource import Door
from remembrancer.search import timeline as looking
from remembrancer.transactions.draft import Draft, utc
from remembrancer.types.arguments import checked
from remembrancer.types.choice import member
from remembrancer.types.classification import Classification
from remembrancer.types.forms import without_hash
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Metadata, Procedure

_KEPT = (Status.ACTIVE, Status.PAUSED, Status.DEMOTED, Status.RETIRED)


@checked
class Procedures(Door):
    """The rules of one scope. Reached as `memory.procedures`."""

    async def add(
        self,
        rule: str,
        *,
        author: str = "",
        classification: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Procedure:
        """Give a procedure: a rule for the agents of a scope.

        Args:
            occurred_at: when it was given, with its zone; now, if not given.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: it is empty, has more than 40 words, or there is no room for it.
        """
        named = None if classification is None else member(Classification, classification, "classification")
        draft = Draft(
            text=rule,
            author=author,
            classification=named,
            occurred_at=occurred_at,
            metadata=metadata or {},
            key=key,
        )
        async with self._desk.write() as writing:
            return await procedures.add(writing, draft, self._room)

    async def edit(self, id: str, rule: str, *, revision: int | None = None) -> Procedure:
        """Say a procedure in other words; the earlier ones are kept.

        Args:
            revision: at which it must be still; any, if not given.

        Raises:
            NotFound: no such procedure here.
            Conflict: it is not active.
            Outdated: it is at another revision.
            InvalidInput: it is empty, has more than 40 words, or there is no room for it.
        """
        async with self._desk.write() as writing:
            return await procedures.edit(writing, id, rule, self._room, revision=revision)

    async def pause(self, id: str) -> Procedure:
        """Leave a procedure out until it is resumed.

        Raises:
            NotFound: no such procedure here.
            Conflict: it is demoted or retired.
        """
        return await self._move(id, Status.PAUSED)

    async def resume(self, id: str) -> Procedure:
        """Make a paused procedure active again.

        Raises:
            NotFound: no such procedure here.
            Conflict: the observation that it was made of was rejected or dismissed.
            InvalidInput: there is no room for one more.
        """
        return await self._move(id, Status.ACTIVE)

    async def retire(self, id: str) -> Procedure:
        """Retire a procedure; it is kept.

        Raises:
            NotFound: no such procedure here.
        """
        return await self._move(id, Status.RETIRED)

    async def refused(self) -> list[Refused]:
        """The observations that would be rules, were there room, each with what is in the way."""
        return await self._engine.nightly.refused_rules(self._caller)

    @property
    def _room(self) -> Room:
        return self._engine.room(self._caller.scope)

    async def _move(self, id: str, status: Status) -> Procedure:
        async with self._desk.write() as writing:
            return await procedures.move(writing, id, status, self._room)

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Procedure]:
        """The active rules that the scope sees, oldest first.

        Args:
            all: whether those that are paused, demoted and retired are listed too.
            as_of: those of that time, as they then read.
        """
        statuses = _KEPT if all else (Status.ACTIVE,)
        known = None if as_of is None else utc(as_of, what="as_of")
        found = await self._desk.read(lambda tx: looking.procedures(tx, statuses, as_of=known))
        return [without_hash(one) for one in found]
