"""Patterns of behaviour: what the detector finds and how sure it is."""

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
    """What a pattern that the detector counted is about."""

    WRITING_STYLE = "writing-style"
    RHYTHM = "rhythm"
    PEOPLE = "people"
    TOOLS = "tools"
    DECISIONS = "decisions"


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourEvent:
    """One thing done, or one signal, of one exact scope.

    Args:
        id: of the episode or the signal.
        at: when, aware, in the zone of those who did it: its weekday and hour are theirs.
        event: the type of the episode or of the signal.
        outcome: how an episode ended; `""` for a signal.
        text: at most 100 characters of behaviour.
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
    """Something that happened again and again in episodes, counted.

    Args:
        key: names what is counted and nothing else: the same behaviour has the same key in every run and wording.
        quote: it in words, a whole sentence of at most 25 words.
        evidence: the numbers, at most 40 words.
        episodes: ids of those in which it held, each once, oldest first; 3 at least, where it is new.
        against: ids of those in which it might have held and did not; of what is done to a thing that is not always
            there, of those in which the opposite was done to it.
        cases: how many episodes there are in which it might have held, as its evidence says.
        ended: whether it is known, and its habit has ended or turned; then it has no rule.
        rule: what an agent is to do about it, at most 40 words; `""` where no clear rule of action follows.
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
        """In how many episodes the pattern held."""
        return len(self.episodes)

    @property
    def consistency(self) -> float:
        """The share of the episodes in which the pattern held, of those in which it might have, in (0, 1]."""
        return len(self.episodes) / (len(self.episodes) + len(self.against))


class ConditionOperator(StrEnum):
    """How a field of an episode stands to a value that a proposal names."""

    IS = "is"
    ABOVE = "above"
    AT_MOST = "at most"
    BEFORE = "before"
    FROM = "from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a proposal says of some episodes, so that it can be counted.

    Args:
        field: an attribute, a type of entity, or `event`, `outcome`, `weekday`, `time` (of day) or `text` (its words).
        value: a name or words, a number, or a time as `14:30`.
    """

    field: str
    relation: ConditionOperator = ConditionOperator.IS
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a model says is a pattern; nothing of it is believed until it was counted again.

    Args:
        episodes: ids, as the model names them.
        where: the circumstances in which it is said to hold; none where it always does.
        result: what then comes of it, as a field and its value; `None` where it is told in words alone.
        wordings: the words by which it is told, as they stand in the texts: all of them count as one.
        rule: what an agent is to do about it; `""` where no order follows.
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
    """A pattern that a model proposed and the recount refused, and why."""

    quote: str
    reason: str


VERY_HIGH_OCCURRENCES = 8
HIGH_OCCURRENCES = 5
MEDIUM_OCCURRENCES = 4
VERY_HIGH_CONSISTENCY = 0.9
HIGH_CONSISTENCY = 0.8
MEDIUM_CONSISTENCY = 0.7


class Confidence(StrEnum):
    """How sure the detector is of an observation, from the least sure to the surest."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    VERY_HIGH = "very-high"

    @property
    def rank(self) -> int:
        """The rank of a confidence: 0 for low to 3 for very high."""
        return list(Confidence).index(self)


def confidence(occurrences: int, consistency: float, *, boosts: int = 0, contradicted: bool = False) -> Confidence:
    """The confidence of what occurred so often and so consistently.

    Args:
        occurrences: distinct episodes in which it held, 3 or more.
        consistency: the share of those in which it might have held, in [0, 1].
        boosts: how many people have said that it is right; each lifts one level, up to high.
        contradicted: whether a person has said that it is wrong: then counting alone does not reach very high.
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
