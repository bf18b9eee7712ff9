"""The forms in which one name is written: titles, initials, legal forms, accents and addresses."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from remembrancer.language.spelling import bare, folded
from remembrancer.language.tables import word_list

_TITLES: Final = word_list("words", "titles")
_LEGAL_FORMS: Final = tuple(tuple(form.split("_")) for form in sorted(word_list("words", "legal_forms"), key=len))
_NOT_OF_PEOPLE: Final = word_list("words", "not_of_people")
_SEPARATORS: Final = re.compile(r"[._+-]+")


def plain_spellings(name: str) -> frozenset[str]:
    """Return a name without accents: with umlauts as one letter and as two."""
    return frozenset((folded(name), folded(bare(name))))


def different_names(names: Sequence[str]) -> set[frozenset[str]]:
    """Return the words of those names that differ by more than the order of their words and their accents."""
    return {frozenset(min(plain_spellings(name)).split()) for name in names}


def without_title(name: str) -> str:
    """Return a name without the titles before it; `""` if nothing else is left."""
    words = name.split()
    while words and words[0] in _TITLES:
        words.pop(0)
    return " ".join(words)


def without_legal_form(name: str) -> str:
    """Return the name of a firm without its legal form; the name itself if it has none."""
    words = tuple(name.split())
    for form in _LEGAL_FORMS:
        if len(words) > len(form) and words[-len(form) :] == form:
            return " ".join(words[: -len(form)])
    return name


def may_be_of_person(name: str) -> bool:
    """Return whether a name does not end like that of an organisation or a thing: `Acme Bank`."""
    return name.rpartition(" ")[2] not in _NOT_OF_PEOPLE and without_legal_form(name) == name


def with_legal_forms(name: str) -> list[str]:
    """Return a name with each legal form of a firm."""
    return [" ".join((name, *form)) for form in _LEGAL_FORMS]


def is_short_for(short: str, full: str) -> bool:
    """Return whether a name is another one with initials: `J. Weidmann`, `Mary L. Hargrove`."""
    first, second = short.split(), full.split()
    if first == second or not any(len(word) == 1 for word in first) or any(len(word) == 1 for word in second):
        return False
    if len(first) > len(second):
        # A middle initial that the full name lacks.
        first = [first[0], *[word for word in first[1:-1] if len(word) > 1], first[-1]]
    pairs = zip_longest(first, second, fillvalue="")
    is_alike = all(one == other or (len(one) == 1 and other.startswith(one)) for one, other in pairs)
    return is_alike and any(len(one) > 1 for one in first)


def words_of_address(address: str) -> list[str]:
    """Return the words before the `@` of an e-mail address."""
    return [word for word in _SEPARATORS.split(address.partition("@")[0].casefold()) if word and not word.isdigit()]


def is_address_of(words: Sequence[str], name: str) -> bool:
    """Return whether the words of an address are those of a full name, in any order, or its initial and surname.

    Args:
        words: see `words_of_address`.
        name: with two words or more.
    """
    return any(_is_address_of(words, spelling.split()) for spelling in plain_spellings(name))


def _is_address_of(words: Sequence[str], parts: Sequence[str]) -> bool:
    if len(parts) < 2 or not words:
        return False
    if len(words) == 1:
        return words[0] in (parts[0][0] + parts[-1], parts[0] + parts[-1], parts[-1] + parts[0])
    return set(words) == {parts[0], parts[-1]} or list(words) == [parts[0][0], parts[-1]]
