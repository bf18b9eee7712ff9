"""Where personal data stands in a text, and what takes its place."""

import re
from collections.abc import Callable, Collection, Iterable

from remembrancer.guard.personal.addresses import addresses, telephones
from remembrancer.guard.personal.naming import names
from remembrancer.guard.personal.numbers import numbers
from remembrancer.language.lookalikes import plain
from remembrancer.language.marking import marked
from remembrancer.types.personal import BY_FORM, NAMES, Datum, Found

# The surest first.
_RANK = {
    datum: rank
    for rank, datum in enumerate((Datum.IBAN, Datum.CARD, Datum.IDENTITY, Datum.EMAIL, Datum.IP, Datum.PHONE, *NAMES))
}

# All that is told by its form has one of these.
_OF_FORMS = re.compile(r"[\d@]")


def find_personal(text: str, among: Collection[Datum] = BY_FORM) -> tuple[Found, ...]:
    """The personal data of some kinds in a text, in order and without overlap.

    It is looked for in the text as it looks to a reader, and told by its place in the text as it is. Names are looked
    for only where they are among the kinds, which may take long.

    Raises:
        StoreError: names are among the kinds, and what tells them is missing.
    """
    looks = plain(text)
    # Whatever is asked for, all forms are looked for: what is a card is no telephone number.
    named = names(looks.text) if any(datum in among for datum in NAMES) else ()
    formed = (numbers, addresses, telephones) if _OF_FORMS.search(looks.text) else ()
    found = _settled([*(one for find in formed for one in find(looks.text)), *named])
    wanted = [one for one in found if one.datum in among]
    if not looks.gone:
        return tuple(wanted)
    placed = ((one.datum, looks.span(one.start, one.end)) for one in wanted)
    return tuple(Found(datum=datum, start=start, end=end) for datum, (start, end) in placed)


def masked(text: str, found: Iterable[Found]) -> str:
    """A text with a mark in place of each piece of personal data, such as `[CARD]`."""
    return marked(text, ((one.start, one.end, f"[{one.datum.upper()}]") for one in found))


def veil(among: Collection[Datum]) -> Callable[[str], str]:
    """What puts marks in place of the personal data of some kinds in a text."""
    return lambda text: masked(text, find_personal(text, among))


def _settled(found: Iterable[Found]) -> list[Found]:
    """Of what overlaps the kind that is surest: those with check digits come first."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (_RANK[one.datum], one.start, -one.end)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)
