"""Token limits of contexts, and thresholds of conversations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_fields, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Token limits of a context; unset ones are those of the deployment.

    Args:
        tokens: the maximum of the rendered text, in the modes `brief`, `prompt` and `search`.
        window: the window of the model, in the mode `turn`: at least 1,000, or 3,000 for a conversation; by default
            the setting `context_window`.
        slots: limits of slots by name; they override those of the setting `slots`. The report lists all of them.

    Raises:
        InvalidInput: a number is out of range.
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
# The reserve for the caller and the model, and a little more.
LEAST_WINDOW_TOKENS = 3_000
MESSAGE_TOKENS = 30_000
OBSERVATION_TOKENS = 40_000
# The minimum for messages and log together.
LEAST_TOKENS = 100
# The tokens around a message in a block: its number, time and speaker.
AROUND_MESSAGE = 24
# The share of the threshold that must be new before a log is reflected on again.
FRESH = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The thresholds of one conversation, in tokens.

    Args:
        messages: above this number of verbatim tokens, notes replace the oldest messages.
        observations: above this number of tokens in the log, it is reflected on.
        chunk: the share of `messages` that is observed at a time, in advance; in (0, 1].
        kept: the share of `messages` that stays verbatim when notes replace the others; in [0, 1).
        wait: the multiple of a threshold at which a context waits for the observer or reflector; 1 or more.
        shared: whether messages may use the unused share of observations, and vice versa.
        by_scope: whether all sessions of an exact scope are one conversation.
        review: whether a person approves notes before they are shown.
    """

    messages: int = MESSAGE_TOKENS
    observations: int = OBSERVATION_TOKENS
    chunk: float = 0.2
    kept: float = 0.2
    wait: float = 1.2
    shared: bool = False
    by_scope: bool = False
    review: bool = False

    @property
    def chunk_tokens(self) -> int:
        """The tokens of a chunk."""
        return max(1, round(self.messages * self.chunk))

    @property
    def kept_tokens(self) -> int:
        """The tokens that stay verbatim."""
        return round(self.messages * self.kept)

    @property
    def fresh_tokens(self) -> int:
        """The new tokens after which a log is reflected on again."""
        return max(1, round(self.observations * FRESH))

    def within(self, window: int, *, fixed: int, recalled: int = 0) -> "Window":
        """Return the thresholds for a window: where they do not fit, 3/7 of it for messages and 4/7 for observations.

        Args:
            window: the tokens of a model's window.
            fixed: the tokens of the fixed slots.
            recalled: the tokens for recalled memories, which are dropped first.

        Raises:
            InvalidInput: the window is too small; the message names the minimum.
        """
        tokens = window - fixed
        if tokens - recalled >= self.messages + self.observations:
            return self
        if tokens < LEAST_TOKENS:
            # A larger window has larger slots: the conversation gets a little over half of each added token.
            enough = window + 2 * (LEAST_TOKENS - tokens)
            raise InvalidInput(
                f"a window of {window} tokens is too small for a conversation with slots of {fixed}:"
                f" use a window of at least {enough}, or slots of at most {window - LEAST_TOKENS} in all"
            )
        left = max(LEAST_TOKENS, tokens - recalled)
        return replace(self, messages=left * 3 // 7, observations=left * 4 // 7)

    def message_limit(self, logged: int) -> int:
        """Return the limit of verbatim tokens next to a log of `logged` tokens."""
        return max(self.messages, self.messages + self.observations - logged) if self.shared else self.messages

    def observation_limit(self, raw: int) -> int:
        """Return the limit of a log next to `raw` verbatim tokens."""
        return max(self.observations, self.messages + self.observations - raw) if self.shared else self.observations
