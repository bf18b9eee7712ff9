"""A sentence without what says nothing: openers, padding, hedges, asides of common words; it stays a sentence."""

import re
from functools import lru_cache

from remembrancer.engines.observing.terms import tells, terms
from remembrancer.engines.observing.words import (
    BINDING,
    HEDGES,
    OPENERS,
    OPENERS_BEFORE_A_COMMA,
    PADDING,
    SUBJECTS,
    SUBORDINATORS,
)

ENDS = ".!?…。！？"
_LETTER = re.compile(r"[^\W_]")
_PICTURES = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
# No name of code, product or site, which keep their small letter.
_PLAIN_WORD = re.compile(r"[^\W\d_A-Z]+(?:['’][a-z]+)?(?=[\s,.!?;:]|$)")
_NEGATED = re.compile(r"(?:\b(?:not|nicht|no|non|pas|kein\w*)|n't)$", re.IGNORECASE)


@lru_cache(maxsize=16)
def _opener(tongue: str) -> re.Pattern[str]:
    free, bound = _any_of(OPENERS[tongue]), _any_of(OPENERS_BEFORE_A_COMMA[tongue])
    return re.compile(rf"(?:(?:{free})(?![\w'’-])[\s,!.…:–—-]*|(?:{bound})\s*[,!.…:–—-]+\s*)", re.IGNORECASE)


@lru_cache(maxsize=16)
def _padding(tongue: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\s)(?:{_any_of(PADDING[tongue])})(?=[\s,.!?;])", re.IGNORECASE)


@lru_cache(maxsize=16)
def _hedge(tongue: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:{_any_of(HEDGES[tongue])})\s+(?={_any_of(tuple(sorted(SUBJECTS[tongue])))}\b)", re.IGNORECASE
    )


def _any_of(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase) for phrase in phrases)


def tightened(sentence: str, tongue: str, names: frozenset[str]) -> str:
    """The sentence without filler, ending as a sentence ends; `""` where nothing is left of it.

    Args:
        sentence: one sentence or clause, its spaces evened out.
        tongue: its language.
        names: those who speak, folded: whom it calls by name is left out at its ends.
    """
    if not _LETTER.search(sentence):
        return ""
    text = " ".join(_PICTURES.sub(" ", sentence).split())
    text = _without_openers(text, tongue, names)
    text = _without_padding(text, tongue)
    return _finished(_without_asides(text, tongue, names))


def _without_openers(text: str, tongue: str, names: frozenset[str]) -> str:
    before = None
    while text and text != before:
        before = text
        if opener := _opener(tongue).match(text):
            text = text[opener.end() :]
        if hedge := _hedge(tongue).match(text):
            text = text[hedge.end() :]
        head, mark, rest = text.partition(",") if "," in text[:24] else text.partition("!")
        if mark and rest.strip() and head.strip().casefold() in names:
            text = rest.lstrip(" ,!.")
    return text


def _without_padding(text: str, tongue: str) -> str:
    kept: list[str] = []
    start = 0
    for found in _padding(tongue).finditer(text):
        if _NEGATED.search(text[max(0, found.start() - 8) : found.start()].rstrip()):
            continue
        kept.append(text[start : found.start()].rstrip())
        start = found.end()
    return "".join([*kept, text[start:]]) if kept else text


def _without_asides(text: str, tongue: str, names: frozenset[str]) -> str:
    """Without the parts between commas that say nothing, at the beginning and at the end."""
    body = text.rstrip(ENDS + " ")
    end = text[len(body) :]
    parts = body.split(", ")
    while len(parts) > 1 and _says_nothing(parts[-1], tongue, names) and not _opens_list(parts):
        parts.pop()
    while len(parts) > 1 and _says_nothing(parts[0], tongue, names) and _begins_clause(parts[1], tongue):
        parts.pop(0)
    return ", ".join(parts) + end


def _opens_list(parts: list[str]) -> bool:
    """Whether the last part may be the end of a list: "red, green and nice"."""
    return len(parts) > 2 and len(parts[-2].split()) < 3


def _begins_clause(part: str, tongue: str) -> bool:
    return part.split(" ", 1)[0].casefold() in SUBJECTS[tongue]


def _says_nothing(part: str, tongue: str, names: frozenset[str]) -> bool:
    words = part.casefold().split()
    if not words or not BINDING.isdisjoint(words) or words[0] in SUBORDINATORS:
        return not words
    if part.strip(ENDS + " ").casefold() in names:
        return True
    return not tells(terms(part, tongue))


def _finished(text: str) -> str:
    text = text.strip(" ,;:–—-")
    if not any(character.isalnum() for character in text):
        return ""
    if _PLAIN_WORD.match(text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ENDS + "\"'”»)`" else f"{text}."
