"""Secrets in tables: below or behind a heading that promises one, in Markdown, CSV, TSV and HTML."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.assignments import is_in_column, promises

_HINTS: Final = ("pass", "pw", "mdp", "kennwort", "contrasen", "secret", "token", "key", "credential")
_LINE: Final = re.compile(r"[^\n]*+\n?")
_CELL: Final = {
    "|": re.compile(r"[ \t]*(?P<cell>[^|\n]*?)[ \t\r]*(?:\||$)"),
    "\t": re.compile(r"[ ]*(?P<cell>[^\t\n]*?)[ \r]*(?:\t|$)"),
    ",": re.compile(r"[ \t]*\"?(?P<cell>(?<=\")[^\"\n]*|[^,\"\n]*?)\"?[ \t\r]*(?:,|$)"),
    ";": re.compile(r"[ \t]*\"?(?P<cell>(?<=\")[^\"\n]*|[^;\"\n]*?)\"?[ \t\r]*(?:;|$)"),
}
_HTML: Final = re.compile(
    r"<(?P<tag>t[hd]|dt)\b[^<>]{0,200}>\s{0,8}(?P<name>[^<>]{2,48}?)\s{0,8}:?\s{0,4}</(?P=tag)>\s{0,40}"
    r"<(?:td|dd)\b[^<>]{0,200}>\s{0,8}(?:<code>)?(?P<value>[^<>\s]{4,128})"
)
_MOST_CELLS: Final = 64
_LONGEST_LINE: Final = 4_096


def columns(text: str, lowered: str) -> Iterator[Secret]:
    """Yield the values below or behind a heading that promises a secret."""
    if not any(hint in lowered for hint in _HINTS):
        return
    if "</t" in lowered or "</d" in lowered:
        for match in _HTML.finditer(text):
            if is_in_column(match["name"], match["value"]):
                yield Secret(kind="assignment", start=match.start("value"), end=match.end("value"))
    for mark in _CELL:
        if mark in text and (mark in "|\t" or "\n" in text):
            yield from _under(mark, text, lowered)


def _under(mark: str, text: str, lowered: str) -> Iterator[Secret]:
    position = 0
    while position < len(text) and (line := _LINE.match(text, position)):
        position = line.end()
        if not _may_head(mark, text, lowered, line):
            continue
        names = _cells(mark, text, line)
        yield from _behind(mark, names, text)
        heads = {place: text[start:end] for place, (start, end) in enumerate(names) if promises(_bare(text[start:end]))}
        while heads and position < len(text) and (row := _LINE.match(text, position)):
            if mark not in row[0] or len(row[0]) > _LONGEST_LINE:
                break
            position = row.end()
            cells = _cells(mark, text, row)
            for place, head in heads.items():
                if place < len(cells) and is_in_column(_bare(head), _value(text, *cells[place])):
                    yield Secret(kind="assignment", start=cells[place][0], end=cells[place][1])


def _may_head(mark: str, text: str, lowered: str, line: re.Match[str]) -> bool:
    start, end = line.span()
    if end - start > _LONGEST_LINE or text.find(mark, start, end) < 0:
        return False
    return any(lowered.find(hint, start, end) >= 0 for hint in _HINTS)


def _behind(mark: str, cells: list[tuple[int, int]], text: str) -> Iterator[Secret]:
    """Yield the value in the cell behind its name; in a line with commas, only if it has two cells."""
    if mark in ",;" and len(cells) != 2:
        return
    for name, (start, end) in pairwise(cells):
        if is_in_column(_bare(text[slice(*name)]), _value(text, start, end)):
            yield Secret(kind="assignment", start=start, end=end)


def _cells(mark: str, text: str, line: re.Match[str]) -> list[tuple[int, int]]:
    start, end = line.start(), line.end() - line[0].endswith("\n")
    cells: list[tuple[int, int]] = []
    while start < end and len(cells) < _MOST_CELLS:
        cell = _CELL[mark].match(text, start, end)
        if cell is None or cell.end() == start:
            break
        cells.append(cell.span("cell"))
        start = cell.end()
    return cells


def _value(text: str, start: int, end: int) -> str:
    value = text[start:end].strip("`*_")
    return "" if " " in value else value


def _bare(cell: str) -> str:
    return cell.strip(" `*_:\"'")
