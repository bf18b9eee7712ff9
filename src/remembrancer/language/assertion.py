"""How firmly a clause states what it states: denied, unsure, bounded, conditional, asked; English and German.

Of the other languages only the plain words that say no are known. What is not known says nothing, and refuses nothing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final


class Bound(StrEnum):
    """A limit of a statement that a retelling must not lose."""

    NEVER = "never"
    ALWAYS = "always"
    ONLY = "only"
    LEAST = "at least"
    MOST = "at most"


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE)


# What has such a word in it and does not say what the word says.
_IDIOMS: Final = _any(
    r"can['’]?t wait|cannot wait|no problem|no worries|no doubt|not only|don['’]?t (?:forget|worry|mind)|never ?mind",
    r"why (?:not|don['’]?t)|whether or not|if not|no rush|don['’]?t you think|isn['’]?t it",
    r"if you (?:like|want|can|could)",
    r"if (?:possible|anything)|at least that|as if|what if|even if|not least|you know|may well",
    r"nicht nur|kein problem|keine (?:sorge|frage|ursache)|nicht vergessen|vergiss nicht|warum nicht|nicht wahr",
    r"wenn möglich",
    r"wenn du (?:magst|willst|kannst)|wenn['’]?s geht|ob oder nicht|als ob|immerhin|noch nicht einmal|gar nicht so",
    r"wie immer|immer noch|noch immer|nur noch|nicht zuletzt|falls möglich",
)
_NO: Final = _any(
    r"not|no|never|nobody|no[- ]one|nothing|none|neither|nor|without|cannot|\w+n['’]t|dont|doesnt|didnt|wont|cant",
    r"isnt|arent",
    r"nein|nicht|nichts|nie|niemals|niemand\w*|kein\w*|ohne|weder|nirgends",
    r"nunca|jamás|jamais|aucune?|nessun\w*",
)
_NO_BROADLY: Final = _any(
    r"instead|rather than|before:|\(before|previously|former(?:ly)?|no longer|any ?more|except|but for|refus\w+",
    r"reject\w+|declin\w+|avoid\w*",
    r"stop\w*|against|cancel\w*|dropp?\w*|exclud\w+|free of|lacks?|lacking|missing|fail\w*|unable",
    r"un(?:available|happy|sure|clear|paid|known|able)",
    r"open|wrong|hates?|dislikes?|off|neither|hardly|barely|forb\w+|ban(?:ned|s)?|rules? out|ruled out|skip\w*",
    r"leave out|left out",
    r"statt\w*|anstatt|(?<=\()vorher|vorher:|bisher|früher|außer|ablehn\w*|abgelehnt|lehn\w+|gegen|vermeid\w*",
    r"meide\w*|abgesagt|absag\w*|gestrichen",
    r"ausgeschlossen|verbo\w+|verbiet\w*|fehl\w*|offen|un(?:klar|sicher|möglich|bekannt|bezahlt)|hass\w*|entfällt",
    r"verzicht\w*|falsch|weg\w*",
)
_UNSURE: Final = _any(
    r"maybe|perhaps|might|(?-i:may)|could|possibly|probably|presumably|likely|supposedly|apparently|reckons?",
    r"i (?:\w+ )?(?:think|guess|suppose|believe|imagine)|not (?:\w+ )?(?:sure|certain)|unsure",
    r"thinking (?:of|about)|considering",
    r"lean(?:s|ing)? towards?|tempted|hop(?:e|es|ing)|wish|would like|i['’]d (?:like|love)|if all goes well",
    r"tentative(?:ly)?",
    r"vielleicht|könnten?|möglicherweise|womöglich|wahrscheinlich|vermutlich|eventuell|evtl|angeblich|anscheinend",
    r"unter umständen",
    r"(?:ich )?(?:glaube?|denke?|vermute?|schätze?)(?: ich)?|überleg\w*|hoffe\w*|hoffentlich|würde gern\w*",
    r"nicht (?:\w+ )?sicher|tendier\w*",
)
_UNSURE_BROADLY: Final = _any(
    r"think\w*|thought|believ\w+|consider\w*|uncertain\w*|unclear|potential\w*|expect\w*|suspect\w*|ideas?",
    r"wonder\w*|plan\w*|would",
    r"suggest\w*|propos\w*|options?|imagin\w*|assum\w*|guess\w*|suppos\w*|wants?|wish\w*|open|undecided|possib\w+",
    r"probab\w+|hoped|leant|leaned|estimat\w*",
    r"glaubt\w*|denkt|dachte\w*|vermutet\w*|schätzt\w*|plan\w*|unsicher|offen|erwäg\w*|möchte\w*|würde\w*|wohl",
    r"möglich\w*|idee\w*|unklar",
    r"vorschlag\w*|schlägt|wünsch\w*|gehofft|hofft|will|wollen|mutmaßlich|nachdenk\w*|dürfte\w*|schätzung\w*",
    r"geschätzt\w*",
)
_IF: Final = _any(
    r"(?<!know )(?<!see )(?<!ask )(?<!asked )(?<!asks )(?<!wonder )(?<!wonders )(?<!wondering )(?<!check )"
    r"(?<!sure )(?<!me )if",
    r"unless|provided(?: that)?|providing|as long as|so long as|in case|depending on|subject to|on condition",
    r"whenever|except",
    r"wenn|falls|sofern|solange|es sei denn|vorausgesetzt|je nachdem|nur dann|außer",
)
_IF_BROADLY: Final = _any(
    r"if|once|when|until|after|pending|depend\w*|conditions?|conditional\w*|contingent|assuming|requires?|except",
    r"without|but not",
    r"(?:must|has to|have to|needs? to)(?: \w+){1,4} first|first(?: \w+){0,4} (?:must|has to|have to|needs? to)",
    r"bis|sobald|nachdem|abhäng\w*|bedingung\w*|vorbehalt\w*|ohne|aber nicht",
    r"(?:zuerst|erst|vorher)(?: \w+){0,4} (?:muss|müssen)",
    r"(?:muss|müssen)(?: \w+){0,4} (?:zuerst|erst|vorher|zustimmen)",
)
_ASKED: Final = re.compile(r"[?？]")
_ASKED_BROADLY: Final = _any(
    r"ask\w*|questions?|wonder\w*|whether|want\w* to know|open|unclear|undecided|unanswered|inquir\w*",
    r"would like to know|request\w*|propos\w*|suggest\w*|offer\w*",
    r"bietet|bot|angeboten|anbot|frag\w*|gefragt|ob|wissen|offen\w*|unklar|unbeantwortet|erkundig\w*|bitte[tn]?",
    r"bat|gebeten|schlägt|schlug|vorschlag\w*|vorgeschlagen",
)
_REQUESTS: Final = _any(
    r"(?:can|could|would|will) you|please|let['’]?s",
    r"(?:kannst|könntest|würdest|willst) du|(?:können|könnten) sie|bitte|magst du",
)
_REFUSES: Final = re.compile(r"\W*(?:no|nope|not (?:yet|now)|never|nein|nö|noch nicht|nicht)\b", re.IGNORECASE)
_AGREES: Final = re.compile(
    r"\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|right|correct|exactly|agreed|fine|perfect|deal|done|great|sounds good"
    r"|of course|absolutely|please do|go ahead|that works|works for me|ja\b|jap|genau|stimmt|richtig|passt"
    r"|einverstanden|gern\w*|klar|in ordnung|abgemacht|erledigt"
    r"|gut|super|machen wir|so machen|natürlich|jawohl|sí|claro|oui|d['’]accord|va bene)\b",
    re.IGNORECASE,
)
_BOUNDS: Final = {
    Bound.NEVER: (
        _any(r"never", r"nie|niemals|keinesfalls|auf keinen fall|unter keinen umständen"),
        _any(
            r"never|not|no|nobody|nothing|none|cannot|\w+n['’]t", r"nie|niemals|nicht\w*|kein\w*|niemand|verboten|tabu"
        ),
    ),
    Bound.ALWAYS: (
        _any(r"always|every time|each time|without exception", r"immer|stets|jedes ?mal|ausnahmslos|grundsätzlich"),
        _any(
            r"always|every\w*|each|all|any|consistently|from now on|as a rule|constantly|invariably|permanently",
            r"immer|stets|jede\w*|alle\w*|grundsätzlich|ausnahmslos|ab (?:jetzt|sofort)|künftig|ständig|dauerhaft",
            r"regelmäßig",
        ),
    ),
    Bound.ONLY: (
        _any(r"only|exclusively|solely|nothing but", r"nur|ausschließlich|lediglich|bloß"),
        _any(
            r"only|exclusively|solely|nothing|just|no (?:more|other)|alone|except|unless|merely|not",
            r"nur|ausschließlich|lediglich|bloß|allein\w*|nichts|außer|nicht|kein\w*",
        ),
    ),
    Bound.LEAST: (
        _any(
            r"at least|minimum|no (?:less|fewer|earlier) than|not before",
            r"mindestens|wenigstens|frühestens|minimum|nicht vor",
        ),
        _any(
            r"at least|minim\w+|no\w*|or (?:more|later|longer)|least|from|earliest|before",
            r"mindestens|wenigstens|frühestens|minim\w+|nicht|nie\w*|kein\w*|ab|oder mehr|vor",
        ),
    ),
    Bound.MOST: (
        _any(
            r"at most|maximum|max|no (?:more|later) than|at the latest|up to|tops",
            r"höchstens|maximal|max|spätestens|bis zu|maximum",
        ),
        _any(
            r"at most|max\w*|no\w*|at the latest|up to|or (?:less|fewer|earlier)|limit\w*|tops|by|latest|until",
            r"under|within|most|cap\w*",
            r"höchstens|maxim\w+|max|spätestens|bis|nicht|kein\w*|oder (?:weniger|früher)|grenze|limit\w*|unter",
            r"innerhalb",
        ),
    ),
}
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|some|almost|nearly|over|under|more than"
    r"|less than|up to|at least|at most|etwa|ungefähr|rund|zirka|fast|knapp|gut|gegen|über|unter|mehr als|weniger als"
    r"|mindestens|höchstens|bis zu)|~)\s*(?:[€$£]\s*)?$",
    re.IGNORECASE,
)
_WISHES: Final = _any(
    r"wants?|wanted|prefers?|preferred|likes?|loves?|wish(?:es|ed)?|decided?|decides|insists?|demands?|asked|asks",
    r"requests?|requested|plans?",
    r"instructs?|instructed|hates?|agreed|agrees|needs?|intends?|chose|approved|ordered|would like",
    r"will|wollte|möchte|mag|bevorzugt|liebt|wünscht|entschied\w*|hat entschieden|beschlossen|beschloss|besteht",
    r"bittet|bat|verlangt\w*|plant|hasst",
    r"braucht|zugestimmt|genehmigt",
)
_REPORTS: Final = _any(
    r"sa(?:y|ys|id)|tells?|told|asks?|asked|wrote|writes|mention\w*|report\w*|explain\w*|according to|read|reads",
    r"quot\w+|claim\w*|state[sd]?|suggest\w*",
    r"recommend\w*|advis\w+|note[sd]|announc\w*|propos\w*|reply|repl(?:ies|ied)|answer\w*|confirm\w*|forward\w*",
    r"warn\w*|listed|found|return\w*|shows?|showed",
    r"sagt\w*|meint\w*|fragt\w*|erzähl\w*|schr(?:ieb|eibt)\w*|laut|erklär\w*|berichte\w*|zitier\w*|empf[aeio]\w+",
    r"schlägt|schlug|rät|antwort\w*|steht|bestätig\w*",
    r"behaupte\w*|zufolge|erwähn\w*|warnt\w*|leitet\w* weiter|weitergeleitet\w*|zeigt\w*|ergab|fand|meldet\w*",
    r"teilt\w* mit",
)
_OUTSIDE: Final = _any(
    r"e-?mails?|mails?|pages?|web ?sites?|sites?|tools?|documents?|docs?|letters?|articles?|files?|texts?|posts?",
    r"search\w*|results?|readme|newsletters?|ads?",
    r"messages?|flyers?|contracts?|tickets?|logs?|outputs?|notices?|untrusted",
    r"(?:web)?seiten?|dokumente?|briefe?|schreiben|artikel|dateien?|datei|werkzeuge?|nachricht\w*|ergebnis\w*",
    r"suche|anzeigen?|zettel|vertrag\w*|aushang|rundmail",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """How firmly a clause states something: each by the plain words for it, and by all that may stand for them.

    Args:
        no: whether it denies; `no_broadly` counts "instead", "avoids" and the like.
    """

    no: bool
    no_broadly: bool
    unsure: bool
    unsure_broadly: bool
    bounds: frozenset[Bound]
    bounds_broadly: frozenset[Bound]


@lru_cache(maxsize=20_000)
def assertion(clause: str) -> Assertion:
    """Return how firmly a clause states what it states."""
    plain = _IDIOMS.sub(" ", clause)
    no, unsure = bool(_NO.search(plain)), bool(_UNSURE.search(plain))
    return Assertion(
        no=no,
        no_broadly=no or bool(_NO_BROADLY.search(plain)),
        unsure=unsure,
        unsure_broadly=unsure or bool(_UNSURE_BROADLY.search(plain)),
        bounds=frozenset(bound for bound, (strict, _) in _BOUNDS.items() if strict.search(plain)),
        bounds_broadly=frozenset(bound for bound, (_, broad) in _BOUNDS.items() if broad.search(plain)),
    )


_FRAMES: Final = _any(
    r"herself|himself|themselves|myself|itself|selbst|selber",
    r"left open|still open|decided|open|finished|done|user|assistant|currently|now|so far|new|answered|unanswered",
    r"noch offen|entschieden|offen|fertig|erledigt|derzeit|jetzt|bisher|neu|beantwortet",
)


@lru_cache(maxsize=20_000)
def without_frame(text: str) -> str:
    """Return a text without the words by which a retelling frames what was said: "wants", "asked", "maybe"."""
    for pattern in (_FRAMES, _WISHES, _REPORTS, _UNSURE, _UNSURE_BROADLY, _ASKED_BROADLY):
        text = pattern.sub(" ", text)
    return text


def is_conditional(sentence: str, *, broadly: bool = False) -> bool:
    """Return whether a sentence states something under a condition; broadly, whether any of its words may tell one."""
    plain = _IDIOMS.sub(" ", sentence)
    return bool(_IF.search(plain) or (broadly and _IF_BROADLY.search(plain)))


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks for something that it does not state; a request states what it wants."""
    return bool(_ASKED.search(sentence)) and not _REQUESTS.search(sentence)


def tells_question(text: str) -> bool:
    """Return whether a text tells that something was asked or is open."""
    return bool(_ASKED.search(text) or _ASKED_BROADLY.search(text))


def agrees(text: str) -> bool:
    """Return whether an answer begins with a yes."""
    return bool(_AGREES.match(text))


def answers(text: str) -> bool:
    """Return whether a text begins with a yes or a no."""
    return bool(_AGREES.match(text) or _REFUSES.match(text))


def is_about(before: str) -> bool:
    """Return whether the words before a number make it a rough one or a limit."""
    return bool(_ABOUT.search(before))


def wishes(clause: str) -> bool:
    """Return whether a clause tells what somebody wants, likes or has decided."""
    return bool(_WISHES.search(clause))


def reports(clause: str) -> bool:
    """Return whether a clause tells that somebody said something."""
    return bool(_REPORTS.search(clause))


def names_source(text: str) -> bool:
    """Return whether a text names something that is read, as a mail or a page, or quotes."""
    return bool(_OUTSIDE.search(text)) or any(mark in text for mark in '"“”„«»')
