"""Where credentials stand in a text: what every way of finding them says, put in order.

It is looked for in the text as it looks to a reader, where wide, decorated and foreign letters are plain and what is
invisible is gone; what is found is told by its place in the text as it is.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from remembrancer.guard.patterns import expand, load
from remembrancer.guard.secrets.assignments import after_name, assignments
from remembrancer.guard.secrets.columns import in_columns
from remembrancer.guard.secrets.connections import dsn_passwords
from remembrancer.guard.secrets.kinds import is_bare_word, kinds, matches
from remembrancer.guard.secrets.private_keys import pem_blocks
from remembrancer.guard.secrets.secret import Secret
from remembrancer.language.lookalikes import lowered, plain


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The credentials in `text`, in order and without overlap."""
    looks = plain(text)
    if is_bare_word(looks.text):
        return ()
    found = _settled(looks.text, _candidates(looks.text))
    if not looks.gone:
        return found
    return tuple(
        Secret(kind=one.kind, start=at[0], end=at[1]) for one in found for at in [looks.span(one.start, one.end)]
    )


def find_under(name: str, text: str) -> tuple[Secret, ...]:
    """The credentials in a text that stands under a name, as an entry of a mapping does."""
    looks = plain(text)
    found = _settled(looks.text, _under(plain(name).text, looks.text))
    return tuple(
        Secret(kind=one.kind, start=at[0], end=at[1]) for one in found for at in [looks.span(one.start, one.end)]
    )


def _under(name: str, text: str) -> Iterator[Secret]:
    yield from _candidates(text)
    before = f'"{name}": "'
    for secret in _candidates(f'{before}{text}"'):
        if secret.start >= len(before) and secret.end <= len(before) + len(text):
            yield replace(secret, start=secret.start - len(before), end=secret.end - len(before))
    if (kind := after_name(name, text)) is not None:
        yield Secret(kind=kind, start=0, end=len(text))
    if name.lower() in {"authorization", "proxy-authorization"} and (scheme := _header_value().match(text)):
        kind = "basic-auth" if scheme["scheme"].lower() == "basic" else "bearer-token"
        yield Secret(kind=kind, start=scheme.start("secret"), end=scheme.end("secret"))


def _candidates(text: str) -> Iterator[Secret]:
    low = lowered(text)
    yield from pem_blocks(text)
    for name, match in matches(text, low):
        yield Secret(kind=name, start=match.start("secret"), end=match.end("secret"))
    yield from dsn_passwords(text, low)
    yield from assignments(text, low)
    yield from in_columns(text, low)


def _settled(text: str, candidates: Iterable[Secret]) -> tuple[Secret, ...]:
    merged: list[Secret] = []
    for secret in sorted(candidates, key=lambda found: (found.start, found.end)):
        if merged and secret.start < merged[-1].end:
            last = merged.pop()
            kind = min(last.kind, secret.kind, key=_ranks().__getitem__)
            secret = Secret(kind=kind, start=last.start, end=max(last.end, secret.end))
        merged.append(secret)
    return tuple(_outside_marks(text, merged)) if merged else ()


@cache
def _header_value() -> re.Pattern[str]:
    return re.compile(expand("(?&scheme)(?&credential)", load("secrets")["protocols"]["fragments"]), re.ASCII)


@cache
def _ranks() -> dict[str, int]:
    return {kind.name: rank for rank, kind in enumerate(kinds())}


@cache
def _mark() -> re.Pattern[str]:
    """Return the pattern of the marks that replace credentials and private regions."""
    return re.compile(rf"\[(?:SECRET:(?:{'|'.join(_ranks())})|REDACTED)\]")


def _outside_marks(text: str, secrets: Iterable[Secret]) -> Iterator[Secret]:
    for secret in secrets:
        start = secret.start
        # A span may begin inside a mark, whose own word SECRET reads like a name.
        opening = text.rfind("[", max(0, start - 40), start)
        around = _mark().match(text, opening) if opening >= 0 else None
        if around is not None and around.end() > start:
            start = around.end()
        for mark in _mark().finditer(text, start, secret.end + 40):
            if mark.start() >= secret.end:
                break
            if mark.start() > start:
                yield Secret(kind=secret.kind, start=start, end=mark.start())
            start = mark.end()
        if start < secret.end:
            yield Secret(kind=secret.kind, start=start, end=secret.end)
