"""The data: cards, accounts, numbers of persons, phones, mail addresses and network addresses, as people write them."""

import ipaddress
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.personal import numbers
from remembrancer.types.policy import PersonalDataType

DIGITS = "0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A piece of personal data as it is written.

    Args:
        sort: which of its kind, such as the country of a phone.
    """

    data_type: PersonalDataType
    sort: str
    text: str


Maker = Callable[[random.Random], str]


def digits(chance: random.Random, count: int) -> str:
    """So many random digits."""
    return "".join(chance.choices(DIGITS, k=count))


def grouped(text: str, sizes: Sequence[int], mark: str = " ") -> str:
    """A text in groups of these sizes, the last size again and again to the end."""
    groups: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[min(len(groups), len(sizes) - 1)]
        groups.append(text[at : at + size])
        at += size
    return mark.join(groups)


# Cards


def card(chance: random.Random, *, right: bool = True) -> Value:
    """A card of a usual brand, in a usual grouping; with a wrong check digit where it must not be right."""
    brand, number = _card_number(chance)
    if not right:
        number = number[:-1] + _other_digit(chance, number[-1])
    sizes = (4, 6, 5) if brand == "amex" else (4,)
    form = chance.choice(("spaced", "spaced", "dashed", "compact"))
    marks = {"spaced": " ", "dashed": "-", "compact": ""}
    return Value(data_type=PersonalDataType.CARD, sort=f"{brand} {form}", text=grouped(number, sizes, marks[form]))


def _card_number(chance: random.Random) -> tuple[str, str]:
    brand, prefix, length = chance.choice(
        (
            ("visa", f"4{digits(chance, 3)}", 16),
            ("visa", f"4{digits(chance, 3)}", 16),
            ("mastercard", f"5{chance.randint(1, 5)}{digits(chance, 2)}", 16),
            ("mastercard", str(chance.randint(2221, 2720)), 16),
            ("amex", chance.choice(("34", "37")), 15),
            ("discover", "6011", 16),
        )
    )
    body = prefix + digits(chance, length - 1 - len(prefix))
    return brand, body + numbers.luhn_digit(body)


def _other_digit(chance: random.Random, digit: str) -> str:
    return chance.choice([other for other in DIGITS if other != digit])


# Accounts

_BANKS = {
    "DE": ("37040044", "50010517", "10010010", "70150000", "12030000"),
    "AT": ("19043", "20111", "12000", "32000"),
    "CH": ("00762", "09000", "00700", "00230"),
    "ES": ("21000418", "00491500", "01822370", "20381120"),
    "FR": ("2004101005", "3000400274", "3000601234", "1027806123"),
    "IT": ("0542811101", "0306909606", "0200805120", "0503401647"),
    "GB": ("NWBK601613", "BARC200415", "MIDL400530", "LOYD309012"),
    "NL": ("ABNA", "INGB", "RABO", "TRIO"),
    "BE": ("539", "001", "363", "733"),
}


def iban(chance: random.Random, *, right: bool = True) -> Value:
    """An account of a European country, in groups of four or not, with the check digits of its country too."""
    country = chance.choice(list(_BANKS))
    account = _account(chance, country, chance.choice(_BANKS[country]))
    check = numbers.iban_digits(country, account)
    if not right:
        check = check[0] + _other_digit(chance, check[1])
    text = country + check + account
    form = chance.choice(("spaced", "spaced", "compact"))
    return Value(
        data_type=PersonalDataType.IBAN,
        sort=f"{country} {form}",
        text=grouped(text, (4,)) if form == "spaced" else text,
    )


def _account(chance: random.Random, country: str, bank: str) -> str:
    sizes = {"DE": 10, "AT": 11, "CH": 12, "ES": 10, "FR": 11, "IT": 12, "GB": 8, "NL": 10, "BE": 7}
    number = digits(chance, sizes[country])
    match country:
        case "ES":
            return bank + numbers.ccc_digits(bank, number) + number
        case "FR":
            return bank + number + numbers.rib_key(bank[:5], bank[5:], number)
        case "IT":
            return numbers.italian_letter(bank + number) + bank + number
        case "BE":
            return bank + number + numbers.belgian_digits(bank + number)
        case "NL":
            while numbers.weighted(number, range(10, 0, -1)) % 11:
                number = digits(chance, 10)
            return bank + number
        case _:
            return bank + number


# Numbers of persons: of each sort, what makes it, and how it is written where it is named and where it is not.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """A sort of number of a person.

    Args:
        wrong: makes one that cannot be right; none where every number of the shape can be.
        forms: how a bare number is written where its name stands beside it.
        plain: how it is written where it stands for itself; empty where it cannot.
    """

    make: Maker
    wrong: Maker
    forms: tuple[Callable[[str], str], ...]
    plain: tuple[Callable[[str], str], ...] = ()


def _bare(text: str) -> str:
    return text


def _in(*sizes: int, mark: str = " ") -> Callable[[str], str]:
    return lambda text: grouped(text, sizes, mark)


def _ssn(chance: random.Random) -> str:
    area = chance.choice([area for area in range(1, 900) if area != 666])
    return f"{area:03}{chance.randint(1, 99):02}{chance.randint(1, 9999):04}"


def _wrong_ssn(chance: random.Random) -> str:
    right = _ssn(chance)
    return chance.choice(("000" + right[3:], "666" + right[3:], f"{right[:3]}00{right[5:]}", right[:5] + "0000"))


def _itin(chance: random.Random) -> str:
    group = chance.choice((*range(50, 66), *range(70, 89), 90, 91, 92, *range(94, 100)))
    return f"9{digits(chance, 2)}{group:02}{digits(chance, 4)}"


def _wrong_itin(chance: random.Random) -> str:
    return f"9{digits(chance, 2)}{chance.randint(1, 49):02}{digits(chance, 4)}"


def _nino(chance: random.Random) -> str:
    prefix = chance.choice(("AB", "CE", "JK", "LX", "NP", "PW", "SR", "TM", "WK", "YZ"))
    return f"{prefix}{digits(chance, 6)}{chance.choice('ABCD')}"


def _wrong_nino(chance: random.Random) -> str:
    right = _nino(chance)
    return chance.choice((f"{chance.choice(('QA', 'BG', 'NK', 'ZZ'))}{right[2:]}", right[:-1] + chance.choice("EKX")))


def _nhs(chance: random.Random) -> str:
    while True:
        body = chance.choice("467") + digits(chance, 8)
        if (check := numbers.nhs_digit(body)) is not None:
            return body + check


def _sin(chance: random.Random) -> str:
    body = chance.choice("1234567") + digits(chance, 7)
    return body + numbers.luhn_digit(body)


def _pps(chance: random.Random) -> str:
    body, second = digits(chance, 7), chance.choice(("", "", "A", "B"))
    return body + numbers.pps_letter(body, second) + second


def _wrong_pps(chance: random.Random) -> str:
    right = _pps(chance)
    return right[:7] + chance.choice([one for one in numbers.LETTERS[:23] if one != right[7]]) + right[8:]


def _tax(chance: random.Random) -> str:
    while True:
        chosen = chance.sample(DIGITS, 9)
        body = [*chosen, chance.choice(chosen)]
        chance.shuffle(body)
        if body[0] != "0":
            return "".join(body) + numbers.tax_digit("".join(body))


def _svnr(chance: random.Random) -> str:
    while True:
        serial = str(chance.randint(100, 999))
        born = f"{chance.randint(1, 28):02}{chance.randint(1, 12):02}{chance.randint(0, 99):02}"
        if (check := numbers.austrian_digit(serial, born)) is not None:
            return serial + check + born


def _wrong_svnr(chance: random.Random) -> str:
    right = _svnr(chance)
    return right[:3] + _other_digit(chance, right[3]) + right[4:]


def _ahv(chance: random.Random) -> str:
    body = "756" + digits(chance, 9)
    return body + numbers.ean_digit(body)


def _dni(chance: random.Random) -> str:
    body = chance.choice("1234567") + digits(chance, 7)
    return body + numbers.dni_letter(body)


def _nie(chance: random.Random) -> str:
    body = chance.choice("XYZ") + digits(chance, 7)
    return body + numbers.dni_letter(body)


def _nir(chance: random.Random) -> str:
    department = chance.choice(("75", "69", "13", "33", "59", "2A", "2B", "06", "31", "44"))
    born = f"{chance.randint(40, 99)}{chance.randint(1, 12):02}"
    body = f"{chance.choice('12')}{born}{department}{chance.randint(1, 399):03}{chance.randint(1, 600):03}"
    return body + numbers.nir_key(body)


def _codice(chance: random.Random) -> str:
    parts = f"{chance.choice(_SURNAMES)}{chance.choice(_FIRST_NAMES)}{chance.randint(40, 99)}"
    day = chance.choice((chance.randint(1, 28), chance.randint(41, 68)))
    body = f"{parts}{chance.choice('ABCDEHLMPRST')}{day:02}{chance.choice(_TOWNS)}"
    return body + numbers.italian_letter(body)


_SURNAMES = ("RSS", "BNC", "FRR", "SPS", "RMN", "CLM", "GLL", "CNT", "MRN", "GRC", "LMB", "BRB")
_FIRST_NAMES = ("MRA", "LCU", "GNN", "NNA", "GLI", "MRC", "FNC", "LRA", "SMN", "CHR", "PLA", "DVD")
_TOWNS = ("H501", "F205", "L219", "F839", "A944", "D612", "G273", "L736", "C351")


def _bsn(chance: random.Random) -> str:
    while True:
        text = chance.choice("12345") + digits(chance, 8)
        if numbers.is_eleven(text):
            return text


def _last_off(make: Maker) -> Maker:
    """A right number with another check digit or letter at its end."""

    def wrong(chance: random.Random) -> str:
        right = make(chance)
        if right[-1].isdigit():
            return right[:-1] + _other_digit(chance, right[-1])
        return right[:-1] + chance.choice([letter for letter in numbers.LETTERS if letter != right[-1]])

    return wrong


def _dotted_dni(text: str) -> str:
    return f"{text[:2]}.{text[2:5]}.{text[5:8]}-{text[8]}"


_DASHED = _in(3, 2, 4, mark="-")
_NIR = _in(1, 2, 2, 2, 3, 3, 2)
_AHV = _in(3, 4, 4, 2, mark=".")
_SPACED_NINO = _in(2, 2, 2, 2, 1)

SORTS: dict[str, Sort] = {
    "ssn": Sort(make=_ssn, wrong=_wrong_ssn, forms=(_DASHED, _DASHED, _in(3, 2, 4), _bare), plain=(_DASHED,)),
    "itin": Sort(make=_itin, wrong=_wrong_itin, forms=(_DASHED, _DASHED, _bare), plain=(_DASHED,)),
    "nino": Sort(make=_nino, wrong=_wrong_nino, forms=(_SPACED_NINO, _bare), plain=(_SPACED_NINO, _bare)),
    "nhs": Sort(make=_nhs, wrong=_last_off(_nhs), forms=(_in(3, 3, 4), _in(3, 3, 4), _bare)),
    "sin": Sort(make=_sin, wrong=_last_off(_sin), forms=(_in(3), _in(3, mark="-"), _bare)),
    "pps": Sort(make=_pps, wrong=_wrong_pps, forms=(_bare,), plain=(_bare,)),
    "tax": Sort(make=_tax, wrong=_last_off(_tax), forms=(_in(2, 3), _bare), plain=(_in(2, 3),)),
    "svnr": Sort(make=_svnr, wrong=_wrong_svnr, forms=(_in(4, 6), _bare)),
    "ahv": Sort(make=_ahv, wrong=_last_off(_ahv), forms=(_AHV, _AHV, _bare), plain=(_AHV,)),
    "dni": Sort(
        make=_dni,
        wrong=_last_off(_dni),
        forms=(_bare, _in(8, 1, mark="-"), _dotted_dni, _in(8, 1)),
        plain=(_bare, _in(8, 1, mark="-")),
    ),
    "nie": Sort(make=_nie, wrong=_last_off(_nie), forms=(_bare, _in(1, 7, 1, mark="-")), plain=(_bare,)),
    "nir": Sort(make=_nir, wrong=_last_off(_nir), forms=(_NIR, _NIR, _in(13, 2), _bare), plain=(_NIR, _bare)),
    "codice": Sort(make=_codice, wrong=_last_off(_codice), forms=(_bare, _bare, _in(3, 3, 5, 5)), plain=(_bare,)),
    "bsn": Sort(make=_bsn, wrong=_last_off(_bsn), forms=(_bare, _in(4, 2, 3), _in(3))),
}


def identity(chance: random.Random, sort: str, *, right: bool = True, plain: bool = False) -> Value:
    """A number of a person, of one sort; `plain` where nothing names it."""
    one = SORTS[sort]
    bare = (one.make if right else one.wrong)(chance)
    written = chance.choice(one.plain if plain else one.forms)(bare)
    return Value(data_type=PersonalDataType.IDENTITY, sort=sort + (" plain" if plain else ""), text=written)


# Phones


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The ways to write one number: abroad, at home, and at home where nobody could take it for anything else.

    Args:
        fiction: it is of a range that is kept for films and books.
    """

    abroad: tuple[str, ...]
    home: tuple[str, ...]
    plain: tuple[str, ...]
    fiction: bool


