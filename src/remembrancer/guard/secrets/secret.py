"""A credential that was found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One credential: `text[start:end]` is the part that must not be kept."""

    kind: str
    start: int
    end: int
