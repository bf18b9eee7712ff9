"""What people do to a draft, a mail or a task, in the words they use for it, and which acts undo each other."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from remembrancer.language.stems import stem

PARTICIPLES: Final = {
    "remove": "removed",
    "add": "added",
    "shorten": "shortened",
    "lengthen": "lengthened",
    "replace": "replaced",
    "reject": "rejected",
    "approve": "approved",
    "defer": "deferred",
    "hasten": "brought forward",
    "forward": "forwarded",
    "archive": "archived",
    "restore": "restored",
    "keep": "kept",
    "rewrite": "rewritten",
    "soften": "softened",
    "sharpen": "sharpened",
    "correct": "corrected",
    "flag": "flagged",
    "increase": "increased",
    "reduce": "reduced",
    "merge": "merged",
    "split": "split",
    "use": "used",
}

OPPOSITES: Final[Mapping[str, frozenset[str]]] = {
    "remove": frozenset({"add", "keep", "restore"}),
    "add": frozenset({"remove"}),
    "keep": frozenset({"remove"}),
    "shorten": frozenset({"lengthen"}),
    "lengthen": frozenset({"shorten"}),
    "reject": frozenset({"approve"}),
    "approve": frozenset({"reject"}),
    "defer": frozenset({"hasten"}),
    "hasten": frozenset({"defer"}),
    "archive": frozenset({"restore"}),
    "restore": frozenset({"archive", "remove"}),
    "soften": frozenset({"sharpen"}),
    "sharpen": frozenset({"soften"}),
    "increase": frozenset({"reduce"}),
    "reduce": frozenset({"increase"}),
    "merge": frozenset({"split"}),
    "split": frozenset({"merge"}),
}

# Acts that say how something ended, and so are no circumstance of how it ended.
ENDINGS: Final = frozenset({"reject", "approve", "rewrite", "correct", "replace"})

# Acts of which no hour is the reason: how something is written is not a matter of when.
WRITING_ACTS: Final = frozenset(
    {"remove", "add", "shorten", "lengthen", "soften", "sharpen", "replace", "rewrite", "correct"}
)

# Acts that are no habit unless it is said what they are done to.
NEEDS_A_THING: Final = frozenset(
    {"remove", "add", "replace", "keep", "use", "correct", "increase", "reduce", "flag", "merge", "split"}
)

# Phrases of English that are one act; before the words are read. What stands in the group stays.
_BETWEEN: Final = r"((?:[\w'’-]+ ){1,4}?)"
_PHRASES: Final = (
    ("remove", rf"(?:took|takes|take|taken|left|leaves|crossed|struck|stripped|edited) {_BETWEEN}(?:out|off)"),
    ("shorten", r"(?:cut|cuts|boiled|pared|trimmed) ((?:[\w'’-]+ ){1,7}?)down"),
    ("shorten", rf"(?:made|makes|make|kept|keeps) {_BETWEEN}(?:shorter|briefer)"),
    ("lengthen", rf"(?:made|makes|make) {_BETWEEN}longer"),
    ("soften", rf"(?:toned|tones) {_BETWEEN}down"),
    ("soften", rf"(?:made|makes) {_BETWEEN}(?:softer|milder|friendlier)"),
    ("sharpen", rf"(?:made|makes) {_BETWEEN}(?:firmer|sharper|stricter)"),
    ("remove", "took out|take out|taken out|takes out|cut out|cuts out|got rid of|gets rid of|left out|leaves out"),
    (
        "remove",
        "crossed out|struck out|stripped out|stripped off|edited out|did away with|does away with|no longer uses",
    ),
    ("add", "put in|puts in|wrote in|filled in|tacked on|put back in"),
    ("shorten", "cut down|cuts down|boiled down|made shorter|makes shorter|pared down|tightened up|made it shorter"),
    ("lengthen", "made longer|makes longer|fleshed out|spelled out|spelt out|made it longer"),
    ("defer", "put off|puts off|pushed back|pushes back|held over|left for|leaves for|held until"),
    ("defer", "pushed to|pushes to|saved for|parked until|kept for"),
    (
        "defer",
        "(?:moved|pushed|shifted|left|kept|saved|parked|slid|slipped) (?:it |them |this |everything |all )?(?:back )?"
        "(?:to|until|till|for|into) (?:the )?(?:next|following|tomorrow|monday|tuesday|wednesday|thursday|friday"
        "|later)",
    ),
    ("hasten", "brought forward|moved up|moved forward|done at once|did at once"),
    ("forward", "sent on|sends on|handed over|hands over|handed to|hands to|passed on|passes on|passed to|passes to"),
    (
        "restore",
        "out of the archive|out of archive|from the archive|back to the inbox|back in the inbox|back into the inbox",
    ),
    ("restore", "moved back|put back|puts back|took back|brought back|fished out|got back|pulled back|pulled out"),
    ("archive", "filed away|files away|put away"),
    ("reject", "turned down|turns down|sent back|sends back|said no to|says no to|threw out|thrown out"),
    ("approve", "signed off|signs off|gave the go ahead|waved through|let through"),
    ("rewrite", "wrote again|written again|started over|written anew|wrote anew|redone from scratch|done over"),
    ("soften", "toned down|tones down|made friendlier|made softer|made milder"),
)

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "english": {
        "remove": "remove removal delete deletion strip drop dropped cut cuts cutting erase eliminate omit scrub"
        " discard stripped scrap scrapped excise purge axe axed prune expunge without no",
        "add": "add added adds adding addition insert insertion append include prepend",
        "shorten": "shorten shortened shorter trim trimmed condense abridge tighten compress abbreviate curtail",
        "lengthen": "lengthen longer expand extend elaborate",
        "replace": "replace replacement swap swapped substitute exchange switch",
        "reject": "reject rejection decline refuse refusal deny denied veto disapprove",
        "approve": "approve approval accept accepted okay confirm",
        "defer": "defer deferred deferral postpone postponed delay snooze adjourn",
        "hasten": "hasten expedite prepone rush rushed",
        "forward": "forward route routed reroute rerouted redirect delegate relay reassign assign handoff",
        "archive": "archive archived",
        "restore": "restore restored unarchive unarchived undelete reinstate retrieve recover",
        "keep": "keep kept retain leave left preserve",
        "rewrite": "rewrite rewrote rewritten redraft redrafted rephrase reword reworded rework",
        "soften": "soften softer mild",
        "sharpen": "sharpen sharper toughen",
        "correct": "correct correction fix fixed amend rectify",
        "flag": "flag flagged highlight star starred",
        "increase": "increase raise raised",
        "reduce": "reduce reduction lower lowered decrease",
        "merge": "merge combine join",
        "split": "split separate",
        "use": "use used using",
    },
    "german": {
        "remove": "entfernt entfernen gelöscht löschen gestrichen streichen streicht strich weggelassen ohne kein keine"
        " entfernte löschte",
        "add": "hinzugefügt hinzufügen ergänzt ergänzen eingefügt einfügen",
        "shorten": "gekürzt kürzen kürzt kürzte gestrafft straffen kürzer",
        "lengthen": "verlängert verlängern ausgebaut länger",
        "replace": "ersetzt ersetzen ausgetauscht getauscht ersetzte",
        "reject": "abgelehnt ablehnen verworfen zurückgewiesen",
        "approve": "genehmigt genehmigen freigegeben angenommen",
        "defer": "verschoben verschieben vertagt vertagen aufgeschoben zurückgestellt",
        "forward": "weitergeleitet weiterleiten weitergegeben übergeben",
        "archive": "archiviert archivieren",
        "restore": "wiederhergestellt zurückgeholt",
        "keep": "behalten belassen beibehalten",
        "rewrite": "umgeschrieben umschreiben neugeschrieben umformuliert",
        "correct": "korrigiert korrigieren berichtigt",
    },
    "spanish": {
        "remove": "eliminado eliminó eliminar quitado quitó quitar borrado borró borrar suprimido sin ningún",
        "add": "añadido añadió añadir agregado agregó agregar insertado",
        "shorten": "acortado acortó acortar abreviado resumido recortado",
        "lengthen": "alargado alargó alargar ampliado",
        "replace": "reemplazado reemplazó sustituido cambiado",
        "reject": "rechazado rechazó rechazar denegado",
        "approve": "aprobado aprobó aprobar aceptado",
        "defer": "aplazado aplazó aplazar pospuesto pospuso",
        "forward": "reenviado reenvió reenviar derivado derivó",
        "archive": "archivado archivó archivar",
        "rewrite": "reescrito reescribió reescribir",
    },
    "french": {
        "remove": "supprimé supprimer retiré retirer enlevé enlever effacé sans aucun",
        "add": "ajouté ajouter inséré insérer",
        "shorten": "raccourci raccourcir abrégé abréger condensé",
        "lengthen": "rallongé rallonger allongé",
        "replace": "remplacé remplacer",
        "reject": "rejeté rejeter refusé refuser",
        "approve": "approuvé approuver accepté validé",
        "defer": "reporté reporter différé remis",
        "forward": "transféré transférer transmis redirigé",
        "archive": "archivé archiver",
        "rewrite": "réécrit réécrire reformulé",
    },
    "italian": {
        "remove": "rimosso rimossa rimuovere tolto tolta togliere eliminato eliminata cancellato cancellata senza"
        " nessun",
        "add": "aggiunto aggiunta aggiungere inserito inserita",
        "shorten": "accorciato accorciata accorciare abbreviato sintetizzato",
        "lengthen": "allungato allungata ampliato",
        "replace": "sostituito sostituita cambiato",
        "reject": "rifiutato rifiutata respinto respinta",
        "approve": "approvato approvata accettato",
        "defer": "rimandato rimandata rinviato rinviata posticipato",
        "forward": "inoltrato inoltrata girato girata smistato",
        "archive": "archiviato archiviata",
        "rewrite": "riscritto riscritta",
    },
}

# Each phrase as a pattern, and what stands in its place.
PHRASED: Final = tuple(
    (pattern, rf" {act} \1 " if pattern.groups else f" {act} ")
    for act, said in _PHRASES
    for pattern in (re.compile(rf"\b(?:{said})\b"),)
)

# Words of how something is written, and of what it is done with.
_WRITING_TEXT: Final = """
        greeting greetings salutation signature tone wording phrase phrases punctuation comma commas semicolon
        semicolons exclamation emoji emojis paragraph paragraphs sentence sentences spelling heading headings
        headline bullet bullets bold formal informal formally informally casual politely jargon adjectives
