"""What a model is asked that answers in a conversation, with what memory holds before it, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from remembrancer.context.report import Context
from remembrancer.context.slots import Slots
from remembrancer.errors import InvalidInput
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.prompts import template_named
from remembrancer.types.record import Record

Count = Callable[[str], int]
TEMPLATE: Final = template_named("reply")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered in a conversation.

    Args:
        model: as `provider:name`.
        context: what it read before.
    """

    text: str
    model: str
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What a model made of a task, with what memory holds, and what is kept of it.

    Args:
        model: as `provider:name`.
        context: what it read before.
        session: where both sides are recorded.
        messages: ids of the task and of the answer, as they were recorded.
        memories: ids of the memories that it read, the messages of the session apart.
        tokens: of all calls of models that it took, prompts and answers.
        cost: of the same, in millionths of a US dollar; `None` where it is not known.
        reflection: what was written back, where that was asked for and anything came of it.
        notes: what was not as usual.
    """

    text: str
    model: str
    context: Context
    session: str
    messages: tuple[str, str]
    memories: tuple[str, ...]
    tokens: int
    cost: int | None
    reflection: Record | None = None
    notes: tuple[str, ...] = ()


def system_prompt(instructions: str, *, slots: Slots, count: Count) -> str:
    """What stays the same from turn to turn: ours, then the caller's.

    Raises:
        InvalidInput: it does not fit into the slot of the base prompt.
    """
    ours = TEMPLATE.system
    room = slots.base_prompt - count(ours)
    if (taken := count(instructions)) > room:
        raise InvalidInput(f"instructions take {taken} tokens; give {room} at most")
    return f"{ours}\n\n{instructions.strip()}".strip()


def reply_prompt(context: Context, system: str) -> Prompt:
    """A context as a prompt: its cacheable part comes first, so that it stays the beginning of the next one."""
    filled = TEMPLATE.render(context=context.text)
    # What stands before the context in the template is the same each time.
    stable = filled.text.index(context.text) + len(context.prefix) if context.text else 0
    return Prompt(system=system, text=filled.text, version=filled.version, stable=stable)
