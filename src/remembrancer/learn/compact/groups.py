"""Groups of episodes by week and by month, and the text of their record; its numbers are counted here."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from itertools import groupby

from remembrancer.types.details import EpisodeDetails
from remembrancer.types.episode import (
    CONTACT_TYPES,
    MAX_COMPACT_CHARACTERS,
    Counts,
    Entity,
    EpisodeOutcome,
    Event,
    Tier,
    asks_approval,
    folded_name,
)
from remembrancer.types.record import Episode

LEAST = 5
MOST = 15
# A week with fewer waits for its neighbours within the month.
MONTH = timedelta(days=31)
_WEEK = timedelta(days=7)
_THURSDAY = timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The episodes of one record, oldest first.

    Args:
        begins, ends: the days that it covers, both inclusive.
    """

    episodes: tuple[Episode, ...]
    begins: date
    ends: date


def by_week(episodes: Sequence[Episode], zone: tzinfo) -> tuple[list[Group], list[Episode]]:
    """Return groups of 5 to 15 raw episodes with one contact, and those that are too few so far.

    A week with more is divided into even parts; one with fewer joins the weeks after it, within a month. Future weeks
    do not matter: nightly runs make the same groups as a single run over all.

    Args:
        episodes: oldest first, of whole weeks.
        zone: in which a week begins on Monday.
    """
    groups: list[Group] = []
    waiting: list[tuple[date, list[Episode]]] = []
    left: list[Episode] = []
    for monday, found in groupby(episodes, key=lambda episode: monday_of(episode.occurred_at.astimezone(zone).date())):
        waiting.append((monday, list(found)))
        while monday + _WEEK - waiting[0][0] > MONTH:
            left += waiting.pop(0)[1]
        together = [episode for _, week in waiting for episode in week]
        if len(together) >= LEAST:
            groups += _parts(together, waiting[0][0], monday + _WEEK - timedelta(days=1))
            waiting = []
    return groups, [*left, *(episode for _, week in waiting for episode in week)]


def by_month(weekly: Sequence[Episode], *, before: date) -> list[Group]:
    """Return the weekly records with one contact of each month that is wholly before a day, in order.

    Args:
        weekly: oldest first.
    """
    ordered = sorted(weekly, key=lambda record: (record.details.begins or date.min, record.occurred_at, record.id))
    return [
        Group(episodes=tuple(found), begins=_begins(found), ends=_ends(found))
        for month, group in groupby(ordered, key=lambda record: month_of(record.details.begins or date.min))
        if (found := list(group)) and max(_last_day(month), _ends(found)) < before
    ]


def monday_of(day: date) -> date:
    """Return the first day of a day's week."""
    return day - timedelta(days=day.weekday())


def month_of(day: date) -> date:
    """Return the first day of the month that a day's week belongs to: that of its Thursday."""
    return (monday_of(day) + _THURSDAY).replace(day=1)


def _last_day(month: date) -> date:
    """Return the last day of the last week that belongs to a month."""
    following = (month + timedelta(days=32)).replace(day=1)
    last_thursday = following - timedelta(days=1 + (following - timedelta(days=1) - _THURSDAY).weekday())
    return monday_of(last_thursday) + _WEEK - timedelta(days=1)


