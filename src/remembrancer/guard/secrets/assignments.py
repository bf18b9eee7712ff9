"""Assignments: a name that promises a secret, a sign, and a value that is one.

The words of names and the patterns of values are in the files of `patterns/assignments`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Final

from remembrancer.guard.patterns import compiled, load, word_set
from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.checks import (
    JUDGED,
    is_call,
    is_nothing,
    is_noun,
    is_path,
    is_placeholder,
    is_reference,
    is_strong,
)

_LONGEST_NAME: Final = 96
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_NAME_PART: Final = re.compile(r"[A-Za-z0-9_-]{0,48}", re.ASCII)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD_BEFORE: Final = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,12}) \Z", re.ASCII)
_LINK: Final = re.compile(
    r"(?:\\{0,3}[\"'`]|[\])]|\*\*?){0,3}+[ \t]{0,8}+"
    # With the type of a declaration: `name: Type = value`.
    r"(?P<sign>:[ \t]{0,4}[A-Za-z&][A-Za-z.<>\[\]|?&' ]{0,40}?(?:8|16|32|64|128)?[>\]]{0,3}[ \t]=(?=[ \t])"
    r"|:=|=>|={1,3}|:(?!:)|(?i:is|was|to)(?=[ \t:])[ \t]{0,4}:?)"
    r"(?:[ \t]{0,8}\*\*)?[ \t]{0,8}+"
)
_XML_LINK: Final = re.compile(r"(?P<sign>>|[\"'][ \t]+value=(?=[\"']))")
_FLAG_LINK: Final = re.compile(r"(?P<sign>[ \t]{1,4})(?=[^\s-])")
_QUOTE: Final = re.compile(r"[bfru]{0,2}(?P<quote>\\{0,3}(?:\"\"\"|\'\'\'|[\"'`]))")
_BARE: Final = re.compile(r"(?:[^\s\"'`<>]++|[<>](?=[^\s,;)}\]>:\"'`</])|[\"'`](?=[^\s,;)}\]>:\"'`+&|<\\]))++")
_NEXT_FIELD: Final = re.compile(r"[&;,](?=\s{0,2}[\w. ]{1,40}[=:])|\\[nrt]|\\?[\"']")
# A name at the end of its line, and nothing but the value on the next one that is not blank.
_BELOW: Final = re.compile(
    r"(?:[\"'`*_]{0,3}[ \t]{0,3}:?[*_]{0,2}[ \t]{0,3}(?:is|are)?[ \t]{0,3}:?)[ \t]*+(?:[|>][-+1-9]{0,2}+[ \t]*+)?"
    r"(?:\r?\n[ \t>]{0,16}){1,3}(?:[-*+][ \t]{1,3})?"
    r"(?P<quote>[`\"']{0,3})(?P<value>[^\s`\"',|]{4,128})(?P=quote)[ \t]*+(?=\r?\n|\Z)"
)
_HEADING: Final = re.compile(r"[A-Za-z][\w.-]{0,40}(?: [\w.-]{1,24}){0,3}", re.ASCII)
_CLOSING: Final = {mark: re.compile(rf"(?P<inside>(?:[^{mark}\\\n]++|\\.)*+){mark}") for mark in ('"', "'", "`")}
_ASSIGNMENT: Final = "assignment"
_ATTRIBUTES: Final = ('key="', "key='", 'ame="', "ame='")

_names = partial(word_set, "assignments", "names")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    """The meaning of a name that promises a secret.

    Args:
        noun: the word that names the secret.
        constant: it is in capitals, as in a shell, where every value is literal.
        compound: it has several words.
    """

    noun: str
    constant: bool
    compound: bool

    @property
    def chosen(self) -> bool:
        """True if a person chooses the secret, which may be short or digits alone."""
        return self.noun in _names("chosen")


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of an assignment: whether the value is quoted, the sign, and whether blanks follow it."""

    quoted: bool
    sign: str = "="
    spaced: bool = False

    @property
    def prose(self) -> bool:
        """True if the sign is a verb."""
        return self.sign[:1].isalpha()


def assignments(text: str, lowered: str) -> Iterator[Secret]:
    """Yield the values of names that promise a secret, on the line of the name or alone on the next one."""
    position = 0
    hints = _hints()
    while hint := hints.search(lowered, position):
        name, start, position = _name_around(text, hint)
        if text.startswith("[SECRET:", start - 1):
            continue
        meaning = _meaning(name)
        if meaning is None:
            continue
        link = _link(text, name, start, position)
        value = _value_after(text, meaning, link) if link is not None else None
        if value := value or _value_below(text, meaning, position):
            yield value
            position = value.end


@cache
def _hints() -> re.Pattern[str]:
    return re.compile("|".join(load("assignments")["names"]["prefilter"]), re.ASCII)


def _name_around(text: str, hint: re.Match[str]) -> tuple[str, int, int]:
    left = text[max(0, hint.start() - 48) : hint.start()]
    # Read backwards: a pattern that must end here would be tried from every position before it.
    before = _NAME_PART.match(left[::-1])
    start = hint.start() - (before.end() if before else 0)
    after = _NAME_PART.match(text, hint.end())
    end = after.end() if after else hint.end()
    name = text[start:end]
    if name.lower() in {"key", "token"} and (word := _WORD_BEFORE.search(text[max(0, start - 14) : start])):
        name = f"{word[1]}_{name}"
    return name, start, end


