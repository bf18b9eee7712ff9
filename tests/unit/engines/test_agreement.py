"""Opposites must never be merged; the same thing said twice should be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.learn.agreement import TextRelation, agreement, denies
from tests.rows import each_row, every_row


def filled(templates: list[str], fillers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Every template with each filler, once per side."""
    return [(template.format(a), template.format(b)) for template in templates for a, b in fillers]


NEGATED = [
    ("Lara wants the reports archived.", "Lara does not want the reports archived."),
    ("The build runs on the old server.", "The build doesn't run on the old server."),
    ("Deploy on the main branch.", "Never deploy on the main branch."),
    ("Tea with sugar is what Omar takes.", "Tea without sugar is what Omar takes."),
    ("Somebody at the office answers calls.", "Nobody at the office answers calls."),
    ("Priya eats meat.", "Priya refuses to eat meat."),
    ("Priya lives in Leeds.", "Priya no longer lives in Leeds."),
    ("Kenji uses the shuttle bus.", "Kenji has stopped using the shuttle bus."),
    ("They can open the vault.", "They cannot open the vault."),
    ("The invoice has been paid", "The invoice hasn’t been paid"),
    ("Lara möchte die Berichte archivieren.", "Lara möchte die Berichte nicht archivieren."),
    ("Der Server läuft nachts.", "Der Server läuft nie nachts."),
    ("Jonas isst Fleisch.", "Jonas isst kein Fleisch."),
    ("Sie trinkt Kaffee mit Milch.", "Sie trinkt Kaffee ohne Milch."),
    ("Jeder kennt das Passwort.", "Niemand kennt das Passwort."),
    ("Er wohnt in Köln.", "Er wohnt nicht mehr in Köln."),
    ("Das Team weiß alles darüber.", "Das Team weiß nichts darüber."),
    ("Sie hat Rauchen begonnen.", "Sie weigert sich zu rauchen."),
    ("Lara quiere archivar los informes.", "Lara no quiere archivar los informes."),
    ("El servidor se apaga de noche.", "El servidor nunca se apaga de noche."),
    ("Tomás toma café con azúcar.", "Tomás toma café sin azúcar."),
    ("Alguien conoce la clave.", "Nadie conoce la clave."),
    ("Inés vive en Lima.", "Inés ya no vive en Lima."),
    ("Pablo come carne.", "Pablo se niega a comer carne."),
    ("Marta también viene.", "Marta tampoco viene."),
    ("Han elegido algún menú.", "No han elegido ningún menú."),
    ("Lara veut archiver les rapports.", "Lara ne veut pas archiver les rapports."),
    ("Le serveur s'arrête la nuit.", "Le serveur ne s'arrête jamais la nuit."),
    ("Il boit du café avec du sucre.", "Il boit du café sans sucre."),
    ("Elle habite à Lyon.", "Elle n'habite plus à Lyon."),
    ("Luc mange de la viande.", "Luc n’en mange aucune."),
    ("Quelqu'un connaît le code.", "Personne ne connaît le code."),
    ("Il a tout compris.", "Il n'a rien compris."),
    ("Elle accepte de signer.", "Elle refuse de signer."),
    ("Lara vuole archiviare i rapporti.", "Lara non vuole archiviare i rapporti."),
    ("Il server si spegne di notte.", "Il server non si spegne mai di notte."),
    ("Beve il caffè con zucchero.", "Beve il caffè senza zucchero."),
    ("Qualcuno conosce la chiave.", "Nessuno conosce la chiave."),
    ("Gianni abita a Torino.", "Gianni non abita più a Torino."),
    ("Ha capito tutto.", "Non ha capito niente."),
    ("Carla mangia la carne.", "Carla rifiuta di mangiare la carne."),
    ("Il contratto è valido.", "Il contratto è nullo."),
]

