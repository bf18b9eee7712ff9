"""The selection of sentences for notes: the most value per token within a budget, with little repetition."""

import heapq
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from remembrancer.language.terms import has_content
from remembrancer.learn.observe.candidates import Candidate

# What a term is worth by its kind.
TERM_WEIGHT: Final = {"stop": 0.0, "common": 0.15, "word": 1.0, "name": 1.3, "number": 1.2}
# The factor on a term for each time that it is kept already.
REPEATED: Final = 0.7
# A message of which so many tokens are kept counts half for more of it.
SATURATION: Final = 300.0
# Tokens beyond its own that a piece costs, so that short ones do not win by nothing.
OVERHEAD: Final = 2
# A candidate is selected if its gain is still this close to the best known one. Otherwise each selection, which lowers
# the gain of all that share a word with it, would recompute all of them.
CLOSE: Final = 0.97


@dataclass(slots=True, kw_only=True)
class _Chosen:
    kept: list[int] = field(default_factory=list[int])
    kept_terms: Counter[str] = field(default_factory=Counter[str])
    of_message: Counter[int] = field(default_factory=Counter[int])
    spent: int = 0

    def cost(self, piece: Candidate, prefixes: Sequence[int]) -> int:
        return piece.tokens + (1 if self.of_message[piece.message] else prefixes[piece.message])

    def take(self, at: int, piece: Candidate, terms: Sequence[tuple[str, float]], prefixes: Sequence[int]) -> None:
        self.spent += self.cost(piece, prefixes)
        self.kept.append(at)
        self.kept_terms.update(stem for stem, _ in terms)
        self.of_message[piece.message] += piece.tokens


def select(
    candidates: Sequence[Candidate],
    budget: int,
    *,
    appeals: Sequence[float],
    prefixes: Sequence[int],
    required: frozenset[int] = frozenset(),
) -> list[Candidate]:
    """Return the candidates to keep, in order.

    Args:
        candidates: all, in order.
        budget: the tokens of the selected ones together.
        required: places of those that are kept at any cost.
        appeals: the logarithm of the value of a token of each candidate.
        prefixes: the tokens of the speaker's name, by message.
    """
    worths = _term_weights(candidates)
    weights = [_weighted_terms(piece, worths) for piece in candidates]
    rates = [
        math.exp(appeal) * piece.tokens / (piece.tokens + OVERHEAD) / (sum(worth for _, worth in terms) or 1.0)
        for piece, appeal, terms in zip(candidates, appeals, weights, strict=True)
    ]
    state = _Chosen()
    for at in sorted(required):
        state.take(at, candidates[at], weights[at], prefixes)

    def gain(at: int) -> float:
        kept_terms = state.kept_terms
        fresh = sum(
            worth * REPEATED ** kept_terms[stem] if stem in kept_terms else worth for stem, worth in weights[at]
        )
        return rates[at] * fresh / (1 + state.of_message[candidates[at].message] / SATURATION)

    queue = [(-gain(at), at) for at in range(len(candidates)) if at not in required]
    heapq.heapify(queue)
    while queue:
        before, at = heapq.heappop(queue)
        piece = candidates[at]
        if state.spent + state.cost(piece, prefixes) > budget or not before:
            continue
        now = -gain(at)
        if queue and now > queue[0][0] * CLOSE:
            heapq.heappush(queue, (now, at))
            continue
        state.take(at, piece, weights[at], prefixes)
    return [candidates[at] for at in sorted(state.kept)]


def _weighted_terms(piece: Candidate, worths: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the weighted stems of a sentence, each once; none for small talk."""
    if not has_content(piece.terms):
        return []
    stems = dict.fromkeys(term.stem for term in piece.terms)
    return [(stem, worths[stem]) for stem in stems if worths[stem]]


def _term_weights(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return the weight of each term: by its kind, and higher the fewer messages contain it."""
    holding: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    seen: set[tuple[int, str]] = set()
    for piece in candidates:
        for term in piece.terms:
            if (piece.message, term.stem) not in seen:
                seen.add((piece.message, term.stem))
                holding[term.stem] += 1
            if TERM_WEIGHT[term.kind] > TERM_WEIGHT.get(kinds.get(term.stem, ""), -1.0):
                kinds[term.stem] = term.kind
    count = 1 + max((piece.message for piece in candidates), default=0)
    return {
        stem: TERM_WEIGHT[kind] * math.log(1 + count / holding[stem]) / math.log(1 + count)
        for stem, kind in kinds.items()
    }
