"""What a habit may be: when it may hold, and what the user does then. In the words of nobody.

A template is an occasion (an agent, and some of contact, topic, attributes and time) and an act. Where an occasion has
no condition at all, it is there only when the act is: a draft without semicolons is nobody's occasion to remove one.
Values that begin with `$` are parameters, drawn once for each rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from remembrancer.types.pattern import Category

Value: TypeAlias = str | int | float | bool

APPROVED = "approval_approved"
MODIFIED = "approval_modified"
REJECTED = "approval_rejected"
COMPLETED = "action_completed"
EXCEPTION = "exception_raised"
CORRECTED = "user_correction"
OUTCOMES: Mapping[str, str] = {
    APPROVED: "approved",
    MODIFIED: "modified",
    REJECTED: "rejected",
    COMPLETED: "done",
    EXCEPTION: "exception",
    CORRECTED: "modified",
}
"""How an episode of each type ends; a signal has no outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A time of the week.

    Args:
        weekday: 0 for Monday; `None` for every working day.
        start: minutes after midnight.
        end: the same, not itself in the slot.
    """

    weekday: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number beyond a parameter.

    Args:
        of: the parameter.
        above: whether the occasion lies above it.
        round: to how many digits values are rounded, as `round` takes it.
    """

    of: str
    above: bool = True
    round: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What is logged when a rule holds.

    Args:
        event: the type of an episode or of a signal.
        attributes: those that tell of the behaviour.
        told: whether the text tells of it; else the text is an ordinary one.
        signal: whether it arrives as a signal, where the name alone does not tell.
    """

    event: str
    attributes: Mapping[str, Value] = field(default_factory=dict[str, Value])
    told: bool = True
    signal: bool = False

    @property
    def outcome(self) -> str:
        """How it ended; `""` for a signal."""
        return "" if self.signal else OUTCOMES.get(self.event, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A kind of habit.

    Args:
        act: what is done.
        also: an episode that an integrator logs beside the signal.
        params: names of parameters and the pools they are drawn from.
        contact: whether the occasion is with one contact.
        topic: whether it is of one topic.
        where: attributes that make the occasion.
        slots: the times of which one is the rule's; `()` for any time.
        timed: whether the time is what is done, and not the occasion.
        otherwise: the event when it does not hold.
        turns: parameters that change when the user changes their mind.
        often: occasions in 30 days, from and to.
    """

    code: str
    category: Category
    agent: str
    act: Act
    also: Act | None = None
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    contact: bool = False
    topic: bool = False
    where: Mapping[str, Value | Limit] = field(default_factory=dict[str, Value | Limit])
    slots: tuple[Slot, ...] = ()
    timed: bool = False
    otherwise: str = APPROVED
    turns: tuple[str, ...] = ()
    often: tuple[int, int] = (10, 26)

    @property
    def open(self) -> bool:
        """Whether the occasion cannot be told from outside, unless the act is done."""
        return not (self.contact or self.topic or self.where or self.slots)


def _at(hours: float) -> int:
    return round(hours * 60)


_STYLE, _RHYTHM, _PEOPLE, _TOOLS, _DECISIONS = Category

