"""What one kind of memory has beyond the others, as values and as the JSON that a store keeps of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias, cast

from remembrancer.types.episode import Attributes, Counts, Entity, EpisodeOutcome, Event, SignalType, Tier, contact_of
from remembrancer.types.pattern import Category, Confidence, confidence

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value] | None"


class FactCategory(StrEnum):
    """What a fact is about, in the order in which an agent reads them."""

    PROFILE = "profile"
    CONTACT = "contact"
    RULE = "rule"
    SETTING = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeDetails:
    """Of an episode.

    Args:
        counts: of a compact record; `None` for a raw one.
        begins, ends: the days that a compact record covers, both inclusive, in the zone of its tenant.
        kept: whether a person has taken it out of a compact record: it is not compacted again.
    """

    event: Event
    outcome: EpisodeOutcome
    entities: tuple[Entity, ...] = ()
    attributes: Attributes = field(default_factory=dict[str, "str | int | float | bool"])
    tier: Tier = Tier.RAW
    counts: Counts | None = None
    begins: date | None = None
    ends: date | None = None
    kept: bool = False

    @property
    def contact(self) -> str:
        """Whom the episode concerns first, as names are compared; `""` for nobody."""
        return contact_of(self.entities)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDetails:
    """Of a signal."""

    signal: SignalType
    entities: tuple[Entity, ...] = ()
    attributes: Attributes = field(default_factory=dict[str, "str | int | float | bool"])

    @property
    def is_counter(self) -> bool:
        """Whether the signal keeps what a verdict "wrong" did, rather than something that was done."""
        return self.signal is SignalType.OBSERVATION_REJECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetails:
    """Of a fact.

    Args:
        key: a stable name, such as `contact/bertelli/tone`.
        value: what holds.
        valid_from: since when (aware, UTC).
        valid_to: until when, exclusive; `None` while no end is known.
    """

    category: FactCategory
    key: str
    value: Value
    valid_from: datetime
    valid_to: datetime | None = None

    def is_valid_at(self, at: datetime) -> bool:
        """Whether the fact is valid at a time."""
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)

    def overlaps(self, other: "FactDetails") -> bool:
        """Whether there is a time at which both facts are valid."""
        return self.is_valid_at(max(self.valid_from, other.valid_from)) and other.is_valid_at(
            max(self.valid_from, other.valid_from)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDetails:
    """Of a procedure.

    Args:
        confirmations: how often people have said that it is right.
        reason: why it was demoted, in words; `""` where it was not.
    """

    confirmations: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDetails:
    """Of an observation that the detector made; see `model.pattern.Pattern`.

    Args:
        key: names what was counted.
        evidence: the numbers in words.
        occurrences: in how many distinct episodes it held, since it was first seen.
        held: in how many of those that were counted last.
        against: in how many of those that were counted last it might have held, and did not; of what is done to a thing
            that is not always there, in how many the opposite was done to it.
        cases: in how many of those that were counted last it might have held, as its evidence says.
        ended: whether its habit has ended or turned.
        boosts: how many people have said that it is right.
        rule: what an agent is to do about it; `""` where it is no candidate for a procedure.
        counted_on: the last day that was counted.
    """

    key: str
    category: Category
    evidence: str
    occurrences: int
    held: int
    against: int
    rule: str
    counted_on: date
    boosts: int = 0
    cases: int = 0
    ended: bool = False

    @property
    def consistency(self) -> float:
        """The share, in [0, 1], of the episodes counted last in which the observation held where it might have."""
        return self.held / max(1, self.held + self.against, self.cases)

    @property
    def confidence(self) -> Confidence:
        """How sure the observation is, of what was counted and of those who have said that it is right."""
        return Confidence.LOW if self.ended else confidence(self.occurrences, self.consistency, boosts=self.boosts)

    @property
    def rule_confidence(self) -> Confidence:
        """How sure the rule of the observation is, which says what to do where there is something to do."""
        share = self.held / max(1, self.held + self.against)
        return Confidence.LOW if self.ended else confidence(self.occurrences, share, boosts=self.boosts)


Details: TypeAlias = EpisodeDetails | SignalDetails | FactDetails | RuleDetails | PatternDetails


def details_to_json(details: Details) -> dict[str, Any]:
    """What a store keeps of them."""
    told = asdict(details)
    return {name: _plain(value) for name, value in told.items()}


def episode_from(told: Mapping[str, Any]) -> EpisodeDetails:
    """Those of an episode, from what a store kept."""
    counts = told["counts"]
    return EpisodeDetails(
        event=Event(told["event"]),
        outcome=EpisodeOutcome(told["outcome"]),
        entities=_entities(told),
        attributes=told["attributes"],
        tier=Tier(told["tier"]),
        counts=None if counts is None else _counts(counts),
        begins=_day(told["begins"]),
        ends=_day(told["ends"]),
        kept=told["kept"],
    )


def _counts(told: Mapping[str, Any]) -> Counts:
    """What a compact record stands for; what was asked is read off the outcomes where it was not yet counted."""
    outcomes: Mapping[str, int] = told["outcomes"]
    judged = [outcomes.get(name, 0) for name in ("approved", "rejected", "modified")]
    asked = sum(judged) if any(judged[:2]) else 0
    return Counts(interactions=told["interactions"], outcomes=outcomes, asked=told.get("asked", asked))


def signal_from(told: Mapping[str, Any]) -> SignalDetails:
    """Those of a signal, from what a store kept."""
    return SignalDetails(signal=SignalType(told["signal"]), entities=_entities(told), attributes=told["attributes"])


def fact_from(told: Mapping[str, Any]) -> FactDetails:
    """Those of a fact, from what a store kept."""
    until = told["valid_to"]
    return FactDetails(
        category=FactCategory(told["category"]),
        key=told["key"],
        value=told["value"],
        valid_from=datetime.fromisoformat(told["valid_from"]),
        valid_to=None if until is None else datetime.fromisoformat(until),
    )


def rule_from(told: Mapping[str, Any]) -> RuleDetails:
    """Those of a procedure, from what a store kept."""
    return RuleDetails(confirmations=told["confirmations"], reason=told.get("reason", ""))


def learned_from(told: Mapping[str, Any]) -> PatternDetails:
    """Those of an observation that the detector made, from what a store kept."""
    return PatternDetails(
        key=told["key"],
        category=Category(told["category"]),
        evidence=told["evidence"],
        occurrences=told["occurrences"],
        held=told["held"],
        against=told["against"],
        rule=told["rule"],
        counted_on=date.fromisoformat(told["counted_on"]),
        boosts=told["boosts"],
        cases=told.get("cases", 0),
        ended=told.get("ended", False),
    )


def _entities(told: Mapping[str, Any]) -> tuple[Entity, ...]:
    return tuple(Entity(type=one["type"], name=one["name"]) for one in told["entities"])


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _plain(value: Any) -> Any:
    match value:
        case date():
            return value.isoformat()
        case tuple():
            return list(cast(tuple[object, ...], value))
        case _:
            return value
