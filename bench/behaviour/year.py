"""Who does what when: some users with habits, day after day, and what is known to be true of it.

A third of what happens and more is noise, about a third is as usual, and the rest are occasions of the planted rules.
Nothing usual falls within the occasion of a rule that holds; of the noise, a little does, and counts against it.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from random import Random

from bench.behaviour.chance import noise, ordinary_text, worded
from bench.behaviour.templates import APPROVED, COMPLETED, TEMPLATES, Act, Limit, Slot, Template, Value
from bench.behaviour.wordings import HELD
from bench.behaviour.world import AGENTS, POOLS, WEEKEND, World, at, world
from remembrancer.types.episode import Entity
from remembrancer.types.pattern import BehaviourEvent
from remembrancer.types.scope import Scope

FIRST = date(2025, 1, 6)
CONSISTENCIES = (0.8, 0.85, 0.9, 0.95, 1.0)
RULES: Mapping[str, tuple[int, int]] = {
    "email": (2, 4),
    "accounting": (2, 3),
    "crm": (2, 3),
    "files": (1, 2),
    "relay": (1, 2),
}
USUAL: Mapping[str, float] = {"email": 2.6, "accounting": 1.5, "crm": 1.5, "files": 1.2, "relay": 1.2}
"""What is as usual, on a working day."""
NOISE_FOR_EACH = 0.52
"""Noise for each deed that is not noise: a little over a third of all."""
SPARED = 0.92
"""Of the noise that would fall within an occasion, the share that is drawn again."""
RARE = 0.15
STOPS, TURNS = 0.12, 0.15
CONTRAST = 0.6
WORKDAYS, WEEKS = 21.7, 4.35
_TRIES = 12


class Kind(StrEnum):
    """Why something was done."""

    PLANTED = "planted"
    USUAL = "usual"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A habit of one user with one agent.

    Args:
        id: of the rule, not of its template.
        contact: whom it concerns; `""` for anybody.
        topic: the same.
        consistency: in how many of its occasions it is to hold.
        often: occasions in 30 days.
        start: the first day.
        end: the first day on which it no longer holds; `None` for a rule that stays.
        instead_of: the rule that it took the place of, by id.
    """

    id: str
    template: Template
    scope: Scope
    params: Mapping[str, Value]
    contact: str
    topic: str
    slot: Slot | None
    consistency: float
    often: float
    start: date
    end: date | None = None
    instead_of: str = ""

    def active(self, day: date) -> bool:
        """Whether it holds on that day."""
        return self.start <= day and (self.end is None or day < self.end)

    def covers(self, draft: "Draft") -> bool:
        """Whether something is an occasion of it, whatever the day."""
        template = self.template
        return (
            not template.open
            and (template.otherwise == APPROVED) == draft.judged
            and (not template.contact or draft.contact == self.contact)
            and (not template.topic or draft.attributes.get("topic") == self.topic)
            and all(self._meets(draft.attributes.get(name), wanted) for name, wanted in template.where.items())
            and (template.timed or self.slot is None or within(self.slot, draft.at))
        )

    def holds(self, draft: "Draft") -> bool:
        """Whether something that is an occasion of it happens to go the way of the rule."""
        if self.template.timed:
            return self.slot is not None and within(self.slot, draft.at)
        act = self.template.act
        done = {name: _filled(value, self.params) for name, value in act.attributes.items()}
        return draft.act.event == act.event and done.items() <= draft.attributes.items()

    def _meets(self, value: Value | None, wanted: Value | Limit) -> bool:
        if isinstance(wanted, Limit):
            limit = self.params[wanted.of]
            return isinstance(value, int | float) and isinstance(limit, int | float) and value > limit
        return value == _filled(wanted, self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Something done that is not yet written down."""

    at: datetime
    act: Act
    text: str
    contact: str
    attributes: dict[str, Value]
    entities: tuple[Entity, ...] = ()
    kind: Kind = Kind.USUAL
    rule: str = ""
    occasion: str = ""
    held: bool = False

    @property
    def judged(self) -> bool:
        """Whether a person had it before them to judge."""
        return judged(self.act.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """An episode or a signal, and the truth about it.

    Args:
        at: when, in the zone of the user.
        event: the type of the episode or of the signal.
        outcome: `""` for a signal.
        kind: why it was done.
        rule: of which planted rule it is an occasion, by id; `""` for none.
        occasion: what was logged twice has the same one; `""` where there is no rule.
        held: whether the rule held.
    """

    id: str
    scope: Scope
    at: datetime
    event: str
    outcome: str
    text: str
    entities: tuple[Entity, ...]
    attributes: Mapping[str, Value]
    kind: Kind
    rule: str = ""
    occasion: str = ""
    held: bool = False

    def deed(self) -> BehaviourEvent:
        """As the detector reads it."""
        return BehaviourEvent(
            id=self.id,
            at=self.at,
            event=self.event,
            outcome=self.outcome,
            text=self.text,
            entities=self.entities,
            attributes=self.attributes,
        )


def judged(event: str) -> bool:
    """Whether what is logged so was before a person to judge."""
    return event.startswith(("approval", "draft", "routed", "correction"))


def within(slot: Slot, when: datetime) -> bool:
    """Whether a time lies in a slot, on a working day."""
    minute = when.hour * 60 + when.minute
    days = range(5) if slot.weekday is None else (slot.weekday,)
    return when.weekday() in days and slot.start <= minute < slot.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A user, and what is planted in what they do."""

    world: World
    rules: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict[str, tuple[Rule, ...]])


