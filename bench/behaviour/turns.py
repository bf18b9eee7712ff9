"""Working lives in which habits end, turn into their opposite, or change their object half-way.

A seed is one agent's weeks: mail, an office, a calendar or code review, in English or German. Five habits are planted.
Each of them begins in the first days. Of five, one goes on, one ends (its occasions still come up, and go any way), and
the others turn: into the opposite, or to another person, tool or value. The wordings are read by no detector code and
no test.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

from remembrancer.types.new import Attribute, NewEpisode

FIRST = datetime(2026, 1, 5, tzinfo=UTC)
DAYS = 70
# In so many of its occasions a habit holds.
HELD = 0.95
_PEOPLE = ("Ana Kovac", "Piet Vermeer", "Lin Wu", "Omar Said", "Judith Stern", "Kofi Mensah", "Rosa Lima", "Ivo Marek")
_COLLEAGUES = ("Tom", "Lea", "Ravi", "Greta", "Nils", "Hanna")
# Of each kind of life, in each language: topics, tools, and the values that a priority may have.
_TOPICS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "mail": {
        "english": ("invoice", "order", "refund", "contract", "newsletter", "support"),
        "german": ("Rechnung", "Bestellung", "Erstattung", "Vertrag", "Rundbrief", "Anfrage"),
    },
    "office": {
        "english": ("timesheet", "permit", "survey", "delivery", "warranty", "travel"),
        "german": ("Stundenzettel", "Genehmigung", "Umfrage", "Lieferung", "Garantie", "Reise"),
    },
    "calendar": {
        "english": ("interview", "review", "workshop", "visit", "briefing", "lunch"),
        "german": ("Gespräch", "Rückblick", "Schulung", "Besuch", "Besprechung", "Mittagessen"),
    },
    "code": {
        "english": ("migration", "endpoint", "parser", "build", "dashboard", "cache"),
        "german": ("Migration", "Endpunkt", "Parser", "Build", "Übersicht", "Zwischenspeicher"),
    },
}
_TOOLS = {
    "english": ("spreadsheet", "phone", "portal", "tracker", "wiki"),
    "german": ("Tabelle", "Telefon", "Portal", "Ticketsystem", "Wiki"),
}
_ORDINARY = {
    "english": (
        "answered a question on the {topic}", "looked something up for {contact}", "filed the {topic}",
        "note on the {topic} sent to {contact}", "checked a date with {contact}", "closed an old thread",
        "confirmed the {topic}", "sent {contact} the papers",
    ),
    "german": (
        "Frage zu {topic} beantwortet", "für {contact} etwas nachgesehen", "{topic} abgelegt",
        "Notiz zu {topic} an {contact} geschickt", "Datum mit {contact} geklärt", "alten Vorgang geschlossen",
        "{topic} bestätigt", "{contact} die Unterlagen geschickt",
    ),
}  # fmt: skip
# A thing of drafts, with the wordings in which it is taken out and in which it is put in.
_THINGS: Mapping[str, Sequence[tuple[Sequence[str], Sequence[str]]]] = {
    "english": (
        (
            ("removed the exclamation marks", "took the exclamation marks out", "exclamation marks deleted"),
            ("added exclamation marks", "put in exclamation marks", "exclamation marks added"),
        ),
        (
            ("removed the order number", "took out the order number", "order number struck out"),
            ("added the order number", "inserted the order number", "order number put in"),
        ),
        (
            ("dropped the disclaimer", "disclaimer removed", "left the disclaimer out"),
            ("added the disclaimer", "inserted the disclaimer", "disclaimer added"),
        ),
        (
            ("removed the emojis", "deleted emojis at the end", "emojis taken out"),
            ("added emojis", "emojis added", "put in emojis"),
        ),
    ),
    "german": (
        (
            ("Ausrufezeichen entfernt", "die Ausrufezeichen gestrichen", "Ausrufezeichen gelöscht"),
            ("Ausrufezeichen ergänzt", "Ausrufezeichen hinzugefügt", "Ausrufezeichen eingefügt"),
        ),
        (
            ("Bestellnummer gestrichen", "die Bestellnummer entfernt", "Bestellnummer gelöscht"),
            ("Bestellnummer ergänzt", "die Bestellnummer eingefügt", "Bestellnummer hinzugefügt"),
        ),
    ),
}
_LENGTHS = {
    "english": (
        ("shortened the reply", "cut the reply down", "made the reply shorter", "trimmed the answer"),
        ("lengthened the reply", "made the reply longer", "expanded the answer", "fleshed the reply out"),
    ),
    "german": (
        ("Antwort gekürzt", "die Antwort gestrafft", "Antwort kürzer gemacht"),
        ("Antwort verlängert", "die Antwort ausgebaut", "Antwort länger gemacht"),
    ),
}
_SENT = {
    "english": ("sent the {topic} on to {to}", "passed the {topic} to {to}", "handed the {topic} to {to}"),
    "german": ("{topic} an {to} weitergeleitet", "{topic} an {to} übergeben", "{topic} an {to} weitergegeben"),
}
_REFUSED = {
    "english": ("not like this", "wants to see it first", "held back the {topic}"),
    "german": ("so nicht", "will es erst sehen", "{topic} zurückgehalten"),
}
_CLOSINGS = {
    "english": (("Best", "Kind regards", "Yours"), ("changed the closing", "other closing words", "closing replaced")),
    "german": (("Gruß", "Viele Grüße", "Herzlich"), ("Grußformel geändert", "andere Grußformel", "Schluss ersetzt")),
}
_USED = {
    "english": ("dealt with the {topic}", "worked on the {topic}", "{topic} done"),
    "german": ("{topic} bearbeitet", "an {topic} gearbeitet", "{topic} erledigt"),
}
_MOVED = {
    "english": ("moved the meeting from {a} to {b}", "meeting moved from {a} to {b}"),
    "german": ("Termin von {a} auf {b} verlegt", "Termin von {a} auf {b} verschoben"),
}
_GIVEN = {"english": ("set the priority", "priority changed"), "german": ("Priorität gesetzt", "Priorität geändert")}
_HIGH = {"english": ("high", "low"), "german": ("hoch", "niedrig")}

Doing = Callable[[], NewEpisode]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A habit as it is until it ends or turns.

    Args:
        habit: its name, the same before and after a turn.
        kind: of which kind it is.
        last: the first day on which it no longer is so.
        how: `goes on`, `ends` or `turns`; `ended` and `turned` of what comes after.
    """

    habit: str
    kind: str
    first: int
    last: int
    how: str
    done: Doing
    each: float


