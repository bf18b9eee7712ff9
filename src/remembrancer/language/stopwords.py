"""Words too common to ask for, by language; also what a text's language is told by."""

_LISTS = {
    "english": """
        a about after again all also am an and any are aren as at be because been before being both but by can
        could couldn d did didn do does doesn doing don down during each few for from further had has hasn
        have haven having he her here hers him his how i if in into is isn it its itself just let ll m me more
        most my myself no nor not now of off on once only or other our ours out over own re s same she should
        shouldn so some such t than that the their theirs them then there these they this those through to too
        under until up us ve very was wasn we were weren what when where which while who whom whose
        why will with
        won would wouldn you your yours
    """,
    "german": """
        aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der
        des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er
        es euer für hab habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
        in ins ist ja jede jedem jeden jeder jedes kann kein keine können man mein meine mich mir mit nach
        nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so um und uns
        unser unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches
        wem wen wenn
        wer werden weshalb wessen wie wieder wieso wieviel wir wird wo wodurch wofür woher wohin womit woran
        worauf worin worüber wovon wozu wurde wurden zu zum zur über
    """,
    "spanish": """
        a adónde al algo ante antes como con contra cual cuando cuál cuáles cuándo cuánta cuántas cuánto
        cuántos cómo de del desde donde dos dónde el ella ellas
        ellos en entre era eran es esa ese eso esta estaba estas este esto estos está están fue fueron ha
        había han hasta hay la las le les lo los me mi mis muy más nada ni no nos nosotros nuestra nuestro o
        os otra otro para pero poco por porque que quien quiénes quién qué se sea ser si sin sobre
        son soy su sus sí
        también tanto te tiene tu tus tú un una uno unos y ya yo él
    """,
    "french": """
        a ai au aux avec c ce ces cet cette combien comment d dans de des du elle elles en est et eu
        eux fait il ils j je l la
        le les leur leurs lui m ma mais me mes moi mon même n ne nos notre nous on ont ou où par pas plus pour
        pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t
        ta te tes toi ton tu un une vos votre
        vous y étaient était été être
    """,
    "italian": """
        a ad agli ai al alla alle allo anche c che chi ci come con cosa cui da dagli dai dal dalla dalle degli
        dei del della delle dello di dove e ed era erano essere fu gli ha hai hanno ho i il in io l la le lei
        li lo loro lui ma me mi mia mie miei mio ne negli nei nel nella nelle noi non nostra nostro o per
        perché più quale quali quando quanta quante quanti quanto quella quelle quelli quello questa
        queste questi questo se sei si sia
        sono sta su sua sue sugli sui sul sulla suo suoi ti tra tu tua tuo un una uno vi voi è
    """,
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
