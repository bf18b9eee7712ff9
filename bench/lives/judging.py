"""What of a life a brief tells: by needs, line by line, without the product."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.keeping.conversations import folded
from bench.lives.years import Life, Mark, Session

_WORD = re.compile(r"\w{3,}")
_FRAME = re.compile(r"^(?:#|\[|<)")
_UNTIL = re.compile(r"\((?:until|bis) \d{4}-")
# So large a part of a message's words in one line tell it.
_TOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A brief, judged.

    Args:
        told, missing: what holds and is told, or is not; by kind.
        withdrawn: what no longer holds and is told as if it did, with the line.
        twice: what two lines or more tell.
        unmarked: lines that tell nothing of what is marked; whether they are trivia is for a reader to say.
    """

    told: dict[str, list[Mark]]
    missing: dict[str, list[Mark]]
    withdrawn: list[tuple[Mark, str]]
    twice: list[tuple[Mark, list[str]]]
    lines: list[str]
    unmarked: list[str]
    last: bool
    tokens: int

    def row(self) -> str:
        """The figures in a row."""
        shares = {
            kind: f"{len(self.told[kind])}/{len(self.told[kind]) + len(self.missing[kind])}" for kind in self.told
        }
        return (
            f"instructions {shares['instruction']} · withdrawn told {len(self.withdrawn)} · constants"
            f" {shares['constant']} · ahead {shares['ahead']} · last session {'yes' if self.last else 'no'}"
            f" · lines {len(self.lines)} · twice {len(self.twice)} · unmarked {len(self.unmarked)}"
            f" · tokens {self.tokens:,}"
        )


def judged(life: Life, day: int, text: str, tokens: int) -> Judged:
    """What of a life a text tells at the end of a day."""
    lines = [line for line in text.splitlines() if line.strip() and not _FRAME.match(line)]
    told: dict[str, list[Mark]] = {"instruction": [], "constant": [], "ahead": []}
    missing: dict[str, list[Mark]] = {kind: [] for kind in told}
    withdrawn, twice = list[tuple[Mark, str]](), list[tuple[Mark, list[str]]]()
    useful = set[int]()
    for mark in life.marks:
        if day < mark.first:
            continue
        found = [place for place, line in enumerate(lines) if mark.meets(line)]
        if mark.holds(day):
            (told if found else missing)[mark.kind].append(mark)
            useful.update(found)
            if len(found) > 1 and mark.kind != "ahead":
                twice.append((mark, [lines[place] for place in found]))
        elif mark.kind != "ahead":
            useful.update(found)
            withdrawn += [(mark, lines[place]) for place in found if _says_old(mark, lines[place])]
        if mark.ended and not mark.holds(day):
            useful.update(place for place, line in enumerate(lines) if _nearness(line, mark.ended) >= _TOLD)
    last = next(session for session in reversed(life.sessions) if session.day <= day)
    ends = [place for place, line in enumerate(lines) if _tells_end(last, line)]
    return Judged(
        told=told,
        missing=missing,
        withdrawn=withdrawn,
        twice=twice,
        lines=lines,
        unmarked=[line for place, line in enumerate(lines) if place not in useful and place not in ends],
        last=bool(ends),
        tokens=tokens,
    )


def _says_old(mark: Mark, line: str) -> bool:
    """Whether a line tells what was withdrawn as it was said first, and not that it was withdrawn."""
    return not _UNTIL.search(line) and _nearness(line, mark.source) >= _nearness(line, mark.ended)


def _nearness(line: str, text: str) -> float:
    """The share of a line's words that are those of a text."""
    words, others = set(_WORD.findall(folded(line))), set(_WORD.findall(folded(text)))
    return len(words & others) / max(1, len(words))


def _tells_end(session: Session, line: str) -> bool:
    """Whether a line names the session, or has half of the words of what a user said last in it."""
    said: Sequence[str] = [message.text for message in session.messages if message.role == "user"]
    words = set(_WORD.findall(folded(said[-1])))
    return session.name in line and len(words & set(_WORD.findall(folded(line)))) >= _TOLD * len(words)
