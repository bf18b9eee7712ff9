"""Tombstones: fingerprints that block the import of erased memories.

They reveal nothing of them.
"""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.scope import Scope

_SECONDS_A_DAY = 86_400


async def tombstones_of(tx: Tx, ids: Sequence[str] | None = None, *, sign: Sign) -> list[str]:
    """Return the tombstones of the ids and texts of memories.

    Args:
        ids: of these memories; by default of all.
    """
    of_ids = [tombstone_of_id(id, sign=sign) for id in (await tx.erasure.kinds() if ids is None else ids)]
    texts = await tx.erasure.hashes(ids)
    of_texts = [tombstone_of_text(tx.scope, hash, at, sign=sign) for hash, at in texts]
    return of_ids + list(filter(None, of_texts))


def tombstone_of_id(id: str, *, sign: Sign) -> str:
    """Return the tombstone of a memory by its id."""
    return sign(f"erased {id}")


def tombstone_of_text(scope: Scope, hash: str, at: datetime, *, sign: Sign) -> str:
    """Return the tombstone of a text at a time in seconds.

    It blocks a memory with any id. A text of a user is blocked for all agents and projects of that user, any other text
    in its scope alone. A time without a clock time returns `""`: the same text may occur again on that day.
    """
    if not int(at.timestamp()) % _SECONDS_A_DAY:
        return ""
    owner = f"user {scope.user!r}" if scope.user is not None else f"{scope.project!r} {scope.agent!r}"
    return tombstone_of_id(f"words of {owner} {hash} {int(at.timestamp())}", sign=sign)


def tombstone_of_scope(scope: Scope, *, sign: Sign) -> str:
    """Return the tombstone of a scope that was erased as a whole."""
    return tombstone_of_id(f"scope {scope.project!r} {scope.agent!r} {scope.user!r}", sign=sign)
