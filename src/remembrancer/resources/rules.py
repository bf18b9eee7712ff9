"""Rules that an agent reads verbatim."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.learn import rules
from remembrancer.learn.rules import Refused, Room
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline
from remembrancer.transactions.draft import Draft
from remembrancer.types.arguments import member
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Metadata, Rule
from remembrancer.types.results import without_hash
from remembrancer.types.scope import Classification
from remembrancer.types.times import optional_utc

_ALL = (Status.ACTIVE, Status.PAUSED, Status.DEMOTED, Status.RETIRED)


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
            occurred_at: the time of the rule, with a time zone; by default the current time.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: it is empty, has more than 40 words, or does not fit.
        """
        level = None if classification is None else member(Classification, classification, "classification")
        draft = Draft(
            text=rule,
            author=author,
            classification=level,
            occurred_at=occurred_at,
            metadata=metadata or {},
            key=key,
        )
        async with self._unit.write() as writer:
            return await rules.add(writer, draft, self._budget)

    async def edit(self, id: str, rule: str, *, revision: int | None = None) -> Rule:
        """Change the text of a rule; the earlier version is kept.

        Args:
            revision: the expected revision; by default any.

        Raises:
            NotFound: there is no such rule in this scope.
            Conflict: it is not active.
            RevisionConflict: it has another revision.
            InvalidInput: it is empty, has more than 40 words, or does not fit.
        """
        async with self._unit.write() as writer:
            return await rules.edit(writer, id, rule, self._budget, revision=revision)

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
        """Return the candidates for rules that were refused, each with the reason."""
        return await self._engine.nightly.refused_rules(self._caller)

    @property
    def _budget(self) -> Room:
        return self._engine.rule_budget(self._caller.scope)

    async def _move(self, id: str, status: Status) -> Rule:
        async with self._unit.write() as writer:
            return await rules.move(writer, id, status, self._budget)

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Rule]:
        """Return the active rules that the scope sees, oldest first.

        Args:
            all: include paused, demoted and retired ones.
            as_of: the rules in their state at that time.
        """
        statuses = _ALL if all else (Status.ACTIVE,)
        when = optional_utc(as_of, what="as_of")
        records = await self._unit.read(lambda tx: timeline.procedures(tx, statuses, as_of=when))
        return [without_hash(one) for one in records]
