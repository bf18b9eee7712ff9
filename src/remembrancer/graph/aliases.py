"""The names of one entity: those that memories declare, and those that follow from how they are written."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.graph.reader import GraphReader, is_shared
from remembrancer.graph.types import entity_type
from remembrancer.language.name_forms import (
    different_names,
    is_address_of,
    is_short_for,
    may_be_of_person,
    plain_spellings,
    with_legal_forms,
    without_legal_form,
    without_title,
    words_of_address,
)
from remembrancer.language.names import is_identifier, named, names_in, sides_of
from remembrancer.language.relations import Predicate
from remembrancer.types.graph import Alias, AliasReason, EntityType

_MOST: Final = 20
_MOST_TYPED: Final = 30
_LONGEST_OF_PEOPLE: Final = 3
_SHORTEST_SURNAME: Final = 4


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
    if "@" in key:
        found |= {one: Alias(name=one, reason=AliasReason.ADDRESS) for one in await _of_address(reader, key)}
    elif key and not await reader.known([key]) and await reader.known([firm := without_legal_form(key)]):
        found[firm] = Alias(name=firm, reason=AliasReason.LEGAL_FORM)
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


async def _of_address(reader: GraphReader, address: str) -> list[str]:
    """Return the name of the only person whose e-mail address it may be."""
    words = words_of_address(address)
    parts = [*words, *(word[1:] for word in words[:1] if len(words) == 1 and len(word) > _SHORTEST_SURNAME)]
    names = dict.fromkeys([one for word in parts for one in await _forms(reader, word) if _is_full(one)])
    found = [one for one in names if is_address_of(words, one)]
    if not found and len(words) == 1:
        found = [one for one in names if words[0] in one.split()]
    return found if len(different_names(found)) == 1 else []


async def _addresses(reader: GraphReader, name: str) -> list[str]:
    """Return the e-mail addresses of a person that are in a text with the name."""
    records = await reader.naming([name], most=_MOST_TYPED)
    texts = [record.text for record in records if "@" in record.text]
    found = dict.fromkeys(one for text in texts for one in names_in(text) if "@" in one)
    return [one for one in found if name in await _of_address(reader, one)]


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
    apart |= {pair for pair, alias in latest.items() if alias is None}
    same = [alias for alias in latest.values() if alias is not None]
    for alias in same if same and not await _is_shared(reader, name) else ():
        if not await _is_shared(reader, alias.name):
            yield alias
    async for other, reason in _by_writing(reader, name):
        if frozenset((name, other)) not in apart and frozenset((name, other)) not in latest:
            yield Alias(name=other, reason=reason)


async def _is_shared(reader: GraphReader, nickname: str) -> bool:
    return is_shared(nickname, await reader.statements_of_names(nickname))


async def _by_writing(reader: GraphReader, name: str) -> AsyncIterator[tuple[str, AliasReason]]:
    """Yield the names that are written as another form of a name is, and that no statement separates from it."""
    if not name or is_identifier(name):
        return
    firm = without_legal_form(name)
    for form in await reader.known([*with_legal_forms(name), *{firm} - {name}]):
        # A firm may have the name of its founder.
        is_firm = not _is_full(firm) or await _type(reader, firm) is EntityType.ORGANISATION
        if is_firm and not await reader.is_kept_apart([name, form]):
            yield form, AliasReason.LEGAL_FORM
    same = {*plain_spellings(name), f"the {name}", name.removeprefix("the ")} - {name}
    for other in await reader.known(sorted(same)) + await reader.spelt_alike(name):
        yield other, AliasReason.SPELLING
    plain = without_title(name) or name
    words = plain.split()
    if len(words) > _LONGEST_OF_PEOPLE:
        return
    others = {word: await _forms(reader, word) for word in dict.fromkeys((words[0], words[-1])) if len(word) > 1}
    for other, reason in _other_forms(name, others):
        if not await reader.is_kept_apart([name, other]):
            yield other, reason
    for address in await _addresses(reader, name) if _is_full(name) else ():
        yield address, AliasReason.ADDRESS
    # "Dr. Ross" may be another one than Dora Ross: a title and a surname alone are not joined with a full name.
    if plain != name or not (len(words) == 1 or _is_full(name)):
        return
    for word, forms in others.items():
        full = list(dict.fromkeys(one for one in (*forms, name) if _is_full(one)))
        titled = [one for one in forms if without_title(one) == word]
        # "Firma Lindner" is no person.
        is_of_thing = any(not may_be_of_person(one.partition(" ")[0]) for one in forms)
        if is_of_thing or titled or len(different_names(full)) != 1:
            continue
        # Whether the word means the person is asked last: that reads memories.
        same = [one for one in (*full, *await reader.known([word])) if one != name]
        if same and await _is_part(reader, word, full[0]):
            for one in same:
                yield one, AliasReason.PART_OF_NAME


def _other_forms(name: str, others: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, AliasReason]]:
    """Yield the other orders of the words of a name, and its forms with initials and titles."""
    plain = without_title(name) or name
    for forms in others.values():
        full = {frozenset(one.split()): one for one in forms if _is_full(one) and is_short_for(plain, one)}
        for other in forms:
            if other == name or " " not in plain:
                continue
            if sorted((without_title(other) or other).split()) == sorted(plain.split()):
                yield other, AliasReason.SPELLING
            elif (is_short_for(plain, other) and len(full) == 1) or (
                is_short_for(other, plain)
                and not any(is_short_for(other, one) for one in forms if one != name and _is_full(one))
            ):
                yield other, AliasReason.INITIALS


async def _forms(reader: GraphReader, word: str) -> list[str]:
    """Return the names of people that begin or end with a word, also with titles, initials and another order."""
    found: list[str] = []
    for name in await reader.names_with_word(word):
        plain = (without_title(name) or name).split()
        # "Dana and Ana" are two.
        if " " in name and word in (plain[0], plain[-1]) and not sides_of(name):
            found.append(name)
    return found


def _is_full(name: str) -> bool:
    """Return whether a name has two or three words, and neither initials nor a title nor a legal form."""
    words = name.split()
    is_plain = without_title(name) == name and may_be_of_person(name)
    return 2 <= len(words) <= _LONGEST_OF_PEOPLE and is_plain and all(len(word) > 1 for word in words)


async def _is_part(reader: GraphReader, word: str, full: str) -> bool:
    """Return whether a word alone may mean the person of a full name: `Paris` is not Paris Hilton."""
    if await reader.is_kept_apart([word, full]):
        return False
    return await _type(reader, full) is EntityType.PERSON and await _type(reader, word) in (
        EntityType.PERSON,
        EntityType.OTHER,
    )


async def _type(reader: GraphReader, name: str) -> EntityType:
    stated = await reader.relations({name: name}, await reader.stating([name], most=_MOST_TYPED))
    return entity_type([name], stated, await reader.naming([name], most=_MOST_TYPED))
