"""Whether a sentence states who somebody is, or what of them seldom changes: names, numbers, addresses, health.

English and German.
"""

import re
from typing import Final

_NAME: Final = r"[A-ZÄÖÜ][\w’'-]+"
# Who belongs to somebody, or does something for them.
_KIN: Final = (
    r"wife|husband|partner|sons?|daughters?|kids|children|mother(?:-in-law)?|father(?:-in-law)?|sister|brother|boss"
    r"|manager"
    r"|contact|doctor|dentist|vet|accountant|landlord|cat|dog"
    r"|frau|mann|partnerin|sohn|tochter|kinder|mutter|vater|schwester|bruder|chefin?|ansprechpartner(?:in)?"
    r"|disponent(?:in)?"
    r"|hausärztin|hausarzt|zahnärztin|zahnarzt|tierärztin|tierarzt|steuerberater(?:in)?|vermieter(?:in)?|katze|hund"
)
_NUMBERED: Final = (
    r"number|no\.|id\b|vat|iban|phone|mobile|cell|extension|account|nummer|\w+nummer|uid|durchwahl|telefon|handy"
    r"|steuernummer|konto"
)
_STATED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # Who speaks.
        rf"(?i:\b(?:my name is|i['’]m|i am|ich bin|ich heiße)) {_NAME} {_NAME}",
        rf"^(?:\W*(?:Hi|Hey|Hello|Morning|Good morning|Servus|Guten Morgen|Guten Tag|Hallo"
        rf"|Hey there)\W+)?{_NAME} {_NAME}"
        r"(?: here\b|, (?=[A-ZÄÖÜ]))",
        r"(?i:\bmy (?:job )?title is|\bi (?:run|own) (?:a|the|an)\b|\bich (?:arbeite|leite)\b)",
        # Who belongs to whom.
        rf"(?i:\b(?:my|our|mein\w*|unser\w*|the \w+|one) (?:new |neue[rs]? |old )?(?:{_KIN})\b),? (?:is |ist |heißt "
        rf"|are )?"
        rf"(?:Dr\.? |Mrs?\.? |Frau |Herr )*{_NAME}",
        rf"{_NAME}(?:,| is| ist) (?i:(?:my|our|mein\w*|unser\w*) (?:{_KIN}))\b",
        rf"(?i:\b(?:{_KIN})) (?i:(?:for \w+(?: \w+)? )?(?:is|ist|heißt)) (?:übrigens |now |jetzt )?(?:Dr\.? |Frau "
        rf"|Herr )*{_NAME}",
        rf"\b{_NAME} (?:\(\d{{1,2}}\)|(?:is|ist|turned|wird) \d{{1,2}}\b(?! ?(?:%|percent|Prozent|minutes|Minuten|px"
        rf"|o['’]clock|Uhr)))",
        r"(?i:\b(?:he|she)['’]s (?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\b)",
        rf"(?i:\bit['’]s a (?:girl|boy)\b).*{_NAME}",
        # Health.
        r"(?i:\b(?:\w*allerg\w+|intoleran\w+|coeliac|celiac|diabet\w+|asthma\w*|epipen|colou?r[- ]?blind|rot-grün\w*"
        r"|laktose\w*"
        r"|gluten\w*|thyroid|vegan\w*|pregnant|schwanger))\b",
        r"(?i:\b(?:vertrage|verträgt|vertragen) (?:\w+ )?kein\w*)",
        # Numbers, and where somebody is found.
        rf"(?i:\b(?:{_NUMBERED}))\b.{{0,60}}?(?:\+?\d[\d /.-]{{5,}}\d|\b\d{{3}}\b)",
        r"\b\d{1,5} (?:[A-Z][\w’']+ ){1,3}(?:Street|St|Yard|Hill|Avenue|Ave|Road|Rd|Lane|Drive|Way|Court|Square"
        r"|Place)\b"
        r"|\b\d{1,3} [A-Z][\w’']+ (?:Hill|Yard|Gardens|Mews|Row|Close)\b",
        r"\b[A-ZÄÖÜ]\w*(?:straße|strasse|gasse|weg|platz|allee|ring)\b \d+|\b[A-ZÄÖÜ]\w+ (?:Straße|Allee|Weg|Gasse"
        r"|Ring) \d+",
    )
)


def states_profile(sentence: str) -> bool:
    """Return whether a sentence states who somebody is, or what of them seldom changes."""
    return not sentence.endswith("?") and any(pattern.search(sentence) for pattern in _STATED)
