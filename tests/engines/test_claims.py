"""What a model claims, compared with what was said: the lies and the honest notes of `bench.fidelity`, and more."""

import json
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC

from bench.fidelity.talks import FOLDERS, WAYS, Talk, talks
from remembrancer.learn.llm.claims import ClaimFault, Claims, of_message, of_observation
from remembrancer.learn.observe.observe import observe
from remembrancer.llm.prompts import template_named
from remembrancer.types.record import Message, Role
from tests.rows import each_row
from tests.unit.engines.observing.messages import said
from tests.unit.engines.reflecting.logs import noted

EVERY = [talk for folder in FOLDERS for talk in talks(folder)]
# So many of the honest notes may be refused.
_MOST_REFUSED = 0.05


def messages_of(talk: Talk) -> list[Message]:
    (plain,) = said(("user", "x"))
    return [
        replace(
            plain,
            id=str(number),
            number=number,
            role=Role(one.role),
            speaker=one.speaker if one.role != "tool" else "",
            text=one.text,
            occurred_at=one.at.astimezone(UTC),
        )
        for number, one in enumerate(talk.messages, start=1)
    ]


def claims_of(talk: Talk) -> Claims:
    return Claims([of_message(one) for one in messages_of(talk)], talk.zone)


def test_a_lie_is_dropped_in_whatever_way_it_lies_and_an_honest_note_is_kept() -> None:
    asked, dropped = Counter[str](), Counter[str]()
    for talk in EVERY:
        claims = claims_of(talk)
        for note in talk.notes:
            asked[note.way] += 1
            since = min(note.messages) - 6
            dropped[note.way] += claims.fault(note.text, cited=note.messages, since=since) is not None
    assert set(asked) == {"", *WAYS}
    assert asked[""] >= 60
    assert dropped[""] <= _MOST_REFUSED * asked[""]
    # One of 144 is not seen: that somebody is to tell what another tells.
    assert sum(asked[way] - dropped[way] for way in WAYS) <= 1


def test_what_the_words_note_of_a_talk_stands_in_it() -> None:
    for talk in EVERY:
        claims = claims_of(talk)
        for note in observe(messages_of(talk), zone=talk.zone).notes:
            cited = range(note.first, note.last + 1)
            assert claims.fault(note.text, note.refers_to, cited=cited) in (None, ClaimFault.OUTSIDE), note.text


TALK = said(
    ("Iris", "morning! can you move the demo? thursday is bad, let's say friday at 3"),
    ("assistant", "Moved to Friday at 15:00. Shall I tell the others?"),
    ("Iris", "yes please. and from now on never book me before 10"),
)


@each_row(
    "text, fault",
    [
        (" ", ClaimFault.EMPTY),
        ("Iris moved the demo to Friday (8 May 2026) at 3.", None),
        ("Iris moved the demo to Friday (15 May 2026) at 3.", ClaimFault.DATE),
        ("Iris moved the demo to Friday 9 May 2026.", ClaimFault.DATE),
        ("Iris moved the demo to Friday at 4.", ClaimFault.NUMBER),
        ('Iris: "From now on never book me before 10."', None),
        ("Iris wants never to be booked before 10.", ClaimFault.INSTRUCTION),
        ("Iris wants the assistant to tell the others.", None),
        ("Zebras graze near the canal at noon.", ClaimFault.UNSAID),
    ],
)
def test_a_claim_has_the_reason_for_which_it_is_dropped(text: str, fault: ClaimFault | None) -> None:
    claims = Claims([of_message(one) for one in TALK], UTC)
    assert claims.fault(text, cited=[1, 2, 3], since=1) == fault


def test_what_rests_on_nothing_is_dropped() -> None:
    assert (
        Claims([of_message(one) for one in TALK], UTC).fault("Iris moved the demo.", cited=[]) is ClaimFault.UNGROUNDED
    )


def test_an_insight_speaks_of_its_own_sources_alone() -> None:
    log = [noted("Iris: I moved the demo to Friday.", day=1), noted("Ben: I never eat fish.", day=2)]
    claims = Claims([of_observation(one, number) for number, one in enumerate(log, start=1)], UTC)
    assert claims.fault("Ben never eats fish.", cited=[2]) is None
    assert claims.fault("Ben never eats fish.", cited=[1]) is not None
    assert claims.fault("Iris never eats fish.", cited=[1, 2]) is ClaimFault.SPEAKER


def test_the_example_of_a_prompt_stands_in_its_own_messages() -> None:
    system = template_named("observe").system
    rows = [json.loads(row) for row in re.findall(r"^\[\d+, .*\]$", system, re.MULTILINE)]
    answer = json.loads(re.sub(r"\n", " ", system[system.index('{"observations"') :]))
    (plain,) = said(("user", "x"))
    at = plain.occurred_at.replace(year=2026, month=3, day=10)
    sources = [
        of_message(replace(plain, number=number, role=Role(role), speaker=by, text=text, occurred_at=at))
        for number, _, role, by, text in rows
    ]
    claims = Claims(sources, UTC, known=["The demo is on Thursday 12 March 2026 at 14:00"])
    for block in answer["observations"]:
        assert claims.fault(block["text"], block["refers_to"], cited=block["messages"], since=41) is None
