"""What every embedder's adapter needs: rows of length one, and how near unrelated texts are in a model."""

import numpy as np
from numpy.typing import NDArray

from remembrancer.types.index import Space

# Unrelated sentences. Their mean similarity in a model without published figures is the baseline of unrelated texts.
UNRELATED = (
    "The ferry to the island leaves at half past six.",
    "She repaired the clock with a pair of tweezers.",
    "Our quarterly figures will be published on Thursday.",
    "Penguins huddle together against the wind.",
    "He never learnt to whistle.",
    "The compiler rejects a missing semicolon.",
    "Add two spoons of flour and stir slowly.",
    "The court adjourned without a verdict.",
    "Rain is expected in the northern valleys.",
    "My bicycle has a flat tyre again.",
    "They painted the nursery in a pale yellow.",
    "A prime number has exactly two divisors.",
)


def measured(name: str, *, version: str, rows: NDArray[np.float32]) -> Space:
    """Return the space of a model without published figures.

    Args:
        rows: the model's unit vectors of `UNRELATED`.
    """
    cosines = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return Space(
        name=name,
        version=version,
        dimension=rows.shape[1],
        random_cosine=round(float(cosines.mean()), 3),
        random_spread=max(round(float(cosines.std()), 3), 0.001),
    )


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length one; a row of zeros, possible for an empty text, is unchanged."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
