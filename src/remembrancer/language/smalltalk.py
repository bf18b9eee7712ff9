"""What people say to keep a talk going: greetings, thanks, assent, farewells; it asks for nothing of what was said."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

from remembrancer.language.spelling import bare
from remembrancer.language.stopwords import STOP_WORDS

_LONGEST: Final = 160
# Pictures of things: not the faces, hands, hearts and signs with which people react.
_PICTURE: Final = re.compile(
    "[\U0001f300-\U0001f384\U0001f392-\U0001f43f\U0001f4a1-\U0001f4ae\U0001f4b0-\U0001f5ff\U0001f680-\U0001f8ff\U0001f950-\U0001f96f]"
)
_PHRASES: Final = (
    # English
    """hi|hello|hey|hi there|hello there|hey there|howdy|yo|greetings|welcome back|good morning|good afternoon
    |good evening|good night|good day|morning|evening|nice to meet you|nice to see you|nice to hear from you
    |good to see you|good to hear|great to hear|long time no see|how are you|and yourself|how about you
    |what about you|how have you been|hope you are well|hope you're well|hope you slept well|sleep tight
    |night night|all ears|bless you|how are you doing|how are you today
    |how are you doing today|how are things|how is it going|how's it going|how's it goin|what's good|hows it going
    |how do you do|what's up
    |whats up|sup|i'm fine|i am fine|i'm good|i am good|i'm back|i am back|i'm here|and you|you too|same here
    |same to you|thanks|thank you|thanks a lot|thanks so much|thank you so much|thank you very much|many thanks
    |thanks again|thx|ty|cheers|much appreciated|i appreciate it|that helps|that helped|that's helpful|very helpful
    |you're welcome|no problem|no worries|never mind|nevermind|not at all|my pleasure|anytime|don't mention it|ok
    |okay|okey|k|kk|alright|all right|fine|good|great|nice|cool|perfect|awesome|amazing|excellent|wonderful|lovely
    |brilliant|super|fantastic|neat|sweet|sounds good|sounds great|sounds perfect|works for me|you rock|keep it up
    |you're on a roll|no rush|take your time|gotta go|looks good|looks great
    |that's great|that's good|that's nice|that's fine|that's cool|that's awesome|very good|very nice|well done
    |good job|great job|nice work|good work|yes|yep|yeah|yup|ya|sure|sure thing|of course|certainly|absolutely
    |definitely|exactly|right|correct|true|indeed|agreed|i agree|i see|i understand|understood|got it|gotcha
    |makes sense|that makes sense|fair enough|no|nope|nah|not really|not yet|maybe|perhaps|hm|hmm|hmmm|mhm|uh|um|oh
    |ah|aha|wow|whoa|oops|sorry|i'm sorry|my bad|excuse me|pardon|please|please do|go on|go ahead|continue|carry on
    |keep going|next|done|ready|let's go|lets go|let's do it|let's start|wait|one moment|one second|just a moment
    |just a second|hold on|bye|goodbye|good bye|bye bye|see you|see ya|see you later|see you soon|see you tomorrow
    |talk to you later|talk later|talk soon|later|take care|have a nice day|have a good day|have a great day
    |have a nice weekend|have a good weekend|have a good one|have a good night|sleep well|enjoy|good luck|congrats
    |congratulations|happy birthday|happy new year|happy easter|happy holidays|happy friday|merry christmas|lol
    |haha|hahaha|hehe|lmao|testing|ping|are you there|is anyone there
    |anybody there|can you hear me|then|so|well|just|really|there|again|now|everyone|all|my friend|friend|buddy|mate
    |dear|guys|folks|very much|a lot|so much|for your help|for the help|for that|for now|today|tomorrow|that's all
    |that is all|that's it|that will be all|nothing else|nothing|it's okay|it's fine|i'm done|glad to hear it
    |glad to hear that|happy to hear that|what a day|tgif|brb|np|yw|idk|omg""",
    # German
    """hallo|hi|hey|moin|servus|gruss gott|gruezi|guten morgen|guten tag|guten abend|gute nacht|morgen|mahlzeit|na
    |wie geht's|alles klar bei dir|alles gut bei dir|wie laufts|wie lauft's|na wie gehts|wie gehts|wie geht es dir
    |wie geht es ihnen|wie geht's dir|alles gut|alles klar|mir geht's gut
    |mir geht es gut|mir gehts gut|mir gehts super|mir geht's super|kein ding|kein thema|bis denne|bis dann
    |keine sorge|und dir|und ihnen|und selbst|danke|danke schon|dankeschon|vielen dank|herzlichen dank|danke dir
    |danke sehr|tausend dank|besten dank|bitte|bitte sehr|bitte schon|gern|gerne|gern geschehen|gerne geschehen
    |keine ursache|kein problem|macht nichts|schon gut|nicht schlimm|ok|okay|gut|sehr gut|super|toll|prima|klasse
    |perfekt|wunderbar|ausgezeichnet|schon|sehr schon|cool|genial|spitze|klingt gut|hort sich gut an|passt|das passt
    |ja|jo|jep|jawohl|klar|na klar|naturlich|sicher|genau|stimmt|richtig|einverstanden|verstehe|ich verstehe
    |verstanden|aha|achso|ach so|ach|oh|hm|hmm|tja|nein|ne|nee|noch nicht|vielleicht|mal sehen|entschuldigung|sorry
    |tut mir leid|verzeihung|weiter|mach weiter|weiter so|fertig|bereit|los|los geht's|nur zu|ich hore|auf geht's
    |moment
    |einen moment|warte|warte kurz|tschuss|tschus|ciao|auf wiedersehen|bis bald|bis spater|bis morgen|bis dann
    |mach's gut|machs gut|schonen tag|einen schonen tag|schonen tag noch|schones wochenende|schonen abend
    |gute besserung|viel gluck|viel spass|viel erfolg|alles gute|gluckwunsch|herzlichen gluckwunsch|haha|bist du da
    |das war's|das wars|nichts|freut mich|schon dich zu sehen|wieder da|ich bin wieder da|noch|dann|nochmal
    |fur deine hilfe|fur die hilfe|zusammen|dir|ihnen|wirklich|so|doch|mal|auch|jetzt|heute""",
    # Spanish
    """hola|buenas|buenos dias|buenas tardes|buenas noches|buen dia|que tal|como estas|como esta|como te va|que hay
    |que pasa|como va todo|todo bien|que tal todo|como anda todo|que onda|como andas|madre mia|no me digas
    |tu puedes|lo maximo|no hay problema|ni hablar|que guay
    |y tu que tal|muy bien|estoy bien|y tu|y usted|gracias|muchas gracias|mil gracias
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
    |impeccable|c'est bon|c'est bien|c'est super|c'est parfait|ca marche|ca me va|ca roule|la forme
    |a plus dans le bus|et vous-meme|et toi-meme|vous-meme|toi-meme|bien ou quoi|bon appetit
    |ah ouais|pas mal|meilleurs voeux|bonne idee|oui|ouais
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
    |come stai|come sta|come state|tutto bene|ce la fai|come procede|come butta|tutto ok|che si dice|come butta
    |sto bene|bene grazie|e tu|e lei|grazie
    |grazie mille|molte grazie|tante grazie|grazie tante|grazie infinite|ti ringrazio|la ringrazio
    |grazie per l'aiuto|grazie per il tuo aiuto|grazie di tutto|prego|di niente|di nulla|figurati|si figuri
    |non c'e di che|nessun problema|non importa|non fa niente|non ti preoccupare|ok|okay|va bene|mamma mia
    |tutto a posto|non ci credo|non c'e problema|chiedo scusa|forza|d'accordo|bene
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
# Words that answer or colour what was said, alone or among those below.
_REACTIONS: Final = """
    ugh meh argh gosh omg jeez yay yikes phew woo hooray hurray hurrah hugs xoxo xx dude bro hiya holla welp yessir
    yass
    yas yup hilarious genius legend lifesaver incredible terrific marvellous marvelous apologies ouch eek nooo yesss
    heya goodness wicked dope lit sup goin howdy ta tysm thankyou thnx tks gn gm nite g'day cheerio kudos respect whew
    krass hammer wahnsinn irre juhu hurra yeah puh oje ohje uff mist herrlich grossartig goldig frohe frohes frohliche
    jawoll jap joa okidoki gebongt abgemacht digga danke hihi pfiat servus sauber stark respekt hut ab moinsen huhu
    tschussi tschau merci mercy lg vg bussi knuddel ciao dankeee ups hoppla
    ey sip sep okis dale orale andale guay chulo chido padre chevere barbaro fenomenal uf ostras caray jo jolin ole
    crack maquina tranqui jeje jiji feliz felices enhorabuena bravo besos abrazo abrazos saludos tranquilo tranquila
    holaaa wenas holi adeu agur porfa porfi graciass increible impresionante
    wesh ptdr mdr ouah waouh hourra youpi zut mince purin punaise pfff pff bisous bises bisou ouaip carrement oki dac
    nickel grave kiffe chapeau slt bjr bsr cc mercii joyeux joyeuse genialissime sympa cimer stp svp tkt ohlala oups
    daje dai uffa oddio caspita accidenti cavolo evviva urra pazzesco assurdo mito bacio baci bacioni abbraccio
    abbracci bella bellissimo bellissima fortissimo okk benone altrettanto tranquillo tranquilla tvb cmq grz buondi
    ttyl brb gtg g2g juhuu forza auguroni brr puh uela salve bravissimo bravissima
    congrats gorgeous d'acc mouais lach
    aww awww sweetie sweet bless okie dokie okey-dokey interesting fascinating intriguing superb fab fabulous splendid
    kindly regards sincerely ears cheerful blimey crikey golly lovely charming magnificent outstanding yummy cute
    bravissimi sorted righto alrighty toodles farewell gracious hallelujah amen facepalm rofl smh ikr imo
    ngl bet aye aight yeahh mmm mmhm huh hah heh eww yuck whoops bonkers nuts insane unreal crazy bananas
    duper oha naja mitenand vielmals nachfrage lg bitteschon echt jetzt wirklich feierabend mensch donnerwetter
    respekt
    alter schwede supi prost gesundheit halleluja mega spitzenmassig traumhaft zauberhaft entzuckend lieb liebe grusse
    schleich mahlzeit gruezi salu hoi ade tschoe servas baba bussal wiederschauen pfuideifel igitt bravo sapperlot
    genio onda salud animo sigue escucho amable tirando andamos disculpe disculpen sorprendente chevere bacan
    buenisimo
    alucinante flipante brutal bestial menudo menuda ojala anda venga vaya hostia caramba cielos santo jope guay
    bendito
    bendiciones carino saluditos chaito besis apapacho padrisimo joya macanudo copado
    genial adore serieux forme app courage ecoute vivement hum bof rhoo roh tiens dingue ouf enorme canon
    extra terrible splendide superbe merveilleux magique exquis ravissant charmant sante tchin cordialement
    amicalement salutations continuation tchao adieu sacrebleu fichtre chic hourrah
    gia evviva magari peccato accipicchia perbacco diamine salute cin prosit saluti cordiali distinti cordialmente
    affettuosi strabello bellissimi figata ganzo mitico grandioso favoloso splendida meraviglia stupenda fantastica
    perfetta magnifica eccellente spettacolo spettacolare bomba top vai avanti alle prossime
"""
# Words that may stand beside such phrases, and by themselves say nothing of what is meant.
_BESIDE: Final = (
    # English
    """send sent seriously deserved deserve gorgeous beautiful assistant soon tomorow listening such yourself
    assistance rude mean meant yell slept didn't doesn't don't won't can't couldn't we're having it's
    you're that's thats roll rolling sunny isn't aren't alligator crocodile s okaay stop smart clever genius legend
    star angel
    lifesaver hero gem best rock rocks
    kind adorable hilarious funny joke joking kidding laugh laughing dead dying crying ugh meh argh gosh god goodness
    jeez damn yay yikes phew woo hooray hurray mondays monday tuesday wednesday thursday friday fridays saturday
    sunday
    weather sunny rain rainy raining snowing cold hot warm freezing sunshine outside tired sleepy exhausted bored
    fingers crossed luck lucky mistake typo oopsie apologies apologise apologize bother bothering interrupt forgive
    hugs hug kisses kiss love xoxo xx merry christmas xmas easter happy new year holidays hanukkah eid diwali
    halloween thanksgiving fun enjoy rest relax dreams dream pretty super quite such totally truly
    doing going goin gonna hows helpful helped feeling feel feels pleased delighted glad proud exciting excited
    appreciated appreciate explained explanation impressive impressed everything day days night evening afternoon
    morning week weekend hope hoping wish wishing hear hearing see seeing meet meeting talk talking chat chatting
    speak catch til till until until then bit little bunch tons million lot lots bless hang tight cool dude bro man
    sis
    girl boy sir madam ma'am peeps y'all yall hiya heya holla welp yessir yass yas yup nope lets lemme gimme
    think thinking thought sense rest relaxing quick second minute sec min moment back here away soon
    later tonight sleepyhead tomorrow today long time amazing way gotta go
    heading off out care stay safe warm well positive nice one done great ever made my your friend
    incredible terrific marvellous marvelous smashing stellar spot exactly wrong chatbot
    know really pretty thing things nothing much same old surviving alive busy ok okay fine""",
    # German
    """lach hore hor nur zu hab mich sry vertippt bester besten nachfrage selber selbst schlecht duper muhe endlich
    hast gemacht richtig kann mehr heut dein
    deine herzlich herzlichen schlaf schlafen gut traum
    traume suss susse leg lege machen mach krass hammer geil wahnsinn
    irre unglaublich echt wirklich voll mega richtig wie das freut sehr leid gemeint nicht boser absicht sauwetter
    wetter regen sonne sonnig kalt warm heiss schnee nass grau frohe frohes frohliche ostern weihnachten neues jahr
    silvester feiertage fest guten rutsch euch allen alle lieb liebe lieber nett freundlich klug schlau genie held
    engel schatz beste bester bist du ein eine super lacht lachen witzig lustig spass scherz ha hihi lol tot montag
    montags dienstag mittwoch donnerstag freitag samstag sonntag mude erschopft kaputt langweilig oje ohje mist
    verdammt puh juhu hurra yeah yay wow drucke gedruckt daumen gluck fehler vertippt verschrieben falsch falscher
    tab chat taste storen store gestort kuss kusse kusschen umarmung druck feierabend schonen tag abend woche
    wochenende nacht morgen hoffe hoffentlich wunsche wunsch dir euch ihnen geht laufts lauft stimmung gespannt
    erklart erklarung hilfreich geholfen hilft beeindruckt beeindruckend stark alter digga bro leute mann junge sauber
    machs bis gleich demnachst nachstes mal wieder zuruck da hier weg jetzt los gehe muss ins bett ciao servus pfiat
    danke dankend sonnenschein goldig idee sinn ergibt klasse alles nichts gutes beste bestens geht so muss ja
    wundervoll herrlich traumhaft grossartig fein jawoll jap joa yep okidoki okay oki passt gebongt abgemacht""",
    # Spanish
    """salir va sali pela fin mejores guapa guapo amabilidad estamos pena fuerte serio casi viernes genial jueves
    buenisima por aqui lo ey q tal sol eres un una sip va venga adelante muero risa
    guay que me equivoque tranqui
    tranquilo tranquila
    explicado enhorabuena feliz felices finde fin de semana todos todas fiestas navidad navidades pascua ano nuevo
    cumple dia tarde noche manana lunes martes miercoles jueves viernes sabado domingo tiempo calor frio lluvia
    llueve lloviendo nieve hace soleado cansado cansada sueno aburrido aburrida uf uff ay ostras madre mia dios
    caray jo jolin bravo ole crack maquina genio grande lista listo inteligente amable majo maja cielo corazon
    tesoro amor carino rey reina jefe tio tia tron colega hermano bro wey guey che parce pana chistoso gracioso
    divertido broma jeje jiji lol xd besos beso besitos abrazo abrazos saludos cruzo dedos cruzados suerte perdone
    disculpas molestia molestar molesto error culpa mia equivocado equivocada tecla boton chat ventana mensaje
    espero deseo alegro alegra encanta gusta mola chulo chido padre chevere barbaro fenomenal increible impresionante
    util ayudado ayuda ayudo explicas explicacion idea sentido razon toda igual ti vosotros ustedes usted contigo
    luego pronto rato hablamos leemos veo vemos voy dormir cama descansa descansar duerme suenos dulces cuida cuidate
    pasa pases paso bien lindo linda bonito bonita hermoso hermosa buen buena buenos vuelta aqui ya estoy toca trabajo
    mas nada todo mucho muchisimo muchisimas infinitas agradecido agradecida agradezco enseguida ahorita ahora dale
    sale orale andale okis oki okey sip nop nel claro seguro perfe genialisimo buenisimo estupenda""",
    # French
    """pourquoi-pas lundi comme part mauvaise voulais vexer fond hein elegance bas geres gere verrai vois ce bot
    assures assure arriver arrive vas y j'adore j'ecoute t'assures matin vendredi quel beau
    fais faites beaux belle travail derangement dommage voeux meilleurs meilleur chien brr wesh bien ou quoi
    mercii allez je file bisous bises bisou bise convient ca me te va tres ptdr mdr lol xd
    faute de
    frappe t'inquiete inquiete pas souci trop fort forte vraiment t'es tu es fort bon week-end weekend we toi vous
    aussi a joyeux joyeuse noel paques fetes fete bonne bonnes annee anniversaire nouvel an lundi mardi mercredi jeudi
    vendredi samedi dimanche semaine jour journee soiree nuit matin meteo temps fait froid chaud pluie pleut neige
    soleil beau gris fatigue fatiguee creve crevee ennui pff pfff oh la la ohlala mince zut purin punaise dis donc
    ouah waouh hourra youpi genie intelligent intelligente malin gentil gentille adorable aimable ange coeur tresor
    chef champion championne reine roi mec gars frere frero meuf bro les amis drole rigolo blague rire rigole mort
    morte doigts croises chance excuses desolee derange deranger embeter erreur trompe trompee touche onglet fenetre
    message espere souhaite content contente heureux heureuse aime adore kiffe genialissime incroyable
    impressionnant impressionnante impressionne utile aide aider aidee explique explication idee sens logique raison
    pareil idem toute tous toutes bientot tard plus tot demain soir prochaine fois dormir lit reve reves doux repose
    repos courage profite bien prends soin revoila revoici retour me voila suis la ici dois partir file cours boulot
    rien tout nickel carrement grave clair ouaip yep nan nope okay oki dac d'acc dacodac ok entendu volontiers merci
    infiniment enormement remercie reconnaissant reconnaissante bravo chapeau felicitation sympa cool cest c'est""",
    # Italian
    """ridere muoio roba ritardo famiglia venerdi curioso curiosa conoscerla tira scappare procedi pure lupo bocca
    chiedo credo tantissimo tantissime tesoro sei un una cuore di cortesia
    gentilezza abbraccio abbracci bacio baci bacione
    bacioni facciamo cosi daje dai ma forte ahahahah sto morendo ridere risate sbagliato tasto errore tranquillo
    tranquilla
    bella bello bellissimo bellissima giornata oggi finalmente po sole tanti auguri buon buona buone buoni natale
    pasqua feste anno nuovo compleanno ferragosto lunedi martedi mercoledi giovedi venerdi sabato domenica settimana
    weekend giorno sera serata notte mattina mattinata pomeriggio tempo meteo caldo freddo piove pioggia neve
    nuvoloso fuori stanco stanca sonno noia uffa mamma mia oddio caspita accidenti cavolo wow evviva urra genio
    intelligente furbo gentile gentilissimo gentilissima carino carina dolce angelo stella amore caro cara capo
    campione campionessa mito numero uno grande fratello fra bro raga ragazzi zio simpatico simpatica divertente
    spiritoso scherzo scherzavo scherzi ahah haha lol xd incrociamo dita incrociate fortuna scuse scusate disturbo
    disturbare disturbi colpa mia finestra messaggio chat spero auguro augurare felice contento contenta lieto lieta
    piaciuto piace adoro amo incredibile impressionante pazzesco assurdo utile aiutato aiuto aiuti spiegato
    spiegazione idea senso ragione anche te voi lei loro altrettanto presto dopo domani stasera prossima volta
    sentiamo vediamo dormire letto sogni sogno d'oro riposo riposa riposati cura abbi goditi divertiti buonanotte
    notte rieccomi tornato tornata qui eccomi devo andare scappo corro lavoro nulla tutto tutti tutte mille infinite
    grato grata ringrazio ringraziamenti davvero proprio tanto molto okay oki okk yes yep nope certo certissimo come
    no fatta bene benone alla grande top super ottima ottimo ok""",
)
# Of a short word a last letter that stands twice is part of it: "Bonn".
_STRETCHED: Final = re.compile(r"(\w)\1{2,}|(?<=\w{4})(\w)\2$")
_LAUGHTER: Final = re.compile(r"(?:a?(?:ha|he|hi|ah|eh|ja|je|ji)+[hj]?|lo+l|r?ofl|lmf?ao|x+d+|(?:pt|m)dr+|k{2,}|w{2,})")
_SIGNS: Final = re.compile(r"[^\w'’\s-]+")
_ASKS: Final = re.compile(r"[?？]")
_ASKING: Final = """when where who whom whose which why wann wo wer wem wen wessen welche welcher welches warum wieso
    cuando donde quien quienes cual cuales porque quand ou qui quels quelles pourquoi cosa quando dove chi quale quali
    perche tell remind remember show find erinnere sag zeig recuerda dime rappelle dis ricorda dimmi"""
