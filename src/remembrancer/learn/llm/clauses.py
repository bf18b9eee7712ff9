"""Texts cut into clauses, each with what it is compared by: its words, whom it names, how firmly it states it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from remembrancer.language.assertion import Assertion, assertion, is_conditional, reports, wishes, without_frame
from remembrancer.language.calendar import MONTH_NUMBERS, SHORT_MONTHS, WEEKDAYS
from remembrancer.language.sentences import sentences
from remembrancer.language.spelling import folded
from remembrancer.language.terms import terms
from remembrancer.language.words import words

USER: Final = "user"
ASSISTANT: Final = "assistant"
_ROLES: Final = {
    **dict.fromkeys(
        ["user", "users", "nutzer", "nutzerin", "nutzers", "benutzer", "benutzerin", "anwender", "anwenderin"], USER
    ),
    **dict.fromkeys(["assistant", "agent", "assistent", "assistenten", "assistentin", "ki"], ASSISTANT),
}
_CUT: Final = re.compile(
    r"\s*[;()–—]\s*|\s*,(?=\s)(?! \d)\s*|\s*:(?=\s)\s*|\s-\s"
    r"|\s+(?:and|but|because|while|whereas|although|und|aber|weil|denn|sondern|während"
    r"|obwohl|damit)\s+|\s+(?=(?:if|unless|wenn|falls)\s)",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“„«»](?:[^\"“”„«»]*\s[^\"“”„«»]*\s[^\"“”„«»]*)(?:[\"”“«»]|$)|(?:^|(?<=\n))>.*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_FIRST: Final = re.compile(r"(?<!\w)(?:i|me|my|mine|myself|i['’]\w+|ich|mich|mir|mein\w*)(?!\w)", re.IGNORECASE)
_WE: Final = re.compile(
    r"(?<!\w)(?:we|us|our|ours|let['’]?s|we['’]\w+|both|wir|uns|unser\w*|beide)(?!\w)", re.IGNORECASE
)
_YOU: Final = re.compile(
    r"(?<!\w)(?:you|your|you['’]\w+|du|dich|dir|dein\w*|ihr|euch|euer|eure\w*|sie|ihnen)(?!\w)", re.I
)
_THEY: Final = re.compile(
    r"(?<!\w)(?:he|she|they|him|her|his|hers|their|them|er|sie|ihm|ihn|ihr\w{0,2}|sein\w{0,2})(?!\w)", re.I
)
_IT: Final = re.compile(r"(?<!\w)(?:it|that|them|ihn|das|es|sie)(?!\w)", re.IGNORECASE)
_ONCE: Final = re.compile(r"(?:before|previously|instead|not|bisher|vorher|statt|nicht)\b", re.IGNORECASE)
_SUBJECTLESS: Final = re.compile(
    r"(?:he|she|they|er|sie)\b|(?!(?:if|unless|when|because|since|wenn|falls|sofern|solange|weil|da|außer|the|an?|this|that|it|there|these|d(?:er|ie|as|en|em)|ein\w*|es)\b)[a-zäöü]"
)
# Behind one of these a German noun is no name.
_DETERMINED: Final = re.compile(
    r"(?:^|\s)(?:d(?:er|ie|as|en|em|es)|k?ein\w{0,2}|(?:mein|dein|sein|ihr|unser|euer|eur)\w{0,2}|dies\w*|jed\w*|alle\w*|viel\w*|manch\w*"
    r"|welch\w*|solch\w*|zu[mr]|i[mn]s?|am|ans|beim|vo[mn]|aufs?|ohne|pro|als|mehr|weniger|etwas|nur|\d[\d.,]*"
    r"|\w+(?:e|en|er|es|em|ere))\s+$",
    re.IGNORECASE,
)
_BEFORE_NAME: Final = re.compile(
    r"(?:^|\s)(?:und|oder|dass|weil|wenn|hat|ist|war|will|frau|herrn?|dr\.?|heißt|sagt|laut|fragt|bittet)\s+$",
    re.IGNORECASE,
)
_BEFORE_NOUN: Final = re.compile(r"(?:^|\s)(?:mit|von|bei|für|an|statt|über|gegen|nach|durch)\s+$", re.IGNORECASE)
_BEHIND_PREPOSITION: Final = re.compile(
    r"(?:^|\s)(?:to|in|at|from|with|for|of|by|on|about|near|via|the|nach|in|bei|mit|von|aus|für|zu[mr]?|an|auf|über|im|am|d(?:er|ie|as|en|em)"
    r"|a|en|de|del|à|au|du|chez|di|da|al)\s+$",
    re.IGNORECASE,
)
_NOUN_ENDING: Final = re.compile(
    r"(?:ung|heit|keit|schaft|tion|tät|ismus|nis|tum|ungen|heiten|keiten|tionen|chen|zeit|tag|uhr|preis|kosten)s?$"
)
_VERB_BEHIND: Final = re.compile(
    r"(?:['’]s)?\s+(?:(?:and|und)\s+\w+\s+)?(?:is|was|has|had|will|would|can|could|may|might|does|did|left|took|went|got|said|met|came|gave|sold|bought|made|told|wrote|paid|found"
    r"|brought|sent|kept|chose|knows?|ist|war|hat|hatte|wird|kann|soll|muss|darf|mag"
    r"|möchte)\b"
)
_ENGLISH_VERB_BEHIND: Final = re.compile(r"['’]s\b|(?:\s+and\s+\w+)?\s+\w{2,}(?:[^s\W]s|ed)\b")
_GERMAN_VERB_BEHIND: Final = re.compile(
    r"(?:\s+und\s+\w+)?\s+(?!sofort|nicht|jetzt|oft|dort|erst|selbst|fast|seit|mit|bereits|zuletzt|nächst|meist|hat\b)\w{2,}t\b"
)
_NO_NAMES: Final = frozenset(
    {
        *MONTH_NUMBERS,
        *SHORT_MONTHS,
        *WEEKDAYS,
        *_ROLES,
        "i",
        "ok",
        "mr",
        "mrs",
        "ms",
        "dr",
        "herr",
        "frau",
        "herrn",
        "uhr",
        "am",
        "pm",
    }
    | {name + "s" for name in WEEKDAYS}
)
_INSTRUCTS: Final = re.compile(
    r"(?:^|[,;:.!–—]\s*|\b(?:and|but|so|please|then|now|bitte|und|aber|also)\s+)(?:(?:please|so|and|then)\s+)*"
    r"(?:always|never|don['’]?t|do not|make sure|under no circumstances|no\s+\w+\s+(?:before|after|on|without))\b"
    r"|\bfrom now on\b|\b(?:in (?:the )?future|going forward)\b"
    r"|\byou (?:must|should|may|can|shall)(?:n['’]?t| not| never| always| only)\b"
    r"|\bi(?:['’]d like| want) you to\b|\bplease (?:always|never|only|don['’]?t|do not)\b"
    r"|\b(?:whenever|every time) you\b"
    r"|\bab (?:jetzt|sofort)\b|\bkünftig\b|\bin zukunft\b"
    r"|\bbitte (?:\w+ ){0,3}?(?:nie|niemals|immer|kein\w*|nicht|nur)\b"
    r"|\bdu (?:sollst|darfst|musst)\b|^(?:nie|niemals|immer|keine?n?) "
    r"|^(?!(?:ich|wir|er|sie|es|man|d(?:er|ie|as))\b)\w+ (?:mir |uns |mich |bitte )*(?:nie|niemals|immer|nur)\b",
    re.IGNORECASE,
)
_STATES: Final = re.compile(
    r"\b(?:i|we|he|she|they|ich|wir|er|man) (?:\w+ )?(?:always|never|immer|nie|niemals)\b", re.IGNORECASE
)
_POLITE: Final = words(
    "please bitte and but so then also und aber oh ok okay yes yeah well ja na thanks thank danke just really mal doch"
    " hey hi great good gut super"
)
# As the engine writes a date beside its words, or a year behind it.
_DATE_BESIDE: Final = re.compile(r" ?\([^()]{0,30}\b20\d\d\)|,? 20\d\d\b")
_ADDRESS: Final = re.compile(r"(?:(?:hey|hi|hallo|ok|so)[ ,]+)?(?P<name>[^\W\d_]+)[,!:]\s+", re.IGNORECASE)
# How a sentence begins that answers and goes on.
_ANSWER: Final = re.compile(
    r"(?:yes|yep|yeah|no|nope|ok(?:ay)?|ja|nein|nö|sure|right|genau|doch)(?: please| bitte)?[,.!]\s+(?=\w)",
    re.IGNORECASE,
)
_COMMON: Final = ("common",)
_OPENS_IF: Final = re.compile(
    r"(?:but |aber |and |und )?(?:only |nur )?(?:if|unless|provided|as long as|except|whenever|wenn|falls|sofern"
    r"|solange|außer|es sei denn|vorausgesetzt)\b",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"20\d\d")
_ENOUGH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause, and what it is compared by.

    Args:
        place: of its source among those that are compared.
        text: with its sentence, which says under which condition it is stated.
        words: the stems of what it tells, without names and numbers; `common` are those that tell little.
        names: whom it names, folded.
        conditional: whether it holds under a condition.
        quoted: whether it stands within quotation marks.
        answers: whether it answers what was asked before it; `bare` with a yes or a no alone.
    """

    place: int
    text: str
    sentence: str
    words: frozenset[str]
    common: frozenset[str]
    names: frozenset[str]
    assertion: Assertion
    conditional: bool
    quoted: bool
    answers: bool = False
    bare: bool = False

    @property
    def first(self) -> bool:
        """Whether its speaker tells of themselves."""
        own = self.names or _THEY.search(self.text)
        return bool(_FIRST.search(self.text) or (not own and _FIRST.search(self.sentence)))

    @property
    def we(self) -> bool:
        """Whether its speaker tells of themselves and others."""
        return bool(_WE.search(self.text))

    @property
    def you(self) -> bool:
        """Whether it speaks to somebody."""
        return bool(_YOU.search(self.text))

    @property
    def refers(self) -> bool:
        """Whether a pronoun of it means somebody or something that is named before."""
        return bool(_THEY.search(self.text))

    @property
    def subjects(self) -> frozenset[str]:
        """Those whom it names but where they go, or with whom."""
        behind = {
            folded(found[0])
            for found in _WORD.finditer(self.text)
            if _BEHIND_PREPOSITION.search(self.text[: found.start()])
        }
        return self.names - behind

    @property
    def leans(self) -> bool:
        """Whether its subject is that of the clause before it."""
        return bool(_SUBJECTLESS.match(self.text))