def lives(seed: int, users: int, days: int) -> tuple[Life, ...]:
    """The users of a seed. The templates are dealt like cards, so that few users have most of them."""
    rng = Random(f"lives/{seed}")
    decks: dict[str, list[Template]] = {agent: [] for agent in AGENTS}
    found: list[Life] = []
    for number in range(users):
        own = world(rng, tenant=f"t{number // 5}", user=f"s{seed}u{number}")
        dealt = {agent: _dealt(decks[agent], agent, rng) for agent in AGENTS}
        found.append(Life(world=own, rules={agent: _rules(dealt[agent], own, days, rng) for agent in AGENTS}))
    return tuple(found)


def rules(seed: int, users: int, days: int) -> tuple[Rule, ...]:
    """All that is planted."""
    return tuple(rule for life in lives(seed, users, days) for planted in life.rules.values() for rule in planted)


def episodes(seed: int, users: int, days: int, *, part: slice = slice(None)) -> Iterator[Planned]:
    """All that happens, oldest first; or what happens to a part of the users."""
    streams = [_days(life, agent, seed, days) for life in lives(seed, users, days)[part] for agent in AGENTS]
    return heapq.merge(*streams, key=lambda planned: planned.at)


def _dealt(deck: list[Template], agent: str, rng: Random) -> list[Template]:
    hand: list[Template] = []
    for _ in range(rng.randint(*RULES[agent])):
        if not deck:
            own = [template for template in TEMPLATES if template.agent == agent]
            deck.extend(rng.sample(own, len(own)))
        drawn = deck.pop()
        if drawn not in hand:
            hand.append(drawn)
    return hand