# Names are cached and values never are.
@lru_cache(maxsize=1024)
def _meaning(name: str) -> _Name | None:
    parts = [word.lower() for word in _WORD.findall(name)]
    while parts and parts[-1].isdigit():
        parts.pop()
    if not parts or parts[-1] in _names("about") or parts[0] in _names("about_first"):
        return None
    noun = _noun(parts)
    if noun is None:
        return None
    return _Name(noun=noun, constant=name.isupper(), compound=len(parts) > 1)


def _noun(parts: Sequence[str]) -> str | None:
    for before, word in zip(["", *parts], parts, strict=False):
        if word in {"credential", "credentials"} or word in _names("short") or (word == "pass" and len(parts) > 1):
            return word
        if word == "key" and (before in _names("before_key") or "azure" in parts):
            return word
        if ending := compiled("assignments", "names", "noun").search(word):
            return ending[0]
    return "auth" if "auth" in parts else None


def _link(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    if link := _LINK.match(text, end):
        return link
    if (start > 0 and text[start - 1] == "<") or text[max(0, start - 5) : start] in _ATTRIBUTES:
        return _XML_LINK.match(text, end)
    return _FLAG_LINK.match(text, end) if name.startswith("--") else None


def _value_below(text: str, meaning: _Name, end: int) -> Secret | None:
    below = _BELOW.match(text, end)
    if below is None or below["value"].endswith((":", ",", "{", "(")):
        return None
    if not _is_secret(below["value"], meaning, _Form(quoted=False, sign="is")):
        return None
    return Secret(kind=_ASSIGNMENT, start=below.start("value"), end=below.end("value"))


def is_secret_under(name: str, text: str) -> bool:
    """Return True if a text is a secret as the value of a name in a mapping."""
    meaning = _meaning(name) if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None else None
    return meaning is not None and _is_secret(text, meaning, _Form(quoted=True))


def is_in_column(name: str, value: str) -> bool:
    """Return True if a value under a heading of a table, or behind a name in it, is a secret."""
    meaning = _heading(name)
    return meaning is not None and _is_secret(value, meaning, _Form(quoted=False, sign="is"))


def promises(name: str) -> bool:
    """Return True if a heading of a table promises a secret."""
    return _heading(name) is not None


def _heading(name: str) -> _Name | None:
    return _meaning("_".join(name.split())) if _HEADING.fullmatch(name) else None


def _value_after(text: str, meaning: _Name, link: re.Match[str]) -> Secret | None:
    sign = link["sign"].strip().lower()
    spaced = link.end() > link.end("sign")
    if (quote := _QUOTE.match(text, link.end())) and (end := _end_of_quotation(text, quote)) is not None:
        start = quote.end()
        form = _Form(quoted=True, sign=sign, spaced=spaced)
        if _is_secret(text[start : min(end, start + JUDGED)], meaning, form):
            return Secret(kind=_ASSIGNMENT, start=start, end=end)
        return None
    start = quote.end() if quote else link.end()
    end = _end_of_bare(text, start, start + JUDGED)
    if not _is_secret(text[start:end], meaning, _Form(quoted=False, sign=sign, spaced=spaced)):
        return None
    if end - start > JUDGED // 2:
        end = _end_of_bare(text, start, len(text))
    return Secret(kind=_ASSIGNMENT, start=start, end=end)


def _end_of_quotation(text: str, quote: re.Match[str]) -> int | None:
    closing = _CLOSING[quote["quote"][-1]] if len(quote["quote"]) == 1 else None
    if closing is not None:
        inside = closing.match(text, quote.end())
        return inside.end("inside") if inside else None
    end = text.find(quote["quote"], quote.end(), quote.end() + 4 * JUDGED)
    return end if end >= 0 else None


def _end_of_bare(text: str, start: int, limit: int) -> int:
    run = _BARE.match(text, start, limit)
    if run is None:
        return start
    end = run.end()
    if cut := _NEXT_FIELD.search(text, start + 1, end):
        end = cut.start()
    while end > start and text[end - 1] in ".,;:)]}>*_|":
        end -= 1
    return end


def _is_secret(value: str, meaning: _Name, form: _Form) -> bool:
    if not value or is_nothing(value) or is_placeholder(value) or is_path(value):
        return False
    literal = meaning.constant and (meaning.compound or form.sign == "=") and not form.prose
    if literal and meaning.noun != "auth":
        return _is_constant_secret(value, meaning, form)
    if form.quoted and not form.prose:
        return _is_quoted_secret(value, meaning)
    if is_reference(value):
        return False
    return is_strong(value, shortest=6 if meaning.chosen else 8) or (
        meaning.chosen and value.isdecimal() and 4 <= len(value) <= 64
    )


def _is_constant_secret(value: str, meaning: _Name, form: _Form) -> bool:
    if value.isdecimal() and len(value) < 8 and not meaning.chosen:
        return False
    if form.quoted:
        return True
    if form.spaced:
        return not is_reference(value)
    return not is_reference(value) or not ("(" in value or "[" in value or value.count(".") > 0)


def _is_quoted_secret(value: str, meaning: _Name) -> bool:
    if value.isdecimal():
        return len(value) >= (4 if meaning.chosen else 8)
    if is_noun(value) or value.startswith(("http://", "https://")):
        return False
    if any(space in value for space in " \t\n"):
        return any(is_strong(word.strip(".,;:"), shortest=8) for word in value.split())
    if "{" in value or is_call(value):
        return False
    if meaning.noun in {"token", "auth"}:
        return is_strong(value, shortest=6) or len(value) >= 16
    return len(value) >= 3
