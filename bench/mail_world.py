"""An ordinary agent that handles mail, for 90 days: what it does, what people say of what it learnt, and every night.

    python -m bench.mail_world [--seeds 40] [--days 90] [--first 0] [--again] [--json]

Each day it handles 10 to 20 mails, as messages and as episodes, most of them by habits that begin and end within these
days. Beside that its user says `right` and `wrong` of what was observed, pauses, retires, edits, deletes, restores and
erases by chance, all through `Memory`. Then the day's night is run. It holds where every night did every step, without
a failure, and nothing is wrong with the store at the end. What a seed came to is kept: a run goes on where it was
stopped.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import anyio

from bench.vectors import CACHE
from remembrancer import Filter, Memory, Scope
from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.testing import FakeClock
from remembrancer.types.jobs import FAILED_STEPS, MaintenanceRun, MaintenanceStep
from remembrancer.types.new import Attribute, NewEpisode, NewMessage
from remembrancer.types.record import Observation
from tests.conversing import opened
from tests.learning import life_over
from tests.steps import Steps, in_steps

STATE = CACHE / "mail_world.json"
FIRST = datetime(2026, 1, 5, 7, tzinfo=UTC)
DAY = timedelta(days=1)
MAIL = Scope(tenant="acme", agent="mail", user="ana")
CONTACTS = ("Bertelli", "Lara Moss", "Quinn", "Adler", "Tanaka", "Okafor", "Meyer", "Silva", "Novak", "Haddad")
TOPICS = ("invoice", "order", "refund", "meeting", "contract", "newsletter", "support", "offer")
COLLEAGUES = ("Tom", "Lea", "Ravi", "Greta")
PARTS = ("greeting", "closing", "subject", "second paragraph", "signature")
DONE = (
    "answered a question about delivery", "filed the attachment", "forwarded the thread", "sent the price list",
    "booked a meeting room", "asked for a missing form", "translated the summary", "archived an old thread",
    "checked what is in stock", "corrected the date",
)  # fmt: skip
EVENTS = ("action_completed", "approval_approved", "approval_modified", "approval_rejected", "exception_raised")
SAYINGS = (
    "Please keep the mails to {contact} short.", "{contact} prefers to be called in the morning.",
    "We agreed on 30 days to pay with {contact}.", "Never send {topic}s on Fridays.", "Thanks, that was fine.",
    "I moved the {topic} to next week.", "The {topic} of {contact} is settled.",
)  # fmt: skip
# What a person may do that is refused: it is gone, is not in that state, or another has its place.
REFUSALS = (NotFound, Conflict, NotAllowed, InvalidInput)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """Something that is done alike again and again, from one day to another.

    Args:
        each: how often of all mails of these days.
    """

    kind: int
    contact: str
    topic: str
    begins: int
    ends: int
    each: float


@dataclass(slots=True)
class Lived:
    """What a seed came to."""

    nights: int = 0
    episodes: int = 0
    deeds: Counter[str] = field(default_factory=Counter[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))


class World:
    """One user, whose days depend on nothing but the seed and on what was learnt."""

    def __init__(self, seed: int, memory: Memory, clock: FakeClock, days: int) -> None:
        self._chance = Random(seed)
        self._memory = memory
        self._clock = clock
        self._habits = [self._habit(days) for _ in range(12)]
        self.lived = Lived()

    async def day(self, number: int) -> None:
        """One day, from morning to the night after it."""
        lived, morning = self.lived, FIRST + number * DAY
        self._clock.move(morning - self._clock.now())
        began = time.perf_counter()
        await self._mails(number, morning)
        for _ in range(self._chance.randrange(2, 7)):
            self._clock.move(timedelta(minutes=self._chance.randrange(5, 60)))
            await self._person(number)
        lived.seconds["days"] += time.perf_counter() - began
        self._clock.move(morning + timedelta(hours=20) - self._clock.now())
        began = time.perf_counter()
        try:
            night = await self._memory.admin.maintenance.run()
        except Exception as error:
            lived.failures.append(f"day {number}: {type(error).__name__}: {error}")
        else:
            lived.failures += [f"day {number}: {what}" for what in wrong_with(night)]
            lived.counts.update(night.counts)
        lived.nights += 1
        lived.seconds["nights"] += time.perf_counter() - began

    def _habit(self, days: int) -> Habit:
        chance = self._chance
        begins = chance.randrange(-10, max(1, days - 15))
        return Habit(
            kind=chance.randrange(9),
            contact=chance.choice(CONTACTS),
            topic=chance.choice(TOPICS),
            begins=begins,
            ends=begins + chance.randrange(12, 60),
            each=chance.uniform(0.04, 0.15),
        )

    async def _mails(self, number: int, morning: datetime) -> None:
        chance, session = self._chance, f"mail-{number}"
        count = chance.randrange(10, 21)
        habits = [one for one in self._habits if one.begins <= number < one.ends]
        times = sorted(morning + timedelta(minutes=chance.randrange(11 * 60)) for _ in range(count))
        episodes = [self._mail(at, next((one for one in habits if chance.random() < one.each), None)) for at in times]
        messages = [
            NewMessage(
                text=chance.choice(SAYINGS).format(contact=chance.choice(CONTACTS), topic=chance.choice(TOPICS)),
                role=chance.choice(("user", "user", "assistant", "tool")),
                session=session,
                occurred_at=at,
            )
            for at in times
        ]
        self._clock.move(timedelta(hours=12))
        # Some are told late, as an import of what was done weeks ago is.
        if chance.random() < 0.05:
            episodes += [self._mail(times[0] - chance.randrange(1, 50) * DAY, None) for _ in range(4)]
        await self._memory.messages.record_many(messages)
        await self._memory.episodes.record_many(episodes)
        self.lived.episodes += len(episodes)
        for _ in range(chance.randrange(3)):
            await self._signal()
        if chance.random() < 0.8:
            await self._memory.sessions.end(session)

    def _mail(self, at: datetime, habit: Habit | None) -> NewEpisode:
        chance = self._chance
        contact = habit.contact if habit and habit.kind % 2 else chance.choice(CONTACTS)
        topic = habit.topic if habit else chance.choice(TOPICS)
        attributes: dict[str, Attribute] = {"topic": topic, "words": chance.randrange(20, 400)}
        text, event = chance.choice(DONE), chance.choice(EVENTS)
        match habit.kind if habit else -1:
            case 0:
                text, event = "removed semicolon from the draft", "user_correction"
            case 1:
                text, event = f"rejected the draft of the {topic}", "approval_rejected"
            case 2:
                at -= (at.weekday() - 4) * DAY if at.weekday() > 4 else timedelta(0)
                at, text, event = at.replace(hour=9), f"filed the {topic}", "action_completed"
            case 3:
                attributes |= {"did": "Best", "changed_to": "Kind regards", "part": "closing"}
                text, event = "changed the closing", "user_correction"
            case 4:
                attributes |= {"from": COLLEAGUES[0], "to": COLLEAGUES[1]}
                text, event = f"sent the {topic} on", "user_correction"
            case 5:
                attributes["words"] = chance.randrange(260, 400)
                text, event = "shortened the draft", "approval_modified"
            case 6:
                attributes["tool"] = "spreadsheet"
                text, event = f"kept the {topic} in a spreadsheet", "action_completed"
            case 7:
                text = f"moved the meeting from {chance.randrange(8, 10)}:00 to {chance.randrange(10, 13)}:30"
                event = "user_correction"
            case 8:
                attributes["priority"] = "high"
                text, event = f"asked the user about the {topic}", "exception_raised"
            case _:
                if chance.random() < 0.3:
                    attributes["priority"] = chance.choice(("high", "normal", "low"))
                if chance.random() < 0.1:
                    attributes |= {"from": chance.choice(COLLEAGUES), "to": chance.choice(COLLEAGUES)}
        return NewEpisode(summary=text, event=event, contact=contact, attributes=attributes, occurred_at=at)

    async def _signal(self) -> None:
        chance = self._chance
        type, attributes = chance.choice(
            (
                ("draft_modified", {"part": chance.choice(PARTS)}),
                ("approval_rejected", {"reason": chance.choice(("too long", "wrong tone"))}),
                ("routed_differently", {"from": chance.choice(COLLEAGUES), "to": chance.choice(COLLEAGUES)}),
                ("correction", {"did": "Best", "changed_to": chance.choice(("Yours", "Kind regards"))}),
            )
        )
        await self._memory.episodes.signal(type, contact=chance.choice(CONTACTS), attributes=attributes)

    async def _person(self, number: int) -> None:
        """Something that a person does by chance; what is refused is counted."""
        deeds: Sequence[tuple[Callable[[], Awaitable[object]], int]] = (
            (self._judge, 6), (self._observation, 3), (self._rule, 3), (self._save, 4), (self._change, 4),
            (self._episode, 2), (self._standing, 2), (self._fact, 2), (self._erase, 1), (self._forget_contact, 1),
            (self._read, 3), (self._policy, 1),
        )  # fmt: skip
        (deed,) = self._chance.choices([one for one, _ in deeds], [weight for _, weight in deeds])
        name = deed.__name__.strip("_")
        try:
            await deed()
        except REFUSALS as error:
            name = f"{name}: {type(error).__name__}"
        except Exception as error:
            self.lived.failures.append(f"day {number}: {name}: {type(error).__name__}: {error}")
        self.lived.deeds[name] += 1

    async def _learned(self, *, all: bool = False) -> Observation:
        found = await self._memory.patterns.list(all=all)
        if not found:
            raise NotFound("memory", "learned")
        return self._chance.choice(found)

    async def _any(self, *kinds: str) -> str:
        statuses = ["active", "raw", "soft-deleted", "archived"]
        page = await self._memory.list(Filter(kinds=kinds, statuses=statuses), limit=60)
        if not page.records:
            raise NotFound("memory", "any")
        return self._chance.choice(page.records).id

    async def _judge(self) -> object:
        one = await self._learned()
        verdict = self._chance.choice(("right", "right", "wrong", "dismiss"))
        return await self._memory.feedback(one.id, verdict, person=self._chance.choice(("ana", "ben", "")))

    async def _observation(self) -> object:
        patterns, one = self._memory.patterns, await self._learned(all=True)
        if self._chance.random() < 0.2:
            return await patterns.merge(one.id, (await self._learned()).id)
        undo = partial(self._memory.feedback, verdict="undo")
        ways: tuple[Callable[[str], Awaitable[object]], ...] = (patterns.pause, patterns.resume, patterns.retire, undo)
        return await self._chance.choice(ways)(one.id)

    async def _rule(self) -> object:
        rules = self._memory.rules
        found = await rules.list(all=True)
        if not found or self._chance.random() < 0.2:
            return await rules.add(f"Ask before a {self._chance.choice(TOPICS)} goes to a new contact.")
        one = self._chance.choice(found)
        if self._chance.random() < 0.2:
            return await rules.edit(one.id, f"{one.text.rstrip('.')}, always.")
        return await self._chance.choice((rules.pause, rules.resume, rules.retire))(one.id)

    async def _save(self) -> object:
        contact, topic = self._chance.choice(CONTACTS), self._chance.choice(TOPICS)
        evidence = [await self._any("message", "episode")] if self._chance.random() < 0.5 else []
        return await self._memory.save(
            f"{contact} wants every {topic} by {self._chance.choice(('mail', 'letter', 'telephone'))}.",
            topic_key=f"{contact}/{topic}" if self._chance.random() < 0.4 else None,
            evidence=evidence,
        )

    async def _change(self) -> object:
        memory, id = self._memory, await self._any()
        match self._chance.randrange(4):
            case 0:
                return await memory.edit(id, f"As said on {self._clock.now():%d.%m.}: call first.")
            case 1:
                return await memory.delete(id)
            case 2:
                return await memory.restore(id)
            case _:
                return await memory.governance.erasure.erase(memories=[id], reason="a test")

    async def _episode(self) -> object:
        tier = self._chance.choice(("weekly", "monthly", "raw"))
        page = await self._memory.episodes.list(tier=tier, limit=50)
        if not page:
            raise NotFound("episode", tier)
        one = self._chance.choice(page)
        return await self._chance.choice((self._memory.episodes.restore, self._memory.delete))(one.id)

    async def _standing(self) -> object:
        scores, id = self._memory.scores, await self._any()
        match self._chance.randrange(4):
            case 0:
                return await scores.rate(id, self._chance.random())
            case 1:
                return await scores.boost(id, self._chance.random())
            case 2:
                return await scores.pin(id)
            case _:
                return await scores.unpin(id)

    async def _fact(self) -> object:
        key = f"contact/{self._chance.choice(CONTACTS).lower().replace(' ', '-')}/tone"
        if self._chance.random() < 0.2:
            return await self._memory.facts.end(key)
        return await self._memory.facts.set(key, self._chance.choice(("formal", "friendly")))

    async def _erase(self) -> object:
        learned = await self._learned(all=True)
        if self._chance.random() < 0.5:
            return await self._memory.governance.erasure.erase(memories=[learned.id], reason="a test")
        return await self._memory.governance.erasure.erase(
            memories=[self._chance.choice(learned.evidence)], reason="a test"
        )

    async def _forget_contact(self) -> object:
        """What names a contact is erased, as far as it is found at once."""
        contact = self._chance.choice(CONTACTS)
        named = await self._memory.governance.erasure.find_mentions(contact, limit=200)
        ids = [one.id for one in named if one.scope == MAIL]
        return await self._memory.governance.erasure.erase(memories=ids, reason="the contact asked for it")

    async def _read(self) -> object:
        await self._memory.context(self._chance.choice(SAYINGS[:4]).format(contact="Quinn", topic="invoice"))
        return await self._memory.recall(f"{self._chance.choice(CONTACTS)} {self._chance.choice(TOPICS)}")

    async def _policy(self) -> object:
        if self._chance.random() < 0.5:
            return await self._memory.governance.retention.set("mails", keep_days=self._chance.randrange(40, 80))
        return await self._memory.governance.retention.unset("mails")


def wrong_with(night: MaintenanceRun) -> list[str]:
    """What kept a night from doing all of its steps."""
    found = list(night.failures)
    if night.counts.get(FAILED_STEPS) and not found:
        found.append(f"{night.counts[FAILED_STEPS]} failed steps")
    if night.ended_at is None or night.step is not tuple(MaintenanceStep)[-1]:
        found.append(f"ended after {night.step}")
    return found


async def lived_through(seed: int, days: int, *, told: Callable[[int], None] = lambda _: None) -> Lived:
    """All days of one seed."""
    async with opened(":memory:") as store:
        clock = FakeClock(FIRST)
        memory = life_over(store, clock=clock).of(MAIL)
        world = World(seed, memory, clock, days)
        for number in range(days):
            await world.day(number)
            told(number + 1)
        faults = [one.finding for one in await memory.within(Scope(tenant="acme")).admin.doctor()]
        world.lived.failures += [f"doctor: {one.fault}: {len(one.where)}" for one in faults if one.where]
        return world.lived


def _row(seed: int, days: int, lived: Lived) -> dict[str, Any]:
    return {
        "seed": seed,
        "days": days,
        "nights": lived.nights,
        "episodes": lived.episodes,
        "failures": lived.failures,
        "counts": dict(sorted(lived.counts.items())),
        "deeds": dict(sorted(lived.deeds.items())),
        "seconds": {name: round(spent, 1) for name, spent in lived.seconds.items()},
    }


def _told(row: dict[str, Any]) -> str:
    seconds, counts = row["seconds"], row["counts"]
    figures = (row["seed"], row["nights"], row["episodes"], counts.get("observed", 0), counts.get("promoted", 0))
    cells = "".join(f"{value:>9}" for value in (*figures, seconds["days"], seconds["nights"], len(row["failures"])))
    return cells + "".join(f"\n    {what}" for what in row["failures"][:5])


def main() -> int:
    """Print what each seed came to; 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.mail_world", description="90 days of an agent for mail.")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--again", action="store_true", help="also what is done already")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    kept: dict[str, dict[str, Any]] = json.loads(STATE.read_text()) if STATE.exists() and not given.again else {}
    rows: list[dict[str, Any]] = []
    if not given.json:
        heads = ("seed", "nights", "episodes", "observed", "promoted", "days s", "nights s", "failures")
        print("".join(f"{head:>9}" for head in heads))
    for seed in range(given.first, given.first + given.seeds):
        key = f"{seed}/{given.days}"
        if key not in kept:

            def told(day: int, seed: int = seed) -> None:
                print(f"\rseed {seed}: day {day} of {given.days}", end="", file=sys.stderr, flush=True)

            # In one thread: most of the time would go by in waiting for another.
            with in_steps(Steps()):
                lived = anyio.run(partial(lived_through, seed, given.days, told=told))
            kept[key] = _row(seed, given.days, lived)
            print("\r", end="", file=sys.stderr)
            STATE.parent.mkdir(parents=True, exist_ok=True)
            STATE.write_text(json.dumps(kept, indent=1))
        rows.append(kept[key])
        if not given.json:
            print(_told(rows[-1]), flush=True)
    whole = sum(not row["failures"] for row in rows)
    if given.json:
        print(json.dumps({"seeds": len(rows), "whole": whole, "rows": rows, "holds": whole == len(rows)}))
    else:
        print(f"{whole} of {len(rows)} seeds reached the last night with every step done")
    return int(whole < len(rows))


if __name__ == "__main__":
    sys.exit(main())
