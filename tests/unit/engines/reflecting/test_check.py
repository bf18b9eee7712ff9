"""What of a reflector's answer is refused, and what is mended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.engines.reflecting.check import check, refuse_unfounded, size, size_of
from remembrancer.errors import BadModelOutput
from remembrancer.model.insights import Insight, Reflected
from remembrancer.model.observation_types import OBSERVATION_TYPES
from tests.unit.engines.reflecting.logs import ids, log, words

LOG = log("Dana likes green tea", "Dana likes black tea", "Dana bought a blue kettle")


def insight(*sources: str, text: str = "Dana likes tea", type: str = "preference", priority: int = 3) -> Insight:
    """An insight over some observations."""
    return Insight(text=text, type=type, priority=priority, sources=sources)


def checked(*insights: Insight, kept: tuple[str, ...] = ()) -> Reflected:
    """An answer, checked against the log."""
    return check(Reflected(insights=insights, kept=kept), LOG, count=words, types=OBSERVATION_TYPES)


def test_what_is_sound_stays_as_it_is() -> None:
    assert checked(insight("o0", "o1"), kept=("o2",)) == Reflected(insights=(insight("o0", "o1"),), kept=("o2",))


def test_what_was_not_placed_is_kept_in_the_order_of_the_log() -> None:
    assert checked(insight("o1")) == Reflected(insights=(insight("o1"),), kept=("o0", "o2"))
    assert checked(insight("o2", "o0"), kept=("o1",)).insights[0].sources == ("o0", "o2")


def test_a_source_may_be_kept_as_well() -> None:
    assert checked(insight("o0", "o1", text="Tea"), kept=("o2", "o1")).kept == ("o1", "o2")


@pytest.mark.parametrize(
    ("insights", "kept", "reason"),
    [
        ((insight("o0", "o9"),), (), "'o9', which is not in the log"),
        ((), ("o7",), "'o7', which is not in the log"),
        ((insight("o0", "o1"),), ("o2", "o2"), "keeps 'o2' 2 times"),
        ((insight("o0", "o0"),), (), "rests an insight on 'o0' 2 times"),
        ((insight(),), (), "rests on nothing"),
        ((insight("o0", text=" \n"),), (), "says nothing"),
        ((insight("o0", type="summary"),), (), "no observation type 'summary'; allowed are profile, preference"),
        ((insight("o0", priority=6),), (), "priority 6"),
        ((insight("o0", priority=0),), (), "priority 0"),
        ((), ("o0", "o1", "o2"), "not shorter than the log: 13 tokens after 13"),
        ((insight("o0", text="Dana likes every kind of tea"),), (), "not shorter than the log: 15 tokens after 13"),
    ],
)
def test_what_is_unsound_is_refused_with_its_reason(
    insights: tuple[Insight, ...], kept: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(BadModelOutput, match=reason):
        checked(*insights, kept=kept)


def test_what_no_insight_takes_up_cannot_be_dropped() -> None:
    reflected = Reflected(insights=(insight("o0", "o1"),), kept=("o1",))
    refuse_unfounded(["o0"], reflected)
    with pytest.raises(BadModelOutput, match="drops 'o2', which no insight takes up"):
        refuse_unfounded(["o0", "o2"], reflected)
    with pytest.raises(BadModelOutput, match="both keeps and supersedes 'o1'"):
        refuse_unfounded(["o1"], reflected)


ANY_IDS = st.lists(st.sampled_from(["o0", "o1", "o2", "o3", "x"]), max_size=4).map(tuple)
ANY_INSIGHT = st.builds(
    Insight,
    text=st.sampled_from(["", "Tea", "Dana likes tea and has a kettle and much more than that to be told"]),
    type=st.sampled_from(["preference", "summary"]),
    priority=st.integers(0, 6),
    sources=ANY_IDS,
)


@given(st.lists(ANY_INSIGHT, max_size=3).map(tuple), ANY_IDS)
def test_whatever_passes_places_every_observation_and_is_shorter(
    insights: tuple[Insight, ...], kept: tuple[str, ...]
) -> None:
    try:
        sound = checked(*insights, kept=kept)
    except BadModelOutput:
        return
    placed = {*sound.kept, *(source for insight in sound.insights for source in insight.sources)}
    assert placed == set(ids(LOG))
    assert size_of(sound, LOG, words) < size(LOG, words)
    assert check(sound, LOG, count=words, types=OBSERVATION_TYPES) == sound
