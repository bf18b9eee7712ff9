"""Whether a sentence lays down how things are to be done from then on. English and German.

The weights come from a logistic regression over the wording. `docs/how-it-works/context.md` describes the data.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final


def _any(*rows: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(rows)})(?![\w-])")


_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WOCHENTAG: Final = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
_COUNT: Final = r"(?:\d[\d.,]*|two|three|four|five|six|ten|zwei|drei|vier|fünf|sechs|zehn)"
CUES: Final[Mapping[str, re.Pattern[str]]] = {
    # What is said of every time.
    "ever": _any(
        r"always|never|ever again|whenever|every(?: single)? (?:time|new|other|picture|file|\w+)|each time"
        r"|for any(?:thing)?"
        r"|any \w+ that|anything that|everything that|whatever|as a rule|(?:new )?rule|in general|generally|at all"
        r"|no exceptions?|everywhere|nowhere|anywhere|nobody|no one|for good",
        r"immer|nie|niemals|jedes ?mal|jede[rsn]?|grundsätzlich|generell|in der regel|prinzipiell|ausnahmslos"
        r"|keine ausnahmen?|alles,? was|überall|nirgends?|nirgendwo|niemand|keiner|regel|wer",
    ),
    # From when on.
    "from": _any(
        r"from (?:now|here|today|this \w+) on|from now|in (?:the )?future|going forward|no more|no longer|any ?more"
        r"|any longer|since the|as of|these days|now that|from (?:nine|ten|eight|seven|day one|the start)|day one",
        r"ab (?:jetzt|sofort|heute|morgen|nun)|künftig|in zukunft|von nun an|nicht mehr|keine?n? \w+ mehr|nur noch"
        r"|nur mehr"
        r"|weiterhin|seit (?:neuestem|kurzem)|ab \d+ uhr|fortan|erst ab|erst",
    ),
    "condition": _any(
        r"if (?:a|an|any|some|somebody|someone|anyone|there|it|you|they|the|i|we|he|she)|when (?:a|an|you|somebody"
        r"|someone"
        r"|it|they|there|in doubt)|before you|unless|in case|as long as|until i|where (?:a|you|it)",
        r"wenn|falls|sobald|sofern|bevor du|bevor sie|es sei denn|solange|außer|im zweifel|bei (?:neu\w+|\w+en|\w+ern)",
    ),
    "prefer": _any(
        r"i(?:['’]d| would) (?:rather|prefer|like (?:you|it|them|my|the))|i (?:really )?prefer|i (?:hate"
        r"|can['’]t stand|like my"
        r"|like to|like it when|want (?:you|it|them|my)|don['’]t (?:want|like|need))|we (?:prefer|like to|don['’]t)"
        r"|could (?:you"
        r" (?:not|please (?:not|always))|i have|we (?:leave|stop|not))|would you (?:not|stop|mind)|people (?:don['’]t"
        r"|read)",
        r"mir (?:ist|wäre) (?:\w+ )?(?:lieber|recht|wichtig)|ich (?:mag|hasse|möchte|will|bevorzuge|vertrage"
        r"|hätte)(?: \w+)?"
        r" ?(?:kein\w*|nicht|lieber|gern\w*|nur|das)?|lieber|am liebsten|zu (?:aufwendig|kleinlich|lang|kurz)"
        r"|bitte (?:immer|nie"
        r"|nur|kein\w*|nicht|ohne|erst|stets|als|mit)",
    ),
    "forbid": _any(
        r"do(?:n['’]t| not) (?!know|think|bother|worry|forget|get|understand|care|send that|remember)\w+|must not"
        r"|mustn['’]t"
        r"|may not|not to be|hands off|off limits|(?:stays?|keep) out of|keep it to|not ever|don['’]t ever"
        r"|nothing (?:before|after|goes|gets|is|leaves|on|in|for|that)|leave out"
        r"|no (?:\w+ ){0,2}(?:in|on|for|before|after|above|below|with|to|at|without)|can['’]t have|not (?:above|below"
        r"|over|under"
        r"|before|after|on|as|in|with|my?self|yourself|me|a|the)|stop \w+ing|without asking|keep (?:out|away|off)"
        r"|isn['’]t mine"
        r"|aren['’]t mine",
        r"(?:darf|dürfen|soll|sollen|muss) (?:\w+ ){0,3}nicht|nichts (?:mit|in|vor|nach|am|auf|direkt|übers?|ohne)"
        r"|kein\w* (?:\w+ ){0,2}(?:vor|nach|am|im|in|an|bei|auf|über|unter|ohne|mehr|mit)|lass(?:t"
        r"|en sie)? (?:\w+ )+weg"
        r"|finger weg|auch nicht|und nicht|nicht (?:benutzen|verwenden|nennen|sagen|schreiben|überweisen|per|mit|vor"
        r"|nach|ins?"
        r"|auf|an|um|nach \w+)|ohne (?:das|die|den|rücksprache)|schreiben sie (?:bitte )?nicht"
        r"|sag(?:en sie)? (?:bitte )?nicht"
        r"|gibt['’]?s (?:\w+ ){0,2}nicht|nie",
    ),
    "authority": _any(
        r"(?:has|have|gets?) the (?:last|final) (?:word|say)|decides?|my (?:own )?call|(?:goes|go|come|comes) (?:to"
        r"|via|through)"
        r"|signs? off|(?:ask|tell|asked|call|check with|send|forward)(?: it to| them to)? (?:me|him|her|us"
        r"|\w+) (?:first|before"
        r"|about)|ask(?:ed|ing)? (?:me|first|her first|him first)|tell me first|approv(?:al|e[sd]?)|needs? my|in copy"
        r"|cc|forward"
        r"|(?:that|it)['’]s \w+['’]s (?:\w+|desk|job|department)|department|takes over|only (?:i|me|you|\w+) (?:may"
        r"|can)|i send"
        r"|on my list|straight to|my ok",
        r"entscheide[tn]?|(?:muss|müssen|geht|gehen|gehört|gehören|kommt|kommen) (?:\w+ ){0,5}(?:zu|an|über|in|auf"
        r"|rein|raus)"
        r"|frags?t du|frag(?:en sie|st)? (?:\w+ )?(?:vorher|erst|zuerst|mich)|vorher (?:fragen|bescheid|gesehen"
        r"|sehen)|bescheid geben|kopien?"
        r"|zuständig|läuft (?:jetzt )?über|ist (?:\w+ )?(?:dran|zuständig)|freigeben|gebe ich (?:\w+ )?frei"
        r"|vertretung|übernimmt"
        r"|macht (?:ab )?jetzt|schick (?:sie|ihn|ihm|es) (?:\w+ )?(?:zu|mit)|legen sie es|leite\w* weiter|weiterleiten",
    ),
    "limit": _any(
        rf"at (?:most|least)|no more than|more than {_COUNT}|(?:under|below|above|over|up to|within) {_COUNT}"
        rf"|max(?:imum)?"
        rf"|minimum|{_COUNT} (?:\w+ )?(?:is|are) (?:plenty|enough)|has to (?:be|pass)|have to (?:be|pass|run|have)"
        rf"|must|only"
        r"|tops|stop at five|unless",
        rf"höchstens|mindestens|maximal|minimal|(?:bis|unter|über|ab|mehr als|weniger als) {_COUNT}|nur|muss|müssen"
        rf"|spätestens"
        r"|als grenze|keinen tag früher",
    ),
    "medium": _any(
        r"as (?:a )?pdf|(?:by|per) (?:letter|post|mail|email|e-mail|phone|text|fax|hand|registered post)|on paper"
        r"|in (?:cash"
        r"|spanish|german|english|french|euros?|sterling|writing|bold)|webp|phone calls?|not texts?|link",
        r"(?:per|als) (?:mail|e-mail|brief|fax|post|pdf|sms|text|telefon)|auf (?:papier|deutsch|englisch)|in bar|bar"
        r"|pdf"
        r"|schriftlich|mail(?:en|st)?|anruf\w*|telefon|anrufen|schreiben geht",
    ),
    "wording": _any(
        r"(?:that|the) word|words?|call (?:me|it|her|him|them)|don['’]t say|just say|we say|write (?:dates|it|them"
        r"|out|the|to"
        r"|in|as)|spell|emojis?|exclamation|sign(?:ature)?|subject(?: line)?|address (?:me|her|him)|first names?"
        r"|will do"
        r"|named|explain(?:ation)?s?|sentences?|summary|in short|short",
        r"das wort|wort|nenn(?:en|t)?|heißt es|sag(?:en)? (?:bitte|lieber|sie)|duz\w*|siez\w*|beim sie|ohne das"
        r"|fass dich|schreib(?:st|en)?"
        r"|betreff|anrede|dazuschreiben|schreibweise|kommentare?|zusammenfassung|ausführlich|zuerst|text\w*",
    ),
    "routine": _any(
        rf"on {_WEEKDAY}s|{_WEEKDAY}s|{_WEEKDAY} (?:mornings?|evenings?|afternoons?)|(?:before|after|from|until|till)"
        r" (?:half )?(?:\d{1,2}(?::\d\d)?|seven|eight|nine|ten|eleven|noon|lunch|school)(?: ?[ap]m)?|mornings?"
        r"|evenings|weekdays"
        r"|weekends?|half (?:nine|twelve|past)|lunch|a (?:day|week|month)|twice a|once a|week ahead|days before",
        rf"{_WOCHENTAG}s|{_WOCHENTAG}(?:morgen|mittag|nachmittag|vormittag|abend)s?|(?:vor|ab|nach|bis|um)"
        r" (?:halb )?(?:\d{1,2}(?::\d\d)?(?: uhr)?|sieben|acht|neun|zehn|elf|zwölf)|morgens|abends|mittags|vormittags?"
        r"|nachmittags?|unter der woche|am wochenende|wochen vorher|tage vorher|pro (?:tag|woche|monat)|einmal am"
        r"|am letzten",
    ),
    "ours": _any(
        r"we (?:don['’]t|never|always|quote|use|call|say|only|have|put|write)|for us|with us|in our house"
        r"|of the house|our (?:side"
        r"|place|own)|leaves this house|(?:i|we) (?:round|keep|book|sell|write|quote|do|take) (?:all|every|no|only"
        r"|everything)"
        r"|is sacred|(?:it|that)['’]s (?:always|never|in)|(?:every|all) \w+ (?:we|i|you) \w+|is a word"
        r"|they['’]re (?:on|in)",
        r"bei uns|wir (?:\w+ )?(?:grundsätzlich|immer|nie|nur|bleiben|nennen|schreiben|verschicken)|gilt|gelten"
        r"|gibt['’]?s bei uns"
        r"|heißt es|gehör(?:t|en)|kommt|bekomm(?:t|en)|bleiben|üblich|hier bei",
    ),
    "you": _any(
        r"you (?:can|may|should|must|need|don['’]t have|shouldn['’]t|have to|are to|send|ask|draft|put|keep|leave"
        r"|take|use|give)"
        r"|you['’]ll|please|make sure|(?:^|[,;:.–-] ?)(?:put|keep|use|take|write|send|leave|give|book|check|add|ask"
        r"|tell|forward"
        r"|treat|say|round|stick|show|start|run|hold|chase|accept|remind|cc|copy|list|text|order|wait|answer|reply"
        r"|explain)",
        r"(?:du|sie) (?:\w+ )?(?:kannst|darfst|sollst|musst|brauchst|können|dürfen|sollen|müssen|brauchen)|(?:kannst"
        r"|darfst|sollst"
        r"|musst|brauchst) du|(?:dürfen|sollen|brauchen|können) sie|bitte|(?:^|[,;:.–-] ?)(?:nimm|schreib|sag|frag"
        r"|leg|mach|schick"
        r"|lass|gib|setz|nenn|plane?|sortier\w*|nehmen sie|geben sie|schicken sie|legen sie|fragen sie)",
    ),
    "again": _any(
        r"again|drop (?:that|the|it)|forget (?:what|about|the|that)|scratch|ignore|never mind what|after all|needn['’]t"
        r"|don['’]t have to|no need|(?:is|are) (?:ok|okay|fine|allowed|open)|stop (?:rounding|asking|doing|with)"
        r"|allowed",
        r"wieder|vergiss|streich|kein thema|hat sich erledigt|lassen wir|ruhig|doch|muss nicht|brauchst (?:\w+ )+nicht"
        r"|nicht mehr sein|kannst du (?:\w+ )*vergessen|aufheben|zurücknehmen",
    ),
    # What is for once.
    "once": _any(
        r"today|tonight|tomorrow|yesterday|for now|this (?:one|time|version|morning|afternoon)|that one|just now"
        r"|right now"
        r"|in a minute|at once|last (?:week|night|change)|some other time|yet|last time|later|for the moment|back"
        r"|a bit|another"
        r"|it looks|odd|next week|this week|waiting|by (?:five|noon|friday|tomorrow)|remind me|at (?:three|eight|nine"
        r"|four)",
        r"heute|morgen(?! früh immer)|gestern|gleich|eben|noch mal|nochmal|diesmal|vorhin|kurz|gerade|erstmal|mal"
        r"|jetzt mal"
        r"|dieses mal|ein andermal|schon wieder|rückgängig|nächste woche|letzte woche|erinner(?:n sie)? mich"
        r"|eine nacht",
    ),
    "past": _any(
        r"was|were|had|did|went|got|gave|took|saw|said|asked|told|watched|ordered|broke|lost|had to|came|wanted"
        r"|rained|made",
        r"war|waren|hatte|hatten|ging|gab|kam|wollte|wurde|hab(?:e)? \w+|hat \w+|haben \w+|wollten",
    ),
}
_QUESTION: Final = re.compile(r"\?[\"'”»)]*$")
# Words.
_LONG: Final = 40
_SHORT: Final = 5
# From here on a sentence is taken for one that lays something down.
LAID_DOWN: Final = -0.5
_BIAS: Final = -2.25
_WEIGHTS: Final[Mapping[str, float]] = {
    "ever": 1.0,
    "from": 1.2,
    "condition": 1.3,
    "prefer": 1.5,
    "forbid": 1.6,
    "authority": 1.95,
    "limit": 1.85,
    "medium": 1.1,
    "wording": 1.45,
    "routine": 1.2,
    "ours": 0.95,
    "you": 0.95,
    "again": -0.4,
    "once": -1.5,
    "past": -0.3,
    "asks": -0.8,
    "exclaims": -0.6,
    "short": -1.7,
    "long": 2.55,
}
_ONLY: Final = re.compile(
    r"^(?:\W|so\b|ok(?:ay)?\b|back\b[^,.]*[,.]|sag mal,?)*(?:please )?(?:forget|scratch|ignore|drop|vergiss"
    r"|streich\w*)\b"
    r"|\b(?:you can|kannst du) (?:\w+ )*(?:drop|forget|vergessen|streichen)\b"
)
_WITHDRAWS: Final = _any(
    r"forget (?:what|about|the|that|it)|scratch|ignore (?:my|what|the|that)|drop (?:that|the|it)|never mind what"
    r"|no longer|any ?more|any longer|(?:do|does|did)(?:n['’]t| not) (?:have|need) to|needn['’]t|no need"
    r"|not? (?:\w+ )?needed"
    r"|(?:is|are) (?:\w+ )?(?:fine|ok|okay|allowed|open|calm|possible) ?(?:again|now|there)?|again|(?:is|are) history"
    r"|take (?:\w+[. ]+){1,4}off|stop \w+ing|was (?:a mistake|sweet|silly|wrong)|retired|left us|that rule|is enough"
    r"|don['’]t care about|as before|works? for (?:them|us|me) now",
    r"vergiss|(?<!nicht )vergessen|streich\w*|kein thema|(?:hat|haben) sich (?:\w+ )?erledigt|lassen wir|nicht mehr"
    r"|wieder"
    r"|muss nicht|kein\w* (?:\w+ )?mehr|also ruhig|ruhig|gilt nicht|war ein fehler|in rente|ist abgeschafft"
    r"|(?:ist|sind) (?:mir )?(?:zu \w+|vorbei|jetzt egal)|brauchst (?:du )?(?:\w+ )*(?:nicht|kein\w*)|reicht jetzt"
    r"|verschrottet",
)
_CHANGES: Final = _any(
    r"(?:from )?now|these days|instead|takes? over|moved|new|since the|from (?:here|today|this \w+)|no more|changed"
    r"|changes|after all|rather|as of|it['’]s me|me now",
    r"jetzt|ab (?:sofort|heute|jetzt)|künftig|statt(?:dessen)?|anders|nur noch|nur mehr|neue[rnsm]?|inzwischen"
    r"|mittlerweile"
    r"|übernimmt|umgezogen|ziehen|werden \w+|geworden|doch",
)


@lru_cache(maxsize=8_192)
def directive(sentence: str) -> float:
    """Return the logarithm of the odds that a person lays down in a sentence how things are to be done."""
    return _BIAS + sum(_WEIGHTS[name] * value for name, value in features(sentence).items())


def features(sentence: str) -> dict[str, float]:
    """Return how a sentence is said, by name."""
    words, small = len(sentence.split()), sentence.lower()
    found = {name: 1.0 for name, pattern in CUES.items() if pattern.search(small)}
    found |= {"asks": 1.0} if _QUESTION.search(sentence) else {}
    found |= {"exclaims": 1.0} if sentence.endswith("!") else {}
    return found | {"short": float(words < _SHORT), "long": min(1.0, words / _LONG)}


def withdraws(text: str) -> bool:
    """Return whether a text says that something which was laid down is over."""
    return bool(_WITHDRAWS.search(text.lower()))


def only_withdraws(sentence: str) -> bool:
    """Return whether a sentence only says that something is to be forgotten."""
    return bool(_ONLY.search(sentence.lower()))


def changes(text: str) -> bool:
    """Return whether a text says that something is different from then on."""
    return bool(_CHANGES.search(text.lower()))
