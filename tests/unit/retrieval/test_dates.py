from datetime import UTC, datetime, timedelta, timezone
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.language.dates.questions import Span, spans

# A Wednesday.
NOW = datetime(2023, 11, 22, 15, 30, tzinfo=UTC)


def read(question: str) -> list[str]:
    """What is read at NOW, as "first day..day after the last"."""
    return [f"{span.start:%Y-%m-%d}..{span.end:%Y-%m-%d}" for span in spans(question, now=NOW)]


def one(start: str, end: str) -> list[str]:
    return [f"{start}..{end}"]


@pytest.mark.parametrize(
    "written",
    [
        "2023-05-08",
        "2023/05/08",
        "8.5.2023",
        "8 May 2023",
        "May 8th, 2023",
        "May 8",
        "may 8,2023",
        "8th of May",
        "8th May, 2023",
        "the 8th of May 2023",
        "Monday, 8 May 2023",
        "Monday the 8th of May",
        "8. Mai 2023",
        "8 de mayo de 2023",
        "8 mai 2023",
        "8 maggio 2023",
    ],
)
def test_a_written_day_is_that_day(written: str) -> None:
    assert read(f"What did Ana say on {written}?") == one("2023-05-08", "2023-05-09")


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did Ana say in May 2023?", "2023-05-01", "2023-06-01"),
        ("What did Ana say in May?", "2023-05-01", "2023-06-01"),
        ("Which deal came in December?", "2022-12-01", "2023-01-01"),
        ("Where will we meet in June?", "2024-06-01", "2024-07-01"),
        ("What did Will say in June?", "2023-06-01", "2023-07-01"),
        ("im Mai", "2023-05-01", "2023-06-01"),
        ("en mayo", "2023-05-01", "2023-06-01"),
        ("en mars", "2023-03-01", "2023-04-01"),
        ("alla fine di marzo 2023", "2023-03-21", "2023-04-01"),
        ("a maggio", "2023-05-01", "2023-06-01"),
        ("Where did I live in 2019?", "2019-01-01", "2020-01-01"),
        ("What was 2022's best trip?", "2022-01-01", "2023-01-01"),
        ("the trip of summer 2022", "2022-06-01", "2022-09-01"),
        ("the race in fall of 2022", "2022-09-01", "2022-12-01"),
        ("What did we plan last summer?", "2023-06-01", "2023-09-01"),
        ("What do we plan for next summer?", "2024-06-01", "2024-09-01"),
        ("l'été dernier", "2023-06-01", "2023-09-01"),
        ("early May 2023", "2023-05-01", "2023-05-11"),
        ("in mid-August 2023", "2023-08-11", "2023-08-21"),
        ("late May 2023", "2023-05-21", "2023-06-01"),
        ("the first week of June 2023", "2023-06-01", "2023-06-08"),
        ("the last week of June", "2023-06-24", "2023-07-01"),
        ("the end of summer 2023", "2023-08-01", "2023-09-01"),
        ("the end of last month", "2023-10-21", "2023-11-01"),
    ],
)
def test_months_seasons_and_years_are_read_whole_or_in_part(question: str, start: str, end: str) -> None:
    assert read(question) == one(start, end)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("what did I eat yesterday?", "2023-11-21", "2023-11-22"),
        ("ieri", "2023-11-21", "2023-11-22"),
        ("Was habe ich gestern gesagt?", "2023-11-21", "2023-11-22"),
        ("qu'as-tu fait hier ?", "2023-11-21", "2023-11-22"),
        ("the day before yesterday", "2023-11-20", "2023-11-21"),
        ("avant-hier", "2023-11-20", "2023-11-21"),
        ("what happened last week", "2023-11-13", "2023-11-20"),
        ("la semaine dernière", "2023-11-13", "2023-11-20"),
        ("la semana pasada", "2023-11-13", "2023-11-20"),
        ("nächste Woche", "2023-11-27", "2023-12-04"),
        ("im letzten Monat", "2023-10-01", "2023-11-01"),
        ("il mese scorso", "2023-10-01", "2023-11-01"),
        ("lunedi scorso", "2023-11-20", "2023-11-21"),
        ("in this year", "2023-01-01", "2024-01-01"),
        ("last quarter", "2023-07-01", "2023-10-01"),
        ("last weekend", "2023-11-18", "2023-11-20"),
        ("el fin de semana pasado", "2023-11-18", "2023-11-20"),
        ("Who came on Monday?", "2023-11-20", "2023-11-21"),
        ("Who came last Wednesday?", "2023-11-15", "2023-11-16"),
        ("next Monday", "2023-11-27", "2023-11-28"),
        ("last Monday", "2023-11-20", "2023-11-21"),
        ("el lunes pasado", "2023-11-20", "2023-11-21"),
        ("three days ago", "2023-11-19", "2023-11-20"),
        ("vor drei Tagen", "2023-11-19", "2023-11-20"),
        ("hace tres días", "2023-11-19", "2023-11-20"),
        ("il y a trois jours", "2023-11-19", "2023-11-20"),
        ("tre giorni fa", "2023-11-19", "2023-11-20"),
        ("a couple of weeks ago", "2023-11-05", "2023-11-12"),
        ("a year ago", "2022-05-22", "2023-05-22"),
        ("in the last 3 months", "2023-08-22", "2023-11-22"),
        ("les trois derniers mois", "2023-08-22", "2023-11-22"),
        ("over the past month", "2023-10-22", "2023-11-22"),
        ("two weeks before August 11, 2023", "2023-07-25", "2023-08-01"),
        ("the week before August 3, 2023", "2023-07-27", "2023-08-03"),
        ("last weekend before April 10, 2023", "2023-04-08", "2023-04-10"),
        ("in the last quarter", "2023-08-22", "2023-11-22"),
        ("What happened at this Saturday's check-in?", "2023-11-25", "2023-11-26"),
        ("What did I eat at Easter?", "2023-04-09", "2023-04-10"),
        ("Was war vorletzte Woche?", "2023-11-06", "2023-11-13"),
        ("Was war am übernächsten Dienstag?", "2023-12-05", "2023-12-06"),
        ("¿Qué pasó antes de ayer?", "2023-11-20", "2023-11-21"),
        ("Cosa ho detto lunedì?", "2023-11-20", "2023-11-21"),
        ("by the end of next month", "2023-12-31", "2024-01-01"),
    ],
)
def test_relative_dates_count_from_now(question: str, start: str, end: str) -> None:
    assert read(question) == one(start, end)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("between 3 and 10 June 2023", "2023-06-03", "2023-06-11"),
        ("zwischen dem 3. und 10. Juni 2023", "2023-06-03", "2023-06-11"),
        ("entre el 3 y el 10 de junio de 2023", "2023-06-03", "2023-06-11"),
        ("du 3 au 10 juin 2023", "2023-06-03", "2023-06-11"),
        ("dal 3 al 10 giugno 2023", "2023-06-03", "2023-06-11"),
        ("June 3-10, 2023", "2023-06-03", "2023-06-11"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("from July to October", "2023-07-01", "2023-11-01"),
        ("from November 2022 to February", "2022-11-01", "2023-03-01"),
        ("28 December to 3 January 2023", "2022-12-28", "2023-01-04"),
        ("May–July 2023", "2023-05-01", "2023-08-01"),
        ("2023-05-08 to 2023-05-10", "2023-05-08", "2023-05-11"),
        ("from 2019 to 2021", "2019-01-01", "2022-01-01"),
        ("from Monday to Wednesday", "2023-11-13", "2023-11-16"),
        ("since March", "2023-03-01", "2023-11-22"),
        ("since the start of the year", "2023-01-01", "2023-11-22"),
        ("desde marzo", "2023-03-01", "2023-11-22"),
        ("after 8 May 2023", "2023-05-09", "2023-11-22"),
        ("before 2022", "1900-01-01", "2022-01-01"),
        ("until June", "1900-01-01", "2023-07-01"),
        ("Was ist seit Anfang des Jahres passiert?", "2023-01-01", "2023-11-22"),
    ],
)
def test_ranges_reach_from_edge_to_edge(question: str, start: str, end: str) -> None:
    assert read(question) == one(start, end)


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana go to the support group?",
        "May I ask who may come?",
        "Did they march on, and may 8 people march 5 miles?",
        "What did May say to June about April?",
        "I introduced April to June.",
        "Is that a gift from April? After June's party?",
        "I have 3 days of leave and a 2-week course in two weeks.",
        "How many days ago was it, and how many weeks have passed since I came?",
        "Is it over a year ago, 3.5 years ago, 2-3 weeks ago, or a year and a half ago?",
        "The trip will last a week; how did it last 3 days?",
        "What about my last week at work and the last week of school?",
        "How did it go the next week?",
        "Which class is on Tuesdays? What do I do on Monday?",
        "Who can finish it in 2000 hours, and what brings in 2023 points?",
        "after 2000 steps, in 2022 dollars, $2023, room 2019, pre-1920, the 1990s",
        "31 February 2023, 2023-02-30, 31.6.2023, 03/04/2023, on the 8th",
        "USA Today and the song 'Yesterday'",
        "Was ist hier passiert?",
        "real estate 2022 and set 5, ago 5",
        "What did I read in the March 15th issue?",
        "since 2099",
        "",
    ],
)
def test_what_names_no_date_is_left_alone(question: str) -> None:
    assert read(question) == []


