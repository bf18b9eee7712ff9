"""Small talk is told from what asks for something."""

from remembrancer.language.smalltalk import Talk, small_talk
from tests.rows import each_row


@each_row(
    "text",
    [
        "ok",
        "Good morning!",
        "Thanks, Bob!",
        "hi caroline, how are you today?".title(),
        "sounds good to me",
        "Danke schön! Bis morgen.",
        "Schönen Tag noch!",
        "¿Qué tal?",
        "Muchas gracias, hasta luego",
        "Ça va ?",
        "Merci beaucoup, bonne journée",
        "Perfetto, grazie mille",
        "🙂",
        "...",
        "heyyy",
        "night night 😴",
        "mercii 🙏",
        "jajajaja, qué bien",
        "Oh wie schön, das freut mich.",
        "I'm fine thanks, and yourself?",
    ],
)
def test_what_keeps_a_talk_going_asks_for_nothing(text: str) -> None:
    assert small_talk(text) is Talk.ALL


@each_row(
    "text",
    [
        "",
        "Bob",
        "tea",
        "morning run",
        "test results",
        "What now",
        "Good morning, when is my flight?",
        "Thanks. What was the name of the dentist?",
        "Danke. Wann kommt Ana?",
        "Gracias, ¿cuándo viene Ana?",
        "Merci, quand vient Ana ?",
        "Grazie, quando viene Ana?",
        "ok, the walrus then",
        "yes 12",
        "Bonn",
        "coffee",
        "birthday party",
        "cool, and Priya?",
        "ok und die Miete?",
        "same wine as last time please",
        "hi Sam, I finally quit my job",
    ],
)
def test_what_asks_or_tells_is_none(text: str) -> None:
    assert small_talk(text) is not Talk.ALL