def _rules(hand: Sequence[Template], own: World, days: int, rng: Random) -> tuple[Rule, ...]:
    pools: dict[str, list[Value]] = {name: rng.sample(pool, len(pool)) for name, pool in POOLS.items()}
    pools["colleague"] = rng.sample(own.colleagues, len(own.colleagues))
    pools["organisation"] = list(own.organisations)
    contacts = rng.sample(own.contacts, len(own.contacts))
    found: list[Rule] = []
    for template in hand:
        slot = rng.choice(template.slots) if template.slots else None
        often = rng.uniform(4, 9) if rng.random() < RARE else rng.uniform(*template.often)
        rule = Rule(
            id=f"{own.user}/{template.agent}/{template.code}",
            template=template,
            scope=own.scope(template.agent),
            params=_parameters(template, pools, slot),
            contact=contacts.pop() if template.contact else "",
            topic=_topic(template, own, found, rng) if template.topic else "",
            slot=slot,
            consistency=rng.choice(CONSISTENCIES),
            often=often,
            start=FIRST + timedelta(days=rng.choice((0, rng.randint(0, days * 2 // 5)))),
        )
        found += _drifting(rule, pools, days, rng)
    return tuple(found)


def _parameters(template: Template, pools: dict[str, list[Value]], slot: Slot | None) -> dict[str, Value]:
    params = {name: _next(pools[pool]) for name, pool in template.params.items()}
    if slot is not None and slot.weekday is not None:
        names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
        params |= {"weekday": names[slot.weekday], "next_weekday": names[(slot.weekday + 1) % 5]}
    return params


def _next(pool: list[Value]) -> Value:
    """The first of a pool, which then comes last."""
    value = pool.pop(0)
    pool.append(value)
    return value


def _topic(template: Template, own: World, others: Sequence[Rule], rng: Random) -> str:
    taken = {rule.topic for rule in others}
    logged = [name for name, wanted in template.where.items() if isinstance(wanted, Limit)]
    return rng.choice(
        [
            topic
            for topic in own.topics[template.agent]
            if topic not in taken and all(name in own.attributes(template.agent, topic, rng) for name in logged)
        ]
    )


def _drifting(rule: Rule, pools: dict[str, list[Value]], days: int, rng: Random) -> list[Rule]:
    """The rule, ended half-way now and then, and what came in its place."""
    turning = bool(rule.template.turns) and rng.random() < TURNS
    stopping = not turning and rng.random() < STOPS
    if not (turning or stopping):
        return [rule]
    earliest = (rule.start - FIRST).days + 45
    end = FIRST + timedelta(days=max(earliest, rng.randint(days * 2 // 5, days * 7 // 10)))
    ended = replace(rule, end=end)
    if stopping:
        return [ended]
    params = {name: _next(pools[rule.template.params[name]]) for name in rule.template.turns}
    return [ended, replace(rule, id=f"{rule.id}+", params={**rule.params, **params}, start=end, instead_of=rule.id)]


def _days(life: Life, agent: str, seed: int, days: int) -> Iterator[Planned]:
    """What one agent of a user does, in order."""
    rng = Random(f"days/{seed}/{life.world.user}/{agent}")
    owed = 0.0
    number = 0
    for offset in range(days):
        day = Day(life=life, agent=agent, date=FIRST + timedelta(days=offset), rng=rng)
        drafts = day.occasions() + day.usual()
        owed += NOISE_FOR_EACH * len(drafts)
        drafts += day.noise(int(owed))
        owed -= int(owed)
        for draft in sorted(drafts, key=lambda draft: draft.at):
            number += 1
            yield _written(draft, life.world.scope(agent), f"{life.world.user}-{agent}-{number}")


def _written(draft: Draft, scope: Scope, id: str) -> Planned:
    return Planned(
        id=id,
        scope=scope,
        at=draft.at,
        event=draft.act.event,
        outcome=draft.act.outcome,
        text=draft.text,
        entities=(Entity(type="contact", name=draft.contact), *draft.entities),
        attributes=draft.attributes,
        kind=draft.kind,
        rule=draft.rule,
        occasion=draft.occasion,
        held=draft.held,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One day of one agent of a user."""

    life: Life
    agent: str
    date: date
    rng: Random

    @property
    def rules(self) -> list[Rule]:
        """Those that hold today."""
        return [rule for rule in self.life.rules[self.agent] if rule.active(self.date)]

    @property
    def weekend(self) -> bool:
        """Whether hardly anybody works."""
        return self.date.weekday() > 4

    def occasions(self) -> list[Draft]:
        """What happens of the planted rules, held or not, and what stands in contrast to them."""
        if self.weekend:
            return []
        found: list[Draft] = []
        for rule in self.life.rules[self.agent]:
            if rule.active(self.date):
                for held in self._verdicts(rule):
                    found += self._occasion(rule, held=held)
                found += self._elsewhere(rule)
            elif rule.end is not None and self.date >= rule.end and not self._replaced(rule):
                for _ in range(self._times(rule.often / WORKDAYS)):
                    found += self._left_alone(rule)
        return found

    def usual(self) -> list[Draft]:
        """What is as always."""
        rate = USUAL[self.agent] * (WEEKEND if self.weekend else 1)
        found = (self._usual() for _ in range(self._times(rate)))
        return [draft for draft in found if draft is not None]

    def noise(self, count: int) -> list[Draft]:
        """What has no meaning."""
        return [self._noise() for _ in range(count)]

    def _replaced(self, rule: Rule) -> bool:
        return any(other.instead_of == rule.id for other in self.life.rules[self.agent])

    def _times(self, rate: float) -> int:
        """A whole number of that mean, a little uneven."""
        uneven = rate * self.rng.uniform(0.4, 1.6)
        return int(uneven) + (self.rng.random() < uneven % 1)

    def _number(self, rule: Rule) -> int:
        """How many occasions of a rule there are today."""
        if rule.slot is None or rule.slot.weekday is None:
            return self._times(rule.often / WORKDAYS)
        return self._times(rule.often / WEEKS) if rule.slot.weekday == self.date.weekday() else 0

    def _verdicts(self, rule: Rule) -> list[bool]:
        """Of today's occasions, whether the rule holds in them."""
        slot = rule.slot
        if rule.template.timed and slot is not None and slot.weekday is not None:
            if slot.weekday == self.date.weekday():
                return [True] * self._times(rule.often * rule.consistency / WEEKS)
            return [False] * self._times(rule.often * (1 - rule.consistency) / (4 * WEEKS))
        return [self.rng.random() < rule.consistency for _ in range(self._number(rule))]

    def _occasion(self, rule: Rule, *, held: bool) -> list[Draft]:
        template = rule.template
        if template.open and not held:
            return []
        for _ in range(_TRIES):
            draft = self._meeting(rule, held=held)
            if not any(other.covers(draft) for other in self.rules if other.id != rule.id):
                break
        else:
            return []
        draft = replace(draft, kind=Kind.PLANTED, rule=rule.id, held=held)
        draft = replace(draft, occasion=f"{rule.id}@{draft.at.isoformat()}")
        return [draft, *self._beside(rule, draft), *self._contrast(rule, draft)]

    def _meeting(self, rule: Rule, *, held: bool) -> Draft:
        """An occasion, as it may come about."""
        template, own = rule.template, self.life.world
        contact = rule.contact or own.contact(self.rng)
        topic = rule.topic or own.topic(self.agent, self.rng)
        attributes = own.attributes(self.agent, topic, self.rng)
        for name, wanted in template.where.items():
            attributes[name] = self._beyond(wanted, rule) if isinstance(wanted, Limit) else _filled(wanted, rule.params)
        done = {name: _filled(value, rule.params) for name, value in template.act.attributes.items()}
        if held:
            attributes |= done
        else:
            attributes = self._otherwise(attributes, done)
        act = template.act if held else Act(event=template.otherwise)
        words = {**rule.params, "contact": contact, "topic": topic}
        told = held and template.act.told
        return Draft(
            at=self._time(rule, held=held),
            act=act,
            text=worded(self.rng.choice(HELD[template.code]), words, self.rng)
            if told
            else ordinary_text(self.agent, act.event, words, self.rng),
            contact=contact,
            attributes=attributes,
            entities=(Entity(type="organisation", name=str(rule.params["organisation"])),)
            if "organisation" in rule.params
            else (),
        )

    def _otherwise(self, attributes: dict[str, Value], done: Mapping[str, Value]) -> dict[str, Value]:
        """What is logged when the behaviour does not show."""
        for _ in range(_TRIES):
            again = self.life.world.attributes(self.agent, str(attributes["topic"]), self.rng)
            changed = {name: again.get(name) for name in done if attributes.get(name) == done[name]}
            attributes = attributes | {name: value for name, value in changed.items() if value is not None}
        return {name: value for name, value in attributes.items() if name not in done or value != done[name]}

    def _beyond(self, limit: Limit, rule: Rule, *, above: bool = True) -> Value:
        edge = rule.params[limit.of]
        assert isinstance(edge, int | float)
        value = edge * (1.03 * 4 ** self.rng.random() if above else 0.97 / 6 ** self.rng.random())
        return round(value, limit.round) if limit.round else round(value)

    def _time(self, rule: Rule, *, held: bool) -> datetime:
        own, slot, timed = self.life.world, rule.slot, rule.template.timed
        if slot is not None and (held or not timed):
            return at(self.date, self.rng.uniform(slot.start, slot.end - 1), own.zone, self.rng)
        when = own.time(self.date, self.rng)
        for _ in range(_TRIES):
            if not timed or slot is None or not within(slot, when):
                break
            when = own.time(self.date, self.rng)
        return when

    def _beside(self, rule: Rule, draft: Draft) -> list[Draft]:
        """The episode that is logged with a signal, or the other way round."""
        also = rule.template.also
        if also is None or not draft.held:
            return []
        attributes = {"topic": draft.attributes["topic"]}
        attributes |= {name: _filled(value, rule.params) for name, value in also.attributes.items()}
        words = {**rule.params, "contact": draft.contact, "topic": attributes["topic"]}
        later = draft.at + timedelta(seconds=self.rng.randint(1, 90))
        text = ordinary_text(self.agent, COMPLETED, words, self.rng)
        return [replace(draft, at=later, act=also, text=text, attributes=attributes)]

    def _contrast(self, rule: Rule, draft: Draft) -> list[Draft]:
        """On the other side of a limit all is as usual."""
        limits = {name: wanted for name, wanted in rule.template.where.items() if isinstance(wanted, Limit)}
        if not limits or self.rng.random() > CONTRAST:
            return []
        acts = {name: _filled(value, rule.params) for name, value in rule.template.act.attributes.items()}
        attributes = self._otherwise(draft.attributes, acts)
        attributes |= {name: self._beyond(limit, rule, above=False) for name, limit in limits.items()}
        words = {"contact": draft.contact, "topic": attributes["topic"]}
        event = rule.template.otherwise
        other = Draft(
            at=self.life.world.time(self.date, self.rng),
            act=Act(event=event),
            text=ordinary_text(self.agent, event, words, self.rng),
            contact=draft.contact,
            attributes=attributes,
        )
        return [] if any(rule.covers(other) for rule in self.rules) else [other]

    def _elsewhere(self, rule: Rule) -> list[Draft]:
        """What a rule for one day of the week concerns comes up on the other days as well, without it."""
        slot = rule.slot
        if slot is None or slot.weekday is None or rule.template.timed or slot.weekday == self.date.weekday():
            return []
        times = self._times(CONTRAST * rule.often / (4 * WEEKS))
        return [draft for _ in range(times) for draft in self._left_alone(rule)]

    def _left_alone(self, rule: Rule) -> list[Draft]:
        """What a rule concerns or once concerned, at any time of today and of any size, and nothing is done."""
        usual = replace(rule, template=replace(rule.template, where={}))
        draft = replace(self._meeting(usual, held=False), at=self.life.world.time(self.date, self.rng))
        return [] if any(other.covers(draft) for other in self.rules) else [draft]

    def _usual(self) -> Draft | None:
        own = self.life.world
        for _ in range(_TRIES):
            contact, topic = own.contact(self.rng), own.topic(self.agent, self.rng)
            event = self.rng.choice((APPROVED, APPROVED, COMPLETED))
            draft = Draft(
                at=own.time(self.date, self.rng),
                act=Act(event=event),
                text=ordinary_text(self.agent, event, {"contact": contact, "topic": topic}, self.rng),
                contact=contact,
                attributes=own.attributes(self.agent, topic, self.rng),
            )
            if not any(rule.covers(draft) for rule in self.rules):
                return draft
        return None

    def _noise(self) -> Draft:
        own = self.life.world
        while True:
            act, contact, attributes, text = noise(own, self.agent, self.rng)
            draft = Draft(
                at=own.time(self.date, self.rng),
                act=act,
                text=text,
                contact=contact,
                attributes=attributes,
                kind=Kind.NOISE,
            )
            met = [rule for rule in self.rules if rule.covers(draft)]
            if not met:
                return draft
            if self.rng.random() > SPARED:
                occasion = f"{met[0].id}@{draft.at.isoformat()}"
                return replace(draft, rule=met[0].id, occasion=occasion, held=met[0].holds(draft))


def _filled(value: Value, params: Mapping[str, Value]) -> Value:
    """A value of a template with its parameters put in."""
    if not isinstance(value, str) or "$" not in value:
        return value
    head, _, name = value.partition("$")
    return f"{head}{params[name]}" if head else params[name]
