"""How near questions about other things come in a scope: what a question has to surpass to be answered there.

Texts of one kind lie closer to any question than those of another, so a cosine says little by itself. A fixed set of
questions about nothing that anybody would keep is put to the scope; the mean of how near they come is the background.
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
_MOST_KEPT = 1_024
# A scope that has grown by less than a fifth has the same background.
_STEPS_A_DOUBLING = 4


class Background(Protocol):
    """How near questions about other things come in what a transaction sees."""

    async def __call__(self, tx: Tx, /, *, keep: bool) -> float:
        """Return the mean cosine of the nearest; NaN where nothing has vectors.

        Args:
            keep: whether it will still be so when it is asked next: not where vectors are still to be made.
        """
        ...


class Backgrounds:
    """The backgrounds of the scopes that were asked of late, by how much each holds."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], float] = OrderedDict()

    async def of(self, tx: Tx, /, *, keep: bool, probes: NDArray[np.float32], generation: Generation) -> float:
        """Return the mean of how near the probes come to what the transaction sees; see `Background`.

        Args:
            probes: the unit vectors of `PROBES`, `(texts, dimension)`.
        """
        held = sum(shard.documents for shard in await tx.texts.statistics())
        size = round(_STEPS_A_DOUBLING * math.log2(1 + held))
        key = (tx.scope, tx.caller.clearance, generation.number, size)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found = [await tx.vectors.nearest(probe, generation=generation.number, limit=1, among=None) for probe in probes]
        best = [float(one.cosines[0]) for one in found if len(one.cosines)]
        if not best:
            return math.nan
        value = sum(best) / len(best)
        if keep:
            self._known[key] = value
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        return value
