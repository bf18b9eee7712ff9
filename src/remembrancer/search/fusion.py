"""How words, meaning and structure are weighed against each other for one query.

Words weigh as much as the best single memory holds of what is asked; meaning weighs the rest. None of these numbers was
fitted to a set: they were chosen on sets left out (`docs/how-it-works/retrieval.md`). Each term is bounded and never
lowers a score.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.intent import Intent, asks_of_course, asks_of_now, asks_of_past
from remembrancer.search.factor import Factor

# A request and the preference that should shape it share a topic and few words; a remark and what it calls for, fewer.
WORDS_OF: Final[Mapping[Intent, float]] = {Intent.QUESTION: 0.9, Intent.REQUEST: 0.8, Intent.REMARK: 0.2}
# Of what the words weigh; the turns beside a turn answer questions and requests, and distract from remarks.
NEIGHBOURS = 0.5
SESSION = 0.3
SPEAKER = 0.2
# What shapes an answer was said by the user; the answer to a question may have been given to them.
USER_OF: Final[Mapping[Intent, float]] = {Intent.QUESTION: 0.0, Intent.REQUEST: 0.2, Intent.REMARK: 0.1}
PREFERENCE = 0.3
# What was saved within minutes is equally new.
LEAST_SPAN = timedelta(hours=1)


class NewerFirst(NamedTuple):
    """How far the newer of two hits about equally good is preferred.

    Args:
        about: the share of the best score from which a hit counts as about equally good; in [0, 1].
        gain: what the newest of them gains, as a share of the best score; the oldest gains nothing. In [0, 1].
    """

    about: float
    gain: float

    def scores(
        self, scores: NDArray[np.float32], occurred: NDArray[np.float64], among: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the scores with that gain, again in [0, 1].

        Args:
            scores: in [0, 1].
            occurred: when each was said or done, in seconds since 1970.
            among: which hits may gain.
        """
        if not len(scores):
            return scores
        oldest, newest = float(occurred.min()), float(occurred.max())
        age = (occurred - oldest) / max(newest - oldest, LEAST_SPAN.total_seconds())
        best = float(scores.max())
        bonus = np.where(among & (scores >= self.about * best), self.gain * best * age, 0.0)
        return ((scores + bonus) / (1 + self.gain)).astype(np.float32)


NO_ORDER = NewerFirst(about=1.0, gain=0.0)
OF_THE_LATEST = NewerFirst(about=0.5, gain=0.6)
OF_NOW = NewerFirst(about=0.6, gain=0.4)
OTHERWISE = NewerFirst(about=0.7, gain=0.3)


def newer_first(intent: Intent, text: str) -> NewerFirst:
    """Return how far a query prefers the newer: most where it says that it wants the latest ("now", "currently").

    A remark calls for what was said long ago; who asks for a summary, an order or what was before wants the old, too.
    """
    if intent is Intent.REMARK:
        return NO_ORDER
    if asks_of_now(text):
        return OF_THE_LATEST
    if asks_of_course(text):
        return NO_ORDER
    return OF_NOW if intent is Intent.QUESTION and not asks_of_past(text) else OTHERWISE


def weights_of(intent: Intent, share: float, *, of_self: bool, meaning: bool) -> dict[Factor, float]:
    """Return the weight of each factor, 0 or more.

    Args:
        share: of what is asked, by the IDF of its words, what the best single memory holds; in [0, 1].
        of_self: whether whoever asks speaks of themselves, so that what the user said counts for more.
        meaning: whether there are vectors.
    """
    words = WORDS_OF[intent] * share if meaning else 1.0
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
        weights[Factor.USER] = USER_OF[intent]
    return weights
