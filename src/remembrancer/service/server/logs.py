"""Logs as JSON lines: ids, codes and times; never what was said."""

import json
import logging
import sys
from datetime import UTC, datetime

from remembrancer.service.rest.options import HandledRequest
from remembrancer.types.scope import REQUEST

_REQUESTS = logging.getLogger("remembrancer.requests")


class JsonLines(logging.Formatter):
    """A record of the log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            told["request_id"] = request
        told |= getattr(record, "told", {})
        if record.exc_info and record.exc_info[0] is not None:
            # Where, and of which class: what an error says may repeat what somebody wrote.
            told["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            places: list[str] = []
            while trace is not None:
                code = trace.tb_frame.f_code
                places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}:{code.co_name}")
                trace = trace.tb_next
            told["trace"] = places
        return json.dumps(told, ensure_ascii=False)


def log_as_json(level: str = "INFO") -> None:
    """Have everything that is logged in this process written to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("remembrancer", "uvicorn"):
        logging.getLogger(name).setLevel(level)


def log_request(handled: HandledRequest) -> None:
    """Write down one request that was answered."""
    _REQUESTS.info(
        "request",
        extra={
            "told": {
                "request_id": handled.id,
                "door": handled.door,
                "route": handled.route,
                "status": handled.status,
                "milliseconds": round(handled.seconds * 1_000, 1),
                "tenant": handled.tenant,
                "key": handled.key,
            }
        },
    )
