"""What of a text somebody else wrote: lines quoted with `>`, a forwarded mail, the words behind "my boss wrote:"."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

from remembrancer.language.tables import Patterns

QUOTED: Final = "> "
"""How each line begins of what is quoted to an agent; no other line of a block does."""
_MARKED: Final = re.compile(r"[ \t]{0,3}(?:>|＞|&gt;)[ \t]?")
# What follows the head of a mail that was handed on is not of who handed it on. "I said: no nuts" is the speaker's own.
_CUES: Final = Patterns("quoting")
_CLAUSE: Final = re.compile(r"[.!?。！？]")
# With what closes the sentence that it ends.
_IN_MARKS: Final = re.compile(
    r"\s{0,2},?\s{0,2}(?:\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」)[)\].,!?;:]*"
)
# So few words in quotation marks stay in the sentence that has them.
_FEW_WORDS: Final = 6
# A text without any of these quotes nobody.
_SIGNS: Final = re.compile(r"[>＞:：\"“„«「]|&gt;|(?:message|nachricht|mensaje|messaggio|mensagem|邮件)", re.IGNORECASE)


class Part(NamedTuple):
    """A part of a text: of its author, or of somebody whom the author quotes."""

    text: str
    quoted: bool


def parts(text: str) -> list[Part]:
    """The parts of a text in their order, each of whole lines; of a quoted line, what stands behind its mark."""
    found = list(_pieces(text)) if _SIGNS.search(text) else []
    if not any(piece.quoted for piece in found):
        return [Part(text, quoted=False)]
    return [
        Part("\n".join(piece.text for piece in run), quoted=quoted)
        for quoted, run in groupby(found, key=lambda piece: piece.quoted)
    ]


def own_words(text: str) -> str:
    """What the author of a text says in it, without what is quoted."""
    return "\n".join(part.text for part in parts(text) if not part.quoted)


def quoted_words(text: str) -> str:
    """What the author of a text quotes in it; `""` for nothing."""
    return "\n".join(part.text for part in parts(text) if part.quoted)


def _pieces(text: str) -> Iterator[Part]:
    handed_on = going_on = False
    for line in text.splitlines():
        if handed_on or _CUES["forwarded"].match(line):
            handed_on = True
            yield Part(line, quoted=True)
        elif going_on and line.strip():
            yield Part(line, quoted=True)
        elif marked := _MARKED.match(line):
            yield Part(line[marked.end() :], quoted=True)
        else:
            going_on = False
            for piece in _of_line(line):
                going_on = going_on or piece is _REST
                if piece is not _REST:
                    yield piece


# That a line, and what follows it up to an empty one, is quoted to its end.
_REST: Final = Part("", quoted=True)


def _of_line(line: str) -> Iterator[Part]:
    at = 0
    for lead in _CUES["lead"].finditer(line):
        before = _CLAUSE.split(line[at : lead.start()])[-1]
        if lead.start() < at or _CUES["own"].search(before) or not before.strip():
            continue
        # Who said it stands with what they said.
        begins = lead.start() - len(before)
        if marked := _IN_MARKS.match(line, lead.end()):
            if len(marked[0].split()) <= _FEW_WORDS:
                continue
            if line[at:begins].strip():
                yield Part(line[at:begins], quoted=False)
            yield Part(line[begins : marked.end()].strip(), quoted=True)
            at = marked.end()
        elif lead[0].endswith((":", "：")):
            if line[at:begins].strip():
                yield Part(line[at:begins], quoted=False)
            yield Part(line[begins:].strip(), quoted=True)
            yield _REST
            return
    if line[at:].strip() or not at:
        yield Part(line[at:], quoted=False)
