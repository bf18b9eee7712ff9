"""The prompt of an answer with citations, and the check of the answer."""

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

# Read on import, not on the event loop.
TEMPLATE: Final = template_named("ask")
UNKNOWN: Final = "I don't know."
_DOES_NOT_KNOW: Final = re.compile(r"\W*i (?:do not|don['’ʼ`´]?t) know\b", re.IGNORECASE)
# Other refusals; they count only if the answer is this one sentence.
_NO_ANSWER: Final = re.compile(
    r"\bi (?:do not|don['’ʼ`´]?t|cannot|can['’ʼ`´]?t) (?:know|tell|say|find|answer)\b"
    r"|\b(?:do|does|did)(?: not|n['’ʼ`´]?t) (?:say|mention|contain|tell|state|include|specify|indicate)\b"
    r"|\b(?:is|are|was|were)(?: not|n['’ʼ`´]?t) (?:mentioned|stated|specified|recorded|known|said|given)\b"
    r"|\b(?:there is|there['’ʼ`´]?s|has|have|contains?) no (?:information|mention|record|memory|answer|line)\b",
    re.IGNORECASE,
)
# Labels as models write them: one or several in brackets, also in full-width brackets.
_LABEL: Final = r"[a-z]{0,8}\d{1,6}"
_CITATION: Final = re.compile(
    rf"(?P<blank>[ \t]?)[\[【]\s*(?P<labels>{_LABEL}(?:\s*[,;]\s*{_LABEL})*)\s*[\]】]", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\d+")
_TAG: Final = re.compile(r"<(?=\s*/?\s*question)", re.IGNORECASE)
# Sentence ends in most scripts, not decimal points; a citation after the end belongs to the sentence before it.
_END: Final = r"[.!?。！？।؟]"
_SENTENCE: Final = re.compile(rf"(?:{_END}+(?!\d)|\n)(?:\s*[\[【][^\]】]*[\]】])*")
_WORD: Final = re.compile(r"\w")
_WORD_OF_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


class UncitedAnswer(BadModelOutput):
    """An answer without a valid citation; it is discarded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """The valid part of a model's answer.

    Args:
        text: the answer without invalid citations; `UNKNOWN` if it refuses and cites nothing.
        known: whether it answers the question.
        labels: the labels that it cites, without duplicates, in the order of the text.
        notes: removed citations, and sentences without a citation.
    """

    text: str
    known: bool
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()


def labels_for(lines: Sequence[str], question: str) -> tuple[str, ...]:
    """Return one label per line; none occurs in the lines or the question.

    A text that is repeated verbatim then cannot cite anything by accident.
    """
    cited = (_cited_labels(match) for text in (*lines, question) for match in _CITATION.finditer(text))
    used = {_DIGITS.sub("", label) for labels in cited for label in labels}
    letters = next(prefix for prefix in _prefixes() if prefix not in used)
    return tuple(f"{letters}{number}" for number in range(1, len(lines) + 1))


def _prefixes() -> Iterator[str]:
    return chain([""], ("".join(letters) for size in range(1, 9) for letters in product(ascii_lowercase, repeat=size)))


def _cited_labels(match: re.Match[str]) -> list[str]:
    """Return the labels in one pair of brackets."""
    return [label.strip().lower() for label in match["labels"].replace(";", ",").split(",")]


def label_line(label: str, line: str) -> str:
    """Return a line of a block with its label in place of its dash."""
    quoted = QUOTED if line.startswith(QUOTED) else ""
    return f"{quoted}[{label}] {line.removeprefix(quoted).removeprefix('- ')}"


def answer_prompt(question: str, *, memory: str, today: str) -> Prompt:
    """Return the prompt of a question.

    Args:
        memory: the sealed block of labelled lines.
    """
    return TEMPLATE.render(today=today, memory=memory, question=_TAG.sub("(", question.strip()))


def check_answer(answer: str, labels: Sequence[str]) -> CheckedAnswer:
    """Return an answer without its invalid citations.

    Args:
        labels: the labels of the lines in the prompt.

    Raises:
        UncitedAnswer: no citation is valid, and the answer is no refusal.
    """
    by_lower, cited, invented = {label.lower(): label for label in labels}, dict[str, None](), 0

    def keep_known(match: re.Match[str]) -> str:
        nonlocal invented
        cited_labels = _cited_labels(match)
        known_labels = [by_lower[label] for label in cited_labels if label in by_lower]
        invented += len(cited_labels) - len(known_labels)
        cited.update(dict.fromkeys(known_labels))
        return f"{match['blank']}[{', '.join(known_labels)}]" if known_labels else ""

    text = _CITATION.sub(keep_known, answer).strip()
    if _is_refusal(text):
        # The rest of a refusal counts only with citations.
        return CheckedAnswer(text=text if cited else UNKNOWN, known=False, labels=tuple(cited))
    if not cited or not _WORD.search(_CITATION.sub("", text)):
        raise UncitedAnswer(_uncited_message(invented, labels))
    return CheckedAnswer(text=text, known=True, labels=tuple(cited), notes=tuple(_answer_notes(text, invented)))


def _is_refusal(text: str) -> bool:
    """Return True if the answer begins with a refusal, or consists of one."""
    sentences = [part for part in _sentences(text) if _WORD_OF_LETTERS.search(_CITATION.sub("", part))]
    return bool(_DOES_NOT_KNOW.match(text) or (len(sentences) == 1 and _NO_ANSWER.search(text)))


def _uncited_message(invented: int, labels: Sequence[str]) -> str:
    """Return the error message of an answer without citations.

    It contains no memory.
    """
    problem = "cites unknown labels" if invented else "cites no line"
    return f"the answer {problem}; the labels are [{labels[0]}] to [{labels[-1]}]"


def _answer_notes(text: str, invented: int) -> Iterator[str]:
    if invented:
        yield f"removed {invented} citation{'s' if invented > 1 else ''} with an unknown label"
    uncited = sum(1 for part in _sentences(text) if _WORD_OF_LETTERS.search(part) and not _CITATION.search(part))
    if uncited:
        yield f"{uncited} sentence{'s' if uncited > 1 else ''} of the answer without a citation"


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences of an answer, with the citations after each."""
    start = 0
    for match in _SENTENCE.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    yield text[start:]
