"""The sentences of a run of messages, each of which a note may keep; code and tool calls in one sentence each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from remembrancer.language.cues import CUES, Marks, marks
from remembrancer.language.dates.absolute import dated
from remembrancer.language.sentences import ENDS, LineForm, Lines, blocks, finished, paragraphs, sentences
from remembrancer.language.terms import Term, has_content, language, terms
from remembrancer.types.record import Message, Role
from remembrancer.types.text import estimate

LONGEST_QUOTE: Final = 160
_CALL: Final = re.compile(r"^\[calls (?P<name>[^\s(\]]{1,80})\((?P<arguments>.*)\)\]$")
_DIFF: Final = re.compile(r"[+-](?![+-])\s*\S")
_TELLING: Final = re.compile(
    r"^\s*(?:async\s+def|def|class|function|interface|type|CREATE|SELECT|import|public|func|fn)\b"
)


def call_outcome(line: str) -> str:
    """Return a sentence for a line that is a tool call, or `""` for any other line."""
    found = _CALL.match(line)
    if found is None:
        return ""
    arguments = found["arguments"].strip()
    return (
        f"Called {found['name']} with {quoted(arguments)}."
        if arguments not in ("", "{}")
        else f"Called {found['name']}."
    )


def tool_outcome(text: str) -> str:
    """Return a sentence for a tool's answer: its error if there is one, else its first line."""
    lines = _lines(text)
    if not lines:
        return ""
    failed = next((line for line in reversed(lines) if CUES["error"].search(line)), "")
    more = f" ({len(lines)} lines)" if len(lines) > 1 else ""
    if failed:
        return f"Failed: {quoted(failed)}{more}."
    return f"Answered {quoted(lines[0])}{more}."


def code_outcome(text: str) -> str:
    """Return a sentence for a block of code: its language, its size, its error or its first line."""
    tongue, _, body = text.partition("\n")
    lines = _lines(body)
    if not lines:
        return ""
    if "diff" in tongue and (changed := _changed(lines)):
        return changed
    what = f"{tongue.split()[0][:20]} code" if tongue.strip() else "code"
    if failed := next(
        (line for line in reversed(lines) if CUES["error"].search(line) and not _TELLING.match(line)), ""
    ):
        return f"Showed {quoted(failed)}."
    first = next((line for line in lines if _TELLING.match(line)), lines[0])
    return f"Gave {len(lines)} lines of {what}: {quoted(first)}."


def _changed(lines: Sequence[str]) -> str:
    """Return a sentence for a diff of one or two lines; else `""`."""
    removed, come = ([line[1:].strip() for line in lines if _DIFF.match(line) and line[0] == sign] for sign in "-+")
    if max(len(removed), len(come)) != 1:
        return ""
    if not removed or not come:
        return f"Added {quoted(come[0])}." if come else f"Removed {quoted(removed[0])}."
    return f"Changed {quoted(removed[0])} to {quoted(come[0])}."


def quoted(line: str) -> str:
    """Return a line in backquotes, shortened for a note."""
    line = " ".join(line.split()).replace("`", "'")
    return f"`{line}`" if len(line) <= LONGEST_QUOTE else f"`{line[: LONGEST_QUOTE - 1]}…`"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# An item of so few words that does not end as a sentence ends only names something.
