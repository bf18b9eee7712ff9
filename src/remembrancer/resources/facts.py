"""Facts, by key."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from remembrancer.errors import NotFound
from remembrancer.ingest import facts
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline
from remembrancer.types.arguments import member
from remembrancer.types.details import FactCategory, Value
from remembrancer.types.record import Fact, Source
from remembrancer.types.results import Saved, without_hash
from remembrancer.types.scope import Classification
from remembrancer.types.times import optional_utc, utc


class Facts(Resource, path="facts"):
    """The facts of one scope, by key; they are read directly, not searched. Reached as `memory.facts`."""

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
        """Set the fact of a key from a time on. The earlier fact ends at that time, and stays in the history.

        Args:
            key: a stable name, such as `contact/bertelli/tone`.
            value: a string, a number, a boolean, or lists and mappings of these.
            category: `profile`, `contact`, `rule` or `setting`.
            valid_from: the start of its validity, with a time zone; by default the current time.
            valid_to: the end of its validity, exclusive, with a time zone.

        Raises:
            InvalidInput: an argument is not valid.
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
        """Return the fact of a key that is valid now or at a time, from the nearest scope.

        Args:
            at: the time of validity.
            as_of: the time of knowledge, which is the default of `at`.

        Raises:
            NotFound: no fact of the key is valid.
        """
        by_key = {fact.details.key: fact for fact in await self._valid(at, as_of)}
        name = clean_name(key, self._unit.rules)
        if name not in by_key:
            raise NotFound("fact", key)
        return by_key[name]

    async def history(self, key: str) -> list[Fact]:
        """Return all facts of a key in this exact scope, latest first."""
        name = clean_name(key, self._unit.rules)
        versions = facts.history(await self._unit.read(lambda tx: tx.facts.by_key(name)))
        return [without_hash(fact) for fact in versions]

    async def end(self, key: str, *, at: datetime | None = None) -> Fact:
        """End the valid fact of a key; it stays in the history.

        Raises:
            NotFound: this exact scope has no fact of the key that is valid at that time.
        """
        async with self._unit.write() as writer:
            return await facts.end_fact(writer, key, at=at)

    async def _valid(self, at: datetime | None, as_of: datetime | None) -> Sequence[Fact]:
        known_at = optional_utc(as_of, what="as_of")
        when = utc(at, what="at") if at is not None else known_at or self._unit.rules.clock.now()
        return facts.nearest_valid(await self._unit.read(lambda tx: timeline.facts(tx, as_of=known_at)), when)

    async def list(
        self, *, category: str | None = None, at: datetime | None = None, as_of: datetime | None = None
    ) -> Sequence[Fact]:
        """Return the facts that are valid now or at a time, sorted by category and key, one per key.

        Args:
            at: the time of validity.
            as_of: the time of knowledge, which is the default of `at`.
        """
        chosen = None if category is None else member(FactCategory, category, "category")
        valid = await self._valid(at, as_of)
        return [without_hash(fact) for fact in valid if chosen is None or fact.details.category is chosen]
