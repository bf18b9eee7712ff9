"""What a query wants."""

from remembrancer.language.intent import Intent, asks_of_past, intent_of, speaks_of_self

QUERIES = {
    Intent.QUESTION: (
        "When did I book my flight?",
        "Who is my dentist?",
        "What did the designer recommend to do about the buttons?",
        "Summarize what was said about the budget",
        "Bertelli invoice",
        "getUserById",
        "Wann habe ich meinen Flug gebucht?",
        "Wo arbeite ich?",
        "Womit fahre ich?",
        "Wer leitet das Team",
        "¿Cuándo es la cita de mi hermana con el médico?",
        "Quand est-ce que j'ai réservé mon vol ?",
        "Quando è la visita di mia sorella dal medico?",
        "東京の本社はどこですか？",
        "Can you remind me what the code of the gate was?",
        "",
    ),
    Intent.REQUEST: (
        "Can you show me how a login page is built?",
        "Any tips for a long drive?",
        "Book seats for the coach trip to the mountains.",
        "Draft an answer to Mr. Okafor about the late delivery.",
        "My headphones have lost sound on one side. What now?",
        "What should I bring to read on the beach?",
        "Which kitchen scissors should I get?",
        "I'm planning a trip to Rome, and I have three days.",
        "What are some good films for tonight?",
        "Kannst du das für uns ausrechnen?",
        "Ich brauche Vorschläge für das Wochenende mit der Familie",
        "Was soll ich zum Abendessen kochen?",
        "¿Podrías escribir un texto para la boda?",
        "¿Qué debería hacer con los libros de mi padre?",
        "Pourrais-tu écrire une lettre pour la banque ?",
        "Comment puis-je réparer la porte de la cave ?",
        "Potresti scrivere una lettera per la banca?",
        "Hai dei suggerimenti per la cena di domani?",
    ),
    Intent.REMARK: (
        "I ended up volunteering for that project, and now I'm totally overwhelmed.",
        "The predictability of my old routine now feels more limiting than this constant change.",
        "Ich bin gestern wieder die Treppe gegangen, obwohl der Aufzug da war.",
        "Ayer volví a subir por la escalera, aunque el ascensor estaba allí.",
    ),
}


def test_a_query_wants_a_fact_or_something_done_or_nothing_that_it_says() -> None:
    for intent, texts in QUERIES.items():
        assert {text: intent_of(text) for text in texts} == dict.fromkeys(texts, intent)


def test_some_speak_of_themselves() -> None:
    for text in ("When did I book my flight?", "Wo arbeite ich?", "¿Dónde vive mi hermana?", "Où est ma clé ?"):
        assert speaks_of_self(text)
    for text in ("When did Ana fly to Porto?", "Wann flog Ana nach Porto?", "", "東京の本社"):
        assert not speaks_of_self(text)


def test_the_past_is_told_from_the_present() -> None:
    assert asks_of_past("Who was my dentist before?")
    assert asks_of_past("Wo habe ich früher gewohnt?")
    assert not asks_of_past("Who is my dentist?")