# They ask where there is a question mark, and else may begin a cry: "wie schön", "qué bien".
_CRYING: Final = "what how was wie que come che quel quelle comment quoi"
# With a question mark they ask about somebody.
_ABOUT: Final = """he she they him her his hers them their my mine our ours er sie ihr ihm ihn mein meine unser unsere
    el ella ellos ellas mi mis nuestro nuestra il elle ils elles mon ma mes notre nos lui loro mio mia miei
    nostro nostra did does had were i me"""
# They stand beside all sorts of words.
_WEAK: Final = "then so well just really there again now today tomorrow everyone all nothing"
_WORD: Final = re.compile(r"[\w'-]+")


class Talk(IntEnum):
    """How far a text is small talk."""

    NONE = 0
    PARTLY = 1
    ALL = 2


def small_talk(text: str) -> Talk:
    """How far a text is greetings, thanks, assent and the like.

    All of it: nothing but such, perhaps with a name behind one of them. Partly: it begins or reacts so, and goes on
    with something that asks for nothing.
    """
    if not text.strip() or len(text) > _LONGEST or any(letter.isdigit() for letter in text):
        return Talk.NONE
    parts = [_WORD.findall(part) for part in _SIGNS.split(text.replace("’", "'"))]
    words = [word for part in parts for word in part]
    if not words:
        # Signs alone: a face, a thumb, or dots; another picture is looked for.
        return Talk.NONE if any(letter.isalnum() for letter in text) or _PICTURE.search(text) else Talk.ALL
    left = [word for part in parts for word in _left(part)]
    said = {_plain(word) for word in words}
    reacts = not said - {_plain(word) for word in left} <= _plainly(_WEAK) or not said.isdisjoint(_plainly(_REACTIONS))
    cries = any(_plain(word) in _plainly(_CRYING) for word in left)
    asks = bool(_ASKS.search(text))
    if reacts and not (asks and (cries or not said.isdisjoint(_plainly(_ABOUT)))):
        # Words between phrases, as long as they ask for nothing.
        between = [word for word in left if _plain(word) not in _fillers()]
        left = between if not (asks and between) else left
    if not left or (len(left) == 1 and left[0][:1].isupper() and words[0] != left[0] and not cries):
        return Talk.ALL
    return Talk.PARTLY if reacts and not asks and said.isdisjoint(_plainly(_ASKING)) else Talk.NONE


