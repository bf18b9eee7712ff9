"""How people and machines are reached: addresses of mail, of machines on the internet, and telephone numbers."""

import ipaddress
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from remembrancer.types.personal import Datum, Found

if TYPE_CHECKING:
    from phonenumbers import PhoneNumberMatch

_MAIL: Final = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9](?:[\w.+%'’-]{0,62}[\w+%-])?"
    r"@(?:[A-Za-z0-9](?:[\w-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w@-]|:[\w/~])"
)
# What only looks like an address of mail: a password in a URL, and a picture for fine screens.
_IN_URL: Final = re.compile(r"://[^\s/@]*$")
_FILE: Final = re.compile(r"@\dx\.\w+$")
# These begin with a character, and then look what is before it: so the places that have no such character cost little.
_IP4: Final = re.compile(r"\d(?<![\w.-]\d)\d{0,2}\.(?:\d{1,3}\.){2}\d{1,3}(?![\w-]|\.\d)")
_IP6: Final = re.compile(r"[23](?<![\w:.][23])[0-9A-Fa-f]{3}:(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{0,4}(?![\w:])")
# Four numbers with dots between are also versions, places in a book, and sums.
_NOT_IP: Final = re.compile(
    r"(?:version|versión|versione|release|build|\bv|ver\.?|firmware|micrologiciel|section|chapter|abschnitt|kapitel"
    r"|sección|sezione|apartado|paragra\w+|capítulo|capitolo|chapitre|§|[€$£])\s*$",
    re.IGNORECASE,
)
_SUM: Final = re.compile(r"\s?(?:[€$£]|euros?\b|dollars?\b|eur\b|usd\b)", re.IGNORECASE)
# Six digits at least, however they are grouped: what is looked at for a telephone number at all.
_DIALLED: Final = re.compile(r"[(\d](?<![\w.+-][(\d])(?:(?<=\d)|\d)(?:[ ()./-]{0,3}\d){5,14}(?![\w-])")
# Groups that nothing else is written in.
_GROUPED: Final = re.compile(
    r"\(\d{2,5}\)[ -]?\d[\d -]{4,12}|(?:1[-. ])?\d{3}[-.]\d{3}[-.]\d{4}|(?:1[ -])?\(\d{3}\) ?\d{3}[- ]\d{4}"
    r"|0[1-9]([ .-])\d\d(?:\1\d\d){3}|0[1-9]\d{1,3} ?[/-] ?\d{3,5}[ -]?\d{2,5}|0[1-9]\d{1,4} \d{6,7}"
    r"|0[1-9]\d{1,3} \d{3,4} \d{3,4}"
    r"|00[1-9](?:[ ()./-]{0,3}\d){8,13}"
)
_OTHERWISE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d\d[./-]\d\d|\d{1,3}(?:\.\d{1,3}){3}")
_WHOSE: Final = (
    r"(?:my|your|his|her|their|our|meine|deine|seine|ihre|unsere|mi|tu|su|mon|ton|son|votre|leur|mio|tuo|suo)"
)
_TELEPHONE: Final = (
    r"(?:\btel\b|phone|telefon|téléphone|teléfono|\bmobil|móvil|movil|portable\b|cellulare|\bcell\b|\bfax\b|handy"
    r"|whatsapp|\bsms\b|durchwahl|rückruf|rufnummer|festnetz|registered)"
)
_NUMBER: Final = r"(?:(?:new|neue|nuevo|nouveau|nuovo) )?(?:number|nummer|número|numéro|numero)\b"
# A word just before a number, or just behind it, that says what it is.
_CALLED: Final = re.compile(
    rf"(?:{_TELEPHONE}|\b{_WHOSE} {_NUMBER})[^\d\n]{{0,40}}$"
    r"|\b(?:call|dial|ring|reach|text (?:me|us|him|her|them)|answer|anruf|rufen|\bruf\b|erreich"
    r"|llám|llam|marca|contest|appel|joign|répond|chiam|rispond)\w*"
    r"[^\d\n]{0,24}$",
    re.IGNORECASE,
)
_CALLED_AFTER: Final = re.compile(
    r"[ (]{1,2}(?:office|fax|mobile|cell|home|mobil|büro|móvil|portable|cellulare)\b"
    r"|[ ,)]+(?:is|ist|es|est|è|noch|still|sigue|toujours|ancora)\b[^\d\n]{0,24}"
    rf"(?:{_TELEPHONE}|\b{_WHOSE} {_NUMBER})",
    re.IGNORECASE,
)
# A word between that says that the number is another thing's.
_OTHER_THING: Final = re.compile(
    r"\b(?:imei|serial|serien|serie|série|order|model|modell|modelo|modèle|modello|code|pin|puk|iban|avs|ahv|nhs|tax|ticket"
    r"|case|account|konto|cuenta|compte|conto|passport|social|assurance|member\w*|mitglied\w*|kunden\w*|customer"
    r"|bestell\w*|pedido|commande|ordine|tracking|sendung\w*|steuer\w*|versicherung\w*|rechnung\w*|invoice|factura"
    r"|facture|fattura)\b[^\d\n]{0,24}$|[A-Z]{2}\d\d(?:[ -][A-Z0-9]{4}){0,7}[ -]$",
    re.IGNORECASE,
)
_CALLED_WITHIN: Final = 64


def addresses(text: str) -> Iterator[Found]:
    """The addresses of mail and of machines in a text as it looks to a reader."""
    if "@" in text:
        for match in _MAIL.finditer(text):
            if not _FILE.search(match[0]) and not _IN_URL.search(text, 0, match.start()):
                yield Found(datum=Datum.EMAIL, start=match.start(), end=match.end())
    for match in (*_IP4.finditer(text), *_IP6.finditer(text)):
        other = _NOT_IP.search(text, max(0, match.start() - 16), match.start()) or _SUM.match(text, match.end())
        if _is_public(match[0]) and not other:
            yield Found(datum=Datum.IP, start=match.start(), end=match.end())


def telephones(text: str) -> Iterator[Found]:
    """The telephone numbers in a text: with a country, grouped as such are, or where a word says that they are.

    The plans of the numbers of all countries are those of `phonenumbers`.
    """
    if "+" in text:
        for number in _with_country(text):
            if not number.raw_string.startswith("+ "):
                yield Found(datum=Datum.PHONE, start=_within(text, number.start, number.end), end=number.end)
    for match in _DIALLED.finditer(text):
        start, end = _within(text, *match.span()), match.end()
        number = text[start:end]
        if _OTHER_THING.search(text, max(0, start - _CALLED_WITHIN), start) or _OTHERWISE.fullmatch(number):
            continue
        if _GROUPED.fullmatch(number) or _is_called(text, start, end):
            yield Found(datum=Datum.PHONE, start=start, end=end)


def _within(text: str, start: int, end: int) -> int:
    """Where a number starts within brackets that it stands in whole."""
    number = text[start:end]
    return start + 1 if number[0] == "(" and number.count("(") > number.count(")") else start


def _is_called(text: str, start: int, end: int) -> bool:
    return bool(_CALLED.search(text, max(0, start - _CALLED_WITHIN), start) or _CALLED_AFTER.match(text, end))


def _with_country(text: str) -> "Iterator[PhoneNumberMatch]":
    # Loaded with the first text that may hold one.
    from phonenumbers import Leniency, PhoneNumberMatcher

    # Also numbers that no plan gives out yet: what begins with a country is told as a number.
    return iter(PhoneNumberMatcher(text, None, leniency=Leniency.POSSIBLE))


def _is_public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False
