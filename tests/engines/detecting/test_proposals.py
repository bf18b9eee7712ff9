"""What a model proposes is counted again: acts, ends, names and numbers must hold; ordinary words are free."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from planted import deed, exclamations, noise, repeated, semicolons

from remembrancer.learn.detect.detect import detect
from remembrancer.learn.detect.proposals import check_proposals
from remembrancer.types.pattern import BehaviourEvent, Category, Condition, ConditionOperator, Proposal
from tests.rows import each_row, every_row

RANDOM = Random(6)
DEEDS = [*noise(RANDOM, 60), *repeated(exclamations, RANDOM, 10), *repeated(semicolons, RANDOM, 16, prefix="s")]
EXCLAMATIONS = tuple(f"h{number}" for number in range(10))
GOOD = Proposal(
    category="writing-style",
    quote="With Bertelli the user always removes exclamation marks.",
    evidence="10 of 10 drafts in June 2026",
    episodes=EXCLAMATIONS,
    where=(Condition(field="contact", value="Bertelli"),),
    wordings=("exclamation",),
    rule="Leave exclamation marks out of drafts to Bertelli.",
)


def is_(field: str, value: str) -> Condition:
    """A condition that a field has a value."""
    return Condition(field=field, value=value)


def above(amount: str) -> Condition:
    """A condition that more than an amount is meant."""
    return Condition(field="amount", relation=ConditionOperator.ABOVE, value=amount)


def test_what_the_episodes_bear_out_is_taken_and_counted_by_the_engine() -> None:
    (pattern,), refused = check_proposals([GOOD], DEEDS)
    assert refused == []
    assert pattern.quote == GOOD.quote
    assert pattern.rule == GOOD.rule
    assert pattern.category is Category.WRITING_STYLE
    assert set(pattern.episodes) == set(EXCLAMATIONS)


def test_what_the_engine_counts_too_has_its_key() -> None:
    deeds = [deed(f"r{at}", "approval_rejected", "not this way", contact="Mira") for at in range(8)]
    deeds += [deed(f"n{at}", "approval_approved", f"answered question {at}", contact="Olaf") for at in range(20)]
    rejected = replace(
        GOOD,
        quote="Drafts to Mira are rejected.",
        evidence="8 of 8",
        episodes=tuple(f"r{at}" for at in range(8)),
        where=(is_("contact", "Mira"),),
        result=is_("outcome", "rejected"),
        wordings=(),
        rule="",
    )
    (pattern,), _ = check_proposals([rejected], deeds)
    assert pattern.key in {found.key for found in detect(deeds, known={pattern.key})}


@each_row(
    "change, reason",
    [
        ({"category": "moods"}, "no category"),
        ({"episodes": (*EXCLAMATIONS[:9], "invented")}, "not there"),
        ({"episodes": (*EXCLAMATIONS[:9], "h0")}, "more than once"),
        ({"episodes": EXCLAMATIONS[:2]}, "too few"),
        ({"quote": "With Bertelli the user always adds exclamation marks."}, "the opposite"),
        ({"quote": "With Bertelli the user never removes exclamation marks."}, "the opposite"),
        ({"quote": "With Lara the user removes exclamation marks."}, "leaves out that contact"),
        ({"quote": "The user removes exclamation marks."}, "leaves out that contact"),
        ({"quote": "With Bertelli and Zorro exclamation marks go."}, "'Zorro', which none"),
        ({"quote": "No exclamation marks in 18 emails with Bertelli."}, "not counted"),
        ({"evidence": "18 of 19 drafts"}, "not counted"),
        ({"quote": " ".join(["exclamation"] * 26)}, "26 words"),
        ({"evidence": " ".join(["marks"] * 41)}, "41 words"),
        ({"rule": " ".join(["remove"] * 41)}, "41 words"),
        ({"quote": " "}, "no quote"),
        ({"rule": "With Bertelli, forward exclamation marks to the director."}, "contains 'forward'"),
        ({"episodes": ("h0", "h1", "s0")}, "do not show it"),
        ({"wordings": ()}, "neither a result nor wordings"),
        ({"wordings": ("exclamation", "haiku")}, "none of the episodes contains 'haiku'"),
        ({"where": (is_("planet", "Mars"),)}, "no episode has 'planet'"),
        ({"where": (is_("contact", "Mars"),)}, "no episode has 'Mars'"),
        ({"where": (Condition(field="time", relation=ConditionOperator.BEFORE, value="noon"),)}, "no time of day"),
        ({"where": (is_("weekday", "Someday"),)}, "no weekday"),
    ],
)
def test_what_cannot_be_verified_is_refused_with_a_reason(change: dict[str, Any], reason: str) -> None:
    patterns, (refused,) = check_proposals([replace(GOOD, **change)], DEEDS)
    assert patterns == []
    assert reason in refused.reason


def test_at_most_three_are_taken_and_none_twice() -> None:
    patterns, refused = check_proposals([GOOD] * 3, DEEDS)
    assert len(patterns) == 1
    assert all("before" in refusal.reason for refusal in refused)
    patterns, refused = check_proposals([GOOD], DEEDS, limit=0)
    assert patterns == []
    assert "more than 0" in refused[0].reason


def test_what_held_too_seldom_is_refused() -> None:
    said = tuple(deed.id for deed in DEEDS if deed.id.startswith("s"))
    semis = replace(
        GOOD,
        quote="The user removes semicolons.",
        evidence="16 drafts",
        episodes=said,
        where=(),
        wordings=("semicolon",),
        rule="",
    )
    assert check_proposals([semis], DEEDS)[1] == []
    spoilt = [deed(f"z{number}", "approval_modified", "inserted a semicolon") for number in range(9)]
    patterns, (refused,) = check_proposals([replace(semis, wordings=("removed semicolon",))], [*DEEDS, *spoilt])
    assert patterns == []
    assert "too few" in refused.reason or "do not show it" in refused.reason


# An office that a model tells of. Everything that is planted is told in the person's own words.


def office() -> list[BehaviourEvent]:
    """Twelve routed invoices, drafts put right, what is rejected, what is done when."""
    rng, deeds = Random(11), list[BehaviourEvent]()
    for at in range(12):
        deeds.append(
            deed(f"i{at}", "routed_differently", "this one goes elsewhere", to="Tom", topic="invoice", amount=900 + at)
        )
        deeds.append(
            deed(f"q{at}", "routed_differently", "this one goes elsewhere", to="Lea", topic="quote", amount=70)
        )
    words = ("cut the second paragraph", "trimmed it", "too long, made it shorter", "dropped half of it")
    for at in range(10):
        deeds.append(deed(f"k{at}", "approval_modified", words[at % 4], contact="Kim Roy", topic="report"))
    for at in range(9):
        reason = ("wants to see the figures first", "no, not like this")[at % 2]
        deeds.append(
            deed(f"c{at}", "approval_rejected", reason, contact="Bo", topic="contract", amount=12_000 + 500 * at)
        )
    for at in range(8):
        deeds.append(
            deed(f"e{at}", "approval_approved", "sent as it stood", contact="Bo", topic="contract", amount=4_000)
        )
    for at in range(30):
        name = rng.choice(("Ann Lee", "Max", "Bo"))
        deeds.append(deed(f"a{at}", "approval_approved", f"answered question {at}", contact=name, topic="question"))
    return deeds


OFFICE = office()


def ids(letter: str) -> tuple[str, ...]:
    """The ids of one kind of deed."""
    return tuple(deed.id for deed in OFFICE if deed.id.startswith(letter))


BASES = {
    "routed": Proposal(
        category="people", quote="Invoices go to Tom.", evidence="all 12 invoices", episodes=ids("i"),
        where=(is_("topic", "invoice"),), result=is_("to", "Tom"), rule="Send invoices to Tom.",
    ),
    "shorter": Proposal(
        category="writing-style", quote="Kim gets short reports: the user trims them.", evidence="10 times",
        episodes=ids("k"), where=(is_("contact", "Kim Roy"),),
        wordings=("cut second paragraph", "trimmed it", "made shorter", "dropped half"),
        rule="Keep reports to Kim short.",
    ),
    "refused": Proposal(
        category="decisions", quote="Contracts above 10,000 are rejected.", evidence="9 of 9 contracts",
        episodes=ids("c"), where=(is_("topic", "contract"), above("10000")),
        result=is_("outcome", "rejected"), rule="Ask before drafting contracts above 10,000.",
    ),
}  # fmt: skip

TRUE: Sequence[tuple[str, dict[str, Any]]] = [
    *(
        ("routed", {"quote": quote, "rule": rule})
        for quote, rule in [
            ("Every invoice lands with Tom.", "Hand invoices to Tom."),
            ("The user wants Tom to have the invoices.", "Give invoices to Tom straight away."),
            ("Invoices that come in are passed to Tom, one after another.", "Pass each invoice on to Tom."),
            ("Tom takes care of invoices.", ""),
            ("What concerns an invoice is moved to Tom's desk.", "Forward any invoice to Tom."),
            ("All 12 invoices were later sent to Tom.", "When an invoice arrives, Tom gets it."),
            ("Tom is the one for invoices.", "For an invoice, choose Tom."),
            ("Invoices are routed to Tom rather than left where they were.", "Route invoices to Tom."),
            ("The user redirects invoices to Tom every time.", "Redirect invoices to Tom."),
            ("Invoices belong to Tom.", "Let Tom have the invoices."),
            ("An invoice always ends up with Tom.", "Tom handles invoices."),
            ("In 12 of 12 cases the invoice went to Tom.", "Send invoices to Tom without asking."),
            ("For invoices Tom is the right person.", "Send invoices to Tom at once."),
        ]
    ),
    *(
        ("shorter", {"quote": quote, "rule": rule})
        for quote, rule in [
            ("Reports to Kim are cut down before they leave.", "Write shorter reports to Kim."),
            ("The user shortens what goes to Kim Roy.", "Keep it short with Kim Roy."),
            ("For Kim the user makes things briefer.", "Be brief with Kim."),
            ("Drafts for Kim Roy are too long and get trimmed.", "Draft less text for Kim Roy."),
            ("Kim prefers fewer words; the user takes parts out.", "Use fewer words for Kim."),
            ("With Kim one paragraph less is usual.", "Leave a paragraph out for Kim."),
            ("What Kim is sent is reduced each time.", ""),
            ("Ten times a draft to Kim was made shorter.", "Make drafts to Kim shorter."),
            ("Kim's reports lose a part of their text.", "Reports to Kim: half as long."),
            ("Length is a problem in reports to Kim.", "Mind the length in reports to Kim."),
            ("The user never sends Kim a long report.", "Send Kim no long report."),
            ("Everything for Kim Roy ends up shorter.", "Shorten everything for Kim Roy."),
            ("The user edits reports to Kim for length.", "Watch the length of reports to Kim."),
        ]
    ),
    *(
        ("refused", {"quote": quote, "rule": rule})
        for quote, rule in [
            ("The user says no to contracts above 10,000.", "Check with the user on contracts above 10,000."),
            ("Contracts over 10,000 are turned down.", "For contracts over 10,000, talk to the user first."),
            ("A contract of more than 10,000 is not approved.", "Never send a contract above 10,000 yourself."),
            ("Large contracts, above 10,000, get rejected.", "Ask first for contracts above 10,000."),
            ("Contracts beyond 10,000 were all refused.", "Do not draft contracts beyond 10,000 before asking."),
            ("Drafts of contracts above 10,000 never pass.", "Show figures for a contract above 10,000."),
            ("Nine contracts above 10,000 were rejected.", ""),
            ("The user declines contracts above 10,000.", "Leave contracts above 10,000 to the user."),
            ("With contracts the limit is 10,000: more is rejected.", "Contracts above 10,000 need the user."),
            ("Rejected: contracts above 10,000, one and all.", "Hold contracts above 10,000 for the user."),
            ("No contract above 10,000 was approved.", "Wait for the user on contracts above 10,000."),
            ("The user rejects drafts of contracts above 10,000.", "Stop at contracts above 10,000."),
            ("Contracts above 10,000: rejected, every time.", "Raise contracts above 10,000 with the user."),
            ("Above 10,000 a contract is denied.", "Above 10,000, discuss the contract first."),
        ]
    ),
]  # fmt: skip

FALSE: Sequence[tuple[str, str, dict[str, Any]]] = [
    # an end that did not come
    ("end", "routed", {"quote": "Invoices to Tom are rejected."}),
    ("end", "routed", {"quote": "Invoices for Tom are approved without change."}),
    ("end", "shorter", {"quote": "Reports to Kim are rejected."}),
    ("end", "refused", {"quote": "Contracts above 10,000 are approved."}),
    # an act that was not done
    ("act", "routed", {"quote": "Invoices to Tom are archived and removed."}),
    ("act", "shorter", {"quote": "Reports to Kim are forwarded."}),
    ("act", "shorter", {"quote": "Reports to Kim are lengthened."}),
    ("act", "shorter", {"rule": "Add more text to reports to Kim."}),
    # another person, or one that is not there
    ("person", "routed", {"quote": "Invoices go to Lea, not Tom."}),
    ("person", "routed", {"result": is_("to", "Lea"), "quote": "Invoices go to Lea."}),
    ("person", "shorter", {"quote": "Max and Kim get short reports."}),
    ("person", "refused", {"rule": "Give contracts above 10,000 to Sharon."}),
    # another thing
    ("thing", "routed", {"quote": "Invoices and quotes go to Tom."}),
    ("thing", "routed", {"where": (is_("topic", "quote"),), "quote": "Quotes go to Tom."}),
    ("thing", "shorter", {"quote": "Contracts to Kim are trimmed."}),
    ("thing", "refused", {"rule": "Reject questions and contracts above 10,000."}),
    # a number that was not counted
    ("number", "routed", {"evidence": "all 57 invoices"}),
    ("number", "routed", {"quote": "Invoices above 5,000 go to Tom."}),
    ("number", "shorter", {"rule": "Keep reports to Kim below 80 words."}),
    ("number", "refused", {"evidence": "in 9 of 41 contracts"}),
    # a bound on the wrong side
    ("bound", "refused", {"where": (is_("topic", "contract"),), "quote": "Contracts are rejected.", "rule": ""}),
    ("bound", "refused", {"quote": "Contracts above 1,000 are rejected.", "where": (
        is_("topic", "contract"), above("1000"))}),
    ("bound", "refused", {"quote": "Contracts up to 10,000 are rejected.", "where": (
        is_("topic", "contract"), Condition(field="amount", relation=ConditionOperator.AT_MOST, value="10000"))}),
    ("bound", "routed", {"quote": "Invoices from 2,000 on go to Tom.", "where": (
        is_("topic", "invoice"), above("2000"))}),
    # a circumstance left out: said of everything
    ("sweeping", "routed", {"quote": "Everything goes to Tom.", "rule": ""}),
    ("sweeping", "routed", {"where": (), "quote": "Mail goes to Tom.", "rule": "Send mail to Tom."}),
    ("sweeping", "shorter", {"rule": "Keep all drafts short."}),
    ("sweeping", "refused", {"rule": "Ask before drafting contracts."}),
    # a time at which it was not
    ("time", "routed", {"quote": "On Sundays invoices go to Tom."}),
    ("time", "shorter", {"quote": "In the evening reports to Kim are trimmed."}),
    ("time", "refused", {"quote": "Contracts above 10,000 are rejected on Fridays."}),
    ("time", "routed", {
        "where": (is_("topic", "invoice"), Condition(field="time", relation=ConditionOperator.FROM, value="23:30")),
        "quote": "From 23:30 on invoices go to Tom."}),
    # wordings that are none of it, or are other deeds
    ("wordings", "shorter", {"wordings": ("cut second paragraph", "sang a song")}),
    ("wordings", "shorter", {"wordings": ("cut second paragraph",)}),
    ("wordings", "shorter", {
        "where": (), "wordings": ("answered question",), "quote": "Questions are trimmed.", "rule": ""}),
    ("wordings", "refused", {"wordings": ("wants to see figures first",)}),
    # episodes that do not show it
    ("episodes", "routed", {"episodes": (*ids("i")[:8], *ids("q")[:3])}),
    ("episodes", "routed", {"episodes": ids("q"), "quote": "Invoices go to Tom."}),
    ("episodes", "shorter", {"episodes": (*ids("k"), *ids("a")[:2])}),
    ("episodes", "refused", {"episodes": (*ids("c")[:5], *ids("e")[:3])}),
]  # fmt: skip


def test_forty_natural_wordings_of_what_is_true_are_taken() -> None:
    refused = [
        (change["quote"], found[0].reason)
        for base, change in TRUE
        if (found := check_proposals([replace(BASES[base], **change)], OFFICE)[1])
    ]
    assert len(TRUE) == 40
    assert len(refused) <= 0.15 * len(TRUE), refused


def test_all_that_is_false_is_refused() -> None:
    with every_row() as row:
        for kind, base, change in FALSE:
            with row(kind, base, change):
                patterns, refused = check_proposals([replace(BASES[base], **change)], OFFICE)
                assert patterns == []
                assert refused[0].reason


def test_there_are_forty_falsehoods_of_ten_kinds() -> None:
    assert (len(FALSE), len({kind for kind, _, _ in FALSE})) == (40, 10)


@settings(max_examples=40, deadline=None)
@given(st.text(), st.text(), st.text(), st.lists(st.sampled_from([deed.id for deed in DEEDS]), max_size=8), st.text())
def test_no_proposal_whatever_breaks_the_check(
    category: str, quote: str, rule: str, episodes: list[str], value: str
) -> None:
    wild = Proposal(
        category=category,
        quote=quote,
        evidence=quote,
        rule=rule,
        episodes=tuple(episodes),
        where=tuple(
            Condition(field=name, relation=each, value=value) for name in (value, "time") for each in ConditionOperator
        ),
        wordings=(value,),
    )
    tame = replace(wild, category="people", where=(), wordings=("semicolon",), result=is_("contact", value))
    patterns, refused = check_proposals([wild, tame], DEEDS[:40])
    assert len(patterns) + len(refused) == 2
