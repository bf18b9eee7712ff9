"""What is put aside and kept: out of recall, found when it is asked for, back when it is restored."""

from collections.abc import Sequence

from remembrancer.governance.owning import all_of
from remembrancer.governance.writing import Writing
from remembrancer.model.lifecycle import Status


async def archive(writing: Writing, ids: Sequence[str]) -> int:
    """Archive memories of the exact scope that this transaction has found to be active; how many."""
    found = await all_of(writing.tx, ids)
    await writing.set_aside(found, Status.ARCHIVED)
    return len(found)
