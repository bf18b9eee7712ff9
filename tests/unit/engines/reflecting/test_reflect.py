"""What the deterministic reflector leaves of a log."""

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import BadModelOutput
from remembrancer.learn.reflect.consolidate import DETAIL, check, size, size_of
from remembrancer.learn.reflect.reflect import reflect
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog, Insight
from remembrancer.types.record import Observation
from remembrancer.types.text import estimate
from tests.rows import each_row
from tests.unit.engines.reflecting.logs import concluded, ids, log, noted

# So much else that what a test is about fits into any budget.
ELSE = [
    noted(f"Sam: I {verb} the {thing} at the {place} station.", day=300 + number, id=f"e{number}", priority=1)
    for number, (verb, thing, place) in enumerate(
        (verb, thing, place)
        for verb in ("saw", "painted", "sold", "lost", "found")
        for thing in ("harp", "ladder", "lantern", "kettle")
        for place in ("southern", "harbour", "mountain")
    )
]


def left(observations: Sequence[Observation], level: int = 1) -> ConsolidatedLog:
    """What is left of some observations among much else; sound by the check."""
    every = [*observations, *ELSE]
    found = reflect(every, level=level, count=estimate)
    assert check(found, every, count=estimate, types=OBSERVATION_TYPES) == found
    return found


def about(reflected: ConsolidatedLog, *observations: Observation) -> list[Insight]:
    """The insights that rest on all of some observations."""
    return [insight for insight in reflected.insights if set(ids(observations)) <= set(insight.sources)]


def test_of_a_home_that_changed_the_newest_stands_and_tells_of_the_older() -> None:
    told = log("Dana: I live in Berlin with my sister.", "Dana: I moved to Munich for work.", priority=4)
    (insight,) = about(left(told), *told)
    assert insight == Insight(
        text="On 2026-03-02 Dana: I moved to Munich for work. "
        "(Before, on 2026-03-01: I live in Berlin with my sister.)",
        type="discovery",
        priority=4,
        sources=("o0", "o1"),
    )


def test_what_was_before_is_left_out_where_little_is_told() -> None:
    told = log("Dana: I live in Berlin with my sister.", "Dana: I moved to Munich for work.")
    (insight,) = about(left(told, level=3), *told) or [None]
    assert insight is None or "Berlin" not in insight.text


@each_row(
    "older, newer",
    [
        ("The meeting with Anna is on 3 May 2026.", "The meeting with Anna was moved to 5 May 2026."),
        ("Dana: The meeting is on 3 May 2026.", "Dana: The meeting is now on 5 May 2026."),
        ("Dana: The rent is 900 euros.", "Dana: The rent is now 950 euros."),
        ("Dana works at Siemens.", "Dana joined Bosch."),
        ("Dana: My favourite colour is green.", "Dana: My favourite colour is dark blue."),
        ("Dana: I like strong coffee.", "Dana: I don't like strong coffee."),
        ("Dana: Ich wohne in Berlin.", "Dana: Ich wohne jetzt in München."),
        ("Dana: Vivo en Madrid.", "Dana: Ahora vivo en Sevilla."),
        ("Dana: J'habite à Lyon.", "Dana: J'habite à Paris."),
        ("Dana: Abito a Roma.", "Dana: Abito ora a Milano."),
    ],
)
def test_the_newest_of_a_changing_value_stands(older: str, newer: str) -> None:
    told = log(older, newer, priority=4)
    (insight,) = about(left(told), *told)
    spoken = older.split(": ")[-1]
    assert insight.text.endswith(f"2026-03-01: {spoken})")
    assert insight.text.index(newer.split(": ")[-1]) < insight.text.index(spoken)
    assert not {"o0", "o1"} & set(left(told).kept)


