"""What a model is asked that answers in a conversation, with what memory holds before it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from remembrancer.context.report import Context
from remembrancer.context.slots import Slots
from remembrancer.engines.prompting import template_named
from remembrancer.errors import InvalidInput
from remembrancer.ports.language_model import Prompt

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
    return Prompt(system=system, text=filled.text, version=filled.version)
