"""Signed checkpoints of the audit log, which detect later that entries at its end were removed."""

from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.signing import is_signed, public_key, sign_document
from remembrancer.types.audit import Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result of a verification of a tenant's audit log.

    Args:
        entries: number of entries.
        broken: numbers of the entries that do not follow from their predecessor: they were changed, or an entry before
            them was removed.
        lost: number of counted entries that are missing.
        against: difference from a checkpoint, or a fault of the checkpoint; `""` for none.
        latest: number of the last entry.
    """

    entries: int
    broken: tuple[int, ...] = ()
    lost: int = 0
    against: str = ""
    latest: int = 0

    @property
    def sound(self) -> bool:
        """Return True if there is no fault."""
        return not self.broken and not self.lost and not self.against


async def checkpoint(tx: Tx, *, at: datetime, sign: Sign) -> Checkpoint:
    """Return a signed checkpoint of the audit log of a tenant."""
    sequence, last, count = await tx.audit.tip()
    unsigned = Checkpoint(
        tenant=tx.scope.tenant, sequence=sequence, hash=last, count=count, at=at, key=public_key(sign)
    )
    return replace(unsigned, signature=sign_document(_signed_content(unsigned), sign=sign))


async def verify(tx: Tx, against: Checkpoint | None, *, sign: Sign) -> Verified:
    """Verify the chain of a tenant's audit log, and compare it with a checkpoint if there is one."""
    latest, _, count = await tx.audit.tip()
    return Verified(
        entries=count,
        broken=tuple(await tx.audit.broken_entries()),
        lost=await tx.audit.missing_entries_below(),
        against="" if against is None else await _difference(tx, against, sign=sign),
        latest=latest,
    )


async def _difference(tx: Tx, checkpoint: Checkpoint, *, sign: Sign) -> str:
    """Return the difference of an audit log from a checkpoint, `""` for none."""
    if checkpoint.tenant != tx.scope.tenant:
        return f"the checkpoint is of tenant {checkpoint.tenant!r}, the log of tenant {tx.scope.tenant!r}"
    if checkpoint.key != public_key(sign):
        return "the checkpoint is signed by the key of another store"
    if not is_signed(_signed_content(checkpoint), signature=checkpoint.signature, key=checkpoint.key):
        return "the checkpoint was changed after it was signed"
    hash, count = await tx.audit.up_to(checkpoint.sequence)
    if checkpoint.sequence and hash is None:
        return f"entry {checkpoint.sequence} is missing, which was the last one then"
    if checkpoint.sequence and hash != checkpoint.hash:
        return f"entry {checkpoint.sequence} has changed since"
    if count != checkpoint.count:
        return f"there were {checkpoint.count} entries up to {checkpoint.sequence}, and there are {count}"
    return ""


def _signed_content(checkpoint: Checkpoint) -> dict[str, object]:
    return {
        "what": "audit checkpoint 1",
        "tenant": checkpoint.tenant,
        "sequence": checkpoint.sequence,
        "hash": checkpoint.hash,
        "count": checkpoint.count,
        "at": checkpoint.at.isoformat(),
        "key": checkpoint.key,
    }
