"""The analyser that cuts texts and questions into terms, the same for every store.

Words are folded and stemmed in the language of their text; scripts without spaces are cut into pairs of characters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version

from remembrancer.language.spelling import UNSPACED, bare
from remembrancer.language.stems import stem
from remembrancer.language.tables import LANGUAGES
from remembrancer.language.words import ENGLISH, language_of, stop_words
from remembrancer.types.index import Terms

# Raise it when terms change; stores then rebuild their index.
_VERSION = 9
_TOKEN = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
# Small letters and digits unchanged, capitals lowered, a blank for all else: a pattern would be three times as slow.
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
# Looking ahead for a mark spares trying every shorter beginning of each common word.
_MARKED = re.compile(r"[./:@#_+-](?<=\w[./:@#_+-])[./:@#_+-]*+\w|_")
_IDENTIFIER = re.compile(r"(?<!\w)(?=\w[^\W_]*+[./:@#_+-])\w+(?:[./:@#_+-]+\w+)+")
_UNSPACED_TEXT = re.compile(rf"[{UNSPACED}]")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
# Symbols and pictures, each a term of its own; what only changes the one before it apart.
_SIGN = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff]")
# Particles and question words of Chinese and Japanese, which are in most sentences.
_PARTICLES = frozenset(
    "的是了在有和我你您他她它们吗呢吧啊什么谁哪里怎样多少几时候为何这那个会能要不也都就はがをにのでとかもへやねよです"
)
_LONGEST_TERM = 64
# A name in code is cut before a capital that follows a small letter or begins a word: HTTPServer, getUserById.
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")
_HUMP = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|[A-Z][a-z])")
# Each letter and digit by its kind: what `_HUMP` finds, for a fifth of the time.
_KINDS = {
    code: "A" if chr(code).isupper() else "a" if chr(code).islower() else "0" if chr(code).isdigit() else " "
    for code in range(128)
}
_HUMPED = re.compile(r"(?<![^\W_])(?=[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]))[A-Za-z0-9]{3,}(?![^\W_])")
_CAPITALS = re.compile(r"(?<![^\W_])[A-Z][A-Z0-9]{2,}(?![^\W_])")
LEAST_PART = 3
# The term of a text that states a preference or an instruction; no word is written like it.
PREFERENCE_TERM = "§1"
# The term of a text that a brief may include: instructions, who a person is, open items, and withdrawals of these.
STATED_TERM = "§2"
# The term of a text that states a relation of two named things.
RELATION_TERM = "§3"
# How the term of a name begins, that of a word which a text shows to be a part of a name, and that of a word which may
# be a name or any word that begins a sentence.
_NAME = "§n:"
_PART = "§p:"
_NAMES = re.compile(r"§n:(\S+)")
_MAYBE = "§m:"
# How the term of a name begins that a text states to be the same as another, or not.
_ALIAS = "§a:"
# How the term begins of a name with accents, spelt without them.
_SPELLING = "§b:"
# The types of observation with this term.
PREFERENCE_TYPES = frozenset({"preference", "profile"})


def analyser() -> str:
    """Return the version of the analyser and of the installed stemmer. Reads from disk."""
    return f"{_VERSION}, snowballstemmer {version('snowballstemmer')}"


def terms_of(text: str, *, labels: Iterable[str] = ()) -> Terms:
    """Return the terms of a text for the index. Its length counts the words that are not stop words.

    Args:
        labels: further words to find it by, such as tags. A word that is not in the text counts once and adds nothing
            to the length, so that a labelled text does not rank lower.
    """
    words = Counter(words_of(text))
    language, pairs = language_of(words), _pairs(text)
    # A `Counter` makes each new entry by a call.
    counts: dict[str, int] = {}
    for word, count in words.items():
        term = stem_of(word, language)
        counts[term] = counts.get(term, 0) + count
    for term in (*pairs, *_identifiers(text), *(() if text.isascii() else _SIGN.findall(text))):
        counts[term] = counts.get(term, 0) + 1
    bared = () if text.isascii() else _unaccented(words)
    for term in (*bared, *_in_names(text), *_of_labels(labels, language)):
        counts.setdefault(term, 1)
    length = sum(words.values()) - sum(words[word] for word in words.keys() & stop_words()[language])
    return Terms(counts=counts, length=max(1, length + len(pairs)))


def name_term(name: str) -> str:
    """Return the term of a name in the index, which no word equals.

    Args:
        name: as `names.named` returns it.
    """
    return _NAME + name.replace(" ", "·")


def name_part_term(word: str) -> str:
    """Return the term of a word that is a part of a name in a text."""
    return _PART + word


def alias_term(name: str) -> str:
    """Return the term of a name that a text states to be the same as another, or another than it."""
    return _ALIAS + name.replace(" ", "·")


def spelling_term(spelling: str) -> str:
    """Return the term of a name with accents that the index has for a spelling without them."""
    return _SPELLING + spelling.replace(" ", "·")


def maybe_name_term(word: str) -> str:
    """Return the term of a word that may be a name in a text, or only begins a sentence."""
    return _MAYBE + word


def name_pattern(part: str) -> str:
    """Return the `LIKE` pattern, with the escape `!`, of the terms of names that contain a text."""
    escaped = part.replace(" ", "·").replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"{_NAME}%{escaped}%"


def names_among(terms: str) -> list[str]:
    """Return the names among the terms of a document, as the index has them on one line."""
    return [name.replace("·", " ") for name in _NAMES.findall(terms)]


def slots_of(question: str) -> tuple[tuple[str, ...], ...]:
    """Return the slots of a question: for each word the forms that it may have in the index.

    Stop words are left out unless there is nothing else. Each word has the form of the question's language and of
    English, and of every language if the question's is not known.
    """
    every = words_of(question)
    languages = _languages_of(every)
    words = list(dict.fromkeys(every))
    wanted = [word for word in words if word not in stop_words()[languages[0]] and word not in stop_words()[ENGLISH]]
    pairs = list(dict.fromkeys(_pairs(question)))
    slots = [_forms(word, languages) for word in wanted]
    slots += [(pair,) for pair in [pair for pair in pairs if not _PARTICLES.issuperset(pair)] or pairs]
    slots += [(name,) for name in dict.fromkeys(_identifiers(question))]
    slots += [(sign,) for sign in dict.fromkeys(_SIGN.findall(question))]
    return tuple(dict.fromkeys(slots)) or tuple(_forms(word, languages) for word in words)


def parts_of(question: str) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return, for each slot of a question, the parts that are searched inside other words if no memory has the word.

    The minimum is three characters, and one in scripts without spaces, whose index has pairs of characters.
    """
    parts: dict[tuple[str, ...], tuple[str, ...]] = {}
    words = words_of(question)
    languages = _languages_of(words)
    for word in words:
        forms = _forms(word, languages)
        parts[forms] = tuple(part for part in dict.fromkeys((bare(word), *forms)) if len(part) >= LEAST_PART)
    parts |= {(name,): (name,) for name in _identifiers(question)}
    parts |= {(pair,): (pair,) for pair in _pairs(question) if len(pair) == 1}
    return {slot: parts[slot] for slot in slots_of(question) if parts.get(slot)}


