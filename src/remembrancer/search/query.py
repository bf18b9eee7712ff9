"""What a question to memory is, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum

from remembrancer.errors import InvalidInput
from remembrancer.search.factor import Factor
from remembrancer.search.profiles import DEFAULT, Profile
from remembrancer.types.arguments import within
from remembrancer.types.filter import Filter
from remembrancer.types.forms import Compact, in_short
from remembrancer.types.injection import Ranks
from remembrancer.types.observation_types import OBSERVATION_TYPES
from remembrancer.types.record import Record

MAX_QUESTION_CHARACTERS = 32_768
MAX_LIMIT = 1_000
# A question may count 999 years back or ahead, and its dates are to be dates.
YEARS_ASKED_IN = (1_000, 9_000)


class Arm(StrEnum):
    """A way of finding candidates."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question to memory.

    Args:
        now: when it is asked (aware); "last week" is counted from here.
        zone: whose days and weeks are meant.
        limit: at most this many hits, 1 to 1,000.
        max_tokens: whole hits are left out from where their tokens would pass this; `None` for no bound.
        weighting: whether what feedback has made of weights counts.
        abstain: `False` gives the hits whatever the confidence.
        as_of: answer with what was known then; `None` for now.
        types: the priority of each type of observation.
        apart: ids that are not meant, such as that of the message in which it is asked.

    Raises:
        InvalidInput: the text is too long, or a number is out of its range.
    """

    text: str
    now: datetime
    zone: tzinfo
    filter: Filter = field(default_factory=Filter)
    limit: int = 20
    max_tokens: int | None = None
    profile: Profile = DEFAULT
    arms: frozenset[Arm] = frozenset(Arm)
    weighting: bool = True
    abstain: bool = True
    as_of: datetime | None = None
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    apart: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if len(self.text) > MAX_QUESTION_CHARACTERS:
            raise InvalidInput(
                f"the question has {len(self.text)} characters; at most {MAX_QUESTION_CHARACTERS} are allowed"
            )
        within(self.limit, 1, MAX_LIMIT, what="limit")
        if self.max_tokens is not None:
            within(self.max_tokens, 1, what="max_tokens")
        within(self.now.year, *YEARS_ASKED_IN, what="the year of now")
        within(self.filter.minimum_importance, 0, 1, what="minimum_importance")

    @property
    def formula(self) -> Profile:
        """What ranks, as far as it does not depend on what is found: without feedback where that does not count."""
        return self.profile if self.weighting else self.profile.without(Factor.FEEDBACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """That a newer memory says that what an older one states no longer holds.

    Args:
        older, newer: their ids; the newer one is the evidence.
        value: what no longer holds, as the older one has it: "Bern".
        until: when the newer one was said.
    """

    older: str
    newer: str
    value: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that was recalled.

    Args:
        score: in [0, 1], higher is better; never compared with that of another profile.
        relative: its score over that of the best, in [0, 1].
        factors: why it ranks where it does: each in [0, 1], and `cosine` as the model gave it. Where a reranker has
            judged it, `rerank` is its score, as it gave it, and `unreranked` the hit's own before.
        ranks: its places with feedback and without it, before any reranker.
        replaced: how another hit replaced what it states; it is still active.
        replaces: what it replaced among the hits.
    """

    record: Record
    score: float
    relative: float
    factors: Mapping[str, float]
    ranks: Ranks
    replaced: Replacement | None = None
    replaces: tuple[Replacement, ...] = ()

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.record.id

    @property
    def compact(self) -> Compact:
        """The memory in short, about 100 tokens, with its score."""
        return in_short(self.record, score=self.score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a question.

    Args:
        hits: best first; empty when nothing is near enough.
        abstained: whether nothing was found that is likely to answer the question.
        confidence: how likely it is, in [0, 1], that the hits hold an answer.
        nearest: the nearest misses, when it abstained.
        dropped: how many hits were left out because their tokens would have passed the bound.
        notes: what was not as usual, such as an arm that could not serve.
    """

    hits: tuple[Hit, ...]
    abstained: bool
    confidence: float
    nearest: tuple[Hit, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory was recalled, or was not.

    Args:
        stage: where it was lost: `recalled`, or `status`, `filter`, `candidates`, `limit`, `tokens`, `abstained`,
            `time`, `rejected`.
        reason: the same in words, without any text of the memory.
        rank: its place, from 1, or `None` where it was not ranked.
        weights: what each factor that is added up adds to the sum where it is 1, for this question; 1 in all at most.
        ranks: its place in each arm, from 1, where it stands in it.
    """

    id: str
    stage: str
    reason: str
    rank: int | None = None
    score: float | None = None
    factors: Mapping[str, float] = field(default_factory=dict[str, float])
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
