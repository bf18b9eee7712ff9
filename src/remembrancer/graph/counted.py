"""Names as a scope uses them: how many memories have each, and which words are no names."""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from remembrancer.language.analysis import name_term, slots_of
from remembrancer.storage.tx import Tx

# A single word is a name if it is a name in this share of the memories that have the word.
_NAME_SHARE: Final = 0.8


async def counted_names(tx: Tx, names: Collection[str]) -> dict[str, int]:
    """Return the number of memories with each name, without words that the scope rarely writes as a name.

    Args:
        names: as `language.names.named` returns them; unknown ones are left out.
    """
    single = {name: {form for slot in slots_of(name) for form in slot} for name in names if " " not in name}
    terms = {name_term(name) for name in names}.union(*single.values())
    counts: defaultdict[str, int] = defaultdict(int)
    for (_, term), count in (await tx.text_index.frequencies(sorted(terms))).items():
        counts[term] += count
    found = {name: counts[name_term(name)] for name in names}
    return {
        name: count
        for name, count in found.items()
        if count and count >= _NAME_SHARE * max((counts[form] for form in single.get(name, ())), default=0)
    }
