"""Whether a sentence leaves a decision open, or may name a day to come. English and German."""

import re
from typing import Final

from remembrancer.language.calendar import any_month, any_weekday
from remembrancer.language.tables import Patterns

_CUES: Final = Patterns("profile", flags=re.NOFLAG, fill=lambda: {"month": any_month(), "weekday": any_weekday()})


def undecided(sentence: str) -> bool:
    """Return whether a sentence says that a decision is open."""
    return bool(_CUES["undecided"].search(sentence))


def names_day(sentence: str) -> bool:
    """Return whether a sentence names a day, of this week or of a month."""
    return bool(_CUES["day"].search(sentence))
