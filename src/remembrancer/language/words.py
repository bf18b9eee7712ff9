"""The words by which the observer tells filler from what is worth keeping, per language."""

from typing import Final

from remembrancer.language.calendar import WEEKDAY_NAMES


def words(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


# Words that carry little in any talk: they count, but for little.
COMMON: Final = {
    "english": words(
        "able absolutely actually ago already alright always amazing another anything anyone anyway appreciate"
        " around ask asked away awesome back bad basically become best better big bit call came care certainly"
        " change check come comes coming congrats congratulations consider cool could couple course currently day days"
        " deal definitely different doing done else end enjoy enough ensure especially etc even ever every everyone"
        " everything exactly example excellent excited exciting fantastic feel feeling feels felt find fine first"
        " follow following found fun gave get gets getting give given gives glad go goes going gone gonna good got"
        " gotta great guess guys haha happen happened happy hard hear heard hello help helpful helping helps hey hi"
        " hope hoping however idea imagine important include including incredible indeed instead interested"
        " interesting keep kind kinda knew know knowing last later least less let lets life like likely literally"
        " little ll long look looking looks lot lots love loved lovely made main make makes making many matter may"
        " maybe mean means might mind moment much must need needed needs never new next nice oh ok okay one ones others"
        " particular people perfect perhaps person piece place please plus point possible pretty probably provide put"
        " quite ready really recent recently right said say says see seeing seem seems seen set several share shall"
        " should show since something sometimes soon sort sound sounds start started step steps still stuff such super"
        " sure take taken takes taking talk talking tell thank thanks thing things think thinking though thought three"
        " till time times today together told took totally tried true truly try trying two understand use used useful"
        " using usually want wanted wants was way ways well went were whatever whole will wish without wonderful"
        " wondering would wow yeah year years yep yes yet bye yesterday today tomorrow tonight"
        " cheers noted agreed agree welcome sorry evening morning"
    ),
    "german": words(
        "ach also andere anderen anders bald bestimmt besser bisschen bitte brauche danke dabei dazu denke denn deshalb"
        " eben echt eigentlich einfach einmal etwas finde ganz gar geben gehen geht genau gerade gern gerne gibt"
        " glaube gleich grad gut gute guten hallo halt heute hey hoffe immer irgendwie ja jetzt klar kommen kommt"
        " könnte lassen leider machen macht mag mal mehr muss müssen na nein nett nichts ok okay prima richtig sachen"
        " sagen sagt schon schön sehen sicher sollte sollten super tja toll total tut viel viele vielen vielleicht"
        " voll wahrscheinlich weiter weiß wirklich wohl wollen will wollte würde zeit ziemlich dir"
        " dich euch ihnen gestern morgen"
        " tschüss bravo geht's super toll verstanden einverstanden"
    ),
    "spanish": words(
        "ahora algo alguien algún alguna algunas así aunque bastante bien bueno buena cada casi cosa cosas creo cuenta"
        " claro dale dar decir después dice dijo entonces estoy estamos genial gente gracias gran hacer hago hola hoy"
        " igual ir jaja luego mejor mismo momento mucho mucha muchas muchos nunca pues parece parte poder podría puede"
        " puedes quería quiero quizás realmente saber sabes seguro siempre solo super tal tan tener tengo tiempo"
        " toda todas todo todos vale vamos ver verdad vez vida voy adiós ayer mañana entendido tal"
        " estás días tardes noches"
    ),
    "french": words(
        "ah aller alors après assez aussi autre autres avoir beaucoup bien bonjour bon bonne bref ça car cela celui"
        " chose choses comme comment contre crois d'accord déjà depuis dire dit donc encore enfin ensuite entre"
        " faire faut genre grand grande gros hein hier jamais jour juste là lequel maintenant même merci mieux moins"
        " ouais oui parce peu peut peux plutôt possible pourquoi puis quelque quelques rien sais salut sinon super"
        " sympa tellement temps toujours tous tout toute toutes très trop trouve vais va vas vers veux voilà voir"
        " voudrais vrai vraiment bravo demain aujourd'hui aujourd entendu au revoir coucou"
    ),
    "italian": words(
        "adesso allora altra altre altri altro ancora andare anzi appena bella belle bello ben bene bravo buona buono"
        " certo ciao cosa cose credo davvero devo dice dire dopo dunque ecco fare fatto forse già gente giorno grande"
        " grazie infatti insieme invece loro magari mai meglio meno molta molte molti molto mondo"
        " niente nulla ogni oggi"
        " parte perfetto però piacere po poi possibile posso praticamente prima proprio può quindi sai secondo sempre"
        " senza sicuramente so solo spero stata stato sto tanta tanto tempo tutta tutte tutti tutto vado va vedere"
        " veramente vero vita voglio volta vorrei bravo brava ieri domani stai arrivederci capito bene"
    ),
}

# What a sentence may begin with and loses: with or without a comma, or only where a comma or the like follows.
_DECISION = (
    r"\b(?:decided|decision|chose|chosen|settled on|agreed|going with|went with|we'?ll use|let'?s"
    r" (?:go with|use)|approved?"
    r"|confirmed?|opted|switch(?:ed|ing) to|entschieden|entscheidung|beschlossen|vereinbart|genehmigt"
    r"|decidí|decidido|decidimos|hemos elegido|acordamos|acordado|décidé|choisi|convenu|validé|deciso"
    r"|scelto|concordato)\b"
)
_PREFERENCE = (
    r"\b(?:prefer\w*|favou?rite|i (?:\w+ )?(?:love|like|hate|enjoy|adore|dislike)|can'?t stand|i'?m"
    r" (?:a )?(?:big )?fan of"
    r"|bevorzug\w*|lieblings\w*|am liebsten|ich mag|ich hasse|ich liebe|prefiero|favorit[oa]s?|me"
    r" gusta\w*|me encanta\w*|odio"
    r"|préfère|préférée?s?|j'aime|j'adore|je déteste|preferisco|preferit[oiae]|mi piac\w+|adoro)\b"
)
_PROFILE = (
    r"\b(?:my name is|i'?m (?:a|an|from|\d+)|i am (?:a|an|from|\d+)|i live|i work|my (?:wife|husband"
    r"|partner|son|daughter|kids"
    r"|mother|father|mom|dad|sister|brother|dog|cat|job|boss|birthday|address|company|team|manager"
    r"|colleague|friend)|born in"
    r"|years old|ich heiße|ich bin|ich wohne|ich arbeite|mein(?:e|en|em|er)? (?:frau|mann|sohn"
    r"|tochter|mutter|vater|schwester|bruder"
    r"|hund|katze|chef|firma|partner)|jahre alt|me llamo|vivo en|trabajo|mi (?:mujer|esposa|marido"
    r"|hijo|hija|madre|padre|hermana"
    r"|hermano|perro|gato|jefe|empresa)|je m'appelle|j'habite|je travaille|je suis|m(?:a|on) (?:femme"
    r"|mari|fils|fille|mère|père|sœur"
    r"|frère|chien|chat|chef)|mi chiamo|abito|lavoro|mi[oa] (?:moglie|marito|figlio|figlia|madre"
    r"|padre|sorella|fratello|cane"
    r"|gatto|capo))\b"
)
_ERROR = (
    r"(?:\b\w*(?:Error|Exception)\b|\bTraceback\b|\b(?:failed|fails|crash(?:ed|es)?|broken|got an"
    r" error|getting (?:an |this )?error"
    r"|fehlgeschlagen|abgestürzt|fehlermeldung|falló|error \d+|échoué|planté|fallito|errore \d+|exit code [1-9]\d*)\b)"
)
_MUST = (
    r"\b(?:remember (?:that|to|this)|please remember|don'?t forget|keep in mind|note that"
    r"|important (?:that|note|to (?:know|remember|note))|allerg\w+|deadline|due (?:on|by)"
    r"|merk(?:e)? dir|denk daran|nicht vergessen|wichtig ist|frist|recuerda|no olvides|importante"
    r"|alérgic[oa]|alergia|fecha límite"
    r"|souviens-toi|n'oublie pas|rappelle-toi|date limite|échéance|ricorda(?:ti)?|non dimenticare|scadenza|vegan\w*"
    r"|my name is|ich heiße|me llamo|je m'appelle|mi chiamo|always (?:use|format|include|answer|reply|provide))\b"
)
_PATTERN = (
    r"\b(?:usually|every (?:day|morning|evening|night|week|weekend|month|year"
    rf"|{'|'.join(WEEKDAY_NAMES['english'])})"
    r"|each (?:day|week|month)|twice a|once a|times a (?:day|week|month)|tends? to|meistens|jeden?"
    r" (?:tag|morgen|abend|woche|monat)"
    r"|normalerweise|cada (?:día|semana|mes|mañana)|normalmente|todos los|toutes les|chaque (?:jour|semaine|mois|matin)"
    r"|d'habitude|ogni (?:giorno|settimana|mese|mattina)|di solito)\b"
)
_REQUEST = (
    r"\b(?:can you|could you|would you|please|help me|how (?:do|can|should) i|what (?:should|would"
    r"|do)|i need|i want|i'?d like|let'?s"
    r"|kannst du|könntest du|können sie|bitte|hilf mir|wie kann ich|puedes|podrías|por favor|ayúdame"
    r"|cómo puedo|peux-tu|pouvez-vous"
    r"|s'il te plaît|aide-moi|comment puis-je|puoi|potresti|per favore|aiutami|come posso)\b"
)
_PAST = (
    r"\b(?:\w{2,}ed|was|were|had|did|went|got|made|took|saw|met|bought|came|gave|told|found|left|won"
    r"|lost|began|wrote|read"
    r"|built|grew|spent|taught|felt|kept|sold|chose"
    r"|war|waren|hatte\w*|wurde\w*|ging\w*|kam\w*|ge\w{3,}(?:t|en)"
    r"|\w{2,}(?:ó|aron|ieron|aba|aban)|fui|fue|fuimos|hice|hicimos|tuve|estuve|pude|\w+(?:ado|ido)"
    r"|étais|était|\w+ait|(?:ai|as|a|avons|avez|ont|suis|est|sommes) \w+(?:é|ée|és|i|u|is|it)"
    r"|(?:ho|hai|ha|abbiamo|avete|hanno|sono|è|siamo) \w+(?:at|it|ut|tt|st)[oaie]|\w+(?:ava|eva|iva))\b"
)
_YOU = (
    r"\b(?:you|your|yours|you'(?:re|ve|ll|d)|du|dich|dir|dein\w*|euch|euer|eure|tú|ti|tu|tus|te|usted"
    r"|ustedes|vosotros|toi|ton|ta"
    r"|tes|vous|votre|vos|tuo|tua|tuoi|tue|voi|vostr[oaie])\b"
)
CUES: Final = {
    "decision": _DECISION,
    "preference": _PREFERENCE,
    "profile": _PROFILE,
    "error": _ERROR,
    "must": _MUST,
    "pattern": _PATTERN,
    "request": _REQUEST,
    "past": _PAST,
    "you": _YOU,
}
# A sentence that begins so speaks of what was said before it.
LEANING: Final = words(
    "it it's that that's this these those you you're you've you'll there there's thanks what what's which"
    " das dies es eso esto ça c'est cela è questo quello"
)
ABBREVIATIONS: Final = words(
    "dr mr mrs ms prof st vs etc e.g i.e approx no vol fig inc ltd jr sr z.b bzw usw ca nr str hr fr d.h u.a evtl"
    " sra srta ud uds p.ej pág m mme mlle c.-à-d p.ex sig sig.ra dott ecc pag es"
)
ME: Final = words(
    "i i'm i've i'd i'll my we we're we've we'll our ich wir mein meine unser unsere yo nosotros mi mis nuestro nuestra"
    " je j'ai nous mon ma mes notre io noi mio mia nostro nostra"
)
