"""Whether a text says that what an older text states no longer holds. English and German.

It does where both say the same but for a value that excludes the other (a day, a clock time, a date, a number, a
name), where it says that a value changed and speaks of the same thing, and where it says that something is over which
the older one states. What is hedged, wished, planned, asked, quoted, conditional, past, or said to come beside
something else replaces nothing: where it is not sure, both stand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remembrancer.language.calendar import ANY_MONTH, WEEKDAYS
from remembrancer.language.detection import ENGLISH, language_of
from remembrancer.language.spelling import folded
from remembrancer.language.stems import stem
from remembrancer.language.stopwords import STOP_WORDS

# A longer text speaks of much.
_LONGEST: Final = 400
# So many words that two sentences share make them about the same thing, or one where either has no more than this.
_SHARED: Final = 2
_SHORT: Final = 3
# A sentence of more words tells more than one value of one thing.
_MOST: Final = 8


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_SENTENCE: Final = re.compile(r"(?<!\b[DMSNFH]r\.)(?<!\b[MS][st]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\d\.)(?<=[.!?;\n])\s+")
_CLAUSE: Final = re.compile(
    r"\s*(?:[,;:()–—]|\s-\s)\s*|\s+(?:and|but|because|since|und|aber|weil|denn)\s+", re.IGNORECASE
)
_NOT_STATED: Final = re.compile(
    r"[?\"“”„«»]|\b(?:if|unless|whether|when(?:ever)?|until|once|in case|wenn|falls|ob|sobald|bis|sofern|solange)\b",
    re.I,
)
_UNSURE: Final = _any(
    r"might|may|could|would|should|want(?:s|ed)?|wanna|hop(?:e|es|ing)|plan(?:s|ned|ning)?|think(?:s|ing)?|thought",
    r"consider(?:s|ing)?|going to|wish|dream\w*|maybe|perhaps|probably|possibly|almost|nearly|used to",
    r"sometimes|wonder\w*",
    r"sa(?:y|ys|id)|told|tells|heard|hears|asked|asks|suggest\w*|propos\w*|wrote|writes|according",
    r"pretend\w*|i'd|we'd",
    r"back then|at the time|ago|as a (?:child|kid|student|teenager)|formerly|previously|except|will|won['’]t",
    r"vielleicht|könnten?|würden?|möchten?|wollen|wollten?|hoffe\w*|plane\w*|überleg\w*|denke|träum\w*",
    r"eventuell|werden?",
    r"womöglich|wahrscheinlich|beinahe|fast|früher|damals|manchmal|sagt|sagte|sagen|meint|meinte|gehört|erzählt\w*",
    r"vorgeschlagen|schlägt|angeblich|als kind|vor \w+ jahren|sollen?|sollten?|außer",
)
_BESIDE: Final = _any(
    r"also|too|another|second|third|other|besides|as well|both|either|additional(?:ly)?|on top|partly|part[- ]time",
    r"auch|ebenfalls|zweit\w*|dritt\w*|ander\w*|außerdem|zusätzlich|nebenbei|noch eine?n?|teilweise|beide",
)
_CHANGED: Final = _any(
    r"now|no longer|any ?more|these days|instead|from now on|as of|chang(?:e|ed|es)|switch(?:ed|es)?|new",
    r"moved|extended",
    r"replaced|rescheduled|postponed|brought forward|pushed|since (?:last|this)|correction|starting|after the",
    r"jetzt|nun|inzwischen|mittlerweile|nunmehr|neuerdings|ab sofort|nicht mehr|neu(?:e[rnsm]?)?|statt\w*|geändert",
    r"gewechselt|verlängert|verlängerung|verschoben|verlegt|umgestiegen|gezogen",
    r"seit (?:kurzem|gestern|dem|letzte\w*)",
    r"korrektur|erst",
)
_ENDING: Final = (
    r"no longer|any ?more|any longer|stopped|quit|gave up|given up|cut out|cancel+ed|sold|got rid of|retired|closed",
    r"dropped|instead of|nicht mehr|aufgehört|aufgegeben|gekündigt|verkauft|abgeschafft|abbestellt|beendet|statt",
)
_OVER: Final = _any(*_ENDING, r"kein\w*\b.*\bmehr")
# What of such a clause does not say what is over.
_CUES: Final = _any(*_ENDING, r"just|finally|mehr|keine?[nrms]?|gerade|kann|endlich")
_PAST: Final = _any(r"was|were|had|did|gave|went|got|saw|bought|been|war|waren|hatten?|wurden?|ging|gab|kam|\w{3,}ed")
_NEGATIVE: Final = re.compile(r"\b(?:not|no|never|nicht|keine?\w*|nie)\b|n['’]t\b", re.IGNORECASE)
# A sentence with one of these tells how things are; one of what somebody did, likes or met excludes nothing.
_IS: Final = _any(
    r"is|are|lives|works|starts?|begins?|opens?|closes?|ends?|runs?|listens?|leaves?|lautet|ist|sind",
    r"heiß(?:e|t)|findet",
    r"beginnt|startet|endet|öffnet|schließt|liegt|läuft",
)
# What somebody does for long: another one replaces it only where it is said that something changed.
_DOES: Final = _any(
    r"use|uses|drive|drives|prefer|prefers|live|work|pay|pays|nutze|nutzt|benutze|benutzt|fahre|wohne|arbeite|bevorzuge|zahle"
)
# What may stand between the verb and a number or a name that is the value.
_LEADS: Final = re.compile(
    r"\s*(?:\b(?:now|called|named|at|on|in|under|about|around|only|still|the|an?|port|number|from|with"
    r"|jetzt|nun|inzwischen|mittlerweile|bei|beim|unter|auf|in|im|der|die|das)\b\s*)*",
    re.IGNORECASE,
)
_IS_SHORT: Final = re.compile(r"\w['’](?:s|m|re)\b")
# Ways to say the same, before a name.
_ALIKE: Final = {
    "lives": re.compile(
        r"\b(?:liv(?:e|es|ing)|moved|relocated|based|wohn(?:e|t|en)|leb(?:e|t|en))\b(?: \w+)??(?: from \S+)?"
        r" (?:in|to|at|near|nach) (?:the )?(?=(?-i:[A-ZÄÖÜ]))|\b(?:um)?gezogen\b",
        re.IGNORECASE,
    ),
    "works": re.compile(
        r"\b(?:work(?:s|ing)?|employed|arbeite[nt]?|angestellt)\b(?: \w+)?? (?:at|for|by|bei|beim|für)\b", re.IGNORECASE
    ),
}
# By what each is asked for, in English and German.
_ASKED_BY: Final = {"lives": ("live", "wohne"), "works": ("work", "arbeite")}
_MINE: Final = _any(r"i|i['’]m|i['’]ve|my|me|we|we['’]ve|we['’]re|our|ich|mein\w{0,2}|wir|unser\w{0,2}|mir|mich")
# Whose thing it is: of one's sister's number nothing follows for one's own.
_WHOSE: Final = re.compile(
    r"\b(?!it\b|that\b|what\b|there\b|here\b|let\b|s?he\b)(\w+)['’]s? (?=\w)"
    r"|\b((?:ex-?)?(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|parents?|boss|manager|frau|mann"
    r"|mutter|vater|eltern|chefin|chef|oma|opa))\b(?! is\b| ist\b|['’]s\b| [A-ZÄÖÜ])",
    re.IGNORECASE,
)
# Of these a person has several, or a new one comes beside the old.
_SEVERAL: Final = _any(
    r"brothers?|sisters?|sons?|daughters?|child(?:ren)?|kids?|friends?|colleagues?|cousins?|uncles?|aunts?",
    r"neighbou?rs?",
    r"pets?|cats?|dogs?|hobb(?:y|ies)|teammates?|clients?|customers?|bugs?|issues?|problems?|errors?",
    r"questions?|ideas?",
    r"reasons?|things?|examples?|niece|nephew|roommates?|flatmates?",
    r"brüder|bruder|schwestern?|söhne|sohn|töchter|tochter|kind|kinder|freund\w*|kolleg\w+|onkel|tante",
    r"nachbar\w*|katzen?",
    r"hunde?|kunden?|kundin|frage|fehler|problem|idee|grund|beispiel|neffe|nichte|mitbewohner\w*",
)
_COUNTED: Final = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight"
_GEZAEHLT: Final = r"eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|mittag|mitternacht"
_VALUES: Final = {
    "clock": re.compile(
        r"(?<![\w.:])\d{1,2}(?::\d{2}(?::\d{2})?|(?::\d{2})? ?(?:uhr\b|[ap]\.?m\b))(?![\w.:]*\d)"
        r"|\b(?:(?:at|um|gegen) )?(?:half past|quarter (?:past|to)|halb|viertel (?:vor|nach)) "
        rf"(?:\d{{1,2}}|{_COUNTED}|{_GEZAEHLT})\b"
        rf"|\b(?:at|um|gegen) (?:\d{{1,2}}(?![\w.:])|{_COUNTED}|{_GEZAEHLT})\b(?: uhr)?",
        re.IGNORECASE,
    ),
    "date": re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)? ?(?:of )?(?:{ANY_MONTH})\b|\b(?:{ANY_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b"
        r"|(?<![\w.])\d{1,2}\.\d{1,2}\.(?!\d)|\b\d{4}-\d\d-\d\d\b",
        re.IGNORECASE,
    ),
    "day": re.compile(rf"\b(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})s?\b", re.IGNORECASE),
    "number": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w|(?<![\w.,])[\w.:/+-]*\d[\w.:/+-]*(?:,\d{3})*(?: \d+)*(?<![.:,])"),
    "favourite": re.compile(
        r"\bfavou?rite(?: \w+){1,3} (?:is|are)(?: now| actually)? (?P<value>\w[\w -]*)", re.IGNORECASE
    ),
    "preferred": re.compile(r"\b(?:prefer|bevorzuge) (?P<value>\w+)(?= \w)", re.IGNORECASE),
}
_TITLED: Final = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Fr|Hr)\.?|Frau|Herrn?) [A-ZÄÖÜ][\w-]+"
_NAMES: Final = {
    # In the middle of a sentence only names have a capital.
    "english": re.compile(rf"{_TITLED}|(?<=[\w,] )(?!I\b)[A-Z][\w-]*(?: [A-Z][\w-]*)*"),
    # German nouns have one as well: what stands behind a preposition or ends "ist jetzt …".
    "german": re.compile(
        rf"{_TITLED}"
        rf"|\b(?:in|nach|bei(?:m| der| dem| den)?|heißt|lautet|(?:ist|heißt)?(?: jetzt| nun| inzwischen| mittlerweile)"
        rf"|ist)(?: die| das)? (?P<value>{_TITLED}|[A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ][\w-]+)*)"
    ),
}


_TIMES: Final = frozenset(("clock", "date", "day"))
_TITLES: Final = re.compile(r"dr|m(?:r|rs|s)|prof|[fh]r|frau|herrn?|de[rmn]")


@dataclass(frozen=True, slots=True)
class _Said:
    """What a sentence states.

    Args:
        words: those of it that are no values.
        alike: what it says in one of several ways, and the words for that.
        values: what is compared of the values of each kind.
        written: the values of each kind, with their places in the sentence.
        mine: whether the speaker tells it of themselves.
        whose: of whose thing it speaks, besides.
        which: the values before its verb, which say what it speaks of: "The Monday meeting is at ten."
        behind: the kinds of values that stand behind its verb, where it tells of no past.
        is_so: whether that verb tells how things are, and not what somebody does.
        was: whether it tells what happened.
    """

    words: str
    alike: tuple[tuple[str, str], ...]
    values: dict[str, frozenset[str]]
    written: dict[str, list[tuple[int, str]]]
    mine: bool
    whose: frozenset[str]
    which: frozenset[str]
    behind: frozenset[str]
    is_so: bool
    was: bool
    changed: bool

    @property
    def about(self) -> frozenset[str]:
        """The stems of its words, those of its values and of change apart."""
        said_so = _stems(" ".join(words for _, words in self.alike))
        return (_stems(_CHANGED.sub(" ", self.words)) - said_so) | {name for name, _ in self.alike}


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a text states.

    Args:
        over: the words of each clause that says that something is over.
    """

    said: tuple[_Said, ...]
    over: tuple[str, ...]


