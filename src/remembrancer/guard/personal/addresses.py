"""How people and machines are reached: addresses of mail, of machines on the internet, and telephone numbers."""

import ipaddress
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from remembrancer.guard.patterns import compiled
from remembrancer.types.personal import Datum, Found

if TYPE_CHECKING:
    from phonenumbers import PhoneNumberMatch

# A word that names a number, or that makes it another thing, is so near.
_NEAR: Final = 64

_email = partial(compiled, "personal", "email")
_ip = partial(compiled, "personal", "ip")
_phone = partial(compiled, "personal", "phone")


def addresses(text: str) -> Iterator[Found]:
    """The addresses of mail and of machines in a text as it looks to a reader."""
    if "@" in text:
        for match in _email("address").finditer(text):
            if not _email("file").search(match[0]) and not _email("in_url").search(text, 0, match.start()):
                yield Found(datum=Datum.EMAIL, start=match.start(), end=match.end())
    for match in (*_ip("ip4").finditer(text), *_ip("ip6").finditer(text)):
        other = _ip("before_version").search(text, max(0, match.start() - 16), match.start()) or _ip(
            "after_amount"
        ).match(text, match.end())
        if _is_public(match[0]) and not other:
            yield Found(datum=Datum.IP, start=match.start(), end=match.end())


def telephones(text: str) -> Iterator[Found]:
    """The telephone numbers in a text: with a country, grouped as such are, or where a word says that they are.

    The plans of the numbers of all countries are those of `phonenumbers`.
    """
    if "+" in text:
        for number in _with_country(text):
            if not number.raw_string.startswith("+ "):
                yield Found(datum=Datum.PHONE, start=_within(text, number.start, number.end), end=number.end)
    for match in _phone("dialled").finditer(text):
        start, end = _within(text, *match.span()), match.end()
        number = text[start:end]
        if _phone("other_thing").search(text, max(0, start - _NEAR), start) or _phone("other_form").fullmatch(number):
            continue
        if _phone("grouped").fullmatch(number) or _is_called(text, start, end):
            yield Found(datum=Datum.PHONE, start=start, end=end)


def _within(text: str, start: int, end: int) -> int:
    """Where a number starts within brackets that it stands in whole."""
    number = text[start:end]
    return start + 1 if number[0] == "(" and number.count("(") > number.count(")") else start


def _is_called(text: str, start: int, end: int) -> bool:
    return bool(_phone("before").search(text, max(0, start - _NEAR), start) or _phone("after").match(text, end))


def _with_country(text: str) -> "Iterator[PhoneNumberMatch]":
    # Loaded with the first text that may hold one.
    from phonenumbers import Leniency, PhoneNumberMatcher

    # Also numbers that no plan gives out yet: what begins with a country is told as a number.
    return iter(PhoneNumberMatcher(text, None, leniency=Leniency.POSSIBLE))


def _is_public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False
