"""Relations that a sentence states, in English and German."""

import pytest

from remembrancer.language.relations import relations_of


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("Ana works at Acme. She is fine.", ["Ana works_at Acme"]),
        ("I work at Acme as an engineer now.", ["Jan works_at Acme"]),
        ("I no longer work at Acme.", ["Jan works_at Acme over"]),
        ("Marco Bertelli is the CFO at Acme", ["Marco Bertelli works_at Acme"]),
        ("Ana's sister Clara lives in Lisbon.", ["Clara lives_in Lisbon", "Clara sister_of Ana"]),
        ("My sister Clara is allergic to nuts.", ["Clara sister_of Jan"]),
        ("Clara is Ana's sister.", ["Clara sister_of Ana"]),
        ("In May I go to Milan with my sister Clara.", ["Clara sister_of Jan"]),
        ("I moved to Lisbon in March.", ["Jan lives_in Lisbon"]),
        ("Remembrancer depends on NumPy.", ["Remembrancer depends_on NumPy"]),
        ("Gang Bullets is a film directed by Lambert Hillyer.", ["Gang Bullets made_by Lambert Hillyer"]),
        ("We decided to use PostgreSQL for the index.", ["Jan decided use PostgreSQL for the index"]),
        ("Ana owns a red car", ["Ana owns a red car"]),
        ("Ana arbeitet bei Siemens in München.", ["Ana works_at Siemens"]),
        ("Meine Schwester Clara wohnt jetzt in Berlin.", ["Clara lives_in Berlin", "Clara sister_of Jan"]),
        ("Clara ist die Tochter von Marco Bertelli.", ["Clara daughter_of Marco Bertelli"]),
        ("Ben zog im Mai nach Hamburg.", ["Ben lives_in Hamburg"]),
        ("Ich arbeite nicht mehr bei Siemens.", ["Jan works_at Siemens over"]),
        ("David was a member of the House of Lords from 1988 to 1993.", ["David member_of House of Lords over"]),
        ("Ana is married to Ben Fox since May.", ["Ana married_to Ben Fox"]),
        ("That Devil, Bateese: That Devil, Bateese is a film directed by Jo Wolbert.",
         ["That Devil, Bateese made_by Jo Wolbert"]),
        ("They All Come Out: They All Come Out is a film written by John C. Higgins.",
         ["They All Come Out made_by John C. Higgins"]),
        ("My sister Clara loves Paris.", ["Clara sister_of Jan"]),
        ("Ana married Ben near Rome.", ["Ana married_to Ben"]),
        ("Peng is married to Xi.", ["Peng married_to Xi"]),
        ("Lord of the Flies is a novel written by William Golding.", ["Lord of the Flies made_by William Golding"]),
        ("My sister Ana: My sister Ana works at Acme.", ["Ana works_at Acme", "Ana sister_of Jan"]),
        ("Ben worked at Acme from 2019 to 2021, and Clara works at Siemens.",
         ["Ben works_at Acme over", "Clara works_at Siemens"]),
        ("Ana is a member of the Board from 2025 to 2030.", ["Ana member_of Board"]),
        ("Thu Nguyen lives in Hanoi.", ["Thu Nguyen lives_in Hanoi"]),
        ("In 1908 Steele left Harvard.", ["Steele works_at Harvard over"]),
        ("My dog Duke is old.", ["Duke dog_of Jan"]),
        ("Birthday of Ana: Ana lives in Bonn.", ["Ana lives_in Bonn"]),
        ("Pootie Tang is a film directed by Louis C.K.", ["Pootie Tang made_by Louis C.K."]),
    ],
)  # fmt: skip
def test_relations(text: str, relations: list[str]) -> None:
    found = relations_of(text, speaker="Jan")
    assert [f"{one.subject} {one.predicate} {one.object}{' over' if one.ended else ''}" for one in found] == relations


@pytest.mark.parametrize(
    "text",
    [
        "Do you work at Acme?",
        "I might move to Rome. Ana may work at Acme.",
        "If I worked at Acme, I would live in Rome.",
        '"Ana works at Acme", he joked.',
        "Ana does not work at Acme.",
        "Wohnt Clara in Berlin?",
        "The service depends on the weather.",
        "Maybach is a label founded by American rapper Rick Ross.",
        "Verzilov is married to Pussy Riot member Nadezhda.",
        "Sir Roger Martin, 5th Baronet (1778 to 1854) was the son of Sir Mordaunt Martin.",
        "George Grey, 2nd Earl of Kent (1454 to 1505) was the son of Edmund Grey.",
        "",
    ],
)
def test_what_is_asked_unsure_denied_or_quoted_relates_nothing(text: str) -> None:
    assert relations_of(text, speaker="Jan") == ()


def test_without_a_speaker_the_first_person_relates_nothing() -> None:
    assert relations_of("I work at Acme.") == ()
