"""A message cut into what can be kept or left: sentences of its prose, lists, tables, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby, pairwise, zip_longest

from remembrancer.language.calendar import months
from remembrancer.language.words import abbreviations
from remembrancer.types.text import estimate

ENDS = ".!?…。！？"
LONGEST_SENTENCE = 600
LONGEST_WIDE = 150
# A line of so many characters that goes on in a small letter was broken by a program.
_WRAPPED = 50
_NEW_LINE = "\n"


class LineForm(StrEnum):
    """The form of a piece of a message."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines of one form without markup; code is unchanged, after the language of its fence."""

    form: LineForm
    text: str


# Signs with a meaning of their own: ticks, crosses, thumbs.
_TICKS = "\u2611-\u2612\u2705\u2713-\u2718\u274c\u274e\U0001f44d-\U0001f44e"
_HAS_CONTENT = re.compile(rf"[^\W_]|[{_TICKS}]")
_PICTURES = re.compile(rf"(?![{_TICKS}])[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]")
# A minus belongs to its number.
_LEAD = re.compile(r"^(?:[ ,;:–—]|-(?!\d))+")
# No name of code, product or site, which keep their small letter.
_PLAIN_WORD = re.compile(r"[^\W\d_A-Z]+(?:['’][a-z]+)?(?=[\s,.!?;:]|$)")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:*_=-]+$")
_HEADING = re.compile(r"^\s*#{1,6}\s+|^\s*\*\*[^*]{1,80}\*\*:?\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•‣]|\d{1,3}[.)]|[a-z][.)])\s+")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s*>+\s?|^\s*#{1,6}\s+")
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)")
_SENTENCE_END = re.compile(r"(?:[.!?…]+[\"'”“’»)\]]*(?=\s)|[。！？؟।]+[」』”]?)\s*")
_PAUSE = re.compile(r"…|\.\.")
_LAST_WORD = re.compile(r"(\S{1,20})$")


def blocks(text: str) -> Iterator[Lines]:
    """Yield the blocks of a message, in order; a row of a table after the names of its columns."""
    fenced: list[str] | None = None
    row: list[str] | None = None
    columns: list[str] = []
    for line in text.splitlines():
        if _FENCE.match(line):
            if fenced is not None:
                yield Lines(form=LineForm.CODE, text="\n".join(fenced))
                fenced = None
            else:
                fenced = [line.strip().strip("`~ ")]
            continue
        if fenced is not None:
            fenced.append(line)
            continue
        is_rule = bool(_RULE.match(line))
        if is_rule and row is not None:
            # The line above it has the names of the columns, which are repeated for each row.
            columns, row = row, None
            continue
        if row is not None:
            yield _row(row, columns)
            row = None
        if _ROW.match(line) and not is_rule:
            row = [plain(cell) for cell in line.strip().strip("|").split("|")]
            continue
        columns = []
        if not is_rule and line.strip():
            yield _line(line)
    if row is not None:
        yield _row(row, columns)
    if fenced is not None and any(line.strip() for line in fenced):
        yield Lines(form=LineForm.CODE, text="\n".join(fenced))


def _row(cells: list[str], columns: list[str]) -> Lines:
    named = [f"{name}: {cell}" if name else cell for name, cell in zip_longest(columns, cells, fillvalue="") if cell]
    return Lines(form=LineForm.ROW, text=", ".join(named))


def _line(line: str) -> Lines:
    if _HEADING.match(line):
        return Lines(form=LineForm.HEADING, text=_ITEM.sub("", plain(line)))
    if item := _ITEM.match(line):
        return Lines(form=LineForm.ITEM, text=plain(line[item.end() :]))
    return Lines(form=LineForm.PROSE, text=plain(line))


def plain(line: str) -> str:
    """Return a line without markup, its spaces evened out."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", line)).split())


def paragraphs(found: Iterator[Lines]) -> Iterator[Lines]:
    """Prose lines that follow one another as one, since people break lines anywhere."""
    for prose, run in groupby(found, key=lambda block: block.form is LineForm.PROSE):
        if prose:
            yield Lines(form=LineForm.PROSE, text="".join(_unwrapped([block.text for block in run])))
        else:
            yield from run


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Return lines joined by a line break, or by a space if a program has wrapped a long line."""
    yield lines[0]
    for before, line in pairwise(lines):
        yield f"{' ' if len(before) >= _WRAPPED and line[:1].islower() and before[-1] not in ENDS else _NEW_LINE}{line}"


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; one that never ends is cut between words."""
    for line in text.splitlines():
        start = 0
        for end in _SENTENCE_END.finditer(line):
            if line[end.start()] == "." and _abbreviated(line[start : end.start()], line[end.end() : end.end() + 12]):
                continue
            if _PAUSE.match(end[0]) and line[end.end() : end.end() + 1].islower():
                continue
            yield from _pieces(line[start : end.end()].strip())
            start = end.end()
        yield from _pieces(line[start:].strip())


def finished(sentence: str) -> str:
    """Return a complete sentence without pictures; `""` if it has no content."""
    text = _LEAD.sub("", " ".join(_PICTURES.sub(" ", sentence).split())).rstrip(" ,;:–—-")
    if not _HAS_CONTENT.search(text):
        return ""
    if _PLAIN_WORD.match(text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ENDS + "\"'”»)`" else f"{text}."


def _abbreviated(before: str, after: str) -> bool:
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    last = word[1].strip("(\"'").casefold()
    if last.isdigit():
        # "Am 3. März"; a sentence may begin with a number of its own.
        return not after[:1].isupper() or bool(_month_next().match(after))
    return last in abbreviations() or (len(last) == 1 and last.isalpha())


@cache
def _month_next() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(months()['german'])})\b", re.IGNORECASE)


def _pieces(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST_WIDE and len(sentence) > (longest := _longest(sentence)):
        cut = sentence.rfind(" ", 1, longest)
        cut = cut if cut > 0 else longest
        yield sentence[:cut]
        sentence = sentence[cut:].lstrip()
    if sentence:
        yield sentence


def _longest(sentence: str) -> int:
    """Return the maximum length of a sentence: lower for scripts with a token for each character."""
    wide = estimate(sentence[:LONGEST_SENTENCE]) > LONGEST_SENTENCE // 3
    return LONGEST_WIDE if wide else LONGEST_SENTENCE