def replaced(older: str, newer: str, *, same_speaker: bool = True) -> str | None:
    """Return the value of an older text that a newer one says no longer holds, as it was written; `None` for none.

    Where the newer text only says that something is over, the value is the older text. Texts of over 400 characters
    state nothing here.

    Args:
        same_speaker: whether the same person says both, so that "my" means the same.
    """
    old, new = _stated(older), _stated(newer)
    for after in new.said:
        for before in old.said:
            if (same_speaker or not (before.mine or after.mine)) and (kinds := _differing(after, before)):
                return " ".join(text for _, text in sorted(one for kind in kinds for one in before.written[kind]))
    if same_speaker and any(_holds(older, over) for over in new.over):
        return older.strip().rstrip(".!")
    return None


def said_otherwise(text: str) -> list[str]:
    """Return the words for what a text says in others: who moved to a town lives there."""
    found = [
        _ASKED_BY[relation] for relation, pattern in _ALIKE.items() if len(text) <= _LONGEST and pattern.search(text)
    ]
    return [word for words in found for word in words]


def states_more(text: str) -> bool:
    """Return whether a text has more than one sentence, so that more is lost with it than what was replaced."""
    return len(_sentences(text)) > 1


def _differing(new: _Said, old: _Said) -> list[str]:
    """The kinds of values that exclude each other in two sentences about the same thing; none where it is not sure."""
    differing = [
        kind for kind, found in new.values.items() if found and old.values[kind] and found.isdisjoint(old.values[kind])
    ]
    # What differs in more than its time is something else.
    if not differing or old.was or new.whose != old.whose or (len(differing) > 1 and not _TIMES.issuperset(differing)):
        return []
    if not old.behind.issuperset(differing) or len(old.about) > _MOST:
        return []
    shared = new.about & old.about
    if new.changed:
        few = min(len(new.about), len(old.about)) <= _SHORT and (new.mine == old.mine or new.about == old.about)
        other = new.which and old.which and new.which.isdisjoint(old.which)
        return differing if not other and (len(shared) >= _SHARED or (few and shared)) else []
    # One may live in Bern and in Switzerland, and work at two places.
    same = shared and new.about == old.about and shared.isdisjoint(_ALIKE)
    told = new.is_so and old.is_so and new.behind.issuperset(differing)
    return differing if same and told and new.which == old.which else []