_WRITING = (
    Template(code="W1", category=_STYLE, agent="email", act=Act(event="draft_modified")),
    Template(
        code="W2",
        category=_STYLE,
        agent="email",
        act=Act(event="draft_modified", attributes={"part": "$part", "change": "shortened"}),
        also=Act(event=MODIFIED, told=False),
        params={"part": "part"},
    ),
    Template(
        code="W3",
        category=_STYLE,
        agent="email",
        act=Act(event=MODIFIED, attributes={"part": "greeting", "change": "formal"}),
        contact=True,
    ),
    Template(
        code="W4",
        category=_STYLE,
        agent="email",
        act=Act(event="correction", attributes={"did": "$farewell", "changed_to": "$other_farewell"}),
        params={"farewell": "farewell", "other_farewell": "farewell"},
        turns=("other_farewell",),
    ),
    Template(code="W5", category=_STYLE, agent="email", act=Act(event="correction")),
    Template(
        code="W6",
        category=_STYLE,
        agent="email",
        act=Act(event=MODIFIED, attributes={"language": "$language"}),
        params={"language": "language"},
        contact=True,
        turns=("language",),
    ),
    Template(code="W7", category=_STYLE, agent="email", act=Act(event=MODIFIED), contact=True),
    Template(
        code="W8",
        category=_STYLE,
        agent="email",
        act=Act(event="draft_modified", attributes={"part": "subject", "change": "added number"}),
        topic=True,
    ),
    Template(
        code="W9",
        category=_STYLE,
        agent="email",
        act=Act(event=MODIFIED, attributes={"change": "shortened"}),
        where={"words": Limit(of="words", round=0)},
        params={"words": "words"},
        topic=True,
    ),
    Template(
        code="W10",
        category=_STYLE,
        agent="email",
        act=Act(event=REJECTED, attributes={"reason": "tone"}),
        topic=True,
    ),
    Template(code="W11", category=_STYLE, agent="crm", act=Act(event=CORRECTED)),
    Template(
        code="W12",
        category=_STYLE,
        agent="accounting",
        act=Act(event="draft_modified", attributes={"part": "amount"}),
    ),
)

_LATE = (
    Slot(weekday=4, start=_at(14.5), end=_at(19)),
    Slot(weekday=4, start=_at(13), end=_at(19)),
    Slot(weekday=3, start=_at(15), end=_at(19)),
)
_DAILY = (
    Slot(weekday=None, start=_at(7.5), end=_at(9)),
    Slot(weekday=None, start=_at(16.5), end=_at(18)),
    Slot(weekday=None, start=_at(11), end=_at(12.5)),
)
_WEEKDAYS = tuple(Slot(weekday=day, start=_at(8), end=_at(19)) for day in (1, 2, 3))

_RHYTHMS = (
    Template(
        code="R1",
        category=_RHYTHM,
        agent="email",
        act=Act(event=REJECTED, attributes={"reason": "later"}),
        slots=_LATE,
        often=(12, 22),
    ),
    Template(
        code="R2", category=_RHYTHM, agent="accounting", act=Act(event=COMPLETED), topic=True, slots=_DAILY, timed=True
    ),
    Template(
        code="R3",
        category=_RHYTHM,
        agent="email",
        act=Act(event=COMPLETED),
        contact=True,
        slots=(Slot(weekday=None, start=_at(17), end=_at(19)), Slot(weekday=None, start=_at(16.5), end=_at(18.5))),
        timed=True,
    ),
    Template(
        code="R4",
        category=_RHYTHM,
        agent="accounting",
        act=Act(event=REJECTED),
        slots=(Slot(weekday=None, start=_at(7.5), end=_at(9)), Slot(weekday=None, start=_at(7.5), end=_at(9.5))),
    ),
    Template(
        code="R5",
        category=_RHYTHM,
        agent="crm",
        act=Act(event=CORRECTED, attributes={"from": "$weekday", "to": "$next_weekday"}),
        slots=_WEEKDAYS,
        topic=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="R6",
        category=_RHYTHM,
        agent="relay",
        act=Act(event=MODIFIED),
        slots=(Slot(weekday=None, start=_at(12), end=_at(13.5)), Slot(weekday=None, start=_at(12.5), end=_at(14))),
    ),
    Template(
        code="R7",
        category=_RHYTHM,
        agent="accounting",
        act=Act(event=COMPLETED),
        topic=True,
        slots=_WEEKDAYS,
        timed=True,
        often=(10, 18),
    ),
    Template(
        code="R8",
        category=_RHYTHM,
        agent="files",
        act=Act(event=COMPLETED, attributes={"tool": "$tool"}),
        params={"tool": "tool"},
        topic=True,
        slots=(Slot(weekday=4, start=_at(15), end=_at(19)), Slot(weekday=0, start=_at(7.5), end=_at(10))),
        timed=True,
        often=(10, 16),
    ),
    Template(
        code="R9",
        category=_RHYTHM,
        agent="crm",
        act=Act(event=COMPLETED, attributes={"channel": "phone"}),
        contact=True,
        slots=(*_WEEKDAYS, Slot(weekday=None, start=_at(14), end=_at(15.5))),
        timed=True,
        often=(10, 16),
    ),
)

