"""A password told in a sentence, in one of five languages: its name, perhaps whose it is, a sign or a verb, the value.

Patterns are tried on a text without accents.
"""

import re
from typing import Final

from remembrancer.governance.secrets.shape import Shape, shape
from remembrancer.governance.secrets.values import PATH, REFERENCE, is_placeholder, is_strong, words

_SIGN: Final = (
    r"(?P<sign>[ \t]{0,3}(?::(?!:)|=|->|=>|→)"
    r"|[ \t]{1,3}(?i:ist|lautet|war|is now|is|was|es|era|sera|est|etait|e'?|sei|be|to|in|a|auf|zu|en|con|sur))"
)
# Whose it is, or what for: a few words, none of which makes it something about a password.
_WHOSE: Final = r"(?P<whose>(?:[ ][\w'./@-]{1,32}){0,6}?)"
_VALUE: Final = (
    r"[ \t]{0,4}[*_]{0,2}[\"'`«“(\[]{0,2}(?P<secret>(?:(?![;&,][\w. ]{1,40}=)[^\s\"'`«»()\[\]<>]){3,128}(?<![.,;:*_|]))"
)
_ABOUT: Final = words(
    """policy policies length reset expiry expires expired manager field rules rule hint hash hashed strength change
    changed forgotten required requirement requirements length input form page prompt file generator protected not no
    never kein keine nicht abgelaufen richtlinie lange vergessen no nunca caducada longitud politica pas jamais expire
    longueur oublie non mai scaduta lunghezza dimenticata error errors wrong invalid falsch incorrecta
    incorrect errata"""
)


def _is_told(match: re.Match[str]) -> bool:
    if not _ABOUT.isdisjoint(match["whose"].lower().split()):
        return False
    value = match["secret"]
    if is_placeholder(value) or REFERENCE.fullmatch(value) or PATH.fullmatch(value):
        return False
    if match["sign"].strip().lower() in _LOOSE and not is_strong(value, shortest=8):
        return False
    return is_strong(value, shortest=6) or (value.isdecimal() and len(value) >= 4)


# Behind these stands more often something else.
_LOOSE: Final = words("in a to auf zu en con sur be sei e e'")

_NAMES: Final = (
    ("password passphrase passcode passwd", r"(?i:pass(?:word|phrase|code|wd)s?)"),
    ("passwort kennwort zugangscode losungswort", r"(?i:passwort|kennwort|zugangscode|losungswort)"),
    ("contrasena clave", r"(?i:contrasena|clave(?: de acceso| secreta)?)"),
    ("passe", r"(?i:passe)(?<=[Mm]ot de passe|MOT DE PASSE|Mot de Passe)"),
    ("mdp pw", r"(?i:mdp|pw)(?![A-Za-z0-9])"),
    ("d'acces", r"(?i:d'acces)(?<=[Cc]ode d'acces)"),
    ("parola chiave", r"(?i:parola d'ordine|parola chiave|chiave d'accesso|chiave segreta)"),
    ("schlussel api-schlussel", r"(?i:(?:api|zugriffs|geheim)?-?schlussel)"),
)


def _pattern(name: str) -> str:
    return rf"(?<![A-Za-z0-9_]){name}{_WHOSE}{_SIGN}{_VALUE}"


SHAPES: Final[tuple[Shape, ...]] = (
    *(shape(needles, _pattern(name), _is_told) for needles, name in _NAMES),
    shape(
        "user login email e-mail konto usuario utilisateur utente",
        r"(?i:user(?:name)?|login|e-?mail|konto|usuario|utilisateur|utente)[ ]?[:=][ ]?[^\s]{1,64}[\s,;|/]{1,4}"
        r"(?i:pass)"
        rf"(?P<whose>)(?P<sign>[ \t]{{0,3}}[:=]){_VALUE}",
        _is_told,
    ),
)
