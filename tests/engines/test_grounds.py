"""What a model states in numbers and dates, held against what was said."""

from datetime import UTC, datetime

from remembrancer.language.dates.written import as_iso
from remembrancer.learn.llm.figures import SourceFigures
from tests.rows import each_row

MONDAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
SAID = [
    "The disk has 21 GB and cost 1.250,50 euros, Tom paid £9,500 on 12 April.",
    "Let's meet on Friday at 3 pm or at half past seven, twenty-five people, a dozen chairs and 12k steps.",
    "Gestern kam die Rechnung, übermorgen zahlen wir drei Raten.",
    "Deploy 4482 failed with E1203 in v2.14.3.",
]


@each_row(
    "text, refers_to",
    [
        ("The disk has 21 GB.", ""),
        ("It cost 1250.5 euros.", ""),
        ("It cost €1,250.50.", ""),
        ("Tom paid 9500.", "2026-04-12"),
        ("Tom paid on 12 April 2026.", ""),
        ("They meet on Friday 8 May 2026 at 15:00.", "2026-05-08"),
        ("They meet at 7:30 pm.", ""),
        ("25 people come, 12,000 steps.", ""),
        ("Am 3. Mai 2026 kam die Rechnung.", "2026-05-03"),
        ("Sie zahlen am 6. Mai 2026 3 Raten.", "2026-05-06"),
        ("Deploy 4482 failed with E1203 in v2.14.3 on 4 May 2026.", "2026-05-04"),
        ("In May 2026 the deploy failed.", "2026-05"),
        ("In 2027 nothing was said.", "2027"),
    ],
)
def test_what_was_said_in_another_form_is_not_refuted(text: str, refers_to: str) -> None:
    assert SourceFigures([(MONDAY, said) for said in SAID], UTC).refuted(text, refers_to) == ""


@each_row(
    "text, refers_to, what",
    [
        ("The disk has 210 GB.", "", "a number"),
        ("The disk has 22 GB.", "", "a number"),
        ("It cost 1,250.05 euros.", "", "a number"),
        ("Tom paid £95,000.", "", "a number"),
        ("They meet at 18:00.", "", "a number"),
        ("Deploy 4483 failed.", "", "a number"),
        ("They meet on 9 May 2026.", "", "a date"),
        ("They meet.", "2026-05-09", "a date"),
        ("They meet in September 2026.", "2026-09", "a date"),
        ("They meet on 12 April 2031.", "", "a date"),
    ],
)
def test_a_number_or_a_date_that_nobody_said_is_refuted(text: str, refers_to: str, what: str) -> None:
    assert SourceFigures([(MONDAY, said) for said in SAID], UTC).refuted(text, refers_to) == what


@each_row(
    "text, iso",
    [
        ("2026-05-03", "2026-05-03"),
        ("2026-05-03T10:00", "2026-05-03"),
        ("2026-05", "2026-05"),
        ("2026", "2026"),
        ("May 2026", "2026-05"),
        ("mayo de 2026", "2026-05"),
        ("3. Mai 2026", "2026-05-03"),
        ("May 3, 2026", "2026-05-03"),
        ("2026-02-30", ""),
        ("3 May", ""),
        ("soon", ""),
        ("", ""),
    ],
)
def test_a_date_is_read_however_it_is_written(text: str, iso: str) -> None:
    assert as_iso(text) == iso
