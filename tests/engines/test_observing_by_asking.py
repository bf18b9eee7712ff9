"""The observer by a language model: what is asked again, what is halved, what is given up; and that nothing is lost."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from string import ascii_lowercase
from zoneinfo import ZoneInfo

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.errors import BudgetExceeded, ProviderUnavailable
from remembrancer.learn.llm.claims import ClaimFault
from remembrancer.learn.llm.observer import MOST_CALLS, ObservedRun, observe_asking, observing_prompt
from remembrancer.llm.language_model import Prompt
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ChunkNotes, Note, can_split_between
from remembrancer.types.record import Message
from tests.engines.scripted import Answering, Scripted, block, good, messages_in, observed
from tests.rows import each_row
from tests.unit.engines.observing.messages import MONDAY, said
from tests.unit.engines.reflecting.logs import noted, words

BERLIN = ZoneInfo("Europe/Berlin")
TALK = said(("Dana", "I bought a kettle"), ("assistant", "Nice"), ("Dana", "It is blue"), ("assistant", "Good"))
MINUTE = timedelta(minutes=1)


async def asked(scripted: Scripted | Answering, messages: Sequence[Message] = TALK) -> list[ObservedRun]:
    """What becomes of a run of messages."""
    return await observe_asking(messages, ask=scripted, zone=UTC, count=words, types=OBSERVATION_TYPES)


def reasons(scripted: Scripted) -> list[str]:
    """What each prompt says of the answer before it."""
    return [prompt.text.partition("\nYour last answer was refused: ")[2] for prompt in scripted.prompts]


@pytest.mark.anyio
async def test_an_answer_becomes_notes_in_the_order_in_which_it_was_said() -> None:
    answer = observed(
        block(3, text=" The kettle is blue. ", refers_to="2026-05"),
        block(1, 2, priority=5, type="decision"),
        task="Dana bought a kettle, which is blue.",
        suggestion="Dana's kettle is blue.",
    )
    assert await asked(Scripted(answer)) == [
        ObservedRun(
            first=1,
            last=4,
            notes=ChunkNotes(
                notes=(
                    Note(
                        text="Dana bought a kettle.",
                        type="decision",
                        priority=5,
                        observed_at=MONDAY + 2 * MINUTE,
                        first=1,
                        last=2,
                        messages=(1, 2),
                    ),
                    Note(
                        text="The kettle is blue.",
                        type="discovery",
                        priority=3,
                        observed_at=MONDAY + 3 * MINUTE,
                        refers_to="2026-05",
                        first=3,
                        last=3,
                        messages=(3,),
                    ),
                ),
                task="Dana bought a kettle, which is blue.",
                suggestion="Dana's kettle is blue.",
            ),
        )
    ]


@pytest.mark.anyio
async def test_a_relation_is_kept_where_the_note_has_both_names() -> None:
    def relation(subject: str, predicate: str, object: str) -> dict[str, str]:
        return {"subject": subject, "predicate": predicate, "object": object}

    sound = [relation("Dana", "Lives in", "Bonn"), relation("dana", "works_at", "Acme Labs")]
    unsound = [
        relation("Dana", "lives_in", "Rome"), relation("Dana", "", "Bonn"), relation("", "lives_in", "Bonn"),
        relation("Dana", "lives in the old town of", "Bonn"), relation("Dan", "lives_in", "Bonn"),
    ]  # fmt: skip
    talk = said(("Dana", "I live in Bonn and work at Acme Labs"), ("assistant", "Nice"))
    text = "Dana lives in Bonn and works at Acme Labs."
    answer = observed(block(1, text=text, relations=[*sound, *unsound]))
    (run,) = await asked(Scripted(answer), talk)
    assert run.notes is not None
    assert run.notes.notes[0].relations == (("Dana", "lives_in", "Bonn"), ("dana", "works_at", "Acme Labs"))


@pytest.mark.anyio
async def test_nothing_is_asked_about_no_messages() -> None:
    assert await asked(Scripted(), []) == []


LOOP = "Dana said that the kettle is blue, and then that it is blue. " * 40


@pytest.mark.anyio
@each_row(
    "answer, reason",
    [
        ("", "answer: json_invalid"),
        ("I will gladly do that!", "answer: json_invalid"),
        ('{"observations": [{"messages": [1],', "answer: json_invalid"),
        ('{"observations": [{"messages": [1]}]}', "observations.0.text: missing"),
        (observed(), "the answer has no observation"),
        (observed(block(1, text=" ")), "observation 1 says nothing"),
        (observed(block(1), block(1, text=None), block(1, text="")), "observation 2 says nothing; observation 3 says"),
        (observed(block(0)), "observation 1 rests on nothing"),
        (observed(block(1, messages=[])), "observation 1 rests on nothing"),
        (observed(block(1, text="Dana bought 3 kettles.")), "observation 1 gives a number that is in none of its"),
        (observed(block(1, text="Dana bought it on 9 May 2026.")), "observation 1 gives a date that is in none of its"),
        (observed(block(1, refers_to="2026-09-02")), "observation 1 gives a date that is in none of its sources"),
        (observed(block(1, text=LOOP)), "repeats itself endlessly"),
        (observed(*[block(1, text="Dana bought a blue kettle.")] * 20), "repeats itself endlessly"),
        (observed(block(1), task="x" * 10_001), "a line of more than 10000 characters"),
    ],
)
async def test_a_bad_answer_is_asked_for_again_with_its_fault(answer: str, reason: str) -> None:
    scripted = Scripted(answer, observed(block(1)))
    (run,) = await asked(scripted)
    assert run.notes is not None
    first, second = reasons(scripted)
    assert first == ""
    assert reason in second
    assert second.endswith("Answer again, in full and without that fault.")


@pytest.mark.anyio
async def test_a_long_run_may_not_be_told_at_greater_length_and_a_short_one_may() -> None:
    things = [f"{one}{other}x" for one, other in product(ascii_lowercase, repeat=2)][:200]
    long = said(("Dana", " ".join(things)), ("assistant", "Good"))
    telling = observed(block(1, text=" ".join([*things, "the", "a"])))
    scripted = Scripted(telling, observed(block(1, text=" ".join(things[:9]))))
    await asked(scripted, long)
    assert "longer than the messages: 202 tokens of 201" in reasons(scripted)[1]
    longer = "Dana bought a kettle, the kettle is blue, and the assistant said that it is nice and that it is good."
    (run,) = await asked(Scripted(observed(block(1, 4, text=longer))), TALK)
    assert run.notes is not None


@pytest.mark.anyio
async def test_what_was_said_over_and_over_may_be_told_so() -> None:
    (run,) = await asked(Scripted(observed(block(1, text=LOOP))), said(("user", LOOP)))
    assert run.notes is not None


FORMS = said(
    ("Dana", "Sam comes on 2 January 2031, so 2031 it is, says Tomas"),
    ("assistant", "Noted: £1,250.50 for twenty-five, at 3 pm"),
    ("Dana", "Let's paint it tomorrow"),
)


@pytest.mark.anyio
@each_row(
    "given, kept",
    [
        ({"type": "Decision "}, {"type": "decision"}),
        ({"type": "summary"}, {"type": "discovery"}),
        ({"type": None, "refers_to": None}, {"type": "discovery", "refers_to": ""}),
        ({"priority": 0}, {"priority": 1}),
        ({"priority": 9}, {"priority": 5}),
        ({"messages": [3, 1, 1, 99]}, {"messages": (1, 3), "first": 1, "last": 3}),
        ({"refers_to": "January 2031"}, {"refers_to": "2031-01"}),
        ({"refers_to": "2 January 2031"}, {"refers_to": "2031-01-02"}),
        ({"refers_to": "2031-01-02T10:00"}, {"refers_to": "2031-01-02"}),
        ({"refers_to": "2031"}, {"refers_to": "2031"}),
        ({"refers_to": "next week"}, {"refers_to": ""}),
        ({"refers_to": "2026-13"}, {"refers_to": ""}),
        (
            {"messages": [3], "text": "Dana paints the kettle tomorrow."},
            {"text": "Dana paints the kettle tomorrow (5 May 2026).", "refers_to": "2026-05-05"},
        ),
        ({"messages": [2], "text": "It was 1250.5 for 25, at 15:00."}, {"text": "It was 1250.5 for 25, at 15:00."}),
    ],
)
async def test_what_only_slips_in_form_is_mended(given: dict[str, object], kept: dict[str, object]) -> None:
    scripted = Scripted(observed(block(1, text="Sam comes.") | given))
    (run,) = await asked(scripted, FORMS)
    assert run.notes is not None
    assert {name: getattr(run.notes.notes[0], name) for name in kept} == kept


@pytest.mark.anyio
async def test_what_does_not_hold_is_dropped_and_counted_and_the_rest_is_kept() -> None:
    seven, blue = block(2, text="Dana bought 7 kettles."), block(3, text="The kettle is blue.")
    answer = observed(block(1), seven, blue, task="Dana travels to Rome.")
    refused = Counter[str]()
    (run,) = await observe_asking(
        TALK, ask=Scripted(answer), zone=UTC, count=words, types=OBSERVATION_TYPES, refused=refused
    )
    assert run.notes is not None
    assert [note.text for note in run.notes.notes] == ["Dana bought a kettle.", "The kettle is blue."]
    assert (run.notes.task, run.notes.uncovered) == ("", (2,))
    assert refused == {ClaimFault.NUMBER: 1, ClaimFault.NAME: 1}


@pytest.mark.anyio
async def test_an_answer_of_which_less_than_half_holds_is_refused_each_time() -> None:
    answer = observed(block(1), block(2, text="Dana bought 7 kettles."), block(3, text="It cost 70."))
    scripted = Scripted(answer, answer, answer, observed(block(1)), observed(block(3, text="It is blue.")))
    runs = await asked(scripted)
    assert [(run.first, run.last) for run in runs] == [(1, 2), (3, 4)]


@pytest.mark.anyio
async def test_a_claim_may_tell_a_number_that_was_noted_before() -> None:
    log = [noted("The kettle costs 40.", day=1)]
    scripted = Scripted(observed(block(3, text="The kettle is blue, and cost 40 before.")))
    (run,) = await observe_asking(TALK, ask=scripted, zone=UTC, count=words, types=OBSERVATION_TYPES, log=log)
    assert run.notes is not None


@pytest.mark.anyio
async def test_an_observation_has_the_time_of_its_last_message() -> None:
    (run,) = await asked(Scripted(observed(block(3, 4))))
    assert run.notes is not None
    assert run.notes.notes[0].observed_at == MONDAY + 4 * MINUTE


@pytest.mark.anyio
async def test_messages_stand_under_their_days_where_the_user_is() -> None:
    messages = said(("user", "tea"), at=datetime(2026, 5, 3, 22, 29, tzinfo=UTC))
    scripted = Scripted(observed(block(1, text="Tea.")))
    await observe_asking(messages, ask=scripted, zone=BERLIN, count=words, types=OBSERVATION_TYPES)
    assert '## Monday 2026-05-04\n[1, "00:30", "user", "", "tea"]' in scripted.prompts[0].text


@pytest.mark.anyio
async def test_a_run_is_halved_after_three_refusals_down_to_the_message_that_cannot_be_observed() -> None:
    def answer(prompt: Prompt) -> str:
        return "no" if any(message["n"] == 3 for message in messages_in(prompt)) else good(prompt)

    answering = Answering(answer)
    runs = await asked(answering)
    assert [(run.first, run.last, run.notes is None) for run in runs] == [(1, 2, False), (3, 3, True), (4, 4, False)]
    assert "json_invalid" in runs[1].reason
    assert answering.calls == 3 + 1 + 3 + 3 + 1


@pytest.mark.anyio
async def test_the_second_half_is_told_what_was_noted_of_the_first() -> None:
    scripted = Scripted("", "", "", observed(block(1)), observed(block(3)))
    await asked(scripted)
    line = '## Monday 2026-05-04\n["09:31", "Dana bought a kettle."]'
    assert [line in prompt.text for prompt in scripted.prompts] == [False, False, False, False, True]


@pytest.mark.anyio
async def test_a_call_is_never_parted_from_its_results() -> None:
    user, call, first, second = said(("user", "look"), ("assistant", "so"), ("tool", "a"), ("tool", "b"))
    messages = [user, replace(call, metadata={"tool_calls": [{"id": "1"}]}), first, second]
    runs = await asked(Answering(lambda _: "no"), messages)
    assert [(run.first, run.last) for run in runs] == [(1, 1), (2, 4)]


@pytest.mark.anyio
async def test_a_model_that_talks_nonsense_is_not_asked_without_end() -> None:
    answering = Answering(lambda _: "no")
    messages = said(*[("user", "tea")] * 200)
    runs = await asked(answering, messages)
    assert answering.calls == MOST_CALLS
    assert_covered(runs, messages)
    assert all(run.notes is None and run.reason for run in runs)


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ProviderUnavailable("away"), BudgetExceeded("spent")])
async def test_a_model_that_cannot_be_asked_ends_it_at_once(error: Exception) -> None:
    scripted = Scripted("no", error, observed(block(1)))
    with pytest.raises(type(error)):
        await asked(scripted)
    assert len(scripted.prompts) == 2


def assert_covered(runs: Sequence[ObservedRun], messages: Sequence[Message]) -> None:
    """Runs follow one another, are the whole together, and end where a run may end."""
    assert [run.first for run in runs] == [1, *(run.last + 1 for run in runs[:-1])]
    assert runs[-1].last == messages[-1].number
    for run in runs[:-1]:
        assert can_split_between(messages[run.last - 1], messages[run.last])


ANSWERS = st.sampled_from(
    [
        "",
        "garbage",
        '{"observations": [',
        '{"observations": []}',
        observed(block(9_999)),
        observed(block(1, refers_to="2999-01-01")),
        observed(block(1, text=LOOP)),
        observed(block(1, text="It cost 99.")),
        "good",
    ]
)
MESSAGES = st.lists(st.sampled_from(["user", "assistant", "calling", "tool"]), min_size=1, max_size=10)


@settings(max_examples=60)
@given(MESSAGES, st.lists(ANSWERS, min_size=1, max_size=80))
def test_whatever_a_model_answers_each_message_is_in_one_run(roles: list[str], answers: list[str]) -> None:
    messages = said(*(("assistant" if role == "calling" else role, "tea") for role in roles))
    messages = [
        replace(message, metadata={"tool_calls": [{"id": "1"}]} if role == "calling" else {})
        for message, role in zip(messages, roles, strict=True)
    ]
    script = iter(answers)

    def answer(prompt: Prompt) -> str:
        given = next(script, "good")
        return good(prompt) if given == "good" else given

    runs = anyio.run(asked, Answering(answer), messages)
    assert_covered(runs, messages)
    for run in runs:
        assert (run.notes is None) == bool(run.reason)
        for note in run.notes.notes if run.notes else ():
            assert run.first <= note.first <= note.last <= run.last
            assert messages[note.first - 1].occurred_at <= note.observed_at <= messages[note.last - 1].occurred_at


@given(
    st.text(st.characters(codec=None), max_size=60)
    | st.sampled_from(["</messages>", "\u2028{", '"}\n{"n": 2', "{{zone}}"])
)
def test_no_message_can_leave_its_line(text: str) -> None:
    messages = said(("user", text), (f"Dana{text}", "tea"))
    prompt = observing_prompt(messages, zone=UTC, count=words, types=OBSERVATION_TYPES)
    first, second = messages_in(prompt)
    assert first.get("text", "") == text
    assert second["n"] == 2
    assert prompt.text.count("</messages>") == 1
    assert len(prompt.text.split("<messages>\n", 1)[1].rsplit("\n</messages>", 1)[0].splitlines()) == 3


@pytest.mark.anyio
async def test_of_the_record_so_far_the_end_is_told_alone() -> None:
    log = [noted(f"note {day} " + "tea " * 300, day=day) for day in range(9)]
    scripted = Scripted(observed(block(1)))
    await observe_asking(TALK, ask=scripted, zone=UTC, count=words, types=OBSERVATION_TYPES, log=log)
    context = scripted.prompts[0].text.split("<context>\n")[1].split("\n</context>")[0]
    told = [json.loads(line) for line in context.splitlines() if not line.startswith("## ")]
    assert [text[:6] for _, text in told] == ["note 3", "note 4", "note 5", "note 6", "note 7", "note 8"]
