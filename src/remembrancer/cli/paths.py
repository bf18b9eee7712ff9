"""The types of arguments that name files: a leading `~` is the home of the user, in every position."""

from pathlib import Path
from typing import Any

import click

from remembrancer.types.arguments import path_of


class FilePath(click.Path):
    """The path of a file.

    Args:
        exists: whether it must exist.
    """

    def __init__(self, *, exists: bool = False) -> None:
        super().__init__(dir_okay=False, exists=exists, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the expanded path as click does."""
        return super().convert(str(path_of(value)), param, ctx)


class FolderPath(click.Path):
    """The path of a folder, which need not exist."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the expanded path as click does."""
        return super().convert(str(path_of(value)), param, ctx)


class TextFile(click.File):
    """A file of text in UTF-8, or `-` for standard input or output."""

    def __init__(self, mode: str = "r", **attributes: Any) -> None:
        super().__init__(mode, encoding="utf-8", **attributes)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the expanded path as click does."""
        return super().convert(str(path_of(value)) if isinstance(value, str) else value, param, ctx)
