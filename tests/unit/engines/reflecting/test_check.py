"""What of a reflector's answer is refused, and what is mended."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import BadModelOutput
from remembrancer.learn.reflect.consolidate import check, size, size_of, with_the_gravest
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog, Insight
from tests.rows import each_row
from tests.unit.engines.reflecting.logs import ids, log, noted, words

LOG = log("Dana likes green tea", "Dana likes black tea", "Dana bought a blue kettle")


def insight(*sources: str, text: str = "Dana likes tea", type: str = "preference", priority: int = 3) -> Insight:
    """An insight over some observations."""
    return Insight(text=text, type=type, priority=priority, sources=sources)


def checked(*insights: Insight, kept: tuple[str, ...] = ()) -> ConsolidatedLog:
    """An answer, checked against the log."""
    return check(ConsolidatedLog(insights=insights, kept=kept), LOG, count=words, types=OBSERVATION_TYPES)


def test_what_is_sound_stays_as_it_is() -> None:
    assert checked(insight("o0", "o1"), kept=("o2",)) == ConsolidatedLog(insights=(insight("o0", "o1"),), kept=("o2",))


def test_what_was_not_placed_is_kept_in_the_order_of_the_log() -> None:
    assert checked(insight("o1")) == ConsolidatedLog(insights=(insight("o1"),), kept=("o0", "o2"))
    assert checked(insight("o2", "o0"), kept=("o1",)).insights[0].sources == ("o0", "o2")


def test_a_source_may_be_kept_as_well() -> None:
    assert checked(insight("o0", "o1", text="Tea"), kept=("o2", "o1")).kept == ("o1", "o2")


@each_row(
    "insights, kept, reason",
    [
        ((insight("o0", "o9"),), (), "'o9', which is not in the log"),
        ((), ("o7",), "'o7', which is not in the log"),
        ((insight("o0", "o1"),), ("o2", "o2"), "keeps 'o2' 2 times"),
        ((insight("o0", "o0"),), (), "rests an insight on 'o0' 2 times"),
        ((insight(),), (), "rests on nothing"),
        ((insight("o0", text=" \n"),), (), "is blank"),
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


GRAVE = [*LOG, noted("Dana wants tea at five, always", day=3, priority=5)]


def left_of(*insights: Insight, kept: tuple[str, ...] = (), dropped: tuple[str, ...] = ()) -> ConsolidatedLog:
    """A model's answer, checked against a log in which one may not be forgotten."""
    reflected = with_the_gravest(ConsolidatedLog(insights=insights, kept=kept, dropped=dropped), GRAVE)
    return check(reflected, GRAVE, count=words, types=OBSERVATION_TYPES)


@pytest.mark.parametrize("text", ["Dana likes tea", "Dana likes her tea"])
def test_what_must_not_be_forgotten_stays_beside_an_insight_that_may_be(text: str) -> None:
    assert left_of(insight("o0", "o1", "o3", text=text)).kept == ("o2", "o3")


def test_what_must_not_be_forgotten_leaves_for_what_must_not_be_either_or_for_what_holds_now() -> None:
    assert left_of(insight("o0", "o3", priority=5)).kept == ("o1", "o2")
    assert left_of(replace(insight("o0", "o3"), replaces=("o3",))).kept == ("o1", "o2")


def test_what_hardly_matters_may_be_dropped_and_nothing_else() -> None:
    trifles = [*log("Dana said hello", priority=2), *GRAVE[1:]]
    found = check(
        ConsolidatedLog(insights=(), kept=(), dropped=("o0", "o1", "o3")), trifles, count=words, types=OBSERVATION_TYPES
    )
    assert (found.dropped, found.kept) == (("o0",), ("o1", "o2", "o3"))


def test_what_nobody_has_judged_is_not_dropped() -> None:
    unjudged = log("Dana said hello", "Dana likes tea", priority=0)
    reflected = ConsolidatedLog(insights=(), kept=(), dropped=("o0",))
    with pytest.raises(BadModelOutput, match="not shorter"):
        check(reflected, unjudged, count=words, types=OBSERVATION_TYPES)


def test_an_insight_replaces_only_what_it_rests_on() -> None:
    with pytest.raises(BadModelOutput, match="replaces what it does not rest on"):
        checked(replace(insight("o0"), replaces=("o1",)))


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
