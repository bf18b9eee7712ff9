"""What memories state about entities, read for one query.

No table of edges exists: the memories that name an entity are found by the text index, and the relations that their
texts state are read. So an edge has evidence, is visible to whom a memory of it is visible, and ends with it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.analysis import (
    RELATION_TERM,
    alias_term,
    maybe_name_term,
    name_part_term,
    name_term,
    spelling_term,
)
from remembrancer.language.dates.questions import spans
from remembrancer.language.name_forms import different_names, plain_spellings
from remembrancer.language.names import named, names_of
from remembrancer.language.relations import MEANT_BY, OF_NAMES, ONE_AT_A_TIME, Predicate, Relation
from remembrancer.language.tables import PatternTable
from remembrancer.storage.documents import DOCUMENT_BITS
from remembrancer.storage.tx import Tx
from remembrancer.transactions.documents import declared_names
from remembrancer.transactions.relations import relations_in
from remembrancer.types.filter import Filter
from remembrancer.types.graph import EntityRelation
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import Record

MOST_READ: Final = 500
"""The newest memories of an entity of which the relations are read."""
_MOST_NAMED: Final = 300
_APART: Final = PatternTable("relations")
_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d\b")
_NONE: Final = np.empty(0, dtype=np.int64)
# The share of the relations in marked sentences that are wrong.
_WRONG: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedStatement:
    """A relation with the memory that states it, and its beginning."""

    relation: Relation
    record: Record
    began: datetime

    @property
    def subject(self) -> str:
        """The subject, as names are compared."""
        return named(self.relation.subject)

    @property
    def object(self) -> str:
        """The object, as names are compared."""
        return named(self.relation.object)


class GraphReader:
    """Reader of the memories that name entities.

    Args:
        as_of: what was known then.
    """

    def __init__(self, tx: Tx, *, as_of: datetime | None = None) -> None:
        self.tx = tx
        self._as_of = as_of
        self._scopes: list[int] | None = None
        self._former: Sequence[Record] | None = None
        self._numbers: dict[str, NDArray[np.int64]] = {}
        self._of_names: dict[str, Sequence[NamedStatement]] = {}

    async def count(self, names: Collection[str]) -> int:
        """Return the number of memories that have one of some names; of an earlier time, at most `MOST_READ`."""
        of_names = [one for name in names for one in await self.statements_of_names(name)]
        if self._as_of is not None or any(one.relation.predicate == MEANT_BY for one in of_names):
            return len(await self.naming(names))
        return len(await self._documents(map(name_term, names)))

    async def naming(self, names: Collection[str], *, most: int = MOST_READ) -> list[Record]:
        """Return the newest memories that mean one of some names, the newest first.

        Args:
            most: the number of memories.
        """
        return await self._meaning(names, await self._documents(map(name_term, names)), most)

    async def stating(self, names: Collection[str], *, most: int = MOST_READ) -> list[Record]:
        """Return the same, of the memories that state relations."""
        documents = await self._documents(map(name_term, names))
        related = await self._documents([RELATION_TERM])
        return await self._meaning(names, np.intersect1d(documents, related, assume_unique=True), most)

    async def _meaning(self, names: Collection[str], documents: NDArray[np.int64], most: int) -> list[Record]:
        found = {record.id: record for record in await self._read(documents, most)}
        for record in await self._former_records():
            if not _names_in(record).isdisjoint(names):
                found[record.id] = record
        left_out: set[str] = set()
        for one in [one for name in names for one in await self.statements_of_names(name)]:
            if one.relation.predicate != MEANT_BY:
                continue
            if one.subject in names:
                found |= {record.id: record for record in await self._live(one.relation.memories)}
            elif one.object in names:
                left_out |= set(one.relation.memories)
        kept = [record for id, record in found.items() if id not in left_out]
        return sorted(kept, key=lambda one: (one.occurred_at, one.id), reverse=True)[:most]

    async def statements_of_names(self, name: str) -> Sequence[NamedStatement]:
        """Return what is stated about a name itself: that it is another one, or not; the oldest first."""
        if name not in self._of_names:
            records = await self._read(await self._documents([alias_term(name)]), _MOST_NAMED)
            records += [one for one in await self._former_records() if name in _names_in(one)]
            stated = [one for one in self.statements(records) if one.relation.predicate in OF_NAMES]
            about = [one for one in stated if name in (one.subject, one.object)]
            self._of_names[name] = sorted(about, key=lambda one: (one.record.updated_at, one.record.id))
        return self._of_names[name]

    async def names_with_word(self, word: str) -> list[str]:
        """Return the names with a word."""
        found = await self._names_with([name_part_term(word), maybe_name_term(word)])
        return [name for name in found if word in name.split()]

    async def spelt_alike(self, name: str) -> list[str]:
        """Return the names with accents that differ from a name by their accents alone."""
        found = await self._names_with([spelling_term(one) for one in plain_spellings(name)])
        return [one for one in found if one != name and not plain_spellings(one).isdisjoint(plain_spellings(name))]

    async def is_kept_apart(self, names: Sequence[str]) -> bool:
        """Return whether a memory with one of some names has words such as "another firm"."""
        return any(
            _APART["apart"].search(one.text) and not any(relation.declared for relation in relations_in(one))
            for one in await self.naming(names, most=_MOST_NAMED)
        )

    async def known(self, names: Sequence[str]) -> list[str]:
        """Return those of some names that memories have."""
        frequencies = await self.tx.text_index.frequencies([name_term(name) for name in names])
        terms = {term for _, term in frequencies}
        return [name for name in names if name_term(name) in terms]

    async def relations(self, names: Mapping[str, str], records: Sequence[Record]) -> list[EntityRelation]:
        """Return the relations of an entity that memories state.

        What ends a relation may name its subject alone, so memories of the subjects are read as well.

        Args:
            names: the names of the entity, each with the fullest.
        """
        stated = [one for one in self.statements(records) if one.subject in names or one.object in names]
        others = {one.subject for one in stated if one.relation.predicate in ONE_AT_A_TIME} - names.keys()
        if others:
            further, seen = await self.stating(others), {record.id for record in records}
            of_others = self.statements([one for one in further if one.id not in seen])
            stated += [one for one in of_others if one.subject in others]
            stated.sort(key=_order)
        return [one for one in merged(stated, names) if named(one.subject) in names or named(one.object) in names]

    async def all_relations(self, *, most: int) -> list[EntityRelation]:
        """Return the relations that the newest visible memories state.

        Args:
            most: the number of memories that are read.
        """
        records = [*await self._read(await self._documents([RELATION_TERM]), most), *await self._former_records()]
        of_names = [one for one in self.statements(records) if one.relation.predicate in OF_NAMES]
        of_names.sort(key=lambda one: (one.record.updated_at, one.record.id))
        for one in of_names:
            for name in (one.subject, one.object):
                self._of_names[name] = [*self._of_names.get(name, ()), one]
        return merged(self.statements(records), _fullest(self._of_names))

    def statements(self, records: Iterable[Record]) -> list[NamedStatement]:
        """Return the relations that memories state, those that began first before others."""
        found = [
            NamedStatement(relation=self._as_meant(one, record), record=record, began=_beginning(one, record))
            for record in records
            for one in relations_in(record)
        ]
        return sorted(found, key=_order)

    def _as_meant(self, relation: Relation, record: Record) -> Relation:
        """Return a relation with the names that its memory is known to mean."""
        if relation.predicate in OF_NAMES:
            return relation
        for stated in self._of_names.values():
            for one in stated:
                if one.relation.predicate == MEANT_BY and record.id in one.relation.memories:
                    if named(relation.subject) == one.object:
                        relation = replace(relation, subject=one.relation.subject)
                    if relation.is_name and named(relation.object) == one.object:
                        relation = replace(relation, object=one.relation.subject)
        return relation

    async def _read(self, documents: NDArray[np.int64], most: int) -> list[Record]:
        """Return the records of documents; of more than `most`, those that were saved last in each scope."""
        if len(documents) > most:
            scopes = documents >> DOCUMENT_BITS
            documents = np.concatenate([documents[scopes == scope][-most:] for scope in np.unique(scopes)])
        records = list((await self.tx.documents.records(documents.tolist())).values()) if len(documents) else []
        return records if self._as_of is None else [one for one in records if one.updated_at <= self._as_of]

    async def _names_with(self, terms: Sequence[str]) -> list[str]:
        """Return the names in the last documents with one of some terms."""
        documents = (await self._documents(terms))[-_MOST_NAMED:].tolist()
        found = await self.tx.text_index.names(documents) if documents else {}
        return list(dict.fromkeys(name for names in found.values() for name in names))

    async def _documents(self, terms: Iterable[str]) -> NDArray[np.int64]:
        """Return the visible documents with one of some terms, ascending."""
        if self._scopes is None:
            self._scopes = [one.scope for one in await self.tx.text_index.statistics()]
        wanted = list(terms)
        new = [(scope, term) for scope in self._scopes for term in wanted if term not in self._numbers]
        found = {term: [_NONE] for _, term in new}
        for (_, term), postings in (await self.tx.text_index.postings(new)).items() if new else ():
            found[term].append(postings.documents)
        self._numbers |= {term: np.unique(np.concatenate(parts)) for term, parts in found.items()}
        return np.unique(np.concatenate([_NONE, *(self._numbers.get(term, _NONE) for term in wanted)]))

    async def _former_records(self) -> Sequence[Record]:
        """Return the memories that have changed since, as they were known then."""
        if self._former is None and self._as_of is not None:
            filter = Filter(statuses=LIVE, known_by=self._as_of)
            self._former = await self.tx.versions.past(filter, at=self._as_of)
        return self._former or ()

    async def _live(self, ids: Sequence[str]) -> list[Record]:
        return [one for one in await self.tx.records.find_all(list(ids)) if one.status in LIVE]


def _fullest(of_names: Mapping[str, Sequence[NamedStatement]]) -> dict[str, str]:
    """Return the names that are stated to be the same, each with the fullest.

    Args:
        of_names: what is stated of each name, the oldest first.
    """
    shared = {name for name, statements in of_names.items() if is_shared(name, statements)}
    latest = {frozenset((one.subject, one.object)): one.relation for some in of_names.values() for one in some}
    groups: dict[str, set[str]] = {}
    for pair, relation in latest.items():
        if relation.predicate == Predicate.SAME_AS and not relation.ended and shared.isdisjoint(pair):
            group = set(pair).union(*(groups.get(name, set()) for name in pair))
            groups |= dict.fromkeys(group, group)
    return {name: max(group, key=lambda one: (len(one.split()), len(one))) for name, group in groups.items()}


def is_shared(nickname: str, of_name: Iterable[NamedStatement]) -> bool:
    """Return whether texts state two different full names for one nickname.

    Args:
        of_name: what is stated of the nickname.
    """
    stated = [one for one in of_name if not one.relation.declared]
    others = [one.object if one.subject == nickname else one.subject for one in stated]
    return " " not in nickname and len(different_names([one for one in others if " " in one])) > 1


def _names_in(record: Record) -> set[str]:
    return {*names_of(record.text), *declared_names(record)}


def _order(statement: NamedStatement) -> tuple[datetime, datetime, str]:
    return statement.began, statement.record.occurred_at, statement.record.id


def shown(names: Mapping[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Return for each name the text to show: the fullest name as a text writes it.

    Args:
        names: each with the fullest of its entity.
        texts: names as they are written.
    """
    written = {name: name.title() for name in names.values()}
    written |= {name: text for text in texts if (name := named(text)) in written}
    return {name: written[full] for name, full in names.items()}


