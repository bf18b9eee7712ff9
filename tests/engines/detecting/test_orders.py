"""Rules to sign: held against all their occasions, of the thing and not the hour, in whole sentences."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from planted import FRIDAY, TEXTS, deed, noise, some_time

from bench.behaviour.offices import office, reason
from remembrancer.learn.detect.detect import detect
from remembrancer.types.pattern import BehaviourEvent, Pattern
from tests.rows import each_row


def drafts(random: Random, corrected: int, approved: int, *texts: str, contact: str = "Lara") -> list[BehaviourEvent]:
    """Drafts of which some are put right."""
    put_right = [
        deed(f"h{number}", "approval_modified", random.choice(texts), at=some_time(random), contact=contact)
        for number in range(corrected)
    ]
    as_they_stood = [
        deed(f"a{number}", "approval_approved", f"answered question {number}", at=some_time(random), contact=contact)
        for number in range(approved)
    ]
    return [*put_right, *as_they_stood]


def told(deeds: list[BehaviourEvent]) -> list[Pattern]:
    """Patterns that cite what is planted."""
    return [one for one in detect(deeds, limit=20) if sum(id.startswith("h") for id in one.episodes) >= 3]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_put_right_in_one_of_fifteen_drafts_is_no_rule(seed: int) -> None:
    random = Random(seed)
    texts = ("added the number", "put in the number", "number added")
    assert not any(one.rule for one in told([*noise(random, 40), *drafts(random, 6, 84, *texts)]))


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (("removed the order number", "took the order number out", "order number deleted"), "remove the order number"),
        (
            ("shortened the reply", "cut the reply to Lara down", "made the reply shorter"),
            "shorten each draft before showing it",
        ),
        (("added a delivery week", "inserted the delivery week", "put in the delivery week"), "add the delivery week"),
        (("did not archive the mail", "undid archiving the mail"), "do not archive the mail"),
    ],
)
def test_an_order_is_made_of_the_words_that_follow_the_act(texts: tuple[str, ...], rule: str) -> None:
    random = Random(7)
    found = told([*noise(random, 60), *drafts(random, 24, 2, *texts)])
    assert rule in found[0].rule.casefold()


@pytest.mark.parametrize(
    "texts",
    [
        ("asked instead of flagging it", "flagged it to ask instead"),
        ("no, will do it alone", "not sent, will do it alone"),
        ("punto rimosso dal testo", "rimosso il punto", "tolto il punto"),
        ("changed the birthday to something else", "birthday is different now"),
    ],
)
def test_no_order_is_made_of_words_that_are_none(texts: tuple[str, ...]) -> None:
    random = Random(9)
    for one in told([*noise(random, 60), *drafts(random, 12, 3, *texts)]):
        assert one.rule == ""


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        ([("8:30", "10:30"), ("9:00", "10:00"), ("7:45", "12:30"), ("9:30", "11:00")], "10:00 or later."),
        ([("17:30", "15:00"), ("18:00", "16:30"), ("17:15", "17:00"), ("19:00", "14:00")], "17:00 or earlier."),
    ],
)
def test_meetings_that_are_moved_over_an_hour_have_that_bound(moves: list[tuple[str, str]], rule: str) -> None:
    random = Random(3)
    moved = [
        deed(
            f"h{at}", "user_correction", "moved the meeting from {} to {}".format(*moves[at % 4]), at=some_time(random)
        )
        for at in range(9)
    ]
    found = told([*noise(random, 60), *moved])
    assert f"Put meetings at {rule}" in [one.rule for one in found]
    key = next(one.key for one in found if one.rule.endswith(rule))
    again = [one for one in detect([*noise(Random(3), 60), *moved], known={key}) if one.key == key]
    assert [one.occurrences for one in again] == [9]


def test_meetings_that_are_moved_anywhere_have_no_bound() -> None:
    random = Random(5)
    moved = [
        deed(
            f"h{at}",
            "user_correction",
            f"moved the meeting from {random.randrange(8, 18)}:00 to {random.randrange(8, 18)}:30",
            at=some_time(random),
        )
        for at in range(14)
    ]
    assert not any("moved" in one.key for one in told([*noise(random, 60), *moved]))


@each_row("seed", range(500, 506))
def test_in_an_office_the_thing_beats_the_hour_and_the_incidental_is_no_rule(seed: int) -> None:
    found = office(seed)
    rules = {one.key: reason(one, found) for one in detect(found.deeds, limit=20) if one.rule}
    assert not any(why.startswith("incidental") for why in rules.values())
    assert [key for key, why in rules.items() if why == "twofold"]
    assert not any("when" in key for key, why in rules.items() if why == "twofold")
    assert found.deeds[-1].at - found.deeds[0].at < timedelta(days=31)


def test_a_signal_that_reports_an_episode_is_not_counted_beside_it() -> None:
    random, deeds = Random(2), list[BehaviourEvent]()
    texts = ("scan failed", "machine was silent", "could not load it", "broke off")
    for at in range(8):
        when = some_time(random)
        deeds.append(
            deed(f"h{at}", "exception_raised", texts[at % 4], at=when, contact="Lara", topic="scan", error="timeout")
        )
        later = when + timedelta(minutes=1)
        deeds.append(deed(f"g{at}", "exception_surfaced", "scan stored", at=later, contact="Lara", topic="scan"))
    (found,) = [one for one in detect([*noise(random, 60), *deeds], limit=20) if "h0" in one.episodes]
    assert not any(id.startswith("g") for id in found.episodes)
    assert found.rule == ""


def test_a_thing_is_told_with_the_time_of_the_week_that_its_cases_share() -> None:
    random = Random(5)
    scans = [
        deed(
            f"h{number}",
            "action_completed",
            random.choice(TEXTS),
            at=some_time(random, weekday=FRIDAY, since=15),
            topic="scans",
            tool="bank portal",
        )
        for number in range(9)
    ]
    other = [
        deed(f"o{number}", "action_completed", random.choice(TEXTS), at=some_time(random), topic=topic, tool=tool)
        for number, (topic, tool) in enumerate(
            (random.choice(("scans", "notes", "plans")), random.choice(("mail", "form", "phone", "bank portal")))
            for _ in range(40)
        )
        if (topic, tool) != ("scans", "bank portal")
    ]
    (rule,) = [one.rule for one in told([*noise(random, 40), *scans, *other]) if "bank portal" in one.rule]
    assert rule.startswith("On Fridays from 1")
    assert rule.endswith('when the topic is "scans", use "bank portal".')


def test_what_was_chosen_instead_has_no_time() -> None:
    random = Random(5)
    moved = [
        deed(
            f"h{number}",
            "user_correction",
            "moved it by a day",
            at=some_time(random, weekday=FRIDAY, since=15),
            topic="survey",
            did="Tuesday",
            changed_to="Wednesday",
        )
        for number in range(9)
    ]
    found = told([*noise(random, 60), *moved])
    assert found
    assert all("Friday" not in one.rule for one in found)


def test_with_a_name_nothing_is_ordered_as_with_a_thing() -> None:
    random = Random(7)
    found = told([*noise(random, 60), *drafts(random, 12, 4, "added Nadia Tanaka in copy", "cc to Nadia Tanaka added")])
    assert found
    assert not any("tanaka" in one.rule for one in found)
    named = told([*noise(random, 60), *drafts(random, 12, 4, "added the IBAN", "added the IBAN below")])
    assert "add the iban" in named[0].rule.casefold()


def test_what_is_chosen_by_itself_says_of_what() -> None:
    random = Random(3)
    closings = [
        deed(
            f"h{number}", "correction", "closing formula replaced", at=some_time(random), did="Best", changed_to="Yours"
        )
        for number in range(9)
    ]
    found = told([*noise(random, 60), *closings])
    assert [one.rule for one in found] == ['Instead of "Best", use "Yours".']
    parted = [replace(one, attributes={**one.attributes, "part": "closing"}) for one in closings]
    assert [one.rule for one in told([*noise(Random(3), 60), *parted])] == ['As the closing, use "Yours", not "Best".']


def test_no_order_names_as_its_like_what_is_of_another_kind() -> None:
    random = Random(3)
    for did, changed_to in (("ordered", "Farina"), ("bought flour", "sugar"), ("me", "Tom")):
        changed = [
            deed(f"h{at}", "correction", "did it anew", at=some_time(random), did=did, changed_to=changed_to)
            for at in range(9)
        ]
        assert [one.rule for one in told([*noise(random, 60), *changed])] in ([], [""])


GERMAN = ("Frage zu {} beantwortet", "Notiz zu {} geschickt", "{} abgelegt", "Termin mit {} bestätigt", "{} geprüft")


def german(random: Random, planted: list[BehaviourEvent]) -> list[BehaviourEvent]:
    """Deeds told in German beside those of a habit."""
    topics = ("Rechnung", "Vertrag", "Umfrage", "Reise", "Angebot")
    beside = [
        deed(
            f"n{number}",
            random.choice(("action_completed", "approval_approved")),
            random.choice(GERMAN).format(topic := random.choice(topics)),
            at=some_time(random),
            contact=random.choice(("Lara", "Quinn", "Adler")),
            topic=topic,
        )
        for number in range(60)
    ]
    return [*beside, *planted]


@pytest.mark.parametrize(
    ("event", "texts", "attributes", "rule"),
    [
        (
            "user_correction",
            ("Bestellung an Lea weitergeleitet", "Bestellung an Lea übergeben", "Bestellung an Lea weitergegeben"),
            {"topic": "Bestellung", "from": "Tom", "to": "Lea"},
            "Beim Thema „Bestellung“: An Lea weiterleiten, nicht an Tom.",
        ),
        (
            "approval_modified",
            ("Antwort gekürzt", "die Antwort gestrafft", "Antwort kürzer gemacht"),
            {"topic": "Bestellung"},
            "Beim Thema „Bestellung“: Jeden Entwurf vor dem Vorlegen kürzen.",
        ),
        (
            "approval_rejected",
            ("so nicht", "will es erst sehen", "zurückgehalten"),
            {"topic": "Bestellung"},
            "Beim Thema „Bestellung“: Vor dem Entwurf nachfragen.",
        ),
        (
            "approval_modified",
            ("Grußformel gestrichen", "die Grußformel entfernt", "Grußformel gelöscht"),
            {"topic": "Bestellung"},
            "Beim Thema „Bestellung“: In Entwürfen Grußformel entfernen.",
        ),
    ],
)
def test_an_order_is_in_the_language_of_its_episodes(
    event: str, texts: tuple[str, ...], attributes: dict[str, str], rule: str
) -> None:
    random = Random(4)
    planted = [
        deed(f"h{at}", event, texts[at % 3], at=some_time(random), contact=("Lara", "Quinn")[at % 2], **attributes)
        for at in range(12)
    ]
    assert rule in [one.rule for one in told(german(random, planted))]


def test_a_name_that_some_shorten_is_ordered_whole() -> None:
    random = Random(7)
    texts = ("added the customer number", "put in the customer number", "number added")
    rules = [one.rule.casefold() for one in told([*noise(random, 60), *drafts(random, 12, 4, *texts)])]
    assert [rule for rule in rules if "add the customer number to drafts" in rule]


def test_what_is_missing_was_not_removed() -> None:
    random = Random(4)
    texts = ("no order number on it", "sent back without an order number", "order number missing")
    found = told([*noise(random, 60), *drafts(random, 12, 3, *texts)])
    assert found
    assert not any("remove" in (one.quote + one.rule).casefold() for one in found)