def names_of_code(question: str) -> frozenset[tuple[str, ...]]:
    """Return the slots of a question that look like names in code: a capital inside, or all capitals."""
    words = words_of(question)
    languages = _languages_of(words)
    written = {word for pattern in (_HUMPED, _CAPITALS) for word in pattern.findall(question)}
    if question.isupper():
        return frozenset()
    names = {word.casefold() for word in written}
    return frozenset(_forms(word, languages) for word in words if word in names)


def share_of(slots: Sequence[tuple[str, ...]], text: str) -> float:
    """Return the share of a question's slots that a text has, each counting alike; in [0, 1]."""
    counts = terms_of(text).counts
    return sum(any(form in counts for form in slot) for slot in slots) / len(slots) if slots else 0.0


def is_unspaced(text: str) -> bool:
    """Return whether a text is in a script that is written without spaces."""
    return bool(_UNSPACED_TEXT.search(text))


def names_in(text: str) -> frozenset[str]:
    """Return the words of a text, folded: for asking whether a speaker is named in it."""
    return frozenset(bare(word) for word in words_of(text))


def words_of(text: str) -> list[str]:
    """Return the words of a text, in small letters."""
    if text.isascii():
        words = text.translate(_ASCII_WORDS).split()
        return (
            words if len(max(words, key=len, default="")) <= _LONGEST_TERM else [word[:_LONGEST_TERM] for word in words]
        )
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return [word[:_LONGEST_TERM] for word in _TOKEN.findall(folded) if not _UNSPACED_TEXT.match(word)]


def _languages_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the languages in whose forms a question's words are looked for: its own first."""
    language = language_of(words)
    shown = any(word in stop_words()[language] for word in words)
    return tuple(dict.fromkeys((language, ENGLISH) if shown else (language, ENGLISH, *LANGUAGES)))


def _forms(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem_of(word, language) for language in languages))


def _unaccented(words: Iterable[str]) -> list[str]:
    """Return the stems of accented words, typed without accents."""
    return [stem_of(bare(word), ENGLISH) for word in words if not word.isascii() and bare(word) != word]


@lru_cache(maxsize=200_000)
def stem_of(word: str, language: str) -> str:
    """Return the stem of a word in a language of ours, without accents."""
    # English writes accents at will; other languages' stemmers need them to know an ending.
    return bare(stem(bare(word) if language == ENGLISH else word, language))


def _pairs(text: str) -> list[str]:
    """Return the overlapping pairs of characters of each run without spaces, or its only character."""
    if text.isascii():
        return []
    runs = _UNSPACED_RUN.findall(unicodedata.normalize("NFKC", text))
    return [run[start : start + 2] for run in runs for start in range(max(1, len(run) - 1))]


def _in_names(text: str) -> list[str]:
    """Return the English words inside names of code: `getUserById` is found by `user`."""
    if not _has_hump(text):
        return []
    found = (_HUMPS.findall(name) for name in _HUMPED.findall(text))
    return [stem_of(part.casefold(), ENGLISH) for parts in found for part in parts if len(part) >= LEAST_PART]


def _has_hump(text: str) -> bool:
    if not text.isascii():
        return _HUMP.search(text) is not None
    kinds = text.translate(_KINDS)
    return "aA" in kinds or "0A" in kinds or "AAa" in kinds


def _of_labels(labels: Iterable[str], language: str) -> list[str]:
    """Return the terms of labels, which may be in the language of their text, or in English."""
    text = "\n".join(labels)
    if not text:
        return []
    forms = [form for word in words_of(text) for form in _forms(word, (language, ENGLISH))]
    return [*forms, *_pairs(text), *_identifiers(text), *_in_names(text)]


def _identifiers(text: str) -> list[str]:
    """Paths, addresses, versions and names of code, whole: they are asked for exactly."""
    if _MARKED.search(text) is None:
        return []
    found = (match.casefold()[:_LONGEST_TERM] for match in _IDENTIFIER.findall(text))
    return [name for name in found if any(mark in name for mark in "._@/:#") or any(map(str.isdigit, name))]
