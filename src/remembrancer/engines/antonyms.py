"""The closed word lists of five languages that decide whether two statements may be one.

Everything is written as `folded` in `language/spelling.py` leaves it: lower case, accents off, umlauts as `ae`.
The lists are short on purpose: what they miss is caught by rule, because a word that is not listed is never dropped.
"""

from typing import Final

from remembrancer.language import calendar

LANGUAGES: Final = ("de", "en", "es", "fr", "it")

STEMMERS: Final = {"de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian"}


def _groups(lines: str, mark: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group.split(mark)) for group in lines.split())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words whose loss or gain changes nothing. No word that has an opposite may stand here (off, out, aus, contra ...).
FUNCTION_WORDS: Final = {
    "de": _words(
        "der die das den dem des ein eine einen einem einer eines ist sind bin bist sein hat haben habe hast"
        " war waren"
        " wird werden wurde wurden worden in im an am zu zum zur mit von vom fuer bei beim auf um und dass"
        " daran sich es"
        " man so da denn wie als welche welcher welches dieser diese dieses diesen diesem ins ans jetzt aber"
        " sondern"
    ),
    "en": _words(
        "a an the one is are am be been being was were has have had having do does did doing will would to"
        " of in on at"
        " for with as about into and that which who whom this these those it its itself there s ll ve re d"
        " so because but"
    ),
    "es": _words(
        "el la los las un una unos unas lo le les es son esta estan estar ser sea fue era eran estaba ha han"
        " haber hay pero"
        " habia de del al a en con por para y e que se su sus eso esto como cual porque sera sino"
    ),
    "fr": _words(
        "le la les l un une des du de d au aux est sont etre ete etait etaient a ont avoir avait sera en"
        " dans sur avec"
        " pour et que qu qui se s son sa ses ce c cet cette ces y dont comme parce donc mais"
    ),
    "it": _words(
        "il lo la i gli le l un uno una e ed sono essere era erano ha hanno avere aveva sara di del dello"
        " della dei"
        " degli delle dell d a al allo alla ai agli alle all in nel nello nella nei nelle nell su sul sulla"
        " sui con per"
        " che chi si suo sua suoi sue questo questa questi queste come c ci perche stato stata viene ma"
    ),
}

GERMAN_DETERMINERS: Final = _words(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am zum"
    " zur vom beim"
    " ins ans jede jeder jedes jeden jedem alle allen aller mein meine meinen meinem dein deine sein"
    " seine seinen seinem"
    " ihr ihre ihren ihrem unser unsere unseren diese dieser dieses diesen diesem"
)

GERMAN_PARTICLES: Final = _words("an auf zu ein ab vor bei mit um in")

PREPOSITIONS: Final = _words(
    "in on at for with of to about into im zum zur mit von vom fuer bei beim auf um en con para por de"
    " del al dans sur"
    " am avec pour du au aux nel nella nello nei nelle sul sulla per di della dei"
)

LINKS: Final = _words("and und y e et or oder o ou")

# Prepositions that tell the part a word plays, even where they carry little meaning themselves.
MARKS: Final = PREPOSITIONS | _words("to a al allo alla ai agli alle all")

MARKS_OF_GOAL: Final = _words("to an zu zum zur a al allo alla ai agli alle all au aux")
MARKS_OF_SOURCE: Final = _words("of von vom de del du di dello della dei degli delle dell")

# Markers whose two sides cannot be exchanged: "from X to Y", "X before Y".
ROLE_MARKERS: Final = _words(
    "from to than before after over until into by than above below under towards instead von nach vor"
    " statt als bis zu"
    " ueber unter antes despues desde hasta que sobre avant apres depuis dans prima dopo da fino sopra"
    " sotto behind"
    " hinter detras derriere dietro"
)

AGENT_MARKERS: Final = _words("by durch por par dal dalla dallo")

