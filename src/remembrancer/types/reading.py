"""What is known of conversations that were imported: how far each was read, and what of them was erased."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How far a conversation was imported, as it was read in one place. Its texts are fingerprints of the store's own.

    Args:
        source: the place, or the conversation's own id where it has one; `""` where it has neither.
        session: the session that the conversation is in.
        opening: the first message of it that says at what time of day it was said; `""` where none does.
        digest: all of the conversation, as it was read there the last time.
        messages: how many messages of the conversation were imported, from wherever; erased ones count.
        lacking: how many of those the place had no more, since it was edited, when it was read there.
        elsewhere: how many have come from other places since it was read there, and were not in it.
        left_out: how much of the file was left out when it was read there.
    """

    source: str
    session: str
    opening: str
    digest: str
    messages: int
    lacking: int = 0
    elsewhere: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """An imported message that was erased, by a fingerprint of its id: no import brings it back."""

    mark: str
