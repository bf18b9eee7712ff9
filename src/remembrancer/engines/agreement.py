"""Whether two short texts make the same statement, and so may be merged.

No embedding tells "always archive" from "never archive". This does, by refusing: a word that was replaced is a
different statement unless the two words are known to be one, and only words with no opposite are ever dropped.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from remembrancer.engines import antonyms as lexicon
from remembrancer.language.numbers import NUMBER_WORDS, ORDINALS
from remembrancer.language.spelling import folded
from remembrancer.language.stems import stem

REASONS: Final = ("negation", "antonym", "number", "date", "name", "word")
# Beyond this many words a text is no statement, and only its own words are taken for it.
LONGEST_STATEMENT: Final = 200


class Relation(StrEnum):
    """How two statements stand to each other."""

    SAME = "same"
    OPPOSITE = "opposite"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A relation and the kinds of difference it rests on; never the words themselves."""

    relation: Relation
    reasons: tuple[str, ...]


def agreement(a: str, b: str) -> Agreement:
    """Whether `a` and `b` say the same, contradict each other, or speak of different things.

    Symmetric, and deliberately unwilling: SAME means that nothing at all was found against merging.
    """
    first, second = sorted((a, b))
    languages = _languages(f"{first}\n{second}")
    found = _differences(_read(first, languages), _read(second, languages), languages)
    if _foreign(first, second):
        found = replace(found, reasons=found.reasons | {"word"})
    return _judge(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Differences:
    reasons: frozenset[str]
    # Whether what differs turns the statement round: an odd number of negations and antonyms.
    turned: bool


def _judge(found: _Differences) -> Agreement:
    reasons = tuple(reason for reason in REASONS if reason in found.reasons)
    if not reasons:
        return Agreement(relation=Relation.SAME, reasons=())
    opposite = found.turned and found.reasons <= {"negation", "antonym"}
    return Agreement(relation=Relation.OPPOSITE if opposite else Relation.DIFFERENT, reasons=reasons)


# --- Reading a text -------------------------------------------------------------------------------------------------


class _Kind(StrEnum):
    WORD = "word"
    PRONOUN = "pronoun"
    NUMBER = "number"
    DATE = "date"
    CODE = "code"
    SYMBOL = "symbol"
    BREAK = "break"


class _Case(StrEnum):
    LOWER = "lower"
    # A capital that may only be there because a sentence begins, or because the word is a German noun.
    MAYBE = "maybe"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lexeme:
    kind: _Kind
    raw: str
    text: str
    starts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    kind: _Kind
    text: str
    case: _Case = _Case.LOWER
    denies: bool = False
    clause: int = 0
    gap: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    tokens: tuple[_Token, ...]
    negations: int
    negated: frozenset[int]
    seen: frozenset[str]
    past: bool
    asks: bool

    def texts(self, kind: _Kind) -> tuple[str, ...]:
        return tuple(token.text for token in self.tokens if token.kind is kind)

    def words(self) -> list[_Token]:
        return [t for t in self.tokens if t.kind in (_Kind.WORD, _Kind.CODE, _Kind.SYMBOL)]


@dataclass(slots=True, kw_only=True)
class _Draft:
    """What has been read so far of one text."""

    tokens: list[_Token] = field(default_factory=list[_Token])
    cues: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    gap: set[str] = field(default_factory=set[str])
    clause: int = 0

    def keep(self, token: _Token) -> None:
        self.tokens.append(replace(token, clause=self.clause, gap=frozenset(self.gap)))
        self.gap.clear()


def _read(text: str, languages: tuple[str, ...]) -> _Reading:
    lexemes = _join_numbers(list(_lexemes(_prepare(text), languages)), languages)
    draft = _Draft()
    for at, lexeme in enumerate(lexemes):
        _take(draft, lexeme, lexemes[at - 1] if at else None, lexemes[at + 1 : at + 2], languages)
    seen = frozenset(lexeme.text for lexeme in lexemes)
    return _Reading(
        tokens=tuple(draft.tokens),
        negations=_count_negations(draft.cues, languages),
        negated=frozenset(clause for clause, _ in draft.cues),
        seen=seen,
        past=bool(seen & lexicon.PAST),
        asks="?" in text or "¿" in text,
    )


def _take(
    draft: _Draft, lexeme: _Lexeme, before: _Lexeme | None, after: list[_Lexeme], languages: tuple[str, ...]
) -> None:
    word = lexeme.text
    if lexeme.kind is _Kind.BREAK:
        draft.clause += 1
        return
    if lexeme.kind is _Kind.WORD and lexeme.raw.lower() in lexicon.CLAUSE_BREAKS:
        draft.clause += 1
    if _negates(lexeme, languages):
        draft.cues.append((draft.clause, word))
        return
    ends = not after or after[0].kind is _Kind.BREAK or after[0].text in lexicon.CLAUSE_BREAKS
    token = _token(lexeme, before, ends=ends, languages=languages)
    if token is None:
        draft.gap.add(word)
        return
    if token.denies:
        draft.cues.append((draft.clause, word))
    draft.keep(token)


def _token(lexeme: _Lexeme, before: _Lexeme | None, *, ends: bool, languages: tuple[str, ...]) -> _Token | None:
    """The token a lexeme leaves behind, or None for a word that may be dropped."""
    if lexeme.kind is not _Kind.WORD:
        case = _Case.NAME if lexeme.kind is _Kind.CODE else _Case.LOWER
        return _Token(kind=lexeme.kind, text=lexeme.text, case=case)
    case = _case(lexeme, before, languages)
    if (date := _date_word(lexeme, languages)) is not None:
        return _Token(kind=_Kind.DATE, text=date)
    if case is not _Case.NAME or lexeme.raw.isupper():
        if _droppable(lexeme.text, languages) and not (ends and _is_particle(lexeme.text, languages)):
            return None
        person = None if lexeme.raw[-1:] in {"é", "è"} else _person(lexeme.text, languages)
        if person is not None:
            return _Token(kind=_Kind.PRONOUN, text=person)
    return _Token(kind=_Kind.WORD, text=lexeme.text, case=case, denies=_denies(lexeme.text))


def _case(lexeme: _Lexeme, before: _Lexeme | None, languages: tuple[str, ...]) -> _Case:
    if not lexeme.raw[:1].isupper():
        return _Case.NAME if any(letter.isupper() for letter in lexeme.raw) else _Case.LOWER
    if lexeme.raw == "I" or (languages == ("de",) and _person(lexeme.text, languages)):
        return _Case.LOWER
    if lexeme.raw[1:] != lexeme.raw[1:].lower():
        return _Case.NAME
    if languages == ("de",) and before is not None and before.text in lexicon.GERMAN_DETERMINERS:
        return _Case.LOWER
    return _Case.MAYBE if lexeme.starts or languages == ("de",) else _Case.NAME


def _is_particle(word: str, languages: tuple[str, ...]) -> bool:
    return "de" in languages and word in lexicon.GERMAN_PARTICLES


def _droppable(word: str, languages: tuple[str, ...]) -> bool:
    return any(word in lexicon.FUNCTION_WORDS[language] for language in languages)


def _person(word: str, languages: tuple[str, ...]) -> str | None:
    for language in languages:
        for group in lexicon.PRONOUNS[language]:
            if word in group:
                return group[0]
    return None


def _negates(lexeme: _Lexeme, languages: tuple[str, ...]) -> bool:
    if lexeme.kind is not _Kind.WORD:
        return False
    alone = lexicon.NEGATIONS_OF_ONE_LANGUAGE.get(lexeme.text)
    german = lexeme.text.startswith("kein") and not lexeme.text.startswith(("keine_", "keinerlei"))
    return lexeme.text in lexicon.NEGATIONS or german or (alone in languages and lexeme.raw.islower())


def _denies(word: str) -> bool:
    return word in lexicon.NEGATIVE_WORDS or word.startswith(lexicon.DENYING_STEMS)


def _count_negations(cues: list[tuple[int, str]], languages: tuple[str, ...]) -> int:
    """How often the text says no: once a clause where double negation is the rule, else once a word."""
    negations = [(clause, word) for clause, word in cues if word not in {"nor", "noch"}]
    verbs = sum(word.startswith(lexicon.DENYING_STEMS) for _, word in negations)
    plain = [clause for clause, word in negations if not word.startswith(lexicon.DENYING_STEMS)]
    twice = bool({"en", "de"} & set(languages)) and not {"es", "fr", "it"} & set(languages)
    return verbs + (len(plain) if twice else len(set(plain)))


def _date_word(lexeme: _Lexeme, languages: tuple[str, ...]) -> str | None:
    word = lexeme.text
    if word in lexicon.WEEKDAYS:
        return f"weekday {lexicon.WEEKDAYS[word]}"
    if word in lexicon.MONTHS and not (
        word in lexicon.AMBIGUOUS_MONTHS and lexeme.raw.islower() and "fr" not in languages
    ):
        return f"month {lexicon.MONTHS[word]}"
    root = next((root for root in lexicon.RELATIVE_STEMS if word.startswith(root)), None)
    return root or (word if word in lexicon.RELATIVE_DAYS else None)


# --- From characters to lexemes -------------------------------------------------------------------------------------

_SAME_CHARACTERS: Final = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "`": "'", "ʼ": "'", "−": "-", "‐": "-", "‑": "-"}
)
_IRREGULAR: Final = (
    (re.compile(r"\b(ca)n't\b|\bcannot\b|\bcant\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\bshan't\b", re.IGNORECASE), "shall not"),
    (
        re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|should|would|must|need)n'?t\b", re.IGNORECASE),
        r"\1 not",
    ),
    (re.compile(r"\bain't\b", re.IGNORECASE), "is not"),
    (re.compile(r"\be-mail", re.IGNORECASE), "email"),
    (re.compile(r"\bno[ -]one\b", re.IGNORECASE), "noone"),
    (re.compile(r"(?<=\d)\s*(?:per cent|pour cent|por ciento|per cento|percent|Prozent)\b", re.IGNORECASE), "%"),
)


