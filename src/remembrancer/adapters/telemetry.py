"""Spans of OpenTelemetry through its API; the application configures the SDK and the exporter."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from remembrancer.transactions.dependencies import Meter
from remembrancer.types.calls import Call, CallOutcome, CallPurpose, CallResult, ServedBlock
from remembrancer.types.jobs import DueWork, MaintenanceStep, Purpose
from remembrancer.types.record import Record, kind_of
from remembrancer.types.scope import Scope

Attributes: TypeAlias = Mapping[str, str | int | float | bool]
_NAME = "remembrancer"


class SpanMeter:
    """A meter that records operations as spans within the current one, and forwards them to another meter.

    Spans contain ids, codes, counts and times, but no text. They are recorded at the end of an operation, with the
    time of its start.

    Args:
        inner: the other meter.
    """

    def __init__(self, inner: Meter) -> None:
        self._inner = inner
        self._tracer = trace.get_tracer(_NAME)

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """See `Meter.wrote`."""
        self._inner.wrote(scope, records)
        counts = Counter(kind_of(record).value for record in records)
        trace.get_current_span().add_event("wrote", {f"remembrancer.{kind}": count for kind, count in counts.items()})

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """See `Meter.recalled`."""
        self._inner.recalled(scope, seconds=seconds, abstained=abstained)
        self._record("recall", seconds, {**_of(scope), "remembrancer.abstained": abstained})

    def called(self, scope: Scope, call: Call, end: CallResult) -> None:
        """See `Meter.called`; the attributes follow the conventions of OpenTelemetry for generative models."""
        self._inner.called(scope, call, end)
        provider, _, model = call.model.partition(":")
        attributes: dict[str, str | int | float | bool] = {
            **_of(scope),
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "remembrancer.purpose": call.purpose.value,
            "remembrancer.outcome": end.outcome.value,
            "remembrancer.request_id": call.request,
        }
        if end.usage is not None:
            attributes["gen_ai.usage.input_tokens"] = end.usage.prompt
            attributes["gen_ai.usage.output_tokens"] = end.usage.answer
        is_ok = end.outcome is CallOutcome.OK
        self._record(f"chat {model}", end.milliseconds / 1_000, attributes, failed=not is_ok, kind=SpanKind.CLIENT)

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """See `Meter.refused`."""
        self._inner.refused(scope, purpose, reasons)

    def served(self, scope: Scope, served: ServedBlock) -> None:
        """See `Meter.served`."""
        self._inner.served(scope, served)
        tokens = {"remembrancer.tokens": served.block.tokens, "remembrancer.whole": served.whole.tokens}
        trace.get_current_span().add_event("served", tokens)

    def cached(self, *, hit: bool) -> None:
        """See `Meter.cached`."""
        self._inner.cached(hit=hit)

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """See `Meter.worked`."""
        self._inner.worked(purpose, seconds=seconds, failed=failed)
        self._record(f"work {purpose.value}", seconds, {"remembrancer.purpose": purpose.value}, failed=failed)

    def failed(self, step: MaintenanceStep, cause: str) -> None:
        """See `Meter.failed`."""
        self._inner.failed(step, cause)

    def waiting(self, due: Sequence[DueWork]) -> None:
        """See `Meter.waiting`."""
        self._inner.waiting(due)

    def leased(self, more: int) -> None:
        """See `Meter.leased`."""
        self._inner.leased(more)

    def _record(
        self,
        name: str,
        seconds: float,
        attributes: Attributes,
        *,
        failed: bool = False,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        now = time.time_ns()
        span = self._tracer.start_span(name, kind=kind, attributes=attributes, start_time=now - round(seconds * 1e9))
        if failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)


@contextmanager
def request_span(headers: Mapping[str, str]) -> Generator[Callable[[str, Attributes, bool], None]]:
    """Run a block in the span of a request, within the trace of its headers.

    Yields:
        A function to call at the end with the name of the request, its attributes, and whether it failed.
    """
    tracer, parent = trace.get_tracer(_NAME), propagate.extract(dict(headers), context=context.Context())
    with tracer.start_as_current_span("request", context=parent, kind=SpanKind.SERVER) as span:

        def end(name: str, attributes: Attributes, failed: bool) -> None:
            _end(span, name, attributes, failed=failed)

        yield end


def _end(span: Span, name: str, attributes: Attributes, *, failed: bool) -> None:
    span.update_name(name)
    span.set_attributes(attributes)
    if failed:
        span.set_status(Status(StatusCode.ERROR))


def _of(scope: Scope) -> dict[str, str]:
    return {"remembrancer.tenant": scope.tenant, "remembrancer.agent": scope.agent or ""}
