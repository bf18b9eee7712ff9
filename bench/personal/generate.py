"""Sentences with personal data whose place is known, and sentences with none but near misses; the same for a seed."""

import hashlib
import random
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.personal import english, french, german, italian, spanish, values
from bench.personal.numbers import LETTERS, ean_digit, isbn10_digit, issn_digit, luhn_digit, right_for, s10_digit
from bench.personal.values import Value, digits, grouped
from remembrancer.types.policy import PATTERN_TYPES, PersonalDataType


class Language(Protocol):
    """What a module of sentences holds."""

    @property
    def HOMES(self) -> tuple[str, ...]:
        """The countries whose phones are written as at home."""
        ...

    @property
    def WHO(self) -> tuple[str, ...]:
        """Who may be spoken of."""
        ...

    @property
    def IDENTITY(self) -> Mapping[str, tuple[str, ...]]:
        """How each sort of number of a person is called."""
        ...

    @property
    def BESIDE(self) -> tuple[str, ...]:
        """What is said before or after."""
        ...

    @property
    def SAID(self) -> Mapping[str, tuple[str, ...]]:
        """By kind, sentences with a place for data; with `!`, those that do not name it."""
        ...

    @property
    def NEAR(self) -> Mapping[str, tuple[str, ...]]:
        """By sort of near miss, sentences with a place for numbers that are no personal data."""
        ...


