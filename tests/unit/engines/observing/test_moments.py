"""Phrases of time: a date where there is one reading, and the phrase as it was said where there are two."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.engines.observing.moments import dated
from remembrancer.engines.observing.phrases import phrases

LONDON = ZoneInfo("Europe/London")
TONGUES = ("english", "german", "spanish", "french", "italian")
SUNDAY, TUESDAY, THURSDAY = "2026-02-08", "2026-02-10", "2026-02-12"
CLEAR = [
    ("english", SUNDAY, "My flight leaves on Friday at 7:40.", "2026-02-13"),
    ("english", SUNDAY, "Let's do Sunday 12 April.", "2026-04-12"),
    ("english", SUNDAY, "Tomas is leaving, his last day is 27 March.", "2026-03-27"),
    ("english", TUESDAY, "We met on Monday about the offer.", "2026-02-09"),
    ("english", TUESDAY, "I'll send it by Thursday.", "2026-02-12"),
    ("english", THURSDAY, "See you next Monday.", "2026-02-16"),
    ("english", THURSDAY, "I saw her two days ago.", "2026-02-10"),
    ("english", THURSDAY, "The review is on Friday of next week.", "2026-02-20"),
    ("english", THURSDAY, "We launched in January.", "2026-01"),
    ("english", THURSDAY, "The lease ends on 30 June 2027.", "2027-06-30"),
    ("german", THURSDAY, "Der Flug geht am Freitag um 7:40.", "2026-02-13"),
    ("german", THURSDAY, "Wir haben uns am Montag getroffen.", "2026-02-09"),
    ("german", THURSDAY, "Ich komme morgen früh.", "2026-02-13"),
    ("spanish", THURSDAY, "El viernes salgo para Lima.", "2026-02-13"),
    ("spanish", THURSDAY, "Mañana por la mañana tengo médico.", "2026-02-13"),
    ("spanish", THURSDAY, "Nos vemos el lunes de la semana que viene.", "2026-02-16"),
    ("french", THURSDAY, "Je pars vendredi à 7h40.", "2026-02-13"),
    ("french", THURSDAY, "On a vu le médecin mardi.", "2026-02-10"),
    ("french", THURSDAY, "Je reviens dans trois jours.", "2026-02-15"),
    ("italian", THURSDAY, "Devo consegnare entro lunedì.", "2026-02-16"),
    ("italian", THURSDAY, "Ieri ho visto Marta.", "2026-02-11"),
]
OPEN = [
    ("english", TUESDAY, "Friday works for me."),
    ("english", TUESDAY, "Fine, Thursday it is for the runners."),
    ("english", TUESDAY, "I've switched the runners to Thursday."),
    ("english", TUESDAY, "The club changed training to Friday."),
    ("english", TUESDAY, "Never plan a step on a Friday."),
    ("english", TUESDAY, "See you next Friday."),
    ("english", TUESDAY, "The Friday meeting is long."),
    ("english", THURSDAY, "I finished it in three days."),
    ("english", THURSDAY, "In 2000 hours we will be done."),
    ("english", THURSDAY, 'She wrote: "I am home tomorrow."'),
    ("english", THURSDAY, "I'm back a week from Friday."),
    ("english", THURSDAY, "With the overtime I've upped the savings, starting in May."),
    ("english", THURSDAY, "My birthday is 12 April."),
    ("german", THURSDAY, "Am Morgen trinke ich Tee."),
    ("german", THURSDAY, "Freitags habe ich frei."),
    ("spanish", THURSDAY, "Los viernes no trabajo."),
    ("spanish", THURSDAY, "Por la mañana corro."),
    ("spanish", THURSDAY, "Hace dos años que vivo aquí."),
    ("spanish", THURSDAY, "Siempre dice que mañana empieza la dieta."),
    ("spanish", THURSDAY, "Comía como si no hubiera un mañana."),
    ("french", THURSDAY, "Le vendredi je télétravaille."),
    ("italian", THURSDAY, "Il venerdì lavoro da casa."),
]


def told(tongue: str, day: str, sentence: str) -> tuple[str, str]:
    said = datetime.fromisoformat(f"{day}T10:00").replace(tzinfo=LONDON)
    found = dated(sentence, said=said, zone=LONDON, tongue=tongue)
    return found.refers_to, found.text


@pytest.mark.parametrize(("tongue", "day", "sentence", "means"), CLEAR, ids=lambda value: value[:30])
def test_a_phrase_of_one_reading_is_that_day(tongue: str, day: str, sentence: str, means: str) -> None:
    assert told(tongue, day, sentence)[0] == means


@pytest.mark.parametrize(("tongue", "day", "sentence"), OPEN, ids=lambda value: value[:30])
def test_a_phrase_of_two_readings_stays_as_it_was_said(tongue: str, day: str, sentence: str) -> None:
    assert told(tongue, day, sentence) == ("", sentence)


@pytest.mark.parametrize(
    ("tongue", "sentence", "text"),
    [
        ("english", "I need it by tomorrow evening.", "I need it by the evening of 13 February 2026."),
        ("english", "Last month was hard.", "January 2026 was hard."),
        ("english", "Tomorrow's meeting is off.", "The 13 February 2026 meeting is off."),
        ("german", "Vor drei Wochen war ich in Wien.", "Um den 22. Januar 2026 war ich in Wien."),
        ("spanish", "Hace tres días hablé con ella.", "El 9 de febrero de 2026 hablé con ella."),
        ("french", "La semaine prochaine je serai à Lyon.", "Dans la semaine du 16 février 2026 je serai à Lyon."),
        ("italian", "Ieri ho visto Marta.", "L'11 febbraio 2026 ho visto Marta."),
        ("italian", "Parto venerdì alle 7:40.", "Parto venerdì 13 febbraio 2026 alle 7:40."),
    ],
)
def test_a_date_reads_as_its_language_writes_it(tongue: str, sentence: str, text: str) -> None:
    assert told(tongue, THURSDAY, sentence)[1] == text


@given(
    day=st.dates(min_value=date(2020, 1, 1), max_value=date(2030, 12, 31)),
    name=st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
)
def test_a_weekday_is_within_a_week_on_the_side_that_the_tense_says(day: date, name: str) -> None:
    for sentence, side in ((f"We met on {name}.", -1), (f"We will meet on {name}.", 1)):
        for found in phrases(sentence, said=day, hour=10, tongue="english"):
            assert f"{found.first:%A}" == name
            assert timedelta(0) < side * (found.first - day) < timedelta(days=7)


@given(text=st.text(max_size=80), tongue=st.sampled_from(TONGUES))
def test_any_text_is_read(text: str, tongue: str) -> None:
    found = dated(text, said=datetime(2026, 2, 12, tzinfo=UTC), zone=UTC, tongue=tongue)
    assert bool(found.text) == bool(text)


@pytest.mark.parametrize("day", [date.min, date.max])
def test_the_ends_of_time_are_no_error(day: date) -> None:
    said = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    for sentence in ("I saw her two weeks ago.", "See you next week.", "We'll meet on Friday.", "last year was hard"):
        assert dated(sentence, said=said, zone=UTC, tongue="english").text