CLAUSE_BREAKS: Final = _words(
    "and but because although while whereas if when und aber sondern weil dass obwohl wenn pero sino y"
    " porque aunque"
    " cuando mais et car parce quand ma e perche quando mentre"
)

FILLERS: Final = _words(
    "please really actually very indeed kindly basically truly certainly definitely simply also too well"
    " ok okay hey"
    " hi hello note bitte wirklich sehr tatsaechlich eigentlich auch uebrigens gerne gern favor realmente muy"
    " tambien verdaderamente vraiment tres aussi veuillez effectivement favore davvero veramente proprio"
    " anche"
)

PRONOUNS: Final = {
    "de": _groups(
        "ich/mich/mir/mein/meine/meinen/meinem/meiner/meines du/dich/dir/dein/deine/deinen/deinem er/ihn/ihm"
        " sie/ihr/ihre/ihren/ihrem/ihrer/ihnen wir/uns/unser/unsere/unseren euch/euer/eure",
        "/",
    ),
    "en": _groups(
        "i/me/my/mine/myself you/your/yours/yourself he/him/his/himself she/her/hers/herself we/us/our/ours"
        " they/them/their/theirs",
        "/",
    ),
    "es": _groups(
        "yo/me/mi/mis/mio/mia tu/te/ti/tus/tuyo ella nosotros/nos/nuestro/nuestra ellos ellas usted/ustedes",
        "/",
    ),
    "fr": _groups(
        "je/j/me/m/moi/mon/ma/mes tu/te/t/toi/ton/ta/tes il elle nous/notre/nos vous/votre/vos ils elles leur/leurs",
        "/",
    ),
    "it": _groups(
        "io/mi/me/mio/mia/miei/mie tu/ti/te/tuo/tua/tuoi/tue lui lei noi/nostro/nostra voi/vostro/vostra loro",
        "/",
    ),
}

PAST: Final = _words(
    "was were had war waren hatte hatten wurde wurden era eran fue fueron estaba estaban habia etait"
    " etaient avait"
    " avaient erano aveva avevano stava"
)

# A bare negation: read as a mark on its clause and then put aside.
NEGATIONS: Final = _words(
    "not no never neither nor without cannot none nt non nicht nie niemals weder ohne nein keineswegs"
    " keinesfalls"
    " nimmer nunca jamas tampoco ni ne n' pas jamais aucun aucune sans nullement senza nessun nessuna né"
    " mica affatto"
    " ningun ninguna guere"
)
NEGATIONS_OF_ONE_LANGUAGE: Final = {"mai": "it", "sin": "es"}
# A negation that also says who, what, where or how seldom, so that it stays a word of the statement as well.
NEGATIVE_WORDS: Final = _words(
    "nobody nothing nowhere noone hardly barely scarcely rarely seldom unable niemand niemanden"
    " niemandem nichts"
    " nirgends nirgendwo kaum selten nadie nada ninguno apenas rien nul nulle rarement nessuno niente"
    " raramente false"
    " untrue falsch falso faux wrong lacks lack ban bans banned lehnt personne nulla"
)
# Beginnings of verbs that deny what follows them: "refuses to", "hat aufgehört", "evita".
DENYING_STEMS: Final = (
    *(
        "stop",
        "refus",
        "avoid",
        "fail",
        "forbid",
        "forbad",
        "prohibit",
        "prevent",
        "reject",
        "quit",
        "ceas",
        "declin",
    ),
    *(
        "deny",
        "denie",
        "cancel",
        "abandon",
        "forget",
        "forgot",
        "omit",
        "keinerlei",
        "weiger",
        "vermeid",
        "vermied",
    ),
    *(
        "verzicht",
        "verbiet",
        "verbot",
        "aufgehoert",
        "aufhoer",
        "hoert",
        "ablehn",
        "abgelehnt",
        "versaeum",
        "vergess",
    ),
    *(
        "vergiss",
        "verhinder",
        "verweiger",
        "niega",
        "nego",
        "evit",
        "rechaz",
        "prohib",
        "dejo",
        "deja",
        "olvid",
    ),
    *(
        "arret",
        "cess",
        "interdi",
        "empech",
        "oubli",
        "rejet",
        "annul",
        "rifiut",
        "smett",
        "smess",
        "smise",
        "vieta",
    ),
    *("impedi", "dimentic"),
)

