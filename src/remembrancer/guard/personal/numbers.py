"""Numbers with check digits: cards, IBANs, and identity numbers of the countries whose languages are spoken here.

The check digits are those of `python-stdnum`. A number of digits alone passes a check of one digit in ten times by
chance: such a number counts where a word before it names it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from remembrancer.types.personal import Datum, Found

# Who issues cards begins their numbers so, and makes them so long.
_CARD: Final = re.compile(
    r"(?<![\dA-Z_+-])(?<!\d\.)(?:4\d{3}|5[0-8]\d\d|2[1-7]\d\d|3[0-9]\d\d|1800|6\d{3})[ -]?(?:\d[ -]?){7,14}\d(?![\d_-])"
)
# The same in groups, with something else between them, or spelt out. It is looked for at each group: another number may
# stand before it.
_GAP: Final = r"(?:\s{1,3}|\s?[./–—_-]{1,2}\s?|,)"
_GROUPED: Final = re.compile(rf"(?<![\w+-])(?<!\d[.,])(?=([2-6]\d{{0,3}}(?:{_GAP}\d{{1,6}}){{2,16}})(?![\w-]))")
_BETWEEN: Final = re.compile(r"\D+")
_BEFORE: Final = re.compile(rf"(\d+)({_GAP})$")
_BEFORE_AT_MOST: Final = 12
_GROUPS: Final = ((4, 4, 4, 4), (4, 6, 5), (2,) * 8, (1,) * 16)
_MASTERCARD: Final = tuple(str(start) for start in range(222, 273))
_CARD_LENGTHS: Final[tuple[tuple[str | tuple[str, ...], tuple[int, ...]], ...]] = (
    ("34", (15,)), ("37", (15,)), ("30", (14,)), ("36", (14, 16)), ("38", (14, 16)), ("39", (14, 16)),
    ("35", (16, 17, 18, 19)), ("1800", (15,)), ("2131", (15,)), ("4", (13, 16, 19)), ("5", (16,)), ("50", (12, 13, 19)),
    ("56", (12, 13, 19)), ("57", (12, 13, 19)), ("58", (12, 13, 19)), (_MASTERCARD, (16,)), ("6", (16, 17, 18, 19)),
)  # fmt: skip
_IBAN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2}\d\d(?:[\s-]{0,2}[A-Z0-9]{4}){2,7}(?:[\s-]{0,2}[A-Z0-9]{1,3})?"
    r"|[a-z]{2}\d\d(?:[\s-]{0,2}[a-z0-9]{4}){2,7}(?:[\s-]{0,2}[a-z0-9]{1,3})?)(?![A-Za-z0-9])"
)
# No number of these is shorter: most texts hold nothing of the kind, and looking for it costs a twentieth of the rest.
LONG: Final = re.compile(
    r"\d(?:(?:[ ./–—-]{0,2}[0-9A-Z]){5}|(?:[\s./–—_,-]{0,3}\d){5}|(?<=[a-z]{2}\d)\d(?:[\s-]{0,2}[a-z0-9]{4}){2})"
)
# Where each identity number begins. Trying a form at these places alone takes a tenth of the time.
_START: Final = re.compile(r"[\dA-Z](?<!\w[\dA-Z])")
# A card is no part of an IBAN that was mistyped.
_WITHIN_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d\d(?:[ -][A-Z0-9]{4}){0,7}[ -]$")
_IBAN_AT_MOST: Final = 42
_GAPS_TRIED: Final = 3
_NEAR: Final = 80
# What a word behind a number is about: not what comes after another number, or in another line.
_BEHIND: Final = re.compile(r"[^\d\n]{0,48}")
_SEPARATED: Final = re.compile(r"[\s./–—_,-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Identity:
    """An identity number: how it is written, the module of `stdnum` that checks it, and the words that name it.

    Args:
        module: `""` where its form is all that can be checked.
        named: a pattern; blank where it is told without one.
    """

    form: str
    module: str = ""
    named: str = ""


_SSN_WORDS: Final = r"\bssn\b|social security|sozialversicherung|seguro social|sécurité sociale|previdenza sociale"
_TAX_WORDS: Final = r"\bsteuer|\bidnr\b|identifikationsnummer|\btin\b|tax(?:payer)?[ -]?(?:id|number|no)"
_IDENTITIES: Final = (
    _Identity(form=r"(?<![\w.-])\d{3}([- ])\d\d\1\d{4}(?![\w-])", module="us.ssn"),
    _Identity(form=r"(?<![\w.-])\d{3}[-. ]?\d\d[-. ]?\d{4}(?![\w-])", module="us.ssn", named=_SSN_WORDS),
    # The groups that were given out by 2026.
    _Identity(form=r"(?<![\w.-])9\d\d([- ])(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\1\d{4}(?![\w-])"),
    _Identity(form=r"(?<![\w.-])9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}(?![\w-])", named=r"\bitin\b"),
    _Identity(
        form=r"(?<![\w.-])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\w-])"
    ),
    _Identity(form=r"(?<![\w.-])\d{3}[ -]?\d{3}[ -]?\d{4}(?![\w-])", module="gb.nhs", named=r"\bnhs\b"),
    _Identity(
        form=r"(?<![\w.-])\d{3}[ -]?\d{3}[ -]?\d{3}(?![\w-])",
        module="ca.sin",
        named=r"(?-i:\bSIN\b)|social insurance|assurance sociale|\bnas\b|seguro social|assicurazione sociale"
        r"|sozialversicherung",
    ),
    _Identity(form=r"(?<![\w.-])\d{7}[A-W][A-IW]?(?![\w-])", module="ie.pps"),
    _Identity(form=r"(?<![\w.-])\d{3} ?\d{3} ?\d{3}(?![\w-])", module="au.tfn", named=r"\btfn\b|tax file"),
    _Identity(form=r"(?<![\w./-])[1-9]\d \d{3} \d{3} \d{3}(?![\w-])", module="de.idnr"),
    _Identity(form=r"(?<![\w./-])[1-9]\d[ /]?\d{3}[ /]?\d{3}[ /]?\d{3}(?![\w-])", module="de.idnr", named=_TAX_WORDS),
    _Identity(
        form=r"(?<![\w.-])\d{4}[ -]?\d{6}(?![\w-])",
        module="at.vnr",
        named=r"versicherungsn|\bsvnr\b|\bsv-?n(?:umme)?r|sozialversicherung",
    ),
    _Identity(form=r"(?<![\w.-])756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d(?![\w-])", module="ch.ssn"),
    _Identity(form=r"(?<![\w.-])\d{2}[. ]?\d{3}[. ]?\d{3}[ -]?[A-HJ-NP-TV-Z](?![\w-])", module="es.dni"),
    _Identity(form=r"(?<![\w.-])[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z](?![\w-])", module="es.nie"),
    _Identity(
        form=r"(?<![\w.-])[12378] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w-])",
        module="fr.nir",
    ),
    _Identity(
        form=r"(?<![\w.-])[A-Z]{3} ?[A-Z]{3} ?[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}"
        r" ?[A-Z][0-9LMNP-V]{3} ?[A-Z](?![\w-])",
        module="it.codicefiscale",
    ),
    _Identity(
        form=r"(?<![\w.-])(?:\d{4}[ .]?\d\d|\d{3}[ .]?\d{3})[ .]?\d{3}(?![\w-])",
        module="nl.bsn",
        named=r"\bbsn\b|burgerservice",
    ),
)
_FORMS: Final = tuple((each, re.compile(each.form), re.compile(each.named, re.IGNORECASE)) for each in _IDENTITIES)
# Any of them, so that most places are tried once; a form's own group is told from those of others by its number.
_ANY_FORM: Final = re.compile(
    "|".join(
        each.form.replace("([- ])", f"(?P<g{place}>[- ])").replace("\\1", f"(?P=g{place})")
        for place, each in enumerate(_IDENTITIES)
    )
)


def numbers(text: str) -> Iterator[Found]:
    """The cards, IBANs and identity numbers in a text as it looks to a reader; they may overlap."""
    if LONG.search(text) is None:
        return
    for match in _CARD.finditer(text):
        if _is_within_iban(text, match.start()):
            continue
        # What follows a number after a blank may be another one: the longest beginning that is a card counts.
        for end in _ends(match, most=_GAPS_TRIED):
            if _is_card(_bare(text[match.start() : end])):
                yield Found(datum=Datum.CARD, start=match.start(), end=end)
                break
    for match in _GROUPED.finditer(text):
        end = _grouped(text, match)
        if end and _is_card(_bare(text[match.start() : end])) and not _is_within_iban(text, match.start()):
            yield Found(datum=Datum.CARD, start=match.start(), end=end)
    for match in _IBAN.finditer(text):
        for end in _ends(match):
            if _is_iban(_bare(text[match.start() : end])):
                yield Found(datum=Datum.IBAN, start=match.start(), end=end)
                break
    starts = [at for start in _START.finditer(text) if _ANY_FORM.match(text, at := start.start())]
    for identity, form, named in _FORMS:
        for match in _at(starts, form, text):
            if (not identity.named or _is_named(text, match, named)) and _is_identity(identity, match[0]):
                yield Found(datum=Datum.IDENTITY, start=match.start(), end=match.end())


def _at(starts: Sequence[int], form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What matches a form at some places, ascending; no match overlaps the one before."""
    past = 0
    for start in starts:
        if start >= past and (match := form.match(text, start)):
            past = match.end()
            yield match


