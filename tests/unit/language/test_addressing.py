"""Of whom a question asks."""

import pytest

from remembrancer.language.addressing import addressed


@pytest.mark.parametrize(
    "question",
    [
        "When did I book my flight?",
        "Wann habe ich meinen Flug gebucht?",
        "¿Cuándo es la cita de mi hermana con el médico?",
        "Quand est-ce que j'ai réservé mon vol ?",
        "Quando è la visita di mia sorella dal medico?",
    ],
)
def test_it_asks_of_the_one_who_asks(question: str) -> None:
    assert addressed(question) == (True, False, False)


@pytest.mark.parametrize(
    "question",
    [
        "What did you say about the index?",
        "Was hast du über den Index gesagt?",
        "¿Qué es lo que tú y el equipo pensáis de los índices?",
        "Qu'est-ce que tu as dit de l'index ?",
        "Che cosa ne pensi tu dei nostri indici e dei loro costi?",
    ],
)
def test_it_asks_of_the_one_who_is_asked(question: str) -> None:
    assert addressed(question).you


@pytest.mark.parametrize(
    "question",
    [
        "Can you show me how a login page is built?",
        "Any tips for a long drive?",
        "Kannst du das für uns ausrechnen?",
        "Ich brauche Vorschläge für das Wochenende mit der Familie",
        "¿Podrías escribir un texto para la boda?",
        "¿Qué debería hacer con los libros de mi padre?",
        "Pourrais-tu écrire une lettre pour la banque ?",
        "Comment puis-je réparer la porte de la cave ?",
        "Potresti scrivere una lettera per la banca?",
        "Hai dei suggerimenti per la cena di domani?",
    ],
)
def test_it_asks_for_something_to_be_done(question: str) -> None:
    assert addressed(question).request


@pytest.mark.parametrize("question", ["When did Ana fly to Porto?", "Wann flog Ana nach Porto?", "", "東京の本社"])
def test_it_asks_of_others(question: str) -> None:
    assert addressed(question) == (False, False, False)
