"""A request to a language model, and the bill of the calls that are made for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remembrancer.llm.language_model import Prompt
from remembrancer.types.calls import AnswerCost, Call, CallPurpose, CallResult
from remembrancer.types.scope import Scope


class Bill:
    """The cost of a caller's requests so far.

    Attributes:
        paid: all calls together.
        model: of the last call, as `provider:name`; `""` before.
    """

    def __init__(self) -> None:
        self.paid = AnswerCost()
        self.model = ""

    def add(self, call: Call, usage: CallResult) -> None:
        """Add a call."""
        self.paid = self.paid.plus(call, usage)
        self.model = call.model


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A prompt for a language model, on behalf of a scope and for a purpose.

    Args:
        scope: whose budget pays.
        max_tokens: the longest answer that is paid for.
        schema: of the answer; `None` for an answer in words.
        bill: gets the calls.
        seconds: timeout of each model for an impatient caller: then no model is called twice, and a timeout is a
            failure. `None` for the usual timeout.
    """

    scope: Scope
    session: str | None
    purpose: CallPurpose
    prompt: Prompt
    max_tokens: int
    temperature: float = 0.0
    schema: Mapping[str, Any] | None = None
    bill: Bill = field(default_factory=Bill)
    seconds: float | None = None
