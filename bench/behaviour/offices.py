"""Offices in which a detector is led to say what nobody would sign, and what a person there would say.

A seed is one agent's 30 days: drafts, most of them approved, and what comes in and is sent on. Planted are

- *incidental*: three corrections, each in one of ten to one of twenty drafts, whatever they are about;
- *twofold*: one kind of thing that is nearly always dealt with in the same hour and always in the same way, while other
  things come in that hour too: the thing explains it, the hour does not;
- *plain*: two habits that are no more than they look like;
- *ranges*: meetings that are moved to no earlier, or no later, than an hour, each to another.

The wordings are read by no detector code and no test.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from remembrancer.types.episode import Entity
from remembrancer.types.pattern import BehaviourEvent, Pattern

DAYS = 30
MOSTLY = 0.6
_PEOPLE = (
    "Ana Kovac", "Piet Vermeer", "Lin Wu", "Omar Said", "Judith Stern", "Kofi Mensah", "Rosa Lima", "Ivo Marek",
    "Mette Dahl", "Hugo Blanc", "Nora Quinn", "Tariq Aziz", "Elsa Berg", "Paulo Reis", "Mina Park", "Gus Webb",
)  # fmt: skip
_TOPICS = (
    "invoice",
    "quote",
    "booking",
    "complaint",
    "delivery",
    "warranty",
    "survey",
    "timesheet",
    "permit",
    "sample",
)
_ORDINARY = (
    "answered {contact} about the {topic}", "replied on the {topic}", "wrote to {contact}, {topic}",
    "note to {contact} on {topic} sent", "confirmed the {topic}", "{topic}: answer sent", "follow-up on {topic}",
)  # fmt: skip
_INCIDENTAL = {
    "number": (
        "added the customer number",
        "put in the customer number",
        "customer number added",
        "wrote in the number",
    ),
    "exclamation": ("took out an exclamation mark", "removed the exclamation mark", "exclamation mark deleted"),
    "greeting": ("shortened the greeting", "greeting made shorter", "cut the greeting down"),
    "attachment": ("replaced the attachment", "swapped the attached file", "attachment exchanged"),
    "date": ("corrected the date", "fixed the date", "date set right"),
    "link": ("removed a link", "dropped the link", "took the link out"),
    "sentence": ("added a sentence at the end", "one more sentence at the end", "inserted a closing sentence"),
    "bold": ("bold type removed", "took the bold off", "removed bold in second paragraph"),
}
_SENT = ("sent the {topic} on to {to}", "{topic} handed to {to}", "passed the {topic} to {to}", "gave {to} the {topic}")
_MOVED = ("moved the meeting from {a} to {b}", "meeting moved from {a} to {b}", "pushed the meeting from {a} to {b}")
_SHORTER = (
    "shortened the reply to {contact}",
    "cut the answer to {contact} down",
    "made the answer shorter",
    "trimmed the reply",
)
_REFUSED = ("wants to write this alone", "not sent", "no, will do it alone")
_TOOLS = ("the tracker", "the shared sheet", "the phone", "the portal")
_FORMATS = (("docx", "pdf"), ("xlsx", "csv"), ("Arial", "Verdana"), ("Kind regards", "Best wishes"), ("USD", "EUR"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """What happened in an office, and why.

    Args:
        why: the name of what was planted, for the id of each deed that comes of it.
    """

    deeds: Sequence[BehaviourEvent]
    why: Mapping[str, str]


@dataclass(slots=True)
class _Making:
    rng: Random
    deeds: list[BehaviourEvent]
    why: dict[str, str]

    def add(self, day: date, at: time, *, why: str = "", event: str, outcome: str = "", text: str, contact: str = "",
            attributes: Mapping[str, str | int | float | bool] | None = None) -> None:  # fmt: skip
        id = f"d{len(self.deeds):04}"
        self.deeds.append(
            BehaviourEvent(
                id=id,
                at=datetime.combine(day, at, ZoneInfo("Europe/Amsterdam")),
                event=event,
                outcome=outcome,
                text=text,
                entities=(Entity(type="contact", name=contact),) if contact else (),
                attributes=dict(attributes or {}),
            )
        )
        if why:
            self.why[id] = why

    def clock(self, first: float, last: float) -> time:
        minutes = int(self.rng.uniform(first, last) * 60)
        return time(minutes // 60, minutes % 60)


def office(seed: int) -> Office:
    """The office of a seed; the same seed gives the same office."""
    rng = Random(f"office/{seed}")
    people = rng.sample(_PEOPLE, 12)
    contacts, colleagues = people[:7], people[7:]
    topics = rng.sample(_TOPICS, 7)
    making = _Making(rng, [], {})
    first = date(2026, 3, 2) + timedelta(weeks=rng.randrange(20))
    days = [day for day in (first + timedelta(days=n) for n in range(DAYS)) if day.weekday() < 5]
    incidental = {name: rng.uniform(0.05, 0.1) for name in rng.sample(sorted(_INCIDENTAL), 3)}
    short, refused = contacts[0], topics[6]
    habits: list[Callable[[date], None]] = [
        lambda day: _drafts(making, day, contacts, topics[:5], incidental, short),
        _twofold(making, topics[5], colleagues[0], topics[:5], colleagues[1:]),
        rng.choice((_formats, _tools))(making, topics),
        rng.choice((_ranges, _refusals))(making, refused, contacts),
    ]
    for day in days:
        for habit in habits:
            habit(day)
    made = sorted(making.deeds, key=lambda deed: deed.at)
    return Office(deeds=made, why=making.why)


def _drafts(
    making: _Making,
    day: date,
    contacts: Sequence[str],
    topics: Sequence[str],
    incidental: Mapping[str, float],
    short: str,
) -> None:
    rng = making.rng
    for _ in range(rng.choice((3, 4, 5))):
        contact, topic = rng.choice(contacts), rng.choice(topics)
        told = {"contact": contact, "topic": topic}
        at = making.clock(9, 17.5)
        corrected = next((name for name, share in incidental.items() if rng.random() < share), "")
        if contact == short and rng.random() < 0.85:
            text = rng.choice(_SHORTER).format(**told)
            making.add(day, at, why="plain: shorter", event="approval_modified", outcome="modified", text=text,
                       contact=contact, attributes={"topic": topic})  # fmt: skip
        elif corrected:
            text = rng.choice(_INCIDENTAL[corrected])
            making.add(day, at, why=f"incidental: {corrected}", event="approval_modified", outcome="modified",
                       text=text, contact=contact, attributes={"topic": topic})  # fmt: skip
        else:
            text = rng.choice(_ORDINARY).format(**told)
            making.add(day, at, event="approval_approved", outcome="approved", text=text, contact=contact,
                       attributes={"topic": topic})  # fmt: skip


def _twofold(
    making: _Making, thing: str, to: str, others: Sequence[str], elsewhere: Sequence[str]
) -> Callable[[date], None]:
    rng = making.rng
    hour = rng.choice((9.0, 11.0, 13.5, 16.0))
    by_signal = rng.random() < 0.5

    def happen(day: date) -> None:
        for _ in range(rng.choice((0, 1, 1, 2))):
            at = making.clock(hour, hour + 1.5) if rng.random() < 0.92 else making.clock(9, 17.5)
            send(day, at, thing, to, "twofold")
        for _ in range(rng.choice((1, 2, 2))):
            topic = rng.choice(others)
            at = making.clock(hour, hour + 1.5) if rng.random() < 0.2 else making.clock(9, 17.5)
            send(day, at, topic, rng.choice(elsewhere), "")

    def send(day: date, at: time, topic: str, who: str, why: str) -> None:
        if by_signal:
            making.add(day, at, why=why, event="routed_differently", text=f"{topic} went to another desk",
                       attributes={"to": who, "topic": topic})  # fmt: skip
        else:
            text = rng.choice(_SENT).format(topic=topic, to=who)
            making.add(day, at, why=why, event="action_completed", outcome="done", text=text,
                       attributes={"to": who, "topic": topic})  # fmt: skip

    return happen


def _formats(making: _Making, topics: Sequence[str]) -> Callable[[date], None]:
    rng = making.rng
    did, to = rng.choice(_FORMATS)

    def happen(day: date) -> None:
        if rng.random() < 0.6:
            held = rng.random() < 0.93
            making.add(day, making.clock(9, 17.5), why="plain: format" if held else "", event="correction",
                       text=f"did {did}, changed to {to}" if held else f"did {did}, changed to something else",
                       attributes={"did": did, "changed_to": to if held else "other",
                                   "topic": rng.choice(topics)})  # fmt: skip

    return happen


def _tools(making: _Making, topics: Sequence[str]) -> Callable[[date], None]:
    rng = making.rng
    tool, topic = rng.choice(_TOOLS), topics[4]

    def happen(day: date) -> None:
        for _ in range(rng.choice((0, 1, 2))):
            about = rng.choice((topic, *topics[:4]))
            used = tool if about == topic and rng.random() < 0.92 else rng.choice(_TOOLS)
            making.add(day, making.clock(9, 17.5), why="plain: tool" if (about, used) == (topic, tool) else "",
                       event="action_completed", outcome="done", text=f"looked into the {about}",
                       attributes={"tool": used, "topic": about})  # fmt: skip

    return happen


def _refusals(making: _Making, topic: str, contacts: Sequence[str]) -> Callable[[date], None]:
    rng = making.rng

    def happen(day: date) -> None:
        if rng.random() < 0.5:
            held = rng.random() < 0.9
            making.add(day, making.clock(9, 17.5), why="plain: refused" if held else "",
                       event="approval_rejected" if held else "approval_approved",
                       outcome="rejected" if held else "approved",
                       text=rng.choice(_REFUSED) if held else f"answered on the {topic}",
                       contact=rng.choice(contacts), attributes={"topic": topic})  # fmt: skip

    return happen


def _ranges(making: _Making, _: str, contacts: Sequence[str]) -> Callable[[date], None]:
    rng = making.rng
    later = rng.random() < 0.5
    bound = rng.choice((9.5, 10.0, 10.5)) if later else rng.choice((16.0, 16.5, 17.0))

    def happen(day: date) -> None:
        if rng.random() < 0.65:
            before, after = rng.uniform(0.5, 2), rng.choice((0, 0.5, 1, 1.5, 2, 3))
            a, b = (bound - before, bound + after) if later else (bound + before, bound - after)
            told = {"a": _told(a), "b": _told(b)}
            making.add(day, making.clock(9, 17.5), why="ranges", event="user_correction", outcome="modified",
                       text=rng.choice(_MOVED).format(**told), contact=rng.choice(contacts))  # fmt: skip

    return happen


def _told(hour: float) -> str:
    quarters = round(hour * 4)
    return f"{quarters // 4}:{quarters % 4 * 15:02}"


def reason(pattern: Pattern, found: Office) -> str:
    """Why most of what a pattern cites happened; `""` where it has no one reason."""
    whys = [found.why.get(id, "") for id in pattern.episodes]
    most = max(sorted(set(whys)), key=whys.count)
    return most if whys.count(most) >= MOSTLY * len(whys) else ""
