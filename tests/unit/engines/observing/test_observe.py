"""What the deterministic observer notes of a run of messages."""

from datetime import UTC

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.engines.observing.observe import observe
from remembrancer.model.tokens import estimate
from tests.unit.engines.observing.messages import said

SPEECH = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "system", "tool", "Dana"]),
        st.text(max_size=400) | st.text(st.characters(codec=None), max_size=60),
    ),
    max_size=12,
)


@given(SPEECH)
def test_any_run_gives_notes_that_lie_inside_it(lines: list[tuple[str, str]]) -> None:
    run = said(*lines)
    notes = observe(run, zone=UTC).notes
    for note in notes:
        assert note.text.strip()
        assert run[0].number <= note.first <= note.last <= run[-1].number
        assert run[0].occurred_at <= note.observed_at <= run[-1].occurred_at
        assert 1 <= note.priority <= 5
    told, given_ = sum(estimate(note.text) for note in notes), sum(estimate(message.text) for message in run)
    assert given_ < 200 or told <= given_
