"""Names in a text: runs of capitalised words, and the title before a colon, without a model.

The text alone decides. Whether a single capitalised word is a name, or only began a sentence, is left to the reader of
the index, who knows how often the scope writes it in small letters.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from remembrancer.language.calendar import month_numbers, short_months, weekdays
from remembrancer.language.tables import word_list, words_by_language
from remembrancer.language.words import ENGLISH, common_words, language_of, stop_words

LONGEST_NAME: Final = 8
"""Words of the longest name."""
_MOST_NAMES: Final = 200
_LONGEST_TEXT: Final = 20_000
_MOST_WORDS: Final = 100
TITLE: Final = re.compile(r"\s*(?=\w)([^:\n.!?]{2,80}?)\s*(?:\(([^()\n]{1,40})\)\s*)?:\s")
"""The title of a note, before a colon; its second group is in brackets."""
SHORT_FORM: Final = re.compile(r"['’](?:m|s|t|d|ll|re|ve)$", re.IGNORECASE)
"""A short form of a verb, or a possessive, at the end of a word."""
_WORDS: Final = re.compile(r"[^\W_]+")
_INNER: Final = word_list("words", "inside_names")
_MAYBE_GERMAN: Final = re.compile(r"\b(?:der|die|das|und|ist|nicht|ich)\b")
_ADJECTIVE_ENDINGS: Final = ("e", "en", "er", "es", "em")
_OCCUPATION: Final = re.compile(
    r"(?:wissenschaftler|forscher|iker|loge|minister|präsident|kanzler|spieler|fußballer|sänger|künstler|maler|dichter"
    r"|schauspieler|schriftsteller|autor|regisseur|produzent|komponist|pianist|journalist|jurist|aktivist|direktor"
    r"|professor|architekt|ingenieur|offizier|trainer|unternehmer|gründer|händler|richter|lehrer|erfinder"
    r"|entdecker|könig|kaiser|bischof|papst)(?:in|en|s)?$",
    re.IGNORECASE,
)
_COUNTS_OR_COMPARES: Final = re.compile(
    r"\w{3,}ere[nrs]?|Einige|Mehrere|Viele|Wenige|Beide|Zwei|Drei|Vier|Fünf|Sechs|Sieben|Acht|Neun|Zehn|Elf|Zwölf"
)
_FULL_NAME: Final = 2
_BEFORE_NAMES: Final = word_list("words", "before_names")
_AND: Final = word_list("words", "between_names")
_DIVIDING: Final = words_by_language("words", "inside_names")["german"]
# Common words with which names of places begin.
_OF_PLACES: Final = word_list("words", "beginnings_of_places")
_OF_NOBLES: Final = frozenset(("von", "van", "zu", "de", "di", "da", "du"))
# Characters that are read before a name.
_BEFORE: Final = 30
_ARTICLES: Final = frozenset(("the", "a", "an", "der", "die", "das"))
_TITLE_WORDS: Final = 3
_MOST_CAPITALS: Final = 3
_TICKET: Final = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}")
_ACRONYM: Final = re.compile(r"[A-Z]{2,6}s?|[A-Za-z]+\d+\w*")
# What precedes the first word of a sentence, of a line, of a list item or of a quotation.
_BEGINS: Final = re.compile(r"(?:^|[.!?:;\n…])[\s\"“”„»'’(*•>\]#-]*$|[\"“„»(*•>#][ ]?$|(?:^|\n| )-[ ]$")
IDENTIFIER: Final = re.compile(
    r"(?<![\w@/.+-])(?:"
    r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|https?://[^\s<>\"'()\[\]{}|]{3,200}(?<![.,;:!?])"
    r"|~?/(?:[\w.-]+/)+[\w.-]*\w"
    r"|(?:[\w-]+\.){1,3}(?:com|org|net|edu|gov|io|dev|ai|app|de|eu|uk)(?:/[\w./-]*\w)?"
    r"|(?:~?/|\.{1,2}/)?(?:[\w.-]+/){1,12}[\w-][\w.-]*\.[A-Za-z]{1,6}"
    r"|[\w-]{1,60}\.(?:py|js|ts|tsx|md|toml|json|ya?ml|txt|csv|pdf|docx?|xlsx?|pptx?|png|jpe?g|sql|sh|html|css|go|rs|java|cpp|ipynb|log|cfg|ini|xml|zip)"
    # 17.786.419 is a number.
    r"|v\d+(?:\.\d+)+|(?!\d{1,3}(?:\.\d{3})+(?![\d.]))\d+\.\d+\.\d{1,3}(?![\d.]*\d)"
    r")(?![\w@/])"
)
"""An e-mail address, an address on the web, a path, the name of a file, or a version."""
_CAPITALS: Final = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
# A full stop ends a name, unless it is behind an initial or a title.
_ABBREVIATED: Final = rf"(?:[{_CAPITALS}]\.)+|(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\."
_CAPITALISED: Final = rf"(?:{_ABBREVIATED}|[{_CAPITALS}][^\W_]*(?:(?:['’-]|-[ ](?=[{_CAPITALS}]))[^\W_]+)*)"
_NEXT: Final = rf"(?:{_CAPITALISED}|\d[^\W_]*)"
NAME_PATTERN: Final = rf"(?<![\w'’-]){_CAPITALISED}(?:[ ](?:(?:{'|'.join(sorted(_INNER))})[ ]){{0,3}}{_NEXT})*"
"""The expression of one name."""
NAME_WORD: Final = rf"(?<![\w'’-]){_CAPITALISED}"
"""The expression of one capitalised word."""
_RUN: Final = re.compile(
    # No code: db.Column(x=False).
    rf"(?<![\w'’=-])(?<![a-z]\.){_CAPITALISED}"
    rf"(?:[ ](?:(?:{'|'.join(sorted(_INNER | _AND))})[ ]){{0,3}}{_NEXT})*(?!\w*\(\S)"
)


def names_in(text: str) -> dict[str, bool]:
    """Return the names in a text as they are compared, and whether the text shows that each is a name.

    It does not if a single word only begins a sentence, or is a capitalised German word, which may be any noun.
    Of `Chow Yun-fat and Cora Miao` both names and the whole are returned, since a title may be written so.
    """
    found: dict[str, bool] = {}
    for name, is_shown in _named(text[:_LONGEST_TEXT]):
        found[name] = found.get(name, False) or is_shown
        if len(found) == _MOST_NAMES:
            break
    return found


def names_of(text: str) -> list[str]:
    """Return the names in a text as they are compared, each once: words in small letters with single spaces."""
    return list(names_in(text))


def named(words: str) -> str:
    """Return a name as it is compared; an address, a path or a version stays as it is written, in small letters."""
    if identifier := IDENTIFIER.fullmatch(words.strip()):
        return _identified(identifier)
    return " ".join(_WORDS.findall(words.casefold()))


def is_identifier(name: str) -> bool:
    """Return whether a name is an address, a path or a version, which no other word equals."""
    return IDENTIFIER.fullmatch(name) is not None


def begins_no_name(word: str) -> bool:
    """Return whether a word begins no name, even inside a sentence."""
    return word.casefold() in _no_beginnings()


def is_office(name: str) -> bool:
    """Return whether a name is an office: `Duke of Lorraine`, `Chief Justice of India`."""
    words, of, _ = name.partition(" of ")
    return of != "" and is_role(words)


def is_role(name: str) -> bool:
    """Return whether a name consists of roles and letters behind a name: `Baronet`, `OBE`."""
    return bool(name) and all(word in word_list("words", "not_alone") for word in name.split())


def is_of_people(name: str) -> bool:
    """Return whether a name consists of adjectives of peoples, languages and faiths."""
    return bool(name) and all(word in word_list("words", "peoples") for word in name.split())


def is_small(word: str) -> bool:
    """Return whether a word only joins the words of a name."""
    return word in _INNER or word in _AND


def sides_of(name: str) -> list[str]:
    """Return the two names that "and" or a possessive joins in a name; none for other names."""
    words = name.split()
    for place, word in enumerate(words[1:-1], 1):
        if word in _AND or word == "s":
            return [" ".join(words[:place]), " ".join(words[place + 1 :])]
    return []


def runs_of(question: str) -> list[list[str]]:
    """Return every run of words of a question that may be a name, by its first word, the longest first.

    Of a long question the first hundred words are read.
    """
    words = _WORDS.findall(question.casefold())[:_MOST_WORDS]
    return [
        [" ".join(words[start:end]) for end in range(min(len(words), start + LONGEST_NAME), start, -1)]
        for start in range(len(words))
    ]


def _named(text: str) -> Iterator[tuple[str, bool]]:
    for identifier in IDENTIFIER.finditer(text):
        yield _identified(identifier), True
    text = IDENTIFIER.sub(lambda found: " " * len(found[0]), text)
    titles = list(dict.fromkeys(_titles(text)))
    yield from ((title, " " in title) for title in titles)
    is_german = _MAYBE_GERMAN.search(text) is not None and language_of(_WORDS.findall(text.casefold())) == "german"
    for found in _RUN.finditer(text):
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        begins = _BEGINS.search(before[-4:]) is not None
        if is_german:
            yield from _named_in_german(found[0].split(" "), before, begins=begins)
            continue
        words = _without_common(found[0].split(" "), begins=begins)
        is_shown = len(words) > 1 or not begins or _is_acronym(words)
        whole = next(_checked(words), "")
        names = [whole] if whole in titles else list(_with_sides(words))
        # Of Valentine's Day neither side is a name by it.
        yield from ((name, is_shown and (name == whole or " s " not in whole)) for name in names)


def _named_in_german(run: Sequence[str], before: str, *, begins: bool) -> Iterator[tuple[str, bool]]:
    """Yield the names in a German run, whose small words divide it: `Konzept der Primzahl` is no name.

    What an article or an adjective precedes is no name if it is one word, and otherwise perhaps.
    `Clara von der Tann` is undivided, and perhaps a name: any two words may be joined so.
    """
    preceding = before.rstrip(" ").rpartition(" ")[2]
    is_noun = preceding.islower() and _precedes_noun(preceding)
    parts: list[tuple[str, list[str]]] = [(preceding, list[str]())]
    for word in run:
        words = parts[-1][1]
        is_of_noble = not is_noun and (word in _OF_NOBLES or words[-1:] in (["von"], ["zu"]))
        if not words or is_of_noble or not (word in _DIVIDING or word in _AND):
            words.append(word)
        else:
            parts.append((word, list[str]()))
    for previous, part in parts:
        words = _without_common(part, begins=begins)
        # Der Chemiker James Dewar.
        if len(words) > _FULL_NAME and words == part and _precedes_noun(previous) and _OCCUPATION.search(words[0]):
            previous, part = "", words[1:]
            words = part
        # What was left out at the beginning of a sentence.
        last = part[-len(words) - 1] if 0 < len(words) < len(part) else previous
        is_noun = (last.islower() or last != previous) and _precedes_noun(last)
        if len(words) > 1 or not is_noun:
            # Niedrigere Dosen, einige Apotheken.
            is_noun |= begins and len(words) == _FULL_NAME and _COUNTS_OR_COMPARES.fullmatch(words[0]) is not None
            is_shown = _is_acronym(words) or (len(words) > 1 and not is_noun and not _OF_NOBLES & set(words))
            yield from ((name, is_shown) for name in _with_sides(words))


def _precedes_noun(word: str) -> bool:
    """Return whether a German word is an article or an adjective, and no small word in front of names."""
    small = word.casefold()
    return small not in _BEFORE_NAMES and (small in _no_names() or small.endswith(_ADJECTIVE_ENDINGS))


def _is_acronym(words: Sequence[str]) -> bool:
    return len(words) == 1 and _ACRONYM.fullmatch(words[0]) is not None


def _without_common(run: Sequence[str], *, begins: bool) -> list[str]:
    """Return a run without the common words at its beginning, which only begin a sentence."""
    words = list(run)
    if begins and is_common(words[0]) and not (words[1:] and words[0].casefold() in _OF_PLACES):
        words.pop(0)
    # In Ticket OPS-4711 the word is what it is.
    if begins and words[1:] and _TICKET.fullmatch(words[1]):
        words.pop(0)
    # Only the first word is written so by its place: How I Met Your Mother.
    while words and _begins_no_run(words[0], is_short=len(words) < _TITLE_WORDS):
        words.pop(0)
    # Miami and I.
    while words[-2:-1] and SHORT_FORM.sub("", words[-1]) == "I" and words[-2] in _AND:
        del words[-2:]
    # A full stop or a comma is missing, or a year follows what belongs to somebody.
    while words[1:] and (
        (words[-1].casefold() in _no_beginnings() and words[-1] != "I")
        or (words[-1].isdigit() and words[-2].endswith(("'s", "’s")))
    ):
        words.pop()
    # Statements of a database, and shouting.
    return [] if len(words) >= _MOST_CAPITALS and all(word.isupper() for word in words) else words


def _begins_no_run(word: str, *, is_short: bool) -> bool:
    """Return whether a word is left out at the beginning of a run; a title may begin with a common word."""
    small = word.casefold()
    is_left_out = word[0].isdigit() or word == small or SHORT_FORM.sub("", word) == "I"
    return is_left_out or small in _dates() or small in _ARTICLES or (is_short and small in _no_beginnings())


def _with_sides(words: Sequence[str]) -> Iterator[str]:
    """Yield a name, and what "and" or a possessive joins in it."""
    yield from _checked(words)
    for place, word in enumerate(words):
        if word in _AND:
            yield from _checked(words[:place])
            yield from _checked(words[place + 1 :])
        elif place < len(words) - 1 and word.endswith(("'s", "’s")):
            yield from _checked(words[: place + 1])
            yield from _checked(words[place + 1 :])


def _titles(text: str) -> Iterator[str]:
    """Yield the title of a note, as written, and without what follows a comma or is in brackets."""
    if title := TITLE.match(text):
        for part in (f"{title[1]} {title[2] or ''}", title[1], title[1].partition(",")[0]):
            words = _WORDS.findall(part)
            large = [word for word in words if not is_common(word) and not is_small(word)]
            is_title = sum(not word[0].islower() for word in large) >= len(large) / 2
            if words and is_title and len(words) <= LONGEST_NAME and words[0][0].isupper():
                yield from _checked(words)


def _identified(found: re.Match[str]) -> str:
    return found[0].casefold().partition("://")[2].rstrip("/") or found[0].casefold()


def _checked(words: Sequence[str]) -> Iterator[str]:
    name = " ".join(_WORDS.findall(SHORT_FORM.sub("", " ".join(words[:LONGEST_NAME])).casefold()))
    parts = name.split()
    if len(name) > 1 and not all(part.isdigit() or part in _no_parts() for part in parts):
        yield name


def is_common(word: str) -> bool:
    """Return whether a word is too common to begin a name."""
    small = word.casefold()
    return small in _no_names() or SHORT_FORM.sub("", small) in _no_names()


@cache
def _no_beginnings() -> frozenset[str]:
    """Return the words that begin no name inside a sentence."""
    return stop_words()[ENGLISH] | stop_words()["german"] | word_list("words", "no_names") | _dates()


@cache
def _no_parts() -> frozenset[str]:
    """Return the words of which alone no name consists."""
    return _no_names() | word_list("words", "not_alone") | word_list("words", "peoples") | _INNER | _AND


@cache
def _no_names() -> frozenset[str]:
    """Return the words that are no name by themselves: the commonest ones, articles, months and weekdays.

    The commonest words of other languages are names in English: Ed, Al, Di.
    """
    common = stop_words()[ENGLISH] | stop_words()["german"] | word_list("words", "articles")
    talk = common_words()[ENGLISH] | common_words()["german"]
    return common | talk | word_list("words", "no_names") | _dates()


@cache
def _dates() -> frozenset[str]:
    days = frozenset(weekdays())
    return frozenset(month_numbers()) | frozenset(short_months()) | days | {f"{day}s" for day in days}
