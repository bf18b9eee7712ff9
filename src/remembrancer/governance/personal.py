"""Personal data that can be told by its form and its check digits: card numbers, IBANs, US social security numbers.

It is not taken out: a memory is told to hold it, so that whoever reads or exports it can decide.
"""

import re
from typing import Final

from remembrancer.language.lookalikes import plain

CARD, IBAN, SSN = "card", "iban", "ssn"
# Who issues cards begins their numbers so, and makes them so long.
_CARD: Final = re.compile(
    r"(?<![\w.-])(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|3[47]\d\d|3[0689]\d\d|6\d{3})[ -]?(?:\d[ -]?){8,14}\d(?![\w-])"
)
_CARD_LENGTHS: Final = {"3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "2": (16,), "6": (16, 17, 18, 19)}
_IBAN: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20,
}  # fmt: skip
_SSN: Final = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])")
_SSN_BARE: Final = re.compile(
    r"(?i:\bssn\b|social security)[^\d\n]{0,24}(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}(?!\d)"
)
# No number of these is shorter: most texts hold nothing of the kind, and looking for it costs a twentieth of the rest.
_LONG: Final = re.compile(r"\d(?:[ -]?[0-9A-Z]){8}")


def personal_data(text: str) -> frozenset[str]:
    """The kinds of personal data in a text."""
    looks = plain(text).text
    if _LONG.search(looks) is None:
        return frozenset()
    found = {CARD: _has_card(looks), IBAN: _has_iban(looks), SSN: bool(_SSN.search(looks) or _SSN_BARE.search(looks))}
    return frozenset(kind for kind, there in found.items() if there)


def _has_card(text: str) -> bool:
    numbers = (re.sub("[ -]", "", match[0]) for match in _CARD.finditer(text))
    return any(len(number) in _CARD_LENGTHS[number[0]] and _is_luhn(number) for number in numbers)


def _is_luhn(number: str) -> bool:
    """Whether every second digit from the right, doubled, and the others add up to tens."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0 and len(set(number)) > 1


def _has_iban(text: str) -> bool:
    return any(_is_iban(re.sub("[ -]", "", match[0])) for match in _IBAN.finditer(text))


def _is_iban(number: str) -> bool:
    """Whether it is as long as its country's are, and leaves 1 when it is divided by 97, its head put last."""
    if _IBAN_LENGTHS.get(number[:2]) != len(number):
        return False
    return int("".join(str(int(character, 36)) for character in number[4:] + number[:4])) % 97 == 1
