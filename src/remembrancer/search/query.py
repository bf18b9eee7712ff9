"""A question to memory, and the answer to it."""

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
# A question may count 999 years back or ahead, and its dates are to be dates.
YEARS_ASKED_IN = (1_000, 9_000)


class Retriever(StrEnum):
    """A way of finding candidates."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question to memory, as a caller asks it; the search reads it as it is.

    Args:
        filter: conditions on the memories that may be found.
        limit: the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer.
        max_tokens: whole hits are left out that would pass this many tokens together; by default there is no bound, and
            1,500 for an answer.
        profile: the ranking: `default`, `behavioural`, `search`, `session`, or one retriever alone, `lexical` or
            `semantic`.
        as_of: answer with what was known then, as it then read.
        now: the time of the question, from which "last week" is counted; the current time by default.
        retrievers: some of `lexical`, `semantic`, `temporal`; all by default.
        vector: the question's own unit vector, in the space `space`.
        abstain: `False` returns the best hits whatever the confidence.
        record_access: `False` leaves no trace of the reading.
        rerank: `False` keeps the ranking, whatever the setting `reranker` names.

    Raises:
        InvalidInput: a value is not of its type, or out of its range; the message names what to change.
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
            within(now.year, *YEARS_ASKED_IN, what="the year of now")
        object.__setattr__(self, "now", now)
        object.__setattr__(self, "as_of", optional_utc(self.as_of, what="as_of"))
        object.__setattr__(self, "retrievers", members(Retriever, self.retrievers, "retriever") or tuple(Retriever))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A request with what the deployment adds to it.

    Args:
        now: the time of the question, in UTC.
        zone: the time zone of days and weeks.
        weighting: whether the weights learned from feedback count.
        types: the priority of each type of observation.
        excluded: ids that are not searched for, such as that of the message that asks.
    """

    request: RecallRequest
    now: datetime
    zone: tzinfo
    weighting: bool = True
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    excluded: frozenset[str] = frozenset()

    @property
    def limit(self) -> int:
        """The maximum number of hits."""
        return self.request.limit or DEFAULT_HITS

    @property
    def profile(self) -> Profile:
        """The ranking that the request names."""
        return profile_named(self.request.profile)

    @property
    def formula(self) -> Profile:
        """The ranking before anything is found; without feedback where that does not count."""
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
    def text(self) -> str:
        """The text of the memory."""
        return self.record.text

    @property
    def compact(self) -> Compact:
        """The memory in short, about 100 tokens, with its score."""
        return to_compact(self.record, score=self.score)


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

    def __iter__(self) -> Iterator[Hit]:
        """Iterate over the hits, best first."""
        return iter(self.hits)


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