ENGLISH = [
    *filled(
        ["The library {} at noon on working days.", "Our team {} the proposal every quarter."],
        [("opens", "closes"), ("accepts", "rejects"), ("expands", "narrows"), ("praises", "mocks")],
    ),
    *filled(
        ["The user finds the new layout {}.", "His answers are usually {}, says the review."],
        [("helpful", "unhelpful"), ("clear", "murky"), ("possible", "impossible"), ("thoughtful", "thoughtless")],
    ),
    *filled(["Turn the heating {} when leaving."], [("on", "off"), ("up", "down")]),
    *filled(
        ["The team needs {} licences for the tool.", "Rotate the keys every {} days."],
        [("12", "21"), ("two", "three"), ("1,000", "100"), ("forty-two", "24"), ("5.5", "55")],
    ),
    *filled(
        ["The review is on {}.", "On {} the contract ends."],
        [("5 May 2023", "6 May 2023"), ("Monday", "Tuesday"), ("2024-03-01", "2024-01-03"), ("March 3", "April 3")],
    ),
    *filled(["The review is {}."], [("today", "tomorrow"), ("next week", "last week"), ("at 3pm", "at 3am")]),
    *filled(
        ["The contract was signed by {} in the office.", "{} prefers tea in the afternoon."],
        [("Ana", "Ben"), ("Daniel", "Daniela"), ("Martin", "Martina"), ("Oduya", "Petrosyan")],
    ),
    *filled(["Send the logs to {}."], [("ops@acme.io", "dev@acme.io"), ("/var/log", "/var/tmp"), ("S3", "GCS")]),
    ("Ana called Ben", "Ben called Ana"),
    ("The book was signed by Ana", "The book was signed for Ana"),
    ("April called Ben", "Ben called April"),
    ("The letter to Ana was lost", "The letter of Ana was lost"),
    ("The train runs from Leeds to York", "The train runs from York to Leeds"),
]

GERMAN = [
    *filled(
        ["Der Laden {} mittags seine Türen.", "Das Gremium {} den Antrag jedes Mal."],
        [("öffnet", "schließt"), ("begrüßt", "verwirft"), ("lobt", "tadelt")],
    ),
    *filled(
        ["Die neue Ansicht wirkt {} auf das Team.", "Seine Berichte sind meistens {}."],
        [("regelmäßig", "unregelmäßig"), ("humorvoll", "humorlos"), ("knapp", "ausufernd"), ("warm", "kalt")],
    ),
    *filled(["Er macht die Heizung abends {}."], [("an", "aus"), ("auf", "zu")]),
    *filled(
        ["Wir brauchen {} Lizenzen für das Werkzeug.", "Der Vertrag kostet {} Euro im Jahr."],
        [("12", "21"), ("zwei", "drei"), ("1.000", "100"), ("zweiundvierzig", "24"), ("3,5", "35")],
    ),
    *filled(
        ["Die Prüfung ist am {}.", "Am {} endet der Vertrag."],
        [("5. Mai 2023", "6. Mai 2023"), ("Montag", "Dienstag"), ("01.03.2024", "03.01.2024"), ("3. März", "3. April")],
    ),
    *filled(
        ["Die Prüfung ist {}."], [("heute", "gestern"), ("nächste Woche", "letzte Woche"), ("um 15 Uhr", "um 16 Uhr")]
    ),
    *filled(
        ["Der Vertrag wurde von {} im Büro unterschrieben.", "{} trinkt am liebsten Tee."],
        [("Anna", "Jonas"), ("Christian", "Christiane"), ("Martin", "Martina"), ("Yılmaz", "Kowalski")],
    ),
    ("Anna hat Jonas geholfen", "Jonas hat Anna geholfen"),
    ("Der Zug fährt von Köln nach Bonn", "Der Zug fährt von Bonn nach Köln"),
]

SPANISH = [
    *filled(
        ["La tienda {} sus puertas al mediodía.", "El comité {} la propuesta cada año."],
        [("abre", "cierra"), ("aplaude", "desestima"), ("amplía", "recorta")],
    ),
    *filled(
        ["El nuevo diseño le parece {} al equipo.", "Sus respuestas son {} casi siempre."],
        [("posible", "imposible"), ("útil", "inútil"), ("claro", "confuso"), ("breve", "interminable")],
    ),
    *filled(["La oficina queda al {} del río."], [("este", "oeste"), ("norte", "sur")]),
    *filled(["Su {} vive en la costa."], [("hermano", "hermana"), ("hijo", "hija")]),
    *filled(
        ["Necesitamos {} licencias para la herramienta.", "El contrato cuesta {} euros al año."],
        [("12", "21"), ("dos", "tres"), ("1.000", "100"), ("cuarenta y dos", "24"), ("3,5", "35")],
    ),
    *filled(
        ["La revisión es el {}.", "El {} termina el contrato."],
        [("5 de mayo de 2023", "6 de mayo de 2023"), ("lunes", "martes"), ("01/03/2024", "03/01/2024")],
    ),
    *filled(
        ["La revisión es {}."],
        [("hoy", "mañana"), ("la próxima semana", "la semana pasada"), ("a las 15:00", "a las 16:00")],
    ),
    *filled(
        ["El contrato lo firmó {} en la oficina.", "{} prefiere el té por la tarde."],
        [("Ana", "Benito"), ("Mario", "Maria"), ("Daniel", "Daniela"), ("Etxeberria", "Quispe")],
    ),
    ("Ana llamó a Benito", "Benito llamó a Ana"),
    ("Prefiere el té al café", "Prefiere el café al té"),
]

