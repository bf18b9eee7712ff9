"""The names that a text alone shows, in English and German."""

import pytest

from remembrancer.language.names import is_office, named, names_in, names_of, runs_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Gang Bullets is a film directed by Lambert Hillyer. The film is old.", ["gang bullets", "lambert hillyer"]),
        ("She works at the Bank of England with J. K. Rowling.", ["bank of england", "j k rowling"]),
        ("I'm going to Milan with Clara on Monday in May. Can't wait!", ["milan", "clara"]),
        ("Ich fahre mit Clara von der Tann nach Frankfurt am Main.", ["clara von der tann", "frankfurt"]),
        ("We met Dr. Weber; O'Brien's car was there.", ["dr weber", "o brien"]),
        ("Use PostgreSQL 17, and not Redis.", ["postgresql 17", "redis"]),
        ("He saw Bob Ross and Bert Wheeler.", ["bob ross and bert wheeler", "bob ross", "bert wheeler"]),
        ("The Zone (2017 film): It is a film of 2017.", ["the zone 2017 film", "the zone", "zone"]),
        ("Van Hook, North Dakota: a township", ["van hook north dakota", "van hook", "north dakota"]),
        ("In New York we saw How I Met Your Mother.", ["new york", "how i met your mother"]),
        ("A True Mob Story ended. Great Plains!", ["true mob story", "great plains"]),
        ("The King's Speech, and Emma's Lexus", ["king s speech", "speech", "emma s lexus", "emma", "lexus"]),
        ("Out of the Rain came Ana. On 17 June 2014 Westcarr left.", ["rain", "ana", "westcarr"]),
        ("CREATE TABLE NOT NULL", []),
        ("Das Konzept der Primzahl und die Form des Landes sind alt.", []),
        ("Mail ana@example.org about src/app.py (v1.2) at https://Example.org/a/.",
         ["ana@example.org", "src/app.py", "v1.2", "example.org/a", "mail"]),
        ("and/or 1.5.2024, i.e. 3.5", []),
        ("user: hello there", []),
        ("Ticket OPS-4711 waits. The ticket OPS-4712 too.", ["ops 4711", "ops 4712"]),
        ("An American and two French films; she speaks Dutch.", []),
        ("The German Football Association is older.", ["german football association"]),
        ("He has an MBA; see Act II, on Fri, at 17.786.419 MHz", []),
        ("Louis C.K. and the U.S. Army met.", ["louis c k and the u s army", "louis c k", "the u s army"]),
        ("It is by the Society of Architects( 1924), and Column(x) is code.", ["society of architects"]),
        ("Giovanni dal Ponte painted it.", ["giovanni dal ponte"]),
        ("nothing is written with a capital, 2024-05-01", []),
        ("", []),
    ],
)  # fmt: skip
def test_names(text: str, names: list[str]) -> None:
    assert names_of(text) == names


def test_a_word_that_begins_a_sentence_and_a_german_noun_may_be_no_name() -> None:
    assert names_in("Clearly, Ana left. Crucially, Bob Ross and NASA stayed.") == {
        "clearly": False, "ana": True, "crucially": False, "bob ross and nasa": True, "bob ross": True, "nasa": True
    }  # fmt: skip
    assert names_in("In Kenia haben wir Kaiser Heinrich nicht gesehen.") == {
        "kenia": False, "kaiser heinrich": True
    }  # fmt: skip


def test_a_german_occupation_is_no_part_of_a_name_and_an_adjective_begins_none() -> None:
    assert names_in("Das zeigte der Chemiker James Dewar, und ich mag die Musik von Rainer Maria Rilke.") == {
        "james dewar": True, "rainer maria rilke": True
    }  # fmt: skip
    assert names_in("Niedrigere Dosen sind nicht besser.") == {"niedrigere dosen": False}
    assert names_in("Sabine Müller ist nicht hier, und das ist gut.") == {"sabine müller": True}
    assert names_in("Das ist die Frankfurter Allgemeine Zeitung und nicht die Oliver Wyman GmbH.") == {
        "frankfurter allgemeine zeitung": False, "oliver wyman gmbh": False
    }  # fmt: skip


def test_a_long_text_has_a_bounded_number_of_names() -> None:
    assert len(names_of(" ".join(f"Name{n} is," for n in range(5_000)))) == 200


def test_runs_begin_at_each_word_with_the_longest() -> None:
    assert runs_of("Where is Rome?") == [["where is rome", "where is", "where"], ["is rome", "is"], ["rome"]]
    assert len(runs_of("a " * 10_000)) == 100
    assert named("Yun-Fat  CHOW") == "yun fat chow"


def test_offices_of_several_words_are_recognised() -> None:
    assert [is_office(name) for name in ("duke of lorraine", "chief justice of india", "house of lords")] == [
        True, True, False
    ]  # fmt: skip