"""
_TOOLS_TEXT: Final = """
        spreadsheet spreadsheets calendar phone telephone phoned call calls chat pdf csv xlsx docx form template
        ticket tickets tracker dashboard app tool crm wiki folder drive database script portal board email letter
"""
WRITING_WORDS: Final = frozenset(_WRITING_TEXT.split())
TOOL_WORDS: Final = frozenset(_TOOLS_TEXT.split())

# Words that say that something was put right, and not what; no habit by themselves.
_VAGUE_TEXT: Final = """
        change changed edit edited modify modified revise revised update updated adjust adjusted amend improve improved
        tweak tweaked touch different differently instead right straight wrong better way thing version draft drafted
        text texts mail mails email emails message messages reply replies answer answers note work item content put set
        make made take took want wants need needs please should
"""


@lru_cache(maxsize=8)
def vague(language: str) -> frozenset[str]:
    """The stems of words that do not say what was put right."""
    return frozenset(stem(word, language) for word in _VAGUE_TEXT.split())


# "No" and "without" are none: they take something away.
_NEGATIONS_TEXT: Final = """
        not never undid undo undone undoing reverted nicht nie niemals nunca jamais pas mai non
"""
NEGATIONS: Final = frozenset(_NEGATIONS_TEXT.split())


@lru_cache(maxsize=8)
def acts(language: str) -> Mapping[str, str]:
    """The act that each word, as it stands and by its stem, says in a language."""
    said: dict[str, str] = {}
    for act, words in _WORDS.get(language, {}).items():
        for word in words.split():
            said[word] = act
            said.setdefault(stem(word, language), act)
    return said


def opposed(act: str) -> frozenset[str]:
    """The acts, as tokens, that a deed with `act` did the opposite of."""
    if act.startswith("!"):
        return frozenset({act[1:]})
    return OPPOSITES.get(act, frozenset()) | {f"!{act}"}