def _of_us(chance: random.Random) -> _Line:
    area = chance.choice(("212", "415", "312", "617", "206", "303", "512", "404", "702", "503", "919"))
    exchange = chance.choice(("555", str(chance.choice([n for n in range(200, 1000) if n % 100 != 11]))))
    line = f"01{digits(chance, 2)}" if exchange == "555" else digits(chance, 4)
    dashed, plain = f"{area}-{exchange}-{line}", f"({area}) {exchange}-{line}"
    return _Line(
        abroad=(f"+1 {area} {exchange} {line}", f"+1 {plain}", f"+1-{dashed}", f"+1{area}{exchange}{line}"),
        home=(f"{area} {exchange} {line}", area + exchange + line, f"{area}.{exchange}.{line}", dashed, plain),
        plain=(dashed, plain, f"1-{dashed}", f"{area}.{exchange}.{line}"),
        fiction=exchange == "555",
    )


def _of_gb(chance: random.Random) -> _Line:
    if chance.random() < 0.5:
        prefix = chance.choice(("7700", "7700", "7710", "7801", "7901", "7590", "7850", "7973"))
        line = f"900{digits(chance, 3)}" if prefix == "7700" else digits(chance, 6)
        abroad = (f"{prefix} {line}", f"(0){prefix} {line}", prefix + line)
        home = (f"0{prefix} {line}", f"0{prefix} {line[:3]} {line[3:]}", f"0{prefix}{line}")
        return _Line(
            abroad=(*(f"+44 {one}" for one in abroad), f"+44{prefix}{line}", f"0044 {prefix} {line}"),
            home=home,
            plain=home[:2],
            fiction=prefix == "7700",
        )
    area, middle, last = chance.choice(
        (
            ("20", "7946", f"0{digits(chance, 3)}"),
            ("20", chance.choice("78") + digits(chance, 3), digits(chance, 4)),
            ("161", "496", f"0{digits(chance, 3)}"),
            ("131", f"2{digits(chance, 2)}", digits(chance, 4)),
            ("1632", "960", digits(chance, 3)),
            ("1223", f"3{digits(chance, 2)}", digits(chance, 3)),
        )
    )
    line = middle + last if len(area) == 4 else f"{middle} {last}"
    home = (f"0{area} {line}", f"(0{area}) {line}")
    return _Line(
        abroad=(f"+44 {area} {line}", f"+44 (0){area} {line}", f"+44{area}{middle}{last}", f"0044 {area} {line}"),
        home=(*home, f"0{area}{middle}{last}"),
        plain=home,
        fiction=middle in ("7946", "496", "960"),
    )


