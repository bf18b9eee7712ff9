"""Answers that cite: what a model is asked, and what of its answer holds against the lines that it was given."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from string import ascii_lowercase
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.language.quoting import QUOTED
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.prompts import template_named

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("ask")
UNKNOWN: Final = "I don't know."
_IGNORANT: Final = re.compile(r"\W*i (?:do not|don['’ʼ`´]?t) know\b", re.IGNORECASE)
# Other ways to say so, where an answer says no more than that.
_REFUSES: Final = re.compile(
    r"\bi (?:do not|don['’ʼ`´]?t|cannot|can['’ʼ`´]?t) (?:know|tell|say|find|answer)\b"
    r"|\b(?:do|does|did)(?: not|n['’ʼ`´]?t) (?:say|mention|contain|tell|state|include|specify|indicate)\b"
    r"|\b(?:is|are|was|were)(?: not|n['’ʼ`´]?t) (?:mentioned|stated|specified|recorded|known|said|given)\b"
    r"|\b(?:there is|there['’ʼ`´]?s|has|have|contains?) no (?:information|mention|record|memory|answer|line)\b",
    re.IGNORECASE,
)
# What may be a label, as models write them: one or several in a pair of brackets, also the full-width ones of some.
_NUMBER: Final = r"[a-z]{0,8}\d{1,6}"
_CITED: Final = re.compile(
    rf"(?P<blank>[ \t]?)[\[【]\s*(?P<labels>{_NUMBER}(?:\s*[,;]\s*{_NUMBER})*)\s*[\]】]", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\d+")
_TAG: Final = re.compile(r"<(?=\s*/?\s*question)", re.IGNORECASE)
# Ends of sentences in most scripts, not the points within numbers; a citation behind one is of what stands before it.
_END: Final = r"[.!?。！？।؟]"
_SENTENCE: Final = re.compile(rf"(?:{_END}+(?!\d)|\n)(?:\s*[\[【][^\]】]*[\]】])*")
_WORD: Final = re.compile(r"\w")
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


class Uncited(BadModelOutput):
    """An answer that cites nothing of what it was given: whatever it says, it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What of a model's answer holds.

    Args:
        text: without the citations of what it was not given; `UNKNOWN` where it says that it does not know, and cites
            nothing.
        known: whether it answers the question.
        labels: those that it cites, each once, in their order in the text.
        notes: what was taken out, and what cites nothing.
    """

    text: str
    known: bool
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()


def labels_for(lines: Sequence[str], question: str) -> tuple[str, ...]:
    """A label for each line, which stands in none of them nor in the question: what repeats one cites nothing by it."""
    named = (_named(found) for text in (*lines, question) for found in _CITED.finditer(text))
    taken = {_DIGITS.sub("", label) for labels in named for label in labels}
    letters = next(prefix for prefix in _prefixes() if prefix not in taken)
    return tuple(f"{letters}{number}" for number in range(1, len(lines) + 1))


def _prefixes() -> Iterator[str]:
    return chain([""], ("".join(letters) for size in range(1, 9) for letters in product(ascii_lowercase, repeat=size)))


def _named(found: re.Match[str]) -> list[str]:
    """The labels that stand in one pair of brackets."""
    return [one.strip().lower() for one in found["labels"].replace(";", ",").split(",")]


def labelled(label: str, line: str) -> str:
    """A line of a block with its label in the place of its dash."""
    quoted = QUOTED if line.startswith(QUOTED) else ""
    return f"{quoted}[{label}] {line.removeprefix(quoted).removeprefix('- ')}"


def asking_prompt(question: str, *, memory: str, today: str) -> Prompt:
    """What a model is asked.

    Args:
        memory: the sealed block of labelled lines.
    """
    return TEMPLATE.render(today=today, memory=memory, question=_TAG.sub("(", question.strip()))


def checked(answer: str, labels: Sequence[str]) -> Checked:
    """An answer with those of its citations that hold.

    Args:
        labels: of the lines that it was given.

    Raises:
        Uncited: none does, and it does not say that it does not know.
    """
    known, cited, invented = {label.lower(): label for label in labels}, dict[str, None](), 0

    def held(found: re.Match[str]) -> str:
        nonlocal invented
        named = _named(found)
        here = [known[one] for one in named if one in known]
        invented += len(named) - len(here)
        cited.update(dict.fromkeys(here))
        return f"{found['blank']}[{', '.join(here)}]" if here else ""

    text = _CITED.sub(held, answer).strip()
    if _refuses(text):
        # What else it says counts only where it cites.
        return Checked(text=text if cited else UNKNOWN, known=False, labels=tuple(cited))
    if not cited or not _WORD.search(_CITED.sub("", text)):
        raise Uncited(_fault(invented, labels))
    return Checked(text=text, known=True, labels=tuple(cited), notes=tuple(_notes(text, invented)))


def _refuses(text: str) -> bool:
    """Whether an answer says that it does not know: with its first words, or with all of its one sentence."""
    said = [part for part in _sentences(text) if _LETTERS.search(_CITED.sub("", part))]
    return bool(_IGNORANT.match(text) or (len(said) == 1 and _REFUSES.search(text)))


def _fault(invented: int, labels: Sequence[str]) -> str:
    """What is wrong with an answer that cites nothing; it repeats no memory."""
    what = "cites what it was not given" if invented else "cites nothing"
    return f"the answer {what}, where the labels are [{labels[0]}] to [{labels[-1]}]"


def _notes(text: str, invented: int) -> Iterator[str]:
    if invented:
        yield f"{invented} citation{'s' if invented > 1 else ''} of what was not told taken out of the answer"
    bare = sum(1 for part in _sentences(text) if _LETTERS.search(part) and not _CITED.search(part))
    if bare:
        yield f"{bare} sentence{'s' if bare > 1 else ''} of the answer without a citation"


def _sentences(text: str) -> Iterator[str]:
    """The sentences of an answer, each with the citations behind its end."""
    start = 0
    for found in _SENTENCE.finditer(text):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
