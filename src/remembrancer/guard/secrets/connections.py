"""Passwords among the settings of a connection, such as `host=db user=app password=plainword`."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from remembrancer.guard.secrets.secret import Secret
from remembrancer.guard.secrets.values import CALL, is_placeholder

_DSN_NEIGHBOUR = re.compile(
    r"(?i)(?<![\w-])(?:host(?:addr|name)?|server|user(?:name| id)?|uid|db(?:name)?|database|initial catalog"
    r"|data source|driver|port|sslmode|addr|address|dsn|email|login|grant_type)[ ]?=|jdbc:"
)
_DSN_PASSWORD = re.compile(
    r"(?<![\w.-])(?i:password|passwd|pwd)[ ]?=[ ]?(?:['{](?=[^'}\n]{1,256}['}]))?"
    r"(?P<secret>(?<=')[^'\n]++|(?<=\{)[^}\n]++|[^\s;&\"'({=][^\s;&\"']{0,256}+)",
    re.ASCII,
)
_DSN_REACH = 200


def dsn_passwords(text: str, lowered: str) -> Iterator[Secret]:
    """Passwords that stand beside a host, a user or another setting of a connection."""
    if not any(needle in lowered for needle in ("password", "passwd", "pwd")):
        return
    found = [match for match in _DSN_PASSWORD.finditer(text) if _is_dsn_value(match["secret"])]
    neighbours = [match.start() for match in _DSN_NEIGHBOUR.finditer(text)] if found else []
    for match in found:
        start, end = match.span("secret")
        place = bisect_left(neighbours, start)
        beside = [(near, start) for near in neighbours[max(0, place - 1) : place]]
        beside += [(end, near) for near in neighbours[place : place + 1]]
        if any(right - left <= _DSN_REACH and text.find("\n", left, right) < 0 for left, right in beside):
            yield Secret(kind="dsn-password", start=start, end=end)


def _is_dsn_value(value: str) -> bool:
    return not (value.endswith((",", ")")) or CALL.match(value) or is_placeholder(value))
