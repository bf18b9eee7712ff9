"""Check digits, from their public definitions, and whether a run of letters and digits is right for any kind."""

import re
import string
from collections.abc import Callable, Iterator, Sequence

LETTERS = string.ascii_uppercase
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_PPS = "WABCDEFGHIJKLMNOPQRSTUV"
_ODD_DIGIT = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_LETTER = (*_ODD_DIGIT, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_RIB = str.maketrans(LETTERS, "12345678912345678923456789")
_CARD = re.compile(
    "4([0-9]{12}|[0-9]{15}|[0-9]{18})|(5[0-8]|6[0-9])[0-9]{10,17}|2[2-7][0-9]{14}|3[47][0-9]{13}|3[0689][0-9]{12}"
    "|35[0-9]{14}"
)
_IBAN_LENGTHS = {"DE": 22, "AT": 20, "CH": 21, "ES": 24, "FR": 27, "IT": 27, "GB": 22, "NL": 18, "BE": 16}


def weighted(digits: str, weights: Sequence[int]) -> int:
    """The sum of the digits, each times its weight."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def luhn_digit(body: str) -> str:
    """The digit that makes `body` right by Luhn: every second one doubled, from the right."""
    doubled = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(body))]
    return str(-sum(one - 9 if one > 9 else one for one in doubled) % 10)


def ean_digit(body: str) -> str:
    """The thirteenth digit of a European article number."""
    return str(-weighted(body, (1, 3) * 6) % 10)


def isbn10_digit(body: str) -> str:
    """The tenth place of an old book number; ten is written X."""
    rest = -weighted(body, range(10, 1, -1)) % 11
    return "X" if rest == 10 else str(rest)


def issn_digit(body: str) -> str:
    """The eighth place of the number of a periodical; ten is written X."""
    rest = -weighted(body, range(8, 1, -1)) % 11
    return "X" if rest == 10 else str(rest)


def s10_digit(body: str) -> str:
    """The ninth digit of the number of a registered letter."""
    rest = 11 - weighted(body, (8, 6, 4, 2, 3, 5, 9, 7)) % 11
    return {10: "0", 11: "5"}.get(rest, str(rest))


def iban_digits(country: str, account: str) -> str:
    """The two digits behind the country: ISO 7064 mod 97,10 over the account, the country and two zeros."""
    number = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    return f"{98 - int(number) % 97:02}"


def ccc_digits(bank_and_branch: str, account: str) -> str:
    """The two Spanish digits between branch and account."""
    weights = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)
    rests = [11 - weighted(part, weights) % 11 for part in (f"00{bank_and_branch}", account)]
    return "".join({10: "1", 11: "0"}.get(rest, str(rest)) for rest in rests)


def rib_key(bank: str, branch: str, account: str) -> str:
    """The two French digits at the end of an account; letters count as the digits they share a key with."""
    return f"{97 - (89 * int(bank) + 15 * int(branch) + 3 * int(account.translate(_RIB))) % 97:02}"


def italian_letter(body: str) -> str:
    """The Italian check letter, of a codice fiscale and of an account: odd places by a table, even by their value."""
    total = 0
    for place, one in enumerate(body, start=1):
        value = int(one) if one.isdigit() else LETTERS.index(one)
        table = _ODD_DIGIT if one.isdigit() else _ODD_LETTER
        total += table[value] if place % 2 else value
    return LETTERS[total % 26]


def belgian_digits(body: str) -> str:
    """The last two digits of a Belgian account."""
    return f"{int(body) % 97 or 97:02}"


def nhs_digit(body: str) -> str | None:
    """The tenth digit of an NHS number; none where it would be ten."""
    rest = 11 - weighted(body, range(10, 1, -1)) % 11
    return None if rest == 10 else str(rest % 11)


def pps_letter(body: str, second: str = "") -> str:
    """The letter behind the seven digits of an Irish number; a second letter but W counts nine times its place."""
    more = 0 if second in ("", "W") else 9 * (LETTERS.index(second) + 1)
    return _PPS[(weighted(body, range(8, 1, -1)) + more) % 23]


def tax_digit(body: str) -> str:
    """The eleventh digit of a German tax number: ISO 7064 mod 11,10."""
    product = 10
    for digit in body:
        product = ((product + int(digit)) % 10 or 10) * 2 % 11
    return str((11 - product) % 10)


def austrian_digit(serial: str, born: str) -> str | None:
    """The fourth digit of an Austrian social insurance number; none where it would be ten."""
    rest = weighted(serial + born, (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11
    return None if rest == 10 else str(rest)


def dni_letter(body: str) -> str:
    """The letter of a Spanish number of citizens, and of foreigners with X, Y and Z for 0, 1 and 2."""
    return _DNI[int(body.translate(str.maketrans("XYZ", "012"))) % 23]


def nir_key(body: str) -> str:
    """The two digits behind a French social security number; Corsica counts as 19 and 18."""
    return f"{97 - int(body.replace('2A', '19').replace('2B', '18')) % 97:02}"


def is_eleven(digits: str) -> bool:
    """Whether nine digits pass the Dutch test, in which the last counts against the rest."""
    return weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and int(digits) > 0


def is_tax_shape(body: str) -> bool:
    """Whether of ten digits one comes twice or three times, not three in a row, and every other at most once."""
    counts = sorted(body.count(digit) for digit in set(body))
    in_a_row = any(body[at] * 3 == body[at : at + 3] for at in range(8))
    return body[0] != "0" and counts[-1] in (2, 3) and counts[-2] == 1 and not in_a_row


def is_card(text: str) -> bool:
    """Whether it is right by Luhn, begins as a card of a usual brand and is as long as one."""
    return bool(_CARD.fullmatch(text)) and luhn_digit(text[:-1]) == text[-1]


def is_iban(text: str) -> bool:
    """Whether it has a country that is known here, its length and its check digits."""
    shaped = re.fullmatch("[A-Z]{2}[0-9]{2}[0-9A-Z]+", text)
    return bool(shaped) and _IBAN_LENGTHS.get(text[:2]) == len(text) and iban_digits(text[:2], text[4:]) == text[2:4]


def _is_ssn(text: str) -> bool:
    return bool(re.fullmatch("(?!000|666)[0-9]{3}(?!00)[0-9]{2}(?!0000)[0-9]{4}", text))


def _is_nino(text: str) -> bool:
    return bool(re.fullmatch("(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]", text))


def _is_codice(text: str) -> bool:
    shaped = re.fullmatch("[A-Z]{6}[0-9L-V]{2}[A-EHLMPRST][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]", text)
    return bool(shaped) and italian_letter(text[:-1]) == text[-1]


def _of_digits(count: int, right: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: len(text) == count and text.isdigit() and right(text)


def _of_shape(shape: str, right: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: bool(re.fullmatch(shape, text)) and right(text)


CHECKED: dict[str, Callable[[str], bool]] = {
    "card": is_card,
    "iban": is_iban,
    "nhs": _of_digits(10, lambda text: nhs_digit(text[:9]) == text[9]),
    "sin": _of_digits(9, lambda text: luhn_digit(text[:8]) == text[8]),
    "bsn": _of_digits(9, is_eleven),
    "tax": _of_digits(11, lambda text: is_tax_shape(text[:10]) and tax_digit(text[:10]) == text[10]),
    "svnr": _of_digits(10, lambda text: austrian_digit(text[:3], text[4:]) == text[3]),
    "ahv": _of_digits(13, lambda text: text.startswith("756") and ean_digit(text[:12]) == text[12]),
    "nir": _of_shape("[0-9]{5}(?:[0-9]{2}|2[AB])[0-9]{8}", lambda text: nir_key(text[:13]) == text[13:]),
    "dni": _of_shape("[XYZ0-9][0-9]{7}[A-Z]", lambda text: dni_letter(text[:8]) == text[8]),
    "pps": _of_shape("[0-9]{7}[A-W][A-IW]?", lambda text: pps_letter(text[:7], text[8:]) == text[7]),
    "codice": _is_codice,
    "nino": _is_nino,
}


_NAMED = ("nhs", "sin", "bsn", "svnr")
_NAMED_FORMS = re.compile(
    r"(?<!\w)(?=([0-9]{9,10}|[0-9]{3}[ -][0-9]{3}[ -][0-9]{3,4}"
    r"|[0-9]{4}[ .][0-9]{2}[ .][0-9]{3}|[0-9]{4} [0-9]{6})(?!\w))"
)


def right_for(text: str) -> set[str]:
    """The kinds that some part of a text would be right for.

    What is told by its name alone counts in its usual groupings; every tenth of all numbers is right for one of those.
    """
    found = {sort for run in _runs(text) for sort, right in CHECKED.items() if sort not in _NAMED and right(run)}
    named = [re.sub("[^0-9]", "", one) for one in _NAMED_FORMS.findall(text)]
    found |= {sort for sort in _NAMED for one in named if CHECKED[sort](one)}
    if any(_is_ssn(one.replace("-", "")) for one in re.findall(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])", text)):
        found.add("ssn")
    return found


def _runs(text: str) -> Iterator[str]:
    for line in re.findall(r"[A-Za-z0-9]+(?:[ \u00a0\u202f.,/'-][A-Za-z0-9]+)*", text):
        groups = re.split(r"[ \u00a0\u202f.,/'-]", line.upper())
        for start in range(len(groups)):
            run = ""
            for group in groups[start:]:
                run += group
                if len(run) > 34:
                    break
                yield run
