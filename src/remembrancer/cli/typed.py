"""What comes through standard input."""

import sys
from typing import BinaryIO

from remembrancer.cli.target import CommandRefused

STANDARD_INPUT = "-"
_MISUSED = 2


def text_given(argument: str) -> str:
    """An argument, or all of standard input where it is `-`: as it stands, but for the end of its last line.

    Raises:
        CommandRefused: standard input is closed, holds no text, or nothing at all.
    """
    if argument != STANDARD_INPUT:
        return argument
    text = bytes_typed().read()
    try:
        read = text.decode(sys.stdin.encoding)
    except UnicodeDecodeError:
        raise CommandRefused(f"standard input holds no text in {sys.stdin.encoding}", _MISUSED) from None
    if not read.strip():
        raise CommandRefused("standard input is empty", _MISUSED)
    return read.replace("\r\n", "\n").removesuffix("\n")


def all_typed() -> str:
    """All of standard input as text, what is none of its encoding replaced; `""` where it is closed or empty.

    Raises:
        CommandRefused: it is a terminal, where nobody would know that something is waited for.
    """
    # None where the process was started without one.
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- it says otherwise
        return ""
    if sys.stdin.isatty():
        raise CommandRefused("give the text as an argument, or on standard input", _MISUSED)
    return sys.stdin.buffer.read().decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n")


def bytes_typed() -> BinaryIO:
    """Standard input.

    Raises:
        CommandRefused: it is closed.
    """
    # None where the process was started without one.
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- it says otherwise
        raise CommandRefused("standard input is closed", _MISUSED)
    return sys.stdin.buffer
