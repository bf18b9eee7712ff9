"""What lays down how things are to be done is told from what is for once, and what withdraws it from what does not."""

from remembrancer.language.dates.written import names_day
from remembrancer.language.declarations import (
    LAID_DOWN,
    changes,
    directive,
    only_withdraws,
    states_profile,
    undecided,
    withdraws,
)

LAID = (
    "I'd rather you asked me before you book anything.",
    "If somebody is more than 30 days late, tell me first.",
    "No calls before ten, please.",
    "Contracts for them by registered post only.",
    "Everything about discounts goes to Niamh.",
    "Kein Telefon vor zehn, bitte.",
    "Fisch kommt bei uns nur freitags auf den Tisch.",
    "Über das Taschengeld entscheidet Markus, nicht ich.",
    "Wenn etwas mehr als 50 Euro kostet, fragst du vorher.",
)
FOR_ONCE = (
    "Could you undo the last change?",
    "I had the best soup today.",
    "What was the name of that one again?",
    "Wie wird das Wetter morgen?",
    "Gestern haben wir einen Film geschaut.",
    "Danke dir!",
    "",
)


def test_what_is_laid_down_is_told_from_what_is_for_once() -> None:
    assert [text for text in LAID if directive(text) < LAID_DOWN] == []
    assert [text for text in FOR_ONCE if directive(text) >= LAID_DOWN] == []


def test_what_is_over_or_new_is_known() -> None:
    over = ("Forget what I said about the tea.", "You can call me again.", "Papier muss nicht mehr sein.")
    assert [text for text in over if not withdraws(text)] == []
    assert [text for text in over if only_withdraws(text)] == list(over[:1])
    assert not withdraws("Bitte nicht vergessen: die Brotdose einpacken.")
    assert changes("Exact figures from now on.")
    assert changes("Ab jetzt doch per Mail.")
    assert not changes("The soup was good.")


def test_who_somebody_is_and_what_is_open_is_known() -> None:
    profile = (
        "I'm Ada Brandt, a roofer.",
        "Jonas (9) hat eine Haselnussallergie.",
        "My VAT number is GB 318 4471 06.",
        "We live at 14 Colston Road.",
        "Markus ist mein Mann.",
    )
    assert [text for text in profile if not states_profile(text)] == []
    assert [text for text in FOR_ONCE if states_profile(text)] == []
    for text in ("We haven't decided yet.", "Ob wir fahren, ist noch offen.", "I'm in two minds about it."):
        assert undecided(text)
    assert not undecided("We decided to go.")
    assert names_day("The slides are due on 10 October.")
    assert names_day("Bis 8. Oktober muss das Geld da sein.")
    assert not names_day("I may go on Mondays.")
