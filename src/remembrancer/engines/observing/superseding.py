"""Values that were said and later replaced: the newest stays, and says what it was before."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remembrancer.engines.observing.marks import marks
from remembrancer.engines.observing.pieces import Piece
from remembrancer.engines.observing.sentences import Form, sentences
from remembrancer.engines.observing.terms import language, terms
from remembrancer.language.calendar import ANY_MONTH, MONTHS, WEEKDAY_NAMES
from remembrancer.language.detection import ENGLISH
from remembrancer.model.tokens import estimate

# Of what the older one says, so much is said by the newer one as well: then it stands for both.
_SAID_AGAIN: Final = 0.6
# So much of the words of the one that says less must be shared, where nothing says that something changed.
_ALIKE: Final = 0.5
# A word counts as what something is about when at most this share of the messages have it.
_RARE: Final = 0.1
_FEW: Final = 4
_UNIT: Final = 4
# So many of the latest that share a word are looked at.
_LOOKED_AT: Final = 20
_TOLD_BEFORE: Final = re.compile(
    r" \((?:(?:before|vorher|antes|avant|prima): |(?:now|jetzt|ahora|désormais|ora) )[^)]*\)", re.IGNORECASE
)
_CHANGES: Final = frozenset({"change", "choice"})
_NOW: Final = {
    "english": "now {new} instead of {old}",
    "german": "jetzt {new} statt {old}",
    "spanish": "ahora {new} en vez de {old}",
    "french": "désormais {new} au lieu de {old}",
    "italian": "ora {new} invece di {old}",
}
_BEFORE: Final = {"english": "before", "german": "vorher", "spanish": "antes", "french": "avant", "italian": "prima"}

_WEEKDAYS: Final = "|".join(name for names in WEEKDAY_NAMES.values() for name in names)
_NUMBER: Final = r"\d+(?:[.,  ]\d{3})*(?:[.,]\d+)?"
_KINDS: Final = {
    "time": re.compile(
        r"(?<![\w.,])(?:\d{1,2}[:h]\d{2}|\d{1,2} ?h\b|\d{1,2}(?::\d{2})? ?(?:am|pm|a\.m\.|p\.m\.)"
        r"|\d{1,2} uhr)(?![\w:])",
        re.IGNORECASE,
    ),
    "date": re.compile(
        rf"(?<![\w.,])(?:\d{{1,2}}(?:\.|st|nd|rd|th|er|º|°)?(?: of| de)? (?:{ANY_MONTH})(?: (?:de )?20\d\d)?"
        rf"|(?:{'|'.join(MONTHS['english'])}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? 20\d\d)?)(?!\w)",
        re.IGNORECASE,
    ),
    "money": re.compile(
        rf"(?:[$€£] ?{_NUMBER}(?:k\b)?|{_NUMBER} ?(?:[$€£]|euros?\b|pesos?\b|dollars?\b|quid\b|pounds?\b|eur\b|usd\b))",
        re.IGNORECASE,
    ),
    "percent": re.compile(rf"{_NUMBER} ?(?:%|percent|prozent|por ciento|pour cent|per cento)"),
    "day": re.compile(rf"(?<!\w)(?:{_WEEKDAYS})s?(?!\w)", re.IGNORECASE),
    "number": re.compile(rf"(?<![\w.,:/€$£-]){_NUMBER}(?![\w:%/€$£])"),
}
_ORDINAL: Final = re.compile(
    r"\b(?:first|second|third|other|another|next|also|erste\w*|zweite\w*|dritte\w*|andere\w*|auch|primer\w*|segund\w*|tercer\w*|otr[oa]s?"
    r"|también|premi\w+|deuxième|second\w*|troisième|autre|aussi|prim[oa]|second[oa]|terz[oa]|altr[oaie]|anche)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Value:
    kind: str
    text: str


def _values(piece: Piece) -> list[_Value]:
    """The values of a piece, each part of its text once: a date is no number."""
    rest, found = piece.text, list[_Value]()
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(rest):
            found.append(_Value(kind, match[0].strip()))
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)
    return found


def superseded(run: Sequence[Piece], tongues: Sequence[str], *, noted: Sequence[str] = ()) -> list[Piece]:
    """Pieces without the values that later ones replace, in their order.

    Args:
        tongues: the language of each message.
        noted: what was noted before, the oldest first: it stays as it stands, and what replaces a value of it says so.
    """
    before = [piece for at, text in enumerate(noted, start=1) for piece in _of_note(text, -at, tongues)]
    pieces = [*before, *run]
    abouts = _abouts(pieces)
    values = [_values(piece) for piece in pieces]
    replaced: dict[int, tuple[int, _Value, _Value]] = {}
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for new in range(len(pieces)):
        if not values[new]:
            continue
        near = {old for stem in abouts[new] for old in holding[stem][-_LOOKED_AT:]}
        for old in sorted(near, reverse=True):
            if old in replaced or pieces[old].message == pieces[new].message:
                continue
            pair = _pair(pieces[old], pieces[new], values[old], values[new], abouts[old], abouts[new])
            if pair is not None:
                replaced[old] = (new, *pair)
        for stem in abouts[new]:
            holding[stem].append(new)
    return list(_told(pieces, abouts, replaced, tongues, known=len(before)))


def _of_note(text: str, message: int, tongues: Sequence[str]) -> Iterator[Piece]:
    """The sentences of a note as pieces of a message of its own, without what was before what they say."""
    tongue = language(text, otherwise=tongues[0] if tongues else ENGLISH)
    said = _TOLD_BEFORE.sub("", text).partition(": ")
    for place, sentence in enumerate(sentences(said[2] or said[0])):
        yield Piece(
            message=message,
            last=message,
            place=place,
            text=sentence,
            form=Form.PROSE,
            listed=False,
            tokens=estimate(sentence),
            terms=terms(sentence, tongue),
            marks=marks(sentence),
            refers_to="",
            follows_question=False,
        )


def _abouts(pieces: Sequence[Piece]) -> list[frozenset[str]]:
    """What each piece is about: its rarer words."""
    holding: Counter[str] = Counter()
    for _, stem in {(piece.message, term.stem) for piece in pieces for term in piece.terms}:
        holding[stem] += 1
    count = len({piece.message for piece in pieces})
    most = max(_FEW, int(_RARE * count))
    return [
        frozenset(
            term.stem
            for term in piece.terms
            if term.kind in ("word", "name") and holding[term.stem] <= most and len(term.stem) > 2
        )
        for piece in pieces
    ]


def _pair(
    old: Piece,
    new: Piece,
    before: Sequence[_Value],
    after: Sequence[_Value],
    old_about: frozenset[str],
    new_about: frozenset[str],
) -> tuple[_Value, _Value] | None:
    """The value of one piece that another replaces, and the one that it is replaced by."""
    if new.marks.asks or old.marks.asks or _ORDINAL.search(new.text):
        return None
    for kind in _KINDS:
        olds = [value for value in before if value.kind == kind]
        news = [value for value in after if value.kind == kind]
        if len(olds) != 1 or len(news) != 1 or _same(olds[0], news[0]):
            continue
        own = [word.casefold() for value in (olds[0], news[0]) for word in re.findall(r"\w+", value.text)]
        shared = [one for one in old_about & new_about if not any(word.startswith(one) for word in own)]
        units = {_unit(piece.text, value) for piece, value in ((old, olds[0]), (new, news[0]))} - {""}
        if kind == "number" and len(units) > 1:
            continue
        unit = kind == "number" and len(units) == 1
        # "10 days" and "30 days" are about days as well.
        shares = [(len(shared) + unit) / (len(about) + unit or 1) for about in (old_about, new_about)]
        share, most = min(shares), max(shares)
        changes = not _CHANGES.isdisjoint(new.marks.cues)
        alike = len(shared) >= 2 and most >= _ALIKE and share >= _ALIKE / 2
        # Numbers of nothing that is named are alike by chance.
        if (alike and (changes or unit or kind != "number")) or (changes and shared and share >= _ALIKE):
            return olds[0], news[0]
    return None


def _same(one: _Value, other: _Value) -> bool:
    """Whether two values are the same, one perhaps with its year."""
    shorter, longer = sorted((one.text.casefold(), other.text.casefold()), key=len)
    # "4 March" is that of "4 March 2026", and 4 is not that of 40.
    return longer.startswith(shorter) and not longer[len(shorter) :][:1].isalnum()


def _unit(text: str, value: _Value) -> str:
    """The word behind a number, as far as it is the same for one and for several."""
    found = re.match(r"\s*([^\W\d_]{4,})", text.partition(value.text)[2])
    return found[1].casefold()[:_UNIT] if found else ""


def _told(
    pieces: Sequence[Piece],
    abouts: Sequence[frozenset[str]],
    replaced: dict[int, tuple[int, _Value, _Value]],
    tongues: Sequence[str],
    *,
    known: int,
) -> Iterator[Piece]:
    """What is left of the pieces behind the first `known` ones, which were told already."""
    was: dict[int, str] = {}
    gone: set[int] = set()
    for old, (new, before, _) in sorted(replaced.items()):
        about = abouts[old]
        again = bool(about) and len(about & abouts[new]) / len(about) >= _SAID_AGAIN
        if again or old < known:
            gone.add(old)
            was.pop(old, None)
            was[new] = before.text
    for place, piece in enumerate(pieces):
        if place in gone or place < known:
            continue
        beside: list[str] = []
        tongue = tongues[piece.message]
        if place in replaced:
            last, value = place, replaced[place][2]
            while last in replaced:
                last, _, value = replaced[last]
            beside.append(_NOW[tongue].format(new=value.text, old=replaced[place][1].text))
        elif place in was:
            beside.append(f"{_BEFORE[tongue]}: {was[place]}")
        yield _beside(piece, beside) if beside else piece


def _beside(piece: Piece, told: Sequence[str]) -> Piece:
    """A piece with something in brackets before its end."""
    body = piece.text.rstrip(".!?…")
    text = f"{body} ({'; '.join(told)}){piece.text[len(body) :]}"
    return replace(piece, text=text, tokens=estimate(text))
