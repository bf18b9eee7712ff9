"""What people say to keep a talk going: greetings, thanks, assent, farewells; it asks for nothing of what was said."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from remembrancer.language.spelling import bare
from remembrancer.language.stopwords import STOP_WORDS

_LONGEST: Final = 160
_PHRASES: Final = (
    # English
    """hi|hello|hey|hi there|hello there|hey there|howdy|yo|greetings|welcome back|good morning|good afternoon
    |good evening|good night|good day|morning|evening|nice to meet you|nice to see you|nice to hear from you
    |good to see you|good to hear|great to hear|long time no see|how are you|how are you doing|how are you today
    |how are you doing today|how are things|how is it going|how's it going|hows it going|how do you do|what's up
    |whats up|sup|i'm fine|i am fine|i'm good|i am good|i'm back|i am back|i'm here|and you|you too|same here
    |same to you|thanks|thank you|thanks a lot|thanks so much|thank you so much|thank you very much|many thanks
    |thanks again|thx|ty|cheers|much appreciated|i appreciate it|that helps|that helped|that's helpful|very helpful
    |you're welcome|no problem|no worries|never mind|nevermind|not at all|my pleasure|anytime|don't mention it|ok
    |okay|okey|k|kk|alright|all right|fine|good|great|nice|cool|perfect|awesome|amazing|excellent|wonderful|lovely
    |brilliant|super|fantastic|neat|sweet|sounds good|sounds great|sounds perfect|looks good|looks great
    |that's great|that's good|that's nice|that's fine|that's cool|that's awesome|very good|very nice|well done
    |good job|great job|nice work|good work|yes|yep|yeah|yup|ya|sure|sure thing|of course|certainly|absolutely
    |definitely|exactly|right|correct|true|indeed|agreed|i agree|i see|i understand|understood|got it|gotcha
    |makes sense|that makes sense|fair enough|no|nope|nah|not really|not yet|maybe|perhaps|hm|hmm|hmmm|mhm|uh|um|oh
    |ah|aha|wow|whoa|oops|sorry|i'm sorry|my bad|excuse me|pardon|please|please do|go on|go ahead|continue|carry on
    |keep going|next|done|ready|let's go|lets go|let's do it|let's start|wait|one moment|one second|just a moment
    |just a second|hold on|bye|goodbye|good bye|bye bye|see you|see ya|see you later|see you soon|see you tomorrow
    |talk to you later|talk later|talk soon|later|take care|have a nice day|have a good day|have a great day
    |have a nice weekend|have a good weekend|have a good one|have a good night|sleep well|enjoy|good luck|congrats
    |congratulations|happy birthday|lol|haha|hahaha|hehe|lmao|testing|ping|are you there|is anyone there
    |anybody there|can you hear me|then|so|well|just|really|there|again|now|everyone|all|my friend|friend|buddy|mate
    |dear|guys|folks|very much|a lot|so much|for your help|for the help|for that|for now|today|tomorrow|that's all
    |that is all|that's it|that will be all|nothing else|nothing|it's okay|it's fine|i'm done|glad to hear it
    |glad to hear that|happy to hear that|what a day|tgif|brb|np|yw|idk|omg""",
    # German
    """hallo|hi|hey|moin|servus|gruss gott|gruezi|guten morgen|guten tag|guten abend|gute nacht|morgen|mahlzeit|na
    |wie geht's|wie gehts|wie geht es dir|wie geht es ihnen|wie geht's dir|alles gut|alles klar|mir geht's gut
    |mir geht es gut|und dir|und ihnen|und selbst|danke|danke schon|dankeschon|vielen dank|herzlichen dank|danke dir
    |danke sehr|tausend dank|besten dank|bitte|bitte sehr|bitte schon|gern|gerne|gern geschehen|gerne geschehen
    |keine ursache|kein problem|macht nichts|schon gut|nicht schlimm|ok|okay|gut|sehr gut|super|toll|prima|klasse
    |perfekt|wunderbar|ausgezeichnet|schon|sehr schon|cool|genial|spitze|klingt gut|hort sich gut an|passt|das passt
    |ja|jo|jep|jawohl|klar|na klar|naturlich|sicher|genau|stimmt|richtig|einverstanden|verstehe|ich verstehe
    |verstanden|aha|achso|ach so|ach|oh|hm|hmm|tja|nein|ne|nee|noch nicht|vielleicht|mal sehen|entschuldigung|sorry
    |tut mir leid|verzeihung|weiter|mach weiter|weiter so|fertig|bereit|los|los geht's|auf geht's|moment
    |einen moment|warte|warte kurz|tschuss|tschus|ciao|auf wiedersehen|bis bald|bis spater|bis morgen|bis dann
    |mach's gut|machs gut|schonen tag|einen schonen tag|schonen tag noch|schones wochenende|schonen abend
    |gute besserung|viel gluck|viel spass|viel erfolg|alles gute|gluckwunsch|herzlichen gluckwunsch|haha|bist du da
    |das war's|das wars|nichts|freut mich|schon dich zu sehen|wieder da|ich bin wieder da|noch|dann|nochmal
    |fur deine hilfe|fur die hilfe|zusammen|dir|ihnen|wirklich|so|doch|mal|auch|jetzt|heute""",
    # Spanish
    """hola|buenas|buenos dias|buenas tardes|buenas noches|buen dia|que tal|como estas|como esta|como te va|que hay
    |que pasa|como va todo|todo bien|muy bien|estoy bien|y tu|y usted|gracias|muchas gracias|mil gracias
    |gracias por todo|gracias por tu ayuda|gracias por la ayuda|te lo agradezco|de nada|no hay de que|con gusto
    |por nada|no pasa nada|no importa|no te preocupes|ok|okay|vale|bien|bueno|genial|perfecto|excelente|estupendo
    |fantastico|maravilloso|que bien|que bueno|muy bueno|suena bien|me parece bien|me gusta|si|claro|claro que si
    |por supuesto|desde luego|exacto|exactamente|correcto|cierto|verdad|de acuerdo|entiendo|entendido|ya veo
    |tiene sentido|no|todavia no|aun no|quizas|tal vez|puede ser|ya|ah|oh|hm|hmm|vaya|uy|perdon|perdona|lo siento
    |disculpa|disculpe|por favor|sigue|continua|adelante|siguiente|listo|hecho|vamos|espera|un momento|un segundo
    |adios|chao|chau|hasta luego|hasta pronto|hasta manana|hasta la vista|nos vemos|cuidate|que tengas un buen dia
    |buen fin de semana|que descanses|buena suerte|suerte|felicidades|felicitaciones|feliz cumpleanos|jaja|jajaja
    |estas ahi|eso es todo|nada mas|nada|encantado|encantada|mucho gusto|un placer|amigo|amiga|pues|entonces
    |otra vez|hoy|igualmente|por todo|tu ayuda""",
    # French
    """bonjour|bonsoir|salut|coucou|bonne nuit|bonne journee|bonne soiree|bon matin|ca va|comment ca va|comment vas-tu
    |comment vas tu|comment allez-vous|comment allez vous|comment tu vas|quoi de neuf|tout va bien|je vais bien
    |et toi|et vous|merci|merci beaucoup|merci bien|mille mercis|un grand merci|merci a toi|merci a vous
    |merci pour tout|merci pour ton aide|merci pour votre aide|merci pour l'aide|de rien|avec plaisir|je t'en prie
    |je vous en prie|pas de quoi|pas de probleme|pas de souci|ce n'est rien|ce n'est pas grave|tant pis|ok|okay
    |d'accord|bien|tres bien|super|genial|parfait|excellent|formidable|magnifique|chouette|top|cool|nickel
    |impeccable|c'est bon|c'est bien|c'est super|c'est parfait|ca marche|ca me va|ca roule|bonne idee|oui|ouais
    |bien sur|evidemment|certainement|absolument|exactement|exact|tout a fait|c'est ca|c'est vrai|vrai|je vois
    |je comprends|compris|entendu|non|pas encore|peut-etre|peut etre|ah|oh|hm|hmm|euh|ben|bon|ah bon|oups|pardon
    |desole|desolee|je suis desole|excuse-moi|excusez-moi|s'il te plait|s'il vous plait|continue|continuez|vas-y
    |allez-y|allez|suivant|pret|prete|c'est parti|on y va|attends|un instant|une seconde|un moment|au revoir
    |a bientot|a plus|a plus tard|a demain|a tout a l'heure|bonne chance|bon courage|bon week-end|bon weekend
    |bonnes vacances|prends soin de toi|felicitations|bravo|joyeux anniversaire|mdr|haha|tu es la|c'est tout
    |rien d'autre|rien|enchante|enchantee|ravi|ravie|mon ami|alors|donc|encore|aujourd'hui|tout le monde|a tous
    |beaucoup""",
    # Italian
    """ciao|salve|buongiorno|buon giorno|buonasera|buona sera|buonanotte|buona notte|buon pomeriggio|ehi|ehila|come va
    |come stai|come sta|come state|tutto bene|che si dice|come butta|sto bene|bene grazie|e tu|e lei|grazie
    |grazie mille|molte grazie|tante grazie|grazie tante|grazie infinite|ti ringrazio|la ringrazio
    |grazie per l'aiuto|grazie per il tuo aiuto|grazie di tutto|prego|di niente|di nulla|figurati|si figuri
    |non c'e di che|nessun problema|non importa|non fa niente|non ti preoccupare|ok|okay|va bene|d'accordo|bene
    |molto bene|benissimo|ottimo|perfetto|eccellente|fantastico|magnifico|meraviglioso|stupendo|splendido|grande
    |bello|che bello|bravo|brava|forte|mi piace|mi sembra bene|suona bene|buona idea|si|certo|certamente|sicuro
    |naturalmente|ovviamente|assolutamente|esatto|esattamente|giusto|corretto|vero|infatti|capito|ho capito|capisco
    |vedo|ha senso|no|non ancora|forse|magari|puo darsi|ah|oh|hm|hmm|eh|mah|boh|beh|ops|scusa|scusi|scusami
    |mi dispiace|perdono|per favore|per piacere|continua|vai avanti|avanti|vai|prossimo|pronto|pronta|fatto|andiamo
    |aspetta|un attimo|un momento|un secondo|arrivederci|a presto|a dopo|a domani|ci vediamo|ci sentiamo
    |alla prossima|stammi bene|buona giornata|buona serata|buon fine settimana|buon weekend|buona fortuna
    |in bocca al lupo|auguri|congratulazioni|complimenti|buon compleanno|haha|ahah|ci sei|e tutto|questo e tutto
    |nient'altro|niente|piacere|piacere di conoscerti|molto piacere|amico|amica|allora|quindi|ancora|oggi|anche a te
    |a tutti|mille""",
)
_SIGNS: Final = re.compile(r"[^\w'’\s-]+")
_ASKS: Final = re.compile(r"[?？]")
_ASKING: Final = """what when where who whom whose which why how was wann wo wer wem wen wessen welche welcher welches
    warum wieso wie que cuando donde quien quienes cual cuales porque como quoi quand ou qui quel quelle quels quelles
    pourquoi comment che cosa quando dove chi quale quali perche come tell remind remember show find erinnere sag zeig
    recuerda dime rappelle dis ricorda dimmi"""
_WORD: Final = re.compile(r"[\w'-]+")


def is_small_talk(text: str) -> bool:
    """Whether a text is nothing but greetings, thanks, assent and the like, perhaps with a name behind one of them."""
    if not text.strip() or len(text) > _LONGEST or any(letter.isdigit() for letter in text):
        return False
    parts = [_WORD.findall(part) for part in _SIGNS.split(text.replace("’", "'"))]
    words = [word for part in parts for word in part]
    if not words:
        # Signs alone: an emoji, or dots.
        return not any(letter.isalnum() for letter in text)
    left = [word for part in parts for word in _left(part)]
    if not _ASKS.search(text) and len(left) < len(words):
        # Words between phrases, as long as they ask for nothing.
        left = [word for word in left if bare(word.casefold()) not in _fillers()]
    return not left or (len(left) == 1 and left[0][:1].isupper() and words[0] != left[0])


def _left(words: Sequence[str]) -> list[str]:
    """What is left of some words once as many as possible are taken for phrases."""
    phrases, most = _known()
    folded = [bare(word.casefold()) for word in words]
    least: list[list[str]] = [[]]
    for end in range(1, len(words) + 1):
        ways = [[*least[end - 1], words[end - 1]]]
        ways += [least[start] for start in range(max(0, end - most), end) if " ".join(folded[start:end]) in phrases]
        least.append(min(ways, key=len))
    return least[-1]


@cache
def _fillers() -> frozenset[str]:
    """The words of all phrases, and stop words, but for those that ask."""
    common = {bare(word) for some in STOP_WORDS.values() for word in some}
    spoken = {word for phrase in _known()[0] for word in phrase.split()}
    return frozenset((common | spoken) - set(_ASKING.split()))


@cache
def _known() -> tuple[frozenset[str], int]:
    """Every phrase without accents, and how many words the longest has."""
    phrases = {" ".join(_WORD.findall(bare(phrase))) for some in _PHRASES for phrase in some.split("|")}
    return frozenset(phrases), max(len(phrase.split()) for phrase in phrases)
