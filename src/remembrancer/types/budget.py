"""Limits in tokens, and windows of models."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_fields, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits in tokens of a context; what is not set is the deployment's.

    Args:
        tokens: the most that the rendered text may have, in the modes `brief`, `prompt` and `search`.
        window: of the model, in the mode `turn`: 1,000 or more, and 3,000 for a conversation; the setting
            `context_window` by default.
        slots: caps by the names of the setting `slots`, before those that it sets; all are in the report.

    Raises:
        InvalidInput: a number is out of its range.
    """

    tokens: int | None = None
    window: int | None = None
    slots: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.tokens is not None:
            within(self.tokens, 1, what="tokens")
        if self.window is not None:
            within(self.window, 1_000, 100_000_000, what="window")


WINDOW_TOKENS = 128_000
# What is kept free for the caller and the model, and a little more.
LEAST_WINDOW_TOKENS = 3_000
MESSAGE_TOKENS = 30_000
OBSERVATION_TOKENS = 40_000
# What messages and log need between them, at the least.
LEAST_TOKENS = 100
# What a block writes around a message: its number, its time, and who spoke.
AROUND_MESSAGE = 24
# A log is reflected on again only after so large a part of its threshold has come.
FRESH = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The thresholds of one conversation, in tokens.

    Args:
        messages: so many raw ones, and the oldest give way to what was noted of them.
        observations: so many in the log, and it is reflected on.
        chunk: the part of `messages` that is observed at a time, ahead of need; in (0, 1].
        kept: the part of `messages` that stays raw when the rest gives way; in [0, 1).
        wait: at how many times a threshold a context waits for what it needs, 1 or more.
        shared: whether messages may fill what observations leave of both shares, and the other way round.
        by_scope: whether all sessions of an exact scope are one conversation.
        held: whether a person approves of what was noted before it is shown.
    """

    messages: int = MESSAGE_TOKENS
    observations: int = OBSERVATION_TOKENS
    chunk: float = 0.2
    kept: float = 0.2
    wait: float = 1.2
    shared: bool = False
    by_scope: bool = False
    held: bool = False

    @property
    def chunk_tokens(self) -> int:
        """How many tokens are observed at a time."""
        return max(1, round(self.messages * self.chunk))

    @property
    def kept_tokens(self) -> int:
        """How many tokens stay raw."""
        return round(self.messages * self.kept)

    @property
    def fresh_tokens(self) -> int:
        """After how many new tokens a log is reflected on again."""
        return max(1, round(self.observations * FRESH))

    def within(self, window: int, *, fixed: int, beside: int = 0) -> "Window":
        """These thresholds, made smaller where they do not fit: three sevenths for messages, four for observations.

        Args:
            window: the tokens of a model's window.
            fixed: those of it that the fixed slots take.
            beside: those that what is recalled may take, which is left out first where there is no room.

        Raises:
            InvalidInput: they leave next to nothing; the message names the least window.
        """
        tokens = window - fixed
        if tokens - beside >= self.messages + self.observations:
            return self
        if tokens < LEAST_TOKENS:
            # A larger window has larger slots: of each token more, a little over half is the conversation's.
            enough = window + 2 * (LEAST_TOKENS - tokens)
            raise InvalidInput(
                f"a window of {window} tokens is too small for a conversation beside slots of {fixed}:"
                f" make the window {enough} or more, or the slots {window - LEAST_TOKENS} or less in all"
            )
        left = max(LEAST_TOKENS, tokens - beside)
        return replace(self, messages=left * 3 // 7, observations=left * 4 // 7)

    def message_limit(self, logged: int) -> int:
        """How many raw tokens are too many beside a log of so many tokens."""
        return max(self.messages, self.messages + self.observations - logged) if self.shared else self.messages

    def observation_limit(self, raw: int) -> int:
        """How many tokens of a log are too many beside so many raw ones."""
        return max(self.observations, self.messages + self.observations - raw) if self.shared else self.observations
