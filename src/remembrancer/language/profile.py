"""Whether a sentence states who somebody is, or what of them seldom changes: names, numbers, addresses, health.

English and German.
"""

import re
from typing import Final

from remembrancer.language.tables import Patterns

_CUES: Final = Patterns("profile", flags=re.NOFLAG)


def states_profile(sentence: str) -> bool:
    """Return whether a sentence states who somebody is, or what of them seldom changes."""
    return not sentence.endswith("?") and bool(_CUES["profile"].search(sentence))