LONGEST_NAMING = 8
# An answer with at most this many words of its own needs its question.
_FEW_WORDS = 3
_AFTER_ASKING = " \n\"'”»)😀😃😄😁😅😂🙂🙃😉😊🙏🤔👀"
# So many messages, and characters of each, are looked at for the language of a run.
_SHOWS_LANGUAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One sentence with the properties that decide about it.

    Args:
        message: index of its message in the run.
        last: index of the last message with the same statement.
        place: its place in its message, from 0.
        listed: True for headings and short items, which are not sentences.
        tokens: an estimate of its length.
        follows_question: True if the message before it ends in a question.
        answers: True if it has no meaning without that question.
    """

    message: int
    last: int
    place: int
    text: str
    form: LineForm
    listed: bool
    tokens: int
    terms: tuple[Term, ...]
    marks: Marks
    refers_to: str
    follows_question: bool
    answers: bool = False


def candidates(messages: Sequence[Message], zone: tzinfo, spoken: Sequence[str]) -> list[Candidate]:
    """Return all candidates of a run, in order.

    Args:
        spoken: the language of each message; see `languages_of`.
    """
    names = frozenset(name for message in messages for name in _names(message.speaker))
    found: list[Candidate] = []
    before: Message | None = None
    for index, (message, tongue) in enumerate(zip(messages, spoken, strict=True)):
        asked = before is not None and before.text.rstrip(_AFTER_ASKING).endswith("?")
        own = list(_of_message(message, index, zone, names, tongue, follows_question=asked))
        if own and before is not None and asked and _is_answer(own, message, before):
            own[0] = replace(own[0], answers=True)
        found += own
        before = message
    return found


def _is_answer(candidates: Sequence[Candidate], message: Message, before: Message) -> bool:
    """Return True if a person's answer is so short that it needs its question."""
    telling = {term.stem for piece in candidates for term in piece.terms if term.kind not in ("stop", "common")}
    others = (message.speaker, message.role) != (before.speaker, before.role)
    return message.role is Role.USER and others and len(telling) <= _FEW_WORDS and not candidates[0].marks.asks


def languages_of(messages: Sequence[Message]) -> list[str]:
    """Return the language of each message; one that does not show its own has that of its run."""
    spoken = language(" ".join(message.text[:_SHOWS_LANGUAGE] for message in messages[:_SHOWS_LANGUAGE]))
    return [language(message.text, otherwise=spoken) for message in messages]


def _names(speaker: str) -> set[str]:
    """Return a speaker's name, its first word and a short form of it, as people call one another."""
    first = speaker.casefold().split(" ")[0]
    return {name for name in (speaker.casefold(), first, first[:3]) if len(name) > 2}


def _of_message(
    message: Message, index: int, zone: tzinfo, names: frozenset[str], tongue: str, *, follows_question: bool
) -> Iterator[Candidate]:
    for place, (form, raw) in enumerate(_raw(message, tongue)):
        listed = _only_names(form, raw)
        text = raw if form is LineForm.CODE else finished(raw)
        text = text.rstrip(".") if listed else text
        if not text:
            continue
        when = dated(text, at=message.occurred_at, zone=zone, tongue=tongue, around=message.text)
        words = terms(text, tongue, spoken_of=names)
        yield Candidate(
            message=index,
            last=index,
            place=place,
            text=when.text,
            form=form,
            listed=listed,
            tokens=estimate(when.text),
            # "Just yesterday" has no more content with a date.
            terms=terms(when.text, tongue, spoken_of=names) if has_content(words) else words,
            marks=marks(text),
            refers_to=when.refers_to,
            follows_question=follows_question,
        )


def _only_names(form: LineForm, raw: str) -> bool:
    if form is LineForm.HEADING:
        return True
    return form is LineForm.ITEM and raw[-1:] not in ENDS and len(raw.split()) <= LONGEST_NAMING


def _raw(message: Message, tongue: str) -> Iterator[tuple[LineForm, str]]:
    if message.role is Role.TOOL:
        if outcome := tool_outcome(message.text):
            yield LineForm.CODE, outcome
        return
    for block in paragraphs(blocks(message.text)):
        yield from _of_block(block, tongue)


def _of_block(block: Lines, tongue: str) -> Iterator[tuple[LineForm, str]]:
    if block.form is LineForm.CODE:
        yield LineForm.CODE, code_outcome(block.text)
    elif block.form in (LineForm.ROW, LineForm.HEADING):
        yield block.form, block.text
    else:
        for line in block.text.splitlines():
            if outcome := call_outcome(line):
                yield LineForm.CODE, outcome
                continue
            for sentence in sentences(line):
                yield block.form, sentence