# Adding one of these narrows, widens or weakens a statement.
SCOPE_WORDS: Final = _words(
    "only except until unless almost nearly just maybe perhaps possibly probably supposedly allegedly or"
    " if might may"
    " nur ausser bis fast beinahe vielleicht wahrscheinlich moeglicherweise angeblich oder falls solo"
    " solamente salvo"
    " excepto hasta casi quizas quiza tal probablemente posiblemente o si sauf seulement uniquement"
    " presque peut-etre"
    " jusqu jusque probablement ou soltanto solamente tranne eccetto fino quasi forse probabilmente"
    " oppure se used"
)

NEGATIVE_PREFIXES: Final = (
    *(
        "un",
        "in",
        "im",
        "ir",
        "il",
        "dis",
        "non",
        "de",
        "des",
        "me",
        "mis",
        "miss",
        "s",
        "ent",
        "a",
        "anti",
        "contra",
    ),
    *("gegen", "nicht", "mal", "dys", "ab", "under", "counter", "contre", "contro", "dé", "out", "no"),
)
OPPOSED_PREFIXES: Final = frozenset(
    frozenset(pair)
    for pair in _groups(
        "en/dis in/ex im/ex in/de in/dis en/de up/down at/de ein/aus an/aus auf/ab auf/zu zu/ab an/ab be/ent"
        " over/under"
        " ueber/unter pro/anti sur/sous sopra/sotto vor/nach hin/her maxi/mini max/min pre/post em/im on/off"
        " in/out"
        " for/back an/ent con/dis ac/de as/di em/de as/des em/dé a/de en/des a/des ap/de em/débar con/di"
        " hypo/hyper"
        " sobre/sub macro/micro mehr/weniger inter/exter in/e con/s intro/extra as/dis a/dé hinauf/hinunter"
        " on/under",
        "/",
    )
)
OPPOSED_SUFFIXES: Final = frozenset({"less", "los", "lose", "losen", "loser", "loses", "frei", "free", "arm", "leer"})

