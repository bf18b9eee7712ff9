"""The names of one entity: those that memories declare, and those that follow from how they are written."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from remembrancer.graph.reader import GraphReader
from remembrancer.graph.types import entity_type
from remembrancer.language.names import named
from remembrancer.language.relations import MEANT_BY, Predicate
from remembrancer.language.spelling import bare
from remembrancer.types.graph import Alias, AliasReason, EntityType

_MOST: Final = 20
_MOST_TYPED: Final = 30
_LEGAL_FORMS: Final = (
    "inc",
    "ltd",
    "llc",
    "corp",
    "corporation",
    "company",
    "co",
    "plc",
    "gmbh",
    "ag",
    "kg",
    "se",
    "sa",
    "bv",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityNames:
    """The names of an entity.

    Args:
        full: the fullest name.
        aliases: the others, each with its reason.
    """

    full: str
    aliases: tuple[Alias, ...]

    @property
    def every(self) -> dict[str, str]:
        """Each name with the fullest."""
        return dict.fromkeys((self.full, *(one.name for one in self.aliases)), self.full)


async def names_of_entity(reader: GraphReader, name: str) -> EntityNames:
    """Return the names of the entity that a name means."""
    key = named(name)
    found = {key: Alias(name=key, reason=AliasReason.SPELLING)} if key else {}
    if "@" in key and await reader.known([local := named(key.partition("@")[0])]):
        found[local] = Alias(name=local, reason=AliasReason.ADDRESS)
    apart: set[frozenset[str]] = set()
    queue = list(found)
    for current in queue:
        async for alias in _others(reader, current, apart):
            if alias.name not in found and len(found) < _MOST:
                found[alias.name] = alias
                queue.append(alias.name)
    full = max(found, key=lambda one: ("@" not in one, len(one.split()), len(one)), default="")
    # Each name has the reason for which it is the same as the fullest.
    reasons = {**found, key: found[full]} if full != key and key else found
    aliases = tuple(
        Alias(name=one, reason=reasons[one].reason, evidence=reasons[one].evidence) for one in found if one != full
    )
    return EntityNames(full=full, aliases=aliases)


async def _others(reader: GraphReader, name: str, apart: set[frozenset[str]]) -> AsyncIterator[Alias]:
    """Yield the other names of what a name means, one step away.

    Args:
        apart: the pairs of names that are declared to be of different entities; more are added.
    """
    latest: dict[frozenset[str], Alias | None] = {}
    for one in await reader.statements_of_names(name):
        other = one.object if one.subject == name else one.subject
        pair = frozenset((name, other))
        is_same = one.relation.predicate == Predicate.SAME_AS and not one.relation.ended
        latest[pair] = Alias(name=other, reason=AliasReason.DECLARED, evidence=one.record.id) if is_same else None
        if one.relation.predicate == MEANT_BY:
            latest.setdefault(pair, None)
    apart |= {pair for pair, alias in latest.items() if alias is None}
    for alias in latest.values():
        if alias is not None:
            yield alias
    async for other, reason in _by_writing(reader, name):
        if frozenset((name, other)) not in apart and frozenset((name, other)) not in latest:
            yield Alias(name=other, reason=reason)


async def _by_writing(reader: GraphReader, name: str) -> AsyncIterator[tuple[str, AliasReason]]:
    """Yield the names that are written as another form of a name is, and that no statement separates from it."""
    words = name.split()
    if not words or "@" in name or "/" in name:
        return
    forms = [f"{name} {form}" for form in _LEGAL_FORMS]
    if words[1:] and words[-1] in _LEGAL_FORMS:
        forms.append(" ".join(words[:-1]))
    for form in await reader.known(forms):
        yield form, AliasReason.LEGAL_FORM
    for other in {*await reader.known([bare(name)]), *await reader.with_accents(name)} - {name}:
        yield other, AliasReason.SPELLING
    if len(words) == 1:
        full = [one for one in await reader.full_names(name) if one.split()[-1] not in _LEGAL_FORMS]
        if len(_different(full)) == 1 and await _is_part(reader, name, full[0]):
            for one in full:
                yield one, AliasReason.PART_OF_NAME
    elif len(words) <= 3:
        for word in (words[0], words[-1]):
            full = await reader.full_names(word)
            for other in full:
                if other != name and sorted(other.split()) == sorted(words):
                    yield other, AliasReason.SPELLING
            is_alone = len(word) > 1 and len(_different(full)) <= 1
            if is_alone and await reader.known([word]) and await _is_part(reader, word, name):
                yield word, AliasReason.PART_OF_NAME


def _different(names: list[str]) -> set[frozenset[str]]:
    """Return the names that differ by more than the order of their words and their accents."""
    return {frozenset(bare(name).split()) for name in names}


async def _is_part(reader: GraphReader, word: str, full: str) -> bool:
    """Return whether a word alone may mean the person of a full name: `Paris` is not Paris Hilton."""
    return await _type(reader, full) is EntityType.PERSON and await _type(reader, word) in (
        EntityType.PERSON,
        EntityType.OTHER,
    )


async def _type(reader: GraphReader, name: str) -> EntityType:
    stated = await reader.relations({name: name}, await reader.stating([name], most=_MOST_TYPED))
    return entity_type([name], stated, await reader.naming([name], most=_MOST_TYPED))
