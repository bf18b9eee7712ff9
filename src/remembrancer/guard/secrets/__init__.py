"""Credentials in a text.

`kinds` is the table of what services issue; `passwords` finds them in sentences, `assignments` behind names of
settings, `columns` in tables. Start with `find`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A credential that was found: `text[start:end]` is the part that must not be stored."""

    kind: str
    start: int
    end: int
