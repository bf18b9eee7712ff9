"""Checks of a value: whether it is a credential, and not a sample, a placeholder, a reference or a common word.

The patterns in TOML name the checks of a match by the keys of `CHECKS`.
"""

import binascii
import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from remembrancer.guard.patterns import compiled, word_set

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
# So many characters of a value decide whether it is a credential.
JUDGED: Final = 256
_DIGIT: Final = re.compile(r"\d", re.ASCII)
_HEX: Final = re.compile(r"[0-9a-fA-F]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SYMBOL: Final = re.compile(r"[!@#$%^&*+=?~|\\]")

_pattern = partial(compiled, "assignments", "values")


def is_strong(value: str, *, shortest: int) -> bool:
    """Return True if a value is letters mixed with digits or signs, and so no word."""
    if len(value) < shortest or _pattern("common_mix").fullmatch(value):
        return False
    if _LETTER.search(value) is None:
        return False
    # One mark at the end is punctuation, as in "required!".
    return _DIGIT.search(value) is not None or _SYMBOL.search(value, 0, len(value) - 1) is not None


def is_placeholder(value: str) -> bool:
    """Return True if a value is a placeholder, such as `<your-key>` or `${KEY}`."""
    return _pattern("placeholder").fullmatch(value[:JUDGED]) is not None


def is_nothing(value: str) -> bool:
    """Return True if a value means that there is none, or names a type."""
    return value.lower() in word_set("assignments", "values", "nothing")


def is_noun(value: str) -> bool:
    """Return True if a value only names a secret, such as `password`."""
    return value.lower() in word_set("assignments", "values", "nouns")


def is_reference(value: str) -> bool:
    """Return True if a value refers to another one, as code does."""
    return _pattern("reference").fullmatch(value) is not None


def is_call(value: str) -> bool:
    """Return True if a value begins with a call or an index."""
    return _pattern("call").match(value) is not None


def is_path(value: str) -> bool:
    """Return True if a value is the path of a file."""
    return _pattern("path").fullmatch(value) is not None


def _entropy(value: str) -> float:
    """Return the bits per character: 3.5 for random hexadecimal digits, 4.5 for letters and digits, 0 for `xxxx`."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def _is_machine_made(match: re.Match[str]) -> bool:
    token = match["secret"]
    return (
        _pattern("sample_token").search(token) is None
        and _DIGIT.search(token) is not None
        and _entropy(token) >= _LEAST_BITS
    )


def _is_random(match: re.Match[str]) -> bool:
    # Behind a prefix that little else has, random letters without a digit are enough.
    token = match["secret"]
    return _is_machine_made(match) or (_pattern("sample_token").search(token) is None and _is_mixed(token))


def _is_mixed(token: str) -> bool:
    """Return True if the letters are mixed at random: about as many capitals as small ones, and no words."""
    letters = max(_LETTERS.findall(token), key=len, default="")
    capitals = sum(letter.isupper() for letter in letters)
    if len(letters) < _LEAST_LETTERS or not _LEAST_CASE <= capitals / len(letters) <= 1 - _LEAST_CASE:
        return False
    return _pattern("sample_word").search(letters) is None and _entropy(letters) >= _LEAST_MIXED_BITS


def _is_vault_token(match: re.Match[str]) -> bool:
    # One letter and a dot begin code as a rule, with a capital for each word.
    drawn = match["secret"][2:]
    capitals, small = sum(map(str.isupper, drawn)), sum(map(str.islower, drawn))
    return (
        _is_machine_made(match)
        and min(capitals, small) >= _LEAST_OF_A_CASE
        and _pattern("sample_word").search(drawn) is None
    )


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
    if is_placeholder(value) or is_noun(value):
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
    "not_hex": lambda match: _HEX.fullmatch(match["secret"]) is None,
    "not_placeholder": _is_not_placeholder,
    "password": _is_password,
    "random": _is_random,
    "vault": _is_vault_token,
}