def _prepare(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_SAME_CHARACTERS)
    if sum(map(str.isupper, text)) > 0.7 * sum(map(str.isalpha, text)) and len(text.split()) > 1:
        text = text.lower()
    for pattern, plain in _IRREGULAR:
        text = pattern.sub(plain, text)
    return _plain_dates(text)


_MONTH_NAMES: Final = "|".join(sorted({*lexicon.MONTHS, *lexicon.MONTH_ABBREVIATIONS}, key=len, reverse=True))
_MONTH: Final = rf"(?P<month>{_MONTH_NAMES})\b\.?"
_YEAR: Final = r"(?:,?\s*(?:de |del |of )?(?P<year>(?:1[89]|20|21)\d\d)\b)?"
_DAY: Final = r"(?<![\d.,:/-])(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.|o|a)?"
_DAY_FIRST: Final = re.compile(rf"{_DAY}\s*(?:of |de |d'|di )?\s*\b{_MONTH}{_YEAR}", re.IGNORECASE)
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH}\s+(?:the )?{_DAY}\b(?![\d:%]|[.,]\d|\s?[ap]\.?m){_YEAR}", re.IGNORECASE)
_MONTH_AND_YEAR: Final = re.compile(
    rf"\b{_MONTH}\s*(?:de |del |of )?,?\s*(?P<year>(?:1[89]|20|21)\d\d)\b", re.IGNORECASE
)