ANTONYMS: Final = {
    "en": _groups(
        "always/never always/rarely always/sometimes often/rarely often/seldom often/never usually/rarely"
        " before/after"
        " with/without more/less more/fewer most/least many/few much/little all/none all/some everyone/nobody"
        " everything/nothing everywhere/nowhere morning/evening day/night open/close opened/shut hot/cold"
        " warm/cool"
        " big/small large/small long/short high/low tall/short fast/slow quick/slow early/late old/new"
        " old/young"
        " good/bad better/worse best/worst right/wrong right/left true/false cheap/expensive rich/poor"
        " hard/soft"
        " hard/easy difficult/easy difficult/simple heavy/light dark/light bright/dark full/empty wet/dry"
        " clean/dirty"
        " strong/weak safe/dangerous public/private first/last start/stop start/end begin/end begin/finish"
        " love/hate"
        " like/hate like/dislike accept/reject accept/refuse accept/decline allow/forbid allow/prohibit"
        " permit/forbid"
        " permit/ban buy/sell give/take send/receive win/lose push/pull remember/forget succeed/fail"
        " pass/fail"
        " arrive/leave arrive/depart come/go increase/decrease rise/fall raise/lower grow/shrink gain/lose"
        " add/remove"
        " create/delete keep/delete keep/discard build/destroy save/spend lend/borrow teach/learn ask/answer"
        " agree/disagree approve/reject support/oppose praise/criticize on/off in/out up/down above/below"
        " over/under"
        " inside/outside near/far here/there top/bottom front/back north/south east/west for/against from/to"
        " married/single alive/dead awake/asleep present/absent happy/sad calm/nervous loud/quiet noisy/quiet"
        " sweet/bitter sweet/sour raw/cooked manual/automatic minimum/maximum minimal/maximal sunrise/sunset"
        " yes/no"
        " mandatory/optional required/optional friend/enemy brother/sister mother/father man/woman"
        " male/female son/daughter"
        " husband/wife teacher/student buyer/seller summer/winter wide/narrow thick/thin deep/shallow"
        " ancient/modern"
        " active/passive innocent/guilty optimistic/pessimistic temporary/permanent profit/loss"
        " success/failure online/offline",
        "/",
    ),
    "de": _groups(
        "immer/nie immer/niemals immer/selten immer/manchmal oft/selten haeufig/selten vor/nach"
        " vorher/nachher mit/ohne"
        " mehr/weniger meist/kaum viel/wenig viele/wenige alle/keine alles/nichts jeder/niemand"
        " ueberall/nirgends"
        " morgens/abends morgen/abend tag/nacht tagsueber/nachts offen/geschlossen oeffnen/schliessen"
        " heiss/kalt"
        " warm/kalt warm/kuehl gross/klein lang/kurz hoch/niedrig hoch/tief schnell/langsam frueh/spaet"
        " frueher/spaeter"
        " alt/neu alt/jung gut/schlecht gut/boese besser/schlechter richtig/falsch rechts/links wahr/falsch"
        " billig/teuer guenstig/teuer reich/arm hart/weich schwer/leicht schwierig/einfach dunkel/hell"
        " voll/leer"
        " nass/trocken sauber/schmutzig stark/schwach sicher/gefaehrlich oeffentlich/privat erste/letzte"
        " anfangen/aufhoeren beginnen/enden starten/stoppen lieben/hassen mag/hasst annehmen/ablehnen"
        " akzeptiert/lehnt"
        " erlauben/verbieten erlaubt/verboten kaufen/verkaufen geben/nehmen senden/empfangen"
        " gewinnen/verlieren"
        " ziehen/druecken erinnern/vergessen gelingen/scheitern ankommen/abfahren kommen/gehen steigen/sinken"
        " steigen/fallen zunehmen/abnehmen wachsen/schrumpfen hinzufuegen/entfernen erstellen/loeschen"
        " behalten/loeschen behalten/wegwerfen bauen/zerstoeren sparen/ausgeben leihen/zurueckgeben"
        " fragen/antworten"
        " zustimmen/widersprechen loben/kritisieren loben/tadeln an/aus ein/aus auf/zu oben/unten ueber/unter"
        " innen/aussen drinnen/draussen nah/fern hier/dort vorne/hinten nord/sued ost/west dafuer/dagegen"
        " fuer/gegen"
        " verheiratet/ledig lebendig/tot wach/schlafend anwesend/abwesend froh/traurig gluecklich/traurig"
        " ruhig/nervoes"
        " laut/leise suess/sauer suess/bitter roh/gekocht manuell/automatisch minimal/maximal ja/nein"
        " verpflichtend/freiwillig freund/feind bruder/schwester mutter/vater mann/frau sohn/tochter"
        " sommer/winter"
        " breit/schmal dick/duenn gewinn/verlust erfolg/misserfolg einschalten/ausschalten"
        " voruebergehend/dauerhaft",
        "/",
    ),
    "es": _groups(
        "siempre/nunca siempre/jamas siempre/raramente siempre/veces frecuentemente/raramente antes/despues"
        " con/sin"
        " mas/menos mayor/menor mejor/peor mucho/poco todos/nadie todo/nada todos/ninguno alguien/nadie"
        " algo/nada"
        " manana/noche manana/tarde dia/noche abierto/cerrado abrir/cerrar caliente/frio calor/frio"
        " grande/pequeno"
        " largo/corto alto/bajo rapido/lento temprano/tarde pronto/tarde viejo/nuevo viejo/joven"
        " antiguo/moderno"
        " bueno/malo bien/mal correcto/incorrecto derecha/izquierda verdadero/falso barato/caro rico/pobre"
        " duro/blando"
        " dificil/facil pesado/ligero oscuro/claro lleno/vacio mojado/seco limpio/sucio fuerte/debil"
        " seguro/peligroso"
        " publico/privado primero/ultimo empezar/terminar comenzar/acabar iniciar/detener amar/odiar"
        " gusta/odia"
        " aceptar/rechazar acepta/rechaza permitir/prohibir permite/prohibe comprar/vender dar/quitar"
        " enviar/recibir"
        " ganar/perder empujar/tirar recordar/olvidar aprobar/suspender llegar/salir llegar/partir venir/ir"
        " aumentar/disminuir aumentar/reducir subir/bajar crecer/decrecer anadir/quitar agregar/eliminar"
        " crear/borrar"
        " guardar/borrar conservar/tirar construir/destruir ahorrar/gastar prestar/devolver ensenar/aprender"
        " preguntar/responder apoyar/oponerse alabar/criticar encender/apagar encendido/apagado dentro/fuera"
        " arriba/abajo encima/debajo cerca/lejos aqui/alli delante/detras norte/sur este/oeste favor/contra"
        " casado/soltero vivo/muerto despierto/dormido presente/ausente feliz/triste contento/triste"
        " tranquilo/nervioso"
        " ruidoso/silencioso dulce/amargo dulce/salado crudo/cocido manual/automatico minimo/maximo si/no"
        " obligatorio/opcional amigo/enemigo hermano/hermana madre/padre hombre/mujer hijo/hija"
        " verano/invierno"
        " ancho/estrecho grueso/delgado profundo/superficial ganancia/perdida exito/fracaso"
        " temporal/permanente",
        "/",
    ),
    "fr": _groups(
        "toujours/jamais toujours/rarement toujours/parfois souvent/rarement souvent/jamais avant/apres"
        " avec/sans"
        " plus/moins meilleur/pire mieux/pis beaucoup/peu tous/aucun tout/rien chacun/personne partout/nulle"
        " matin/soir"
        " jour/nuit ouvert/ferme ouvrir/fermer chaud/froid grand/petit long/court haut/bas rapide/lent"
        " tot/tard vieux/neuf vieux/jeune ancien/nouveau bon/mauvais bien/mal correct/incorrect"
        " droite/gauche vrai/faux"
        " cher/bon riche/pauvre dur/mou difficile/facile lourd/leger sombre/clair plein/vide mouille/sec"
        " propre/sale"
        " fort/faible sur/dangereux public/prive premier/dernier commencer/finir commencer/terminer"
        " demarrer/arreter"
        " aimer/detester adorer/detester aime/deteste accepter/refuser accepter/rejeter permettre/interdire"
        " autoriser/interdire autorise/interdit acheter/vendre donner/prendre envoyer/recevoir gagner/perdre"
        " pousser/tirer souvenir/oublier reussir/echouer arriver/partir venir/aller augmenter/diminuer"
        " augmenter/reduire augmenter/baisser monter/descendre grandir/retrecir ajouter/retirer"
        " ajouter/supprimer"
        " creer/supprimer garder/jeter conserver/supprimer construire/detruire economiser/depenser"
        " preter/emprunter"
        " enseigner/apprendre demander/repondre soutenir/opposer louer/critiquer allumer/eteindre"
        " allume/eteint"
        " dedans/dehors interieur/exterieur dessus/dessous pres/loin ici/la-bas devant/derriere nord/sud"
        " est/ouest"
        " pour/contre marie/celibataire vivant/mort eveille/endormi present/absent heureux/triste"
        " content/triste"
        " calme/nerveux bruyant/silencieux sucre/amer sucre/sale cru/cuit manuel/automatique minimum/maximum"
        " oui/non"
        " obligatoire/facultatif ami/ennemi frere/soeur mere/pere homme/femme fils/fille ete/hiver"
        " large/etroit"
        " epais/mince profond/superficiel gain/perte succes/echec temporaire/permanent",
        "/",
    ),
    "it": _groups(
        "sempre/mai sempre/raramente sempre/talvolta spesso/raramente spesso/mai prima/dopo con/senza"
        " piu/meno"
        " migliore/peggiore meglio/peggio molto/poco tanto/poco tutti/nessuno tutto/niente tutto/nulla"
        " mattina/sera"
        " mattino/sera giorno/notte aperto/chiuso aprire/chiudere apre/chiude caldo/freddo grande/piccolo"
        " lungo/corto"
        " lungo/breve alto/basso veloce/lento rapido/lento presto/tardi vecchio/nuovo vecchio/giovane"
        " antico/moderno"
        " buono/cattivo bene/male corretto/scorretto giusto/sbagliato destra/sinistra vero/falso"
        " economico/costoso"
        " ricco/povero duro/morbido difficile/facile pesante/leggero scuro/chiaro pieno/vuoto"
        " bagnato/asciutto"
        " pulito/sporco forte/debole sicuro/pericoloso pubblico/privato primo/ultimo iniziare/finire"
        " cominciare/terminare avviare/fermare amare/odiare ama/odia accettare/rifiutare accetta/rifiuta"
        " permettere/vietare consentire/vietare permesso/vietato comprare/vendere dare/prendere"
        " inviare/ricevere"
        " vincere/perdere spingere/tirare ricordare/dimenticare riuscire/fallire arrivare/partire"
        " venire/andare"
        " aumentare/diminuire aumentare/ridurre salire/scendere crescere/calare aggiungere/togliere"
        " aggiungere/rimuovere"
        " creare/eliminare conservare/eliminare tenere/buttare costruire/distruggere risparmiare/spendere"
        " prestare/restituire insegnare/imparare chiedere/rispondere sostenere/opporsi lodare/criticare"
        " accendere/spegnere acceso/spento dentro/fuori sopra/sotto su/giu vicino/lontano qui/la"
        " davanti/dietro nord/sud"
        " est/ovest favore/contro sposato/celibe vivo/morto sveglio/addormentato presente/assente"
        " felice/triste"
        " contento/triste calmo/nervoso rumoroso/silenzioso dolce/amaro dolce/salato crudo/cotto"
        " manuale/automatico"
        " minimo/massimo si/no obbligatorio/facoltativo amico/nemico fratello/sorella madre/padre uomo/donna"
        " figlio/figlia estate/inverno largo/stretto spesso/sottile profondo/superficiale guadagno/perdita"
        " successo/fallimento temporaneo/permanente",
        "/",
    ),
}

