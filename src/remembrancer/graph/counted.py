"""Names as a scope uses them: how many memories have each, and which words are no names."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from remembrancer.language.analysis import maybe_name_term, name_part_term, name_term, slots_of
from remembrancer.language.names import is_identifier, is_office, is_small, sides_of
from remembrancer.storage.tx import Tx

# A single word is a name if it is one, or a part of one, in this share of the memories that have the word.
_NAME_SHARE: Final = 0.8
# One word of a longer name is a part of names in this share.
_PART_SHARE: Final = 0.5


async def counted_names(tx: Tx, names: Collection[str]) -> dict[str, int]:
    """Return the number of memories with each name, without words that the scope rarely writes as a name.

    Args:
        names: as `language.names.named` returns them; unknown ones are left out.
    """
    words = {name for name in names if " " not in name}
    counts = await _counts(tx, map(name_term, names), words)
    return {
        name: count
        for name in names
        if (count := counts.get(name_term(name), 0))
        and (name not in words or is_identifier(name) or _share(counts, name) >= _NAME_SHARE)
    }


async def shown_names(tx: Tx, names: Collection[str]) -> dict[str, int]:
    """Return the same, without what no memory shows to be a name.

    These are words that only ever begin a sentence, names whose words are written small elsewhere, and two names that
    are joined by "and".
    """
    words = {word for name in names for word in name.split() if not is_small(word)}
    sides = {side for name in names for side in sides_of(name)}
    titles = {f"the {name}" for name in names}
    counts = await _counts(tx, map(name_term, {*names, *sides, *titles}), words)

    def is_shown(name: str, count: int) -> bool:
        if is_identifier(name):
            return True
        if is_office(name) or counts.get(name_term(f"the {name}"), 0) >= count:
            return False
        parts = [word for word in name.split() if word in words]
        if len(parts) == 1:
            return _share(counts, parts[0]) >= _NAME_SHARE and counts.get(name_part_term(parts[0]), 0) > 0
        is_name = any(
            _share(counts, part) >= _PART_SHARE and (" s " in name or counts.get(name_part_term(part), 0) > 0)
            for part in parts
            if not part.isdigit()
        )
        of_sides = [counts.get(name_term(side), 0) for side in sides_of(name)]
        least = 1 if " s " in name else 2
        return is_name and not (of_sides and all(of_sides) and (count < least or max(of_sides) > count))

    found = {name: counts.get(name_term(name), 0) for name in names}
    return {name: count for name, count in found.items() if count and is_shown(name, count)}


async def _counts(tx: Tx, terms: Iterable[str], words: Collection[str]) -> Mapping[str, int]:
    """Return the number of memories with each term, and with the terms of words in any writing."""
    of_words = {term for word in words for term in (*_forms(word), name_part_term(word), maybe_name_term(word))}
    counts = Counter[str]()
    for (_, term), count in (await tx.text_index.frequencies(sorted({*terms, *of_words}))).items():
        counts[term] += count
    return counts


def _forms(word: str) -> set[str]:
    return {form for slot in slots_of(word) for form in slot}


def _share(counts: Mapping[str, int], word: str) -> float:
    """Return the share of the memories with a word that write it as a name, or as a part of one."""
    as_name = counts.get(name_part_term(word), 0) + counts.get(maybe_name_term(word), 0)
    return as_name / max(1, *(counts.get(form, 0) for form in _forms(word)))
