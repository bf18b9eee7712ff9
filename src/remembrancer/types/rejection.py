"""What people have said is wrong, by its words: it stands whatever becomes of the memory that said it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A rejection: what a memory said is not to be said again.

    Args:
        words: a fingerprint of what it said, however it is spaced, cased and ended.
        record: the id of that memory; a fingerprint of it, where it was erased.
    """

    words: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """Rejections that stand no longer.

    Args:
        words: fingerprints of what may be said again.
        record: by which memory alone; whichever said it, if not given.
    """

    words: tuple[str, ...]
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disowned:
    """The rejections of a memory that is erased: they stand, and name it no longer.

    Args:
        name: a fingerprint of its id.
    """

    record: str
    name: str