def _grouped(text: str, match: re.Match[str]) -> int:
    """Where a card ends that groups of digits begin with; 0 where they are in no groups that cards are written in.

    Groups that are of one length with the one before or behind them are a list, such as of years.
    """
    between = [gap[0] for gap in _BETWEEN.finditer(match[1])]
    alike = [" " if gap.isspace() else gap for gap in between]
    sizes = [len(group) for group in _BETWEEN.split(match[1])]
    before = _BEFORE.search(text, max(0, match.start() - _BEFORE_AT_MOST), match.start())
    for groups in _GROUPS:
        most = len(groups)
        if tuple(sizes[:most]) != groups or len(set(alike[: most - 1])) != 1:
            continue
        beside = [(sizes[most], alike[most - 1])] if len(sizes) > most else []
        beside += [(len(before[1]), " " if before[2].isspace() else before[2])] if before else []
        if (groups[0], alike[0]) not in beside:
            return match.start() + sum(groups) + sum(map(len, between[: most - 1]))
    return 0


def _ends(match: re.Match[str], *, most: int | None = None) -> Iterator[int]:
    """Where a number may end: with the whole match, or before one of the gaps in it.

    Args:
        most: how many gaps are tried, the last ones first; all, where none is given.
    """
    yield match.end()
    gaps = [at for at, character in enumerate(match[0]) if character == "-" or character.isspace()]
    yield from (match.start() + at for at in gaps[: -1 - (most or len(gaps)) : -1])


