"""The weights of words, vectors and structure for one query.

Words weigh as much as the best single memory covers the question; vectors weigh the rest. None of these numbers was
fitted to a test set: they were chosen on separate sets (`docs/how-it-works/retrieval.md`). Each term is bounded and
never lowers a score.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.intent import Intent, asks_of_course, asks_of_now, asks_of_past
from remembrancer.search.factor import Factor

# A request shares few words with the preference that applies to it; a remark shares even fewer with its answer.
WORD_WEIGHTS: Final[Mapping[Intent, float]] = {Intent.QUESTION: 0.9, Intent.REQUEST: 0.8, Intent.REMARK: 0.2}
# Shares of the weight of the words; neighbouring turns help for questions and requests, and distract from remarks.
NEIGHBOURS = 0.5
SESSION = 0.3
SPEAKER = 0.2
# Preferences come from the user; the answer to a question may come from anyone.
USER_WEIGHTS: Final[Mapping[Intent, float]] = {Intent.QUESTION: 0.0, Intent.REQUEST: 0.2, Intent.REMARK: 0.1}
PREFERENCE = 0.3
# Memories of the same hour are equally new.
MIN_SPAN = timedelta(hours=1)


class RecencyBonus(NamedTuple):
    """The preference for the newer of two hits with similar scores.

    Args:
        about: the share of the best score from which hits count as similar; in [0, 1].
        gain: the gain of the newest of them, as a share of the best score; the oldest gains nothing. In [0, 1].
    """

    about: float
    gain: float

    def scores(
        self, scores: NDArray[np.float32], occurred: NDArray[np.float64], among: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the scores with the bonus, again in [0, 1].

        Args:
            scores: in [0, 1].
            occurred: the time of each, in seconds since 1970.
            among: the hits that may gain.
        """
        if not len(scores):
            return scores
        oldest, newest = float(occurred.min()), float(occurred.max())
        age = (occurred - oldest) / max(newest - oldest, MIN_SPAN.total_seconds())
        best = float(scores.max())
        bonus = np.where(among & (scores >= self.about * best), self.gain * best * age, 0.0)
        return ((scores + bonus) / (1 + self.gain)).astype(np.float32)


NO_BONUS = RecencyBonus(about=1.0, gain=0.0)
LATEST_BONUS = RecencyBonus(about=0.5, gain=0.6)
CURRENT_BONUS = RecencyBonus(about=0.6, gain=0.4)
OTHER_BONUS = RecencyBonus(about=0.7, gain=0.3)


def recency_bonus(intent: Intent, text: str) -> RecencyBonus:
    """Return the preference of a query for newer memories.

    It is largest for the latest state ("now", "currently"). A remark, a summary, an order of events or a question about
    the past also needs old memories.
    """
    if intent is Intent.REMARK:
        return NO_BONUS
    if asks_of_now(text):
        return LATEST_BONUS
    if asks_of_course(text):
        return NO_BONUS
    return CURRENT_BONUS if intent is Intent.QUESTION and not asks_of_past(text) else OTHER_BONUS


def factor_weights(intent: Intent, share: float, *, of_self: bool, meaning: bool) -> dict[Factor, float]:
    """Return the weight of each factor, 0 or more.

    Args:
        share: the IDF-weighted share of the question that the best single memory covers; in [0, 1].
        of_self: whether the users ask about themselves, so that their own words count for more.
        meaning: whether there are vectors.
    """
    words = WORD_WEIGHTS[intent] * share if meaning else 1.0
    weights = {Factor.WORDS: words, Factor.SPEAKER: SPEAKER}
    if meaning:
        weights[Factor.MEANING] = 1.0 - words
    if intent is not Intent.REMARK:
        weights[Factor.NEIGHBOURS] = NEIGHBOURS * share
    if intent is Intent.QUESTION:
        weights[Factor.SESSION] = SESSION * share
    if intent is Intent.REQUEST:
        weights[Factor.PREFERENCE] = PREFERENCE
    if of_self:
        weights[Factor.USER] = USER_WEIGHTS[intent]
    return weights
