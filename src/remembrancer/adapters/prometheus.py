"""A meter that Prometheus reads; its labels are bounded: tenants and agents up to a number, no users."""

import os
from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.multiprocess import mark_process_dead as _mark_dead  # pyright: ignore[reportUnknownVariableType]

from remembrancer.errors import StoreUnavailable
from remembrancer.types.call import Call, CallPurpose, CallUsage
from remembrancer.types.due import Due, Purpose
from remembrancer.types.night import Step
from remembrancer.types.record import Message, Observation, Record, Reflection, kind_of
from remembrancer.types.savings import Served
from remembrancer.types.scope import Scope

MOST_OWNERS = 500
OTHERS = "(others)"
_OF = ("tenant", "agent")
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SLOW = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class PrometheusMeter:
    """Counts and times of one process, or of several that share a folder.

    Args:
        folder: what prometheus_client was told by PROMETHEUS_MULTIPROC_DIR before it was loaded; `""` for nothing.
    """

    def __init__(self, folder: str = "") -> None:
        self._folder = Path(folder) if folder else None
        self.registry = CollectorRegistry()
        self._owners: set[tuple[str, str]] = set()
        of: dict[str, Any] = {"namespace": "remembrancer", "registry": self.registry}
        self._requests = Counter("requests", "Requests that were answered", ("door", "route", "status"), **of)
        self._seconds = Histogram("request_seconds", "How long requests took", ("door", "route"), buckets=_QUICK, **of)
        self._records = Counter("records", "Records that were written, by kind", (*_OF, "kind"), **of)
        self._tokens = Counter("tokens", "Tokens that were written, by tier", (*_OF, "tier"), **of)
        self._recalls = Histogram("recall_seconds", "How long recall took", _OF, buckets=_QUICK, **of)
        self._abstained = Counter("abstentions", "Questions that nothing here answers", _OF, **of)
        self._calls = Counter("model_calls", "Calls of models", (*_OF, "purpose", "model", "outcome"), **of)
        self._model_seconds = Histogram(
            "model_seconds", "How long models took", ("purpose", "model"), buckets=_SLOW, **of
        )
        self._model_tokens = Counter(
            "model_tokens", "Tokens of models: prompt, cached (of it) and answer", (*_OF, "purpose", "part"), **of
        )
        self._cost = Counter("model_cost_usd", "What models cost, where that is known", (*_OF, "purpose"), **of)
        self._unpriced = Counter("model_calls_unpriced", "Calls of models at an unknown price", (*_OF, "purpose"), **of)
        self._dropped = Counter(
            "model_claims_dropped",
            "Claims of models that their sources do not bear out",
            (*_OF, "purpose", "reason"),
            **of,
        )
        self._served = Counter("served_tokens", "Tokens of blocks that were served", _OF, **of)
        self._whole = Counter("whole_tokens", "Tokens of the conversations in whose place they stood", _OF, **of)
        self._saved = Counter("saved_usd", "What that spared, at cached prices, where they are known", _OF, **of)
        self._cached = Counter("context_cache", "Contexts that were looked for in the cache", ("result",), **of)
        self._worked = Histogram("work_seconds", "How long background work took", ("purpose",), buckets=_SLOW, **of)
        self._failed = Counter("work_failures", "Background work that failed", ("purpose",), **of)
        self._nights = Counter("night_failures", "Steps of nights that failed", ("step", "cause"), **of)
        self._due = Gauge(
            "work_waiting", "Tenants with work waiting", ("purpose",), multiprocess_mode="livemostrecent", **of
        )
        self._leases = Gauge("leases", "Leases on background work that are held", multiprocess_mode="livesum", **of)

    def text(self) -> str:
        """All of it, as Prometheus reads it: of all processes that share a folder, or of this one."""
        if not self._folder:
            return generate_latest(self.registry).decode()
        _forget_the_dead(self._folder)
        together = CollectorRegistry()
        MultiProcessCollector(together, str(self._folder))
        return generate_latest(together).decode()

    def listen(self, host: str, port: int) -> None:
        """Answer Prometheus in a thread, for a process that serves nothing else.

        Raises:
            StoreUnavailable: the address cannot be had.
        """
        try:
            start_http_server(port, addr=host, registry=self.registry)
        except OSError as error:
            raise StoreUnavailable(f"{host}:{port} cannot be listened at: {error.strerror}") from error

    def handled(self, *, door: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(door, route, str(status)).inc()
        self._seconds.labels(door, route).observe(seconds)

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """See `Meter.wrote`."""
        of = self._of(scope.tenant, scope.agent)
        for kind, count in Counts(kind_of(record).value for record in records).items():
            self._records.labels(*of, kind).inc(count)
        for record in records:
            if isinstance(record, Message | Observation):
                tier = "message" if isinstance(record, Message) else "observation"
                tier = "reflection" if isinstance(record, Reflection) else tier
                self._tokens.labels(*of, tier).inc(record.tokens)

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """See `Meter.recalled`."""
        of = self._of(scope.tenant, scope.agent)
        self._recalls.labels(*of).observe(seconds)
        # Also by nothing: a number that is not there cannot be told from 0.
        self._abstained.labels(*of).inc(abstained)

    def called(self, scope: Scope, call: Call, end: CallUsage) -> None:
        """See `Meter.called`."""
        of = self._of(scope.tenant, scope.agent)
        purpose = call.purpose.value
        self._calls.labels(*of, purpose, call.model, end.outcome.value).inc()
        self._model_seconds.labels(purpose, call.model).observe(end.milliseconds / 1_000)
        if end.usage is not None:
            for part, count in (
                ("prompt", end.usage.prompt),
                ("cached", end.usage.cached),
                ("answer", end.usage.answer),
            ):
                self._model_tokens.labels(*of, purpose, part).inc(count)
        if end.cost is None:
            self._unpriced.labels(*of, purpose).inc()
        else:
            self._cost.labels(*of, purpose).inc(end.cost / 1e6)

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """See `Meter.refused`."""
        for reason, count in reasons.items():
            self._dropped.labels(*self._of(scope.tenant, scope.agent), purpose.value, reason).inc(count)

    def served(self, scope: Scope, served: Served) -> None:
        """See `Meter.served`."""
        of = self._of(scope.tenant, scope.agent)
        self._served.labels(*of).inc(served.block.tokens)
        self._whole.labels(*of).inc(served.whole.tokens)
        if served.cost is not None:
            self._saved.labels(*of).inc(max(0, served.cost.whole.cached - served.cost.served.cached) / 1e6)

    def cached(self, *, hit: bool) -> None:
        """See `Meter.cached`."""
        self._cached.labels("hit" if hit else "miss").inc()

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """See `Meter.worked`."""
        self._worked.labels(purpose.value).observe(seconds)
        self._failed.labels(purpose.value).inc(failed)

    def failed(self, step: Step, cause: str) -> None:
        """See `Meter.failed`."""
        self._nights.labels(step.value, cause).inc()

    def waiting(self, due: Sequence[Due]) -> None:
        """See `Meter.waiting`."""
        found = Counts(one.purpose for one in due)
        for purpose in Purpose:
            self._due.labels(purpose.value).set(found.get(purpose, 0))

    def leased(self, more: int) -> None:
        """See `Meter.leased`."""
        self._leases.inc(more)

    def _of(self, tenant: str, agent: str | None) -> tuple[str, str]:
        """Whose it is; past a number of them, the others' together."""
        owner = tenant, agent or ""
        if owner not in self._owners:
            if len(self._owners) >= MOST_OWNERS:
                return OTHERS, ""
            self._owners.add(owner)
        return owner


def _forget_the_dead(folder: Path) -> None:
    """Let what processes have now end with them; what they have counted stays."""
    for process in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*_*.db")}:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            _mark_dead(process, str(folder))
        except PermissionError:
            pass
