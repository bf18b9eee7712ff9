"""The rerank stage of a recall: an external, local or language model.

It runs between transactions, never inside one, and has a time limit: a caller waits for the scores only. The records of
a call are written while no caller waits.
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
from remembrancer.search.query import Query, RecallResult
from remembrancer.search.rerank_prompt import ANSWER_TOKENS, rerank_by_model
from remembrancer.search.rerank_result import MAX_RERANKED, reorder_hits
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import body_of, heading_of
from remembrancer.types.calls import CallOutcome, CallPurpose, Usage, plausible_usage
from remembrancer.types.record import Record
from remembrancer.types.scope import Classification, Scope, most_restrictive
from remembrancer.types.text import estimate

DEFAULT_SECONDS = 0.3
TEXT_CHARACTERS = 1_000
QUESTION_CHARACTERS = 2_000
# With less time no reranker is called.
MIN_SECONDS = 0.02
# The rest of the time is for the ledger.
_MODEL_SHARE = 0.9
_TRIAL_SLACK_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class _RerankJob:
    """The records to judge, and the result; `done` is set with the result.

    Args:
        records: the records, by their index among the hits.
        hurried: whether it has less time than usual.
    """

    scope: Scope
    question: str
    records: Mapping[int, Record]
    seconds: float
    hurried: bool
    done: anyio.Event = field(default_factory=anyio.Event)
    scores: Mapping[int, float] | None = None
    problem: str = ""


class RerankStage:
    """The reranker of one open store; it works while `run` does.

    Args:
        reranker: `None` uses the language models.
        seconds: the time limit.
        clearance: records with a higher classification are not sent out of this process.
        is_free: whether a call costs nothing if the price of the reranker is unknown.
    """

    def __init__(
        self,
        store: Store,
        rules: Dependencies,
        models: Models,
        reranker: Reranker | None,
        *,
        seconds: float = DEFAULT_SECONDS,
        clearance: Classification = Classification.INTERNAL,
        is_free: bool = False,
    ) -> None:
        self._rules = rules
        self._models = models
        self._reranker = reranker
        self._seconds = seconds
        self._clearance = clearance
        self._is_free = is_free
        self._breakers = Breakers(store, rules.clock.now, random.random, trial_seconds=seconds + _TRIAL_SLACK_SECONDS)
        self._waiting: list[_RerankJob] = []
        self._job_added = anyio.Event()

    @property
    def name(self) -> str:
        """The model that is called first, as `provider:name`."""
        return self._reranker.name if self._reranker else self._models.names(CallPurpose.RERANK)[0]

    async def rerank(
        self, scope: Scope, query: Query, recalled: RecallResult, *, seconds: float | None = None
    ) -> RecallResult:
        """Return a recall result with its best hits in a reranker's order.

        If it fails, the order is unchanged and a note has the reason. It does not run if recall abstained, and raises
        nothing.

        Args:
            recalled: the result of the widened query; see `rerank_result`.
            seconds: the time limit, if shorter than the usual one.
        """
        considered = dict(enumerate(hit.record for hit in recalled.hits[:MAX_RERANKED]))
        if recalled.abstained or len(considered) < 2 or not query.request.question.strip():
            return recalled
        records = {place: record for place, record in considered.items() if self._may_see(record)}
        seconds_left = self._seconds if seconds is None else min(seconds, self._seconds)
        hurried = seconds_left < self._seconds
        if len(records) < 2:
            return _unchanged(recalled, "the hits are classified too high to be sent to a reranker")
        # A language model rarely answers in time, and is paid all the same.
        if hurried and (seconds_left < MIN_SECONDS or self._reranker is None):
            return _unchanged(recalled, "there was no time for a reranker")
        job = _RerankJob(
            scope=scope, question=query.request.question, records=records, seconds=seconds_left, hurried=hurried
        )
        await self._wait_for(job)
        if job.scores is None:
            return _unchanged(recalled, job.problem or self._late(seconds_left))
        return replace(recalled, hits=reorder_hits(recalled.hits, job.scores))

    async def run(self) -> None:
        """Run jobs as they are added, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                await self._job_added.wait()
                self._job_added = anyio.Event()
                while self._waiting:
                    tasks.start_soon(self._run_job, self._waiting.pop(0))

    async def _wait_for(self, job: _RerankJob) -> None:
        """Wait until a job is done, or its time is over."""
        self._waiting.append(job)
        self._job_added.set()
        try:
            with anyio.move_on_after(job.seconds):
                await job.done.wait()
        finally:
            with suppress(ValueError):
                self._waiting.remove(job)

    async def _run_job(self, job: _RerankJob) -> None:
        """Run a job; any error becomes its problem."""
        try:
            with anyio.fail_after(job.seconds):
                scores = await self._scores(job)
            job.scores = dict(zip(job.records, scores, strict=True))
        except TimeoutError:
            job.problem = self._late(job.seconds)
        except RemembrancerError as error:
            job.problem = str(error)
        except Exception as error:
            # Our own errors too: a recall without a reranker is still useful.
            job.problem = f"reranking failed: {type(error).__name__}"
        finally:
            job.done.set()

    async def _scores(self, job: _RerankJob) -> Sequence[float]:
        """Return a score for each record of a job.

        Raises the errors of rerankers and of budgets.
        """
        question, texts = await run_sync(self._texts, job)
        if not question.replace(REDACTED, "").strip():
            raise NotAllowed("no part of the question may be sent to a reranker")
        if self._reranker is not None:
            return await self._call(self._reranker, job, question, texts)
        seconds = _MODEL_SHARE * job.seconds
        ask = ScopedModels(self._models, job.scope, None, CallPurpose.RERANK, max_tokens=ANSWER_TOKENS, seconds=seconds)
        return await rerank_by_model(question, texts, ask)

    def _may_see(self, record: Record) -> bool:
        """Return True if a memory may be sent to the reranker."""
        if self._reranker is not None and not self._reranker.is_outside:
            return True
        return most_restrictive([record.classification, self._clearance]) is self._clearance

    def _texts(self, job: _RerankJob) -> tuple[str, list[str]]:
        """Return the question and the texts for a reranker.

        Texts have date and speaker; of a long one an excerpt. Blocks the thread.
        """
        policy = self._rules.secrets
        masking = SecretPolicy.MASK if policy is SecretPolicy.REFUSE else policy
        question = redact(job.question, policy=masking).text[:QUESTION_CHARACTERS]
        words = [form for slot in slots_of(question) for form in slot]
        texts = [
            heading_of(record) + excerpt(body_of(record, self._rules.sign), words, characters=TEXT_CHARACTERS)
            for record in job.records.values()
        ]
        return question.encode(errors="replace").decode(), texts

    async def _call(self, reranker: Reranker, job: _RerankJob, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the scores of a reranker, if its circuit breaker permits."""
        permit = await self._permit(reranker)
        try:
            scores = await self._metered(reranker, job, question, texts)
        except BudgetExceeded:
            await self._breakers.release(permit)
            raise
        except (ProviderUnavailable, BadModelOutput) as error:
            with suppress(StoreError):
                await self._breakers.record_failure(permit, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), suppress(StoreError):
                # With less time than usual, a late answer is no failure of the reranker.
                if job.hurried:
                    await self._breakers.release(permit)
                else:
                    await self._breakers.record_failure(permit, ProviderUnavailable(self._late(job.seconds)))
            raise
        with suppress(StoreError):
            await self._breakers.record_success(permit)
        return scores

    async def _permit(self, reranker: Reranker) -> BreakerPermit:
        """Return a permit to call a reranker, even if the store cannot be written."""
        try:
            return await self._breakers.permit(reranker.name, CallPurpose.RERANK)
        except StoreError:
            return BreakerPermit(model=reranker.name, purpose=CallPurpose.RERANK, known=None, trial=False)

    async def _metered(
        self, reranker: Reranker, job: _RerankJob, question: str, texts: Sequence[str]
    ) -> Sequence[float]:
        """Return the scores of a reranker, with the cost recorded.

        The cost of an external call is reserved before and settled after it.
        """
        if not reranker.is_outside:
            return (await _judge(reranker, question, texts, job.seconds)).scores
        # A text has at most as many tokens as bytes.
        max_tokens = sum(len(text.encode()) + len(question.encode()) for text in texts)
        ledger, max_usage = self._models.ledger, Usage(prompt=max_tokens, cached=0, answer=0)
        cost = await run_sync(ledger.cost, reranker.name, max_usage, self._rules.clock.now())
        if cost is None and self._is_free:
            cost = 0
        reserved = ledger.reserve(job.scope, CallPurpose.RERANK, reranker.name, tokens=max_tokens, cost=cost)
        async with reserved as entry:
            try:
                judged = await _judge(reranker, question, texts, job.seconds)
            except BadModelOutput:
                entry.set_outcome(CallOutcome.BAD_OUTPUT)
                raise
            except ProviderUnavailable as error:
                if not error.charged:
                    entry.set_free()
                raise
            ledger.settle(entry, _usage(judged, question, texts, most=max_tokens))
            entry.set_outcome(CallOutcome.OK)
        return judged.scores

    def _late(self, seconds: float) -> str:
        return f"the reranker {self.name!r} took longer than {seconds:g} seconds"


def _unchanged(recalled: RecallResult, problem: str) -> RecallResult:
    return replace(recalled, notes=(*recalled.notes, f"not reranked: {problem}"))


async def _judge(reranker: Reranker, question: str, texts: Sequence[str], seconds: float) -> RerankScores:
    """Return the result of a reranker; unexpected errors are translated.

    Raises:
        ProviderUnavailable: it failed.
        BadModelOutput: it did not return one finite number per text.
    """
    try:
        judged: object = await reranker.judge(question, texts, seconds=seconds)
    except RemembrancerError:
        raise
    except Exception as error:
        message = f"the reranker {reranker.name!r} failed: {type(error).__name__}"
        raise ProviderUnavailable(message, charged=True) from error
    is_whole = isinstance(judged, RerankScores) and _are_scores(judged.scores, len(texts))  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
    if not is_whole:
        raise BadModelOutput(f"the reranker {reranker.name!r} did not return one number per text")
    return judged


def _are_scores(scores: object, count: int) -> bool:
    if not isinstance(scores, tuple) or len(scores) != count:  # pyright: ignore[reportUnknownArgumentType] -- a caller's own may differ
        return False
    return all(isinstance(score, float | int) and math.isfinite(score) for score in scores)  # pyright: ignore[reportUnknownVariableType] -- as above


def _usage(judged: RerankScores, question: str, texts: Sequence[str], *, most: int) -> Usage:
    """Return the usage of a call, as reported if plausible, else counted."""
    reported = None if judged.tokens is None else Usage(prompt=judged.tokens, cached=0, answer=0)
    counted = sum(map(estimate, texts)) + len(texts) * estimate(question)
    return plausible_usage(reported, most=most) or Usage(prompt=counted, cached=0, answer=0)
