"""Facts: values under keys with their time of validity.

Of several scopes the nearest one counts.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import cast

from remembrancer.errors import InvalidInput, NotFound, quoted
from remembrancer.guard.redact import redact_value
from remembrancer.ingest.admission import INACTIVE_WHEN_REPEATED, admit, admit_one, revise
from remembrancer.ingest.draft_cleaning import clean_name
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
    """A fact to set; `Facts.set` describes its fields."""

    key: str
    value: Value
    category: FactCategory = FactCategory.PROFILE
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    author: str = ""
    source: Source = Source.TOOL
    classification: Classification | None = None


async def set_fact(writer: WriteTransaction, new: NewFact) -> Saved[Fact]:
    """Set the value under a key from some time on.

    The earlier value ends then, a later one stays. With an end, the earlier value is valid again afterwards. The same
    value again is `deduped`. Another value for the very time at which one began corrects it. No value gets a lower
    class than another one under its key.

    Raises:
        InvalidInput: the key, the value or the times are not allowed, or another value begins before the end.
    """
    tx, rules, key, valid_from, valid_to = writer.tx, writer.rules, new.key, new.valid_from, new.valid_to
    begin = writer.now if valid_from is None else utc(valid_from, what="valid_from")
    end = None if valid_to is None else utc(valid_to, what="valid_to")
    details = FactDetails(category=new.category, key=key, value=new.value, valid_from=begin, valid_to=end)
    check_fact(details)
    own_class = () if new.classification is None else (new.classification,)
    under_key = await tx.facts.by_key(clean_name(key, rules))
    # With the facts that are closed to the caller.
    all_under_key = await writer.as_engine().tx.facts.by_key(clean_name(key, rules))
    classification = most_restrictive([*(fact.classification for fact in all_under_key), *own_class])
    active = [fact for fact in under_key if fact.status is Status.ACTIVE]
    valid = sorted((fact for fact in active if fact.details.is_valid_at(begin)), key=_age)
    current = valid[-1] if valid else None
    if current is not None and valid_from is None and _is_same(current, details, rules):
        return await _deduplicated(writer, current, own_class)
    for fact in under_key:
        # A fact that a person has removed stays removed.
        if (
            fact.status in INACTIVE_WHEN_REPEATED
            and _has_value(fact, details, rules)
            and fact.details.overlaps(details)
        ):
            return await _deduplicated(writer, fact, own_class)
    next_begin = min((fact.details.valid_from for fact in active if fact.details.valid_from > begin), default=None)
    if end is not None and next_begin is not None and end > next_begin:
        raise InvalidInput(
            f"another value of {quoted(key)} begins at {next_begin.isoformat()}: set valid_to to that or earlier,"
            " or end that one first"
        )
    end = end or next_begin
    for concurrent in valid[:-1]:
        # Set by callers who could not see each other's facts.
        await _ended(writer, concurrent, begin)
    draft = _draft(
        replace(details, valid_to=end), rules, author=new.author, source=new.source, classification=classification
    )
    if current is not None and current.details.valid_from == begin:
        return await revise(writer, current, draft)
    if current is not None:
        await _ended(writer, current, begin)
    saved = await admit_one(writer, draft, Fact)
    if current is not None and end is not None and current.details.is_valid_at(end):
        # The earlier value is valid again after the end.
        resumed = _draft(
            replace(current.details, valid_from=end),
            rules,
            author=current.author,
            source=current.source,
            classification=current.classification,
        )
        await admit(writer, [resumed])
    return Saved(outcome=Outcome.CREATED if current is None else Outcome.UPDATED, record=saved.record)


async def end_fact(writer: WriteTransaction, key: str, *, at: datetime | None) -> Fact:
    """End the value under a key at a time, now by default.

    It stays in the history.

    Raises:
        NotFound: no value is valid then.
    """
    when = writer.now if at is None else utc(at, what="at")
    under_key = await writer.tx.facts.by_key(clean_name(key, writer.rules))
    valid = sorted(
        (one for one in under_key if one.status is Status.ACTIVE and one.details.is_valid_at(when)), key=_age
    )
    if not valid:
        raise NotFound("fact", key)
    return [await _ended(writer, fact, when) for fact in valid][-1]


async def valid_facts(tx: Tx, at: datetime) -> list[Fact]:
    """Return the facts of a scope that are valid at a time.

    See `nearest_valid`.
    """
    return nearest_valid(await tx.facts.in_status((Status.ACTIVE,)), at)


def nearest_valid(facts: Sequence[Fact], at: datetime) -> list[Fact]:
    """Return the valid facts at a time, one per key, by category and key.

    A fact of a user precedes that of an agent, then of the project, then of the tenant. Of two in one scope, set by
    callers who could not see each other's, the newer one counts.
    """
    nearest: dict[str, Fact] = {}
    for record in sorted(facts, key=_age):
        if record.details.is_valid_at(at):
            other = nearest.get(record.details.key)
            if other is None or record.scope.nearness >= other.scope.nearness:
                nearest[record.details.key] = record
    order = list(FactCategory)
    return sorted(nearest.values(), key=lambda fact: (order.index(fact.details.category), fact.details.key))


def history(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts of one key, latest validity first."""
    return sorted(facts, key=lambda fact: (fact.details.valid_from, fact.id), reverse=True)


def _age(fact: Fact) -> tuple[datetime, datetime, str]:
    return fact.details.valid_from, fact.recorded_at, fact.id


def _draft(
    details: FactDetails,
    rules: Dependencies,
    *,
    author: str,
    source: Source,
    classification: Classification | None = None,
) -> Draft:
    """Return the draft of a fact.

    Its text is made of the redacted value: without its key a secret looks harmless.
    """
    text = fact_text(clean_name(details.key, rules), _redacted(details.value, rules))
    return Draft(text=text, author=author, source=source, classification=classification, details=details)


def _redacted(value: Value, rules: Dependencies) -> Value:
    without_blocks = partial(blocks_to_references, sign=rules.sign)
    return cast(Value, redact_value(value, policy=rules.secrets, before=without_blocks)[0])


def _is_same(fact: Fact, details: FactDetails, rules: Dependencies) -> bool:
    """Return True if a fact has the same value, category and end."""
    return _has_value(fact, details, rules) and details.valid_to in (None, fact.details.valid_to)


def _has_value(fact: Fact, details: FactDetails, rules: Dependencies) -> bool:
    # As JSON: a boolean is no number, and a tuple is a list.
    value = json.dumps(_redacted(details.value, rules), sort_keys=True)
    return json.dumps(fact.details.value, sort_keys=True) == value and fact.details.category is details.category


async def _deduplicated(writer: WriteTransaction, fact: Fact, own_class: Sequence[Classification]) -> Saved[Fact]:
    """Return a repeated fact; its class is raised if the new one is higher."""
    classification = most_restrictive([fact.classification, *own_class])
    if classification is fact.classification:
        return Saved(outcome=Outcome.DEDUPED, record=fact)
    raised = await writer.change(fact, Change(classification=classification))
    return Saved(outcome=Outcome.UPDATED, record=raised)


async def _ended(writer: WriteTransaction, fact: Fact, at: datetime) -> Fact:
    change = Change(details=replace(fact.details, valid_to=at), reworded=True)
    return await writer.change(fact, change, action="ended")
