"""What gives an order to an agent away, as data: the marks of chat templates, and the plainest words of each language.

It is no wall: untrusted text stands in a block as quoted data, whatever it says. This keeps from the agent what says
plainly that it speaks to it: that it is to forget what it was told, to hide something from its user, or to be somebody
else. Latin scripts are written without accents and in lower case, as the text is that is looked through.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Words(NamedTuple):
    """The words of one language; but for `alone`, each pair of patterns near one another is an order.

    Args:
        drop, told: to ignore or to forget, as an order; what the agent was told, or where that stands.
        hide, user: not to tell; whom.
        alone: what is an order by itself.
        turned: whether an object may stand before its verb.
    """

    drop: str
    told: str
    hide: str
    user: str
    alone: str
    turned: bool = False


MARKS: Final = (
    r"<\|[a-z_]{2,24}\|>",
    r"\[/?inst\]",
    r"<</?sys>>",
    r"</?(?:start|end)_of_turn>",
    r"<\s*/?\s*(?:system|assistant)(?:[\s_-]?(?:prompt|message|instructions?))?\s*>",
    r"^#{1,6}\s*(?:system|assistant|human)\s*:",
    r"^Human:[^\n]*\n{1,3}Assistant:",
)

LATIN: Final[Mapping[str, Words]] = {
    "en": Words(
        drop=r"ignore|disregard|forget|bypass|override|don't follow|do not (?:follow|obey)|no longer follow",
        told=r"(?:previous|prior|earlier|above|former|preceding|your|system|safety)(?: [\w']+){0,2}"
        r" (?:instructions?|prompts?|rules|guidelines|directives?|orders|polic(?:y|ies)|training)"
        r"|(?:everything|anything|all)(?: [\w']+){0,4} (?:above|before|earlier)(?! (?!and\b))"
        r"|instructions (?:above|before)",
        hide=r"(?:do not|don't|never|must not|without)(?: ever)? (?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?"
        r"|alert(?:ing)?|ask(?:ing)?|mention|reveal|let(?:ting)?)",
        user=r"(?:the|your) (?:user|human|operator|owner)s?(?! to\b| how\b)|anybody|anyone",
        alone=r"you are (?:now|no longer) (?:an? |the )?(?:[\w-]+ ){0,2}(?:ai|dan|agent|assistant|model|bot)"
        r"|your (?:new |real )?(?:instructions|system prompt|rules) (?:are now|have changed)"
        r"|(?:reveal|print|repeat|show)(?: \w+){0,3} (?:your|the) (?:\w+ )?system prompt"
        r"|from now on,? you (?:will|must|shall|are|only|always|answer|obey|act)",
    ),
    "de": Words(
        drop=r"ignoriere?|ignorieren sie|vergiss|vergessen sie|missachte|befolge(?: \w+){0,3} nicht",
        told=r"(?:bisherig|vorherig|fruher|obig|bestehend|alle|dein|ihre|system)\w*(?: \w+){0,2}"
        r" (?:anweisung|vorgabe|regel|richtlinie|befehl|instruktion)\w*|alles(?:,? \w+){0,4} (?:bisherige|vorherige|oben|davor|zuvor)",
        hide=r"(?:sag|sage|erzahl|erzahle|verrate?|informiere?|frage?)",
        user=r"(?:dem|den) (?:nutzer|benutzer|anwender)(?: \w+){0,3} (?:nicht|nichts|kein\w*)",
        alone=r"du bist (?:jetzt|nun|ab sofort|ab jetzt)|ab (?:jetzt|sofort) (?:antwortest|bist|folgst|gehorchst) du"
        r"|ohne (?:den|die) (?:nutzer|benutzer) zu \w+",
    ),
    "es": Words(
        drop=r"ignora|ignore|olvida|olvide|descarta|haz caso omiso de",
        told=r"(?:todas |tus |sus |las )+(?:\w+ )?(?:instrucciones|indicaciones|directrices|reglas|ordenes)|todo lo (?:anterior|previo)",
        hide=r"no (?:se |lo |le |les )*(?:digas?|informes?|cuentes?|avises?|menciones|preguntes?)",
        user=r"(?:al|el) usuario|a nadie",
        alone=r"(?:ahora|a partir de ahora|desde ahora),? (?:eres|seras|actuas)|sin (?:preguntar|avisar|informar)(?:le)? al usuario",
    ),
    "fr": Words(
        drop=r"ignore[zr]?|oublie[zr]?|ne (?:suis|suivez|tiens|tenez)(?: \w+)? (?:pas|plus)",
        told=r"(?:toutes |tes |vos |les )+(?:\w+ )?(?:instructions|consignes|directives|regles)|tout ce qui precede",
        hide=r"ne (?:le |la |l')?(?:dis|dites|previens|prevenez|informe|informez|parle|demande)",
        user=r"(?:a |d')?l'utilisateur|a personne",
        alone=r"(?:tu es|vous etes) (?:maintenant|desormais) (?:un|une|le|la)|sans (?:prevenir|avertir|informer) l'utilisateur",
    ),
    "it": Words(
        drop=r"ignora|ignorate|dimentica|dimenticate|trascura|non seguire",
        told=r"(?:tutte |tue |le |vostre )+(?:\w+ )?(?:istruzioni|direttive|indicazioni|regole)|tutto (?:cio|quello) che precede",
        hide=r"non (?:dire|dirlo|informare|avvisare|avvertire|rivelare|chiedere)(?: \w+)?",
        user=r"all'utente|l'utente|a nessuno",
        alone=r"(?:ora|adesso|da ora|d'ora in poi),? (?:tu )?sei (?:un|una)|senza (?:avvisare|informare|avvertire) l'utente",
    ),
    "pt": Words(
        drop=r"ignor[ea]|esqueca|desconsidere",
        told=r"(?:todas |suas |as )+(?:\w+ )?(?:instrucoes|orientacoes|diretrizes|regras)|tudo o que veio",
        hide=r"nao (?:o |lhe )?(?:diga|conte|informe|avise|mencione|pergunte)",
        user=r"(?:ao|o) (?:usuario|utilizador)|a ninguem",
        alone=r"(?:agora|a partir de agora),? voce e (?:um|uma)",
    ),
    "nl": Words(
        drop=r"negeer|vergeet", told=r"(?:vorige|eerdere|bovenstaande|alle)(?: \w+){0,2} \w*(?:instructies|regels|opdrachten)",
        hide=r"(?:vertel|zeg)", user=r"de gebruiker (?:niet|niets)", alone=r"je bent nu een",
    ),
    "pl": Words(
        drop=r"zignoruj|zapomnij", told=r"(?:poprzedni|wczesniejsz|wszystki)\w+(?: \w+){0,2} (?:instrukcj|polecen|zasad)\w*",
        hide=r"nie (?:mow|informuj)", user=r"uzytkownik\w*", alone=r"jestes teraz",
    ),
    "tr": Words(
        drop=r"yok say|unut|gormezden gel", told=r"(?:onceki|tum|yukaridaki)(?: \w+){0,2} (?:talimat|kural|komut)\w*",
        hide=r"soyleme|bildirme", user=r"kullaniciya", alone=r"artik sen", turned=True,
    ),
}  # fmt: skip

OTHERS: Final[Mapping[str, Words]] = {
    "ru": Words(
        drop=r"игнорируй|забудь|не (?:следуй|подчиняйся)",
        told=r"(?:предыдущи|прежни|прошлы|вс|сво|тво)\w*(?: \w+){0,2} (?:инструкци|указани|правил|команд)\w*|всё,? что (?:было|выше)",
        hide=r"не (?:говори|сообщай|рассказывай|спрашивай)",
        user=r"пользователю|пользователя|никому",
        alone=r"ты теперь (?!мо)|(?:с этого момента|отныне),? (?:ты|только|отвечай)",
    ),
    "zh": Words(
        drop=r"忽略|无视|無視|忘记|忘掉|忘記|不要理会|不要遵守",
        told=r"(?:之前|以上|先前|前面|所有|你的)[^。！？\n]{0,6}(?:指令|指示|规则|規則|命令|提示|内容)",
        hide=r"(?:不要|别|不得|切勿|请勿)(?:告诉|告知|通知|让|向)",
        user=r"用户|使用者|任何人",
        alone=r"你现在(?:是|扮演)|从现在(?:起|开始)[^。！？\n]{0,4}你",
    ),
    "ja": Words(
        drop=r"無視し(?:て|ろ)|忘れ(?:て|ろ)|従わないで|破棄し",
        told=r"(?:以前|これまで|上記|前)の(?:すべての)?(?:指示|命令|ルール|規則|内容)|システムプロンプト",
        hide=r"(?:伝え|知らせ|言わ|教え)(?:ない|ず)", user=r"(?:ユーザー?|利用者|誰)に", alone=r"(?:あなた|君)は(?:今から|これから)",
        turned=True,
    ),
    "ko": Words(
        drop=r"무시하|잊어|따르지 마", told=r"(?:이전|위의|모든|기존)[^.!?\n]{0,8}(?:지시|명령|규칙|지침)",
        hide=r"(?:말하지|알리지|묻지) ?(?:마|말)", user=r"사용자에게|누구에게도", alone=r"(?:당신은|너는) 이제", turned=True,
    ),
    "ar": Words(
        drop=r"تجاهل|انس", told=r"(?:جميع |كل )?(?:التعليمات|الأوامر|القواعد)", hide=r"لا (?:تخبر|تقل)",
        user=r"المستخدم", alone=r"أنت الآن",
    ),
    "hi": Words(
        drop=r"अनदेखा कर|भूल जा", told=r"(?:पिछले|ऊपर|सभी)[^।\n]{0,10}(?:निर्देश|नियम|आदेश)", hide=r"मत (?:बताना|बताओ)",
        user=r"उपयोगकर्ता|यूज़र", alone=r"अब तुम", turned=True,
    ),
}  # fmt: skip