FRENCH = [
    *filled(
        ["La boutique {} ses portes à midi.", "Le comité {} la proposition chaque année."],
        [("ouvre", "ferme"), ("salue", "écarte"), ("élargit", "restreint")],
    ),
    *filled(
        ["La nouvelle page semble {} à l'équipe.", "Sa réponse est {} le plus souvent."],
        [("possible", "impossible"), ("utile", "inutile"), ("limpide", "obscure"), ("brève", "interminable")],
    ),
    *filled(["Le bureau se trouve à l'{} du fleuve."], [("est", "ouest"), ("intérieur", "extérieur")]),
    *filled(["Il est {} le projet."], [("pour", "contre"), ("dans", "hors")]),
    *filled(
        ["Il nous faut {} licences pour cet outil.", "Le contrat coûte {} euros par an."],
        [("12", "21"), ("deux", "trois"), ("1 000", "100"), ("quarante-deux", "24"), ("3,5", "35")],
    ),
    *filled(
        ["La revue est le {}.", "Le {} le contrat prend fin."],
        [("5 mai 2023", "6 mai 2023"), ("lundi", "mardi"), ("01/03/2024", "03/01/2024"), ("3 février", "3 août")],
    ),
    *filled(["La revue est {}."], [("aujourd'hui", "demain"), ("la semaine prochaine", "la semaine dernière")]),
    *filled(
        ["Le contrat a été signé par {} au bureau.", "{} préfère le thé en fin de journée."],
        [("Ana", "Benoît"), ("Simon", "Simone"), ("Daniel", "Danielle"), ("Nguyen", "Traoré")],
    ),
    ("Ana appelle Benoît", "Benoît appelle Ana"),
    ("Elle préfère le thé au café", "Elle préfère le café au thé"),
]

ITALIAN = [
    *filled(
        ["Il negozio {} le porte a mezzogiorno.", "Il comitato {} la proposta ogni anno."],
        [("apre", "chiude"), ("elogia", "stronca"), ("amplia", "restringe")],
    ),
    *filled(
        ["La nuova pagina sembra {} alla squadra.", "La sua risposta è {} quasi sempre."],
        [("possibile", "impossibile"), ("utile", "inutile"), ("limpida", "oscura"), ("breve", "interminabile")],
    ),
    *filled(["L'ufficio si trova {} il ponte."], [("sopra", "sotto"), ("prima", "dopo")]),
    *filled(["Suo {} vive sulla costa."], [("figlio", "figlia"), ("nonno", "nonna")]),
    *filled(
        ["Ci servono {} licenze per lo strumento.", "Il contratto costa {} euro all'anno."],
        [("12", "21"), ("due", "tre"), ("1.000", "100"), ("quarantadue", "24"), ("3,5", "35")],
    ),
    *filled(
        ["La revisione è il {}.", "Il {} finisce il contratto."],
        [("5 maggio 2023", "6 maggio 2023"), ("01/03/2024", "03/01/2024"), ("3 febbraio", "3 agosto")],
    ),
    *filled(
        ["La revisione è {}."],
        [("oggi", "domani"), ("lunedì", "martedì"), ("la prossima settimana", "la scorsa settimana")],
    ),
    *filled(
        ["Il contratto è stato firmato da {} in ufficio.", "{} preferisce il tè di pomeriggio."],
        [("Ana", "Bruno"), ("Mario", "Maria"), ("Daniele", "Daniela"), ("Esposito", "Brambilla")],
    ),
    ("Ana chiama Bruno", "Bruno chiama Ana"),
    ("Preferisce il tè al caffè", "Preferisce il caffè al tè"),
]

SAME = [
    ("Lara wants the reports archived", "lara wants the reports archived."),
    ("Lara wants the reports archived", "LARA WANTS THE REPORTS ARCHIVED!"),
    ("Do not archive the reports.", "Don't archive the reports"),
    ("Ana can't open the vault", "Ana cannot open the vault."),
    ("The bot isn’t allowed to reply", "The bot is not allowed to reply"),
    ("Please archive the reports.", "Archive the reports."),
    ("The user really likes green tea.", "The user likes green tea"),
    ("Rotate the keys every twelve days", "Rotate the keys every 12 days"),
    ("Lara archives the reports every Monday", "Every Monday, Lara archives the reports"),
    ("Ana met Ben in Rome", "In Rome, Ana met Ben"),
    ("Lara möchte die Berichte archivieren.", "lara möchte die berichte archivieren"),
    ("Archiviere die Berichte über die Straße", "Archiviere bitte die Berichte ueber die Strasse"),
    ("Wir brauchen zweiundvierzig Lizenzen", "Wir brauchen 42 Lizenzen"),
    ("La revisión es el 5 de mayo", "La revision es el 5 de mayo"),
    ("Élodie préfère vraiment le thé vert", "Elodie préfère le thé vert"),
    ("Ci servono quarantadue licenze", "Ci servono 42 licenze"),
    ("Carla preferisce davvero il tè", "Carla preferisce il tè"),
]

