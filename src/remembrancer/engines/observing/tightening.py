"""A sentence without greetings, interjections and pictures at its edges; every word that tells something stays."""

import re
from functools import lru_cache

from remembrancer.engines.observing.words import OPENERS, OPENERS_BEFORE_A_COMMA

ENDS = ".!?…。！？"
_LETTER = re.compile(r"[^\W_]")
_PICTURES = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
# No name of code, product or site, which keep their small letter.
_PLAIN_WORD = re.compile(r"[^\W\d_A-Z]+(?:['’][a-z]+)?(?=[\s,.!?;:]|$)")


@lru_cache(maxsize=16)
def _opener(tongue: str) -> re.Pattern[str]:
    free, bound = _any_of(OPENERS[tongue]), _any_of(OPENERS_BEFORE_A_COMMA[tongue])
    return re.compile(rf"(?:(?:{free})(?![\w'’-])[\s,!.…:–—-]*|(?:{bound})\s*[,!.…:–—-]+\s*)", re.IGNORECASE)


def _any_of(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase) for phrase in phrases)


def tightened(sentence: str, tongue: str) -> str:
    """The sentence without how it opens, ending as a sentence ends; `""` where nothing is left of it.

    Hedges, conditions, negations, whom it calls by name, and all else that bounds what is said stay as they are.

    Args:
        sentence: one sentence, its spaces evened out.
        tongue: its language.
    """
    if not _LETTER.search(sentence):
        return ""
    return _finished(_without_openers(" ".join(_PICTURES.sub(" ", sentence).split()), tongue))


def _without_openers(text: str, tongue: str) -> str:
    before = None
    while text and text != before:
        before = text
        if opener := _opener(tongue).match(text):
            text = text[opener.end() :]
    return text


def _finished(text: str) -> str:
    text = text.strip(" ,;:–—-")
    if not any(character.isalnum() for character in text):
        return ""
    if _PLAIN_WORD.match(text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ENDS + "\"'”»)`" else f"{text}."
