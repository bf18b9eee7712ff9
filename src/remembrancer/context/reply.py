"""Replies of a model in a conversation, and their prompt."""

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
    """A model's reply in a conversation.

    Args:
        model: the model, as `provider:name`.
        context: the context that the model read.
    """

    text: str
    model: str
    context: Context


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """The result of a task that a model executed with memory.

    Args:
        model: the model, as `provider:name`.
        context: the context that the model read.
        session: the session in which the task and the answer are recorded.
        messages: ids of the messages of the task and of the answer.
        memories: ids of the memories in the context, without the messages of the session.
        tokens: the tokens of all model calls, prompts and answers.
        cost: the cost of all model calls, in millionths of a US dollar; `None` if unknown.
        reflection: the memory that was written back, if requested and not empty.
        notes: deviations from the usual.
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
    """Return the constant part of the prompt: ours, then the caller's.

    Raises:
        InvalidInput: it is longer than the slot `base_prompt`.
    """
    ours = TEMPLATE.system
    room = slots.base_prompt - count(ours)
    if (size := count(instructions)) > room:
        raise InvalidInput(f"instructions have {size} tokens; shorten them to {room}, or enlarge the slot base_prompt")
    return f"{ours}\n\n{instructions.strip()}".strip()


def reply_prompt(context: Context, system: str) -> Prompt:
    """Return a context as a prompt that begins with the cacheable part."""
    filled = TEMPLATE.render(context=context.text)
    # The text before the context in the template is constant.
    stable = filled.text.index(context.text) + len(context.prefix) if context.text else 0
    return Prompt(system=system, text=filled.text, version=filled.version, stable=stable)