_PEOPLES = (
    Template(
        code="P1",
        category=_PEOPLE,
        agent="email",
        act=Act(event=REJECTED, attributes={"reason": "own words"}),
        contact=True,
    ),
    Template(
        code="P2",
        category=_PEOPLE,
        agent="email",
        act=Act(event="routed_differently", attributes={"from": "inbox", "to": "$colleague"}),
        params={"colleague": "colleague"},
        contact=True,
        turns=("colleague",),
    ),
    Template(
        code="P3",
        category=_PEOPLE,
        agent="email",
        act=Act(event=MODIFIED, attributes={"to": "$colleague"}),
        params={"colleague": "colleague"},
        topic=True,
        turns=("colleague",),
    ),
    Template(code="P4", category=_PEOPLE, agent="email", act=Act(event=CORRECTED), contact=True, otherwise=COMPLETED),
    Template(
        code="P5",
        category=_PEOPLE,
        agent="email",
        act=Act(event="draft_modified", attributes={"part": "cc", "cc": "$colleague"}),
        params={"colleague": "colleague"},
        contact=True,
    ),
    Template(
        code="P6",
        category=_PEOPLE,
        agent="accounting",
        act=Act(event=EXCEPTION, attributes={"reason": "amounts differ"}),
        params={"organisation": "organisation"},
        contact=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="P7",
        category=_PEOPLE,
        agent="email",
        act=Act(event=COMPLETED, attributes={"priority": "high", "minutes": 5}),
        contact=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="P8",
        category=_PEOPLE,
        agent="relay",
        act=Act(event="routed_differently", attributes={"from": "mail", "to": "$channel"}),
        params={"channel": "channel"},
        contact=True,
        turns=("channel",),
    ),
    Template(
        code="P9",
        category=_PEOPLE,
        agent="crm",
        act=Act(event=MODIFIED, attributes={"greeting": "first name"}),
        contact=True,
    ),
    Template(
        code="P10",
        category=_PEOPLE,
        agent="crm",
        act=Act(event="correction", attributes={"did": "assigned to me", "changed_to": "assigned to $colleague"}),
        params={"colleague": "colleague"},
        contact=True,
        turns=("colleague",),
    ),
)

_TOOLBOX = (
    Template(
        code="T1",
        category=_TOOLS,
        agent="crm",
        act=Act(event=CORRECTED, attributes={"from": "$other_tool", "to": "$tool"}),
        params={"tool": "tool", "other_tool": "tool"},
        topic=True,
        otherwise=COMPLETED,
        turns=("tool",),
    ),
    Template(
        code="T2",
        category=_TOOLS,
        agent="crm",
        act=Act(event=COMPLETED, attributes={"tool": "$tool"}),
        params={"tool": "tool"},
        topic=True,
        otherwise=COMPLETED,
        turns=("tool",),
    ),
    Template(
        code="T3",
        category=_TOOLS,
        agent="files",
        act=Act(event="routed_differently", attributes={"from": "$folder", "to": "$other_folder"}),
        params={"folder": "folder", "other_folder": "folder"},
        topic=True,
        turns=("other_folder",),
    ),
    Template(
        code="T4",
        category=_TOOLS,
        agent="files",
        act=Act(event="correction", attributes={"did": "$format", "changed_to": "$other_format"}),
        params={"format": "format", "other_format": "format"},
        turns=("other_format",),
    ),
    Template(code="T5", category=_TOOLS, agent="relay", act=Act(event="correction")),
    Template(
        code="T6",
        category=_TOOLS,
        agent="files",
        act=Act(event=EXCEPTION, attributes={"error": "timeout"}),
        also=Act(event="exception_surfaced", attributes={"error": "timeout"}, told=False),
        topic=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="T7",
        category=_TOOLS,
        agent="relay",
        act=Act(event=MODIFIED, attributes={"channel": "$channel"}),
        params={"channel": "channel"},
        where={"urgent": True},
    ),
    Template(
        code="T8",
        category=_TOOLS,
        agent="crm",
        act=Act(event="draft_modified", attributes={"part": "$field"}),
        params={"field": "field"},
    ),
    Template(
        code="T9",
        category=_TOOLS,
        agent="files",
        act=Act(event=CORRECTED),
        topic=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="T10",
        category=_TOOLS,
        agent="accounting",
        act=Act(event=COMPLETED, attributes={"tool": "$tool"}),
        params={"tool": "tool", "amount": "amount"},
        where={"amount": Limit(of="amount", round=2)},
        topic=True,
        otherwise=COMPLETED,
    ),
)

