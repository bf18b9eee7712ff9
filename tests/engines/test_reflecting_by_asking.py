"""The reflector by a language model: what of its answers is refused, and that nothing changes then."""

import json
from datetime import UTC

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import BudgetExceeded, ProviderUnavailable
from remembrancer.learn.llm.reflector import reflecting_by_asking
from remembrancer.learn.reflect.consolidate import consolidate
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog, Insight
from tests.engines.scripted import Scripted
from tests.rows import each_row
from tests.unit.engines.reflecting.logs import ids, log, words

LOG = log(
    "Dana lives in Berlin and likes it there.",
    "Dana likes green tea in the morning.",
    "Dana moved to Munich for her new work.",
    "Dana likes black tea in the evening.",
)
HOME: dict[str, object] = {
    "text": "Dana lives in Munich (before: Berlin).",
    "type": "profile",
    "priority": 4,
    "sources": [3, 1],
}


def insight(**fields: object) -> dict[str, object]:
    """An insight of a model's answer."""
    return HOME | fields


def answered(*insights: dict[str, object], **fields: object) -> str:
    """A model's answer."""
    return json.dumps({"insights": insights} | fields)


async def reflected(scripted: Scripted, enough: int = 20) -> ConsolidatedLog | None:
    """What comes of the log."""
    think = reflecting_by_asking(scripted, zone=UTC, count=words, types=OBSERVATION_TYPES)
    return await consolidate(LOG, think=think, count=words, types=OBSERVATION_TYPES, enough=enough)


@pytest.mark.anyio
async def test_numbers_become_ids_and_what_was_not_placed_is_kept() -> None:
    assert await reflected(Scripted(answered(insight(replaces=[1, 4]), keep=[4], drop=[]))) == ConsolidatedLog(
        insights=(
            Insight(
                text="Dana lives in Munich (before: Berlin).",
                type="profile",
                priority=4,
                sources=("o0", "o2"),
                replaces=("o0",),
            ),
        ),
        kept=("o1", "o3"),
    )


@pytest.mark.anyio
@each_row(
    "answer, reason",
    [
        ("", "answer: json_invalid"),
        ("The log is fine as it is.", "answer: json_invalid"),
        ('{"insights": [{"text": "Dana', "answer: json_invalid"),
        (answered(insight(text=" ")), "insight 1 says nothing"),
        (answered(insight(sources=[])), "insight 1 rests on nothing"),
        (answered(insight(sources=[0, 9])), "insight 1 rests on nothing"),
        (answered(insight(text="Dana lives in Munich since 2019.")), "insight 1 gives a number that is in none"),
        (answered(insight(refers_to="2026-09-09")), "insight 1 gives a date that is in none of its sources"),
        (answered(), "not shorter than the log: 30 tokens after 30"),
        (answered(insight(text="Dana " * 400)), "repeats itself endlessly"),
    ],
)
async def test_a_bad_answer_is_asked_for_again_with_its_fault(answer: str, reason: str) -> None:
    scripted = Scripted(answer, answered(HOME))
    assert await reflected(scripted) is not None
    assert reason in scripted.prompts[1].text.rsplit("</observations>", 1)[1]
    assert "refused" not in scripted.prompts[0].text


@pytest.mark.anyio
@each_row(
    "given, kept",
    [
        ({"type": "Profile "}, {"type": "profile"}),
        ({"type": "thought"}, {"type": "discovery"}),
        ({"type": None, "refers_to": None}, {"type": "discovery", "refers_to": ""}),
        ({"priority": 9}, {"priority": 5}),
        ({"sources": [3, 1, 1, 9, 0]}, {"sources": ("o0", "o2")}),
        ({"refers_to": "March 2026"}, {"refers_to": "2026-03"}),
    ],
)
async def test_what_only_slips_in_form_is_mended(given: dict[str, object], kept: dict[str, object]) -> None:
    found = await reflected(Scripted(answered(insight(**given))))
    assert found is not None
    assert {name: getattr(found.insights[0], name) for name in kept} == kept


@pytest.mark.anyio
async def test_an_insight_that_does_not_hold_is_dropped_and_what_it_rests_on_stays() -> None:
    answer = answered(HOME, insight(text="Dana likes 7 teas.", sources=[2, 4]))
    found = await reflected(Scripted(answer), enough=26)
    assert found is not None
    assert (len(found.insights), found.kept) == (1, ("o1", "o3"))


@pytest.mark.anyio
async def test_nothing_comes_of_four_bad_answers() -> None:
    scripted = Scripted("no", answered(), answered(insight(sources=[9])), answered(keep=[2]), answered(HOME))
    assert await reflected(scripted) is None
    tenths = [prompt.text.split("Leave about ")[1].split(" ")[0] for prompt in scripted.prompts]
    assert tenths == ["6", "4", "2", "1"]


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ProviderUnavailable("away"), BudgetExceeded("spent")])
async def test_a_model_that_cannot_be_asked_ends_it_at_once(error: Exception) -> None:
    scripted = Scripted("no", error, answered(HOME))
    with pytest.raises(type(error)):
        await reflected(scripted)
    assert len(scripted.prompts) == 2


def half_right(sources: list[int], keep: list[int], drop: list[int], text: str) -> str:
    """An answer that may be right in all, or wrong in anything."""
    return answered(insight(sources=sources, text=text), keep=keep, drop=drop)


NUMBERS = st.lists(st.integers(0, 5), max_size=4)
TEXTS = st.sampled_from(["Tea.", "", "word " * 40])
ANSWERS = st.one_of(
    st.sampled_from(["", "no", '{"insights": [{', "[]", "null"]),
    st.builds(half_right, NUMBERS, NUMBERS, NUMBERS, TEXTS),
)


@given(st.lists(ANSWERS, min_size=4, max_size=4))
def test_whatever_a_model_answers_no_observation_is_lost_and_none_invented(answers: list[str]) -> None:
    found = anyio.run(reflected, Scripted(*answers))
    if found is not None:
        assert found.dropped == ()
        placed = {*found.kept, *(source for insight in found.insights for source in insight.sources)}
        assert placed == set(ids(LOG))
