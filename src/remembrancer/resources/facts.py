"""Facts, by key."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from remembrancer.errors import NotFound
from remembrancer.ingest import facts
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline as looking
from remembrancer.types.arguments import member
from remembrancer.types.details import FactCategory, Value
from remembrancer.types.record import Fact, Source
from remembrancer.types.results import Saved, without_hash
from remembrancer.types.scope import Classification
from remembrancer.types.times import optional_utc, utc


class Facts(Resource, path="facts"):
    """The facts of one scope, by key; read directly, never searched. Reached as `memory.facts`."""

    async def set(
        self,
        key: str,
        value: object,
        *,
        category: str = "profile",
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        author: str = "",
        source: str = "tool",
        classification: str | None = None,
    ) -> Saved[Fact]:
        """Set the fact of a key from a time on. The earlier fact ends then, and stays in the history.

        Args:
            key: a stable name, such as `contact/bertelli/tone`.
            value: a text, a number, a truth value, or lists and mappings of these.
            category: `profile`, `contact`, `rule` or `setting`.
            valid_from: with its zone; by default the current time.
            valid_to: with its zone, exclusive.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
        """
        new = facts.NewFact(
            key=key,
            value=cast(Value, value),
            category=member(FactCategory, category, "category"),
            valid_from=valid_from,
            valid_to=valid_to,
            author=author,
            source=member(Source, source, "source"),
            classification=None if classification is None else member(Classification, classification, "classification"),
        )
        async with self._unit.write() as writer:
            return await facts.set_fact(writer, new)

    async def get(self, key: str, *, at: datetime | None = None, as_of: datetime | None = None) -> Fact:
        """Return the valid fact of a key, now or at a time, of the nearest scope.

        Args:
            at: the facts that were valid then.
            as_of: the facts that were known then; `at` is that time by default.

        Raises:
            NotFound: there is no valid fact.
        """
        found = {fact.details.key: fact for fact in await self._holding(at, as_of)}
        name = clean_name(key, self._unit.rules)
        if name not in found:
            raise NotFound("fact", key)
        return found[name]

    async def history(self, key: str) -> list[Fact]:
        """Return all facts of this very scope under a key, the latest first."""
        name = clean_name(key, self._unit.rules)
        found = facts.history(await self._unit.read(lambda tx: tx.facts.by_key(name)))
        return [without_hash(fact) for fact in found]

    async def end(self, key: str, *, at: datetime | None = None) -> Fact:
        """End the valid fact of a key; it stays in the history.

        Raises:
            NotFound: this very scope has no valid fact of the key then.
        """
        async with self._unit.write() as writer:
            return await facts.end_fact(writer, key, at=at)

    async def _holding(self, at: datetime | None, as_of: datetime | None) -> Sequence[Fact]:
        known = optional_utc(as_of, what="as_of")
        when = utc(at, what="at") if at is not None else known or self._unit.rules.clock.now()
        return facts.nearest_valid(await self._unit.read(lambda tx: looking.facts(tx, as_of=known)), when)

    async def list(
        self, *, category: str | None = None, at: datetime | None = None, as_of: datetime | None = None
    ) -> Sequence[Fact]:
        """Return all valid facts, now or at a time; each key once, of the nearest scope; by category and key.

        Args:
            at: the facts that were valid then.
            as_of: the facts that were known then; `at` is that time by default.
        """
        wanted = None if category is None else member(FactCategory, category, "category")
        found = await self._holding(at, as_of)
        return [without_hash(fact) for fact in found if wanted is None or fact.details.category is wanted]
