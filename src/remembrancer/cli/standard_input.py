"""Text on standard input."""

import sys
from typing import BinaryIO

from remembrancer.cli.target import USAGE_ERROR, CommandRefused

STANDARD_INPUT = "-"


def text_or_input(argument: str) -> str:
    """Return an argument, or all of standard input if it is `-`, without the end of its last line.

    Raises:
        CommandRefused: standard input is closed, empty, or not text.
    """
    if argument != STANDARD_INPUT:
        return argument
    content = binary_input().read()
    try:
        text = content.decode(sys.stdin.encoding)
    except UnicodeDecodeError:
        raise CommandRefused(f"standard input is not text in {sys.stdin.encoding}", USAGE_ERROR) from None
    if not text.strip():
        raise CommandRefused("standard input is empty", USAGE_ERROR)
    return text.replace("\r\n", "\n").removesuffix("\n")


def whole_input() -> str:
    """Return all of standard input as text, with undecodable bytes replaced; `""` if it is closed or empty.

    Raises:
        CommandRefused: it is a terminal, where nothing would show that the command waits.
    """
    # None where the process was started without one.
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- declared otherwise
        return ""
    if sys.stdin.isatty():
        raise CommandRefused("pass the text as an argument, or on standard input", USAGE_ERROR)
    return sys.stdin.buffer.read().decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n")


def binary_input() -> BinaryIO:
    """Return standard input.

    Raises:
        CommandRefused: it is closed.
    """
    # None where the process was started without one.
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- declared otherwise
        raise CommandRefused("standard input is closed", USAGE_ERROR)
    return sys.stdin.buffer
