"""The command that copies a store into another."""

from functools import partial
from typing import TYPE_CHECKING

import click

from remembrancer.cli.output import print_json
from remembrancer.cli.progress import Reporter
from remembrancer.cli.target import finished
from remembrancer.types.paths import path_of

if TYPE_CHECKING:
    from remembrancer.storage.copying import ComparedTable, CopyStage


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON at the end.")
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy everything from one database into another, and compare both.

    FROM and TO are each a file or postgresql://USER:PASSWORD@HOST:PORT/DATABASE. TO is empty, or what an interrupted
    copy has left: run again, it goes on. Both have the same key: a new file keeps it in TO.key; for a PostgreSQL
    database that was copied from a file, REMEMBRANCER_SECRET_KEY is what FROM.key holds.
    """
    from remembrancer.open import copy_store

    progress = Progress()
    try:
        tables = finished(partial(copy_store, source, target, told=progress.add), kept="what was copied is kept")
    finally:
        progress.end()
    if as_json:
        print_json({"tables": [table_json(table) for table in tables]})
    else:
        _print(tables)
        if "://" in target and "://" not in source and path_of(f"{source}.key").exists():
            click.echo(f"to open the copy, set REMEMBRANCER_SECRET_KEY to what {source}.key holds")


class Progress:
    """A line of progress for each stage."""

    def __init__(self) -> None:
        self._stage = ""
        self._reporter: Reporter | None = None

    def add(self, stage: "CopyStage", rows: int, of: int) -> None:
        """Some more rows."""
        if self._reporter is None or stage != self._stage:
            self.end()
            self._stage = stage
            self._reporter = Reporter(f"rows {stage}, of {of}:", 1)
        if rows:
            self._reporter.add(rows)

    def end(self) -> None:
        """No more comes."""
        if self._reporter is not None:
            self._reporter.end()


def _print(tables: "list[ComparedTable]") -> None:
    for table in tables:
        click.echo(f"{table.table:<12}{table.rows:>10} rows  SHA-256 {table.sha256}")
    click.echo(f"{sum(table.copied for table in tables)} rows copied; both sides are the same")


def table_json(table: "ComparedTable") -> dict[str, object]:
    """A table as JSON tells of it."""
    return {"table": table.table, "rows": table.rows, "copied": table.copied, "sha256": table.sha256}
