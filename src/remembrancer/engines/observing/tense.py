"""Whether a sentence speaks of what was or of what is to come, where nothing in it speaks against that."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Tense(StrEnum):
    """Where in time a sentence stands."""

    PAST = "past"
    PRESENT = "present"
    AHEAD = "ahead"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class _Signs:
    """Patterns of one language.

    Args:
        past: what was, and is over.
        ahead: what will be, is asked for, planned or due.
        present: what holds or is about to happen, as nearly every verb in the present says.
        habit: what happens again and again, or is put on a day of every week perhaps, and so on no one day.
        settled: participles that tell of a plan and not of the past, behind a form of "to be".
    """

    past: str
    ahead: str
    present: str
    habit: str
    settled: str


_SIGNS: Final = {
    "english": _Signs(
        past=r"was|were|had|did|didn't|went|met|made|took|saw|bought|came|gave|told|found|left|won|lost|began|wrote"
        r"|built|grew"
        r"|spent|taught|felt|kept|sold|chose|said|got|forgot|thought|knew|heard|ran|sent|paid|brought|caught|fell|flew"
        r"|drove|ate|drank|slept|spoke|broke|wore|threw|swam|sang|rang|hurt|became|wasn't|weren't|hadn't|couldn't"
        r"|used to|have been|has been|'ve been"
        r"|(?<!is )(?<!are )(?<!'s )(?<!'re )(?<!be )(?<!am )(?<!'m )(?<!get )(?!need|feed|speed|bleed|breed|exceed"
        r"|proceed"
        r"|succeed|indeed|hundred|embed|shed|sacred|naked|wicked|red|bed|seed|weed|ahead|instead|bread|read|lead|dead"
        r"|supposed|excited|allowed|interested|worried|united|limited)\w{2,}ed",
        ahead=r"will|won't|shall|going to|gonna|let's|lets|plan|plans|planning|planned for|due|deadline"
        r"|scheduled|booked"
        r"|see you|remind|please|until|till|by|should|must|need|needs|have to|has to|moved to|postponed to|pushed to"
        r"|brought forward to|rescheduled|supposed to|hope to|hoping to|want to|wants to|would like|can you|could you"
        r"|can we|could we|are you|call|send|bring|come|book|order|cancel|finish|upcoming|ready",
        present=r"is|are|am|isn't|aren't|can|can't|starts?|begins?|ends?|leaves?|arrives?|departs?|opens?"
        r"|closes?"
        r"|lands?|flies|fly|comes?|goes|takes? place|happens?|have|has|works?|meets?|moves?|gets?|runs?|do|don't",
        habit=r"usually|normally|always|every|each|never|often|generally|regularly|typically|weekly|most|sometimes|any"
        r"|keeps?|constantly|\w+day it is|(?:switched|changed|shifted)(?: \w+){1,4} to",
        settled=r"planned|booked|scheduled|moved|set|fixed|closed|open|reserved|postponed|due",
    ),
    "german": _Signs(
        past=r"war|waren|warst|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|sagte|sagten|machte|machten|rief"
        r"|riefen|traf"
        r"|trafen|fuhr|fuhren|flog|flogen|schrieb|schrieben|brachte|bekam|bekamen|gab|gaben|nahm|nahmen|fand|fanden"
        r"|blieb|blieben|stand|lief|liefen|aß|aßen|kaufte|kauften|musste|mussten|konnte|konnten|wollte|gewesen|gehabt"
        r"|(?:habe|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b[^.!?]{0,80}?\b(?:ge\w{2,}(?:t|en)|\w+ge\w{2,}(?:t|en)"
        r"|\w{3,}iert|be(?:stellt|kommen|zahlt|sucht|sprochen|gonnen)|ver(?:gessen|kauft|loren|passt)|er(?:zählt"
        r"|halten))",
        ahead=r"wird|werde|werden|wirst|werdet|soll|sollen|sollte|sollten|muss|müssen|fällig|frist|bis|spätestens"
        r"|lass uns"
        r"|lasst uns|bitte|geplant|gebucht|angesetzt|vorgesehen|verschoben|verlegt|will|wollen|möchte|möchten|plane"
        r"|planen"
        r"|erinner\w*|denk|vergiss|kannst du|könntest du|können sie|können wir|ruf|schick|bring|komm",
        present=r"ist|sind|bin|habe|hat|haben|kann|können|kommt|komme|kommen|geht|gehe|gehen|fährt|fahre|fahren|fliegt"
        r"|fliege|fliegen|beginnt|startet|endet|öffnet|schließt|macht|mache|machen|treffe|treffen|trefft|trifft|holt"
        r"|hole|holen|bringe|bringt|schicke|schickt|brauche|braucht|gibt|findet|zieht|ziehe|ziehen|bekomme|bekommt",
        habit=r"immer|jeden|jede|jedes|nie|niemals|meistens|oft|üblicherweise|gewöhnlich|normalerweise|regelmäßig"
        r"|manchmal"
        r"|ständig|dauernd|andauernd",
        settled=r"geplant|gebucht|angesetzt|vorgesehen|verschoben|verlegt|geöffnet|geschlossen|reserviert|gesperrt"
        r"|gesetzt",
    ),
    "spanish": _Signs(
        past=r"fui|fue|fuimos|fueron|hice|hizo|hicimos|hicieron|tuve|tuvo|tuvimos|tuvieron|estuve|estuvo|estuvimos"
        r"|dije|dijo"
        r"|dijeron|vine|vino|vinieron|puse|puso|pude|pudo|quise|supe|di|dio|vi|vio|vimos|era|eran|éramos|estaba|estaban"
        r"|había|habían|tenía|tenían|iba|iban|(?!qué|porqué|café|bebé|cliché|puré|chalé|comité|también)\w{2,}(?<!r)é"
        r"|\w{2,}ó|\w{2,}(?:aron|ieron)|\w{3,}aba[ns]?|(?:he|has|ha|hemos|han)\s+\w+(?:ado|ido|to|cho)",
        ahead=r"\w{3,}(?:ré|rás|remos|rán)|(?!para)\w{3,}rá|(?:voy|vas|va|vamos|van)\s+a|quedamos en|nos vemos|hasta"
        r"|antes del?|para el"
        r"|a más tardar|plazo|vence|hay que|tengo que|tiene que|tenemos que|debo|debe|debemos|necesito|necesitamos"
        r"|quiero"
        r"|quiere|por favor|recuérdame|recuerda|previst[oa]|reservad[oa]|programad[oa]|fijad[oa]|puedes|podrías"
        r"|podemos",
        present=r"es|está|están|son|tengo|tiene|tenemos|hay|sale|salgo|salimos|salen|llega|llego|llegan|empieza|empiezo"
        r"|termina|abre|cierra|toca|vuelvo|vuelve|viene|vienen|vengo|puedo|puede|viajo|viaja|cumple|me mudo|entrego"
        r"|entrega",
        habit=r"siempre|cada|todos los|todas las|nunca|jamás|normalmente|suel[oe]|solemos|a menudo|habitualmente"
        r"|a veces"
        r"|sin parar|constantemente",
        settled=r"previst[oa]|reservad[oa]|programad[oa]|fijad[oa]|cerrad[oa]|abiert[oa]|aplazad[oa]|pospuest[oa]",
    ),
    "french": _Signs(
        past=r"(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|êtes|sont)\s+(?:\w+\s+){0,2}?\w+(?:é|ée|és|ées|is|ise|it"
        r"|ite|u|ue|us|ert)"
        r"|étais|était|étaient|avais|avait|avaient"
        r"|(?!mais|jamais|désormais|fait|parfait|lait|français|anglais|souhait|extrait)\w{2,}(?<!r)(?:ais|ait|aient)",
        ahead=r"\w{3,}(?:rai|ras|rons|rez|ront)|(?!opéra|extra)\w{3,}ra|(?:vais|vas|va|allons|allez|vont)\s+\w+(?:er"
        r"|ir|re|oir)"
        r"|avant|d'ici|jusqu'à|pour|au plus tard|échéance|prévue?s?|réservée?s?|reportée?s?|dois|doit|devons|faut"
        r"|on se voit"
        r"|à rendre|rappelle|n'oublie pas|s'il te plaît|s'il vous plaît|peux-tu|pouvez-vous|pourrais-tu|peut-on|veux"
        r"|veut|voudrais",
        present=r"est|sont|suis|ai|a|avons|part|pars|partons|arrive|arrivent|commence|finit|ouvre|ferme|vient|viens"
        r"|viennent"
        r"|peux|peut|rentre|passe|rends|rend|livre|livrent|déménage|déménageons|prends|prend",
        habit=r"toujours|chaque|tous les|toutes les|jamais|d'habitude|souvent|normalement|généralement|parfois"
        r"|sans arrêt|sans cesse|constamment|répète",
        settled=r"prévue?s?|réservée?s?|fixée?s?|reportée?s?|décalée?s?|fermée?s?|ouverte?s?|due?s?|programmée?s?"
        r"|ouvert",
    ),
    "italian": _Signs(
        past=r"(?:ho|hai|ha|abbiamo|avete|hanno|sono|sei|è|siamo|siete)\s+(?:\w+\s+){0,2}?\w+(?:ato|ata|ati|ate|uto"
        r"|uta|uti|ute|ito|ita|iti"
        r"|ite|tto|tta|tti|tte|sto|sta|sti|rso|rsa|eso|esa|nto|nta)|era|erano|ero|fu|furono"
        r"|\w{2,}(?:avo|ava|avano|evo|eva|evano|ivo|iva|ivano)",
        ahead=r"\w{3,}(?:rò|rai|rà|remo|rete|ranno)|entro|fino a|al più tardi|scadenza|scade|devo|deve|dobbiamo"
        r"|bisogna|ci vediamo"
        r"|previst[oa]|prenotat[oa]|fissat[oa]|spostat[oa]|ricordami|ricorda|per favore|puoi|potresti|possiamo"
        r"|voglio|vuole|vorrei",
        present=r"è|sono|ho|ha|abbiamo|parte|parto|partiamo|partono|arriva|arrivo|arrivano|comincia|inizia|finisce"
        r"|apre|chiude"
        r"|posso|può|torno|torna|viene|vengo|vado|va|andiamo|consegno|consegna|trasloco|passo|passa",
        habit=r"sempre|ogni|tutti i|tutte le|mai|di solito|spesso|normalmente|abitualmente|a volte"
        r"|continuamente|di continuo",
        settled=r"previst[oaie]|prenotat[oaie]|fissat[oaie]|spostat[oaie]|chius[oaie]|apert[oaie]|rimandat[oaie]"
        r"|programmat[oaie]",
    ),
}


@dataclass(frozen=True, slots=True)
class _Compiled:
    past: re.Pattern[str]
    ahead: re.Pattern[str]
    present: re.Pattern[str]
    habit: re.Pattern[str]
    settled: re.Pattern[str]


def _compiled(pattern: str, *, ends: str = "(?!)") -> re.Pattern[str]:
    """Whole words of a pattern, and what is written at the end of another word."""
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])|(?<=\w)(?:{ends})(?!\w)", re.IGNORECASE)


_OF: Final = {
    tongue: _Compiled(
        past=_compiled(signs.past),
        ahead=_compiled(signs.ahead, ends="'ll"),
        present=_compiled(signs.present, ends="'s|'re|'m"),
        habit=_compiled(signs.habit),
        settled=_compiled(signs.settled),
    )
    for tongue, signs in _SIGNS.items()
}


def is_habit(sentence: str, tongue: str) -> bool:
    """Whether a sentence tells of what happens again and again."""
    return bool(_OF[tongue].habit.search(sentence))


def tense(sentence: str, tongue: str) -> Tense:
    """Where in time a sentence stands; open where its signs contradict one another, for habits, and without any."""
    signs, text = _OF[tongue], sentence.replace("’", "'")
    if signs.habit.search(text):
        return Tense.OPEN
    past = any(not signs.settled.search(found[0]) for found in signs.past.finditer(text))
    ahead = bool(signs.ahead.search(text))
    if past and ahead:
        return Tense.OPEN
    if ahead:
        return Tense.AHEAD
    present = signs.present.search(signs.past.sub(" ", text) if past else text)
    if past:
        return Tense.OPEN if present else Tense.PAST
    return Tense.PRESENT if present else Tense.OPEN