class Turning:
    """One life, day by day."""

    def __init__(self, seed: int) -> None:
        self._chance = chance = Random(f"turns/{seed}")
        self.tongue = ("english", "german")[seed // 4 % 2]
        self.field = ("mail", "office", "calendar", "code")[seed % 4]
        self.topics = chance.sample(_TOPICS[self.field][self.tongue], 6)
        self.people = chance.sample(_PEOPLE, 8)
        self.phases = list(self._planned())

    def day(self, number: int) -> list[tuple[NewEpisode, Phase | None]]:
        """What happens on a day, and of which phase of a habit it comes."""
        chance = self._chance
        if number % 7 > 4:
            return []
        found: list[tuple[NewEpisode, Phase | None]] = [(self._ordinary(), None) for _ in range(chance.randrange(4, 9))]
        for phase in self.phases:
            if phase.first <= number < phase.last and chance.random() < phase.each:
                held = phase.how != "ended" and chance.random() < HELD
                found.append((phase.done(), phase) if held else (self._otherwise(phase), None))
        day = FIRST + timedelta(days=number)
        return [
            (replace(one, occurred_at=day + timedelta(minutes=chance.randrange(8 * 60, 18 * 60))), phase)
            for one, phase in found
        ]

    def _planned(self) -> list[Phase]:
        chance = self._chance
        kinds = chance.sample(sorted(self._kinds()), 5)
        found: list[Phase] = []
        for at, kind in enumerate(kinds):
            first, turn = chance.randrange(4), chance.randrange(26, 38)
            before, after = self._kinds()[kind](at)
            how = "goes on" if at == 0 else "ends" if at == 1 else "turns"
            last = DAYS if how == "goes on" else turn
            each = chance.uniform(0.45, 0.8)
            found.append(
                Phase(habit=f"{kind}/{at}", kind=kind, first=first, last=last, how=how, done=before, each=each)
            )
            if how != "goes on":
                more, done = ("ended", before) if how == "ends" else ("turned", after)
                found.append(
                    Phase(habit=f"{kind}/{at}", kind=kind, first=turn, last=DAYS, how=more, done=done, each=each)
                )
        return found

    def _kinds(self) -> Mapping[str, Callable[[int], tuple[Doing, Doing]]]:
        return {
            "routed": self._routed, "thing": self._thing, "length": self._length, "refused": self._refused,
            "closing": self._closing, "tool": self._tool, "moved": self._moved, "given": self._given,
        }  # fmt: skip

    def _routed(self, at: int) -> tuple[Doing, Doing]:
        first, one, other = self._chance.sample(_COLLEAGUES, 3)
        topic, said = self.topics[at], _SENT[self.tongue]

        def to(person: str) -> Doing:
            return lambda: self._new(said, "user_correction", topic=topic, to=person, more={"from": first})

        return to(one), to(other)

    def _thing(self, at: int) -> tuple[Doing, Doing]:
        one, other = self._chance.choice(_THINGS[self.tongue])
        return (lambda: self._new(one, "approval_modified")), (lambda: self._new(other, "approval_modified"))

    def _length(self, at: int) -> tuple[Doing, Doing]:
        one, other = _LENGTHS[self.tongue]
        contact = self.people[at]
        return (
            (lambda: self._new(one, "approval_modified", contact=contact)),
            (lambda: self._new(other, "approval_modified", contact=contact)),
        )

    def _refused(self, at: int) -> tuple[Doing, Doing]:
        topic = self.topics[at]
        return (
            (lambda: self._new(_REFUSED[self.tongue], "approval_rejected", topic=topic)),
            (lambda: self._new(_ORDINARY[self.tongue], "approval_approved", topic=topic)),
        )

    def _closing(self, at: int) -> tuple[Doing, Doing]:
        closings, said = _CLOSINGS[self.tongue]
        one, other, third = self._chance.sample(closings, 3)
        new = (other, one) if self._chance.random() < 0.5 else (one, third)

        def change(did: str, to: str) -> Doing:
            more: dict[str, Attribute] = {"did": did, "changed_to": to, "part": "closing"}
            return lambda: self._new(said, "user_correction", more=more)

        return change(one, other), change(*new)

    def _tool(self, at: int) -> tuple[Doing, Doing]:
        one, other = self._chance.sample(_TOOLS[self.tongue], 2)
        topic, said = self.topics[at], _USED[self.tongue]

        def with_tool(tool: str) -> Doing:
            return lambda: self._new(said, "action_completed", topic=topic, more={"tool": tool})

        return with_tool(one), with_tool(other)

    def _moved(self, at: int) -> tuple[Doing, Doing]:
        chance, said = self._chance, _MOVED[self.tongue]
        hour = chance.choice((10, 11))

        def later() -> NewEpisode:
            a, b = chance.randrange(8, hour), chance.randrange(hour, hour + 3)
            return self._new(said, "user_correction", a=f"{a}:30" if a + 1 < hour else f"{a}:00", b=f"{b}:30")

        def earlier() -> NewEpisode:
            return self._new(
                said, "user_correction", a=f"{chance.randrange(15, 18)}:30", b=f"{chance.randrange(9, 15)}:00"
            )

        return later, earlier

    def _given(self, at: int) -> tuple[Doing, Doing]:
        contact, said = self.people[at], _GIVEN[self.tongue]
        one, other = self._chance.sample(_HIGH[self.tongue], 2)

        def give(value: str) -> Doing:
            return lambda: self._new(said, "approval_modified", contact=contact, more={"priority": value})

        return give(one), give(other)

    def _otherwise(self, phase: Phase) -> NewEpisode:
        """An occasion of a habit on which something else was done."""
        chance, made = self._chance, phase.done()
        events = ("action_completed", "approval_approved")
        attributes = {name: value for name, value in made.attributes.items() if name == "topic"}
        if phase.kind == "routed":
            attributes |= {"from": made.attributes["from"], "to": chance.choice(_COLLEAGUES)}
        if phase.kind == "tool":
            attributes["tool"] = chance.choice(_TOOLS[self.tongue])
        if phase.kind == "given":
            attributes["priority"] = chance.choice(("normal", *_HIGH[self.tongue]))
        if phase.kind == "closing":
            attributes |= {"did": made.attributes["did"], "changed_to": chance.choice(_CLOSINGS[self.tongue][0])}
        if phase.kind == "moved":
            at = chance.randrange(8, 17)
            text = chance.choice(_MOVED[self.tongue]).format(a=f"{at}:00", b=f"{chance.randrange(8, 18)}:30")
            return NewEpisode(summary=text, event="user_correction", contact=made.contact, attributes={})
        words = {"topic": attributes.get("topic", self.topics[-1]), "contact": made.contact}
        text = chance.choice(_ORDINARY[self.tongue]).format(**words)
        event = events[1] if phase.kind in ("thing", "length", "refused", "given") else events[0]
        return NewEpisode(summary=text, event=event, contact=made.contact, attributes=attributes)

    def _ordinary(self) -> NewEpisode:
        chance = self._chance
        more: dict[str, Attribute] = {}
        if chance.random() < 0.25:
            more["tool"] = chance.choice(_TOOLS[self.tongue])
        if chance.random() < 0.2:
            more["priority"] = chance.choice(("normal", *_HIGH[self.tongue]))
        events = ("action_completed", "action_completed", "approval_approved", "approval_approved", "exception_raised")
        return self._new(_ORDINARY[self.tongue], chance.choice(events), topic=chance.choice(self.topics[5:]), more=more)

    def _new(
        self,
        said: Sequence[str],
        event: str,
        *,
        contact: str = "",
        topic: str = "",
        more: Mapping[str, Attribute] | None = None,
        **words: str,
    ) -> NewEpisode:
        chance = self._chance
        attributes: dict[str, Attribute] = {**({"topic": topic} if topic else {}), **(more or {})}
        if "to" in words:
            attributes["to"] = words["to"]
        who = contact or chance.choice(self.people[5:])
        told = {"topic": topic or chance.choice(self.topics), "contact": who, **words}
        return NewEpisode(summary=chance.choice(said).format(**told), event=event, contact=who, attributes=attributes)
