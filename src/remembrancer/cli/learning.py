"""Commands for what was observed of all that was done: observations, verdicts on them, and what they rest on."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.output import line, moment, print_json, shown, sureness
from remembrancer.cli.target import AS_OF, Target, targeted

if TYPE_CHECKING:
    from remembrancer.resources.learning import Why
    from remembrancer.types.details import Learned
    from remembrancer.types.record import Observation, Record

_person = click.option(
    "--person", default="", metavar="NAME", help="Who says so; each counts once. Else the user, or somebody."
)


@click.command()
@click.option("--all", "all_", is_flag=True, help="Also those that were rejected, dismissed, merged and archived.")
@AS_OF
@targeted
def observations(target: Target, all_: bool, as_of: str | None) -> None:
    """List what was observed of all that was done, in the order in which it was found."""
    then = moment(as_of, end=True)
    found = target.run(lambda memory: memory.learning.list(all=all_, as_of=then))
    if target.json:
        print_json([shapes.whole(observation) for observation in found])
        return
    for observation in found:
        _print_observation(target, observation)


@click.command()
@click.argument("id")
@_person
@targeted
def right(target: Target, id: str, person: str) -> None:
    """Say that an observation is right: it is surer by a level, and may become a rule at once."""
    _print_observation(target, target.run(lambda memory: memory.learning.right(id, person=person)))


@click.command()
@click.argument("id")
@_person
@targeted
def wrong(target: Target, id: str, person: str) -> None:
    """Say that an observation is wrong: it and what rests on it are in no recall and no context from now on."""
    _print_observation(target, target.run(lambda memory: memory.learning.wrong(id, person=person)))


@click.command()
@click.argument("id")
@_person
@targeted
def dismiss(target: Target, id: str, person: str) -> None:
    """Put aside an observation of the last 48 hours: it never becomes a rule."""
    _print_observation(target, target.run(lambda memory: memory.learning.dismiss(id, person=person)))


@click.command()
@click.argument("id")
@targeted
def undo(target: Target, id: str) -> None:
    """Take back that an observation is wrong or dismissed, with all that went with it."""
    undone = target.run(lambda memory: memory.learning.undo(id))
    if undone is not None:
        _print_observation(target, undone)
    elif target.json:
        print_json(None)
    else:
        click.echo(f"{shown(id)} was erased; what it said may be said again")


@click.command()
@click.argument("into", metavar="INTO")
@click.argument("other", metavar="OTHER")
@targeted
def merge(target: Target, into: str, other: str) -> None:
    """Give one observation the evidence of another, which is out of recall then."""
    _print_observation(target, target.run(lambda memory: memory.learning.merge(into, other)))


@click.command()
@click.argument("id")
@targeted
def pause(target: Target, id: str) -> None:
    """Leave an observation or a fact out of every recall and context until it is resumed."""
    _print_put(target, target.run(lambda memory: memory.learning.pause(id)))


@click.command()
@click.argument("id")
@targeted
def resume(target: Target, id: str) -> None:
    """Take an observation or a fact up again that was paused or retired."""
    _print_put(target, target.run(lambda memory: memory.learning.resume(id)))


@click.command()
@click.argument("id")
@targeted
def retire(target: Target, id: str) -> None:
    """Give an observation or a fact up; it is kept, and not observed anew."""
    _print_put(target, target.run(lambda memory: memory.learning.retire(id)))


@click.command()
@click.argument("id")
@targeted
def why(target: Target, id: str) -> None:
    """Show what a memory rests on, down to the words that were said and the things that were done."""
    found = target.run(lambda memory: memory.learning.why(id))
    if target.json:
        print_json(shapes.why(found))
    else:
        _print_why(found, "")


def _print_put(target: Target, found: "Record") -> None:
    if target.json:
        print_json(shapes.whole(found))
    else:
        click.echo(f"{found.status.value}  {line(found)}")


def _print_observation(target: Target, found: "Observation") -> None:
    if target.json:
        print_json(shapes.whole(found))
    elif found.learned is not None:
        _print_learned(found, found.learned)
    else:
        click.echo(f"{found.status.value}  {line(found)}")


def _print_learned(found: "Observation", learned: "Learned") -> None:
    """What the detector observed, in the words that it has for it."""
    click.echo(f"{found.id}  {found.status.value}  {learned.category.value}  {sureness(learned)}")
    click.echo(f"    {shown(found.text)}")
    click.echo(f"    because: {shown(learned.evidence)}")
    if learned.rule:
        click.echo(f"    rule: {shown(learned.rule)}")
    elif found.status.value == "active":
        click.echo('    rule: none follows of it; give one in your words with: remembrancer procedures add "..."')


def _print_why(found: "Why", indent: str) -> None:
    click.echo(f"{indent}{line(found.record)}")
    below = f"{indent}  "
    for said in found.said:
        click.echo(f"{below}{said.verdict.value}, says {shown(said.person)} on {times.minute(said.at)}")
    for source in found.sources:
        _print_why(source, below)
    for id in found.gone:
        click.echo(f"{below}{id}  no more here")