SYNONYMS: Final = _groups(
    "go/goes/went/gone eat/ate/eaten drink/drank/drunk write/wrote/written"
    " buy/buys/bought/purchase/purchases/purchased"
    " see/saw/seen take/took/taken give/gave/given come/came get/got/gotten make/made know/knew/known run/ran"
    " speak/spoke/spoken meet/met send/sent keep/kept leave/left say/said tell/told think/thought"
    " begin/began/begun/start"
    " find/found sleep/slept wear/wore/worn choose/chose/chosen drive/drove/driven grow/grew/grown"
    " teach/taught"
    " sell/sold pay/paid spend/spent fly/flew/flown live/lives/reside/resides big/large phone/telephone"
    " car/automobile"
    " photo/photograph/picture child/children/kid/kids person/people man/men woman/women"
    " need/needs/require/requires"
    " fix/fixes/repair/repairs enjoy/enjoys/like/likes begin/begins/start/starts help/helps/assist/assists"
    " quick/fast email/mail/mails/emails shut/close quit/quits/stop/stops color/colour favorite/favourite"
    " weekly/every-week percent/percents/prozent/per-cent auto/wagen anfangen/beginnen faengt/beginnt"
    " schicken/senden schickt/sendet telefon/fernsprecher handy/mobiltelefon samstag/sonnabend gern/gerne"
    " isst/essen/gegessen/ass trinkt/trinken/getrunken/trank faehrt/fahren/gefahren"
    " spricht/sprechen/gesprochen"
    " liest/lesen/gelesen gibt/geben/gegeben nimmt/nehmen/genommen mag/moegen/mochte will/wollen/moechte"
    " empezar/comenzar empieza/comienza coche/auto/carro prefiere/prefieren/preferir"
    " quiere/quieren/querer/desea"
    " ordenador/computadora/computador telefono/movil duerme/duermen/dormir voiture/auto commence/debute"
    " commencer/debuter velo/bicyclette prefere/preferent/preferer veut/veulent/vouloir/souhaite"
    " mail/courriel"
    " macchina/auto/automobile comincia/inizia cominciare/iniziare preferisce/preferiscono/preferire"
    " vuole/vogliono/volere/desidera lives/live/living",
    "/",
)

