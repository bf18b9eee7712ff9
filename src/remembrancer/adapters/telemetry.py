"""Spans of OpenTelemetry, through its API alone: who wants them to go anywhere brings the SDK, and says where to."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from remembrancer.transactions.meter import Meter
from remembrancer.types.call import Call, CallOutcome, CallPurpose, CallUsage
from remembrancer.types.due import Due, Purpose
from remembrancer.types.night import Step
from remembrancer.types.record import Record, kind_of
from remembrancer.types.savings import Served
from remembrancer.types.scope import Scope

Attributes: TypeAlias = Mapping[str, str | int | float | bool]
_NAME = "remembrancer"


class SpanMeter:
    """A meter that tells what was done as spans, within the one that is open, and passes it on to another.

    Ids, codes, counts and times, and never a text. A span begins as long ago as what it tells of took.

    Args:
        inner: hears the same.
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
        self._told("recall", seconds, {**_of(scope), "remembrancer.abstained": abstained})

    def called(self, scope: Scope, call: Call, end: CallUsage) -> None:
        """See `Meter.called`; the names are those of OpenTelemetry's conventions for generative models."""
        self._inner.called(scope, call, end)
        provider, _, model = call.model.partition(":")
        told: dict[str, str | int | float | bool] = {
            **_of(scope),
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "remembrancer.purpose": call.purpose.value,
            "remembrancer.outcome": end.outcome.value,
            "remembrancer.request_id": call.request,
        }
        if end.usage is not None:
            told["gen_ai.usage.input_tokens"] = end.usage.prompt
            told["gen_ai.usage.output_tokens"] = end.usage.answer
        is_well = end.outcome is CallOutcome.OK
        self._told(f"chat {model}", end.milliseconds / 1_000, told, failed=not is_well, kind=SpanKind.CLIENT)

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """See `Meter.refused`."""
        self._inner.refused(scope, purpose, reasons)

    def served(self, scope: Scope, served: Served) -> None:
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
        self._told(f"work {purpose.value}", seconds, {"remembrancer.purpose": purpose.value}, failed=failed)

    def failed(self, step: Step, cause: str) -> None:
        """See `Meter.failed`."""
        self._inner.failed(step, cause)

    def waiting(self, due: Sequence[Due]) -> None:
        """See `Meter.waiting`."""
        self._inner.waiting(due)

    def leased(self, more: int) -> None:
        """See `Meter.leased`."""
        self._inner.leased(more)

    def _told(
        self,
        name: str,
        seconds: float,
        told: Attributes,
        *,
        failed: bool = False,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        now = time.time_ns()
        span = self._tracer.start_span(name, kind=kind, attributes=told, start_time=now - round(seconds * 1e9))
        if failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)


@contextmanager
def request_span(headers: Mapping[str, str]) -> Generator[Callable[[str, Attributes, bool], None]]:
    """A block that is the span of a request, a part of the trace that its headers name; what ends it tells of it.

    Yields:
        what takes the name of the request, what is to be told of it, and whether it failed.
    """
    tracer, parent = trace.get_tracer(_NAME), propagate.extract(dict(headers), context=context.Context())
    with tracer.start_as_current_span("request", context=parent, kind=SpanKind.SERVER) as span:

        def ended(name: str, told: Attributes, failed: bool) -> None:
            _end(span, name, told, failed=failed)

        yield ended


def _end(span: Span, name: str, told: Attributes, *, failed: bool) -> None:
    span.update_name(name)
    span.set_attributes(told)
    if failed:
        span.set_status(Status(StatusCode.ERROR))


def _of(scope: Scope) -> dict[str, str]:
    return {"remembrancer.tenant": scope.tenant, "remembrancer.agent": scope.agent or ""}