OPPOSITES = [*NEGATED, *ENGLISH, *GERMAN, *SPANISH, *FRENCH, *ITALIAN]


def test_no_statement_and_its_opposite_are_the_same() -> None:
    with every_row() as row:
        for a, b in OPPOSITES:
            with row(a, b):
                found = agreement(a, b)
                assert found is not TextRelation.SAME
                assert agreement(b, a) == found


@pytest.mark.parametrize("pairs", [ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN])
def test_every_language_is_tried_with_forty_pairs(pairs: list[tuple[str, str]]) -> None:
    assert len(pairs) >= 40


@each_row("a, b", SAME)
def test_the_same_words_are_the_same_statement_however_they_are_written(a: str, b: str) -> None:
    assert agreement(a, b) is TextRelation.SAME


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Anna trinkt jeden Montag Kaffee", "Jeden Montag trinkt Anna Kaffee"),
        ("Lara wants the reports archived", "Lara wants the reports archived in the shared folder"),
        ("Only the shop sells shoes", "The shop sells shoes only"),
        ("Ana never drinks coffee at night", "At night Ana never drinks coffee"),
        (
            "Lara asked that every finished report be moved to cold storage",
            "Once complete, documents should go into long-term archive, Lara said",
        ),
    ],
)
def test_other_words_or_the_same_where_their_place_tells_are_never_taken_for_the_same(a: str, b: str) -> None:
    assert agreement(a, b) is TextRelation.DIFFERENT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Archive the reports", "Never archive the reports"),
        ("Ana mag Tee", "Ana mag keinen Tee"),
        ("Inés bebe café", "Inés no bebe café"),
        ("Luc boit du café", "Luc ne boit pas du café"),
        ("Carla beve caffè", "Carla non beve caffè"),
    ],
)
def test_a_negation_that_only_one_has_is_a_contradiction(a: str, b: str) -> None:
    assert agreement(a, b) is TextRelation.OPPOSITE
    assert denies(b)
    assert not denies(a)


@each_row(
    "a, b",
    [
        ("Ana has 3 cats", "Ana has 4 cats"),
        ("It is 5 outside", "It is -5 outside"),
        ("The call is on Monday", "The call is on Friday"),
        ("The call is with Ana", "The call is with Ben"),
        ("the dog chases the cat", "the cat chases the dog"),
        ("Ana eats fish but not meat", "Ana eats meat but not fish"),
        ("the shop sells shoes", "the shop sells lamps"),
        ("the shop sells shoes", "only the shop sells shoes"),
        ("the shop sells shoes", "the shop may sell shoes"),
        ("the shop sells shoes", "the shop sells shoes?"),
        ("he sells shoes", "she sells shoes"),
        ("The door is open", "The door is closed"),
        ("he sells shoes for a living", "er verkauft die Schuhe und lebt von dem Handel"),
    ],
)
def test_another_number_date_name_or_word_is_another_statement(a: str, b: str) -> None:
    assert agreement(a, b) is TextRelation.DIFFERENT


WORDS = [
    "Ana",
    "Ben",
    "not",
    "never",
    "nie",
    "ne",
    "pas",
    "open",
    "closed",
    "the",
    "die",
    "to",
    "from",
    "5",
    "two",
    "May",
]
SENTENCES = st.lists(st.sampled_from([*WORDS, "before", "and", ",", ".", "cats", "cat", "she", "%", "3pm"])).map(
    " ".join
)
TEXTS = st.one_of(SENTENCES, st.text(max_size=40))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_a_text_agrees_with_itself(text: str) -> None:
    assert agreement(text, text) is TextRelation.SAME


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_the_order_of_the_two_does_not_matter(a: str, b: str) -> None:
    assert agreement(a, b) == agreement(b, a)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_numbers_agree_only_when_equal(a: int, b: int) -> None:
    same = agreement(f"Ana owns {a} cats", f"Ana owns {b} cats") is TextRelation.SAME
    assert same == (a == b)


@settings(max_examples=60, deadline=None)
@given(st.dates(), st.dates())
def test_two_dates_agree_only_when_equal(a: object, b: object) -> None:
    same = agreement(f"The call is on {a}", f"The call is on {b}") is TextRelation.SAME
    assert same == (a == b)
