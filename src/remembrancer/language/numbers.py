"""Numbers in words."""

from typing import Final

from remembrancer.language.spelling import folded, spellings

_UNITS: Final = {
    "english": """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen
    """,
    "german": """
        null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
        achtzehn neunzehn
    """,
    "spanish": """
        cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
        dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete
        veintiocho veintinueve
    """,
    "french": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "italian": """
        zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
        diciassette diciotto diciannove
    """,
}
_TENS: Final = {
    "english": "twenty thirty forty fifty sixty seventy eighty ninety",
    "german": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "spanish": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "french": "vingt trente quarante cinquante soixante septante huitante nonante",
    "italian": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
_LARGE: Final = {
    "english": {"hundred": 100, "hundreds": 100, "thousand": 1000, "million": 10**6, "millions": 10**6},
    "german": {"hundert": 100, "tausend": 1000, "million": 10**6, "millionen": 10**6},
    "spanish": {
        "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500,
        "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900, "mil": 1000, "millon": 10**6,
        "millones": 10**6,
    },
    "french": {"cent": 100, "cents": 100, "vingts": 20, "mille": 1000, "million": 10**6, "millions": 10**6},
    "italian": {"cento": 100, "mille": 1000, "mila": 1000, "milione": 10**6, "milioni": 10**6},
}  # fmt: skip
# What stands for one before a noun is an article as often as a number.
_ARTICLES: Final = "a an one ein eine einer einem einen un una une uno"


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


def _number_words(language: str) -> dict[str, int]:
    units = {folded(word): value for value, word in enumerate(_UNITS[language].split())}
    tens = {folded(word): 20 + 10 * step for step, word in enumerate(_TENS[language].split())}
    base = {**units, **tens}
    if language == "german":
        base |= _german_compounds(base)
    elif language == "italian":
        base |= _italian_compounds(base)
    plain = {word: value for word, value in base.items() if value != 1}
    return plain | _LARGE[language]


NUMBER_WORDS: Final = {language: _number_words(language) for language in _UNITS}
"""By language: what one word counts, by the word folded. One is left out, since it is an article too."""

NUMBERS: Final = {word: number for words in NUMBER_WORDS.values() for word, number in words.items()}
"""What one word of any of the languages counts."""

COUNTS: Final = {
    **dict.fromkeys(_ARTICLES.split(), 1),
    **{
        spelt: number
        for words in _UNITS.values()
        for number, word in enumerate(words.split()[2:13], 2)
        for spelt in spellings(word)
    },
}
"""What stands before a noun in any language and counts one to twelve of it, by the word in lower case."""
