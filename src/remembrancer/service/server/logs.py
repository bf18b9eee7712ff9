"""Logs as JSON lines: ids, codes and times, without content of memories."""

import json
import logging
import sys
from datetime import UTC, datetime

from remembrancer.service.rest.options import HandledRequest
from remembrancer.types.scope import REQUEST

_REQUESTS = logging.getLogger("remembrancer.requests")


class JsonLines(logging.Formatter):
    """A formatter that writes each log record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a log record as JSON."""
        fields: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            fields["request_id"] = request
        fields |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            # Class and place only: the message may quote a memory.
            fields["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            places: list[str] = []
            while trace is not None:
                code = trace.tb_frame.f_code
                places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}:{code.co_name}")
                trace = trace.tb_next
            fields["trace"] = places
        return json.dumps(fields, ensure_ascii=False)


def log_as_json(level: str = "INFO") -> None:
    """Write all logs of this process to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("remembrancer", "uvicorn"):
        logging.getLogger(name).setLevel(level)


def log_request(handled: HandledRequest) -> None:
    """Log a request after its response."""
    _REQUESTS.info(
        "request",
        extra={
            "fields": {
                "request_id": handled.id,
                "origin": handled.origin,
                "route": handled.route,
                "status": handled.status,
                "milliseconds": round(handled.seconds * 1_000, 1),
                "tenant": handled.tenant,
                "key": handled.key,
            }
        },
    )
