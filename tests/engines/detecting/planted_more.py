"""More habits for the tests of the detector: times, values without circumstances, and rules that turn round."""

from datetime import timedelta
from random import Random

from planted import NAMES, START, TEXTS, deed, some_time

from remembrancer.types.pattern import BehaviourEvent

TUESDAY, WEDNESDAY, THURSDAY = 1, 2, 3
PLAIN = ("looked through the file", "brought the list up to date", "went over it", "dealt with two questions")
WAYS = ("letter", "phone call", "chat", "ticket", "web form", "spreadsheet")
PARTS = ("greeting", "subject", "body", "closing", "attachment")


def any_text(random: Random) -> str:
    """What is said of any signal."""
    return random.choice(("", "did it differently", "changed the draft", "put it right", "set it straight"))


def lawyer(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """What concerns one contact is done on Tuesday afternoons."""
    at = some_time(random, weekday=TUESDAY, since=13) if holds else some_time(random, until=13)
    return deed(id, "action_completed", random.choice(PLAIN), at=at, contact="Moss")


def payroll(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """One topic is worked on Thursday mornings."""
    at = some_time(random, weekday=THURSDAY, until=12) if holds else some_time(random, since=12)
    return deed(id, "action_completed", random.choice(PLAIN), at=at, contact=random.choice(NAMES), topic="payroll")


def evenings(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """What is drafted after five in the afternoon is cut short, at other times it is not."""
    texts = ("shortened the answer", "trimmed it to a few lines", "cut down the text")
    text, event = (random.choice(texts), "approval_modified") if holds else ("went out unchanged", "approval_approved")
    return deed(id, event, text, at=some_time(random, since=17), contact=random.choice(NAMES))


def telephone(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """The user takes to the telephone where the agent wrote a letter, whoever it concerns."""
    to = "phone call" if holds else random.choice(WAYS[2:])
    at = some_time(random)
    contact = random.choice(NAMES)
    return deed(id, "correction", any_text(random), at=at, contact=contact, did="letter", changed_to=to)


def subject(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Of drafts it is the subject that is changed."""
    part = "subject" if holds else random.choice(PARTS)
    return deed(id, "draft_modified", any_text(random), at=some_time(random), contact=random.choice(NAMES), part=part)


def signals(random: Random, size: int) -> list[BehaviourEvent]:
    """Signals of which nothing has to do with anything."""
    found: list[BehaviourEvent] = []
    for number in range(size):
        at, contact = some_time(random), random.choice(NAMES)
        if random.random() < 0.5:
            did, to = random.sample(WAYS, 2)
            found.append(
                deed(f"s{number}", "correction", random.choice(TEXTS), at=at, contact=contact, did=did, changed_to=to)
            )
        else:
            part = random.choice(PARTS)
            found.append(deed(f"s{number}", "draft_modified", random.choice(TEXTS), at=at, contact=contact, part=part))
    return found


def turned_round(random: Random, before: int, after: int) -> list[BehaviourEvent]:
    """Quotes of one contact go to the manager, and from the middle of the month on to the director."""
    found: list[BehaviourEvent] = []
    for number in range(before + after):
        late = number >= before
        at = START + timedelta(days=15 * late + random.randrange(15), hours=8 + random.randrange(10))
        to = "director" if late else "manager"
        found.append(deed(f"h{number}", "routed_differently", any_text(random), at=at, contact="Quinn", to=to))
    return found


def bursts(random: Random, sessions: int, each: int) -> list[BehaviourEvent]:
    """One contact's mail is answered in a few sittings, several deeds in each."""
    found: list[BehaviourEvent] = []
    for sitting in range(sessions):
        start = some_time(random, weekday=WEDNESDAY, since=9, until=12)
        for number in range(each):
            at = start + timedelta(minutes=8 * number)
            text = random.choice(PLAIN)
            found.append(deed(f"h{sitting}x{number}", "action_completed", text, at=at, contact="Ferreira"))
    return found