def merged(statements: Sequence[NamedStatement], names: Mapping[str, str]) -> list[EntityRelation]:
    """Return each relation with all its evidence; one that a newer statement replaces or ends has an end.

    One that begins again is another relation.

    Args:
        statements: those that began first before others.
        names: names of one entity, each with the fullest.
    """
    texts = shown(names, (text for one in statements for text in (one.relation.subject, one.relation.object)))
    relations: list[EntityRelation] = []
    # The place of each valid relation, and the valid object of a predicate that has one at a time.
    valid: dict[tuple[str, str, str], int] = {}
    current: dict[tuple[str, str], tuple[str, str, str]] = {}

    def end(key: tuple[str, str, str], at: datetime) -> None:
        if key in valid:
            place = valid.pop(key)
            relations[place] = replace(relations[place], until=at)

    for one in statements:
        relation = one.relation
        if relation.predicate in OF_NAMES:
            continue
        subject = texts.get(one.subject, relation.subject)
        object = texts.get(one.object, relation.object) if relation.is_name else relation.object
        key = (named(subject), relation.predicate, named(object))
        about = key[:2]
        if relation.ended:
            end(key, one.began)
            continue
        if relation.predicate in ONE_AT_A_TIME:
            if current.get(about, key) != key:
                end(current[about], one.began)
            current[about] = key
        if key in valid:
            relations[valid[key]] = _supported(relations[valid[key]], one)
        else:
            valid[key] = len(relations)
            relations.append(_first(one, subject, object))
    return relations


def _supported(known: EntityRelation, statement: NamedStatement) -> EntityRelation:
    """Return a relation with one more memory as its evidence."""
    evidence = tuple(dict.fromkeys((*known.evidence, statement.record.id)))
    is_declared = statement.relation.declared or known.confidence == 1.0
    return replace(known, evidence=evidence, confidence=1.0 if is_declared else 1 - _WRONG ** len(evidence))


def _first(statement: NamedStatement, subject: str, object: str) -> EntityRelation:
    return EntityRelation(
        subject=subject,
        predicate=statement.relation.predicate,
        object=object,
        is_value=not statement.relation.is_name,
        since=statement.began,
        until=None,
        learnt_at=statement.record.recorded_at,
        confidence=1.0 if statement.relation.declared else 1 - _WRONG,
        evidence=(statement.record.id,),
    )


def _beginning(relation: Relation, record: Record) -> datetime:
    """Return the beginning of a relation: the date that its text names, or the time of the text."""
    dates = [span.start for span in spans(relation.since, now=record.occurred_at)] if relation.since else []
    if not dates and (year := _YEAR.match(relation.since)):
        dates = [datetime(int(year[0]), 1, 1, tzinfo=UTC)]
    return min([record.occurred_at, *dates])
