"""Whether a text states what its speaker prefers."""

from remembrancer.language.declarations import states_preference

PREFERENCES = (
    "I don't eat fish or anything else from the sea.",
    "I can't stand strong perfume.",
    "No meetings before ten, I take the children to school.",
    "I'd rather repair things than buy new ones.",
    "I am allergic to cats.",
    "Please always answer in German.",
    "Never plan a migration on a Friday.",
    "Ich esse kein Fleisch.",
    "Ich fahre lieber mit dem Zug.",
    "Bitte nie vor neun anrufen.",
    "No como carne.",
    "Je n'aime pas les réunions du matin.",
    "Preferisco i treni agli aerei.",
)
OTHERS = (
    "The bins are emptied on Tuesdays in even weeks.",
    "The spare key hangs behind the clock.",
    "Der Router steht im Keller.",
    "La réunion est à neuf heures.",
    "",
)


def test_a_preference_is_told_from_what_is_none() -> None:
    assert [text for text in PREFERENCES if not states_preference(text)] == []
    assert [text for text in OTHERS if states_preference(text)] == []
