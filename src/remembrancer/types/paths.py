"""Paths as people name them: a shell expands no tilde within an option, a variable or a string of a program."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


def path_of(named: "str | PathLike[str]") -> Path:
    """The path of a file or a folder, with a leading `~` as the home of the user."""
    path = Path(named)
    try:
        return path.expanduser()
    except RuntimeError:
        # There is no such user: it is the name of a file.
        return path
