"""Names as a scope uses them: how many memories have each, and which words are no names."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from remembrancer.language.analysis import name_part_term, name_term, slots_of
from remembrancer.storage.tx import Tx

# A single word is a name if it is one, or a part of one, in this share of the memories that have the word.
_NAME_SHARE: Final = 0.8


async def counted_names(tx: Tx, names: Collection[str]) -> dict[str, int]:
    """Return the number of memories with each name, without words that the scope rarely writes as a name.

    Args:
        names: as `language.names.named` returns them; unknown ones are left out.
    """
    single = {name: {form for slot in slots_of(name) for form in slot} for name in names if " " not in name}
    terms = {name_term(name) for name in names}.union(map(name_part_term, single), *single.values())
    counts: defaultdict[str, int] = defaultdict(int)
    for (_, term), count in (await tx.text_index.frequencies(sorted(terms))).items():
        counts[term] += count
    found = {name: counts[name_term(name)] for name in names}
    return {
        name: count
        for name, count in found.items()
        if count and (name not in single or _is_name(counts, name, single[name]))
    }


def _is_name(counts: Mapping[str, int], word: str, forms: Collection[str]) -> bool:
    """Return whether a scope writes a word mostly as a name, or as a part of one."""
    return counts.get(name_part_term(word), 0) >= _NAME_SHARE * max((counts.get(form, 0) for form in forms), default=0)
