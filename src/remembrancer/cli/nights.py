"""`nightly`: the nightly run of one scope, now."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import print_json, shown
from remembrancer.cli.progress import Reporter
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from remembrancer.memory import Memory
    from remembrancer.model.night import Night, Step
    from remembrancer.model.scope import Scope


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@targeted
def nightly(target: Target, dry_run: bool) -> None:
    """Do the nightly run of this scope for the last day that is due: compact, learn, promote, decay.

    What was done of it is not done again; a run that was interrupted goes on at its step. What happened since 02:14
    of today is counted tomorrow. `work` does it for all scopes.
    """
    if dry_run:
        _preview(target)
    else:
        _run(target)


def _preview(target: Target) -> None:
    found = target.run(lambda memory: memory.learning.preview())
    if target.json:
        print_json(shapes.preview(found))
    elif not found.left:
        click.echo(f"the nightly run for {found.day} was done already")
    else:
        click.echo(f"the nightly run for {found.day} would do this, and nothing of it is done")
        _print_counted(found.counts, found.notes)


def _run(target: Target) -> None:
    async def work(memory: "Memory") -> "tuple[Night | None, Night]":
        before, progress = await memory.learning.nights(), _Progress()
        night = await memory.learning.nightly(told=progress.tell)
        progress.end()
        return before, night

    before, night = target.run(work)
    is_new = before is None or before.day != night.day or before.ended_at is None
    if target.json:
        print_json({**shapes.night(night), "is_new": is_new})
        return
    click.echo(f"the nightly run for {night.day} {'is done' if is_new else 'was done already'}")
    _print_counted(night.counts, night.notes)


class _Progress:
    """How far each step of a night has come, on standard error."""

    def __init__(self) -> None:
        self._step: Step | None = None
        self._reporter: Reporter | None = None

    def tell(self, _scope: "Scope", step: "Step", done: int) -> None:
        """So much more of a step is done."""
        if step is not self._step:
            self.end()
            self._step, self._reporter = step, Reporter(f"{step.value}:", 1)
        if self._reporter is not None:
            self._reporter.add(done)

    def end(self) -> None:
        """No more comes of the step."""
        if self._reporter is not None:
            self._reporter.end()


def _print_counted(counts: "Mapping[str, int]", notes: "Sequence[str]") -> None:
    for name, count in counts.items():
        click.echo(f"  {count:>7,}  {name}")
    if not counts:
        click.echo("  nothing was due")
    for note in notes:
        click.echo(f"note: {shown(note)}")
