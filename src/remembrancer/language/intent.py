"""What a query wants: a fact, something to be done or advised, or nothing that it says.

Decided by words alone, in five languages; a text in another one is a question where it has a question mark.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from remembrancer.language.detection import language_of
from remembrancer.language.spelling import bare
from remembrancer.language.stopwords import STOP_WORDS


class Intent(StrEnum):
    """The kinds of query.

    Args:
        QUESTION: asks for a fact; a few bare words do so, too.
        REQUEST: wants something done or advised, which preferences and instructions should shape.
        REMARK: states something, which may call for what was said long ago.
    """

    QUESTION = "question"
    REQUEST = "request"
    REMARK = "remark"


# A text of so few words that is no sentence is a search for them.
_FEW_WORDS: Final = 5
# What a sentence of a request begins with: verbs in the imperative, and polite forms of asking.
_FIRST: Final = {
    "english": r"""please|suggest|recommend|book|draft|write|rewrite|make|plan|prepare|create|design|build|add|remove
    |find(?: me| us| a| an| some)|look for|search for|get me|buy|order|reserve|schedule|arrange|organi[sz]e|compare
    |choose|pick|help|show me|give me|tell me how|teach me|explain|translate|propose|list some|implement|refactor|fix
    |update|set up|generate|compose|review|improve|outline|brainstorm|cook|pack|reply|answer|send|let us|let s|walk me
    |guide me|(?:can|could|would|will) (?:you|u)(?: please| kindly| maybe)? (?!remember|recall|remind)\w+
    |what (?:should|could|can|shall|would) (?:i|we|you)|how (?:can|do|should|would|could|might) (?:i|we|one)
    |where (?:can|could|should|might) (?:i|we)|which \w+(?: \w+){0,3} (?:should|could|can|would) (?:i|we|you)
    |(?:should|shall) (?:i|we)|who (?:should|could|can) (?:i|we)|when should (?:i|we)|what now|any (?:idea|tip|advice)
    |how about|what about|(?:can|could|may) (?:i|we) (?:get|have|see)
    |what (?:are|would be|is|s) (?:the |a |an |my |our )?(?:some|best|good|great|top|easiest|cheapest|fastest)
    |what (?:kind|kinds|sort|type|types) of [\w ]{0,40}(?:should|could|would|recommend|suggest)""",
    "german": r"""bitte|empfiehl|schlag|schlage|buche|buch|bestell|bestelle|schreib|schreibe|formulier|formuliere|mach
    |mache|plan|plane|erstell|erstelle|entwirf|bereite|such|suche|finde|find|vergleich|vergleiche|wahle|hilf
    |helfen sie|zeig|zeige|gib|erklar|erklare|ubersetze|reservier|reserviere|organisier|organisiere|koch|koche|nenne
    |(?:kannst|konntest|wurdest|konnen|konnten|wurden) (?:du|sie|ihr|wir)(?: bitte)? (?!dich|euch|sich)\w+
    |was (?:soll|sollte|kann|konnte|wurdest) (?:ich|wir|du)
    |wie (?:kann|soll|sollte|konnte|mache|komme|lerne) (?:ich|wir)|wo (?:kann|konnte|soll|sollte) (?:ich|wir)
    |welche\w* \w+(?: \w+){0,3} (?:soll|sollte|kann|konnte) (?:ich|wir)|soll(?:te)? (?:ich|wir)|was nun|was tun
    |hast du (?:\w+ ){0,2}(?:idee|ideen|tipp|tipps|vorschlag|vorschlage)""",
    "spanish": r"""por favor|recomienda\w*|recomiendame|sugiere\w*|reserva\w*|busca\w*|escribe\w*|redacta\w*|haz\w*
    |prepara\w*|planea\w*|planifica\w*|crea\w*|compara\w*|elige\w*|ayuda\w*|muestra\w*|dame|dime como|explica\w*
    |traduce\w*|organiza\w*|(?:puedes|podrias|puede|podria|quieres) (?!recordar)\w+
    |que (?:deberia|debo|puedo|podria|me recomiendas)|como (?:puedo|deberia|debo|podria|hago)
    |donde (?:puedo|podria|deberia)|cual(?:es)? [\w ]{0,40}(?:deberia|recomiendas)""",
    "french": r"""s il (?:te|vous) plait|recommande\w*|suggere\w*|conseille\w*|reserve\w*|cherche\w*|trouve\w*|ecris
    |ecrivez|redige\w*|fais|faites|prepare\w*|planifie\w*|organise\w*|cree\w*|compare\w*|choisis\w*|aide\w*|montre\w*
    |donne\w*|explique\w*|traduis\w*|(?:peux|pourrais|pouvez|pourriez) (?:tu|vous) (?!te rappeler)\w+
    |que (?:devrais|dois|puis|pourrais) je|comment (?:puis|dois|devrais|pourrais|faire)
    |ou (?:puis|pourrais|devrais) je|quel\w* [\w ]{0,40}(?:devrais|recommandes|conseilles)""",
    "italian": r"""per favore|consiglia\w*|suggerisci\w*|prenota\w*|cerca\w*|trova\w*|scrivi\w*|prepara\w*
    |pianifica\w*|organizza\w*|crea\w*|confronta\w*|scegli\w*|aiuta\w*|mostra\w*|dammi|spiega\w*|traduci\w*|fammi
    |(?:puoi|potresti|puo|potrebbe|potete) (?!ricordar)\w+|(?:che )?cosa (?:dovrei|devo|posso|potrei|mi consigli)
    |come (?:posso|dovrei|devo|potrei|faccio)|dove (?:posso|potrei|dovrei)|qual\w* [\w ]{0,40}(?:dovrei|consigli)""",
}
# What makes a text a request wherever it has it.
_ANYWHERE: Final = {
    "english": r"""recommend(?:ation|ations)?|suggest(?:ion|ions)?|show me how|help me|help us|tips|advice|any ideas
    |some ideas|i m looking for|i am looking for|we re looking for|looking to|i m planning|i am planning|i want to
    |i would like|i d like|i need (?:to|a|an|some|help|your|you)|i m considering|i m thinking of|i m trying to
    |best way to|what would you do|what should|should i|could i (?:do|get|bring|give|make|try|use|take|work|eat)|can i
    |where could i|how do i|how can i|your opinion|good options|options for|ideas for|ways to""",
    "german": r"""empfiehl\w*|empfehl\w*|vorschlag\w*|vorschlage\w*|hilf mir|zeig mir|tipps?|ideen|rat|ratschlage?
    |ich suche|ich plane|ich mochte|ich wurde gern\w*|ich brauche|ich will|wir mochten|wir suchen|wir planen
    |was wurdest du|soll ich|sollte ich|sollen wir|kann ich|konnte ich|beste art""",
    "spanish": r"""recomienda\w*|recomendacion\w*|sugiere\w*|sugerencia\w*|ayudame|muestrame|consejos?|ideas|busco
    |estoy buscando|estoy planeando|quiero|quisiera|me gustaria|necesito|mejor (?:manera|forma)|que harias|deberia""",
    "french": r"""recommand\w*|suggere\w*|suggestions?|aide moi|montre moi|conseils?|idees|astuces|je cherche
    |je voudrais|j aimerais|j ai besoin|je veux|je prevois|meilleure facon|que ferais tu|devrais je""",
    "italian": r"""consiglia\w*|consigli|suggerisci\w*|suggeriment\w*|aiutami|mostrami|idee|cerco|sto cercando|vorrei
    |mi piacerebbe|ho bisogno|voglio|modo migliore|cosa faresti|dovrei""",
}
# What a sentence that asks for a fact begins with.
_ASKING: Final = {
    "english": r"""what|when|where|which|who|whom|whose|why|how|is|are|was|were|am|do|does|did|has|have|had|will|would
    |can|could|should|may|might|in which|in what|on which|at what|by what|for how|since when|until when|remind me
    |tell me|name|list|describe|summari[sz]e""",
    "german": r"""was|wann|wo|wohin|woher|wer|wen|wem|wessen|warum|weshalb|wieso|wie|wieviel\w*|welch\w*|fasse|ist
    |sind|war|waren|bin|habe|hat|haben|hatte|hatten|wird|werden|kann|darf|muss|soll|in welch\w*|an welch\w*|seit wann
    |bis wann|wor\w+|wo[bdfhmnvz]\w+|nenne|sag mir""",
    "spanish": r"""que|cuando|donde|adonde|quien\w*|cual\w*|por que|como|cuant\w*|es|son|era|fue|fueron|esta|estan|hay
    |tiene|tengo|ha|han|en que|a que|desde cuando|hasta cuando|dime|nombra""",
    "french": r"""que|qu|quand|ou|qui|quel\w*|pourquoi|comment|combien|est|sont|etait|a|as|ai|ont|depuis quand|dis moi
    |en quel\w*|a quel\w*|nomme""",
    "italian": r"""che|cosa|quando|dove|chi|qual\w*|perche|come|quant\w*|e|sono|era|ha|ho|hanno|da quando
    |fino a quando|in che|in qual\w*|dimmi|nomina""",
}
# A question of what was, whatever else it speaks of.
_PAST: Final = {
    "english": r"\w+(?: \w+){0,3} (?:did|was|were|had|has|have|happened)",
    "german": r"w\w+(?: \w+){0,3} (?:hat|haben|habe|hatte\w*|war|waren|wurde\w*)",
    "spanish": r"(?:que|cuando|donde|quien\w*|cual\w*|por que|como|cuant\w*)(?: \w+){0,3} (?:fue\w*|era|han?|habia)",
    "french": r"(?:que|quand|ou|qui|quel\w*|pourquoi|comment|combien)(?: \w+){0,3} (?:a|ont|etait|avait)",
    "italian": r"(?:che|cosa|quando|dove|chi|qual\w*|perche|come|quant\w*)(?: \w+){0,3} (?:ha|hanno|era|aveva)",
}
# What asks for how things were.
_WERE: Final = r"""was|were|did|used to|before|previous(?:ly)?|former(?:ly)?|earlier|originally|changed?|ago
    |history of (?:my|our)|last (?:year|month|week)
    |war|waren|hatten?|fruher\w*|vorher\w*|damals|ehemalig\w*|vorige\w*|bisher\w*|geandert
    |letzte\w* (?:jahr|monat|woche)"""
# What asks for the latest.
_ARE: Final = r"""now|currently|current|at the moment|these days|nowadays|latest|newest|most recent(?:ly)?
    |jetzt|derzeit|zurzeit|momentan|im moment|aktuell\w*|heutzutage|inzwischen|neuest\w*|zuletzt
    |ahora|actual(?:es|mente)?|en este momento|hoy en dia|maintenant|actuel\w*|en ce moment|a present
    |adesso|attual\w*|in questo momento|al momento"""
# What asks for how things went all the time, or were before: a summary, an order, a total, a span.
_WENT: Final = r"""summar\w+|recap|overview|in (?:what|which) order|the order in which|chronolog\w*|throughout|over time
    |in total|total (?:number|amount)|altogether|across (?:all|my|our)|evol\w+|developed|history of (?:my|our)|timeline
    |every time|each time|over the (?:past|last)|between|passed|remind me|how long ago|for the first time
    |previous(?:ly)?|former(?:ly)?|originally|initially|used to|back then|before$
    |zusammenfass\w*|fass\w*(?: \w+){1,8} zusammen|uberblick|ubersicht|reihenfolge|im laufe|insgesamt|alles in allem
    |verlauf|entwickelt|jedes mal|in den letzten|zwischen|vergangen|erinnere? mich|wie lange ist es her|zum ersten mal
    |fruher\w*|vorher\w*|damals|ehemalig\w*|ursprunglich\w*
    |resum\w+|en que orden|cronolog\w+|a lo largo|en total|cada vez|entre|recuerdame|hace cuanto|por primera vez
    |anterior\w*
    |dans quel ordre|au fil|au total|en tout|chaque fois|rappelle moi|il y a combien|pour la premiere fois
    |auparavant|precedent\w*|ancien\w*
    |riassu\w+|riepilog\w+|in (?:che|quale) ordine|nel corso|in totale|ogni volta|ricordami|quanto tempo fa
    |per la prima volta|precedente\w*|prima di"""
_OF_SELF: Final = {
    "english": "i me my mine we us our",
    "german": "ich mich mir mein meine meinen meinem meiner wir uns unser unsere",
    "spanish": "yo me mi mis nosotros nos nuestro nuestra",
    "french": "je j me m moi mon ma mes nous notre nos",
    "italian": "io me mi mio mia miei mie noi ci nostro nostra",
}
_SPEAKS_OF_SELF: Final = {language: frozenset(words.split()) for language, words in _OF_SELF.items()}
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(
    r"[.!?;\n…。！？]+\s*|\s+[-–—]\s+|,\s+(?=(?:can|could|would|please|what|how)\b)", re.IGNORECASE
)
_MARK: Final = re.compile(r"[?？¿]")


def _pattern(words: str, *, first: bool) -> re.Pattern[str]:
    joined = re.sub(r"\s*\n\s*", "", words)
    return re.compile(rf"^(?:{joined})(?!\w)" if first else rf"(?<!\w)(?:{joined})(?!\w)")


_REQUESTS: Final = {
    language: (_pattern(_FIRST[language], first=True), _pattern(_ANYWHERE[language], first=False))
    for language in _FIRST
}
_OF_THE_PAST: Final = {language: re.compile(rf"^{words}(?!\w)") for language, words in _PAST.items()}
_QUESTIONS: Final = {language: _pattern(words, first=True) for language, words in _ASKING.items()}
_ASKS_OF_PAST: Final = _pattern(_WERE, first=False)
# What was said once, not what is to be done later.
_REMINDS: Final = re.compile(r"(?<!\w)(?:remind me (?!to |that )|erinnere? mich (?:bitte |noch ?mal )?an )")
_ASKS_OF_NOW: Final = _pattern(_ARE, first=False)
_ASKS_OF_COURSE: Final = _pattern(_WENT, first=False)


def speaks_of_self(text: str) -> bool:
    """Return whether whoever says it speaks of themselves: "I", "my", "our"."""
    said = _WORD.findall(text.casefold())
    return not _SPEAKS_OF_SELF[language_of(said)].isdisjoint(map(bare, said))


def asks_of_past(text: str) -> bool:
    """Return whether a question asks for how things were, in English or German."""
    return bool(_ASKS_OF_PAST.search(_spelled(text)))


def asks_of_now(text: str) -> bool:
    """Return whether a query says that it wants the latest: "now", "currently"."""
    return bool(_ASKS_OF_NOW.search(_spelled(text)))


def asks_of_course(text: str) -> bool:
    """Return whether a query asks how things went or were: for a summary, an order, a span, what was before."""
    return bool(_ASKS_OF_COURSE.search(_spelled(text)))


@lru_cache(maxsize=1_000)
def intent_of(text: str) -> Intent:
    """Return what a query wants, by its words in the language that it seems to be in."""
    said = _WORD.findall(text.casefold())
    language = language_of(said)
    sentences = [_spelled(part) for part in _SENTENCE.split(text)]
    first, anywhere = _REQUESTS[language]
    asks, of_the_past = _QUESTIONS[language], _OF_THE_PAST[language]
    if any(_REMINDS.search(sentence) for sentence in sentences):
        return Intent.QUESTION
    for sentence in sentences:
        if first.search(sentence):
            return Intent.REQUEST
        if anywhere.search(sentence) and not (asks.search(sentence) and of_the_past.search(sentence)):
            return Intent.REQUEST
    if _MARK.search(text) or any(asks.search(sentence) for sentence in sentences):
        return Intent.QUESTION
    words = [bare(word) for word in said]
    common = STOP_WORDS[language]
    few = (
        len(words) <= _FEW_WORDS
        and not speaks_of_self(text)
        and sum(word in common for word in words) <= len(words) // 2
    )
    return Intent.QUESTION if few or not any(letter.isalpha() for letter in text) else Intent.REMARK


@lru_cache(maxsize=1_000)
def _spelled(text: str) -> str:
    """The words of a text in small letters without accents, with a space between."""
    return " ".join(map(bare, _WORD.findall(text.casefold())))
