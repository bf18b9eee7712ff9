"""Code, tool calls and what tools answered, each in one sentence."""

import re
from collections.abc import Sequence
from typing import Final

from remembrancer.language.marks import CUES

LONGEST_QUOTE: Final = 160
_CALL: Final = re.compile(r"^\[calls (?P<name>[^\s(\]]{1,80})\((?P<arguments>.*)\)\]$")
_DIFF: Final = re.compile(r"[+-](?![+-])\s*\S")
_TELLING: Final = re.compile(
    r"^\s*(?:async\s+def|def|class|function|interface|type|CREATE|SELECT|import|public|func|fn)\b"
)


def call_outcome(line: str) -> str:
    """What a line that stands for a tool call says, or `""` for any other line."""
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
    """What a tool answered: its error if there is one, else its first line."""
    lines = _lines(text)
    if not lines:
        return ""
    failed = next((line for line in reversed(lines) if CUES["error"].search(line)), "")
    more = f" ({len(lines)} lines)" if len(lines) > 1 else ""
    if failed:
        return f"Failed: {quoted(failed)}{more}."
    return f"Answered {quoted(lines[0])}{more}."


def code_outcome(text: str) -> str:
    """What a block of code is: its language, its size, its error or where it begins."""
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
    """What a diff changes, where that is one line or two; else `""`."""
    gone, come = ([line[1:].strip() for line in lines if _DIFF.match(line) and line[0] == sign] for sign in "-+")
    if max(len(gone), len(come)) != 1:
        return ""
    if not gone or not come:
        return f"Added {quoted(come[0])}." if come else f"Removed {quoted(gone[0])}."
    return f"Changed {quoted(gone[0])} to {quoted(come[0])}."


def quoted(line: str) -> str:
    """A line in backquotes, shortened to what a note can hold."""
    line = " ".join(line.split()).replace("`", "'")
    return f"`{line}`" if len(line) <= LONGEST_QUOTE else f"`{line[: LONGEST_QUOTE - 1]}…`"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
