"""Search for credentials in a text, by every method, merged and in order.

The text is searched as it looks to a reader, where wide, decorated and foreign letters are plain and invisible ones are
removed. Positions are those in the text as it is.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import Final

from remembrancer.guard.patterns import expand, load
from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.assignments import assignments, is_secret_under
from remembrancer.guard.secrets.checks import is_call, is_placeholder
from remembrancer.guard.secrets.columns import columns
from remembrancer.guard.secrets.kinds import is_bare_word, kinds, matches
from remembrancer.language.lookalikes import Plain, lowered, plain

_PEM_LINE: Final = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BREAK: Final = r"(?:\s|\\+[nrt]|[\"'+>|])"
_PEM_BODY: Final = re.compile(
    rf"(?:{_PEM_BREAK}++[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{1,120}}+)*+"
    rf"(?:{_PEM_BREAK}*+[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_PEM_BREAK}{{1,8}}+(?:[A-Za-z]{{0,15}}+[0-9+/=]|[A-Za-z]{{0,14}}?[a-z][A-Z])[A-Za-z0-9+/=]{{0,15}}+)?"
)
_SETTING: Final = re.compile(
    r"(?i)(?<![\w-])(?:host(?:addr|name)?|server|user(?:name| id)?|uid|db(?:name)?|database|initial catalog"
    r"|data source|driver|port|sslmode|addr|address|dsn|email|login|grant_type)[ ]?=|jdbc:"
)
_PASSWORD: Final = re.compile(
    r"(?<![\w.-])(?i:password|passwd|pwd)[ ]?=[ ]?(?:['{](?=[^'}\n]{1,256}['}]))?"
    r"(?P<secret>(?<=')[^'\n]++|(?<=\{)[^}\n]++|[^\s;&\"'({=][^\s;&\"']{0,256}+)",
    re.ASCII,
)
_SETTING_NEAR: Final = 200
_HEADERS: Final = ("authorization", "proxy-authorization")
_LONGEST_MARK: Final = 40


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the credentials in a text, in order and without overlap."""
    looks = plain(text)
    return () if is_bare_word(looks.text) else _in_original(looks, _candidates(looks.text))


def find_under(name: str, text: str) -> tuple[Secret, ...]:
    """Return the credentials in a text that is the value of a name in a mapping."""
    looks = plain(text)
    return _in_original(looks, _under(plain(name).text, looks.text))


def _in_original(looks: Plain, candidates: Iterable[Secret]) -> tuple[Secret, ...]:
    found = _merged(looks.text, candidates)
    if not looks.removed:
        return found
    placed = ((one.kind, looks.span(one.start, one.end)) for one in found)
    return tuple(Secret(kind=kind, start=start, end=end) for kind, (start, end) in placed)


def _candidates(text: str) -> Iterator[Secret]:
    low = lowered(text)
    yield from _private_keys(text)
    for name, match in matches(text, low):
        yield Secret(kind=name, start=match.start("secret"), end=match.end("secret"))
    yield from _connection_passwords(text, low)
    yield from assignments(text, low)
    yield from columns(text, low)


def _under(name: str, text: str) -> Iterator[Secret]:
    yield from _candidates(text)
    # Patterns may need the name before the value.
    before = f'"{name}": "'
    for secret in _candidates(f'{before}{text}"'):
        if secret.start >= len(before) and secret.end <= len(before) + len(text):
            yield replace(secret, start=secret.start - len(before), end=secret.end - len(before))
    if is_secret_under(name, text):
        yield Secret(kind="assignment", start=0, end=len(text))
    if name.lower() in _HEADERS and (value := _header_value().match(text)):
        kind = "basic-auth" if value["scheme"].lower() == "basic" else "bearer-token"
        yield Secret(kind=kind, start=value.start("secret"), end=value.end("secret"))


@cache
def _header_value() -> re.Pattern[str]:
    return re.compile(expand("(?&scheme)(?&credential)", load("secrets")["protocols"]["fragments"]), re.ASCII)


def _private_keys(text: str) -> Iterator[Secret]:
    """Yield the private keys in a text: up to the end mark, or as far as base64 goes."""
    if "-----BEGIN" not in text:
        return
    lines = list(_PEM_LINE.finditer(text))
    for line, following in zip_longest(lines, lines[1:]):
        if line is None or line[1] == "END":
            continue
        if following is not None and following[1] == "END":
            yield Secret(kind="pem-private-key", start=line.start(), end=following.end())
            continue
        limit = len(text) if following is None else following.start()
        if body := _PEM_BODY.match(text, line.end(), limit):
            yield Secret(kind="pem-private-key", start=line.start(), end=body.end())


def _connection_passwords(text: str, lowered: str) -> Iterator[Secret]:
    """Yield the passwords near a host, a user or another setting, as in `host=db user=app password=word`."""
    if not any(name in lowered for name in ("password", "passwd", "pwd")):
        return
    passwords = [match for match in _PASSWORD.finditer(text) if _is_literal(match["secret"])]
    neighbours = [match.start() for match in _SETTING.finditer(text)] if passwords else []
    for match in passwords:
        start, end = match.span("secret")
        place = bisect_left(neighbours, start)
        near = [(at, start) for at in neighbours[max(0, place - 1) : place]]
        near += [(end, at) for at in neighbours[place : place + 1]]
        if any(right - left <= _SETTING_NEAR and text.find("\n", left, right) < 0 for left, right in near):
            yield Secret(kind="dsn-password", start=start, end=end)


def _is_literal(value: str) -> bool:
    return not (value.endswith((",", ")")) or is_call(value) or is_placeholder(value))


def _merged(text: str, candidates: Iterable[Secret]) -> tuple[Secret, ...]:
    merged: list[Secret] = []
    for secret in sorted(candidates, key=lambda found: (found.start, found.end)):
        if merged and secret.start < merged[-1].end:
            last = merged.pop()
            kind = min(last.kind, secret.kind, key=_ranks().__getitem__)
            secret = Secret(kind=kind, start=last.start, end=max(last.end, secret.end))
        merged.append(secret)
    return tuple(_outside_marks(text, merged)) if merged else ()


def _outside_marks(text: str, secrets: Iterable[Secret]) -> Iterator[Secret]:
    for secret in secrets:
        start = secret.start
        # A span may begin inside a mark, whose word SECRET is also a name.
        opening = text.rfind("[", max(0, start - _LONGEST_MARK), start)
        around = _mark().match(text, opening) if opening >= 0 else None
        if around is not None and around.end() > start:
            start = around.end()
        for mark in _mark().finditer(text, start, secret.end + _LONGEST_MARK):
            if mark.start() >= secret.end:
                break
            if mark.start() > start:
                yield Secret(kind=secret.kind, start=start, end=mark.start())
            start = mark.end()
        if start < secret.end:
            yield Secret(kind=secret.kind, start=start, end=secret.end)


@cache
def _ranks() -> dict[str, int]:
    return {kind.name: rank for rank, kind in enumerate(kinds())}


@cache
def _mark() -> re.Pattern[str]:
    """Return the pattern of the marks that replace credentials and private regions."""
    return re.compile(rf"\[(?:SECRET:(?:{'|'.join(_ranks())})|REDACTED)\]")
