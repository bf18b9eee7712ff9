"""What a window is divided into, in tokens."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from types import MappingProxyType

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import expected_of, within

_MOST_TOKENS = 100_000_000
# In tokens; from here on the caps are those that are set.
WHOLE_WINDOW = 32_000
BESIDE = 0.4


class Slot(StrEnum):
    """A part of the block, in the order in which the parts stand in it."""

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
    """How many tokens each part may take at most.

    Args:
        base_prompt: the caller's own; kept free.
        recalled: of what a question or a task brings; in a window below `WHOLE_WINDOW` the same part of it.
        tool_history: of the exchanges with tools that the caller hands over.
        response: what the model answers; kept free.
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
        """What is taken from a window before a conversation gets its share.

        Of a small one the slots beside the conversation get `BESIDE` of what is not kept free: they are seldom full,
        and where they are, what they hold is left out before anything of the conversation.
        """
        beside = self.facts + self.procedures + self.episodes + self.working_memory + self.tool_history
        return self.free + min(beside, max(0, int((window - self.free) * BESIDE)))

    @property
    def free(self) -> int:
        """What stays free for the caller and the model."""
        return self.base_prompt + self.response

    def within(self, window: int) -> "Slots":
        """These in a window of so many tokens: of a small one what is recalled takes no larger part."""
        return replace(self, recalled=min(self.recalled, self.recalled * window // WHOLE_WINDOW))

    def caps(self) -> dict[str, int]:
        """Every cap by its name."""
        return asdict(self)

    def having(self, caps: Mapping[str, int]) -> "Slots":
        """These, with some caps set by name.

        Raises:
            InvalidInput: a name is no slot's, or a cap is no whole number of 0 or more.
        """
        allowed = [field.name for field in fields(self)]
        for name, cap in caps.items():
            if name not in allowed:
                raise InvalidInput(f"no slot {name!r}; allowed are {', '.join(allowed)}")
            expected_of(int).check(cap, what=f"slot {name}")
            within(cap, 0, _MOST_TOKENS, what=f"slot {name}")
        return replace(self, **caps)


# How much memory a coding task gets in all, by its kind.
WORK_TYPES: Mapping[str, int] = MappingProxyType(
    {"bug_fix": 750, "refactor": 600, "feature": 400, "chore": 300, "unknown": 500}
)


def memory_for(work_type: str) -> int:
    """The tokens of memory for a kind of coding work.

    Raises:
        InvalidInput: there is no such kind.
    """
    if work_type not in WORK_TYPES:
        raise InvalidInput(f"no work_type {work_type!r}; allowed are {', '.join(WORK_TYPES)}")
    return WORK_TYPES[work_type]