@each_row(
    "one, other",
    [
        ("Dana: I ran 5 km in the park.", "Dana: I ran 7 km in the park."),
        ("Dana lives in Berlin.", "Anna lives in Munich."),
        ("Dana: I live in Berlin.", "Dana: My sister lives in Munich."),
        ("Dana: I live in Berlin.", "Dana: I would love to live in Munich."),
        ("Dana: I live in Berlin.", "Dana: I want to move to Munich."),
        ("The meeting with Anna is on 3 May 2026.", "The meeting with Bert is on 5 May 2026."),
        ("Dana: The meeting was on 3 February 2026.", "Dana: The meeting was on 5 February 2026."),
        ("Dana: I met Anna in Berlin.", "Dana: I met Bert in Berlin."),
        ("Dana: I like green tea.", "Sam: I don't like green tea."),
    ],
)
def test_what_is_true_beside_one_another_is_not_superseded(one: str, other: str) -> None:
    found = left(log(one, other, priority=4), level=0)
    assert not any("Before" in insight.text for insight in found.insights)
    told = " ".join([*(insight.text for insight in found.insights), *(one for id in found.kept if id == "o0")])
    assert one.split(": ")[-1] in told


def test_a_date_that_has_passed_is_no_plan_that_was_moved() -> None:
    told = [
        noted("The choir meets on 3 March 2026.", day=0, priority=4),
        noted("The choir meets on 10 March 2026.", day=5, priority=4),
    ]
    assert not any("Before" in insight.text for insight in left(told).insights)


TEA = "Dana: I drink green tea in the morning."


def test_what_is_said_again_and_again_is_counted() -> None:
    told = log(*[TEA] * 7, priority=4)
    (insight,) = about(left(told), *told)
    assert insight == Insight(
        text="Said 7 times between 2026-03-01 and 2026-03-07: Dana: I drink green tea in the morning.",
        type="pattern",
        priority=4,
        sources=ids(told),
    )


def test_a_count_goes_on_in_the_next_reflection() -> None:
    told = log(*[TEA] * 7, priority=4)
    (insight,) = about(left(told), *told)
    again = [concluded(insight, day=20), *(noted(TEA, day=day, id=f"n{day}", priority=4) for day in (30, 31))]
    (further,) = about(left(again), *again)
    assert further.text == insight.text.replace("7 times", "9 times").replace("2026-03-07", "2026-04-01")


def test_a_count_in_what_somebody_said_is_not_believed() -> None:
    forged = "Said 900 times between 2026-03-01 and 2026-03-07: Dana: I drink green tea in the morning."
    found = left([noted(forged, id="f", priority=4), *log(*[TEA] * 3, priority=4)])
    assert any(insight.text.startswith("Said 3 times") for insight in found.insights)


def test_dates_and_names_of_an_insight_outlast_the_next_reflection() -> None:
    insight = Insight(
        text="On 2026-01-05 Dana: I bought a blue kettle. On 2026-01-09 Sam: The kettle broke on the first day.",
        type="discovery",
        priority=4,
        sources=("a", "b"),
    )
    other = Insight(
        text="On 2026-01-05 Dana: It whistles. On 2026-02-02 Dana: I repaired the blue kettle of Sam.",
        type="discovery",
        priority=4,
        sources=("c", "d"),
    )
    found = left([concluded(insight, day=1), concluded(other, day=2)], level=3)
    told = " ".join(insight.text for insight in found.insights)
    for day, who in (("2026-01-05", "Dana"), ("2026-01-09", "Sam"), ("2026-02-02", "Dana")):
        assert f"On {day} {who}: " in told or {"r1", "r2"} & set(found.kept)


def test_what_is_important_and_what_is_new_is_kept() -> None:
    important = noted("Dana: Never call me before nine.", id="i", priority=5)
    newest = noted("Sam: The lantern is green.", day=400, id="n", priority=2)
    every = [important, *ELSE, newest]
    kept = reflect(every, level=2, count=estimate).kept
    assert {"i", "n"} <= set(kept)
    assert kept[0] == "i"
    assert kept[-1] == "n"


RULES = [
    "Never call me before nine.",
    "Answers in metric units only, please.",
    "Keine Termine vor zehn, außer ich sage es.",
    "Letters to Mr Hanratty by post, nobody phones him.",
]


@pytest.mark.parametrize("level", range(5))
def test_what_people_lay_down_outlasts_any_number_of_reflections(level: int) -> None:
    every = [noted(f"Dana: {rule}", day=day, id=f"r{day}") for day, rule in enumerate(RULES)]
    for turn in range(12):
        other = [
            noted(entry.text.replace("the", f"{turn + 2}"), day=20 + turn, id=f"{turn}{entry.id}") for entry in ELSE
        ]
        found = reflect([*every, *other], level=level, count=estimate)
        insights = [concluded(insight, day=100 * turn + at) for at, insight in enumerate(found.insights, 100)]
        every = [*insights, *(entry for entry in (*every, *other) if entry.id in found.kept)]
        told = "\n".join(entry.text for entry in every)
        assert [rule for rule in RULES if rule not in told] == []


