"""Checkpoints of the audit log: signed words on how far it had come, against which its end is held later."""

from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.signing import is_signed, public_key, signature_of
from remembrancer.types.audit import Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was found of a tenant's audit log.

    Args:
        entries: how many it has.
        broken: the numbers of entries that do not follow from the one before: they were changed, or one before them
            is gone.
        lost: how many are gone of those that were counted.
        against: what is wrong with what a checkpoint says of the log, or with the checkpoint; `""` for nothing.
        latest: the number of the last entry.
    """

    entries: int
    broken: tuple[int, ...] = ()
    lost: int = 0
    against: str = ""
    latest: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.broken and not self.lost and not self.against


async def checkpoint(tx: Tx, *, at: datetime, sign: Sign) -> Checkpoint:
    """How far the audit log of a tenant has come, signed."""
    sequence, last, count = await tx.audit.tip()
    unsigned = Checkpoint(
        tenant=tx.scope.tenant, sequence=sequence, hash=last, count=count, at=at, key=public_key(sign)
    )
    return replace(unsigned, signature=signature_of(_said(unsigned), sign=sign))


async def verify(tx: Tx, against: Checkpoint | None, *, sign: Sign) -> Verified:
    """Hold the audit log of a tenant against itself, and against a checkpoint."""
    latest, _, count = await tx.audit.tip()
    return Verified(
        entries=count,
        broken=tuple(await tx.audit.broken_entries()),
        lost=await tx.audit.missing_entries_below(),
        against="" if against is None else await _differs(tx, against, sign=sign),
        latest=latest,
    )


async def _differs(tx: Tx, held: Checkpoint, *, sign: Sign) -> str:
    if held.tenant != tx.scope.tenant:
        return f"the checkpoint is of tenant {held.tenant!r}, and this log of {tx.scope.tenant!r}"
    if held.key != public_key(sign):
        return "the checkpoint is signed by another store's key"
    if not is_signed(_said(held), signature=held.signature, key=held.key):
        return "the checkpoint was changed since it was signed"
    own, count = await tx.audit.up_to(held.sequence)
    if held.sequence and own is None:
        return f"entry {held.sequence} is gone, which was the last one then"
    if held.sequence and own != held.hash:
        return f"entry {held.sequence} is another than then"
    if count != held.count:
        return f"there were {held.count} entries up to {held.sequence}, and there are {count}"
    return ""


def _said(held: Checkpoint) -> dict[str, object]:
    return {
        "what": "audit checkpoint 1",
        "tenant": held.tenant,
        "sequence": held.sequence,
        "hash": held.hash,
        "count": held.count,
        "at": held.at.isoformat(),
        "key": held.key,
    }
