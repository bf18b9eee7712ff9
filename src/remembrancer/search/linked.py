"""Memories that are linked to the best ones by names: the second half of evidence that lies apart.

A question names a film, the best hit names its director, and another memory has the place where the director was born:
it shares no word with the question. Names are terms of the text index, so the scope, the class and the erasure of a
memory apply to its links. One step along the names is as good as personalised PageRank over all of them
(`docs/how-it-works/retrieval.md`).
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from remembrancer.graph.counted import counted_names
from remembrancer.language.analysis import name_term
from remembrancer.language.names import runs_of
from remembrancer.storage.tx import Tx

# So many of the best memories hand on their names.
SEEDS: Final = 3
# A name of more memories, such as that of a speaker, links nothing in particular.
MOST_MEMORIES: Final = 20
# The shares of the question and of the best memories in the value of a name.
_OF_QUESTION: Final = 0.5
# What a seed keeps of its own value.
_OWN: Final = 0.5
# A rank counts by its distance from so many places before the first.
RANK_OFFSET: Final = 10


async def links(tx: Tx, question: str, seeds: Mapping[int, float], *, total: int) -> Mapping[int, float]:
    """Return the documents that share rare names with a question and its best memories, with their values above 0.

    Empty if the question has no such name: in a talk, names of everyday things would only distract.

    Args:
        seeds: the best documents, each with its score in [0, 1].
        total: the number of documents.
    """
    runs = runs_of(question)
    counted = await _counted(tx, {name for run in runs for name in run})
    asked = _longest(runs, counted)
    if not asked:
        return {}
    of_seeds = await tx.text_index.names(list(seeds))
    counted |= await _counted(tx, {name for names in of_seeds.values() for name in names} - counted.keys())
    values = _values(asked, seeds, of_seeds, {name: _idf(total, count) for name, count in counted.items()})
    statistics = await tx.text_index.statistics()
    places = {(one.scope, name_term(name)): name for one in statistics for name in values}
    documents: defaultdict[str, list[int]] = defaultdict(list)
    for place, postings in (await tx.text_index.postings(list(places))).items():
        documents[places[place]] += postings.documents.tolist()
    found: defaultdict[int, float] = defaultdict(float)
    for name, numbers in documents.items():
        for document in numbers:
            found[document] += values[name] / len(numbers)
    if found.keys() <= seeds.keys():
        return {}
    whole = sum(seeds.values()) or 1.0
    for document, score in seeds.items():
        found[document] += _OWN * score / whole
    return found


async def _counted(tx: Tx, names: set[str]) -> dict[str, int]:
    """Return the number of memories of each name that links some."""
    counted = await counted_names(tx, names)
    return {name: count for name, count in counted.items() if count <= MOST_MEMORIES}


def _longest(runs: Sequence[Sequence[str]], known: Mapping[str, int]) -> list[str]:
    """Return the known names of a question, the longest at each place."""
    found: list[str] = []
    place = 0
    while place < len(runs):
        name = next((name for name in runs[place] if name in known), None)
        found += [name] if name else []
        place += len(name.split()) if name else 1
    return list(dict.fromkeys(found))


def _values(
    asked: Sequence[str], seeds: Mapping[int, float], of_seeds: Mapping[int, Sequence[str]], idf: Mapping[str, float]
) -> Mapping[str, float]:
    """Return the value of each name: its share in the question, and in each of the best memories."""
    values: defaultdict[str, float] = defaultdict(float)
    whole = sum(idf[name] for name in asked)
    for name in asked:
        values[name] += _OF_QUESTION * idf[name] / whole
    scores = sum(seeds.values()) or 1.0
    for document, names in of_seeds.items():
        linking = [name for name in names if name in idf]
        weight = sum(idf[name] for name in linking)
        for name in linking:
            values[name] += (1 - _OF_QUESTION) * seeds[document] / scores * idf[name] / weight
    return values


def _idf(total: int, count: int) -> float:
    return math.log(1 + total / count)