@pytest.mark.parametrize("level", range(5))
def test_each_level_leaves_its_share_of_the_tokens(level: int) -> None:
    every = [*log(*[f"Dana: I planted {n} tulips beside the {n}th tree of the garden." for n in range(60)]), *ELSE]
    found = reflect(every, level=level, count=estimate)
    assert size_of(found, every, estimate) <= DETAIL[level] * size(every, estimate)
    placed = {*found.kept, *(source for insight in found.insights for source in insight.sources)}
    assert placed == set(ids(every))


def test_a_log_of_one_is_kept() -> None:
    assert reflect(log("Tea."), level=4, count=estimate) == ConsolidatedLog(insights=(), kept=("o0",))
    assert reflect([], level=4, count=estimate) == ConsolidatedLog(insights=(), kept=())


def test_what_belongs_together_by_its_vectors_is_told_together_and_never_as_one() -> None:
    told = log("Dana: The oboe needs a reed.", "Dana: Woodwind lessons are cancelled.", priority=4)
    here = np.eye(4, dtype=np.float32)
    vectors = {"o0": here[0], "o1": here[0], **{entry.id: here[1] for entry in ELSE}}
    every = [*told, *ELSE]
    found = reflect(every, level=3, count=estimate, vectors=vectors)
    check(found, every, count=estimate, types=OBSERVATION_TYPES)
    opposite = log("Dana: I like strong coffee.", "Dana: I bought a kettle for 20 euros.", priority=4)
    alike = reflect([*opposite, *ELSE], level=0, count=estimate, vectors={"o0": here[0], "o1": here[0]})
    assert not any("Before" in insight.text or "Said" in insight.text for insight in alike.insights)


def test_types_are_those_of_the_deployment() -> None:
    told = [noted(TEA, day=day, id=f"s{day}", type="summary") for day in range(4)]
    found = reflect([*told, *ELSE], level=3, count=estimate, types={"note": 0.5})
    assert {insight.type for insight in found.insights} == {"note"}


PROGRAM = """
from tests.unit.engines.reflecting.test_reflect import ELSE, estimate, log, reflect, TEA
told = [*log(*[TEA] * 4, "Dana: Tea is in the blue kettle."), *ELSE]
print([reflect(told, level=level, count=estimate) for level in range(5)])
"""


def test_the_same_log_leaves_the_same_in_every_process() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


TEXTS = st.sampled_from(
    [
        TEA,
        "Dana: I live in Berlin.",
        "Dana: I live in Munich.",
        "Dana: I don't live in Munich.",
        "The meeting is on 3 May 2026.",
        "The meeting is on 5 May 2026.",
        "Said 3 times between 2026-03-01 and 2026-03-02: Dana: Tea.",
        "On 2026-03-01 Dana: I like tea. On 2026-03-05 Sam: So do I. (Before, on 2026-03-01: No.)",
        "()",
        "",
        "Dana: ",
        "东京的茶很好",
    ]
) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80)
OBSERVATIONS = st.lists(st.tuples(TEXTS, st.integers(0, 5), st.booleans()), max_size=14)


@given(OBSERVATIONS, st.integers(0, 4))
def test_whatever_is_shorter_is_sound_and_the_rest_is_kept(given_: list[tuple[str, int, bool]], level: int) -> None:
    every: list[Observation] = []
    for day, (text, priority, reflection) in enumerate(given_):
        insight = Insight(text=text, type="pattern", priority=max(1, priority), sources=("x",))
        every.append(concluded(insight, day=day) if reflection else noted(text, day=day, priority=priority))
    found = reflect(every, level=level, count=estimate)
    assert reflect(every, level=level, count=estimate) == found
    try:
        assert check(found, every, count=estimate, types=OBSERVATION_TYPES) == found
    except BadModelOutput:
        assert found == ConsolidatedLog(insights=(), kept=ids(every))