def _of_de(chance: random.Random) -> _Line:
    if chance.random() < 0.5:
        area = chance.choice(("151", "152", "157", "160", "162", "170", "171", "172", "175", "176", "179"))
        line = digits(chance, 8 if area.startswith("15") or area == "176" else 7)
        line = str(chance.randint(2, 9)) + line[1:]
        split = f"{line[:4]} {line[4:]}"
    else:
        area, line = chance.choice(
            (
                ("30", f"23125{digits(chance, 3)}"),
                ("30", f"{chance.randint(2, 8)}{digits(chance, 7)}"),
                ("89", f"99998{digits(chance, 3)}"),
                ("40", f"66969{digits(chance, 3)}"),
                ("221", f"4710{digits(chance, 3)}"),
                ("711", f"{chance.randint(2, 9)}{digits(chance, 5)}"),
                ("341", f"{chance.randint(2, 9)}{digits(chance, 6)}"),
            )
        )
        split = grouped(line, (3, 2)) if len(line) < 8 else f"{line[:5]}-{line[5:]}"
    return _Line(
        abroad=(
            f"+49 {area} {line}",
            f"+49 {area} {split}",
            f"+49 (0){area} {line}",
            f"+49 (0) {area} / {line}",
            f"+49{area}{line}",
            f"0049 {area} {line}",
        ),
        home=(f"0{area} {line}", f"0{area} {split}", f"0{area}{line}", f"0{area}/{line}", f"0{area}-{line}"),
        plain=(f"0{area}/{line}", f"0{area} / {split}", f"(0{area}) {line}", f"0{area}-{line}"),
        fiction=line.startswith(("23125", "99998", "66969", "4710")),
    )


