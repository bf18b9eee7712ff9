"""Whether a text states what its speaker prefers, avoids or wants to be done every time; in five languages."""

import re
from typing import Final

_STATED: Final = (
    # English
    r"\b(?:i|we)(?:'d| would| really| strongly| usually| always| generally| typically| only| also| much| still)*"
    r" (?:prefer|dislike|hate|detest|loathe|avoid|adore|can(?:'?t|not) (?:stand|eat|drink|have)|never|always|only"
    r"|do(?:n'?t| not) (?:like|eat|drink|want|drive|fly|take)|keep (?:kosher|halal))\b",
    r"\b(?:i|we) (?:really |also |absolutely )?(?:like|love|enjoy)\b|\bi(?:'d| would) rather\b",
    r"\bi (?:want|need) my\b|\b(?:allergic|intolerant) to\b|\b(?:vegan|vegetarian|kosher|halal|gluten[- ]free)\b",
    r"\bmy (?:favou?rite|preference|preferred)\b|\b(?:preference|aversion|dislike) (?:for|to|of)\b",
    r"\bplease (?:always|never|use|keep|don'?t|do not|include|make sure|avoid)\b",
    r"\bfrom now on\b|\balways\b|\bnever\b|^no \w+|\bi (?:drink|eat|wear|use) no\b|\bi learn best\b",
    # German
    r"\b(?:ich|wir) (?:\w+ )?(?:mag|mögen|hasse|hassen|liebe|lieben|bevorzuge|bevorzugen|meide|vertrage|esse|trinke"
    r"|fahre|fliege|nehme|will|möchte) (?:\w+ ){0,4}?(?:kein\w*|nicht|nie|niemals|lieber|gern\w*|nur|immer)\b",
    r"\b(?:ich|wir) (?:mag|mögen|hasse|hassen|liebe|lieben|bevorzuge|bevorzugen|meide)\b|\blieblings\w*",
    r"\b(?:allergisch|vegan\w*|vegetari\w+|am liebsten|ab jetzt)\b|\bbitte (?:immer|nie|niemals|kein\w*|nicht|nur)\b",
    # Spanish
    r"\b(?:prefiero|preferimos|odio|detesto|evito|me gusta\w*|me encanta\w*|mi favorit[oa]|alérgic[oa]|vegan[oa])\b",
    r"\bno (?:me gusta\w*|como|bebo|tomo|soporto|aguanto)\b|\bvegetarian[oa]\b|\bpor favor,? (?:siempre|nunca|no)\b",
    # French
    r"\bje (?:préfère|déteste|évite)\b|\bj'(?:aime|adore|évite)\b|\b(?:allergique|végan\w*|végétarien\w*)\b",
    r"\bje n(?:e |')(?:aime|mange|bois|supporte|prends) (?:pas|plus|jamais)\b|\bm(?:on|a) \w+ préférée?\b",
    # Italian
    r"\b(?:preferisco|preferiamo|odio|detesto|evito|mi piac\w+|adoro|allergic[oa]|vegan[oa]|preferit[oa])\b",
    r"\bnon (?:mi piac\w+|mangio|bevo|sopporto|prendo)\b|\bvegetarian[oa]\b|\bper favore,? (?:sempre|mai|non)\b",
)
_PREFERENCE: Final = re.compile("|".join(_STATED), re.IGNORECASE)
# A longer text is about something else.
_LONGEST = 250


def states_preference(text: str) -> bool:
    """Return whether a text states a preference or a standing instruction of its speaker."""
    return len(text) <= _LONGEST and bool(_PREFERENCE.search(text))
