"""What says that an older statement no longer holds, and what only looks so. English and German."""

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.replacement import replaced, rewordings, states_more
from tests.rows import each_row

REPLACED = [
    ("My dentist is Dr. Weber.", "My dentist is Dr. Klein.", "Dr. Weber"),
    ("I live in Bern.", "We moved to Zurich.", "Bern"),
    ("The user: I live in Bern.", "The user: I have moved to Zurich.", "Bern"),
    ("The review is on Wednesday at three.", "The review is on Thursday at eleven now.", "Wednesday at three"),
    ("The gate code is 4417.", "They replaced the lock, the gate code is 9023 now.", "4417"),
    ("The test server is at 10.2.0.14.", "The test server is at 10.2.0.31.", "10.2.0.14"),
    ("The budget is 4,000 euros.", "The budget is 5,500 euros now.", "4,000"),
    ("I prefer window seats.", "I prefer aisle seats now.", "window"),
    ("My favourite colour is blue.", "My favourite colour is green.", "blue"),
    ("I eat meat.", "I no longer eat meat.", "I eat meat"),
    ("Ich wohne in Graz.", "Wir sind nach Linz gezogen.", "Graz"),
    ("Mein Hausarzt ist Dr. Brandl.", "Mein neuer Hausarzt ist Dr. Sommer.", "Dr. Brandl"),
    ("Das Training ist am Montag um sechs.", "Das Training wurde auf Mittwoch verschoben.", "Montag"),
    ("Ich trinke Kaffee.", "Ich trinke keinen Kaffee mehr.", "Ich trinke Kaffee"),
    ("Mein Auto ist ein roter Fiat.", "Den Fiat habe ich verkauft.", "Mein Auto ist ein roter Fiat"),
]
BOTH = [
    ("I like tea.", "I like coffee."),
    ("My dentist is Dr. Weber.", "Ana's dentist is Dr. Klein."),
    ("My phone number is 555 0142.", "My sister's phone number is now 555 0199."),
    ("I work at the library.", "I also work at Halm on Saturdays."),
    ("I live in Bern.", "I live in Switzerland."),
    ("I live in Bern.", "I used to live in Ghent."),
    ("I live in Bern.", "We might move to Lisbon next year."),
    ("I live in Bern.", "If I get the job, I will have moved to Lisbon by May."),
    ("I live in Bern.", "Did I tell you that I moved to Lisbon?"),
    ("I live in Bern.", "Ana has moved to Lisbon."),
    ("I live in Bern.", "“I moved to Lisbon” is a song."),
    ("My brother is called Tom.", "My brother is called Ned."),
    ("The team meeting is on Monday.", "The team meeting is at ten."),
    ("My manager is Priya Nair.", "My manager is Priya."),
    ("The staging server is at 10.0.0.4.", "The backup server is at 10.0.0.9."),
    ("Room 3 is booked.", "Room 4 is booked."),
    ("Room 3 is booked.", "Room 4 is booked now."),
    ("This is row 69 of the table.", "This is row 70 of the table."),
    ("The Monday meeting is at ten.", "The Thursday meeting is at eleven."),
    ("The Mill Street office is closed.", "The Bank Street office is closed."),
    ("Ticket 41 is with Ana.", "Ticket 42 is with Ben now."),
    ("I met Ana on Monday.", "I met Ana on Tuesday."),
    ("I bought 3 apples.", "I bought 4 apples now."),
    ("I have an appointment with Dr. Weber.", "I have an appointment with Dr. Klein."),
    ("Ich wohne in Bonn.", "Ich würde gern nach Köln ziehen."),
    ("Mein Zahnarzt ist Dr. Falk.", "Mein Zahnarzt ist sehr freundlich."),
    ("Meine Kundennummer bei Halm ist 83017.", "Meine Kundennummer bei Lotz ist 4412."),
]


@each_row("older, newer, value", REPLACED)
def test_what_no_longer_holds_is_told_with_its_value(older: str, newer: str, value: str) -> None:
    assert replaced(older, newer) == value


@each_row("older, newer", BOTH)
def test_what_does_not_exclude_the_other_replaces_nothing(older: str, newer: str) -> None:
    assert replaced(older, newer) is None


def test_what_another_person_says_of_themselves_replaces_nothing() -> None:
    assert replaced("I live in Bern.", "I moved to Zurich.", same_speaker=False) is None
    assert replaced("The review is on Monday.", "The review is now on Friday.", same_speaker=False) == "Monday"


def test_a_long_text_states_nothing() -> None:
    assert replaced("I live in Bern.", "We moved to Zurich. " + "There is much more to tell. " * 20) is None


@given(st.text(), st.text())
def test_any_texts_can_be_compared(older: str, newer: str) -> None:
    replaced(older, newer)
    assert replaced(older, older) is None
    rewordings(older)


def test_who_moved_to_a_town_lives_there() -> None:
    assert "live" in rewordings("We moved to Zurich.")
    assert rewordings("We moved the sofa to the wall.") == []


def test_more_than_one_sentence_is_more() -> None:
    assert not states_more("My dentist is Dr. Weber.")
    assert states_more("The user: My dentist is Dr. Weber. The practice is in Mill Street.")
