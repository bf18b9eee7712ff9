"""Whether a text states what its speaker prefers, avoids or wants to be done every time; in five languages."""

import re
from typing import Final

from remembrancer.language.tables import Patterns

_CUES: Final = Patterns("profile", flags=re.NOFLAG)
# What `re.IGNORECASE` takes for a small letter, and `str.lower` does not.
_POSING: Final = str.maketrans("\u0130\u0131\u017f", "iis")
# A longer text is about something else.
_LONGEST = 250


def states_preference(text: str) -> bool:
    """Return whether a text states a preference or a standing instruction of its speaker."""
    if len(text) > _LONGEST:
        return False
    return bool(_CUES["preference"].search(text.lower() if text.isascii() else text.translate(_POSING).lower()))
