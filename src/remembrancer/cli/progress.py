"""The progress of a long command."""

import sys
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from remembrancer.memory import Memory

SECONDS_BETWEEN_REPORTS = 5.0


async def embed_missing(memory: "Memory") -> int:
    """Create the missing vectors, with a line of progress; return their number."""
    missing = await memory.admin.index.missing() if memory.admin.index.has_embedder else 0
    if not missing:
        return 0
    reporter = Reporter(f"vectors made, of {missing}:")
    count = await memory.admin.index.embed(progress=reporter.add)
    reporter.end()
    return count


class Reporter:
    """A line of progress on standard error, updated on a terminal and repeated now and then elsewhere."""

    def __init__(self, verb: str, files: int = 1) -> None:
        self._verb = verb
        self._files = files
        self._done = 0
        self._file = 1
        self._last = time.monotonic()
        self._live = sys.stderr.isatty()

    def add(self, count: int) -> None:
        """Count finished items."""
        self._done += count
        if self._live or time.monotonic() - self._last > SECONDS_BETWEEN_REPORTS:
            self._last = time.monotonic()
            of = f", file {self._file} of {self._files}" if self._files > 1 else ""
            start = "\r" if self._live else ""
            click.echo(f"{start}{self._verb} {self._done}{of}", err=True, nl=not self._live)

    def next_file(self) -> None:
        """Begin another file."""
        self._file += 1

    def end(self) -> None:
        """End the line."""
        if self._live and self._done:
            click.echo("", err=True)


class StageReporter:
    """A line of progress for each stage of a piece of work."""

    def __init__(self) -> None:
        self._stage = ""
        self._reporter: Reporter | None = None

    def add(self, stage: str, label: str, count: int) -> None:
        """Count finished items of a stage; the first of a stage begins a line with its label."""
        if self._reporter is None or stage != self._stage:
            self.end()
            self._stage, self._reporter = stage, Reporter(label)
        if count:
            self._reporter.add(count)

    def end(self) -> None:
        """End the line of the last stage."""
        if self._reporter is not None:
            self._reporter.end()


def missing_vectors(count: int) -> str:
    """Return a line on texts without vectors, which are found by their words alone."""
    wordings = "1 wording has" if count == 1 else f"{count:,} wordings have"
    return f"{wordings} no vectors yet; `remembrancer admin index embed` makes them"