def clauses_of(text: str, tongue: str, *, place: int = 0, named: frozenset[str] = frozenset()) -> list[Clause]:
    """The clauses of a text, those without words of their own put together with the next.

    Args:
        named: names, folded, that are known as such, however they are written.
    """
    return [
        clause
        for sentence in sentences(_DATE_BESIDE.sub("", text))
        for clause in _of_sentence(_without_address(sentence, named), tongue, place, named)
    ]


def _without_address(sentence: str, named: frozenset[str]) -> str:
    """A sentence without the yes or no, and whom it calls by name, as it begins."""
    if answer := _ANSWER.match(sentence):
        sentence = sentence[answer.end() :]
    found = _ADDRESS.match(sentence)
    return (
        sentence[found.end() :]
        if found and folded(found["name"]) in named and found.end() < len(sentence)
        else sentence
    )


def _of_sentence(sentence: str, tongue: str, place: int, named: frozenset[str]) -> list[Clause]:
    quoted = [found.span() for found in _QUOTED.finditer(sentence)]
    spans, left = _spans(sentence, tongue, named)
    made = [
        Clause(
            place=place,
            text=sentence[start:end],
            sentence=sentence,
            words=words_of(sentence[start:end], tongue, named),
            common=_common_of(sentence[start:end], tongue, named),
            names=named.intersection(_named(sentence[start:end])),
            assertion=assertion(sentence[start:end]),
            conditional=_is_conditional(sentence, spans, at),
            quoted=any(begin <= start + 1 and end <= to + 1 for begin, to in quoted),
        )
        for at, (start, end) in enumerate(spans)
    ]
    if left and made:
        # "…, I do": it says of somebody else what the clause before it says.
        text = sentence[left:]
        names = named.intersection(_named(text))
        made.append(replace(made[-1], text=text, names=names, assertion=assertion(text)))
    return made


