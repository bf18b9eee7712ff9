"""How far a long command has come."""

import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from remembrancer.memory import Memory

SECONDS_BETWEEN_REPORTS = 5.0


async def embed_with_bar(memory: "Memory") -> int:
    """Make the missing vectors, with a bar on a terminal and a line now and then elsewhere."""
    missing = await memory.upkeep.unembedded()
    if not missing:
        return 0
    reporter = Reporter(f"vectors made, of {missing}:", 1)
    made = await memory.upkeep.embed(progress=reporter.add)
    reporter.end()
    return made


class Reporter:
    """A line of progress on standard error, kept up to date on a terminal, repeated now and then elsewhere."""

    def __init__(self, verb: str, files: int) -> None:
        self._verb = verb
        self._files = files
        self._done = 0
        self._file = 1
        self._last = time.monotonic()
        self._live = sys.stderr.isatty()

    def add(self, count: int) -> None:
        """Some more are done."""
        self._done += count
        if self._live or time.monotonic() - self._last > SECONDS_BETWEEN_REPORTS:
            self._last = time.monotonic()
            of = f", file {self._file} of {self._files}" if self._files > 1 else ""
            start = "\r" if self._live else ""
            click.echo(f"{start}{self._verb} {self._done}{of}", err=True, nl=not self._live)

    def next_file(self) -> None:
        """Another file begins."""
        self._file += 1

    def end(self) -> None:
        """No more comes."""
        if self._live and self._done:
            click.echo("", err=True)