def test_several_dates_come_in_the_order_of_the_question() -> None:
    assert read("Was it in January and March, or yesterday?") == [
        "2023-01-01..2023-02-01",
        "2023-03-01..2023-04-01",
        "2023-11-21..2023-11-22",
    ]


def test_a_span_keeps_the_words_it_was_read_from() -> None:
    (span,) = spans("Where was John between August 11 and August 15 2023?", now=NOW)

    assert span.phrase == "between August 11 and August 15 2023"


def test_the_day_before_which_how_many_days_are_asked_is_named_alone() -> None:
    assert read("How many days before May 3 did I buy it?") == one("2023-05-03", "2023-05-04")


def test_what_is_relative_to_a_reported_day_is_not_counted_from_now() -> None:
    question = "What was the issue last week, as mentioned on November 6, 2023?"

    assert read(question) == one("2023-11-06", "2023-11-07")


def test_days_are_those_of_the_zone_of_the_asker() -> None:
    late = datetime(2023, 7, 1, 23, 30, tzinfo=UTC)

    (span,) = spans("yesterday", now=late, zone=ZoneInfo("Europe/Berlin"))

    assert span.start == datetime(2023, 6, 30, 22, tzinfo=UTC)
    assert span.end == datetime(2023, 7, 1, 22, tzinfo=UTC)


