"""A password told in a sentence, in one of five languages: its name, perhaps whose it is, a sign or a verb, the value.

Patterns are tried on a text without accents.
"""

import re
from typing import Final

from remembrancer.guard.secrets.shape import Shape, shape
from remembrancer.guard.secrets.values import PATH, REFERENCE, is_placeholder, is_strong, words

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
    ("codigo", r"(?i:codigo de acceso)"),
    ("mdp pw", r"(?i:mdp|pw)(?![A-Za-z0-9])"),
    ("d'acces", r"(?i:d'acces)(?<=[Cc]ode d'acces)"),
    ("parola chiave", r"(?i:parola d'ordine|parola chiave|chiave d'accesso|chiave segreta)"),
    ("schlussel api-schlussel", r"(?i:(?:api|zugriffs|geheim)?-?schlussel)"),
)


def _is_after_pass(match: re.Match[str]) -> bool:
    # Behind it a test or a rule is named as often.
    return _is_told(match) and match["sign"].strip() in (":", "=") and not _OF_A_PASS.match(match["secret"])


_OF_A_PASS: Final = re.compile(
    r"(?i)[^_/]*[_/]|.*\.(?!$)|(?:sha|md|utf|mp|http|x|aes|base)-?\d{1,3}$|(?:tests?|checks?|case|step|stage|level|phase|run|unit|build|job|round|v|py|node)[-#]?\d"
)


def _is_phrase(match: re.Match[str]) -> bool:
    """Whether it is a phrase of words that make no sentence."""
    said = match["secret"].lower().split()
    least = _LEAST_WORDS if match["name"].lower().startswith("passphrase") else _LEAST_WORDS + 1
    if all(len(word) == 1 for word in said) or len(said) < least:
        return len(said) >= least
    return _IN_SENTENCES.isdisjoint(said) and len(set(said)) > 1 and sum(map(len, said)) >= 3 * len(said)


_LEAST_WORDS: Final = 3
_IN_SENTENCES: Final = _ABOUT | words(
    """a about account add after again all also always an and any are as ask at authentication be been before but by can
    characters choose chosen confirm contains could current default different do does each either email empty encrypted
    enter field fields find first for from get has have he her here hidden his how i if in incorrect invalid is it its
    keep kept known last least leave letters like line login long lost make match matches may minimum missing more must
    my name need needed needs new no none nor not now number of off old on once one only optional or other our out over
    passphrase password passwords please protected rather read repeat required reset same saved second see send sent set
    shall share should show so some stored string such text than that the their them then there these they this those
    to too two type under until update updated use used user username using valid value via was we were what when where
    which who why will with without wrong you your as passwort bitte der die das ein eine ist und oder mit von neu neues
    eingeben wiederholen el la los las un una es y o de del su tu con nueva por favor le les une est et ou du des votre
    il lo gli uno e di che della nuova inserire"""
)


def _pattern(name: str) -> str:
    return rf"(?<![A-Za-z0-9_]){name}{_WHOSE}{_SIGN}{_VALUE}"


_PHRASE: Final = (
    r"(?P<name>(?i:pass(?:phrase|word|wd)|passwort|kennwort|contrasena|clave(?: de acceso)?|mot de passe))"
    r"[*_]{0,2}[\"'`]?[ \t]{0,3}[:=](?![:=])[*_]{0,2}[ \t]{0,4}[\"'`“«]?"
    r"(?P<secret>[A-Za-z]{1,16}(?:[ ][A-Za-z]{1,16}){2,11}+)(?=[\"'`”»]|\.?[ \t]*(?:[\r\n]|\Z))"
)

SHAPES: Final[tuple[Shape, ...]] = (
    shape("passphrase password passwd passwort kennwort contrasena clave mot", _PHRASE, _is_phrase),
    shape(
        "pass",
        r"(?<![A-Za-z0-9_.-])(?<!boarding )(?<!Boarding )(?<!ski )(?<!day )(?<!season )(?<!mountain )(?i:pass)"
        rf"(?P<whose>)[\"'`]?(?P<sign>[ \t]{{0,3}}[:=](?![:=])){_VALUE}",
        _is_after_pass,
    ),
    *(shape(needles, _pattern(name), _is_told) for needles, name in _NAMES),
    shape(
        "user login email e-mail konto usuario utilisateur utente",
        r"(?i:user(?:name)?|login|e-?mail|konto|usuario|utilisateur|utente)[ ]?[:=][ ]?[^\s]{1,64}[\s,;|/]{1,4}"
        r"(?i:pass)"
        rf"(?P<whose>)(?P<sign>[ \t]{{0,3}}[:=]){_VALUE}",
        _is_told,
    ),
)