@lru_cache(maxsize=8_192)
def _stated(text: str) -> _Stated:
    if len(text) > _LONGEST:
        return _Stated((), ())
    language = "german" if _language(text) == "german" else ENGLISH
    sentences = _sentences(text)
    return _Stated(
        said=tuple(one for one in (_said(sentence, language) for sentence in sentences) if one is not None),
        over=tuple(over for sentence in sentences for over in _over(sentence)),
    )


def _holds(text: str, over: str) -> bool:
    """Whether a text states what a clause of another says is over."""
    if any(guard.search(text) for guard in (_NOT_STATED, _UNSURE, _PAST, _NEGATIVE, _OVER)):
        return False
    stated, gone = _stems(" ".join(_sentences(text))), _stems(over)
    return bool(gone) and gone <= stated and len(stated) <= _MOST


def _said(sentence: str, language: str) -> _Said | None:
    rest, values, written = sentence, dict[str, frozenset[str]](), dict[str, list[tuple[int, str]]]()
    is_so = _IS.search(sentence) or _IS_SHORT.search(sentence)
    verb = is_so or _DOES.search(sentence)
    began, ended = verb.span() if verb else (0, 0)
    which, behind = set[str](), set[str]()
    for kind, pattern in {**_VALUES, "name": _NAMES[language]}.items():
        found = [(one.start(one.lastgroup or 0), one[one.lastgroup or 0]) for one in pattern.finditer(rest)]
        which |= {word for start, text in found if start < began for word in _compared(kind, text)}
        written[kind] = [(start, text) for start, text in found if start >= began]
        values[kind] = frozenset(word for _, text in written[kind] for word in _compared(kind, text))
        if written[kind] and (kind in _TIMES or _LEADS.fullmatch(sentence, ended, written[kind][0][0])):
            behind.add(kind)
        for start, text in found:
            rest = rest[:start] + " " * len(text) + rest[start + len(text) :]
    if not any(values.values()) or any(guard.search(sentence) for guard in (_NOT_STATED, _UNSURE, _BESIDE, _SEVERAL)):
        return None
    changed, past = bool(_CHANGED.search(sentence)), bool(_PAST.search(rest))
    alike = {word: found[0] for word, pattern in _ALIKE.items() if (found := pattern.search(sentence))}
    return _Said(
        words=rest,
        alike=tuple(alike.items()),
        values=values,
        written=written,
        mine=bool(_MINE.search(sentence)),
        whose=frozenset(folded(found[1] or found[2]) for found in _WHOSE.finditer(sentence)),
        which=frozenset(which),
        behind=frozenset(behind) if verb and not past else frozenset(),
        is_so=is_so is not None,
        was=past and not changed,
        changed=changed,
    )