def test_a_moment_with_its_own_offset_keeps_it() -> None:
    (span,) = spans("at 2023-05-08T10:30:00+02:00", now=NOW, zone=timezone(timedelta(hours=9)))

    assert span.start == datetime(2023, 5, 8, 8, 30, tzinfo=UTC)


def test_a_leap_day_without_year_is_the_latest_there_was() -> None:
    assert read("on 29 February") == one("2020-02-29", "2020-03-01")


def test_a_span_holds_its_start_and_not_its_end() -> None:
    (span,) = spans("8 May 2023", now=NOW)

    assert span.contains(span.start)
    assert not span.contains(span.end)


def test_distance_is_zero_inside_and_else_to_the_nearer_edge() -> None:
    (span,) = spans("8 May 2023", now=NOW)

    assert span.distance(datetime(2023, 5, 8, 12, tzinfo=UTC)) == timedelta()
    assert span.distance(datetime(2023, 5, 7, tzinfo=UTC)) == timedelta(days=1)
    assert span.distance(datetime(2023, 5, 11, tzinfo=UTC)) == timedelta(days=2)


PIECES = """
a the in on of from to between and since until before after last this next past early mid end first week weeks weekend
month months day days year years ago May march June 8 31 29 2023 1999 2099 999 . , - ' s th Monday sunday February
summer winter yesterday many vor hace il y fa fin de semana été dernier pasado mai mars mayo couple three will night
2023-05-08 2023-02-31T25:61 8.5.2023 99/99/2023
"""
WORDS = st.sampled_from(PIECES.split())
QUESTIONS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join))


def moments(first: int, last: int) -> st.SearchStrategy[datetime]:
    """Any second from the start of one year to the start of another."""
    edges = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (first, last))
    return st.integers(*edges).map(lambda second: datetime.fromtimestamp(second, tz=UTC))


ZONES = st.sampled_from([UTC, ZoneInfo("Pacific/Apia"), ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=-12))])


@settings(max_examples=300, deadline=None)
@given(question=QUESTIONS, now=moments(1990, 2101), zone=ZONES)
def test_any_text_gives_whole_spans_in_order(question: str, now: datetime, zone: ZoneInfo | timezone) -> None:
    at = 0
    for span in spans(question, now=now, zone=zone):
        assert span.start < span.end
        assert span.start.tzinfo is UTC
        assert span.end.tzinfo is UTC
        found = question.find(span.phrase, at)
        assert span.phrase
        assert found >= at
        at = found + len(span.phrase)


@given(day=moments(1950, 2090))
def test_a_full_date_does_not_depend_on_now(day: datetime) -> None:
    written = f"{day.day} {day:%B} {day.year}"

    (span,) = spans(written, now=NOW)

    assert span == Span(start=day.replace(hour=0, minute=0, second=0, microsecond=0), end=span.end, phrase=written)
    assert span.contains(day)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1 ",
        "May ",
        "on monday ",
        "since ",
        "between ",
        "the week before ",
        "2023-",
        "will last a ",
        "é'",
    ],
)
def test_a_long_text_takes_time_in_proportion(piece: str) -> None:
    text = (piece * 20_000)[:20_000]

    start = perf_counter()
    spans(text, now=NOW)

    # Far above the time it takes, far below what a square of the length would.
    assert perf_counter() - start < 2
