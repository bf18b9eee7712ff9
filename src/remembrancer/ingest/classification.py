"""Classification of texts by their content, and of paths that metadata names."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from remembrancer.guard.prefilter import Prefilter
from remembrancer.language.lookalikes import lowered
from remembrancer.types.policy import PersonalDataType
from remembrancer.types.record import Json
from remembrancer.types.scope import Classification, most_restrictive

# Of whom it is, or that it is a number: "we take credit cards" tells nothing of anybody's.
_OWN: Final = r"(?:my|your|his|her|their|our|customer'?s|'s|mein\w*|dein\w*|sein\w*|ihr\w*)"
_NUMBER: Final = r"(?:numbers?|no\.?|nr\.?|details?|data|nummern?|daten|número|numero|numéro|datos|dati|données)"
_RESTRICTED: Final = re.compile(
    rf"\bssns?\b|\bsocial (?:security|insurance) {_NUMBER}|\bnational (?:insurance|id(?:entity)?) {_NUMBER}"
    rf"|\bpassport {_NUMBER}|\bid(?:entity)? card {_NUMBER}|\bdriv(?:er'?s|ing) licen[cs]e {_NUMBER}"
    r"|\btax(?:payer)? id\b"
    rf"|\b(?:credit|debit|bank) card {_NUMBER}|\b{_OWN} (?:credit|debit) card\b|\bcard {_NUMBER}|\bcv[vc]2?\b"
    r"|\b(?:reise)?passnummer|\b(?:personal)?ausweisnummer|\bsteuer-?id|\bsteueridentifikationsnummer"
    r"|\b(?:sozial|renten)versicherungsnummer|\bkreditkarten(?:nummer|daten)|\bkartennummer|\bführerscheinnummer"
    r"|\bnúmero de(?: la)? (?:seguridad social|tarjeta|pasaporte|dni|nie)|\bdatos de(?: la)? tarjeta"
    r"|\bnuméro de (?:sécurité sociale|carte (?:bancaire|bleue|d'identité)|passeport)"
    r"|\bnumero (?:di|della) (?:carta(?: di credito| d'identità)?|passaporto|previdenza sociale)|\bcodice fiscale",
    re.IGNORECASE,
)
_CONFIDENTIAL: Final = re.compile(
    r"\bpass(?:word|phrase|code)s?\b|\bapi[ -]?keys?\b|\b(?:access|auth|bearer|refresh|session) tokens?\b"
    r"|\bprivate keys?\b"
    r"|\bsecret keys?\b|\b(?:signing|encryption|ssh|master) keys?\b|\bcredentials?\b|\brecovery codes?\b|\bseed phrase"
    r"|\b(?:passwort|passwörter|kennwort|kennwörter|zugangsdaten|zugangsschlüssel)\w*"
    r"|\bcontraseñas?\b|\bclaves? de acceso\b|\bcredenciales\b|\bmots? de passe\b|\bidentifiants de connexion\b"
    r"|\bparola d'ordine\b|\bcredenziali\b|\bchiav[ei] (?:privat|d'accesso|segret)\w*|\[SECRET:",
    re.IGNORECASE,
)
_COMPLIANCE: Final = re.compile(
    r"\bcomplian|\bsecurity\b|\baudit|\bpolic(?:y|ies)\b|\bsox\b|\bsr[ -]11-7\b|\b(?:gdpr|dsgvo|rgpd|hipaa|pci)\b",
    re.IGNORECASE,
)
# A path through a folder, or to a file, that holds what opens doors.
_SECRET_PATH: Final = re.compile(
    r"(?:^|[\s\"'`(=/~.])(?:(?:auth|secrets?|credentials?|keys?|certs?|vault)/[\w.-]"
    r"|\.(?:ssh|aws|gnupg|kube|azure)/|\.env(?:\.\w+)?(?![\w.])|\.(?:netrc|pgpass|htpasswd)\b)"
    r"|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|/etc/(?:shadow|sudoers)\b|[\w/-]\.(?:pem|p12|pfx|jks|keystore|kdbx|ppk)\b",
    re.IGNORECASE,
)
_PUBLIC_PATH: Final = re.compile(
    r"(?:\./)?(?:(?:public|docs?)/(?!.*\.\.(?:/|$)).*|(?:readme|licen[cs]e|changelog|contributing|code_of_conduct)(?:\.\w+)?)",
    re.IGNORECASE,
)
_PATHS: Final = ("paths", "path", "files", "file", "source_files", "sourceFiles")
# Pieces of which each of those holds one: most texts hold none, and need no closer look.
_OF_RESTRICTED: Final = frozenset((
    "ssn", "social", "national", "passport", "card", "licen", "tax", "cvv", "cvc", "ausweis", "nummer", "steuer",
    "kreditkarten", "número", "numero", "numéro", "datos", "codice",
))  # fmt: skip
_OF_CONFIDENTIAL: Final = frozenset((
    "pass", "api", "token", "key", "credential", "recovery", "seed", "kennw", "zugangs", "contrase", "clave",
    "credencial", "mot", "identifiants", "parola", "chiav", "[secret:",
))  # fmt: skip
_OF_PATHS: Final = frozenset((
    "auth/", "secret", "credential", "key", "cert", "vault/", ".ssh", ".aws", ".gnupg", ".kube", ".azure", ".env",
    ".netrc", ".pgpass", ".htpasswd", "id_", "/etc/", ".pem", ".p12", ".pfx", ".jks", ".kdbx", ".ppk",
))  # fmt: skip
_NEEDLES: Final = Prefilter(_OF_RESTRICTED | _OF_CONFIDENTIAL | _OF_PATHS)
# No name is longer, before and after the piece.
_AROUND: Final = 48
_RESTRICTED_DATA: Final = frozenset({PersonalDataType.CARD, PersonalDataType.IDENTITY})


def class_of_texts(
    texts: Iterable[str], *, personal: Collection[PersonalDataType] = (), secrets: bool = False, decides: bool = False
) -> Classification:
    """What texts ask for by what they hold and name; `public` where they ask for nothing.

    Args:
        personal: what was found in them.
        secrets: whether credentials were, also where they were masked.
        decides: whether it is a decision.
    """
    said = "\n".join(texts)
    folded = lowered(said)
    held = _NEEDLES.within(folded)
    if not _RESTRICTED_DATA.isdisjoint(personal) or _names(said, folded, _RESTRICTED, held & _OF_RESTRICTED):
        return Classification.RESTRICTED
    if secrets or PersonalDataType.IBAN in personal or _names(said, folded, _CONFIDENTIAL, held & _OF_CONFIDENTIAL):
        return Classification.CONFIDENTIAL
    if _names(said, folded, _SECRET_PATH, held & _OF_PATHS):
        return Classification.CONFIDENTIAL
    if decides and _COMPLIANCE.search(said):
        return Classification.INTERNAL
    return Classification.PUBLIC


def class_of_paths(metadata: Mapping[str, Json]) -> Classification:
    """What the paths that metadata names ask for: `public` where all of them are; `internal` where there is none."""
    paths = [path for name in _PATHS for path in _strings(metadata.get(name))]
    if any(_SECRET_PATH.search(path) for path in paths):
        return Classification.CONFIDENTIAL
    if paths and all(_PUBLIC_PATH.fullmatch(path) for path in paths):
        return Classification.PUBLIC
    return Classification.INTERNAL


def classified(asked: Classification, metadata: Mapping[str, Json]) -> Classification:
    """What a memory's texts and its paths ask for together.

    Args:
        asked: as `class_of_texts` gives it.
    """
    return most_restrictive([asked, class_of_paths(metadata)])


def _names(said: str, folded: str, what: re.Pattern[str], pieces: Iterable[str]) -> bool:
    """Whether a text names something: it is looked for around the pieces of which a name must have one."""
    for piece in pieces:
        at = folded.find(piece)
        while at >= 0:
            if what.search(said, max(0, at - _AROUND), at + _AROUND):
                return True
            at = folded.find(piece, at + len(piece))
    return False


def _strings(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    if value is None or isinstance(value, bool | int | float | Mapping):
        return []
    return [one for one in value if isinstance(one, str)]
