"""Numbers in words."""

from collections.abc import Mapping
from functools import cache

from remembrancer.language.spelling import folded, spellings
from remembrancer.language.tables import LANGUAGES, table


@cache
def number_words() -> Mapping[str, Mapping[str, int]]:
    """Return what one word counts, by language and by the word folded; without one, which is an article too."""
    return {language: _number_words(language) for language in LANGUAGES}


@cache
def numbers() -> Mapping[str, int]:
    """Return what one word of any language counts, by the word folded."""
    return {word: number for words in number_words().values() for word, number in words.items()}


@cache
def counts() -> Mapping[str, int]:
    """Return what one word before a noun counts, one to twelve, by the word in lower case."""
    names = table("numbers")
    return {
        **dict.fromkeys(names["articles"].split(), 1),
        **{
            spelt: number
            for words in names["units"].values()
            for number, word in enumerate(words.split()[2:13], 2)
            for spelt in spellings(word)
        },
    }


def _number_words(language: str) -> dict[str, int]:
    names = table("numbers")
    units = {folded(word): value for value, word in enumerate(names["units"][language].split())}
    tens = {folded(word): 20 + 10 * step for step, word in enumerate(names["tens"][language].split())}
    base = {**units, **tens}
    if language == "german":
        base |= _german_compounds(base)
    elif language == "italian":
        base |= _italian_compounds(base)
    plain = {word: value for word, value in base.items() if value != 1}
    large: Mapping[str, int] = names["large"][language]
    return {**plain, **large}


def _german_compounds(base: dict[str, int]) -> dict[str, int]:
    units = {**{word: value for word, value in base.items() if 2 <= value <= 9}, "ein": 1}
    tens = {word: value for word, value in base.items() if 20 <= value <= 90}
    small = {f"{unit}und{ten}": u + t for unit, u in units.items() for ten, t in tens.items()}
    below = {**base, **small}
    hundreds = {f"{unit}hundert": 100 * value for unit, value in units.items()}
    rest = {h + word: value + v for h, value in hundreds.items() for word, v in below.items() if 0 < v < 100}
    thousands = {f"{word}tausend": 1000 * v for word, v in {**below, **units}.items() if v}
    return {**small, **hundreds, **rest, **thousands}


def _italian_compounds(base: dict[str, int]) -> dict[str, int]:
    units = {word: value for word, value in base.items() if 1 <= value <= 9}
    tens = {word: value for word, value in base.items() if 20 <= value <= 90}
    small = {
        (ten[:-1] if unit[0] in "uo" else ten) + unit: t + u for ten, t in tens.items() for unit, u in units.items()
    }
    below = {**base, **small}
    hundreds = {f"{unit}cento": 100 * value for unit, value in units.items() if value > 1}
    rest = {
        h + w: value + v for h, value in {**hundreds, "cento": 100}.items() for w, v in below.items() if 0 < v < 100
    }
    thousands = {f"{word}mila": 1000 * v for word, v in below.items() if v > 1}
    return {**small, **hundreds, **rest, **thousands}