INFLECTIONS: Final = {
    "en": _words("s es ed d ing ly ion ions ation ations tion ment ments ies ied y e"),
    "de": _words("e en n er em es s t te ten et st est ung ungen ete eten end"),
    "es": _words(
        "s es n r a e an en ar er ir ado ada ados adas ido ida idos idas ando iendo aron ieron aba aban cion"
        " ciones mente"
    ),
    "fr": _words("s x r e er ez es ent ee ees t ait aient ant ment ements ir issent it tion tions ation ations"),
    "it": _words(
        "no re a e i o are ere ire ato ata ati ate uto uta ito ita ando endo ano ono va vano zione zioni mente to"
    ),
}
PLURAL_VOWELS: Final = frozenset({frozenset("oi"), frozenset("ae"), frozenset("ei")})

# By every spelling in any language; folded text finds the folded ones.
MONTHS: Final = {name: number for names in calendar.MONTHS.values() for name, number in names.items()}
MONTH_ABBREVIATIONS: Final = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "okt": 10,
    "nov": 11, "dec": 12, "dez": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12, "gen": 1, "mag": 5, "giu": 6, "lug": 7,
    "set": 9, "ott": 10, "janv": 1, "fevr": 2, "avr": 4, "juil": 7,
}  # fmt: skip
AMBIGUOUS_MONTHS: Final = _words("may march mars mai")

