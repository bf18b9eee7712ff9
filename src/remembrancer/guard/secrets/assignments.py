"""Assignments: a name that promises a secret, a sign, and a value that keeps the promise."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from remembrancer.guard.secrets.secret import Secret
from remembrancer.guard.secrets.values import (
    CALL,
    JUDGED,
    NOTHING,
    NOUNS,
    PATH,
    REFERENCE,
    is_placeholder,
    is_strong,
    words,
)

_LONGEST_NAME = 96
_NAME = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_NAME_PART = re.compile(r"[A-Za-z0-9_-]{0,48}", re.ASCII)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HINT = re.compile(r"pass|pw|mdp|kennwort|contrasen|secret|token|credential|auth|key", re.ASCII)
_WORD_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,12}) \Z", re.ASCII)
_LINK = re.compile(
    r"(?:\\{0,3}[\"'`]|[\])]|\*\*?){0,3}+[ \t]{0,8}+"
    r"(?P<sign>:=|=>|!?={1,3}|\?=|:(?!:)|(?i:is|was|to)(?=[ \t:])[ \t]{0,4}:?)"
    r"(?:[ \t]{0,4}(?:str|string|String)[ \t]{0,4}=)?(?:[ \t]{0,8}\*\*)?[ \t]{0,8}+"
)
_XML_LINK = re.compile(r"(?P<sign>>|[\"'][ \t]+value=(?=[\"']))")
_FLAG_LINK = re.compile(r"(?P<sign>[ \t]{1,4})(?=[^\s-])")
_QUOTE = re.compile(r"[bfru]{0,2}(?P<quote>\\{0,3}(?:\"\"\"|\'\'\'|[\"'`]))")
_BARE = re.compile(r"(?:[^\s\"'`<>]++|[<>](?=[^\s,;)}\]>:\"'`</])|[\"'`](?=[^\s,;)}\]>:\"'`+&|<\\]))++")
_NEXT_FIELD = re.compile(r"[&;,](?=\s{0,2}[\w. ]{1,40}[=:])|\\[nrt]|\\?[\"']")

# Words that end a name and make it one about a secret, such as `token_count`.
_ABOUT = words(
    """algorithm alg arn attempts audience age at budget class column count counts dir enabled encoder
    endpoint error errors expiration expire expired expires expiry field file flow form format hash
    hashed header hint host id ids in index input issuer label len length limit manager max method
    min mode model module name names on page path pattern placeholder policy prefix provider rate
    ratio ref regex required reset router scheme scope scopes size state status strength suffix text
    ttl type types uri url usage validation validator version window"""
)
_ABOUT_FROM_THE_START = words(
    """count disable enable encrypted forgot has hashed is max min num per public require requires show
    total use"""
)
_KEYS = words(
    """access account admin api auth client consumer encryption functions host jwt master private secret
    service shared signing ssh storage subscription webhook"""
)
_GLUED = re.compile(
    r"(?:password|passwort|kennwort|contrasena|motdepasse|passwd|passphrase|passcode|pwd|secret|token|apikey|secretkey"
    r"|accesskey|privatekey)\Z"
)
_SHORT = words("pw mdp")
_CHOSEN = words("password passwort kennwort contrasena motdepasse passwd passphrase passcode pwd pass pw mdp")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    noun: str
    # SCREAMING_SNAKE, as in a shell, where every value is meant literally.
    constant: bool
    compound: bool
    kind: str = "assignment"


@dataclass(frozen=True, slots=True)
class _Setting:
    quoted: bool
    sign: str = "="
    spaced: bool = False

    @property
    def prose(self) -> bool:
        return self.sign[:1].isalpha()


def assignments(text: str, lowered: str) -> Iterator[Secret]:
    """Values that are given to a name which promises a secret, on the line of the name or alone on the next."""
    position = 0
    while hint := _HINT.search(lowered, position):
        name, start, position = _name_around(text, hint)
        if text.startswith("[SECRET:", start - 1):
            continue
        meaning = _meaning(name)
        if meaning is None:
            continue
        link = _link(text, name, start, position)
        value = _value_below(text, meaning, position) if link is None else _value_after(text, meaning, link)
        if value is None and link is not None:
            value = _value_below(text, meaning, position)
        if value is not None:
            yield value
            position = value.end


def _name_around(text: str, hint: re.Match[str]) -> tuple[str, int, int]:
    left = text[max(0, hint.start() - 48) : hint.start()]
    # Read backwards: a pattern that must end here would be tried from every place before it.
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
def _meaning(name: str) -> _Meaning | None:
    parts = [word.lower() for word in _WORD.findall(name)]
    while parts and parts[-1].isdigit():
        parts.pop()
    if not parts or parts[-1] in _ABOUT or parts[0] in _ABOUT_FROM_THE_START:
        return None
    noun = _noun(parts)
    if noun is None:
        return None
    return _Meaning(noun=noun, constant=name.isupper(), compound=len(parts) > 1)


def _noun(parts: Sequence[str]) -> str | None:
    for before, word in zip(["", *parts], parts, strict=False):
        if word in {"credential", "credentials"} or word in _SHORT or (word == "pass" and len(parts) > 1):
            return word
        if word == "key" and (before in _KEYS or "azure" in parts):
            return word
        if glued := _GLUED.search(word):
            return glued[0]
    return "auth" if "auth" in parts else None


def _link(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    if link := _LINK.match(text, end):
        return link
    if (start > 0 and text[start - 1] == "<") or text[max(0, start - 5) : start] in {
        'key="',
        "key='",
        "ame='",
        'ame="',
    }:
        return _XML_LINK.match(text, end)
    return _FLAG_LINK.match(text, end) if name.startswith("--") else None


# A name at the end of its line, and nothing but the value on the next one that is not blank.
_BELOW = re.compile(
    r"(?:[\"'`*_]{0,3}[ \t]{0,3}:?[*_]{0,2}[ \t]{0,3}(?:is|are)?[ \t]{0,3}:?)[ \t]*+(?:[|>][-+1-9]{0,2}+[ \t]*+)?"
    r"(?:\r?\n[ \t>]{0,16}){1,3}(?:[-*+][ \t]{1,3})?"
    r"(?P<quote>[`\"']{0,3})(?P<value>[^\s`\"',|]{4,128})(?P=quote)[ \t]*+(?=\r?\n|\Z)"
)


def _value_below(text: str, meaning: _Meaning, end: int) -> Secret | None:
    below = _BELOW.match(text, end)
    if below is None or below["value"].endswith((":", ",", "{", "(")):
        return None
    if not _is_secret(below["value"], meaning, _Setting(quoted=False, sign="is")):
        return None
    return Secret(kind=meaning.kind, start=below.start("value"), end=below.end("value"))


def after_name(name: str, text: str) -> str | None:
    """The kind of secret that a text is under a name, as an entry of a mapping; `None` for none."""
    meaning = _meaning(name) if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None else None
    if meaning is None or not _is_secret(text, meaning, _Setting(quoted=True)):
        return None
    return meaning.kind


def is_in_column(name: str, value: str) -> bool:
    """Whether a value that stands under a name in a table is a secret."""
    meaning = _heading(name)
    return meaning is not None and _is_secret(value, meaning, _Setting(quoted=False, sign="is"))


def promises(name: str) -> bool:
    """Whether a heading of a table promises a secret."""
    return _heading(name) is not None


def _heading(name: str) -> _Meaning | None:
    return _meaning("_".join(name.split())) if _HEADING.fullmatch(name) else None


_HEADING = re.compile(r"[A-Za-z][\w.-]{0,40}(?: [\w.-]{1,24}){0,3}", re.ASCII)


def _value_after(text: str, meaning: _Meaning, link: re.Match[str]) -> Secret | None:
    sign = link["sign"].strip().lower()
    spaced = link.end() > link.end("sign")
    if (quote := _QUOTE.match(text, link.end())) and (end := _end_of_quotation(text, quote)) is not None:
        start = quote.end()
        setting = _Setting(quoted=True, sign=sign, spaced=spaced)
        if _is_secret(text[start : min(end, start + JUDGED)], meaning, setting):
            return Secret(kind=meaning.kind, start=start, end=end)
        return None
    start = quote.end() if quote else link.end()
    end = _end_of_bare(text, start, start + JUDGED)
    if not _is_secret(text[start:end], meaning, _Setting(quoted=False, sign=sign, spaced=spaced)):
        return None
    if end - start > JUDGED // 2:
        end = _end_of_bare(text, start, len(text))
    return Secret(kind=meaning.kind, start=start, end=end)


def _end_of_quotation(text: str, quote: re.Match[str]) -> int | None:
    closing = _CLOSING[quote["quote"][-1]] if len(quote["quote"]) == 1 else None
    if closing is not None:
        inside = closing.match(text, quote.end())
        return inside.end("inside") if inside else None
    end = text.find(quote["quote"], quote.end(), quote.end() + 4 * JUDGED)
    return end if end >= 0 else None


_CLOSING = {mark: re.compile(rf"(?P<inside>(?:[^{mark}\\\n]++|\\.)*+){mark}") for mark in ('"', "'", "`")}


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


def _is_secret(value: str, meaning: _Meaning, setting: _Setting) -> bool:
    if not value or value.lower() in NOTHING or is_placeholder(value) or PATH.fullmatch(value):
        return False
    literal = meaning.constant and (meaning.compound or setting.sign == "=") and not setting.prose
    if literal and meaning.noun != "auth":
        return _is_constant_secret(value, meaning, setting)
    if setting.quoted and not setting.prose:
        return _is_quoted_secret(value, meaning)
    if REFERENCE.fullmatch(value):
        return False
    return is_strong(value, shortest=6 if _is_chosen(meaning) else 8) or (
        _is_chosen(meaning) and value.isdecimal() and 4 <= len(value) <= 64
    )


def _is_constant_secret(value: str, meaning: _Meaning, setting: _Setting) -> bool:
    if value.isdecimal() and len(value) < 8 and not _is_chosen(meaning):
        return False
    if setting.quoted:
        return True
    if setting.spaced or _CONSTANT_NAME.fullmatch(value):
        return REFERENCE.fullmatch(value) is None and _names_a_secret(value) is False
    return REFERENCE.fullmatch(value) is None or not ("(" in value or "[" in value or value.count(".") > 0)


_CONSTANT_NAME = re.compile(r"[A-Z]+(?:_[A-Z]+)+")


def _names_a_secret(value: str) -> bool:
    return value.replace("_", "").isalpha() and "_" in value and _meaning(value) is not None


def _is_quoted_secret(value: str, meaning: _Meaning) -> bool:
    if value.isdecimal():
        return len(value) >= (4 if _is_chosen(meaning) else 8)
    if value.lower() in NOUNS or value.startswith(("http://", "https://")):
        return False
    if any(space in value for space in " \t\n"):
        return any(is_strong(word.strip(".,;:"), shortest=8) for word in value.split())
    if "{" in value or CALL.match(value):
        return False
    if meaning.noun in {"token", "auth"}:
        return is_strong(value, shortest=6) or len(value) >= 16
    return len(value) >= 3


def _is_chosen(meaning: _Meaning) -> bool:
    return meaning.noun in _CHOSEN
