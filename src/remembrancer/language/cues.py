"""How people say what must be kept, in five languages: rules, decisions, promises, changes, who is who."""

import re
from typing import Final


def _any(*rows: str) -> str:
    return rf"(?<![\w'’-])(?:{'|'.join(rows)})(?![\w-])"


# What a rule, a wish for the answers to come, or a bound is said with.
_INSTRUCTION: Final = _any(
    r"from now on|from here on|in future|in the future|going forward|as a rule|a rule|the rule|rules?:|always|never"
    r"|nobody|no one"
    r"|please|pls|make sure|keep (?:it|your|them|the|things|replies|answers)"
    r"|not (?:before|after|until|till|by|in|on|to|with)|nothing (?:till|before|after|about)"
    r"|no \w+ (?:after|before|under|over|above|till|until)|(?:anything|anyone|whatever|whoever|everything|everyone)"
    r" (?:\w+ )?(?:above|over|below|under|goes|gets|needs|has|must)"
    r"|i'?d (?:rather|prefer) (?:you|it|that|they)|i'?d like to see|(?:she|he|they) can'?t (?:have|eat|use)|permitted"
    r"|don't|do not|must(?:n't| not)?|may (?:not|only|go|be)|not allowed|no longer|stick to|whenever|every time"
    r"|only if|only when"
    r"|unless|at most|at least|tops|max(?:imum)?|minimum|no more than|nothing (?:goes|gets|is|leaves)|cc|copy \w+ in"
    r"|i'd like (?:you|a)"
    r"|i want you|you should|you (?:can't|cannot|mustn't|don't)|has to be|have to be|needs? to be|stays?"
    r"|use \w+ (?:for|in|not)|answer in"
    r"|reply in|write (?:in|to|it|times|dates|the|your)|call me|address (?:me|him|her|them)|give me|not a word"
    r"|leave out|hands off|off limits",
    r"ab (?:jetzt|sofort|heute)|künftig|in zukunft|grundsätzlich|regel|immer|nie|niemals|niemand|keiner"
    r"|bitte|nicht (?:vor|nach|neben|ohne|per)|erst (?:ab|nach|wenn)|nix|gestattet|verboten|erlaubt|gilt"
    r"|hätte ich gern\w*|möchte ich|nur (?:noch|mit|in|wenn|für)|darf|dürfen|muss|müssen|nicht mehr|höchstens"
    r"|mindestens|maximal"
    r"|spätestens|jedes ?mal"
    r"|sobald|außer|fass dich|schreib|schreibt|antworte|nenn|verwende|benutze|nimm|sag|duz|siez|kein|keine|keinen"
    r"|soll|sollen|nichts",
    r"a partir de (?:ahora|hoy)|de ahora en adelante|en adelante|regla|siempre|nunca|jamás|nadie|ningun[oa]?"
    r"|no (?:me|nos|se|le|les|quiero"
    r"|pongas|uses|mandes|hagas|escribas|digas|toques)|que no|solo|sólo|hay que|tiene que|debe|deben|como máximo"
    r"|máximo|mínimo|al menos"
    r"|cada vez que|salvo|excepto|nada de|ni|háblen?le|escr[ií]be\w*|usa|usen|mándame|pásame\w*|denme|avísame"
    r"|con copia|ya no|por favor"
    r"|porfa|cortito|toda|todo",
    r"désormais|dorénavant|à partir de maintenant|à l'avenir|règle|consigne|toujours|jamais|personne|aucune?"
    r"|ne \w+ (?:pas|plus|jamais|que)"
    r"|pas de|plus de|rien|seulement|uniquement|il faut|doit|doivent|au maximum|maximum|max|au moins|minimum"
    r"|à chaque fois|sauf|évite"
    r"|évitez|écris|écrivez|réponds|répondez|mets|mettez|utilise|utilisez|en copie|s'il te plaît"
    r"|s'il vous plaît|stp|svp"
    r"|retiens|tutoie|vouvoie"
    r"|chaque|ne (?:pas|jamais)|interdit|reste|pas avant|pas après|on veut|je veux",
    r"d'ora in (?:poi|avanti)|da (?:ora|oggi|adesso) in poi|in futuro|regola|sempre|mai|nessun[oa]?|non (?:si|mi|ci"
    r"|voglio|vogliamo|usare"
    r"|scrivere|mettere|dire|portate\w*|vuole)|niente|solo|soltanto|bisogna|deve|devono|al massimo|massimo|almeno"
    r"|minimo|ogni volta|tranne|salvo"
    r"|evita|evitate|scrivi|scrivimi|rispondi|metti|usa|usate|in copia|per favore|dammi|dacci|diccelo|segnala|basta"
    r"|dopo le|prima delle|fino al",
)
_DECISION: Final = _any(
    r"decided?|decision|chose|chosen|picked|settled on|agreed|going with|went with|go with|we'?ll use|approved?"
    r"|confirmed?|opted|switch(?:ed|ing) to"
    r"|it'?s settled|settled|final|no question|we'?re keeping|let'?s|rather than|instead of|i'?d (?:say|leave|put"
    r"|rather)|how about|what about|proposal"
    r"|i propose|i suggest|out|dropped|scrapped|cancell?ed|skip|will be|stays?|we'?re (?:going|moving|doing|dropping"
    r"|keeping)|signed off|green light",
    r"entschieden|entscheidung|entschluss|beschlossen|vereinbart|ausgemacht|abgemacht|genehmigt|einig|geeinigt"
    r"|festgelegt|wir nehmen|wir machen|wir bleiben"
    r"|statt|stattdessen|ich schlage vor|vorschlag|würd(?:e|en)? (?:ich )?sagen|was haltet ihr|streichen|gestrichen"
    r"|gebucht|bestellt|zugesagt|bleibt|doch lieber"
    r"|fix|fixiert|könnten wir|wird",
    r"decid\w+|decisión|elegi\w+|elig\w+|acord\w+|acuerdo|quedamos|nos quedamos con|me fui con|nos vamos con|optamos"
    r"|aprob\w+|propongo|propuesta|en vez de"
    r"|en lugar de|mejor|yo digo|queda\w*|basta|se acabó|fuera|cancel\w+|confirmad[oa]|y si|será|se queda|vamos a",
    r"décid\w+|décision|choisi\w*|convenu|validé\w*|tranché\w*|on part sur|on garde|on prend|on laisse tomber"
    r"|au lieu de|plutôt|je propose|et si|d'accord"
    r"|entendu|ce sera|sera|annulé\w*|confirmé\w*|signé\w*|retenu\w*|on touche pas|on n'y touche pas|adopté|finalement",
    r"deciso|decisione|scelto|scelta|concordato|d'accordo|stabilito|approvato|confermato|invece (?:di|del|della)"
    r"|al posto (?:di|del|della)|propongo|proposta"
    r"|e se|andrebbe|teniamo|prendiamo|facciamo|dividiamo|sarà|annullat\w|alla fine|meglio|lasciamo|va alla?|tocca a",
)
_COMMITMENT: Final = _any(
    r"i'?ll|we'?ll|i will|we will|he'?ll|she'?ll|they'?ll|you'?ll have|i'?m (?:going to|picking|writing|bringing"
    r"|sending|calling|taking|driving|planning)"
    r"|i can have|i promise|promised?|count on me|on it|by (?:the end|mon|tue|wed|thu|fri|sat|sun|tomorrow|next|\d)"
    r"|due",
    r"ich (?:mach|mache|schick|schicke|ruf|rufe|bring|bringe|hol|hole|kümmer|kümmere|übernehm|übernehme|besorg"
    r"|besorge|schreib|schreibe|stell|stelle|beantrag"
    r"|beantrage|frag|frage|buch|buche|bestell|bestelle|melde|geb|gebe|fahr|fahre|back|backe|koch|koche|werde)"
    r"|(?:mach|schick|ruf|bring|hol|übernehm|stell"
    r"|beantrag|frag|buch|bestell) ich|versprochen|verspreche|wir (?:holen|bringen|machen|kümmern)|bis (?:montag"
    r"|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|ende|morgen|zum|\d)",
    r"yo (?:me encargo|lo hago|llevo|traigo|mando|compro|pido)|me encargo|voy a|vamos a|va a|les (?:mando|paso"
    r"|aviso)|te (?:mando|paso|aviso)|lo (?:hago|mando|termino"
    r"|subo|entrego)|\w{3,}ré|prometo|prometido|quedé de|entrego|termino|visito|para el (?:lunes|martes|miércoles"
    r"|jueves|viernes|sábado|domingo|\d)"
    r"|antes del?|a más tardar|hasta el",
    r"je (?:m'en (?:charge|occupe)|vous? envoie|t'envoie|passe|fais|prends|rappelle|remets|commande|réserve"
    r"|m'occupe)|on (?:passe|livre|commence|prend)|\w{3,}rai"
    r"|\w{3,}rons|je vais|on va|promis|d'ici|avant (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|le)"
    r"|au plus tard",
    r"ci penso io|me ne occupo|mi occupo|lo faccio|la (?:chiamo|porto|accompagno)|lo (?:chiamo|porto|mando|prenoto"
    r"|compro)|vado io|chiamo io|porto io|prenoto io"
    r"|\w{3,}[eiu]rò|\w{3,}eremo|prometto|promesso|entro (?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica"
    r"|il|la|fine|\d)|passo io|faccio io",
)
_CHANGE: Final = _any(
    r"now|moved?|moving|instead|actually|no longer|not any ?more|changed?|new|update|updated|scratch that|make it"
    r"|make that|pushed|postponed|brought forward"
    r"|replaced?|swapped?|switched|upped|raised|lowered|reduced|down to|up to|after all|rather than|correction"
    r"|turns out|rescheduled|stands at|takes over|delayed",
    r"jetzt|nun|doch|statt|stattdessen|nicht mehr|verschoben|verlegt|geändert|neu|neue|neuer|neues|erhöht|gesenkt"
    r"|korrektur|ab jetzt|nur mehr|nur noch|erst|ersetzt"
    r"|übernimmt|dauert",
    r"ahora|ya no|cambi\w+|movi\w+|se recorre|en vez de|en lugar de|mejor|nuev[oa]s?|actualiz\w+|aplaz\w+|pospu\w+"
    r"|subi\w+|baj\w+|corrección|al final|siempre sí"
    r"|será|queda\w*|reemplaz\w+",
    r"maintenant|plus|chang\w+|déplacé\w*|repouss\w+|décal\w+|report\w+|au lieu de|finalement|nouve(?:au|lle|aux)"
    r"|mis à jour|correction|en fait|sera|reprogrammé\w*"
    r"|remplac\w+|montent?|passe(?:nt)? à|désormais",
    r"adesso|ora|non più|cambi\w+|spostat\w|rimandat\w|invece|al posto|nuov[oaie]|aggiornat\w|alla fine|anzi"
    r"|correzione|sale a|scende a|diventa|saremo|posticipat\w|rinviat\w",
)
# Who or what somebody or something is: a name, a role, a relation, a place, a possession, a state of health.
_RELATION: Final = _any(
    r"name is|named|(?:'s|is|are) (?:called|my|our|his|her|the|a|an|in|at|on|from|allergic|off|out)|call(?:ed|s) me"
    r"|my (?:\w+ )?(?:wife|husband|partner|son|daughter"
    r"|kids?|child|children|mother|father|mum|mom|dad|sister|brother|gran\w*|aunt|uncle|cousin|boss|manager|team|dog"
    r"|cat|doctor|landlord|neighbou?r|roommate|friend"
    r"|colleague|house|flat|car|job)|(?:runs?|leads?|heads?|handles?|manages?|owns?|looks after|takes care of"
    r"|in charge of|responsible for|works? (?:as|at|for|in))|allerg\w+"
    r"|asthma\w*|diabet\w+|pregnant|vegan|vegetarian|wheelchair|contact|lives?|moved to|retired|took over"
    r"|belongs? to|because|since|reason",
    r"heißt|heiße|heißen|ist (?:mein\w*|unser\w*|der|die|das|ein\w*|für|bei|in)|mein\w* (?:frau|mann|sohn|tochter"
    r"|mutter|vater|papa|mama|schwester|bruder|oma|opa|chef\w*"
    r"|hund|katze|kollege|kollegin|freund\w*|nachbar\w*)|zuständig|leitet|kümmert sich|betreut|arbeitet|wohnt"
    r"|studiert|allergi\w+|verträgt|schwanger|vegetari\w+|vegan\w*"
    r"|lehrer\w*|ansprechpartner\w*|weil|denn|gehört",
    r"se llama|me llamo|llaman?|es (?:mi|nuestr[oa]|el|la|un|una|de)|mi (?:mujer|esposa|marido|hijo|hija|madre|padre"
    r"|mamá|papá|hermana|hermano|abuel[oa]|tí[oa]|jef[ea]|perr[oa]"
    r"|gat[oa]|doctor\w*|vecin[oa]|compañer[oa])|encargad[oa]|responsable|lleva|trabaja|vive|alérgic[oa]|alergia"
    r"|embarazada|vegetarian[oa]|vegan[oa]|contador\w*|porque|está en"
    r"|a nombre de|contacto|entra",
    r"s'appelle|m'appelle|appelle|est (?:mon|ma|notre|le|la|un|une|chez|dans)|m(?:on|a) (?:mari|femme|fils|fille"
    r"|mère|père|maman|papa|sœur|frère|tante|oncle|chef\w*|chien\w*"
    r"|chat\w*|médecin|voisin\w*)|notre (?:fils|fille|chatte?|chien\w*)|dirige|s'occupe|responsable|travaille|habite"
    r"|allergique|allergie|asthmatique|enceinte|végétari\w+|végan\w*"
    r"|remplace|parce|car|contrat",
    r"si chiama|mi chiamo|chiama|è (?:mi[oa]|nostr[oa]|il|la|un|una|del|della|in|di)|mi[oa] (?:moglie|marito"
    r"|figli[oa]|madre|padre|mamma|papà|sorella|fratello|zi[oa]|nonn[oa]|capo"
    r"|cane|gatt[oa]|medico|vicin[oa]|compagn[oa]|suocer[oa])|responsabile|si occupa|lavora|abita|allergic[oa]"
    r"|allergia|incinta|vegetarian[oa]|vegan[oa]|perché|badante|dottor\w*",
)
_LIKING: Final = _any(
    r"prefer\w*|favou?rite|i (?:\w+ )?(?:love|like|hate|enjoy|adore|dislike|loathe)|can'?t stand|can'?t (?:eat|drink"
    r"|read|bear)|fan of|fond of|don'?t (?:eat|drink|like|want)|no \w+ (?:on|in|for) (?:mine|me)"
    r"|scared of|afraid of|for me|makes? me|any day|would make me|rather have|keep \w+ away|vegan|vegetarian|decaf"
    r"|aisle|window seat|not my|sick of|drives me",
    r"bevorzug\w*|lieblings\w*|am liebsten|lieber|mag|mögen|hass\w*|lieb\w*|kein (?:fleisch|alkohol|zucker)"
    r"|ess\w* (?:ja |seit |nur |kein)|isst|trink\w*|vertrag\w*|angst vor|nur roh|gern|gerne|graust",
    r"prefier\w+|favorit[oa]s?|me gusta\w*|le gusta\w*|me encanta\w*|odi\w+|no (?:como|bebo|tomo|soporto|aguanto)"
    r"|nada (?:picante|de)|alérgic\w+|me da miedo|me cae|a mí|no soy persona|me pone",
    r"préf[eé]r\w*|j'aime|j'adore|je déteste|déteste|horreur|supporte pas|ne mange|mange pas|bois pas|faible pour"
    r"|j'ai peur|terrorise|et rien d'autre|veut (?:une|un)|n'aime pas|aime pas|me fait",
    r"prefer\w+|preferit[oiae]|mi piac\w+|le piac\w+|gli piac\w+|adoro|odi[oa]|non (?:mangi\w+|bev\w+|sopport\w+"
    r"|regg\w+|mand\w+ giù)|terrore|paura|sta male|solo (?:pistacchio|\w+)|vegetarian\w|vegan\w",
)
# That something was mended, or works.
_OUTCOME: Final = _any(
    r"(?:that|this|it) (?:fixed|solved|did|sorted) it|(?:is |are |was )?(?:fixed|solved|resolved)|works? (?:now|again)"
    r"|working (?:now|again)|(?:passes|pass) (?:now|again)|back up",
    r"behoben|gelöst|repariert|(?:läuft|geht|funktioniert) (?:jetzt|wieder|nun)|daran lag(?:'?s| es)|das war'?s",
    r"arreglad[oa]|solucionad[oa]|resuelt[oa]|(?:ya|ahora) (?:funciona|va|anda)|era eso",
    r"réglé\w*|résolu\w*|réparé\w*|(?:ça|tout) (?:re)?(?:marche|fonctionne)|c'était ça",
    r"risolt[oa]|sistemat[oa]|riparat[oa]|(?:ora|adesso) (?:funziona|va)|era quello",
)
# What only answers what somebody else has said: thanks, joy, dismay, jokes.
_REACTION: Final = _any(
    r"thank\w*|cheers|ta|lovely|brilliant|great|perfect|nice|wow|oh no|ouch|haha|lol|sorry|congrat\w*|well done"
    r"|good luck|enjoy|jealous|amazing|awesome|fair enough|no worries|welcome|noted|understood"
    r"|done|changed|hope|fingers crossed|love it|poor|hi|hello|morning|evening|night|see you|bye|right|of course"
    r"|sounds|makes sense|got it|smashing|blast|blimey|yay",
    r"danke\w*|super|toll|perfekt|schön|oje|aua|haha|sorry|gratul\w+|glückwunsch\w*|viel (?:spaß|glück)|hallo|servus"
    r"|guten (?:morgen|abend|tag)|gute nacht|bis dann|verstanden|erledigt|notiert|gern geschehen"
    r"|bussi|baba|klingt|passt|alles klar|hoffentlich|arme\w*",
    r"gracias|genial|perfecto|excelente|órale|jaja\w*|híjole|felicidades|suerte|hola|buen(?:os|as)? (?:días|tardes"
    r"|noches|día)|adiós|entendido|anotado|listo|de nada|sale|va|qué (?:bien|padre|bueno|pena|mal|risa)"
    r"|ni modo|lo siento|ojalá|saludos|abrazo\w*|claro",
    r"merci\w*|super|parfait|génial|bravo|haha|mdr|oh non|aïe|désolée?|félicitations|bonne chance|bonjour|bonsoir"
    r"|bonne (?:nuit|soirée|journée)|salut|coucou|à (?:plus|bientôt|demain)|compris|noté|c'est fait|de rien"
    r"|pas de souci|espérons|chouette|zut|courage|bises?|bien sûr",
    r"grazie\w*|perfetto|ottimo|bravo|brava|bene|benissimo|haha|ahah\w*|oddio|mamma mia|peccato|auguri"
    r"|congratulazioni|buona fortuna|ciao|buongiorno|buonasera|buonanotte|a (?:dopo|domani|presto)|capito|segnato|fatto"
    r"|prego|figurati|speriamo|che (?:bello|bella|brutto|ridere)|mi dispiace|forza|un bacio|baci|certo",
)

CUES: Final = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "instruction": _INSTRUCTION,
        "choice": _DECISION,
        "commitment": _COMMITMENT,
        "change": _CHANGE,
        "relation": _RELATION,
        "liking": _LIKING,
        "outcome": _OUTCOME,
        "reaction": _REACTION,
    }.items()
}
