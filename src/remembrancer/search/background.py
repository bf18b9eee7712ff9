"""The background of a scope: the cosine of unrelated questions there.

A cosine alone means little, since texts of one kind are closer to any question than those of another. A fixed set of
unrelated questions is searched in the scope; the mean of their best cosines is the background.
"""

import math
from collections import OrderedDict
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.tx import Tx
from remembrancer.types.index import Generation

PROBES: Final = (
    "What is the boiling point of nitrogen?",
    "Who composed the national anthem of Peru?",
    "When was the lighthouse on the northern cape built?",
    "How many moons does the sixth planet have?",
    "Which river flows through the capital of Hungary?",
    "Where are the largest salt mines in Europe?",
    "Why did the empire abandon its eastern provinces?",
    "What kind of wood are violins made of?",
    "Who discovered the structure of insulin?",
    "How deep is the lake at its deepest point?",
    "Which team won the cup final in that season?",
    "When does the eclipse reach its maximum?",
    "What did the treaty say about fishing rights?",
    "How is cement produced?",
    "Where did the expedition spend the winter?",
    "Which minister resigned after the scandal?",
    "What causes the colour of flamingos?",
    "How long does a tortoise live?",
    "Who owns the patent for the zipper?",
    "What is the population of the island?",
)
_MAX_SCOPES = 1_024
# A scope that grew by less than a fifth keeps its background.
_STEPS_PER_DOUBLING = 4


class Background(Protocol):
    """A function that measures the background of a transaction's scope."""

    async def __call__(self, tx: Tx, /, *, keep: bool) -> float:
        """Return the mean of the best cosines; NaN without vectors.

        Args:
            keep: whether to cache the value; not while vectors are missing.
        """
        ...


class BackgroundCache:
    """The backgrounds of recently searched scopes, by scope and size."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], float] = OrderedDict()

    async def measure(self, tx: Tx, /, *, keep: bool, probes: NDArray[np.float32], generation: Generation) -> float:
        """Return the mean of the best cosines of the probes; see `Background`.

        Args:
            probes: the unit vectors of `PROBES`, `(texts, dimension)`.
        """
        documents = sum(one.documents for one in await tx.text_index.statistics())
        size = round(_STEPS_PER_DOUBLING * math.log2(1 + documents))
        key = (tx.scope, tx.caller.clearance, generation.number, size)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        best = await tx.vectors.best_cosines(probes, generation=generation.number)
        if not best:
            return math.nan
        value = sum(best) / len(best)
        if keep:
            self._known[key] = value
            while len(self._known) > _MAX_SCOPES:
                self._known.popitem(last=False)
        return value