def _of_es(chance: random.Random) -> _Line:
    prefix = chance.choice(("6", "6", "71", "914", "915", "932", "934", "954", "963"))
    number = prefix + digits(chance, 9 - len(prefix))
    by_three, by_two = grouped(number, (3,)), grouped(number, (3, 2, 2, 2))
    city = grouped(number, (2, 3, 2, 2))
    home = (by_three, by_two, number, city if prefix.startswith("9") else by_three)
    return _Line(
        abroad=(f"+34 {by_three}", f"+34 {by_two}", f"+34{number}", f"(+34) {by_three}", f"0034 {by_two}"),
        home=home,
        plain=(f"+34 {by_three}",),
        fiction=False,
    )


def _of_fr(chance: random.Random) -> _Line:
    prefix = chance.choice(("019900", "026191", "035301", "046571", "053649", "063998", "06", "06", "07", "014", "047"))
    number = prefix + (str(chance.randint(4, 8)) if prefix in ("06", "07") else "")
    number += digits(chance, 10 - len(number))
    spaced = grouped(number, (2,))
    pairs = (spaced, spaced.replace(" ", "."), spaced.replace(" ", "-"))
    return _Line(
        abroad=(f"+33 {spaced[1:]}", f"+33{number[1:]}", f"+33 (0){spaced[1:]}", f"0033 {spaced[1:]}"),
        home=(*pairs, spaced, number),
        plain=pairs,
        fiction=len(prefix) == 6,
    )


