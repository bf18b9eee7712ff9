"""The names of the ranking factors; every factor is in [0, 1]."""

from enum import StrEnum


class Factor(StrEnum):
    """The ranking factors of a memory."""

    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    WORDS = "words"
    MEANING = "meaning"
    NEIGHBOURS = "neighbours"
    SESSION = "session"
    SPEAKER = "speaker"
    DATE = "date"
    USER = "user"
    PREFERENCE = "preference"
    LINKED = "linked"
    RECENCY = "recency"
    UPDATED = "updated"
    IMPORTANCE = "importance"
    REVISION = "revision"
    TYPE = "type"
    FRESHNESS = "freshness"
    TIER = "tier"
    FEEDBACK = "feedback"