def _plain(word: str) -> str:
    """A word as it is compared: without accents, and with no letter drawn out."""
    return _STRETCHED.sub(r"\1\2", bare(word.casefold()))


def _left(words: Sequence[str]) -> list[str]:
    """What is left of some words once as many as possible are taken for phrases."""
    phrases, most = _known()
    folded = [_plain(word) for word in words]
    least: list[list[str]] = [[]]
    for end in range(1, len(words) + 1):
        ways = [[*least[end - 1], words[end - 1]]]
        ways += [least[start] for start in range(max(0, end - most), end) if " ".join(folded[start:end]) in phrases]
        if _LAUGHTER.fullmatch(folded[end - 1]):
            ways.append(least[end - 1])
        least.append(min(ways, key=len))
    return least[-1]


@cache
def _fillers() -> frozenset[str]:
    """The words of all phrases, and stop words, but for those that ask."""
    common = {_plain(word) for some in STOP_WORDS.values() for word in some}
    spoken = {word for phrase in _known()[0] for word in phrase.split()}
    beside = {word for some in _BESIDE for word in _plainly(some)}
    return frozenset((common | spoken | beside | _plainly(_REACTIONS)) - _plainly(_ASKING))


@cache
def _plainly(words: str) -> frozenset[str]:
    return frozenset(map(_plain, words.split()))


@cache
def _known() -> tuple[frozenset[str], int]:
    """Every phrase without accents, and how many words the longest has."""
    phrases = {" ".join(map(_plain, _WORD.findall(phrase))) for some in _PHRASES for phrase in some.split("|")}
    return frozenset(phrases), max(len(phrase.split()) for phrase in phrases)