def _of_it(chance: random.Random) -> _Line:
    if chance.random() < 0.6:
        area = chance.choice(("320", "328", "333", "335", "338", "340", "347", "348", "349", "366", "388", "392"))
        line = digits(chance, 7)
        split, shorter = f"{line[:3]} {line[3:]}", f"{line[:2]} {line[2:4]} {line[4:]}"
    else:
        area, line = chance.choice(
            (
                ("06", f"{chance.choice('4578')}{digits(chance, 7)}"),
                ("02", f"{chance.choice('4678')}{digits(chance, 7)}"),
                ("011", f"5{digits(chance, 6)}"),
                ("055", f"2{digits(chance, 6)}"),
                ("051", f"2{digits(chance, 6)}"),
            )
        )
        split = grouped(line, (4,)) if len(line) == 8 else f"{line[:3]} {line[3:]}"
        shorter = line
    return _Line(
        abroad=(f"+39 {area} {line}", f"+39 {area} {split}", f"+39{area}{line}", f"0039 {area} {line}"),
        home=(
            f"{area} {line}",
            f"{area} {split}",
            area + line,
            f"{area}-{line}",
            f"{area}/{line}",
            f"{area} {shorter}",
        ),
        plain=(f"+39 {area} {split}",),
        fiction=False,
    )


_LINES: dict[str, Callable[[random.Random], _Line]] = {
    "US": _of_us,
    "GB": _of_gb,
    "DE": _of_de,
    "ES": _of_es,
    "FR": _of_fr,
    "IT": _of_it,
}


def phone(chance: random.Random, homes: Sequence[str], *, plain: bool = False) -> Value:
    """A phone, mostly of a country where the language is spoken.

    Args:
        homes: the countries whose numbers may be written as at home.
        plain: nothing names it, so that it is written with the country or in a way that is nothing else's.
    """
    country = chance.choice(homes) if chance.random() < 0.85 else chance.choice(list(_LINES))
    line = _LINES[country](chance)
    fiction = " fiction" if line.fiction else ""
    if country not in homes or chance.random() < 0.35:
        return Value(
            data_type=PersonalDataType.PHONE, sort=f"{country} abroad{fiction}", text=chance.choice(line.abroad)
        )
    text = chance.choice(line.plain if plain else line.home)
    where = "abroad" if text.startswith("+") else "home plain" if plain else "home"
    return Value(data_type=PersonalDataType.PHONE, sort=f"{country} {where}{fiction}", text=text)