def _parts(episodes: Sequence[Episode], begins: date, ends: date) -> Iterator[Group]:
    count = -(-len(episodes) // MOST)
    at = 0
    for part in range(count):
        size = (len(episodes) - at) // (count - part)
        yield Group(episodes=tuple(episodes[at : at + size]), begins=begins, ends=ends)
        at += size


def _begins(records: Sequence[Episode]) -> date:
    return min(record.details.begins or date.max for record in records)


def _ends(records: Sequence[Episode]) -> date:
    return max(record.details.ends or date.min for record in records)


_MOST_ENTITIES = 8
_MOST_PHRASES = 4
_DAYS_A_WEEK = 7
_ENDED: Mapping[str, str] = {
    EpisodeOutcome.APPROVED: "approved as it stood",
    EpisodeOutcome.MODIFIED: "modified",
    EpisodeOutcome.REJECTED: "rejected",
    EpisodeOutcome.DONE: "done",
}


def counted(sources: Sequence[Episode]) -> Counts:
    """Return the counts of records together, each raw episode once."""
    outcomes: Counter[str] = Counter()
    interactions = asked = 0
    for source in sources:
        counts = source.details.counts
        asked += counts.asked if counts else asks_approval(source.details.event, source.details.outcome)
        interactions += 1 if counts is None else counts.interactions
        outcomes.update({source.details.outcome.value: 1} if counts is None else counts.outcomes)
    return Counts(interactions=interactions, outcomes=dict(sorted(outcomes.items())), asked=asked)


def is_unchanged_source(sources: Sequence[Episode], tier: Tier) -> bool:
    """Return True if a record has the text of its only source: a lone week is that of its month."""
    return tier is Tier.MONTHLY and len(sources) == 1


def compacted(
    sources: Sequence[Episode],
    *,
    raw: Sequence[Episode],
    tier: Tier,
    begins: date,
    ends: date,
    agent: str | None,
    story: str = "",
) -> tuple[str, EpisodeDetails]:
    """Return the text of a compact record, of at most 600 characters, and its details.

    Args:
        sources: one or more, oldest first.
        raw: the raw episodes below them, which may be the same.
        agent: the agent of the episodes.
        story: their summary; without one, or without room for it, the commonest of their texts.
    """
    counts = counted(sources)
    details = _details(sources, tier, begins, ends, counts)
    if is_unchanged_source(sources, tier):
        return sources[0].text, details
    name = _name(sources)
    if story:
        text = _text(counts, {}, 0, when=_when(tier, begins, ends), name=name, agent=agent)
        if len(f"{text} {story}") <= MAX_COMPACT_CHARACTERS:
            return f"{text} {story}", details
    phrases = _phrases(raw)
    for most in range(_MOST_PHRASES, -1, -1):
        text = _text(counts, phrases, most, when=_when(tier, begins, ends), name=name, agent=agent)
        if len(text) <= MAX_COMPACT_CHARACTERS:
            return text, details
    return _text(counts, {}, 0, when=_when(tier, begins, ends), name="", agent=None), details


def _details(sources: Sequence[Episode], tier: Tier, begins: date, ends: date, counts: Counts) -> EpisodeDetails:
    known: Counter[Entity] = Counter()
    for source in sources:
        known.update(dict.fromkeys(source.details.entities, 1))
    contact = [entity for entity in known if entity.type in CONTACT_TYPES and entity.name == _name(sources)]
    others = [entity for entity, _ in known.most_common() if entity not in contact]
    return EpisodeDetails(
        event=Event.COMPACT,
        outcome=EpisodeOutcome.DONE,
        entities=tuple([*contact, *others][:_MOST_ENTITIES]),
        tier=tier,
        counts=counts,
        begins=begins,
        ends=ends,
    )


def _name(sources: Sequence[Episode]) -> str:
    """Return the most frequent spelling of the contact; `""` for none."""
    contact = sources[0].details.contact
    names = Counter(
        entity.name
        for source in sources
        for entity in source.details.entities
        if entity.type in CONTACT_TYPES and folded_name(entity.name) == contact
    )
    return min(names, key=lambda name: (-names[name], name)) if names else ""


def _phrases(sources: Sequence[Episode]) -> dict[str, list[str]]:
    """Return the actions by their end, the most frequent first, each with its count."""
    found: dict[str, Counter[str]] = {}
    for source in sources:
        text = source.text.strip().rstrip(".")
        found.setdefault(source.details.outcome.value, Counter())[text] += 1
    return {
        outcome: [text if count == 1 else f"{text} ×{count}" for text, count in texts.most_common()]
        for outcome, texts in found.items()
    }


def _text(
    counts: Counts, phrases: Mapping[str, Sequence[str]], most: int, *, when: str, name: str, agent: str | None
) -> str:
    many = "1 interaction" if counts.interactions == 1 else f"{counts.interactions} interactions"
    whose = f"{when}, {agent}" if agent else when
    parts = [f"{whose}: {many}{f' with {name}' if name else ''}."]
    rate = counts.approval_rate
    if rate is not None:
        parts.append(f"Approval rate {round(100 * rate)} %.")
    for outcome, word in _ENDED.items():
        if number := counts.outcomes.get(outcome, 0):
            parts.append(f"{number} {word}{_in_brackets(phrases.get(outcome, ()), most)}.")
    if counts.exceptions:
        many = "1 exception" if counts.exceptions == 1 else f"{counts.exceptions} exceptions"
        parts.append(f"{many}{_in_brackets(phrases.get(EpisodeOutcome.EXCEPTION, ()), most)}.")
    else:
        parts.append("No exceptions.")
    return " ".join(parts)


def _in_brackets(phrases: Sequence[str], most: int) -> str:
    return f" ({'; '.join(phrases[:most])})" if phrases and most else ""


def _when(tier: Tier, begins: date, ends: date) -> str:
    if tier is Tier.MONTHLY:
        # The month of a week is that of its Thursday.
        return f"{_thursday(begins):%B %Y}"
    week = "Week" if (ends - begins).days < _DAYS_A_WEEK else "Weeks"
    if begins.month == ends.month:
        return f"{week} of {begins.day}–{ends.day} {begins:%B %Y}"
    return f"{week} of {begins.day} {begins:%B}–{ends.day} {ends:%B %Y}"


def _thursday(day: date) -> date:
    return date.fromordinal(day.toordinal() - day.weekday() + 3)
