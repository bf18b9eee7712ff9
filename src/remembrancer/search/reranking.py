"""Having what was recalled judged anew, by an endpoint, a model that runs here, or the configured language model.

Asked between transactions, never within one, and never for longer than it is given: whoever recalls waits for the
scores alone. What is still to be written down of a call then is written while nobody waits.
"""

import math
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import (
    BadModelOutput,
    BudgetExceeded,
    NotAllowed,
    ProviderUnavailable,
    RemembrancerError,
    StoreError,
)
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.language.analysis import slots_of
from remembrancer.language.private import REDACTED
from remembrancer.llm.breaker import BreakerPermit, Breakers
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.llm.reranker import Reranker, RerankScores
from remembrancer.search.excerpts import excerpt
from remembrancer.search.query import Query, Recalled
from remembrancer.search.rerank_prompt import ANSWER_TOKENS, rerank_asking
from remembrancer.search.reranked import RERANKED, reordered
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import body_of, heading_of
from remembrancer.types.calls import CallOutcome, CallPurpose, Usage, believable
from remembrancer.types.record import Record
from remembrancer.types.scope import Classification, Scope, most_restrictive
from remembrancer.types.text import estimate

SECONDS = 0.3
TEXT_CHARACTERS = 1_000
QUESTION_CHARACTERS = 2_000
# In less time none is worth asking.
LEAST_SECONDS = 0.02
# The rest is for the ledger.
_FOR_THE_MODEL = 0.9
_SLACK_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class _Errand:
    """What is to be judged, and what became of it; `done` is set when that is known.

    Args:
        records: by their places among the hits.
        hurried: whether it has less time than a reranker usually has.
    """

    scope: Scope
    question: str
    records: Mapping[int, Record]
    seconds: float
    hurried: bool
    done: anyio.Event = field(default_factory=anyio.Event)
    scores: Mapping[int, float] | None = None
    problem: str = ""


