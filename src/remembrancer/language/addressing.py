"""Of whom a question asks: of the one who asks or the one who is asked; and whether it wants something done.

Told by words alone, in five languages. Where a language leaves the pronoun to the ending of the verb ("tengo"), only
what is said of "my" and "me" tells.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from remembrancer.language.detection import language_of
from remembrancer.language.spelling import bare

_SELF: Final = {
    "english": "i me my mine myself we us our ours",
    "german": "ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer",
    "spanish": "yo me mi mis mio mia mios mias conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras",
    "french": "je j me m moi mon ma mes mien mienne nous notre nos",
    "italian": "io me mi mio mia miei mie noi ci nostro nostra nostri nostre",
}
_YOU: Final = {
    "english": "you your yours yourself",
    "german": "du dich dir dein deine deinen deinem deiner deines euch euer eure",
    "spanish": "tu ti te tus contigo usted ustedes vosotros vosotras",
    "french": "tu te t toi ton ta tes vous votre vos",
    "italian": "tu te ti tuo tua tuoi tue voi vi vostro vostra vostri vostre",
}
# What a request begins with, and what it has anywhere.
_FIRST: Final = {
    "english": """can|could|would|will|please|help|show|tell|give|suggest|recommend|write|make|explain
    |what should|how (?:can|do|should|would|could) (?:i|we)""",
    "german": """kannst|konntest|konnen sie|konnten sie|wurdest|bitte|hilf|helfen sie|zeig|zeige|gib|geben sie|schreib
    |schreibe|erklar|erklare|was soll|was sollte|wie (?:kann|soll|sollte|konnte|mache) (?:ich|wir)""",
    "spanish": """puedes|podrias|puede|podria|por favor|ayudame|muestrame|dame|dime|escribe|explica|explicame
    |que deberia|que debo|como (?:puedo|deberia|debo|podria|hago)""",
    "french": """peux|pourrais|pouvez|pourriez|s il te plait|s il vous plait|aide|aidez|montre|montrez|donne|donnez
    |ecris|ecrivez|explique|expliquez|que devrais|que dois|comment (?:puis|dois|devrais|pourrais|faire)""",
    "italian": """puoi|potresti|puo|potrebbe|potete|per favore|aiutami|mostrami|dammi|dimmi|scrivi|spiega|spiegami
    |cosa dovrei|che cosa dovrei|cosa devo|come (?:posso|dovrei|devo|potrei|faccio)""",
}
_ANYWHERE: Final = {
    "english": "recommend|recommendations?|suggest|suggestions?|show me|help me|tips|ideas|advice",
    "german": "empfiehl|empfehlen|empfehlung(?:en)?|vorschlage?|hilf mir|zeig mir|tipps|ideen|ratschlage",
    "spanish": "recomienda|recomiendame|recomendaciones|sugiere|sugerencias|ayudame|muestrame|consejos|ideas",
    "french": "recommande|recommandes|recommandations|suggere|suggestions|aide moi|montre moi|conseils|idees|astuces",
    "italian": "consiglia|consigliami|consigli|suggerisci|suggerimenti|aiutami|mostrami|idee",
}
_WORD: Final = re.compile(r"[^\W_]+")


def _one_of(words: str, *, first: bool) -> re.Pattern[str]:
    joined = re.sub(r"\s*\n\s*", "", words)
    return re.compile(rf"^(?:{joined})\b" if first else rf"\b(?:{joined})\b")


_REQUESTS: Final = {
    language: (_one_of(_FIRST[language], first=True), _one_of(_ANYWHERE[language], first=False)) for language in _FIRST
}


class Addressed(NamedTuple):
    """Of whom a question asks.

    Args:
        self: of the one who asks: "my", "I".
        you: of the one who is asked: "you", "your".
        request: it asks for something to be done or advised.
    """

    self: bool
    you: bool
    request: bool


@lru_cache(maxsize=1_000)
def addressed(question: str) -> Addressed:
    """Of whom a question asks, by its words in the language that it seems to be in."""
    said = _WORD.findall(question.casefold())
    language = language_of(said)
    words = [bare(word) for word in said]
    known = frozenset(words)
    first, anywhere = _REQUESTS[language]
    text = " ".join(words)
    return Addressed(
        self=not known.isdisjoint(_SELF[language].split()),
        you=not known.isdisjoint(_YOU[language].split()),
        request=bool(first.search(text) or anywhere.search(text)),
    )
