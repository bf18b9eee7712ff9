"""Classification of memories by their texts and paths.

Words and forms decide, at the time of the write. A class is only raised here, never lowered below an explicit one.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from remembrancer.guard.prefilter import Prefilter
from remembrancer.language.lookalikes import lowered
from remembrancer.types.policy import PersonalDataType
from remembrancer.types.record import Json
from remembrancer.types.scope import Classification, most_restrictive

# A possessive or a word for a number must follow or precede: "we accept credit cards" reveals no card.
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
# A path to credentials or keys.
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
# Each pattern contains one of its substrings. Most texts contain none, so the patterns need not run.
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
_SUBSTRINGS: Final = Prefilter(_OF_RESTRICTED | _OF_CONFIDENTIAL | _OF_PATHS)
# The longest match, before and after the substring.
_AROUND: Final = 48
_RESTRICTED_DATA: Final = frozenset({PersonalDataType.CARD, PersonalDataType.IDENTITY})


def class_of_texts(
    texts: Iterable[str], *, personal: Collection[PersonalDataType] = (), secrets: bool = False, decides: bool = False
) -> Classification:
    """Return the class that texts require by their content.

    `public` by default.

    Args:
        personal: the kinds of personal data in them.
        secrets: they contained credentials, masked or not.
        decides: they are a decision.
    """
    text = "\n".join(texts)
    lower = lowered(text)
    present = _SUBSTRINGS.within(lower)
    if not _RESTRICTED_DATA.isdisjoint(personal) or _matches(text, lower, _RESTRICTED, present & _OF_RESTRICTED):
        return Classification.RESTRICTED
    if secrets or PersonalDataType.IBAN in personal or _matches(text, lower, _CONFIDENTIAL, present & _OF_CONFIDENTIAL):
        return Classification.CONFIDENTIAL
    if _matches(text, lower, _SECRET_PATH, present & _OF_PATHS):
        return Classification.CONFIDENTIAL
    if decides and _COMPLIANCE.search(text):
        return Classification.INTERNAL
    return Classification.PUBLIC


def class_of_paths(metadata: Mapping[str, Json]) -> Classification:
    """Return the class that paths in metadata require.

    It is `public` if all paths are, and `internal` without paths.
    """
    paths = [path for name in _PATHS for path in _strings(metadata.get(name))]
    if any(_SECRET_PATH.search(path) for path in paths):
        return Classification.CONFIDENTIAL
    if paths and all(_PUBLIC_PATH.fullmatch(path) for path in paths):
        return Classification.PUBLIC
    return Classification.INTERNAL


def classified(text_class: Classification, metadata: Mapping[str, Json]) -> Classification:
    """Return the class that texts and paths require together.

    Args:
        text_class: the result of `class_of_texts`.
    """
    return most_restrictive([text_class, class_of_paths(metadata)])


def _matches(text: str, lower: str, pattern: re.Pattern[str], substrings: Iterable[str]) -> bool:
    """Return True if a pattern matches near one of its substrings."""
    for substring in substrings:
        at = lower.find(substring)
        while at >= 0:
            if pattern.search(text, max(0, at - _AROUND), at + _AROUND):
                return True
            at = lower.find(substring, at + len(substring))
    return False


def _strings(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    if value is None or isinstance(value, bool | int | float | Mapping):
        return []
    return [one for one in value if isinstance(one, str)]