class Reranking:
    """The reranker of one open store; it works while `run` does.

    Args:
        reranker: `None` asks the language models.
        seconds: how long it may take in all.
        clearance: what is classified higher is not sent out of this process.
        is_free: whether a call costs nothing where no price of the reranker is known.
    """

    def __init__(
        self,
        store: Store,
        rules: Dependencies,
        models: Models,
        reranker: Reranker | None,
        *,
        seconds: float = SECONDS,
        clearance: Classification = Classification.INTERNAL,
        is_free: bool = False,
    ) -> None:
        self._rules = rules
        self._models = models
        self._reranker = reranker
        self._seconds = seconds
        self._clearance = clearance
        self._is_free = is_free
        self._breakers = Breakers(store, rules.clock.now, random.random, trial_seconds=seconds + _SLACK_SECONDS)
        self._waiting: list[_Errand] = []
        self._came = anyio.Event()

    @property
    def name(self) -> str:
        """Which model is asked first, as `provider:name`."""
        return self._reranker.name if self._reranker else self._models.names(CallPurpose.RERANK)[0]

    async def rerank(self, scope: Scope, query: Query, recalled: Recalled, *, seconds: float | None = None) -> Recalled:
        """What was recalled, the best of it in the order of a reranker; as it was, and a note says why, where it fails.

        Nothing is asked where recall abstained. It raises nothing.

        Args:
            recalled: the answer to the widened question; see `retrieval.reranked`.
            seconds: how long it may take, where that is less than it usually may.
        """
        considered = dict(enumerate(hit.record for hit in recalled.hits[:RERANKED]))
        if recalled.abstained or len(considered) < 2 or not query.request.question.strip():
            return recalled
        records = {place: record for place, record in considered.items() if self._may_see(record)}
        left = self._seconds if seconds is None else min(seconds, self._seconds)
        hurried = left < self._seconds
        if len(records) < 2:
            return _standing(recalled, "what was found is classified too high to be sent to a reranker")
        # A model in a hurry would mostly be paid for nothing.
        if hurried and (left < LEAST_SECONDS or self._reranker is None):
            return _standing(recalled, "there was no time left to ask a reranker")
        errand = _Errand(scope=scope, question=query.request.question, records=records, seconds=left, hurried=hurried)
        await self._awaited(errand)
        if errand.scores is None:
            return _standing(recalled, errand.problem or self._late(left))
        return replace(recalled, hits=reordered(recalled.hits, errand.scores))

    async def run(self) -> None:
        """Have errands done as they come, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._came.wait()
                self._came = anyio.Event()
                while self._waiting:
                    tasks.start_soon(self._do, self._waiting.pop(0))

    async def _awaited(self, errand: _Errand) -> None:
        """Wait until an errand is done, or its time is over."""
        self._waiting.append(errand)
        self._came.set()
        try:
            with anyio.move_on_after(errand.seconds):
                await errand.done.wait()
        finally:
            with suppress(ValueError):
                self._waiting.remove(errand)

    async def _do(self, errand: _Errand) -> None:
        """Do an errand; whatever fails becomes what is told of it."""
        try:
            with anyio.fail_after(errand.seconds):
                scores = await self._scores(errand)
            errand.scores = dict(zip(errand.records, scores, strict=True))
        except TimeoutError:
            errand.problem = self._late(errand.seconds)
        except RemembrancerError as error:
            errand.problem = str(error)
        except Exception as error:
            # Also a fault of ours: a recall without a reranker is one all the same.
            errand.problem = f"reranking failed: {type(error).__name__}"
        finally:
            errand.done.set()

    async def _scores(self, errand: _Errand) -> Sequence[float]:
        """A score for each record of an errand; raises as a reranker does, or as budgets do."""
        question, texts = await run_sync(self._worded, errand)
        if not question.replace(REDACTED, "").strip():
            raise NotAllowed("nothing of the question may be sent to a reranker")
        if self._reranker is not None:
            return await self._let(self._reranker, errand, question, texts)
        seconds = _FOR_THE_MODEL * errand.seconds
        ask = ScopedModels(
            self._models, errand.scope, None, CallPurpose.RERANK, max_tokens=ANSWER_TOKENS, seconds=seconds
        )
        return await rerank_asking(question, texts, ask)

    def _may_see(self, record: Record) -> bool:
        """Whether the reranker may be sent a memory."""
        if self._reranker is not None and not self._reranker.is_outside:
            return True
        return most_restrictive([record.classification, self._clearance]) is self._clearance

    def _worded(self, errand: _Errand) -> tuple[str, list[str]]:
        """Question and texts as a reranker reads them: with date and speaker, of what is long a part. Blocking."""
        policy = self._rules.secrets
        masking = SecretPolicy.MASK if policy is SecretPolicy.REFUSE else policy
        question = redact(errand.question, policy=masking).text[:QUESTION_CHARACTERS]
        words = [form for slot in slots_of(question) for form in slot]
        texts = [
            heading_of(record) + excerpt(body_of(record, self._rules.sign), words, characters=TEXT_CHARACTERS)
            for record in errand.records.values()
        ]
        return question.encode(errors="replace").decode(), texts

    async def _let(self, reranker: Reranker, errand: _Errand, question: str, texts: Sequence[str]) -> Sequence[float]:
        """The scores of a reranker, where its breaker lets the question through."""
        leave = await self._leave(reranker)
        try:
            scores = await self._metered(reranker, errand, question, texts)
        except BudgetExceeded:
            await self._breakers.release(leave)
            raise
        except (ProviderUnavailable, BadModelOutput) as error:
            with suppress(StoreError):
                await self._breakers.record_failure(leave, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), suppress(StoreError):
                # In less time than it is meant to have it could not have been expected to answer.
                if errand.hurried:
                    await self._breakers.release(leave)
                else:
                    await self._breakers.record_failure(leave, ProviderUnavailable(self._late(errand.seconds)))
            raise
        with suppress(StoreError):
            await self._breakers.record_success(leave)
        return scores

    async def _leave(self, reranker: Reranker) -> BreakerPermit:
        """Leave to ask a reranker, also where nothing can be written of that."""
        try:
            return await self._breakers.permit(reranker.name, CallPurpose.RERANK)
        except StoreError:
            return BreakerPermit(model=reranker.name, purpose=CallPurpose.RERANK, known=None, trial=False)

    async def _metered(
        self, reranker: Reranker, errand: _Errand, question: str, texts: Sequence[str]
    ) -> Sequence[float]:
        """The scores of a reranker; what leaves this process is reserved before and settled after."""
        if not reranker.is_outside:
            return (await _judged(reranker, question, texts, errand.seconds)).scores
        # No text has more tokens than bytes.
        most = sum(len(text.encode()) + len(question.encode()) for text in texts)
        ledger, at_most = self._models.ledger, Usage(prompt=most, cached=0, answer=0)
        cost = await run_sync(ledger.cost, reranker.name, at_most, self._rules.clock.now())
        if cost is None and self._is_free:
            cost = 0
        reserved = ledger.reserve(errand.scope, CallPurpose.RERANK, reranker.name, tokens=most, cost=cost)
        async with reserved as entry:
            try:
                judged = await _judged(reranker, question, texts, errand.seconds)
            except BadModelOutput:
                entry.set_outcome(CallOutcome.BAD_OUTPUT)
                raise
            except ProviderUnavailable as error:
                if not error.charged:
                    entry.set_free()
                raise
            ledger.settle(entry, _used(judged, question, texts, most=most))
            entry.set_outcome(CallOutcome.OK)
        return judged.scores

    def _late(self, seconds: float) -> str:
        return f"the reranker {self.name!r} took longer than {seconds:g} seconds"


def _standing(recalled: Recalled, problem: str) -> Recalled:
    return replace(recalled, notes=(*recalled.notes, f"the order stands: {problem}"))


async def _judged(reranker: Reranker, question: str, texts: Sequence[str], seconds: float) -> RerankScores:
    """What a reranker says; whatever a caller's own one raises or returns instead becomes an error of ours.

    Raises:
        ProviderUnavailable: it failed.
        BadModelOutput: it gave something else than one finite number for each text.
    """
    try:
        judged: object = await reranker.judge(question, texts, seconds=seconds)
    except RemembrancerError:
        raise
    except Exception as error:
        told = f"the reranker {reranker.name!r} failed: {type(error).__name__}"
        raise ProviderUnavailable(told, charged=True) from error
    is_whole = isinstance(judged, RerankScores) and _are_scores(judged.scores, len(texts))  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
    if not is_whole:
        raise BadModelOutput(f"the reranker {reranker.name!r} did not give one number for each text")
    return judged


def _are_scores(scores: object, count: int) -> bool:
    if not isinstance(scores, tuple) or len(scores) != count:  # pyright: ignore[reportUnknownArgumentType] -- a caller's own may differ
        return False
    return all(isinstance(score, float | int) and math.isfinite(score) for score in scores)  # pyright: ignore[reportUnknownVariableType] -- as above


def _used(judged: RerankScores, question: str, texts: Sequence[str], *, most: int) -> Usage:
    """What a call took: as the provider says or, where it says nothing that can be, as we count."""
    told = None if judged.tokens is None else Usage(prompt=judged.tokens, cached=0, answer=0)
    counted = sum(map(estimate, texts)) + len(texts) * estimate(question)
    return believable(told, most=most) or Usage(prompt=counted, cached=0, answer=0)
