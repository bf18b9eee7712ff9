"""The division of a model's window into slots, in tokens."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import expected_of, within

_MAX_TOKENS = 100_000_000
# In tokens; smaller windows get a proportional cap for recalled memories.
FULL_WINDOW = 32_000
FIXED_SHARE = 0.4


class Slot(StrEnum):
    """A part of the block, in the order of the block."""

    FACTS = "facts"
    PROCEDURES = "procedures"
    REFLECTIONS = "reflections"
    OBSERVATIONS = "observations"
    MESSAGES = "messages"
    EPISODES = "episodes"
    HISTORY = "history"
    WORKING = "working memory"
    RECALLED = "recalled"
    TODAY = "today"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The maximum number of tokens of each part.

    Args:
        base_prompt: the caller's own prompt; kept free.
        recalled: what a question or a task recalls; a window below `FULL_WINDOW` gets the same share of it.
        tool_history: the exchanges with tools that the caller passes.
        response: the model's answer; kept free.
    """

    base_prompt: int = 800
    facts: int = 600
    procedures: int = 400
    episodes: int = 1_200
    recalled: int = 1_500
    working_memory: int = 4_000
    tool_history: int = 2_000
    response: int = 2_000

    def fixed(self, window: int) -> int:
        """Return the tokens that a window reserves before the conversation.

        In a small window the slots next to the conversation get the share `FIXED_SHARE` of what is not kept free: they
        are seldom full, and if they are, their contents are left out before anything of the conversation.
        """
        fixed = self.facts + self.procedures + self.episodes + self.working_memory + self.tool_history
        return self.free + min(fixed, max(0, int((window - self.free) * FIXED_SHARE)))

    @property
    def free(self) -> int:
        """The tokens that stay free for the caller and the model."""
        return self.base_prompt + self.response

    def within(self, window: int) -> "Slots":
        """Return the slots for a window.

        A small window has less for recalled memories.
        """
        return replace(self, recalled=min(self.recalled, self.recalled * window // FULL_WINDOW))

    def caps(self) -> dict[str, int]:
        """Return each maximum by its name."""
        return asdict(self)

    def with_caps(self, caps: Mapping[str, int]) -> "Slots":
        """Return the slots with other maxima, by name.

        Raises:
            InvalidInput: a name is unknown, or a maximum is not a whole number of 0 or more.
        """
        allowed = [field.name for field in fields(self)]
        for name, cap in caps.items():
            if name not in allowed:
                raise InvalidInput(f"no slot {name!r}; allowed are {', '.join(allowed)}")
            expected_of(int).check(cap, what=f"slot {name}")
            within(cap, 0, _MAX_TOKENS, what=f"slot {name}")
        return replace(self, **caps)


# Tokens of memory for a coding task, by its kind.
WORK_TYPES: Mapping[str, int] = MappingProxyType(
    {"bug_fix": 750, "refactor": 600, "feature": 400, "chore": 300, "unknown": 500}
)


def memory_tokens(work_type: str) -> int:
    """Return the tokens of memory for a kind of coding work.

    Raises:
        InvalidInput: the kind is unknown.
    """
    if work_type not in WORK_TYPES:
        raise InvalidInput(f"no work_type {work_type!r}; allowed are {', '.join(WORK_TYPES)}")
    return WORK_TYPES[work_type]