def _is_named(text: str, match: re.Match[str], named: re.Pattern[str]) -> bool:
    behind = _BEHIND.match(text, match.end())
    return bool(
        named.search(text, max(0, match.start() - _NEAR), match.start())
        or (behind and named.search(text, behind.start(), behind.end()))
    )


def _is_within_iban(text: str, at: int) -> bool:
    return _WITHIN_IBAN.search(text, max(0, at - _IBAN_AT_MOST), at) is not None


def _bare(number: str) -> str:
    return _SEPARATED.sub("", number)


def _is_card(number: str) -> bool:
    begins = [lengths for start, lengths in _CARD_LENGTHS if number.startswith(start)]
    fits = any(len(number) in lengths for lengths in begins)
    return fits and len(set(number)) > 1 and _is_valid("luhn", number)


def _is_iban(number: str) -> bool:
    # The tables of banks that some countries have are never up to date: the form and the check digits count.
    check: Callable[..., bool] = import_module("stdnum.iban").is_valid
    return check(number, check_country=False)


def _is_identity(identity: _Identity, number: str) -> bool:
    return not identity.module or _is_valid(identity.module, _bare(number))


def _is_valid(module: str, number: str) -> bool:
    # Loaded with the first number that may be one: most processes never meet any.
    check: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    return check(number)
