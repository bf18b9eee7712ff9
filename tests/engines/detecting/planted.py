"""Deeds for the tests of the detector: noise in which nothing has to do with anything, and habits among it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from remembrancer.types.episode import OUTCOME_OF, Entity, Event
from remembrancer.types.pattern import BehaviourEvent

START = datetime(2026, 6, 1, tzinfo=UTC)
FRIDAY, MONDAY = 4, 0
EVENTS = (
    *("action_completed", "approval_approved", "approval_rejected", "approval_modified", "exception_raised"),
    *("user_correction", "draft_modified", "routed_differently"),
)
NAMES = ("Bertelli", "Lara", "Moss", "Quinn", "Adler", "Rossi", "Kim", "Tanaka")
TOPICS = ("orders", "invoices", "travel", "quotes", "support")
TOOLS = ("mail", "spreadsheet", "calendar", "form")
TEXTS = (
    *("answered a question on delivery", "filed the receipt", "sent the weekly report", "booked a meeting room"),
    *("updated the price list", "renamed the folder", "corrected the date", "shortened the introduction"),
    *("deleted a duplicate row", "added the missing signature", "asked for a form", "moved the call"),
    *("translated the summary", "checked the stock", "removed a broken link", "forwarded the newsletter"),
    *("archived an old thread", "changed the currency", "prepared an offer", "scheduled a visit"),
)
SEMICOLONS = (
    "removed semicolon from third paragraph",
    "deleted a semicolon",
    "took out the semicolon in line two",
    "stripped semicolons",
    "semicolon removed from first section",
)


def deed(
    id: str,
    event: str = "approval_modified",
    text: str = "",
    *,
    at: datetime = START,
    contact: str = "",
    **attributes: str | float | bool,
) -> BehaviourEvent:
    """One deed."""
    return BehaviourEvent(
        id=id,
        at=at,
        event=event,
        outcome=OUTCOME_OF[Event(event)].value if event in list(Event) else "",
        text=text,
        entities=(Entity(type="contact", name=contact),) if contact else (),
        attributes=attributes,
    )


def some_time(random: Random, *, weekday: int | None = None, since: float = 8, until: float = 19) -> datetime:
    """A time of June 2026 on a weekday and between two hours, if they matter."""
    while True:
        at = START + timedelta(days=random.randrange(30), hours=random.randrange(8, 19), minutes=random.randrange(60))
        if weekday in (None, at.weekday()) and since <= at.hour + at.minute / 60 < until:
            return at


def noise(random: Random, size: int, *, skew: float = 0.5) -> list[BehaviourEvent]:
    """Deeds in which nothing has to do with anything; the greater `skew`, the more the first values prevail."""

    def any_of(values: Sequence[str]) -> str:
        return random.choices(values, [(place + 1) ** -skew for place in range(len(values))])[0]

    found: list[BehaviourEvent] = []
    for number in range(size):
        attributes: dict[str, str | float | bool] = {}
        if random.random() < 0.7:
            attributes["topic"] = any_of(TOPICS)
        if random.random() < 0.6:
            attributes["tool"] = any_of(TOOLS)
        if random.random() < 0.5:
            attributes["amount"] = round(random.lognormvariate(7, 1.5), 2)
        if random.random() < 0.3:
            attributes["urgent"] = random.random() < 0.2
        contact = any_of(NAMES) if random.random() < 0.9 else ""
        at = some_time(random)
        found.append(deed(f"n{number}", any_of(EVENTS), any_of(TEXTS), at=at, contact=contact, **attributes))
    return found


Habit = Callable[[Random, str, bool], BehaviourEvent]


def semicolons(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Semicolons are removed from any draft."""
    event = random.choice(("approval_modified", "draft_modified")) if holds else "approval_approved"
    text = random.choice(SEMICOLONS) if holds else "sent as drafted"
    return deed(id, event, text, at=some_time(random), contact=random.choice(NAMES))


def exclamations(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """No exclamation marks with one contact."""
    texts = ("removed exclamation mark", "deleted the exclamation marks", "took out an exclamation mark")
    text = random.choice(texts) if holds else "sent as drafted"
    event = "approval_modified" if holds else "approval_approved"
    return deed(id, event, text, at=some_time(random), contact="Bertelli")


def fridays(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """On Fridays after 14:30 everything waits."""
    texts = ("deferred the reply to Monday", "put off the answer", "postponed the task", "moved to next week")
    text = random.choice(texts) if holds else "answered at once"
    at = some_time(random, weekday=FRIDAY, since=14.5)
    return deed(id, "action_completed", text, at=at, contact=random.choice(NAMES))


def mondays(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Invoices are booked on Monday mornings."""
    text = random.choice(("booked a bill", "processed the batch", "entered one by hand"))
    at = some_time(random, weekday=MONDAY, until=12) if holds else some_time(random, weekday=random.randrange(1, 5))
    return deed(id, "action_completed", text, at=at, contact=random.choice(NAMES), topic="bills")


def inbox(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Mail of one contact is not to be archived."""
    texts = ("moved mail back to the inbox", "restored archived mail", "pulled the mail out of the archive")
    text, event = (random.choice(texts), "user_correction") if holds else ("archived the mail", "action_completed")
    return deed(id, event, text, at=some_time(random), contact="Lara")


def manager(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Quotes of one contact go to the manager."""
    text = random.choice(("handed the request on", "forwarded it"))
    to = "manager" if holds else "support desk"
    attributes: dict[str, str] = {"topic": "quotes", "from": "sales", "to": to}
    return deed(id, "routed_differently", text, at=some_time(random), contact="Quinn", **attributes)


def spreadsheet(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Expenses are kept in the spreadsheet, not in the web form."""
    to = "spreadsheet" if holds else "pdf"
    contact = random.choice(NAMES)
    at = some_time(random)
    return deed(
        id, "user_correction", "entered expenses", at=at, contact=contact, topic="costs", did="web form", changed_to=to
    )


def amounts(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Offers above 10,000 are rejected."""
    event = "approval_rejected" if holds else "approval_approved"
    at = some_time(random)
    contact = random.choice(NAMES)
    return deed(id, event, "wrote an offer", at=at, contact=contact, amount=round(random.uniform(10_100, 40_000), 2))


def repeated(
    habit: Habit, random: Random, times: int, *, holds: float = 1.0, prefix: str = "h"
) -> list[BehaviourEvent]:
    """A habit until it has held so many times, with exceptions."""
    found: list[BehaviourEvent] = []
    held = 0
    while held < times:
        good = random.random() < holds
        found.append(habit(random, f"{prefix}{len(found)}", good))
        held += good
    return found
