"""Calls of language models during maintenance; without a model, counting alone decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

import anyio

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.compact.records import Story
from remembrancer.learn.llm.compactor import compact_asking
from remembrancer.learn.llm.detector import detect_asking
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.types.calls import CallPurpose
from remembrancer.types.pattern import BehaviourEvent, Pattern, RejectedProposal
from remembrancer.types.record import Episode
from remembrancer.types.scope import Scope

DETECTOR = "asking-detector"
ANSWER_TOKENS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Patterns that a model has proposed.

    Args:
        patterns: those that a recount of the events confirms.
        refusals: the others, with the reason.
        engine, model: what has made them.
    """

    patterns: Sequence[Pattern] = ()
    refusals: Sequence[RejectedProposal] = ()
    engine: str = ""
    model: str = ""


class MaintenanceModels:
    """The language models of one maintenance run, called on behalf of its scope.

    Args:
        seconds: maximum time of a call.
    """

    def __init__(self, models: Models, scope: Scope, *, zone: tzinfo, seconds: float) -> None:
        self._models = models
        self._scope = scope
        self._zone = zone
        self._seconds = seconds

    @property
    def can_summarise(self) -> bool:
        """Return True if a model summarises groups of episodes."""
        return self._models.available(CallPurpose.SUMMARISE)

    async def summarise(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """Return a summary of each group of raw episodes, `None` where the model fails."""
        ask = ScopedModels(self._models, self._scope, None, CallPurpose.SUMMARISE, max_tokens=ANSWER_TOKENS)
        try:
            with anyio.fail_after(self._seconds):
                texts = await compact_asking(groups, ask=ask, zone=self._zone)
        except (BadModelOutput, ProviderUnavailable, BudgetExceeded, TimeoutError):
            return [None] * len(groups)
        return [Story(text=text, model=ask.model, prompt=ask.version) if text else None for text in texts]

    async def propose(self, deeds: Sequence[BehaviourEvent], known: Sequence[str], limit: int) -> Proposals:
        """Return the patterns that a model proposes and a recount confirms; empty without a model."""
        if not self._models.available(CallPurpose.DETECT):
            return Proposals()
        ask = ScopedModels(self._models, self._scope, None, CallPurpose.DETECT, max_tokens=ANSWER_TOKENS)
        try:
            with anyio.fail_after(self._seconds):
                patterns, refusals = await detect_asking(deeds, ask, known=known, limit=limit)
        except (ProviderUnavailable, BudgetExceeded, TimeoutError) as error:
            return Proposals(
                refusals=[RejectedProposal(quote="", reason=f"no answer from a model: {error or 'timeout'}")]
            )
        except BadModelOutput as error:
            return Proposals(refusals=[RejectedProposal(quote="", reason=str(error))])
        engine = f"{DETECTOR} {ask.version}".strip()
        return Proposals(patterns=patterns, refusals=refusals, engine=engine, model=ask.model)
