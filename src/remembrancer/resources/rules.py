"""Rules that an agent reads verbatim."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.learn import rules as procedures
from remembrancer.learn.rules import Refused, Room
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline as looking
from remembrancer.transactions.draft import Draft
from remembrancer.types.arguments import member
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Metadata, Rule
from remembrancer.types.results import without_hash
from remembrancer.types.scope import Classification
from remembrancer.types.times import optional_utc

_KEPT = (Status.ACTIVE, Status.PAUSED, Status.DEMOTED, Status.RETIRED)


class Rules(Resource, path="rules"):
    """The rules of one scope. Reached as `memory.rules`."""

    async def add(
        self,
        rule: str,
        *,
        author: str = "",
        classification: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Rule:
        """Add a rule for the agents of a scope.

        Args:
            occurred_at: the time of the rule, with its zone; by default the current time.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: it is empty, has more than 40 words, or does not fit.
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
        async with self._unit.write() as writer:
            return await procedures.add(writer, draft, self._room)

    async def edit(self, id: str, rule: str, *, revision: int | None = None) -> Rule:
        """Change the wording of a rule; the earlier one is kept.

        Args:
            revision: the revision that it must have; any by default.

        Raises:
            NotFound: there is no such rule in this scope.
            Conflict: it is not active.
            RevisionConflict: it has another revision.
            InvalidInput: it is empty, has more than 40 words, or does not fit.
        """
        async with self._unit.write() as writer:
            return await procedures.edit(writer, id, rule, self._room, revision=revision)

    async def pause(self, id: str) -> Rule:
        """Exclude a rule until it is resumed.

        Raises:
            NotFound: there is no such rule in this scope.
            Conflict: it is demoted or retired.
        """
        return await self._move(id, Status.PAUSED)

    async def resume(self, id: str) -> Rule:
        """Make a paused rule active again.

        Raises:
            NotFound: there is no such rule in this scope.
            Conflict: the observation that it was derived from was rejected or dismissed.
            InvalidInput: it does not fit.
        """
        return await self._move(id, Status.ACTIVE)

    async def retire(self, id: str) -> Rule:
        """Retire a rule; it is kept.

        Raises:
            NotFound: there is no such rule in this scope.
        """
        return await self._move(id, Status.RETIRED)

    async def refused(self) -> list[Refused]:
        """Return the observations that would be rules if they fitted, each with the obstacle."""
        return await self._engine.nightly.refused_rules(self._caller)

    @property
    def _room(self) -> Room:
        return self._engine.rule_budget(self._caller.scope)

    async def _move(self, id: str, status: Status) -> Rule:
        async with self._unit.write() as writer:
            return await procedures.move(writer, id, status, self._room)

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Rule]:
        """Return the active rules that the scope sees, oldest first.

        Args:
            all: with those that are paused, demoted and retired.
            as_of: the rules of that time, as they then read.
        """
        statuses = _KEPT if all else (Status.ACTIVE,)
        known = optional_utc(as_of, what="as_of")
        found = await self._unit.read(lambda tx: looking.procedures(tx, statuses, as_of=known))
        return [without_hash(one) for one in found]
