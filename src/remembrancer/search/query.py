"""A question to memory, and its result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput
from remembrancer.search.factor import Factor
from remembrancer.search.profiles import Profile, profile_named
from remembrancer.types.arguments import check_fields, members, within
from remembrancer.types.filter import Filter
from remembrancer.types.index import Space
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.record import Record
from remembrancer.types.results import Compact, to_compact
from remembrancer.types.session import Ranks
from remembrancer.types.times import optional_utc

MAX_QUESTION_CHARACTERS = 32_768
MAX_LIMIT = 1_000
DEFAULT_HITS = 20
# A question may count 999 years back or ahead, and the result must be a valid date.
YEARS_OF_NOW = (1_000, 9_000)


class Retriever(StrEnum):
    """The retrievers of candidates."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"
    LINKED = "linked"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question to memory, as a caller asks it.

    Args:
        question: the question, in any wording; the search does not rewrite it.
        filter: conditions on the memories that may be found.
        limit: the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer.
        max_tokens: whole hits are left out that would exceed this many tokens together; by default there is no limit,
            and 1,500 for an answer.
        profile: the ranking: `default`, `behavioural`, `search`, `session`, or one retriever alone, `lexical` or
            `semantic`.
        as_of: answer with what was known then, as it then read.
        now: the time of the question, from which "last week" is counted; the current time by default.
        retrievers: some of `lexical`, `semantic`, `temporal`, `linked` (by names); all by default.
        vector: the question's own unit vector, in the space `space`.
        space: the embedder that made `vector`.
        abstain: `False` returns the best hits at any confidence.
        record_access: `False` leaves no trace of the reading.
        rerank: `False` keeps the ranking, even with a setting `reranker`.

    Raises:
        InvalidInput: a value has the wrong type or is out of range; the message names what to change.
    """

    question: str
    filter: Filter = field(default_factory=Filter)
    limit: int | None = None
    max_tokens: int | None = None
    profile: str = "default"
    as_of: datetime | None = None
    now: datetime | None = None
    retrievers: Sequence[str] = ()
    vector: NDArray[np.float32] | None = None
    space: Space | None = None
    abstain: bool = True
    record_access: bool = True
    rerank: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.question) > MAX_QUESTION_CHARACTERS:
            raise InvalidInput(
                f"the question has {len(self.question)} characters; at most {MAX_QUESTION_CHARACTERS} are allowed"
            )
        if self.limit is not None:
            within(self.limit, 1, MAX_LIMIT, what="limit")
        if self.max_tokens is not None:
            within(self.max_tokens, 1, what="max_tokens")
        profile_named(self.profile)
        now = optional_utc(self.now, what="now")
        if now is not None:
            within(now.year, *YEARS_OF_NOW, what="the year of now")
        object.__setattr__(self, "now", now)
        object.__setattr__(self, "as_of", optional_utc(self.as_of, what="as_of"))
        object.__setattr__(self, "retrievers", members(Retriever, self.retrievers, "retriever") or tuple(Retriever))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A request with the settings of the deployment.

    Args:
        now: the time of the question, in UTC.
        zone: the time zone of days and weeks.
        weighting: whether the weights learned from feedback count.
        types: the priority of each type of observation.
        excluded: ids that are not searched for, such as that of the message that asks.
        excluded_session: a session whose messages are not searched for, since the reader has them.
    """

    request: RecallRequest
    now: datetime
    zone: tzinfo
    weighting: bool = True
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    excluded: frozenset[str] = frozenset()
    excluded_session: str | None = None

    @property
    def limit(self) -> int:
        """The maximum number of hits."""
        return self.request.limit or DEFAULT_HITS

    @property
    def profile(self) -> Profile:
        """The ranking profile that the request names."""
        return profile_named(self.request.profile)

    @property
    def formula(self) -> Profile:
        """The ranking formula before the search, without feedback if disabled."""
        return self.profile if self.weighting else self.profile.without(Factor.FEEDBACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """The replacement of an older statement by a newer one.

    Args:
        older, newer: their ids; the newer one is the evidence.
        value: the value that is no longer valid, as the older one has it: "Bern".
        until: the time of the newer one.
    """

    older: str
    newer: str
    value: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A recalled memory, with its score.

    Args:
        record: the memory.
        score: the score in [0, 1], higher is better; comparable only within a profile.
        relative: the score divided by the best score, in [0, 1].
        factors: the ranking factors, each in [0, 1], and the raw `cosine` of the embedder. After a reranker, `rerank`
            is its raw score and `unreranked` the hit's score before it.
        ranks: the hit's ranks with and without feedback, before any reranker.
        replaced: the newer hit that replaced its statement; the memory is still active.
        replaces: the hits whose statements it replaced.
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
    def text(self) -> str:
        """The text of the memory."""
        return self.record.text

    @property
    def compact(self) -> Compact:
        """The memory in short, about 100 tokens, with its score."""
        return to_compact(self.record, score=self.score)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The result of a question: its hits, or the nearest misses.

    Args:
        hits: best first; empty if nothing is near enough.
        abstained: whether no memory is likely to answer the question.
        confidence: the probability, in [0, 1], that the hits contain an answer.
        nearest: the nearest misses, if it abstained.
        dropped: the number of hits that `max_tokens` left out.
        notes: deviations from the usual, such as a retriever that did not answer.
    """

    hits: tuple[Hit, ...]
    abstained: bool
    confidence: float
    nearest: tuple[Hit, ...] = ()
    dropped: int = 0
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        """Iterate over the hits, best first."""
        return iter(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCandidate:
    """A memory that a search considered, and how far it came.

    Args:
        record: the memory.
        rank: its rank before a reranker, from 1.
        score: its score before a reranker, in [0, 1].
        stage: `recalled`, or the stage where it was lost: `limit`, `tokens`, `abstained`, `rejected`.
        behind: the distance of its score to that of the last memory within the limit; 0 for those within.
        factors: its ranking factors, as in a hit.
        ranks: its rank in each retriever that found it, from 1; empty for a neighbour of another candidate.
        tokens: the estimated tokens of its text.
    """

    record: Record
    rank: int
    score: float
    stage: str
    behind: float
    factors: Mapping[str, float]
    ranks: Mapping[str, int]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrace:
    """A search with all its candidates.

    Args:
        result: the result of the question.
        candidates: by rank; the first 100.
        considered: the number of all candidates.
        found: the number of candidates by retriever.
        weights: the weight of each factor in the sum for this question; at most 1 in all.
        intent: the kind of question: `question`, `request` or `remark`.
        abstain_below: the confidence below which recall abstains.
        seconds: the duration of each stage: `embed` the question, `search` and `rank` the candidates, `rerank`.
    """

    result: "RecallResult"
    candidates: Sequence[TracedCandidate]
    considered: int
    found: Mapping[str, int]
    weights: Mapping[str, float]
    intent: str
    abstain_below: float
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The reason why a memory was or was not recalled for a question.

    Args:
        stage: the stage that it reached: `recalled`, or the one where it was lost: `status`, `kind`, `echo`, `filter`,
            `candidates`, `limit`, `tokens`, `abstained`, `time`, `rejected`.
        reason: the same in words, without any text of the memory.
        rank: its rank, from 1; `None` if it was not ranked.
        score: its score in [0, 1]; `None` if it was not ranked.
        factors: its ranking factors, as in a hit.
        weights: the weight of each factor in the sum for this question; at most 1 in all.
        ranks: its rank in each retriever that found it, from 1.
    """

    id: str
    stage: str
    reason: str
    rank: int | None = None
    score: float | None = None
    factors: Mapping[str, float] = field(default_factory=dict[str, float])
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
