"""Some days of the simulated agent for mail: it is the same for a seed, and every night does every step."""

import anyio
import pytest

from bench.mail_world import lived_through


@pytest.mark.parametrize("seed", [3])
def test_every_night_of_some_days_does_every_step(seed: int) -> None:
    lived = anyio.run(lived_through, seed, 4)
    assert (lived.nights, lived.failures) == (4, [])
    assert lived.episodes >= 4 * 10
    assert lived.counts["decayed"] > 0
