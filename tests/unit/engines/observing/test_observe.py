"""What the deterministic observer notes of a run of messages."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.learn.observe.observe import observe
from remembrancer.types.notes import ChunkNotes, Note
from remembrancer.types.scope import Classification, Trust
from remembrancer.types.text import estimate
from tests.rows import each_row
from tests.unit.engines.observing.messages import MONDAY, said, texts

ANYTHING = st.text(max_size=400) | st.text(st.characters(codec=None), max_size=60)
TALK = st.lists(
    st.sampled_from(
        [
            "Hello!", "I moved to Porto yesterday.", "ayer compré pan, hoy vino", "| a | b |",
            "```py\nraise ValueError\n```",
            "## Plan", "- one\n- two", "明天我去北京。", "مرحبا بك غدا", "🙂🙂", "...", "x" * 90,
            "next week, and last week; tomorrow",
        ]
    ),
    max_size=30,
).map(" ".join)  # fmt: skip
RUN = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "system", "tool", "Dana"]), ANYTHING | TALK), max_size=12
)


@settings(max_examples=100)
@given(RUN)
def test_any_run_gives_notes_that_lie_inside_it(lines: list[tuple[str, str]]) -> None:
    run = said(*lines)
    found = observe(run, zone=UTC)
    for note in found.notes:
        assert note.text.strip()
        assert run[0].number <= note.first <= note.last <= run[-1].number
        assert run[0].occurred_at <= note.observed_at <= run[-1].occurred_at
        assert 1 <= note.priority <= 5
    told, there = sum(estimate(note.text) for note in found.notes), sum(estimate(message.text) for message in run)
    assert there < 200 or told <= there
    assert observe(run, zone=UTC) == found


@given(RUN)
def test_whatever_has_words_leaves_a_note(lines: list[tuple[str, str]]) -> None:
    notes = observe(said(*lines), zone=UTC).notes
    assert notes or not any(letter.isalnum() for _, text in lines for letter in text)


def test_nothing_said_leaves_nothing() -> None:
    assert observe([], zone=UTC) == ChunkNotes(notes=())
    assert observe(said(("user", ""), ("assistant", "   ")), zone=UTC).notes == ()


@pytest.mark.parametrize(
    ("lines", "kept", "left"),
    [
        (
            [
                ("Ines", "Hey Omar! How are you?"),
                ("Omar", "Hi Ines! Great, thanks. And you?"),
                ("Ines", "Good! By the way, I adopted a greyhound called Biscuit yesterday."),
                ("Omar", "Wow, that's so cool!"),
                ("Ines", "Thanks so much! Bye!"),
            ],
            "Ines: By the way, I adopted a greyhound called Biscuit yesterday (3 May 2026).",
            ("How are you", "cool", "Bye"),
        ),
        (
            [
                ("Jonas", "Hallo Lea! Wie geht's dir?"),
                ("Lea", "Super, danke!"),
                ("Jonas", "Übrigens habe ich vor zwei Wochen in Bremen eine Bäckerei eröffnet."),
                ("Lea", "Toll!"),
            ],
            "Jonas: Übrigens habe ich vor zwei Wochen (um den 20. April 2026) in Bremen eine Bäckerei eröffnet.",
            ("Hallo", "Wie geht", "Toll"),
        ),
        (
            [
                ("Marta", "¡Hola Luis! ¿Qué tal?"),
                ("Luis", "Muy bien, gracias."),
                ("Marta", "Ayer firmé el contrato del piso en Zaragoza por 950 euros."),
                ("Luis", "¡Genial!"),
            ],
            "Marta: Ayer (3 de mayo de 2026) firmé el contrato del piso en Zaragoza por 950 euros.",
            ("Hola", "Genial", "gracias"),
        ),
        (
            [
                ("Chloé", "Salut Hugo ! Ça va ?"),
                ("Hugo", "Oui, merci !"),
                ("Chloé", "Demain je pars à Lyon pour un entretien chez Tessier."),
                ("Hugo", "Super !"),
            ],
            "Chloé: Demain (5 mai 2026) je pars à Lyon pour un entretien chez Tessier.",
            ("Salut", "merci", "Super"),
        ),
        (
            [
                ("Nadia", "Ciao Piero! Come stai?"),
                ("Piero", "Bene, grazie!"),
                ("Nadia", "Ieri ho venduto la Vespa a mio cugino per 1200 euro."),
                ("Piero", "Bravo!"),
            ],
            "Nadia: Ieri (3 maggio 2026) ho venduto la Vespa a mio cugino per 1200 euro.",
            ("Ciao", "grazie", "Bravo"),
        ),
    ],
)
def test_facts_stay_with_their_date_and_speaker_and_small_talk_goes(
    lines: list[tuple[str, str]], kept: str, left: tuple[str, ...]
) -> None:
    told = _told(lines)
    assert kept in told
    assert [word for word in left if word in told] == []


def test_a_user_without_a_name_is_the_user() -> None:
    told = _told([("user", "I am allergic to walnuts."), ("assistant", "Noted!")])
    assert told == "The user: I am allergic to walnuts."


def test_what_must_not_be_forgotten_has_the_highest_priority_and_its_type() -> None:
    run = said(
        ("user", "We decided to store invoices in Postgres instead of files."),
        ("assistant", "Fine, that is a good choice and I would have done the same, as we said some days ago."),
        ("user", "I prefer tabs over spaces in Makefiles."),
        ("assistant", "Okay."),
        ("user", "The deadline for the migration is 12 June 2026."),
    )
    notes = observe(run, zone=UTC, target=1.2).notes
    assert [(note.type, note.priority, note.first) for note in notes] == [
        ("decision", 5, 1),
        ("preference", 5, 3),
    ]
    assert notes[1].refers_to == "2026-06-12"


def test_of_a_short_run_all_is_kept_that_people_state() -> None:
    run = said(
        ("user", "The cutover is at 22:00. Ben does the backups. What a day!"),
        ("assistant", "A cutover is when the old system stops and the new one starts."),
        ("user", "Thanks! Is it on a Friday?"),
    )
    text = " ".join(note.text for note in observe(run, zone=UTC).notes)
    assert "Ben does the backups." in text
    assert "What a day" not in text


def test_a_deployment_without_the_usual_types_gets_its_own() -> None:
    found = observe(said(("user", "We decided to use Rust.")), zone=UTC, types={"note": 0.2, "rule": 0.9})
    assert {note.type for note in found.notes} == {"note"}


def test_yesterday_is_that_of_the_zone() -> None:
    late = MONDAY.replace(hour=23)
    run = said(("Ana", "Yesterday I flew to Oslo."), at=late)
    assert "3 May 2026" in observe(run, zone=UTC).notes[0].text
    assert "4 May 2026" in observe(run, zone=ZoneInfo("Asia/Tokyo")).notes[0].text


def test_a_note_is_of_one_day_of_the_zone() -> None:
    # The minutes around midnight in Tokyo are an afternoon in London and a morning in Los Angeles.
    at = MONDAY.replace(hour=14, minute=58)
    run = said(("Ana", "I sold the boat to Marek."), ("Ana", "I moved the piano to Porto."), at=at)
    counts = {
        zone: len(observe(run, zone=ZoneInfo(zone)).notes) for zone in ("UTC", "America/Los_Angeles", "Asia/Tokyo")
    }
    assert counts == {"UTC": 1, "America/Los_Angeles": 1, "Asia/Tokyo": 2}
    late = said(
        ("Ana", "I sold the boat to Marek."),
        ("Ana", "I moved the piano to Porto."),
        at=MONDAY.replace(hour=23, minute=58),
    )
    assert len(observe(late, zone=UTC).notes) == 2
    assert len(observe(late, zone=ZoneInfo("America/Los_Angeles")).notes) == 1


def test_a_day_alone_is_no_statement() -> None:
    told = _told([("Ana", "When did you sell the boat?"), ("Ben", "Just yesterday. I sold it to Marek in Split.")])
    assert "I sold it to Marek in Split." in told


def test_a_statement_said_twice_is_told_once_and_reaches_to_the_second_time() -> None:
    lines = [
        ("Ana", "My flight leaves from gate B12."),
        ("Ben", "Where does it leave from?"),
        ("Ana", "My flight leaves from gate B12."),
    ]
    found = observe(said(*lines), zone=UTC, target=1.0).notes
    assert [(note.first, note.last) for note in found if "B12" in note.text] == [(1, 3)]
    assert sum(note.text.count("B12") for note in found) == 1


def test_a_tool_is_told_in_one_line_with_its_error() -> None:
    output = "\n".join([f"step {number} ok" for number in range(40)] + ["KeyError: 'zone_id' in load.py line 77"])
    told = _told([("user", "Run the import."), ("assistant", '[calls run({"job": "import"})]'), ("tool", output)])
    assert "The tool: Failed: `KeyError: 'zone_id' in load.py line 77` (41 lines)." in told
    assert 'Called run with `{"job": "import"}`.' in told
    assert "step 3" not in told


def test_code_is_told_by_its_size_and_beginning() -> None:
    code = "```python\nimport os\n\ndef prune(path):\n" + "    x = 1\n" * 60 + "```"
    told = _told([("user", f"This is my cleaning script:\n{code}\nIt deletes logs older than 30 days.")])
    assert "older than 30 days" in told
    assert "x = 1" not in told


def test_short_items_become_one_sentence() -> None:
    items = "\n".join(f"- {name}" for name in ("Lantern", "Rope ladder", "Water filter"))
    told = observe(said(("assistant", items)), zone=UTC, target=1.0).notes[0].text
    assert told == "The assistant listed: Lantern; Rope ladder; Water filter."


def test_ticks_repairs_and_changes_are_noted() -> None:
    table = "| Task | Who | Done |\n|---|---|---|\n| Paint the fence | Ben | \u2713 |\n| Book the hall | Ana | \u2717 |"
    told = _told([("user", table)])
    assert (
        told == "The user: Task: Paint the fence, Who: Ben, Done: \u2713. Task: Book the hall, Who: Ana, Done: \u2717."
    )
    assert _told([("Ana", "Blue Heron for the move?"), ("Ben", "\U0001f44d")]).endswith("\nBen: \U0001f44d.")
    diff = "```diff\n- timeout = 30\n+ timeout = 120\n```\nThis did it."
    assert _told([("user", diff)]) == "The user: Changed `timeout = 30` to `timeout = 120`. This did it."
    assert "that fixed it" in _told([("user", "Set X to 120, that fixed it.")])


def test_a_long_question_alone_is_noted_whole() -> None:
    asked = (
        "Do you know whether the library of the old town lends out e-readers to people who live in another district?"
    )
    assert asked in _told([("user", asked)])


def test_task_and_suggestion_tell_what_is_open() -> None:
    found = observe(
        said(("user", "Can you draft the letter to the landlord?"), ("assistant", "Which tone do you prefer?")),
        zone=UTC,
    )
    assert found.task == "The user asked: Can you draft the letter to the landlord? (answered)"
    assert found.suggestion == "An answer to The assistant is awaited: Which tone do you prefer?"
    assert observe(said(("user", "What time is it?")), zone=UTC).task.endswith("(still open)")


@pytest.mark.parametrize(
    "text",
    [
        "明天我要去上海参加李雷的婚礼。",
        "昨日、京都で新しい仕事を始めました。",
        "سأسافر إلى القاهرة في 12 مايو",
        "🙂 🙂 🙂 Kiruna",
    ],
)
def test_other_scripts_leave_what_they_say(text: str) -> None:
    (note,) = observe(said(("user", text)), zone=UTC).notes
    assert note.text.startswith("The user: ")
    assert len(note.text) > len("The user: ") + 4


def test_talk_becomes_shorter_and_chatter_much_more_so() -> None:
    run = said(*_long_talk(), step=timedelta(minutes=7))
    notes = observe(run, zone=UTC).notes
    assert sum(estimate(message.text) for message in run) >= 1.8 * sum(estimate(note.text) for note in notes)
    chatter = (
        "Good morning!",
        "How are you today?",
        "Haha, lovely to hear.",
        "Thanks, talk to you soon!",
        "Ok, great.",
    )
    idle = said(*[("Ana" if place % 2 else "Ben", text) for place, text in enumerate(chatter * 20)])
    told = observe(idle, zone=UTC).notes
    assert sum(estimate(message.text) for message in idle) >= 4 * sum(estimate(note.text) for note in told)


@each_row(
    "tongue, line",
    [
        ("english", "Never plan any migration step on a Friday."),
        ("english", "Keep your answers short, three bullets at most."),
        ("english", "I'm vegetarian, so no meat for me."),
        ("english", "We went with Cobalt Cloud for the hosting."),
        ("english", "Tomas is leaving the team, his last day is 27 March."),
        ("german", "Ab jetzt bitte immer mit Wochentag, nie nur das Datum."),
        ("german", "Wir haben uns für den Anbieter aus Linz entschieden."),
        ("spanish", "De ahora en adelante nadie despliega en viernes."),
        ("spanish", "Nos quedamos con el proveedor de Puebla."),
        ("french", "Désormais les montants sont toujours hors taxes."),
        ("french", "On garde la verrière entre la cuisine et le salon."),
        ("italian", "D'ora in poi niente emoji e niente elenchi puntati."),
        ("italian", "Abbiamo scelto la casa al mare con il giardino."),
    ],
)
def test_rules_and_decisions_are_kept_among_any_amount_of_talk(tongue: str, line: str) -> None:
    around = [
        ("Ben", f"The weather in town number {n} was rather grey again, and the bus came late.") for n in range(40)
    ]
    notes = observe(said(*around, ("Ana", line), *around), zone=UTC).notes
    assert line.split(" ", 1)[1][:20] in texts(notes), tongue


def test_a_value_and_what_replaces_it_are_both_told_in_their_order() -> None:
    told = _told([("Oonagh", "The bridge is on extension 4417."), ("Tom", "The bridge moved to extension 4482.")])
    assert told.index("4417") < told.index("4482")


SENTENCES = [
    "Maybe I'll move to Porto.", "I guess Tom can drive, if it doesn't rain.", "Only just arrived, I think.",
    "We leave at ten at the latest, unless the landlord objects.", "You must not call before nine.",
    "I would like at most two of them.", "Not all of the kids eat fish, I suppose.", "It may cost around 40 euros.",
    "All but two have paid, kind of.", "Yes, but only if both agree.", "Ich glaube, Tom kommt erst um zehn.",
    "Vielleicht ziehen wir um, falls die Bank mitmacht.", "Man darf hier eigentlich nur bis 22 Uhr klingeln.",
    "Tal vez vaya, si no llueve.", "Je crois que c'est fermé, sauf le mardi.", "Forse vengo, ma solo se c'è Marta.",
]  # fmt: skip


def test_what_is_noted_keeps_every_word_that_bounds_what_was_said() -> None:
    for sentence in SENTENCES:
        (note,) = observe(said(("Ana", f"Hi! {sentence}")), zone=UTC).notes
        kept = note.text.removeprefix("Ana: ")
        assert kept.casefold().endswith(sentence.casefold())


def test_a_short_answer_stands_with_its_question() -> None:
    run = said(("Callum", "Right.\nTuesday evenings? \N{SLIGHTLY SMILING FACE}"), ("Noor", "Fine, Tuesday."))
    (note,) = observe(run, zone=UTC).notes
    assert note.text == "Callum: Tuesday evenings?\nNoor: Fine, Tuesday."
    assert (note.first, note.last) == (1, 2)
    untrusted = [replace(run[0], trust=Trust.UNTRUSTED), run[1]]
    assert not any("evenings" in note.text and "Noor" in note.text for note in observe(untrusted, zone=UTC).notes)


def test_what_a_few_messages_say_stands_together() -> None:
    run = said(
        ("Kwame", "I collect the chicken on Saturday by six. Our fridge and yours, half and half."),
        ("Orla", "Ours will take eight kilos at most."),
    )
    (note,) = observe(run, zone=UTC).notes
    assert note.text.splitlines()[1] == "Orla: Ours will take eight kilos at most."
    assert note.messages == (1, 2)
    others = [run[0], replace(run[1], classification=Classification.RESTRICTED)]
    assert len(observe(others, zone=UTC).notes) == 2


def test_what_was_noted_before_is_not_noted_again() -> None:
    noted = ["Ana: Hello Tom. Never call before nine, please."]
    run = said(("Ana", "Never call before nine, please."), ("Ana", "The heron is back at the weir."))
    (note,) = observe(run, zone=UTC, noted=noted).notes
    assert note.text == "Ana: The heron is back at the weir."


@pytest.mark.parametrize("text", ["a", "word ", "I met Ana in Rome on 3 May. ", " ", "中"])
@pytest.mark.parametrize("size", [2**14, *(pytest.param(large, marks=pytest.mark.slow) for large in (2**17, 2**20))])
def test_a_message_of_the_largest_size_is_read_in_bounded_time(text: str, size: int) -> None:
    text = text * (size // len(text.encode())) + "x"
    started = time.process_time()
    notes = observe(said(("user", text)), zone=UTC).notes
    # Some seconds on a slow and busy machine; what is guarded against here would take hours.
    assert time.process_time() - started < 60
    assert sum(estimate(note.text) for note in notes) <= estimate(text) / 4


def test_the_notes_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from datetime import UTC\n"
        "from remembrancer.learn.observe.observe import observe\n"
        "from tests.unit.engines.observing.messages import said\n"
        "from tests.unit.engines.observing.test_observe import _long_talk\n"
        "print(observe(said(*_long_talk()), zone=UTC))"
    )
    root = Path(__file__).parents[4]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root)))},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def _told(lines: list[tuple[str, str]]) -> str:
    found: tuple[Note, ...] = observe(said(*lines), zone=UTC, target=3.0).notes
    return "\n".join(note.text for note in found)


def _long_talk() -> list[tuple[str, str]]:
    cities = ["Lisbon", "Turku", "Ghent", "Braga", "Graz", "Arles", "Malmö", "Siena", "Cádiz", "Trier"]
    lines: list[tuple[str, str]] = []
    for number, city in enumerate(cities * 4):
        lines += [
            ("Ida", f"Hey Tom! It was so nice to hear from you again, I really missed our long talks about {city}!"),
            (
                "Tom",
                f"Oh wow, thanks! Well, I rented a small flat in {city} for {300 + number} euros last week, you know.",
            ),
            ("Ida", "That sounds great, I am so happy for you! How did it go? Tell me everything about it!"),
            ("Tom", f"I think that it went well, and my landlady number {number} makes the best plum cake ever."),
        ]
    return lines
