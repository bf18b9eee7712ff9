"""The fields of each kind of memory beyond the common ones, and their stored JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias, cast

from remembrancer.types.episode import Attributes, Counts, Entity, EpisodeOutcome, Event, SignalType, Tier, contact_of
from remembrancer.types.pattern import Category, Confidence, confidence

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value] | None"


class FactCategory(StrEnum):
    """Categories of facts, in the order of the context."""

    PROFILE = "profile"
    CONTACT = "contact"
    RULE = "rule"
    SETTING = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeDetails:
    """The fields of an episode.

    Args:
        counts: the counts of a compact record; `None` for a raw episode.
        begins, ends: the days that a compact record covers, inclusive, in the time zone of its tenant.
        kept: whether a person restored it from a compact record; it is not compacted again.
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
        """The first contact, folded for comparison; `""` for none."""
        return contact_of(self.entities)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDetails:
    """The fields of a signal."""

    signal: SignalType
    entities: tuple[Entity, ...] = ()
    attributes: Attributes = field(default_factory=dict[str, "str | int | float | bool"])

    @property
    def is_counter(self) -> bool:
        """True if the signal records a verdict `wrong`, and not behaviour."""
        return self.signal is SignalType.OBSERVATION_REJECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDetails:
    """The fields of a fact.

    Args:
        key: a stable name, such as `contact/bertelli/tone`.
        valid_from: the start of its validity (aware, UTC).
        valid_to: the end of its validity, exclusive, or `None`.
    """

    category: FactCategory
    key: str
    value: Value
    valid_from: datetime
    valid_to: datetime | None = None

    def is_valid_at(self, at: datetime) -> bool:
        """Return True if the fact is valid at a time."""
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)

    def overlaps(self, other: "FactDetails") -> bool:
        """Return True if both facts are valid at some time."""
        return self.is_valid_at(max(self.valid_from, other.valid_from)) and other.is_valid_at(
            max(self.valid_from, other.valid_from)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDetails:
    """The fields of a rule.

    Args:
        confirmations: the number of confirmations by people.
        reason: the reason of its demotion, or `""`.
    """

    confirmations: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDetails:
    """The fields of an observation that the detector made; see `Pattern`.

    Args:
        key: identifies the behaviour.
        evidence: the counts in words.
        occurrences: the number of distinct supporting episodes since the first detection.
        supporting: the number of supporting episodes in the last count.
        against: the number of contradicting episodes in the last count.
        cases: the number of episodes in the last count in which the behaviour was possible.
        ended: whether the habit has ended or changed.
        boosts: the number of people who confirmed it.
        rule: an instruction for an agent; `""` if it is no candidate for a rule.
        counted_on: the day of the last count.
    """

    key: str
    category: Category
    evidence: str
    occurrences: int
    supporting: int
    against: int
    rule: str
    counted_on: date
    boosts: int = 0
    cases: int = 0
    ended: bool = False

    @property
    def consistency(self) -> float:
        """The share of supporting episodes in the last count, in [0, 1]."""
        return self.supporting / max(1, self.supporting + self.against, self.cases)

    @property
    def confidence(self) -> Confidence:
        """The confidence of the observation, from its counts and confirmations."""
        return Confidence.LOW if self.ended else confidence(self.occurrences, self.consistency, boosts=self.boosts)

    @property
    def rule_confidence(self) -> Confidence:
        """The confidence of its rule, which counts only supporting and contradicting episodes."""
        share = self.supporting / max(1, self.supporting + self.against)
        return Confidence.LOW if self.ended else confidence(self.occurrences, share, boosts=self.boosts)


Details: TypeAlias = EpisodeDetails | SignalDetails | FactDetails | RuleDetails | PatternDetails


def details_to_json(details: Details) -> dict[str, Any]:
    """Return details as JSON, as a store keeps them."""
    return {name: _plain(value) for name, value in asdict(details).items()}


def episode_from(data: Mapping[str, Any]) -> EpisodeDetails:
    """Return the details of an episode from their stored JSON."""
    counts = data["counts"]
    return EpisodeDetails(
        event=Event(data["event"]),
        outcome=EpisodeOutcome(data["outcome"]),
        entities=_entities(data),
        attributes=data["attributes"],
        tier=Tier(data["tier"]),
        counts=None if counts is None else _counts(counts),
        begins=_day(data["begins"]),
        ends=_day(data["ends"]),
        kept=data["kept"],
    )


def _counts(data: Mapping[str, Any]) -> Counts:
    """Return the counts of a compact record; old rows lack `asked`, which is derived from the outcomes."""
    outcomes: Mapping[str, int] = data["outcomes"]
    judged = [outcomes.get(name, 0) for name in ("approved", "rejected", "modified")]
    asked = sum(judged) if any(judged[:2]) else 0
    return Counts(interactions=data["interactions"], outcomes=outcomes, asked=data.get("asked", asked))


def signal_from(data: Mapping[str, Any]) -> SignalDetails:
    """Return the details of a signal from their stored JSON."""
    return SignalDetails(signal=SignalType(data["signal"]), entities=_entities(data), attributes=data["attributes"])


def fact_from(data: Mapping[str, Any]) -> FactDetails:
    """Return the details of a fact from their stored JSON."""
    until = data["valid_to"]
    return FactDetails(
        category=FactCategory(data["category"]),
        key=data["key"],
        value=data["value"],
        valid_from=datetime.fromisoformat(data["valid_from"]),
        valid_to=None if until is None else datetime.fromisoformat(until),
    )


def rule_from(data: Mapping[str, Any]) -> RuleDetails:
    """Return the details of a rule from their stored JSON."""
    return RuleDetails(confirmations=data["confirmations"], reason=data.get("reason", ""))


def learned_from(data: Mapping[str, Any]) -> PatternDetails:
    """Return the details of a detected observation from their stored JSON."""
    return PatternDetails(
        key=data["key"],
        category=Category(data["category"]),
        evidence=data["evidence"],
        occurrences=data["occurrences"],
        supporting=data["supporting"],
        against=data["against"],
        rule=data["rule"],
        counted_on=date.fromisoformat(data["counted_on"]),
        boosts=data["boosts"],
        cases=data.get("cases", 0),
        ended=data.get("ended", False),
    )


def _entities(data: Mapping[str, Any]) -> tuple[Entity, ...]:
    return tuple(Entity(type=one["type"], name=one["name"]) for one in data["entities"])


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
