"""Passwords in sentences: a name, perhaps an owner, a sign or a verb, and the value.

The words of each language are in the files of `patterns/passwords`. Patterns match a text without accents.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from remembrancer.guard.patterns import load
from remembrancer.guard.secrets.checks import Check, is_path, is_placeholder, is_reference, is_strong

_ENGLISH: Final = "english"
# The owner or the use: a few words, none of which makes it a sentence about passwords.
_OWNER: Final = r"(?P<owner>(?:[ ][\w'./@-]{1,32}){0,6}?)"
_NO_OWNER: Final = r"(?P<owner>)"
_VALUE: Final = (
    r"[ \t]{0,4}[*_]{0,2}[\"'`«“(\[]{0,2}(?P<secret>(?:(?![;&,][\w. ]{1,40}=)[^\s\"'`«»()\[\]<>]){3,128}(?<![.,;:*_|]))"
)
_PHRASE: Final = (
    r"[*_]{0,2}[\"'`]?[ \t]{0,3}[:=](?![:=])[*_]{0,2}[ \t]{0,4}[\"'`“«]?"
    r"(?P<secret>[A-Za-z]{1,16}(?:[ ][A-Za-z]{1,16}){2,11}+)(?=[\"'`”»]|\.?[ \t]*(?:[\r\n]|\Z))"
)
_LEAST_WORDS: Final = 3


def patterns() -> Iterator[tuple[Sequence[str], str, Check]]:
    """Yield the patterns of passwords in sentences: the prefilter, the pattern and the check of each."""
    languages = load("passwords")
    phrases = [language["phrases"] for language in languages.values() if "phrases" in language]
    name = "|".join(phrase["match"] for phrase in phrases)
    yield _all(phrases, "prefilter"), rf"(?P<name>(?i:{name})){_PHRASE}", _is_phrase
    short = languages[_ENGLISH]["short_name"]
    yield (
        short["prefilter"],
        rf"{short['match']}{_NO_OWNER}[\"'`]?(?P<sign>[ \t]{{0,3}}[:=](?![:=])){_VALUE}",
        _is_short,
    )
    sign = _sign(languages)
    for each in _all(languages.values(), "names"):
        yield each["prefilter"], rf"(?<![A-Za-z0-9_])(?i:{each['match']}){_OWNER}{sign}{_VALUE}", _is_password
    users = _all(languages.values(), "users")
    user = rf"(?i:{'|'.join(users)})[ ]?[:=][ ]?[^\s]{{1,64}}[\s,;|/]{{1,4}}(?i:pass)"
    yield users, rf"{user}{_NO_OWNER}(?P<sign>[ \t]{{0,3}}[:=]){_VALUE}", _is_password


def _sign(languages: Mapping[str, Mapping[str, Any]]) -> str:
    verbs = {*_all(languages.values(), "signs"), *_all(languages.values(), "loose_signs")}
    verb = "|".join(sorted(verbs, key=lambda word: (-len(word), word)))
    return rf"(?P<sign>[ \t]{{0,3}}(?::(?!:)|=|->|=>|→)|[ \t]{{1,3}}(?i:{verb}))"


def _is_password(match: re.Match[str]) -> bool:
    if not _words("about").isdisjoint(match["owner"].lower().split()):
        return False
    value = match["secret"]
    if is_placeholder(value) or is_reference(value) or is_path(value):
        return False
    if match["sign"].strip().lower() in _loose_signs() and not is_strong(value, shortest=8):
        return False
    return is_strong(value, shortest=6) or (value.isdecimal() and len(value) >= 4)


def _is_short(match: re.Match[str]) -> bool:
    return _is_password(match) and match["sign"].strip() in (":", "=") and not _not_value().match(match["secret"])


def _is_phrase(match: re.Match[str]) -> bool:
    """Return True if the value is a phrase of words that form no sentence."""
    words = match["secret"].lower().split()
    least = _LEAST_WORDS if match["name"].lower().startswith("passphrase") else _LEAST_WORDS + 1
    if all(len(word) == 1 for word in words) or len(words) < least:
        return len(words) >= least
    ordinary = _words("about") | _words("ordinary")
    return ordinary.isdisjoint(words) and len(set(words)) > 1 and sum(map(len, words)) >= 3 * len(words)


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(word for language in load("passwords").values() for word in language[key].split())


@cache
def _loose_signs() -> frozenset[str]:
    return frozenset(_all(load("passwords").values(), "loose_signs"))


@cache
def _not_value() -> re.Pattern[str]:
    return re.compile(load("passwords")[_ENGLISH]["short_name"]["not_value"])


def _all(tables: Any, key: str) -> list[Any]:
    return [entry for table in tables for entry in table.get(key, ())]
