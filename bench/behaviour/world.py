"""Whom a user deals with and what about, and what an honest integrator logs of anything at all."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from typing import TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from bench.behaviour.templates import Value
from remembrancer.types.scope import Scope

T = TypeVar("T")
Draw: TypeAlias = Callable[[Random], Value]

AGENTS = ("email", "accounting", "crm", "files", "relay")
CONTACTS = 40
WEEKEND = 0.08
_ZONES = ("Europe/Rome", "America/New_York", "Asia/Tokyo", "Europe/London", "America/Sao_Paulo", "Asia/Kolkata")

_FIRST = (
    "Lara", "Ines", "Marco", "Yuki", "Oluwaseun", "Priya", "Tom", "Greta", "Karim", "Sofia", "Jan", "Mei", "Pavel",
    "Aisha", "Noah", "Elif", "Bruno", "Hanna", "Diego", "Freya", "Ravi", "Nadia", "Luca", "Chloe", "Samir", "Vera",
    "Otto", "Kenji",
)  # fmt: skip
_LAST = (
    "Bianchi", "Okafor", "Tanaka", "Meyer", "Silva", "Novak", "Haddad", "Larsen", "Rossi", "Iyer", "Dubois",
    "Kowalski", "Murphy", "Yilmaz", "Costa", "Berg", "Petrov", "Nakamura", "Fontana", "Abbas", "Lindqvist", "Moreau",
    "Horvat", "Reyes",
)  # fmt: skip
_FIRMS = (
    "Pelletteria Veneto", "Nordwind Logistics", "Sakura Parts", "Atlas Paper", "Rio Verde Foods", "Blue Harbour",
    "Kranz Bau", "Lumen Optics", "Orchard and Sons", "Delta Freight", "Maple Office", "Vega Print", "Terra Stone",
    "Polar Cooling",
)  # fmt: skip

TOPICS: Mapping[str, tuple[str, ...]] = {
    "email": (
        "quote", "order", "refund", "complaint", "appointment", "shipping", "application", "newsletter", "support",
        "partnership", "feedback", "reference", "contract", "event",
    ),
    "accounting": (
        "invoice", "credit note", "expense", "payroll", "rent", "subscription", "insurance", "travel cost",
        "utility bill", "deposit", "tax payment", "supplies",
    ),
    "crm": (
        "lead", "demo", "renewal", "offer", "call note", "meeting", "churn risk", "onboarding", "survey", "upgrade",
        "referral", "account review",
    ),
    "files": (
        "contract scan", "invoice copy", "price list", "photo", "manual", "minutes", "report", "drawing", "certificate",
        "presentation", "timesheet", "delivery note",
    ),
    "relay": (
        "delivery notice", "absence", "outage", "visitor", "stock alert", "reminder", "lunch order", "parking",
        "question", "praise", "handover", "deadline",
    ),
}  # fmt: skip
"""What each agent deals with."""

POOLS: Mapping[str, tuple[Value, ...]] = {
    "part": ("closing", "introduction", "second paragraph", "signature", "summary line", "footer"),
    "farewell": ("Kind regards", "Best", "Sincerely", "Cheers", "Yours", "Warm wishes", "Many thanks"),
    "language": ("it", "fr", "de", "es", "ja", "pt"),
    "words": (120, 150, 180),
    "tool": ("spreadsheet", "bank portal", "scanner", "phone app", "web form", "calendar", "terminal", "shared drive"),
    "channel": ("sms", "team chat", "phone", "pager", "notice board"),
    "folder": ("clients/active", "clients/old", "finance/2025", "legal", "shared/inbox", "projects/alpha", "scans"),
    "format": ("csv", "xlsx", "pdf", "docx", "odt", "json"),
    "field": ("vat_id", "industry", "birthday", "region", "source", "phone"),
    "amount": (1000, 2000, 5000, 10000),
    "discount": (10, 15, 20),
    "days": (14, 30, 45, 60, 90),
    "minutes": (45, 60, 90),
    "megabytes": (10, 20, 25),
    "country": ("CH", "NO", "US", "JP", "BR"),
}
"""What the parameters of rules are drawn from, beside contacts, colleagues, organisations and topics."""

PARTS = (
    "closing",
    "greeting",
    "subject",
    "introduction",
    "second paragraph",
    "signature",
    "table",
    "amount",
    "cc",
    "body",
)
CHANGES = ("shortened", "extended", "formal", "reworded", "removed", "added", "reordered", "corrected", "translated")
ERRORS = ("timeout", "not found", "no permission", "full", "rejected by server", "bad format", "offline")


def _numbers(low: float, high: float, digits: int) -> Draw:
    """Many small ones and a few large ones."""

    def draw(rng: Random) -> Value:
        value = math.exp(rng.uniform(math.log(low), math.log(high)))
        return round(value, digits) if digits else round(value)

    return draw


def _one_of(*values: Value, weights: Sequence[float] | None = None) -> Draw:
    return lambda rng: rng.choices(values, weights)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """An attribute that an agent logs.

    Args:
        topics: of which it is logged; `()` for all.
    """

    draw: Draw
    topics: tuple[str, ...] = ()


_TOOL = Logged(draw=_one_of(*POOLS["tool"], weights=(5, 4, 3, 3, 2, 2, 1, 1)))
LOGGED: Mapping[str, Mapping[str, Logged]] = {
    "email": {
        "words": Logged(draw=_numbers(25, 400, 0)),
        "language": Logged(draw=_one_of("en", *POOLS["language"], weights=(20, 2, 2, 2, 1, 1, 1))),
        "minutes": Logged(draw=_numbers(5, 1500, 0)),
        "priority": Logged(draw=_one_of("normal", "high", "low", weights=(7, 1, 1))),
        "amount": Logged(draw=_numbers(100, 30000, 2), topics=("quote", "order", "refund", "contract")),
    },
    "accounting": {
        "amount": Logged(draw=_numbers(20, 20000, 2)),
        "country": Logged(draw=_one_of("IT", "DE", *POOLS["country"], weights=(8, 4, 1, 1, 1, 1, 1))),
        "has_order": Logged(draw=_one_of(True, False, weights=(5, 1))),
        "tool": _TOOL,
    },
    "crm": {
        "minutes": Logged(draw=_numbers(10, 180, 0)),
        "discount": Logged(draw=_numbers(2, 45, 0), topics=("offer", "renewal", "upgrade")),
        "tool": _TOOL,
    },
    "files": {
        "tool": _TOOL,
        "folder": Logged(draw=_one_of(*POOLS["folder"], weights=(4, 3, 3, 2, 2, 1, 1))),
        "format": Logged(draw=_one_of(*POOLS["format"], weights=(2, 3, 6, 2, 1, 1))),
        "megabytes": Logged(draw=_numbers(0.1, 60, 1)),
    },
    "relay": {
        "urgent": Logged(draw=_one_of(True, False, weights=(1, 6))),
        "known": Logged(draw=_one_of(True, False, weights=(9, 1))),
        "channel": Logged(draw=_one_of("mail", *POOLS["channel"], weights=(8, 2, 3, 2, 1, 1))),
    },
}
"""By agent, what is logged of everything, whether it matters or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A user's people and places.

    Args:
        peak: the hour around which most happens.
        weights: how often each contact is dealt with, by position.
    """

    tenant: str
    user: str
    zone: ZoneInfo
    peak: float
    contacts: tuple[str, ...]
    weights: tuple[float, ...]
    colleagues: tuple[str, ...]
    organisations: tuple[str, ...]
    topics: Mapping[str, tuple[str, ...]]

    def scope(self, agent: str) -> Scope:
        """The scope of one agent of this user."""
        return Scope(tenant=self.tenant, agent=agent, user=self.user)

    def contact(self, rng: Random) -> str:
        """Somebody, the frequent ones more often."""
        return rng.choices(self.contacts, self.weights)[0]

    def topic(self, agent: str, rng: Random) -> str:
        """Something, what comes first in the user's list more often."""
        topics = self.topics[agent]
        return rng.choices(topics, [1 / (rank + 3) for rank in range(len(topics))])[0]

    def attributes(self, agent: str, topic: str, rng: Random) -> dict[str, Value]:
        """What is logged of anything of this topic."""
        logged = LOGGED[agent].items()
        return {"topic": topic} | {
            name: spec.draw(rng) for name, spec in logged if not spec.topics or topic in spec.topics
        }

    def time(self, day: date, rng: Random) -> datetime:
        """A time of a working day."""
        return at(day, rng.triangular(7.6, 18.9, self.peak) * 60, self.zone, rng)


def at(day: date, minutes: float, zone: ZoneInfo, rng: Random) -> datetime:
    """That time of that day, with some seconds."""
    return datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(
        minutes=math.floor(minutes), seconds=rng.randrange(60)
    )


def world(rng: Random, *, tenant: str, user: str) -> World:
    """Draw a user's people and places."""
    contacts = _names(rng, CONTACTS + 6)
    return World(
        tenant=tenant,
        user=user,
        zone=ZoneInfo(rng.choice(_ZONES)),
        peak=rng.uniform(9.5, 15),
        contacts=contacts[:CONTACTS],
        weights=tuple(1 / (rank + 4) for rank in range(CONTACTS)),
        colleagues=contacts[CONTACTS:],
        organisations=tuple(rng.sample(_FIRMS, 8)),
        topics={agent: tuple(rng.sample(topics, len(topics))) for agent, topics in TOPICS.items()},
    )


def _names(rng: Random, count: int) -> tuple[str, ...]:
    names: dict[str, None] = {}
    while len(names) < count:
        names[f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"] = None
    return tuple(names)
