"""`nightly`: the nightly run of one scope, now."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.errors import STEP_FAILED
from remembrancer.cli.output import print_json, scope_line, shown
from remembrancer.cli.progress import Reporter
from remembrancer.cli.target import CommandRefused, Target, targeted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from remembrancer.memory import Memory
    from remembrancer.types.night import Night, Step
    from remembrancer.types.scope import Scope


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@targeted
def nightly(target: Target, dry_run: bool) -> None:
    """Do the nightly run of this scope for the last day that is due: compact, learn, promote, decay.

    What was done of it is not done again; a run that was interrupted goes on at its step. What happened since 02:14
    of today is counted tomorrow. `work` does it for all scopes. The exit code is 11 where a step failed.
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
    async def work(memory: "Memory") -> "tuple[Scope, Night | None, Night]":
        before, progress = await memory.learning.nights(), _Progress()
        night = await memory.learning.nightly(told=progress.tell)
        progress.end()
        return memory.scope, before, night

    scope, before, night = target.run(work)
    is_new = before is None or before.day != night.day or before.ended_at is None
    if target.json:
        print_json({**shapes.night(night, scope), "is_new": is_new})
    else:
        _print_night(night, scope, is_new=is_new)
    if night.failures:
        raise CommandRefused(f"{_steps_failed(night)}; {_next_try(night)}", STEP_FAILED)


def _print_night(night: "Night", scope: "Scope", *, is_new: bool) -> None:
    from remembrancer.types.night import FAILED

    state = "is done" if is_new else "was done already"
    click.echo(f"the nightly run for {night.day} {f'is not done: {_steps_failed(night)}' if night.failures else state}")
    _print_counted(night.counts, [note for note in night.notes if not note.startswith(FAILED)])
    for failure in night.failures:
        click.echo(f"failed   {failure}  {scope_line(scope)}")


def _steps_failed(night: "Night") -> str:
    count = len(night.failures)
    return f"{count} steps failed" if count > 1 else "a step failed"


def _next_try(night: "Night") -> str:
    """When what failed of a night is tried again, as the background does it."""
    from remembrancer.types.night import MOST_TRIES

    if night.next_try_at is None:
        return "the next night does what is left"
    when = times.second(night.next_try_at)
    return f"try {night.tries} of {MOST_TRIES}, the next one at {when} in the background, or now with the same command"


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
