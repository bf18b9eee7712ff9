"""Whether a sentence leaves a decision open, or may name a day to come. English and German."""

import re
from typing import Final

from remembrancer.language.calendar import ANY_MONTH, WEEKDAYS

_UNDECIDED: Final = re.compile(
    r"(?:\b|(?=n['’]t ))(?:(?:not|never|n['’]t) (?:yet )?(?:quite )?(?:decided|settled|sure yet|made up)|undecided"
    r"|not sure yet"
    r"|in two minds"
    r"|up in the air|still (?:have to|need to|must) decide|can['’]t (?:make up (?:our|my) minds?|decide)"
    r"|back and forth on"
    r"|decide between|still open|until i['’]ve decided"
    r"|noch (?:nicht|un)(?: \w+)? ?(?:entschieden|geklärt|klar|sicher)|noch (?:offen|ungeklärt|unklar)"
    r"|ist (?:noch )?offen"
    r"|weiß (?:ich )?noch nicht|wissen (?:wir )?noch nicht|überlegen (?:noch|gerade)|schwank(?:en|e) noch"
    r"|nicht sicher, ob)\b",
    re.IGNORECASE,
)
_DATED: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)? ?(?:of )?(?:{ANY_MONTH})\b|\b(?:{ANY_MONTH})\.? \d{{1,2}}\b"
    rf"|(?<![\w.])\d{{1,2}}\.\d{{1,2}}\.(?!\d)"
    r"|\b\d{4}-\d\d-\d\d\b"
    rf"|\b(?:by|on|next|until|bis|am|nächsten?) (?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\b(?!s)",
    re.IGNORECASE,
)


def undecided(sentence: str) -> bool:
    """Return whether a sentence says that a decision is open."""
    return bool(_UNDECIDED.search(sentence))


def names_day(sentence: str) -> bool:
    """Return whether a sentence names a day, of this week or of a month."""
    return bool(_DATED.search(sentence))