def _spans(sentence: str, tongue: str, named: frozenset[str]) -> tuple[list[tuple[int, int]], int]:
    """Where the clauses with words of their own stand, and where one begins that names somebody alone; 0 for none."""
    found: list[tuple[int, int]] = []
    begin = left = 0
    for cut, after in [*(one.span() for one in _CUT.finditer(sentence)), (len(sentence), len(sentence))]:
        if words_of(sentence[begin:cut], tongue, named):
            found.append((begin, cut))
            begin = after
    if not found:
        return [(0, len(sentence))], 0
    if begin < len(sentence):
        rest = sentence[begin:]
        if reports(rest) or _ONCE.match(rest) or (wishes(rest) and _IT.search(rest)):
            return found, 0
        if _FIRST.search(rest) or roles_in(rest) or not named.isdisjoint(_named(rest)):
            left = begin
        else:
            found[-1] = (found[-1][0], len(sentence))
    return found, left


def _is_conditional(sentence: str, spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a clause has a condition, or one stands before or behind it."""
    start, end = spans[at]
    before = sentence[slice(*spans[at - 1])] if at else ""
    behind = sentence[slice(*spans[at + 1])] if at + 1 < len(spans) else ""
    if is_conditional(sentence[start:end]) or _OPENS_IF.match(before.lstrip()):
        return True
    return bool(_OPENS_IF.match(behind.lstrip())) and ";" not in sentence[end : spans[at + 1][0]]


def answer_of(text: str) -> str:
    """The yes or no with which a text begins and goes on; `""` for none."""
    found = _ANSWER.match(text)
    return found[0] if found else ""


def words_in(text: str) -> Iterator[str]:
    """The words of a text as they may be named: those with a hyphen and their parts."""
    for found in _WORD.finditer(text):
        whole = re.sub(r"['’]s?$", "", found[0])
        yield from {found[0], whole, *whole.split("-")}


def _named(text: str) -> Iterator[str]:
    """The words that may be names, folded, also without what shows whose something is."""
    for found in _WORD.finditer(text):
        name = folded(re.sub(r"['’]s?$", "", found[0]))
        yield from (name, name.removesuffix("s"))


@lru_cache(maxsize=20_000)
def words_of(
    text: str, tongue: str, named: frozenset[str] = frozenset(), *, kinds: tuple[str, ...] = ("word", "name")
) -> frozenset[str]:
    """The stems of what a text tells: without the words by which it is told, names and numbers."""
    apart = _WORD.sub(lambda found: " " if _is_name(found[0], named) else found[0], without_frame(text))
    return frozenset(term.stem for term in terms(apart, tongue) if term.kind in kinds and len(term.stem) > 1)


def _common_of(text: str, tongue: str, named: frozenset[str]) -> frozenset[str]:
    """The stems of a text that tell little; where it has no others, those of the words by which it is told, too."""
    if words_of(text, tongue, named):
        return words_of(text, tongue, named, kinds=_COMMON)
    return frozenset(term.stem for term in terms(text, tongue) if term.kind in ("word", "common")) - named


def _is_name(word: str, named: frozenset[str]) -> bool:
    return any(name in named or name in _ROLES or name in _CALENDAR for name in _named(word))


_CALENDAR: Final = frozenset(MONTH_NUMBERS) | frozenset(SHORT_MONTHS) | frozenset(WEEKDAYS)


@lru_cache(maxsize=50_000)
def alike(one: str, other: str) -> bool:
    """Whether two stems are of one word, however it is bent, or one is part of the other's compound."""
    if one == other:
        return True
    one, other = (re.sub(r"^ge(?=\w{4})", "", folded(word)) for word in (one, other))
    short, long = sorted((one, other), key=len)
    if (
        len(short) >= _ENOUGH
        and long.startswith(short[: max(_ENOUGH, len(short) - 2)])
        and len(long) - len(short) <= _ENOUGH
    ):
        return True
    return len(short) > _ENOUGH and short in long


def overlap(words: Iterable[str], others: Iterable[str]) -> int:
    """How many of some stems are among others."""
    held = set(others)
    return sum(word in held or any(alike(word, other) for other in held) for word in words)


def names_in(text: str, tongue: str, *, unsure: bool = False) -> frozenset[str]:
    """What a text names, folded, as far as its capitals show it.

    Args:
        unsure: whether a German noun counts where a name stands as often.
    """
    return frozenset(name for sentence in sentences(text) for name in _names(sentence, tongue, unsure=unsure))


def _names(sentence: str, tongue: str, *, unsure: bool) -> Iterator[str]:
    for found in _WORD.finditer(sentence):
        raw = re.sub(r"['’]s?$", "", found[0])
        name, before, end = folded(raw), sentence[: found.start()], found.start() + len(raw)
        if not raw[:1].isupper() or len(raw) < 2 or not words_of(raw.casefold(), tongue) or name in _NO_NAMES:
            continue
        if not before.strip(" \"'“„«»(-") or before.rstrip()[-1:] in ":.!?":
            behind = [
                _VERB_BEHIND,
                *({"english": _ENGLISH_VERB_BEHIND, "german": _GERMAN_VERB_BEHIND}.get(tongue, _VERB_BEHIND),),
            ]
            if any(verb.match(sentence, end) for verb in behind):
                yield name
        elif tongue != "german" or (
            not (_DETERMINED.search(before) or _NOUN_ENDING.search(raw))
            and (_BEFORE_NAME.search(before) or (unsure and _BEFORE_NOUN.search(before)))
        ):
            yield name


def speaker_names(by: str) -> frozenset[str]:
    """The words of a speaker's name, folded."""
    return frozenset(map(folded, _WORD.findall(by)))


def roles_in(text: str) -> frozenset[str]:
    """Whether a text speaks of "the user" or "the assistant"."""
    return frozenset(_ROLES[word] for word in map(folded, _WORD.findall(text)) if word in _ROLES)


def is_instruction(sentence: str) -> bool:
    """Whether a sentence tells its hearer what to do from now on."""
    return bool(_INSTRUCTS.search(sentence)) and not _STATES.search(sentence) and "?" not in sentence


def word_for_word(text: str, sentence: str) -> bool:
    """Whether a text has a sentence in its own words, dates beside them and polite words apart."""
    told, said = _plain(_DATE_BESIDE.sub(" ", text)), _plain(sentence)
    return any(told[at : at + len(said)] == said for at in range(len(told) - len(said) + 1))


def _plain(text: str) -> list[str]:
    return [word for word in map(folded, _TOKEN.findall(text)) if word not in _POLITE and not _YEAR.fullmatch(word)]
