"""Addresses of email, addresses of machines on the internet, and telephone numbers."""

import ipaddress
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from remembrancer.guard.patterns import compiled
from remembrancer.types.policy import PersonalDataSpan, PersonalDataType

if TYPE_CHECKING:
    from phonenumbers import PhoneNumberMatch

# A word that names a number, or that makes it the number of another thing, is at most so far away.
_NEAR: Final = 64
_VERSION_NEAR: Final = 16

_email = partial(compiled, "personal", "email")
_ip = partial(compiled, "personal", "ip")
_phone = partial(compiled, "personal", "phone")


def addresses(text: str) -> Iterator[PersonalDataSpan]:
    """Yield the addresses of email and of machines in a text as it looks to a reader."""
    if "@" in text:
        for match in _email("address").finditer(text):
            if not _email("file").search(match[0]) and not _email("in_url").search(text, 0, match.start()):
                yield PersonalDataSpan(data_type=PersonalDataType.EMAIL, start=match.start(), end=match.end())
    for match in (*_ip("ip4").finditer(text), *_ip("ip6").finditer(text)):
        before = max(0, match.start() - _VERSION_NEAR)
        if _is_public(match[0]) and not _ip("before_version").search(text, before, match.start()):
            yield PersonalDataSpan(data_type=PersonalDataType.IP, start=match.start(), end=match.end())


def telephones(text: str) -> Iterator[PersonalDataSpan]:
    """Yield the telephone numbers in a text: with a country, grouped as such numbers are, or named by a word.

    `phonenumbers` knows the numbering plans of all countries.
    """
    if "+" in text:
        for number in _with_country(text):
            if not number.raw_string.startswith("+ "):
                yield PersonalDataSpan(
                    data_type=PersonalDataType.PHONE, start=_start(text, number.start, number.end), end=number.end
                )
    for match in _phone("dialled").finditer(text):
        start, end = _start(text, *match.span()), match.end()
        number = text[start:end]
        if _phone("other_thing").search(text, max(0, start - _NEAR), start) or _phone("other_form").fullmatch(number):
            continue
        if _phone("grouped").fullmatch(number) or _is_named(text, start, end):
            yield PersonalDataSpan(data_type=PersonalDataType.PHONE, start=start, end=end)


def _start(text: str, start: int, end: int) -> int:
    """Return the start of a number without a bracket that closes behind it."""
    number = text[start:end]
    return start + 1 if number[0] == "(" and number.count("(") > number.count(")") else start


def _is_named(text: str, start: int, end: int) -> bool:
    return bool(_phone("before").search(text, max(0, start - _NEAR), start) or _phone("after").match(text, end))


def _with_country(text: str) -> "Iterator[PhoneNumberMatch]":
    # Loaded with the first text that may contain one.
    from phonenumbers import Leniency, PhoneNumberMatcher

    # Also numbers that no plan assigns yet: a country code makes it a telephone number.
    return iter(PhoneNumberMatcher(text, None, leniency=Leniency.POSSIBLE))


def _is_public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False