# English and German ones also with the "s" of what recurs.
WEEKDAYS: Final = calendar.WEEKDAYS | {
    f"{name}s".casefold(): number
    for language in ("english", "german")
    for number, name in enumerate(calendar.WEEKDAY_NAMES[language])
}

RELATIVE_DAYS: Final = _words(
    "today yesterday tomorrow tonight noon midnight heute gestern morgen vorgestern uebermorgen mittags"
    " mitternacht hoy"
    " ayer manana anteayer mediodia medianoche aujourd'hui hier demain avant-hier midi minuit oggi ieri"
    " domani"
    " mezzogiorno mezzanotte last next previous ago yearly monthly weekly daily hourly annually quarterly"
)
RELATIVE_STEMS: Final = (
    *("letzt", "naechst", "vorig", "kommend", "pasad", "proxim", "prochain", "dernier", "prossim", "scors"),
    *("taeglich", "woechentlich", "monatlich", "jaehrlich"),
)

CURRENCIES: Final = {
    "$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "dollars": "dollar", "dolares": "dollar", "dolar": "dollar",
    "dollari": "dollar", "dollaro": "dollar", "usd": "dollar", "euros": "euro", "eur": "euro", "pounds": "pound",
    "gbp": "pound", "%": "percent", "prozent": "percent", "pct": "percent",
}  # fmt: skip

NUMBER_LINKS: Final = _words("and und y et e")
