"""Which names the graph takes for one entity, on pairs that were written without a look at the code.

    python -m bench.naming [FILE]

FILE has a list of objects with `texts`, `one`, `other` and `same`; `name_pairs.json` by default.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from bench.places import IN_MEMORY
from remembrancer import NotFound
from remembrancer.language.names import named


async def is_merged(pair: dict[str, Any]) -> bool:
    """Return whether one page has both names."""
    async with IN_MEMORY.open(None) as memory:
        for text in pair["texts"]:
            await memory.save(text)
        for name, other in ((pair["one"], pair["other"]), (pair["other"], pair["one"])):
            try:
                page = await memory.graph.entity(name)
            except NotFound:
                continue
            if named(other) in {page.name, *(one.name for one in page.aliases)}:
                return True
    return False


async def run(pairs: Sequence[dict[str, Any]]) -> None:
    """Print the wrong ones, and the counts."""
    counts = {(same, merged): 0 for same in (True, False) for merged in (True, False)}
    for pair in pairs:
        merged = await is_merged(pair)
        counts[pair["same"], merged] += 1
        if merged != pair["same"]:
            print(
                f"{'missed' if pair['same'] else 'FALSE'}: {pair['one']} / {pair['other']}: {' | '.join(pair['texts'])}"
            )
    print(
        f"same: {counts[True, True]} of {counts[True, True] + counts[True, False]} found;"
        f" different: {counts[False, True]} of {counts[False, True] + counts[False, False]} merged"
    )


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("name_pairs.json")
    anyio.run(run, json.loads(path.read_text("utf-8")))
