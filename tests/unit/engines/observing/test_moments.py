"""Phrases of time: a date where there is one reading, and the phrase as it was said where there are two."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.dates.absolute import dated
from remembrancer.language.dates.phrases import phrases
from tests.rows import each_row

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
    ("english", THURSDAY, "I'm back a week from Friday.", "2026-02-20"),
    ("english", THURSDAY, "The wedding is on Saturday week.", "2026-02-21"),
    ("english", THURSDAY, "It hurt the day before yesterday.", "2026-02-10"),
    ("english", THURSDAY, "It has hurt since yesterday.", "2026-02-11"),
    ("english", THURSDAY, "We spoke last Friday.", "2026-02-06"),
    ("english", THURSDAY, "We will move in three weeks.", "2026-03"),
    ("english", THURSDAY, "I need it by the end of next month.", "2026-03-31"),
    ("english", THURSDAY, "I'm away from 27 April to 8 May.", "2026-04-27"),
    ("english", THURSDAY, "Please pay by the 25th.", "2026-02-25"),
    ("english", THURSDAY, "We fly at Easter.", "2026-04-05"),
    ("english", THURSDAY, "Call at 11 AM on 20 March.", "2026-03-20"),
    ("english", THURSDAY, "We moved here in May 2023.", "2023-05"),
    ("german", THURSDAY, "Der Bericht kommt Anfang des Quartals.", "2026-01"),
    ("english", THURSDAY, "They do Brittany next summer.", "2026"),
    ("english", THURSDAY, 'She told "them" that she is leaving tomorrow.', "2026-02-13"),
    ("german", THURSDAY, "Heute in acht Tagen ist Schluss.", "2026-02-19"),
    ("german", SUNDAY, "Der Termin ist am übernächsten Dienstag.", "2026-02-17"),
    ("german", THURSDAY, "Der Bericht muss bis Ende des Quartals fertig sein.", "2026-03-31"),
    ("german", THURSDAY, "Seit gestern regnet es.", "2026-02-11"),
    ("german", THURSDAY, "Vom 10. bis 20. Mai bin ich in Norwegen.", "2026-05-10"),
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
    ("english", THURSDAY, "With the overtime I've upped the savings, starting in May."),
    ("english", THURSDAY, "My birthday is 12 April."),
    ("english", THURSDAY, "We are closed on Monday evenings."),
    ("english", THURSDAY, "Mar 6, Mon, editing."),
    ("english", THURSDAY, "I have tidied my last week of notes."),
    ("english", SUNDAY, "I will clean up this week."),
    ("english", SUNDAY, "Last week was hard."),
    ("english", TUESDAY, "We tried skiing this weekend."),
    ("english", TUESDAY, "I wanted to know the forecast for Saturday."),
    ("english", TUESDAY, "Friday: a rest from writing at home."),
    ("english", TUESDAY, "Check the Friday and Saturday hours."),
    ("english", TUESDAY, "Read more on a Saturday or Sunday."),
    ("english", TUESDAY, "The most successful artists today own a shop."),
    ("english", TUESDAY, "We must win in today's market."),
    ("english", TUESDAY, "They are usually in season in March."),
    ("english", TUESDAY, "I read a little more, e.g. tomorrow."),
    ("english", TUESDAY, "Contact us today to hear what we can do for you."),
    ("english", TUESDAY, "Weekly Reviews: look at what you need next week."),
    ("english", TUESDAY, "We need it yesterday."),
    ("english", TUESDAY, "You have classes on Monday and Thursday evenings."),
    ("english", TUESDAY, "It feels like just yesterday."),
    ("german", TUESDAY, "Heute ist es eine führende Universität."),
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
    found = dated(sentence, at=said, zone=LONDON, tongue=tongue)
    return found.refers_to, found.text


@each_row("tongue, day, sentence, means", CLEAR)
def test_a_phrase_of_one_reading_is_that_day(tongue: str, day: str, sentence: str, means: str) -> None:
    assert told(tongue, day, sentence)[0] == means


@each_row("tongue, day, sentence", OPEN)
def test_a_phrase_of_two_readings_stays_as_it_was_said(tongue: str, day: str, sentence: str) -> None:
    assert told(tongue, day, sentence) == ("", sentence)


@each_row(
    "tongue, sentence, text",
    [
        ("english", "I need it by tomorrow evening.", "I need it by tomorrow (13 February 2026) evening."),
        ("english", "Last month was hard.", "Last month (January 2026) was hard."),
        ("english", "Tomorrow's meeting is off.", "Tomorrow's (13 February 2026) meeting is off."),
        ("english", "We leave on April 12.", "We leave on April 12, 2026."),
        ("english", "We leave on Apr 12.", "We leave on Apr 12, 2026."),
        ("english", "The fair is April 12-14.", "The fair is April 12-14, 2026."),
        ("english", "I lead from March 3 to March 9, 2027.", "I lead from March 3 to March 9, 2027."),
        ("english", "In May 1852 it opened; in June it moved.", "In May 1852 it opened; in June it moved."),
        ("spanish", "El 12 de mayo de 1705 se aprobó.", "El 12 de mayo de 1705 se aprobó."),
        ("english", "Setup is Nov 1 - Nov 15, 2025.", "Setup is Nov 1 - Nov 15, 2025."),
        ("german", "Vor drei Wochen war ich in Wien.", "Vor drei Wochen (um den 22. Januar 2026) war ich in Wien."),
        ("german", "Ende Mai ziehen wir um.", "Ende Mai 2026 ziehen wir um."),
        ("spanish", "Hace tres días hablé con ella.", "Hace tres días (9 de febrero de 2026) hablé con ella."),
        ("spanish", "El 12 de abril salgo.", "El 12 de abril de 2026 salgo."),
        ("french", "La semaine prochaine je pars.", "La semaine prochaine (à partir du 16 février 2026) je pars."),
        ("italian", "Ieri ho visto Marta.", "Ieri (11 febbraio 2026) ho visto Marta."),
        ("italian", "Parto venerdì alle 7:40.", "Parto venerdì (13 febbraio 2026) alle 7:40."),
    ],
)
def test_a_date_stands_beside_the_words_in_their_language(tongue: str, sentence: str, text: str) -> None:
    assert told(tongue, THURSDAY, sentence)[1] == text


@given(
    day=st.dates(min_value=date(2020, 1, 1), max_value=date(2030, 12, 31)),
    name=st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
)
def test_a_weekday_is_within_a_week_on_the_side_that_the_tense_says(day: date, name: str) -> None:
    for sentence, side in ((f"We met on {name}.", -1), (f"We will meet on {name}.", 1)):
        for found in phrases(sentence, day=day, hour=10, tongue="english"):
            assert f"{found.first:%A}" == name
            assert timedelta(0) < side * (found.first - day) < timedelta(days=7)


@given(text=st.text(max_size=80), tongue=st.sampled_from(TONGUES))
def test_any_text_is_read(text: str, tongue: str) -> None:
    found = dated(text, at=datetime(2026, 2, 12, tzinfo=UTC), zone=UTC, tongue=tongue)
    left = iter(found.text)
    assert all(character in left for character in text)


@pytest.mark.parametrize("day", [date.min, date.max])
def test_the_ends_of_time_are_no_error(day: date) -> None:
    said = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    for sentence in ("I saw her two weeks ago.", "See you next week.", "We'll meet on Friday.", "last year was hard"):
        assert dated(sentence, at=said, zone=UTC, tongue="english").text