def _over(sentence: str) -> Iterator[str]:
    """Of each clause that says that something is over, what."""
    if not _OVER.search(sentence) or _NOT_STATED.search(sentence):
        return
    for clause in _CLAUSE.split(sentence):
        if _OVER.search(clause) and not _UNSURE.search(clause) and (what := _CUES.sub(" ", clause).strip()):
            yield what


def _compared(kind: str, text: str) -> list[str]:
    """What is compared of a value: a name by its words, anything else as a whole."""
    words = folded(text).split()
    match kind:
        case "name":
            bare = [word.replace(".", "") for word in words]
            return [word for word in bare if not _TITLES.fullmatch(word)]
        case "day":
            return [str(WEEKDAYS.get(words[0], WEEKDAYS.get(words[0].removesuffix("s"), words[0])))]
        case _:
            return [" ".join(sorted(word.strip(".,") for word in words if word not in ("at", "um", "gegen", "of")))]


def _sentences(text: str) -> list[str]:
    """The sentences of a text, without the speaker that an observer put before it: "The user: I live in Bern."."""
    told = re.sub(r"^(?:The user|[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)?): (?=\w)", "", text)
    return [one for one in _SENTENCE.split(told) if one.strip()]


def _language(text: str) -> str:
    return language_of(re.findall(r"\w+", text.casefold()))


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    words, language = re.findall(r"[^\W\d_]{3,}", text.casefold()), _language(text)
    return frozenset(
        stem(word, language) for word in words if word not in STOP_WORDS[language] and word not in STOP_WORDS[ENGLISH]
    )