# Mail addresses

_FIRST = ("anna", "paul", "lucia", "jean", "marco", "sofia", "tom", "ines", "giulia", "karl", "zoe", "m", "j")
_LAST = ("weber", "smith", "garcia", "moreau", "ricci", "o'brien", "lopez-diaz", "huber", "lefevre", "bianchi", "young")
_HOSTS = (
    "example.com", "example.org", "example.net", "mail.example.co.uk", "gmail.com", "gmx.de", "web.de", "orange.fr",
    "libero.it", "hotmail.es", "posteo.de", "uni-muenchen.de", "outlook.com", "ucl.ac.uk", "laposte.net", "bluewin.ch",
    "cs.example.edu", "acme-tools.io", "studio.photography", "bäckerei-huber.de", "t-online.de", "yahoo.com.mx",
)  # fmt: skip


def email(chance: random.Random) -> Value:
    """A mail address: names, dots, plus signs, digits and capitals, at hosts of many countries."""
    first, last, host = chance.choice(_FIRST), chance.choice(_LAST), chance.choice(_HOSTS)
    sort, local = chance.choice(
        (
            ("dotted", f"{first}.{last}"),
            ("dotted", f"{first}.{last}"),
            ("underscored", f"{first}_{last}"),
            ("digits", f"{first}{chance.randint(1, 2010)}"),
            ("plus", f"{first}.{last}+{chance.choice(('news', 'shop', 'work2'))}"),
            ("joined", first + last.replace("-", "")),
            ("dashed", f"{first}-{last}"),
            ("capitals", f"{first.title()}.{last.title()}"),
        )
    )
    if host == "bäckerei-huber.de":
        sort = "umlaut host"
    return Value(data_type=PersonalDataType.EMAIL, sort=sort, text=f"{local}@{host}")


# Network addresses

_PREFIXES = ("2001:16b8", "2003:e8", "2a02:8108", "2a01:e0a", "2600:1700", "2607:f8b0", "2a00:23c5", "2401:4900")


def ip(chance: random.Random, version: int | None = None) -> Value:
    """An address of the public net."""
    if version == 4 or (version is None and chance.random() < 0.7):
        return Value(data_type=PersonalDataType.IP, sort="v4", text=_public_v4(chance))
    groups = [f"{chance.randrange(1, 65536):x}" for _ in range(6)]
    prefix = chance.choice(_PREFIXES)
    sort, text = chance.choice(
        (
            ("v6 full", f"{prefix}:{':'.join(groups)}"),
            ("v6 short", f"{prefix}::{groups[0]}"),
            ("v6 short", f"{prefix}:{groups[0]}:{groups[1]}::{groups[2]}"),
            ("v6 short", f"{prefix}:{groups[0]}::1"),
        )
    )
    return Value(data_type=PersonalDataType.IP, sort=sort, text=text)


def _public_v4(chance: random.Random) -> str:
    while True:
        octets = (chance.randint(1, 223), *(chance.randint(0, 255) for _ in range(2)), chance.randint(1, 254))
        text = ".".join(map(str, octets))
        if ipaddress.IPv4Address(text).is_global and max(octets[1:]) > 20:
            return text


def private(chance: random.Random, version: int | None = None) -> str:
    """An address of a house, of the machine itself, or of a single link."""
    if version == 6 or (version is None and chance.random() < 0.25):
        tail = f"{chance.randrange(1, 65536):x}:{chance.randrange(1, 65536):x}"
        return chance.choice(("::1", f"fe80::{tail}", f"fd12:3456:789a::{tail}", f"fe80::1ff:fe23:{tail}"))
    third, last = chance.randint(0, 255), chance.randint(1, 254)
    nets = ("192.168", "192.168", "10.0", f"10.{chance.randint(0, 255)}", f"172.{chance.randint(16, 31)}", "169.254")
    return chance.choice((*(f"{net}.{third}.{last}" for net in nets), "127.0.0.1"))