def _plain_dates(text: str) -> str:
    for pattern in (_DAY_FIRST, _MONTH_FIRST, _MONTH_AND_YEAR):
        text = pattern.sub(_plain_date, text)
    return text


def _plain_date(match: re.Match[str]) -> str:
    name, parts = folded(match["month"]), match.groupdict()
    if match["month"].islower() and name in {"may", "march"}:
        return match[0]
    month = lexicon.MONTHS.get(name) or lexicon.MONTH_ABBREVIATIONS[name]
    day = f"-{int(parts['day']):02}" if parts.get("day") else ""
    return f" {parts.get('year') or '-'}-{month:02}{day} "


_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u0610-\u06ed\u0900-\u0dff\u0e00-\u0fff\u3099\u309a"
_SCANNER: Final = re.compile(
    rf"""
    (?P<url>(?:https?://|www\.)[^\s<>"')\]]*[^\s<>"')\].,;:!?])
  | (?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
  | (?P<path>(?<![\w/])(?:~|\.{{1,2}})?/[\w.-]*\w(?:/[\w.-]*\w)*/?|\b[A-Za-z]:\\[^\s,;]+|\b\w+(?:/\w+)+\.\w+)
  | (?P<iso>(?<![\d-])(?:\d{{4}}|-)-\d\d(?:-\d\d)?(?!\d))
  | (?P<dmy>(?<![\d./-])\d{{1,2}}(?P<sep>[./-])\d{{1,2}}(?P=sep)(?:\d{{4}}|\d\d)(?![\d/-]|[.]\d))
  | (?P<time>(?<![\d.,])\d{{1,2}}(?::\d\d(?::\d\d)?(?:\s*[ap]\.?m\b\.?|\s*(?:uhr|h)\b)?
      |\s*[ap]\.?m\b\.?|h\d\d\b|(?:[.]\d\d)?\s*(?:uhr\b|heures?\b)))
  | (?P<ordinal>(?<![\d.,])\d+(?:st|nd|rd|th|er|[eè]me|ère|e|o|a|ª|º)\b)
  | (?P<code>\b\d+[A-Za-z]+\d\w*|[@#]\w+|[^\W\d]\w*(?:[-.]\w+)*(?<=\w))
  | (?P<number>(?:(?<![^\s(])-)?(?:\d{{1,3}}(?:[ ']\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*))
  | (?P<other>[\w{_MARKS}]+)
  | (?P<break>[,;:.!?()\[\]—–\n"“”«»•…]|\s-\s)
  | (?P<symbol>[^\s\w])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ELISION: Final = re.compile(
    r"(?:[ldjnmtsc]|qu|jusqu|lorsqu|puisqu|quoiqu|un|nessun|senz|anch|dov|com|quell|quest|(?:da|de|a|ne|su|co)ll|gli)'(?=\w)",
    re.IGNORECASE,
)


def _lexemes(text: str, languages: tuple[str, ...]) -> Iterator[_Lexeme]:
    starts = True
    for match in _SCANNER.finditer(_ELISION.sub(_apart, text)):
        group = match.lastgroup or "other"
        raw = match[0]
        if group in {"code", "other"}:
            yield from _word_lexemes(raw, starts=starts)
        elif group == "break":
            yield _Lexeme(kind=_Kind.BREAK, raw=raw, text=raw)
        else:
            yield from _exact_lexemes(group, raw, languages)
        starts = (group == "break" and raw not in {",", ";", ")", "]"}) or (starts and group == "symbol")


def _apart(match: re.Match[str]) -> str:
    elided = match[0]
    spelled = {"n'": "ne", "senz'": "senza", "nessun'": "nessuna"}.get(elided.lower(), elided[:-1])
    return f"{spelled} "


def _word_lexemes(raw: str, *, starts: bool) -> Iterator[_Lexeme]:
    parts = raw.split(".")
    if len(parts) > 1 and max(map(len, parts)) == 1:
        raw = "".join(parts)
    if any(letter.isdigit() or letter in "_.@#" for letter in raw):
        yield _Lexeme(kind=_Kind.CODE, raw=raw, text=raw.casefold())
        return
    for at, part in enumerate(part for part in raw.split("-") if part):
        yield _Lexeme(kind=_Kind.WORD, raw=part, text=folded(part), starts=starts and at == 0)


def _exact_lexemes(group: str, raw: str, languages: tuple[str, ...]) -> Iterator[_Lexeme]:
    readers: dict[str, Callable[[str], _Lexeme]] = {
        "iso": lambda it: _exact(_Kind.DATE, it),
        "dmy": lambda it: _exact(_Kind.DATE, _day_month_year(it, languages)),
        "time": lambda it: _exact(_Kind.NUMBER, _clock_time(it)),
        "ordinal": lambda it: _exact(_Kind.NUMBER, f"ordinal {int(re.sub('[^0-9]', '', it) or 0)}"),
        "number": lambda it: _exact(_Kind.NUMBER, _number(it, languages)),
        "symbol": _symbol,
    }
    reader = readers.get(group, lambda it: _exact(_Kind.CODE, it.casefold()))
    lexeme = reader(raw)
    if lexeme.text:
        yield lexeme


def _exact(kind: _Kind, text: str) -> _Lexeme:
    return _Lexeme(kind=kind, raw=text, text=text)


def _symbol(raw: str) -> _Lexeme:
    # Currency, comparison and pictures speak; quotes, dashes and accents do not.
    speaks = raw in "%&" or unicodedata.category(raw) in {"Sc", "Sm", "So"}
    return _exact(_Kind.SYMBOL, lexicon.CURRENCIES.get(raw, raw) if speaks else "")


def _day_month_year(raw: str, languages: tuple[str, ...]) -> str:
    first, second, year = (int(part) for part in re.split(r"[./-]", raw))
    year += 2000 if year < 100 else 0
    if first > 12 or first == second or "." in raw or "en" not in languages:
        return f"{year}-{second:02}-{first:02}"
    return f"{year}-{first:02}-{second:02}" if second > 12 else f"{year} {first} {second}"


def _clock_time(raw: str) -> str:
    digits = [int(part) for part in re.findall(r"\d+", raw)]
    hour, rest = digits[0], [*digits[1:], 0][:1]
    half = re.search(r"([ap])\.?m", raw, re.IGNORECASE)
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[1].lower() == "p" else 0)
    seconds = f":{digits[2]:02}" if len(digits) > 2 else ""
    return f"{hour:02}:{rest[0]:02}{seconds}"


_GROUPED: Final = re.compile(r"-?\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")


def _number(raw: str, languages: tuple[str, ...]) -> str:
    grouped = _GROUPED.fullmatch(raw)
    plain = raw
    # A single point before three digits is a decimal in English and a thousand elsewhere; a comma the reverse.
    if grouped and (raw.count(grouped[1]) > 1 or grouped[1] in "' " or (grouped[1] == ".") != ("en" in languages)):
        plain = plain.replace(grouped[1], "")
    plain = plain.replace(",", ".")
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", plain):
        return raw
    return _written(Decimal(plain))


def _written(value: Decimal | int) -> str:
    written = f"{Decimal(value):f}"
    return (written.rstrip("0").rstrip(".") if "." in written else written) or "0"


# --- Number words ---------------------------------------------------------------------------------------------------


def _join_numbers(lexemes: list[_Lexeme], languages: tuple[str, ...]) -> list[_Lexeme]:
    """`lexemes` with every run of number words as one number."""
    joined: list[_Lexeme] = []
    run: list[int] = []
    for at, lexeme in enumerate(lexemes):
        value = _word_value(lexeme, languages)
        if value is not None and lexeme.kind is _Kind.NUMBER:
            _flush(run, joined)
            run = [value]
        elif value is not None:
            run = _add_number(run, value, joined)
        elif not (run and lexeme.text in lexicon.NUMBER_LINKS and _continues(run, lexemes[at + 1 : at + 2], languages)):
            _flush(run, joined)
            run = []
            joined.append(_ordinal(lexeme))
    _flush(run, joined)
    return joined


def _word_value(lexeme: _Lexeme, languages: tuple[str, ...]) -> int | None:
    large = lexeme.kind is _Kind.NUMBER and lexeme.text.isdecimal() and len(lexeme.text) < 16
    if large:
        return int(lexeme.text)
    if lexeme.kind is not _Kind.WORD:
        return None
    tables = (NUMBER_WORDS[lexicon.STEMMERS[language]] for language in languages)
    return next((table[lexeme.text] for table in tables if lexeme.text in table), None)


def _ordinal(lexeme: _Lexeme) -> _Lexeme:
    if lexeme.kind is _Kind.WORD and lexeme.text in ORDINALS:
        return _exact(_Kind.NUMBER, f"ordinal {ORDINALS[lexeme.text]}")
    return lexeme


def _continues(run: list[int], following: list[_Lexeme], languages: tuple[str, ...]) -> bool:
    value = _word_value(following[0], languages) if following else None
    return value is not None and following[0].kind is _Kind.WORD and _fits(run, value)


def _fits(run: list[int], value: int) -> bool:
    """Whether `value` may follow the words of `run` inside one number: "two hundred" and "five"."""
    last = run[-1]
    if value in {100, 1000, 10**6}:
        return last < value
    if (last, value) == (4, 20):
        return True
    if last == 10:
        return 7 <= value <= 9  # dix-sept, dix-huit, dix-neuf
    tens = last in range(20, 100, 10) and (value < 10 or (value < 20 and last in {20, 60, 80}))
    return (
        tens
        or (last >= 100 and last % 100 == 0 and value < 100)
        or (last >= 1000 and last % 1000 == 0 and value < 1000)
    )


def _add_number(run: list[int], value: int, joined: list[_Lexeme]) -> list[int]:
    if run and not _fits(run, value):
        _flush(run, joined)
        return [value]
    return [*run, value]


def _flush(run: list[int], joined: list[_Lexeme]) -> None:
    if run:
        joined.append(_exact(_Kind.NUMBER, str(_sum(run))))


def _sum(run: list[int]) -> int:
    total, part = 0, 0
    for value in run:
        if value in {1000, 10**6} and (part or not total):
            total, part = total + max(part, 1) * value, 0
        elif value == 100 or (value == 20 and part % 100 == 4):
            part = part - part % 100 + max(part % 100, 1) * value
        else:
            part += value
    return total + part


# --- Language and stems ---------------------------------------------------------------------------------------------


def _languages(text: str) -> tuple[str, ...]:
    """The languages `text` may be in: the one with most function words, all of them where nothing tells."""
    scores = _scores(text)
    best = max(scores.values())
    return tuple(language for language in lexicon.LANGUAGES if scores[language] == best)


def _scores(text: str) -> dict[str, int]:
    spaced = _ELISION.sub(_apart, text.translate(_SAME_CHARACTERS))
    words = Counter(folded(word) for word in re.findall(r"[^\W\d_]+", spaced))
    return {
        language: sum(count for word, count in words.items() if word in _common_words(language))
        for language in lexicon.LANGUAGES
    }


@lru_cache
def _common_words(language: str) -> frozenset[str]:
    pronouns = (word for group in lexicon.PRONOUNS[language] for word in group)
    return lexicon.FUNCTION_WORDS[language].union(pronouns)


def _foreign(a: str, b: str) -> bool:
    """Whether the two are plainly in two languages, where no table can tell an opposite."""
    sure = [
        {code for code, score in scores.items() if 2 * score > max(scores.values())} for scores in map(_scores, (a, b))
    ]
    certain = all(max(_scores(text).values()) > 1 for text in (a, b))
    return certain and not sure[0] & sure[1]


@lru_cache(maxsize=16384)
def _stem(word: str, language: str) -> str:
    return stem(word, lexicon.STEMMERS[language])


# --- Pairs of words -------------------------------------------------------------------------------------------------


def _alike(a: _Token, b: _Token, languages: tuple[str, ...]) -> bool:
    """Whether the two are one word: the same, inflected, or known to mean the same."""
    if a.text == b.text:
        return True
    if _Case.NAME in (a.case, b.case) or _Kind.WORD not in (a.kind, b.kind):
        return _possessive(a.text, b.text) or _same_currency(a.text, b.text)
    if a.case is b.case is _Case.MAYBE:
        return _possessive(a.text, b.text) or (languages == ("en",) and _inflected(a.text, b.text, "en"))
    known = _same_currency(a.text, b.text) or bool(_synonyms(a.text) & _synonyms(b.text))
    return (known or _akin(a.text, b.text, languages)) and not _opposed(a.text, b.text, languages)


@lru_cache(maxsize=8192)
def _synonyms(word: str) -> frozenset[int]:
    return frozenset(at for at, group in enumerate(lexicon.SYNONYMS) if word in group)


def _same_currency(a: str, b: str) -> bool:
    return lexicon.CURRENCIES.get(a, a) == lexicon.CURRENCIES.get(b, b)


def _possessive(a: str, b: str) -> bool:
    return f"{a}s" == b or f"{b}s" == a


def _endings(a: str, b: str) -> tuple[int, str, str]:
    shared = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared, a[shared:], b[shared:]


def _inflected(a: str, b: str, language: str) -> bool:
    """Whether only a known ending differs; an unknown one ("-less", "-voll") is another word."""
    shared, x, y = _endings(a, b)
    if shared < 3:
        return False
    if _other_gender(a, b, language) or ({x, y} <= {"", "e"} and language == "en"):
        return False
    known = {x, y} <= lexicon.INFLECTIONS[language] | {""}
    doubled = language == "en" and (_doubles(a, shared, x, y) or _doubles(a, shared, y, x))
    if not (known or doubled):
        return False
    if shared >= 4 and shared >= 0.6 * max(len(a), len(b)):
        return True
    return shared >= 3 and _stem(a, language) == _stem(b, language)


def _doubles(word: str, shared: int, short: str, long: str) -> bool:
    """Whether `long` begins by doubling the last shared letter: "stop", "stopped"."""
    return short in {"", "s"} and long[1:] in {"ed", "ing"} and word[shared - 1 : shared] == long[:1]


def _other_gender(a: str, b: str, language: str) -> bool:
    """Whether the two end in two vowels, as "hermano" and "hermana" or "ami" and "amie" do."""
    if language in {"en", "de"}:
        return False
    one, other = a.removesuffix("s"), b.removesuffix("s")
    _, x, y = _endings(one, other)
    if language == "it" and frozenset((x, y)) in lexicon.PLURAL_VOWELS:
        return False
    vowels = len(x) == len(y) == 1 and {x, y} <= set("aeiou")
    masculine = {one[-1:], other[-1:]} >= {"a", "o"} and abs(len(one) - len(other)) <= 1
    return vowels or masculine or ({x, y} == {"", "a"}) or ({x, y} == {"", "e"} and language == "fr")


def _opposed(a: str, b: str, languages: tuple[str, ...]) -> bool:
    return _antonyms(a, b, languages) or _prefix_opposed(a, b, languages) or _suffix_opposed(a, b)


def _antonyms(a: str, b: str, languages: tuple[str, ...]) -> bool:
    return any(_stem(b, code) in _opposites(code).get(_stem(a, code), frozenset()) for code in languages)


@lru_cache
def _opposites(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in lexicon.ANTONYMS[language]:
        one, other = (_stem(word, language) for word in pair)
        if one != other:
            found[one] = found.get(one, frozenset()) | {other}
            found[other] = found.get(other, frozenset()) | {one}
    return found


def _prefix_opposed(a: str, b: str, languages: tuple[str, ...]) -> bool:
    for negated, plain in ((a, b), (b, a)):
        if any(rest[:3] == plain[:3] and _akin(rest, plain, languages) for rest in _unprefixed(negated)):
            return True
    return _swapped_prefix(a, b, languages)


@lru_cache(maxsize=8192)
def _unprefixed(word: str) -> tuple[str, ...]:
    rests = (word.removeprefix(prefix) for prefix in lexicon.NEGATIVE_PREFIXES)
    return tuple(rest for rest in rests if rest != word and len(rest) > 2)


def _swapped_prefix(a: str, b: str, languages: tuple[str, ...]) -> bool:
    """Whether one prefix stands where its opposite stood: "include" and "exclude", "einschalten" and "ausschalten"."""
    for opposite, rest in _counter_prefixes(a):
        other = b.removeprefix(opposite)
        if other != b and len(other) > 3 and _akin(rest, other, languages):
            return True
    return False


@lru_cache(maxsize=8192)
def _counter_prefixes(word: str) -> tuple[tuple[str, str], ...]:
    """What would oppose `word` at its beginning, with what would then have to follow."""
    pairs = [tuple(pair) for pair in lexicon.OPPOSED_PREFIXES if len(pair) == 2]
    turned = ((x, y) for one, other in pairs for x, y in ((one, other), (other, one)))
    return tuple((y, word.removeprefix(x)) for x, y in turned if word.startswith(x) and len(word) - len(x) > 3)


def _akin(a: str, b: str, languages: tuple[str, ...]) -> bool:
    return a == b or any(_inflected(a, b, code) for code in languages)


def _suffix_opposed(a: str, b: str) -> bool:
    shared, x, y = _endings(a, b)
    return shared > 2 and x != y and bool({x, y} & lexicon.OPPOSED_SUFFIXES)


# --- Comparing two readings -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matching:
    """Which words the two share, which are opposed, and what is left over of each."""

    shared: tuple[tuple[_Token, _Token], ...]
    opposed: tuple[tuple[_Token, _Token], ...]
    left: tuple[_Token, ...]
    right: tuple[_Token, ...]

    def counterpart(self) -> dict[_Token, _Token]:
        return dict(self.shared)


def _match(a: list[_Token], b: list[_Token], languages: tuple[str, ...]) -> _Matching:
    same, a, b = _pair(a, b, lambda x, y: x.text == y.text)
    near, a, b = _pair(a, b, lambda x, y: _alike(x, y, languages))
    apart, a, b = _pair(a, b, lambda x, y: _opposed(x.text, y.text, languages))
    return _Matching(shared=(*same, *near), opposed=tuple(apart), left=tuple(a), right=tuple(b))


def _pair(
    a: list[_Token], b: list[_Token], fit: Callable[[_Token, _Token], bool]
) -> tuple[list[tuple[_Token, _Token]], list[_Token], list[_Token]]:
    pairs: list[tuple[_Token, _Token]] = []
    left, right = list[_Token](), list(b)
    for x in a:
        at = next((at for at, y in enumerate(right) if fit(x, y)), None)
        if at is None:
            left.append(x)
        else:
            pairs.append((x, right.pop(at)))
    return pairs, left, right


def _differences(a: _Reading, b: _Reading, languages: tuple[str, ...]) -> _Differences:
    if max(len(a.tokens), len(b.tokens)) > LONGEST_STATEMENT:
        return _Differences(reasons=frozenset() if a == b else frozenset({"word"}), turned=False)
    found = _match(a.words(), b.words(), languages)
    flipped = _flipped_clauses(a, b, found)
    reasons = {
        "negation": a.negations != b.negations or flipped,
        "antonym": bool(found.opposed),
        "number": a.texts(_Kind.NUMBER) != b.texts(_Kind.NUMBER),
        "date": a.texts(_Kind.DATE) != b.texts(_Kind.DATE),
        "name": _other_names(a, b, found),
        "word": _other_words(a, b, found) or (not flipped and (_roles_swapped(a, b, found) or _reordered(a, b, found))),
    }
    turns = a.negations - b.negations + sum(x.denies == y.denies for x, y in found.opposed)
    given = frozenset(reason for reason, applies in reasons.items() if applies)
    return _Differences(reasons=given, turned=flipped or turns % 2 == 1)


def _flipped_clauses(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether a word stands in a negated clause of one and a plain clause of the other, and another the reverse."""
    if not a.negated or not b.negated:
        return False
    changes = {(x.clause in a.negated, y.clause in b.negated) for x, y in found.shared}
    return {(True, False), (False, True)} <= changes


def _other_names(a: _Reading, b: _Reading, found: _Matching) -> bool:
    missing = any(token.case is _Case.NAME for token in (*found.left, *found.right))
    both = all(any(t.case is _Case.MAYBE for t in side) for side in (found.left, found.right))
    return missing or both or _names_reordered(a, b, found)


def _names_reordered(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether the names come in another order: who calls whom. A passive on one side turns the order round."""
    other = found.counterpart()
    moved = {x for x, y in found.shared if _marks(x) and _marks(x) == _marks(y)}
    first = [x for x in a.words() if x in other and _names_someone(x, other[x]) and x not in moved]
    second = [y for y in b.words() if y in {other[x] for x in first}]
    order = [other[x] for x in first]
    if _one_passive(a, b, found):
        return order != second[::-1]
    return order != second and not _listed(order, second)


def _names_someone(x: _Token, y: _Token) -> bool:
    return _Case.LOWER not in (x.case, y.case) and _Case.NAME in (x.case, y.case)


def _marks(token: _Token) -> frozenset[str]:
    return token.gap & lexicon.MARKS


def _one_passive(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether one tells in the passive what the other tells of the same two people in the active."""
    people = sum(_names_someone(x, y) for x, y in found.shared)
    return people > 1 and _passive(a) != _passive(b)


def _passive(reading: _Reading) -> bool:
    return any(
        before.text in lexicon.AGENT_MARKERS and after.case is not _Case.LOWER
        for before, after in pairwise(reading.tokens)
    ) or any(token.gap & lexicon.AGENT_MARKERS and token.case is not _Case.LOWER for token in reading.tokens)


def _listed(order: list[_Token], second: list[_Token]) -> bool:
    """Whether only members of a list ("Ana and Ben") changed places."""
    changed = [(x, y) for x, y in zip(order, second, strict=False) if x != y]
    return (
        len(changed) == 2 and any(x.gap & lexicon.LINKS for x in order) and any(y.gap & lexicon.LINKS for y in second)
    )


def _other_words(a: _Reading, b: _Reading, found: _Matching) -> bool:
    turned_round = _one_passive(a, b, found)
    if a.asks != b.asks or (a.past != b.past and not turned_round) or _other_people(a, b):
        return True
    ignored = lexicon.FILLERS | lexicon.AGENT_MARKERS if turned_round else lexicon.FILLERS
    left, right = (tuple(t for t in side if t.text not in ignored) for side in (found.left, found.right))
    if a.negations != b.negations and not (left and right):
        return False
    return bool(left or right)


def _reordered(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether what both say comes in another order: who does what to whom, and of what something is only so.

    A phrase may move from one end to the other ("every Monday"), and a passive turns the order round.
    """
    if _one_passive(a, b, found):
        return False
    other = found.counterpart()
    first = [other[x] for x in a.words() if x in other and x.text not in lexicon.FILLERS]
    second = [y for y in b.words() if y in set(first)]
    if a.negations or any(token.text in lexicon.SCOPE_WORDS for token in first):
        return first != second
    turns = (second[at:] + second[:at] for at in range(len(second)))
    return bool(first) and first not in turns and not _listed(first, second)


def _other_people(a: _Reading, b: _Reading) -> bool:
    one, other = set(a.texts(_Kind.PRONOUN)), set(b.texts(_Kind.PRONOUN))
    return bool(one - other) and bool(other - one)


# --- Who does what to whom ------------------------------------------------------------------------------------------


def _roles_swapped(a: _Reading, b: _Reading, found: _Matching) -> bool:
    if _one_passive(a, b, found):
        return False
    if any(_turned_about(x, y) or _turned_about(y, x) for x, y in found.shared):
        return True
    return _marker_moved(a, b, found) or (not found.left and not found.right and _order_swapped(a, b, found))


def _turned_about(x: _Token, y: _Token) -> bool:
    """Whether `x` is where something goes and `y` where it comes from: a letter to Ana, a letter of Ana."""
    to, of = lexicon.MARKS_OF_GOAL, lexicon.MARKS_OF_SOURCE
    return bool(x.gap & to and y.gap & of) and not (x.gap & of or y.gap & to)


def _marker_moved(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether a word after "from", "than", "before" changed places with another."""
    one, other = _followers(a), _followers(b)
    known = found.counterpart()
    matched = {y.text for y in known.values()}
    for marker in one.keys() & other.keys():
        ours = known.get(one[marker])
        if ours is not None and ours.text != other[marker].text and other[marker].text in matched:
            return True
    return False


def _followers(reading: _Reading) -> dict[str, _Token]:
    found: dict[str, _Token] = {}
    for token in reading.tokens:
        for marker in token.gap & lexicon.ROLE_MARKERS:
            found[marker] = token
    for before, after in pairwise(reading.tokens):
        if before.text in lexicon.ROLE_MARKERS:
            found[before.text] = after
    return found


def _order_swapped(a: _Reading, b: _Reading, found: _Matching) -> bool:
    """Whether two parts changed places around a third, or across a preposition; a moved adverbial is no swap."""
    known = found.counterpart()
    ours = [known.get(token, token) for token in a.tokens]
    order, other = _core([_key(token) for token in ours], [_key(token) for token in b.tokens])
    if not order or sorted(order) != sorted(other):
        return False
    starts = [_key(token) for token in ours]
    skip = next(at for at, (x, y) in enumerate(zip(starts, map(_key, b.tokens), strict=False)) if x != y)
    return any(_harmful(a.tokens[skip:], b.tokens[skip:], x, y, len(order)) for x, y in _block_swaps(order, other))


def _key(token: _Token) -> tuple[str, str]:
    return token.kind.value, token.text


def _core(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The two without what they begin and end with in common."""
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return a, b


def _block_swaps(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Every (length of the first block, length of the last) whose exchange makes `a` into `b`."""
    size = len(a)
    for x in range(1, size):
        for y in range(1, size - x + 1):
            if a[size - y :] + a[x : size - y] + a[:x] == b:
                yield x, y


def _two_people(a: tuple[_Token, ...], b: tuple[_Token, ...]) -> bool:
    """Whether two names changed places which no "and" joins."""
    named = all(token.case is not _Case.LOWER for token in (*a, *b))
    return named and not (a[1].gap & lexicon.LINKS and b[1].gap & lexicon.LINKS) and not _marks(a[1])


def _harmful(a: tuple[_Token, ...], b: tuple[_Token, ...], x: int, y: int, size: int) -> bool:
    blocks = ((a[0], b[size - x]), (a[size - y], b[0]))
    steady = all(_marks(one) == _marks(other) for one, other in blocks)
    if x + y == size:
        return not steady or (size == 2 and _two_people(a[:2], b[:2]))
    marked = any(_marks(one) and _marks(one) == _marks(other) for one, other in blocks)
    return not (marked or _dated(a[size - y : size]) or _dated(a[:x]))


def _dated(block: tuple[_Token, ...]) -> bool:
    """Whether the block is an adverbial of time ("every Monday") rather than a name that is also a month."""
    return len(block) > 1 and block[-1].kind is _Kind.DATE
