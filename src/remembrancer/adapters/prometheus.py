"""A meter for Prometheus; its labels are bounded: a limited number of tenants and agents, no users."""

import os
from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.multiprocess import mark_process_dead as _mark_dead  # pyright: ignore[reportUnknownVariableType]

from remembrancer.errors import StoreUnavailable
from remembrancer.types.calls import Call, CallPurpose, CallResult, ServedBlock
from remembrancer.types.jobs import DueWork, MaintenanceStep, Purpose
from remembrancer.types.record import Message, Observation, Record, Reflection, kind_of
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope

MAX_OWNERS = 500
OTHERS = "(others)"
_OWNER = ("tenant", "agent")
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SLOW = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)


class PrometheusMeter:
    """Counts and times of one process, or of several that share a folder.

    Args:
        folder: value of PROMETHEUS_MULTIPROC_DIR when prometheus_client was imported; `""` if it was not set.
    """

    def __init__(self, folder: str = "") -> None:
        self._folder = Path(folder) if folder else None
        self.registry = CollectorRegistry()
        self._owners: set[tuple[str, str]] = set()
        options: dict[str, Any] = {"namespace": "remembrancer", "registry": self.registry}
        self._requests = Counter("requests", "Answered requests", ("origin", "route", "status"), **options)
        self._seconds = Histogram(
            "request_seconds", "Duration of requests", ("origin", "route"), buckets=_QUICK, **options
        )
        self._records = Counter("records", "Written records by kind", (*_OWNER, "kind"), **options)
        self._tokens = Counter("tokens", "Written tokens by tier", (*_OWNER, "tier"), **options)
        self._recalls = Histogram("recall_seconds", "Duration of recall", _OWNER, buckets=_QUICK, **options)
        self._abstained = Counter("abstentions", "Questions without an answer in memory", _OWNER, **options)
        self._calls = Counter(
            "model_calls", "Calls of language models", (*_OWNER, "purpose", "model", "outcome"), **options
        )
        self._model_seconds = Histogram(
            "model_seconds", "Duration of model calls", ("purpose", "model"), buckets=_SLOW, **options
        )
        self._model_tokens = Counter(
            "model_tokens",
            "Tokens of model calls: prompt, cached (part of prompt) and answer",
            (*_OWNER, "purpose", "part"),
            **options,
        )
        self._cost = Counter(
            "model_cost_usd", "Cost of model calls with a known price", (*_OWNER, "purpose"), **options
        )
        self._unpriced = Counter(
            "model_calls_unpriced", "Model calls without a known price", (*_OWNER, "purpose"), **options
        )
        self._dropped = Counter(
            "model_claims_dropped",
            "Claims of models that their sources do not support",
            (*_OWNER, "purpose", "reason"),
            **options,
        )
        self._served = Counter("served_tokens", "Tokens of served contexts", _OWNER, **options)
        self._whole = Counter("whole_tokens", "Tokens of the whole conversations of served contexts", _OWNER, **options)
        self._saved = Counter("saved_usd", "Savings at cached prices, where known", _OWNER, **options)
        self._cached = Counter("context_cache", "Lookups of contexts in the cache", ("result",), **options)
        self._worked = Histogram("work_seconds", "Duration of background work", ("purpose",), buckets=_SLOW, **options)
        self._failed = Counter("work_failures", "Failures of background work", ("purpose",), **options)
        self._nights = Counter("night_failures", "Failed steps of maintenance runs", ("step", "cause"), **options)
        self._due = Gauge(
            "work_waiting", "Tenants with due work", ("purpose",), multiprocess_mode="livemostrecent", **options
        )
        self._replica_ready = Gauge(
            "replica_ready", "Replicas that are in use", ("replica",), multiprocess_mode="min", **options
        )
        self._replica_lag = Gauge(
            "replica_lag_seconds", "Age of the oldest change that a replica lacks", ("replica",),
            multiprocess_mode="livemostrecent", **options
        )  # fmt: skip
        self._replica_reads = Gauge(
            "replica_reads", "Reads by result: answered, or missed and answered by the primary", ("replica", "result"),
            multiprocess_mode="livesum", **options
        )  # fmt: skip
        self._leases = Gauge("leases", "Active leases on background work", multiprocess_mode="livesum", **options)

    def text(self) -> str:
        """Return all metrics in the text format, of all processes that share the folder, or of this one."""
        if not self._folder:
            return generate_latest(self.registry).decode()
        _remove_dead_processes(self._folder)
        together = CollectorRegistry()
        MultiProcessCollector(together, str(self._folder))
        return generate_latest(together).decode()

    def listen(self, host: str, port: int) -> None:
        """Serve metrics in a thread, for a process without another server.

        Raises:
            StoreUnavailable: the address is in use or invalid.
        """
        try:
            start_http_server(port, addr=host, registry=self.registry)
        except OSError as error:
            raise StoreUnavailable(f"cannot listen on {host}:{port}: {error.strerror}") from error

    def handled(self, *, origin: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(origin, route, str(status)).inc()
        self._seconds.labels(origin, route).observe(seconds)

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """See `Meter.wrote`."""
        owner = self._owner(scope.tenant, scope.agent)
        for kind, count in Counts(kind_of(record).value for record in records).items():
            self._records.labels(*owner, kind).inc(count)
        for record in records:
            if isinstance(record, Message | Observation):
                tier = "message" if isinstance(record, Message) else "observation"
                tier = "reflection" if isinstance(record, Reflection) else tier
                self._tokens.labels(*owner, tier).inc(record.tokens)

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """See `Meter.recalled`."""
        owner = self._owner(scope.tenant, scope.agent)
        self._recalls.labels(*owner).observe(seconds)
        # Also by 0, so that the series exists.
        self._abstained.labels(*owner).inc(abstained)

    def called(self, scope: Scope, call: Call, end: CallResult) -> None:
        """See `Meter.called`."""
        owner = self._owner(scope.tenant, scope.agent)
        purpose = call.purpose.value
        self._calls.labels(*owner, purpose, call.model, end.outcome.value).inc()
        self._model_seconds.labels(purpose, call.model).observe(end.milliseconds / 1_000)
        if end.usage is not None:
            for part, count in (
                ("prompt", end.usage.prompt),
                ("cached", end.usage.cached),
                ("answer", end.usage.answer),
            ):
                self._model_tokens.labels(*owner, purpose, part).inc(count)
        if end.cost is None:
            self._unpriced.labels(*owner, purpose).inc()
        else:
            self._cost.labels(*owner, purpose).inc(end.cost / 1e6)

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """See `Meter.refused`."""
        for reason, count in reasons.items():
            self._dropped.labels(*self._owner(scope.tenant, scope.agent), purpose.value, reason).inc(count)

    def served(self, scope: Scope, served: ServedBlock) -> None:
        """See `Meter.served`."""
        owner = self._owner(scope.tenant, scope.agent)
        self._served.labels(*owner).inc(served.block.tokens)
        self._whole.labels(*owner).inc(served.whole.tokens)
        if served.cost is not None:
            self._saved.labels(*owner).inc(max(0, served.cost.whole.cached - served.cost.served.cached) / 1e6)

    def cached(self, *, hit: bool) -> None:
        """See `Meter.cached`."""
        self._cached.labels("hit" if hit else "miss").inc()

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """See `Meter.worked`."""
        self._worked.labels(purpose.value).observe(seconds)
        self._failed.labels(purpose.value).inc(failed)

    def failed(self, step: MaintenanceStep, cause: str) -> None:
        """See `Meter.failed`."""
        self._nights.labels(step.value, cause).inc()

    def waiting(self, due: Sequence[DueWork]) -> None:
        """See `Meter.waiting`."""
        counts = Counts(one.purpose for one in due)
        for purpose in Purpose:
            self._due.labels(purpose.value).set(counts.get(purpose, 0))

    def replicated(self, states: Sequence[ReplicaState]) -> None:
        """See `Meter.replicated`."""
        for state in states:
            self._replica_ready.labels(state.name).set(state.is_asked)
            self._replica_lag.labels(state.name).set(nan if state.lag_seconds is None else state.lag_seconds)
            self._replica_reads.labels(state.name, "answered").set(state.reads)
            self._replica_reads.labels(state.name, "missed").set(state.missed)

    def leased(self, more: int) -> None:
        """See `Meter.leased`."""
        self._leases.inc(more)

    def _owner(self, tenant: str, agent: str | None) -> tuple[str, str]:
        """Return the labels of an owner, those of all others together beyond the limit."""
        owner = tenant, agent or ""
        if owner not in self._owners:
            if len(self._owners) >= MAX_OWNERS:
                return OTHERS, ""
            self._owners.add(owner)
        return owner


def _remove_dead_processes(folder: Path) -> None:
    """Remove the gauges of processes that have ended; their counters stay."""
    for process in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*_*.db")}:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            _mark_dead(process, str(folder))
        except PermissionError:
            pass
