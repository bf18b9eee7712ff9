"""Checks of a match: whether its value is a credential, and not a sample, a placeholder or a common word.

The patterns in TOML name them by the keys of `CHECKS`.
"""

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from remembrancer.guard.secrets.values import (
    DIGIT,
    HEX,
    NOUNS,
    SAMPLE_TOKEN,
    SAMPLE_WORD,
    entropy,
    is_placeholder,
    is_strong,
)

Check: TypeAlias = Callable[[re.Match[str]], bool]
# Below so many bits a character a token is a sample such as `xxxxxxxx` or `0000000000`.
_LEAST_BITS: Final = 2.2
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_LEAST_LETTERS: Final = 12
_LEAST_MIXED_BITS: Final = 3.0
# In words that begin with a capital about one letter in five is one.
_LEAST_CASE: Final = 0.24
_LEAST_OF_A_CASE: Final = 5
_DATABASE: Final = re.compile(
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|ldaps?|smtps?)(?:\+\w{1,20})?$"
)


def _is_machine_made(match: re.Match[str]) -> bool:
    token = match["secret"]
    return SAMPLE_TOKEN.search(token) is None and DIGIT.search(token) is not None and entropy(token) >= _LEAST_BITS


def _is_random(match: re.Match[str]) -> bool:
    # Behind a prefix that little else has, random letters without a digit are enough.
    token = match["secret"]
    return _is_machine_made(match) or (SAMPLE_TOKEN.search(token) is None and _is_mixed(token))


def _is_mixed(token: str) -> bool:
    """Return True if the letters are mixed at random: about as many capitals as small ones, and no words."""
    letters = max(_LETTERS.findall(token), key=len, default="")
    capitals = sum(letter.isupper() for letter in letters)
    if len(letters) < _LEAST_LETTERS or not _LEAST_CASE <= capitals / len(letters) <= 1 - _LEAST_CASE:
        return False
    return SAMPLE_WORD.search(letters) is None and entropy(letters) >= _LEAST_MIXED_BITS


def _is_vault_token(match: re.Match[str]) -> bool:
    # One letter and a dot begin code as a rule, with a capital for each word.
    drawn = match["secret"][2:]
    capitals, small = sum(map(str.isupper, drawn)), sum(map(str.islower, drawn))
    return _is_machine_made(match) and min(capitals, small) >= _LEAST_OF_A_CASE and SAMPLE_WORD.search(drawn) is None


def _is_not_placeholder(match: re.Match[str]) -> bool:
    return not is_placeholder(match["secret"])


def _is_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not is_placeholder(value) and (is_strong(value, shortest=6) or (value.isdecimal() and len(value) >= 6))


def _is_in_curl(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    command = text.rfind("curl", max(0, start - 400), start)
    if command < 0 or text.count("\n", command, start) != text.count("\\\n", command, start):
        return False
    return not is_placeholder(match["secret"])


def _is_of_database(match: re.Match[str]) -> bool:
    scheme = match.string[max(0, match.start() - 24) : match.start()]
    return _DATABASE.search(scheme) is not None and not is_placeholder(match["secret"])


def _is_header(match: re.Match[str]) -> bool:
    value = match["secret"]
    if is_placeholder(value) or value.lower() in NOUNS:
        return False
    return match["scheme"] is not None or is_strong(value, shortest=8)


def _is_bearer(match: re.Match[str]) -> bool:
    value = match["secret"]
    return is_strong(value, shortest=16) and not is_placeholder(value)


def _is_basic(match: re.Match[str]) -> bool:
    value = match["secret"]
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in decoded and decoded.isprintable()


CHECKS: Final[Mapping[str, Check]] = {
    "any": lambda _: True,
    "basic": _is_basic,
    "bearer": _is_bearer,
    "curl": _is_in_curl,
    "database": _is_of_database,
    "header": _is_header,
    "machine_made": _is_machine_made,
    "not_hex": lambda match: HEX.fullmatch(match["secret"]) is None,
    "not_placeholder": _is_not_placeholder,
    "password": _is_password,
    "random": _is_random,
    "vault": _is_vault_token,
}
