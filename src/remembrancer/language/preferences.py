"""Whether a text states what its speaker prefers, avoids or wants to be done every time; in five languages."""

import re
from typing import Final

# Each at the start of a word, in small letters.
_STATED: Final = (
    # English
    r"(?:i|we)(?:'d| would| really| strongly| usually| always| generally| typically| only| also| much| still)*"
    r" (?:prefer|dislike|hate|detest|loathe|avoid|adore|can(?:'?t|not) (?:stand|eat|drink|have)|never|always|only"
    r"|do(?:n'?t| not) (?:like|eat|drink|want|drive|fly|take)|keep (?:kosher|halal))\b",
    r"(?:i|we) (?:really |also |absolutely )?(?:like|love|enjoy)\b|i(?:'d| would) rather\b",
    r"i (?:want|need) my\b|(?:allergic|intolerant) to\b|(?:vegan|vegetarian|kosher|halal|gluten[- ]free)\b",
    r"my (?:favou?rite|preference|preferred)\b|(?:preference|aversion|dislike) (?:for|to|of)\b",
    r"please (?:always|never|use|keep|don'?t|do not|include|make sure|avoid)\b",
    r"from now on\b|always\b|never\b|^no \w+|i (?:drink|eat|wear|use) no\b|i learn best\b",
    # German
    r"(?:ich|wir) (?:\w+ )?(?:mag|mögen|hasse|hassen|liebe|lieben|bevorzuge|bevorzugen|meide|vertrage|esse|trinke"
    r"|fahre|fliege|nehme|will|möchte) (?:\w+ ){0,4}?(?:kein\w*|nicht|nie|niemals|lieber|gern\w*|nur|immer)\b",
    r"(?:ich|wir) (?:mag|mögen|hasse|hassen|liebe|lieben|bevorzuge|bevorzugen|meide)\b|lieblings\w*",
    r"(?:allergisch|vegan\w*|vegetari\w+|am liebsten|ab jetzt)\b|bitte (?:immer|nie|niemals|kein\w*|nicht|nur)\b",
    # Spanish
    r"(?:prefiero|preferimos|odio|detesto|evito|me gusta\w*|me encanta\w*|mi favorit[oa]|alérgic[oa]|vegan[oa])\b",
    r"no (?:me gusta\w*|como|bebo|tomo|soporto|aguanto)\b|vegetarian[oa]\b|por favor,? (?:siempre|nunca|no)\b",
    # French
    r"je (?:préfère|déteste|évite)\b|j'(?:aime|adore|évite)\b|(?:allergique|végan\w*|végétarien\w*)\b",
    r"je n(?:e |')(?:aime|mange|bois|supporte|prends) (?:pas|plus|jamais)\b|m(?:on|a) \w+ préférée?\b",
    # Italian
    r"(?:preferisco|preferiamo|odio|detesto|evito|mi piac\w+|adoro|allergic[oa]|vegan[oa]|preferit[oa])\b",
    r"non (?:mi piac\w+|mangio|bevo|sopporto|prendo)\b|vegetarian[oa]\b|per favore,? (?:sempre|mai|non)\b",
)
# That a word begins is looked at once, and not for each: on a chat's message that took ten times as long.
_PREFERENCE: Final = re.compile(rf"\b(?:{'|'.join(_STATED)})")
# What `re.IGNORECASE` takes for a small letter, and `str.lower` does not.
_POSING: Final = str.maketrans("\u0130\u0131\u017f", "iis")
# A longer text is about something else.
_LONGEST = 250


def states_preference(text: str) -> bool:
    """Return whether a text states a preference or a standing instruction of its speaker."""
    if len(text) > _LONGEST:
        return False
    return bool(_PREFERENCE.search(text.lower() if text.isascii() else text.translate(_POSING).lower()))
