"""Numbers with check digits: cards, IBANs, and identity numbers of the countries of the five languages.

`python-stdnum` verifies the check digits. A number of digits alone passes a check of one digit in ten times by chance,
so it needs a word near it that names it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Final

from remembrancer.guard.patterns import compiled, load
from remembrancer.types.policy import PersonalDataSpan, PersonalDataType

# No number of these is shorter. Most texts contain none, and looking for this costs a twentieth of the rest.
LONG: Final = re.compile(
    r"\d(?:(?:[ ./–—-]{0,2}[0-9A-Z]){5}|(?:[\s./–—_,-]{0,3}\d){5}|(?<=[a-z]{2}\d)\d(?:[\s-]{0,2}[a-z0-9]{4}){2})"
)
# Where an identity number may begin. Trying the forms at these positions alone costs a tenth of the time.
_START: Final = re.compile(r"[\dA-Z](?<!\w[\dA-Z])")
_SEPARATOR: Final = re.compile(r"[\s./–—_,-]+")
_BETWEEN: Final = re.compile(r"\D+")
# A word behind a number that is about it: not behind another number or on another line.
_BEHIND: Final = re.compile(r"[^\d\n]{0,48}")
_NEAR: Final = 80
_GAPS_TRIED: Final = 3

_card = partial(compiled, "personal", "cards")
_iban = partial(compiled, "personal", "ibans")


def numbers(text: str) -> Iterator[PersonalDataSpan]:
    """Yield the cards, IBANs and identity numbers in a text as it looks to a reader; they may overlap."""
    if LONG.search(text) is None:
        return
    for start, end in (*_cards(text), *_grouped_cards(text)):
        yield PersonalDataSpan(data_type=PersonalDataType.CARD, start=start, end=end)
    for match in _iban("number").finditer(text):
        if end := next((end for end in _ends(match) if _is_iban(text[match.start() : end])), None):
            yield PersonalDataSpan(data_type=PersonalDataType.IBAN, start=match.start(), end=end)
    starts = [match.start() for match in _START.finditer(text)]
    starts = [start for start in starts if _any_identity().match(text, start)]
    for identity in _identities() if starts else ():
        for match in _at(starts, identity.form, text):
            if _is_identity(identity, text, match):
                yield PersonalDataSpan(data_type=PersonalDataType.IDENTITY, start=match.start(), end=match.end())


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for match in _card("number").finditer(text):
        # Another number may follow after a blank: the longest beginning that is a card counts.
        for end in _ends(match, most=_GAPS_TRIED):
            if _is_card(text[match.start() : end]):
                yield match.start(), end
                break


def _grouped_cards(text: str) -> Iterator[tuple[int, int]]:
    for match in _card("grouped").finditer(text):
        end = _end_of_groups(text, match)
        if end and _is_card(text[match.start() : end]):
            yield match.start(), end


def _end_of_groups(text: str, match: re.Match[str]) -> int:
    """Return the end of a card that groups of digits begin with; 0 if no card is written in such groups.

    Groups that another one of the same length follows are a list, such as of years.
    """
    between = [gap[0] for gap in _BETWEEN.finditer(match[1])]
    alike = [" " if gap.isspace() else gap for gap in between]
    sizes = [len(group) for group in _BETWEEN.split(match[1])]
    for groups in load("personal")["cards"]["groups"]:
        most = len(groups)
        if sizes[:most] != groups or len(set(alike[: most - 1])) != 1:
            continue
        if len(sizes) == most or (sizes[most], alike[most - 1]) != (groups[0], alike[0]):
            return match.start() + sum(groups) + sum(map(len, between[: most - 1]))
    return 0


def _ends(match: re.Match[str], *, most: int | None = None) -> Iterator[int]:
    """Yield the possible ends of a number: the end of the match, and then each gap in it from the last one on.

    Args:
        most: how many gaps are tried; `None` tries all.
    """
    yield match.end()
    gaps = [at for at, character in enumerate(match[0]) if character == "-" or character.isspace()]
    yield from (match.start() + at for at in gaps[: -1 - (most or len(gaps)) : -1])


def _is_card(number: str) -> bool:
    digits = _bare(number)
    fits = any(digits.startswith(first) and len(digits) in lengths for first, lengths in _card_lengths())
    return fits and len(set(digits)) > 1 and _is_valid("luhn", digits)


@cache
def _card_lengths() -> tuple[tuple[tuple[str, ...], frozenset[int]], ...]:
    lengths: Mapping[str, Sequence[int]] = load("personal")["cards"]["lengths"]
    return tuple((_first_digits(first), frozenset(allowed)) for first, allowed in lengths.items())


def _first_digits(first: str) -> tuple[str, ...]:
    least, _, most = first.partition("-")
    return tuple(map(str, range(int(least), int(most or least) + 1)))


def _is_iban(number: str) -> bool:
    # The tables of banks that some countries have are never up to date: the form and the check digits count.
    check: Callable[..., bool] = import_module("stdnum.iban").is_valid
    return check(_bare(number), check_country=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Identity:
    """An identity number: its form, the module of `stdnum` that verifies it, and the words that name it.

    Args:
        module: `""` if only the form can be verified.
        words: `None` if it needs no word near it.
    """

    form: re.Pattern[str]
    module: str
    words: re.Pattern[str] | None


@cache
def _identities() -> tuple[_Identity, ...]:
    return tuple(_identity(entry) for entry in load("personal")["identity"]["numbers"])


def _identity(entry: Mapping[str, Any]) -> _Identity:
    words = entry.get("words")
    return _Identity(
        form=re.compile(_whole(entry["match"])),
        module=entry.get("check", ""),
        words=re.compile("|".join(words), re.IGNORECASE) if words else None,
    )


# Most positions are tried once with this, and not with each form.
@cache
def _any_identity() -> re.Pattern[str]:
    forms = [entry["match"] for entry in load("personal")["identity"]["numbers"]]
    # The group of a form needs a name of its own among those of others.
    named = (
        form.replace("([- ])", f"(?P<g{place}>[- ])").replace("\\1", f"(?P=g{place})")
        for place, form in enumerate(forms)
    )
    return re.compile(_whole("|".join(named)))


def _whole(form: str) -> str:
    return rf"(?<![\w.-])(?:{form})(?![\w-])"


def _at(starts: Sequence[int], form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a form at ascending positions; no match overlaps the one before."""
    past = 0
    for start in starts:
        if start >= past and (match := form.match(text, start)):
            past = match.end()
            yield match


def _is_identity(identity: _Identity, text: str, match: re.Match[str]) -> bool:
    if identity.words is not None and not _is_named(text, match, identity.words):
        return False
    return not identity.module or _is_valid(identity.module, _bare(match[0]))


def _is_named(text: str, match: re.Match[str], words: re.Pattern[str]) -> bool:
    behind = _BEHIND.match(text, match.end())
    return bool(
        words.search(text, max(0, match.start() - _NEAR), match.start())
        or (behind and words.search(text, behind.start(), behind.end()))
    )


def _bare(number: str) -> str:
    return _SEPARATOR.sub("", number)


def _is_valid(module: str, number: str) -> bool:
    # Loaded with the first number that needs it: most processes never meet any.
    check: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    return check(number)
