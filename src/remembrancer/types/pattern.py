"""Patterns of behaviour that the detector finds, and their confidence."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.episode import Attributes, Entity

MAX_QUOTE_WORDS = 25
MAX_EVIDENCE_WORDS = 40
MAX_RULE_WORDS = 40
LEAST_EPISODES = 3
PATTERNS_PER_RUN = 3


class Category(StrEnum):
    """Categories of patterns."""

    WRITING_STYLE = "writing-style"
    RHYTHM = "rhythm"
    PEOPLE = "people"
    TOOLS = "tools"
    DECISIONS = "decisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourEvent:
    """An episode or a signal of one exact scope, as the detector reads it.

    Args:
        id: the id of the episode or signal.
        at: the local time, aware: weekday and hour are those of the user.
        event: the type of the episode or signal.
        outcome: the outcome of an episode; `""` for a signal.
        text: the summary, at most 100 characters.
    """

    id: str
    at: datetime
    event: str
    outcome: str
    text: str
    entities: tuple[Entity, ...] = ()
    attributes: Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A repeated behaviour, counted in episodes.

    Args:
        key: identifies the behaviour; equal in every run and wording.
        quote: the behaviour in one sentence of at most 25 words.
        evidence: the counts in at most 40 words.
        episodes: ids of the episodes that support it, oldest first; at least 3 for a new pattern.
        against: ids of the episodes that contradict it. For an action on a thing that is not always present, only
            the opposite action contradicts it.
        cases: the number of episodes in which the behaviour was possible, as in `evidence`.
        ended: whether a known habit has ended or changed; then `rule` is empty.
        rule: an instruction for an agent in at most 40 words; `""` if no clear instruction follows.
    """

    key: str
    category: Category
    quote: str
    evidence: str
    episodes: tuple[str, ...]
    against: tuple[str, ...] = ()
    cases: int = 0
    ended: bool = False
    rule: str = ""

    @property
    def occurrences(self) -> int:
        """The number of episodes that support the pattern."""
        return len(self.episodes)

    @property
    def consistency(self) -> float:
        """The share of supporting episodes among supporting and contradicting ones, in (0, 1]."""
        return len(self.episodes) / (len(self.episodes) + len(self.against))


class ConditionOperator(StrEnum):
    """Operators that compare a field of an episode with a value."""

    IS = "is"
    ABOVE = "above"
    AT_MOST = "at most"
    BEFORE = "before"
    FROM = "from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition on episodes in a proposal, which can be counted.

    Args:
        field: an attribute, a type of entity, or `event`, `outcome`, `weekday`, `time` (of day) or `text` (words).
        value: a name or words, a number, or a time as `14:30`.
    """

    field: str
    relation: ConditionOperator = ConditionOperator.IS
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A pattern that a model proposes. It is used only after the engine has counted it.

    Args:
        episodes: ids as the model returned them.
        where: the circumstances; empty for a pattern without conditions.
        result: the behaviour as a field and a value; `None` if only `wordings` describe it.
        wordings: words in the texts that indicate the behaviour; they are counted together.
        rule: an instruction for an agent, or `""`.
    """

    category: str
    quote: str
    evidence: str
    episodes: tuple[str, ...]
    where: tuple[Condition, ...] = ()
    result: Condition | None = None
    wordings: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedProposal:
    """A proposed pattern that the count rejected, with the reason."""

    quote: str
    reason: str


VERY_HIGH_OCCURRENCES = 8
HIGH_OCCURRENCES = 5
MEDIUM_OCCURRENCES = 4
VERY_HIGH_CONSISTENCY = 0.9
HIGH_CONSISTENCY = 0.8
MEDIUM_CONSISTENCY = 0.7


class Confidence(StrEnum):
    """Levels of confidence, from low to very high."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    VERY_HIGH = "very-high"

    @property
    def rank(self) -> int:
        """The rank of the level, from 0 to 3."""
        return list(Confidence).index(self)


def confidence(occurrences: int, consistency: float, *, boosts: int = 0, contradicted: bool = False) -> Confidence:
    """Return the confidence of a pattern.

    Args:
        occurrences: the number of distinct episodes that support it, 3 or more.
        consistency: the share of supporting episodes, in [0, 1].
        boosts: the number of people who confirmed it; each raises it one level, up to high.
        contradicted: whether a person rejected it; then counts alone do not reach very high.
    """
    counted = _counted(occurrences, consistency, contradicted=contradicted)
    if counted.rank >= Confidence.HIGH.rank:
        return counted
    return list(Confidence)[min(counted.rank + boosts, Confidence.HIGH.rank)]


def _counted(occurrences: int, consistency: float, *, contradicted: bool) -> Confidence:
    if occurrences >= VERY_HIGH_OCCURRENCES and consistency > VERY_HIGH_CONSISTENCY and not contradicted:
        return Confidence.VERY_HIGH
    if occurrences >= HIGH_OCCURRENCES and consistency >= HIGH_CONSISTENCY:
        return Confidence.HIGH
    if occurrences >= MEDIUM_OCCURRENCES and consistency >= MEDIUM_CONSISTENCY:
        return Confidence.MEDIUM
    return Confidence.LOW