_CHOICES = (
    Template(
        code="D1",
        category=_DECISIONS,
        agent="email",
        act=Act(event=REJECTED),
        params={"amount": "amount"},
        where={"amount": Limit(of="amount", round=2)},
        topic=True,
    ),
    Template(
        code="D2",
        category=_DECISIONS,
        agent="crm",
        act=Act(event=MODIFIED, attributes={"change": "lowered"}),
        params={"discount": "discount"},
        where={"discount": Limit(of="discount")},
        topic=True,
    ),
    Template(
        code="D3",
        category=_DECISIONS,
        agent="accounting",
        act=Act(event=REJECTED, attributes={"reason": "no order number"}, signal=True),
        where={"has_order": False},
    ),
    Template(code="D4", category=_DECISIONS, agent="email", act=Act(event=REJECTED), topic=True),
    Template(
        code="D5",
        category=_DECISIONS,
        agent="accounting",
        act=Act(event="correction", attributes={"did": "$days", "changed_to": "$other_days"}),
        params={"days": "days", "other_days": "days", "organisation": "organisation"},
        contact=True,
        turns=("other_days",),
    ),
    Template(
        code="D6",
        category=_DECISIONS,
        agent="relay",
        act=Act(event=REJECTED, attributes={"reason": "new contact"}),
        where={"known": False},
    ),
    Template(
        code="D7",
        category=_DECISIONS,
        agent="relay",
        act=Act(event=CORRECTED, attributes={"from": "normal", "to": "high"}),
        topic=True,
        otherwise=COMPLETED,
    ),
    Template(
        code="D8",
        category=_DECISIONS,
        agent="accounting",
        act=Act(event="routed_differently", attributes={"from": "me", "to": "$colleague"}),
        params={"colleague": "colleague", "amount": "amount"},
        where={"amount": Limit(of="amount", round=2)},
        turns=("colleague",),
    ),
    Template(
        code="D9",
        category=_DECISIONS,
        agent="crm",
        act=Act(event=REJECTED, attributes={"reason": "too long"}),
        params={"minutes": "minutes"},
        where={"minutes": Limit(of="minutes", round=0)},
    ),
    Template(code="D10", category=_DECISIONS, agent="crm", act=Act(event=REJECTED, signal=True), topic=True),
    Template(
        code="D11",
        category=_DECISIONS,
        agent="files",
        act=Act(event=MODIFIED, attributes={"sent_as": "link"}),
        params={"megabytes": "megabytes"},
        where={"megabytes": Limit(of="megabytes", round=1)},
    ),
    Template(
        code="D12",
        category=_DECISIONS,
        agent="accounting",
        act=Act(event=EXCEPTION, attributes={"reason": "tax number"}),
        params={"country": "country"},
        where={"country": "$country"},
        otherwise=COMPLETED,
    ),
)

TEMPLATES: tuple[Template, ...] = (*_WRITING, *_RHYTHMS, *_PEOPLES, *_TOOLBOX, *_CHOICES)
"""All of them: 53."""