LANGUAGES: Mapping[str, Language] = {
    "en": english,
    "de": german,
    "es": spanish,
    "fr": french,
    "it": italian,
}
EACH, MIXED = 60, 24
NEAR_EACH, WRONG_EACH = 18, 25
WRONG_PERSONS = 40
_BESIDE, _PASTED, _TRIES = 0.3, 0.03, 500
_PLACE = re.compile("<([^<>]+)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where personal data stands in a sentence; `sort` says which of its kind."""

    data_type: PersonalDataType
    sort: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A text, and all the personal data in it.

    Args:
        about: the kind it was made for, or the sort of near miss.
    """

    language: str
    about: str
    text: str
    spans: tuple[Span, ...] = ()


def positives(seed: int) -> list[Sentence]:
    """Sentences with personal data: `EACH` for every kind and language, and some with several kinds."""
    chance = random.Random(seed)
    return [
        _written(chance, name, data_type.value, template)
        for name, language in LANGUAGES.items()
        for data_type in PATTERN_TYPES
        for template in _turns(chance, _templates(language, data_type), EACH)
    ] + [
        _written(chance, name, "mixed", template)
        for name, language in LANGUAGES.items()
        for template in _turns(chance, language.SAID["mixed"], MIXED)
    ]


def negatives(seed: int) -> list[Sentence]:
    """Sentences with near misses: the same with wrong check digits, and numbers of every other sort."""
    chance = random.Random(seed + 1)
    return [
        sentence
        for name, language in LANGUAGES.items()
        for about, templates, count in _near(language)
        for template in _turns(chance, templates, count)
        for sentence in [_near_miss(chance, name, about, template)]
    ]


def _templates(language: Language, data_type: PersonalDataType) -> list[str]:
    """Those that name what they hold, and those that do not where there are some."""
    return [*language.SAID[data_type.value], *language.SAID.get(f"{data_type.value}!", ())]


def _near(language: Language) -> Iterator[tuple[str, Sequence[str], int]]:
    for data_type in (PersonalDataType.CARD, PersonalDataType.IBAN):
        yield f"wrong {data_type.value}", language.SAID[data_type.value], WRONG_EACH
    yield "wrong identity", language.SAID["identity"], WRONG_PERSONS
    yield "private ip", language.SAID["ip"], WRONG_EACH
    for about, templates in language.NEAR.items():
        yield about, templates, NEAR_EACH


def _turns(chance: random.Random, templates: Sequence[str], count: int) -> list[str]:
    """So many templates, each as often as every other, in no order."""
    turns = [templates[number % len(templates)] for number in range(count)]
    chance.shuffle(turns)
    return turns


# Writing


def _written(chance: random.Random, name: str, about: str, template: str) -> Sentence:
    language = LANGUAGES[name]
    sort = _sort_of_person(chance, language, template)
    called = chance.choice(language.IDENTITY[sort])
    text, spans = "", list[Span]()
    for literal, place in _pieces(_beside(chance, language, template)):
        text += literal
        if not place:
            continue
        value = _value(chance, language, place, sort)
        if value is None:
            text += _other(chance, language, place, called)
            continue
        pasted = _pasted(chance, value)
        spans.append(Span(data_type=value.data_type, sort=value.sort, start=len(text), end=len(text) + len(pasted)))
        text += pasted
    return Sentence(language=name, about=about, text=text, spans=tuple(spans))


def _near_miss(chance: random.Random, name: str, about: str, template: str) -> Sentence:
    """A near miss that is not right by chance for any kind with check digits."""
    language = LANGUAGES[name]
    for _ in range(_TRIES):
        sort = _sort_of_person(chance, language, template)
        called = chance.choice(language.IDENTITY[sort])
        text = "".join(
            literal + (_wrong(chance, place, sort) or _other(chance, language, place, called) if place else "")
            for literal, place in _pieces(_beside(chance, language, template))
        )
        if not right_for(text):
            return Sentence(language=name, about=about, text=text)
    raise AssertionError(f"always right for something: {template}")


def _pieces(template: str) -> Iterator[tuple[str, str]]:
    """What stands before each place, and the name of the place; at the end, what stands behind and no name."""
    parts = _PLACE.split(template)
    yield from zip(parts[::2], [*parts[1::2], ""], strict=True)


def _beside(chance: random.Random, language: Language, template: str) -> str:
    if chance.random() >= _BESIDE:
        return template
    said, mark = chance.choice(language.BESIDE), chance.choice((" ", "\n"))
    ends = template[-1] in ".!?"
    return f"{said}{mark}{template}" if chance.random() < 0.5 or not ends else f"{template}{mark}{said}"


def _sort_of_person(chance: random.Random, language: Language, template: str) -> str:
    plain = "<id!>" in template
    return chance.choice([sort for sort in language.IDENTITY if not plain or values.SORTS[sort].plain])


def _value(chance: random.Random, language: Language, place: str, sort: str) -> Value | None:
    makers: dict[str, Callable[[], Value]] = {
        "card": lambda: values.card(chance),
        "iban": lambda: values.iban(chance),
        "id": lambda: values.identity(chance, sort),
        "id!": lambda: values.identity(chance, sort, plain=True),
        "phone": lambda: values.phone(chance, language.HOMES),
        "phone!": lambda: values.phone(chance, language.HOMES, plain=True),
        "email": lambda: values.email(chance),
        "ip": lambda: values.ip(chance),
        "ip4": lambda: values.ip(chance, 4),
        "ip6": lambda: values.ip(chance, 6),
    }
    return makers[place]() if place in makers else None


def _wrong(chance: random.Random, place: str, sort: str) -> str | None:
    match place:
        case "card":
            return values.card(chance, right=False).text
        case "iban":
            return values.iban(chance, right=False).text
        case "id":
            return values.identity(chance, sort, right=False).text
        case "ip" | "private":
            return values.private(chance, 4 if place == "private" else None)
        case "ip4" | "ip6":
            return values.private(chance, int(place[-1]))
        case _:
            return None


def _pasted(chance: random.Random, value: Value) -> str:
    """Some groups are held together by a space that does not break, as on pages and in letters."""
    if chance.random() >= _PASTED or value.data_type is PersonalDataType.EMAIL:
        return value.text
    return value.text.replace(" ", chance.choice(("\u00a0", "\u202f")))


def _other(chance: random.Random, language: Language, place: str, called: str) -> str:
    """What is no personal data: a name, a made number, or a pattern."""
    match place:
        case "who":
            return chance.choice(language.WHO)
        case "name":
            return called
        case "Name":
            return called[0].upper() + called[1:]
        case _ if place in MADE:
            return MADE[place](chance)
        case _:
            return _of_pattern(chance, place)


def _of_pattern(chance: random.Random, pattern: str) -> str:
    """`#` a digit, `%` a digit but 0, `^` a capital, `~` a digit of sixteen; the rest as it is."""
    letters = {"#": values.DIGITS, "%": values.DIGITS[1:], "^": LETTERS, "~": "0123456789abcdef"}
    return "".join(chance.choice(letters[one]) if one in letters else one for one in pattern)


# What is made for near misses


def _day(chance: random.Random, mark: str, year: int = 4) -> str:
    return f"{chance.randint(1, 28):02}{mark}{chance.randint(1, 12):02}{mark}{str(chance.randint(1960, 2026))[-year:]}"


def _iso(chance: random.Random) -> str:
    return f"{chance.randint(1990, 2026)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"


def _stamp(chance: random.Random) -> str:
    return f"{_iso(chance).replace('-', '')}{_clock(chance).replace(':', '')}{chance.randint(0, 59):02}"


def _clock(chance: random.Random) -> str:
    return f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}"


def _isbn13(chance: random.Random) -> str:
    body = f"978{chance.choice('01348')}{digits(chance, 8)}"
    return body + ean_digit(body)


def _isbn10(chance: random.Random) -> str:
    body = f"{chance.choice('0138')}{digits(chance, 8)}"
    return grouped(body + isbn10_digit(body), (1, 4, 4, 1), "-")


def _ean(chance: random.Random) -> str:
    body = chance.choice(("40", "50", "30", "84", "80")) + digits(chance, 10)
    return body + ean_digit(body)


def _issn(chance: random.Random) -> str:
    body = digits(chance, 7)
    return grouped(body + issn_digit(body), (4,), "-")


def _imei(chance: random.Random) -> str:
    body = f"35{digits(chance, 12)}"
    return body + luhn_digit(body)


def _s10(chance: random.Random) -> str:
    body = digits(chance, 8)
    return f"{chance.choice(('RR', 'CP', 'EE'))}{body}{s10_digit(body)}{chance.choice(('GB', 'DE', 'FR', 'IT', 'ES'))}"


def _ups(chance: random.Random) -> str:
    return f"1Z{_of_pattern(chance, '#^#^##')}{digits(chance, 10)}"


def _v4(chance: random.Random) -> str:
    return f"{chance.randint(1, 12)}.{chance.randint(0, 20)}.{chance.randint(0, 20)}.{chance.randint(1, 20)}"


MADE: dict[str, Callable[[random.Random], str]] = {
    "d.m.y": lambda chance: _day(chance, "."),
    "d/m/y": lambda chance: _day(chance, "/"),
    "d-m-y": lambda chance: _day(chance, "-"),
    "d.m.yy": lambda chance: _day(chance, ".", 2),
    "iso": _iso,
    "stamp": _stamp,
    "clock": _clock,
    "year": lambda chance: str(chance.randint(1990, 2026)),
    "uuid": lambda chance: str(uuid.UUID(bytes=chance.randbytes(16), version=4)),
    "sha1": lambda chance: hashlib.sha1(chance.randbytes(8)).hexdigest(),
    "sha256": lambda chance: hashlib.sha256(chance.randbytes(8)).hexdigest(),
    "md5": lambda chance: hashlib.md5(chance.randbytes(8)).hexdigest(),
    "isbn13": lambda chance: grouped(_isbn13(chance), (3, 1, 4, 4, 1), "-"),
    "isbn13 bare": _isbn13,
    "isbn10": _isbn10,
    "ean": _ean,
    "issn": _issn,
    "imei": _imei,
    "s10": _s10,
    "ups": _ups,
    "v4": _v4,
    "mac": lambda chance: ":".join(f"{chance.randrange(256):02X}" for _ in range(6)),
    "handle": lambda chance: f"{chance.choice(('anna', 'tom', 'lucia'))}_{digits(chance, 2)}",
}
