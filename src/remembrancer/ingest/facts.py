"""Facts by key: what holds since when, until when; the nearest scope that says something is believed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import cast

from remembrancer.errors import InvalidInput, NotFound, quoted
from remembrancer.guard.redact import redact_value
from remembrancer.ingest.admission import LEFT_OUT, admit, admit_one, clean_name, revise
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft, check_fact, fact_text
from remembrancer.transactions.sealed_blocks import blocks_to_references
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.details import FactCategory, FactDetails, Value
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Source
from remembrancer.types.results import Change, Outcome, Saved
from remembrancer.types.scope import Classification, most_restrictive
from remembrancer.types.times import utc


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact to set; see `Facts.set` for its parts."""

    key: str
    value: Value
    category: FactCategory = FactCategory.PROFILE
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    author: str = ""
    source: Source = Source.TOOL
    classification: Classification | None = None


async def put(writer: WriteTransaction, new: NewFact) -> Saved[Fact]:
    """Say what holds under a key from some time on. What held before ends then; what is said to hold later, stays.

    Said up to some time only, what held before holds again from there.

    Said again, it is `deduped`; said anew for the very time at which another value began, it corrects that one.
    No value has a lower class than another under its key.

    Raises:
        InvalidInput: the key, the value or the times are not allowed, or something else holds before the end.
    """
    tx, rules, key, valid_from, valid_to = writer.tx, writer.rules, new.key, new.valid_from, new.valid_to
    begins = writer.now if valid_from is None else utc(valid_from, what="valid_from")
    ends = None if valid_to is None else utc(valid_to, what="valid_to")
    told = FactDetails(category=new.category, key=key, value=new.value, valid_from=begins, valid_to=ends)
    check_fact(told)
    said = () if new.classification is None else (new.classification,)
    under = await tx.facts.by_key(clean_name(key, rules))
    # Also of what is closed to who sets it.
    held = await writer.as_engine().tx.facts.by_key(clean_name(key, rules))
    classification = most_restrictive([*(fact.classification for fact in held), *said])
    known = [fact for fact in under if fact.status is Status.ACTIVE]
    standing = sorted((fact for fact in known if fact.details.is_valid_at(begins)), key=_age)
    before = standing[-1] if standing else None
    if before is not None and valid_from is None and _same(before, told, rules):
        return await _raised(writer, before, said)
    for fact in under:
        # However often it is said, what was left out stays out.
        if fact.status in LEFT_OUT and _says(fact, told, rules) and fact.details.overlaps(told):
            return await _raised(writer, fact, said)
    later = min((fact.details.valid_from for fact in known if fact.details.valid_from > begins), default=None)
    if ends is not None and later is not None and ends > later:
        raise InvalidInput(
            f"something else holds under {quoted(key)} from {later.isoformat()}: set valid_to to that or earlier,"
            " or end that one first"
        )
    ends = ends or later
    for beside in standing[:-1]:
        # Two that could not see each other have both said what holds.
        await _ended(writer, beside, begins)
    draft = _draft(
        replace(told, valid_to=ends), rules, author=new.author, source=new.source, classification=classification
    )
    if before is not None and before.details.valid_from == begins:
        return await revise(writer, before, draft)
    if before is not None:
        await _ended(writer, before, begins)
    saved = await admit_one(writer, draft, Fact)
    if before is not None and ends is not None and before.details.is_valid_at(ends):
        # What is said for a while only gives way for that while.
        again = replace(before.details, valid_from=ends)
        await admit(
            writer,
            [
                _draft(
                    again,
                    rules,
                    author=before.author,
                    source=before.source,
                    classification=before.classification,
                )
            ],
        )
    return Saved(outcome=Outcome.CREATED if before is None else Outcome.UPDATED, record=saved.record)


async def end(writer: WriteTransaction, key: str, *, at: datetime | None) -> Fact:
    """Say that what holds under a key holds no more from some time on; it stays in its history.

    Raises:
        NotFound: nothing holds under this key then.
    """
    when = writer.now if at is None else utc(at, what="at")
    known = await writer.tx.facts.by_key(clean_name(key, writer.rules))
    standing = sorted(
        (fact for fact in known if fact.status is Status.ACTIVE and fact.details.is_valid_at(when)), key=_age
    )
    if not standing:
        raise NotFound("fact", key)
    return [await _ended(writer, fact, when) for fact in standing][-1]


async def holding(tx: Tx, at: datetime) -> list[Fact]:
    """What the scope may believe at a time; see `believed`."""
    return believed(await tx.facts.in_status((Status.ACTIVE,)), at)


def believed(facts: Sequence[Fact], at: datetime) -> list[Fact]:
    """Of some facts what may be believed at a time, by category and key; each key once, as the nearest scope has it.

    A user's comes before an agent's, that before a project's, that before the tenant's; of two of one scope, which
    callers have set who could not see each other's, the newer one.
    """
    nearest: dict[str, Fact] = {}
    for record in sorted(facts, key=_age):
        if record.details.is_valid_at(at):
            other = nearest.get(record.details.key)
            if other is None or record.scope.nearness >= other.scope.nearness:
                nearest[record.details.key] = record
    order = list(FactCategory)
    return sorted(nearest.values(), key=lambda fact: (order.index(fact.details.category), fact.details.key))


def _age(fact: Fact) -> tuple[datetime, datetime, str]:
    return fact.details.valid_from, fact.recorded_at, fact.id


def _draft(
    told: FactDetails, rules: Dependencies, *, author: str, source: Source, classification: Classification | None = None
) -> Draft:
    """A fact, worded after what is secret in it was taken out: a word by itself no longer says what it is."""
    text = fact_text(clean_name(told.key, rules), _cleaned(told.value, rules))
    return Draft(text=text, author=author, source=source, classification=classification, details=told)


def _cleaned(value: Value, rules: Dependencies) -> Value:
    told = partial(blocks_to_references, sign=rules.sign)
    return cast(Value, redact_value(value, policy=rules.secrets, before=told)[0])


def _same(fact: Fact, told: FactDetails, rules: Dependencies) -> bool:
    """Whether a fact says what is said now, for as long."""
    return _says(fact, told, rules) and told.valid_to in (None, fact.details.valid_to)


def _says(fact: Fact, told: FactDetails, rules: Dependencies) -> bool:
    # As JSON: a truth is no number, and a tuple is a list.
    said = json.dumps(_cleaned(told.value, rules), sort_keys=True)
    return json.dumps(fact.details.value, sort_keys=True) == said and fact.details.category is told.category


async def _raised(writer: WriteTransaction, fact: Fact, said: Sequence[Classification]) -> Saved[Fact]:
    """A fact that is said again, with the class that is said where that is higher."""
    classification = most_restrictive([fact.classification, *said])
    if classification is fact.classification:
        return Saved(outcome=Outcome.DEDUPED, record=fact)
    raised = await writer.change(fact, Change(classification=classification))
    return Saved(outcome=Outcome.UPDATED, record=raised)


async def _ended(writer: WriteTransaction, fact: Fact, at: datetime) -> Fact:
    change = Change(details=replace(fact.details, valid_to=at), reworded=True)
    return await writer.change(fact, change, action="ended")


def history(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of one key by when they held, the latest first."""
    return sorted(facts, key=lambda fact: (fact.details.valid_from, fact.id), reverse=True)
