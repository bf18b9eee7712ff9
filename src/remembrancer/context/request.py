"""The request of a context, as a caller passes it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum

from remembrancer.context.formats import Format
from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_fields, member, within
from remembrancer.types.budget import Budget
from remembrancer.types.times import optional_utc

MAX_SEARCHED = 1_000


class ContextMode(StrEnum):
    """The purpose of a context."""

    TURN = "turn"
    BRIEF = "brief"
    PROMPT = "prompt"
    SEARCH = "search"


_ALWAYS = frozenset({"session", "mode", "budget", "record_access"})
_USED = {
    ContextMode.BRIEF: _ALWAYS,
    ContextMode.PROMPT: _ALWAYS | {"question"},
    ContextMode.SEARCH: _ALWAYS | {"question", "limit"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """The request of a context, as a caller passes it.

    In the mode `turn` the context is the conversation of the session: notes on its older messages, the newer ones
    verbatim, and the memories that the question recalls; from turn to turn its beginning stays the same. Without a
    session it is the context of a task. If too many messages wait, they are observed first. The mode `brief` is for the
    start of a session: its last state, summaries, and the memories that rank highest; `prompt` contains what a prompt
    recalls with high confidence and in time, without the messages of the session itself; `search` contains what a
    question recalls. The settings `inject_brief`, `inject_prompt` and `inject_recall` switch these three off.

    Args:
        session: the name of the conversation; an unknown one is an empty conversation.
        question: the question at hand, whose hits the context includes; by default the last message of a user. Only the
            beginning of a very long one is searched for.
        task: the task at hand; the context includes it, and its hits if there is no question. A task that is longer
            than its slot is shortened, and stored as a message.
        history: exchanges with tools, oldest first; those that do not fit are shortened, and stored as a message.
        working: the state of the run, such as `WorkingMemory.render()`.
        mode: `turn`, `brief`, `prompt` or `search`.
        work_type: for coding: `bug_fix`, `refactor`, `feature`, `chore` or `unknown`, which bounds the memory.
        contact: the person concerned: only episodes with this contact are included.
        format: `markdown` or `tags`, in the mode `turn`.
        recall: `False` leaves out what the question recalls.
        limit: the maximum number of memories in the mode `search`, 1 to 1,000.
        record_access: `False` leaves no trace of the reading.
        as_of: the context at an earlier time, from the memories known then, as they then read. Nothing is observed for
            it, and deleted memories are left out.

    Raises:
        InvalidInput: a value has the wrong type, is out of range, or is not used in the mode.
    """

    session: str | None = None
    question: str = ""
    task: str = ""
    mode: str = ContextMode.TURN
    history: Sequence[str] = ()
    working: str = ""
    budget: Budget = field(default_factory=Budget)
    work_type: str | None = None
    contact: str | None = None
    format: str = Format.MARKDOWN
    recall: bool = True
    limit: int = 5
    record_access: bool = True
    as_of: datetime | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        mode = member(ContextMode, self.mode, "mode")
        object.__setattr__(self, "mode", mode)
        object.__setattr__(self, "format", member(Format, self.format, "format"))
        object.__setattr__(self, "as_of", optional_utc(self.as_of, what="as_of"))
        within(self.limit, 1, MAX_SEARCHED, what="limit")
        self._check_used(mode)

    def _check_used(self, mode: ContextMode) -> None:
        if mode is ContextMode.TURN:
            if self.budget.tokens is not None:
                raise InvalidInput("the mode turn is bounded by budget.window and budget.slots, not by budget.tokens")
            return
        plain = _PLAIN
        unused = [
            one.name
            for one in fields(self)
            if one.name not in _USED[mode] and getattr(self, one.name) != getattr(plain, one.name)
        ]
        unused += [f"budget.{name}" for name in ("window", "slots") if getattr(self.budget, name) is not None]
        if unused:
            raise InvalidInput(f"the mode {mode.value} does not use {', '.join(unused)}")


_PLAIN = ContextRequest()
