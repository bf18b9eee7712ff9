"""Commands for the rules that an agent reads word for word: procedures list, add, edit, pause, resume, retire."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes
from remembrancer.cli.describing import AT, CLASSIFICATION, KEY, METADATA, mapping_given
from remembrancer.cli.output import line, moment, print_json, shown
from remembrancer.cli.target import AS_OF, Target, targeted

if TYPE_CHECKING:
    from remembrancer.types.record import Procedure


@click.group()
def procedures() -> None:
    """The rules that an agent reads word for word: list, give, change and retire them."""


@procedures.command("list")
@click.option("--all", "all_", is_flag=True, help="Also those that are paused, demoted and retired.")
@AS_OF
@targeted
def list_(target: Target, all_: bool, as_of: str | None) -> None:
    """List the active rules, oldest first."""
    then = moment(as_of, end=True)
    found = target.run(lambda memory: memory.procedures.list(all=all_, as_of=then))
    if target.json:
        print_json([shapes.whole(procedure) for procedure in found])
        return
    for procedure in found:
        click.echo(_line(procedure))


@procedures.command()
@click.argument("rule")
@click.option("--author", default="", metavar="NAME", help="Who gives it.")
@CLASSIFICATION
@AT
@METADATA
@KEY
@targeted
def add(
    target: Target,
    rule: str,
    author: str,
    classification: str | None,
    at: str | None,
    metadata: str | None,
    key: str | None,
) -> None:
    """Give a rule, of at most 40 words."""
    when, told = moment(at), mapping_given(metadata)
    added = target.run(
        lambda memory: memory.procedures.add(
            rule, author=author, classification=classification, occurred_at=when, metadata=told, key=key
        ),
        create=True,
    )
    _print_procedure(target, added)


@procedures.command()
@click.argument("id")
@click.argument("rule")
@click.option("--revision", type=int, help="Only if it is still at this revision.")
@targeted
def edit(target: Target, id: str, rule: str, revision: int | None) -> None:
    """Say a rule in other words; the earlier ones are kept."""
    _print_procedure(target, target.run(lambda memory: memory.procedures.edit(id, rule, revision=revision)))


@procedures.command()
@click.argument("id")
@targeted
def pause(target: Target, id: str) -> None:
    """Leave a rule out until it is resumed."""
    _print_procedure(target, target.run(lambda memory: memory.procedures.pause(id)))


@procedures.command()
@click.argument("id")
@targeted
def resume(target: Target, id: str) -> None:
    """Take a rule up again that was paused, demoted or retired."""
    _print_procedure(target, target.run(lambda memory: memory.procedures.resume(id)))


@procedures.command()
@click.argument("id")
@targeted
def retire(target: Target, id: str) -> None:
    """Give a rule up; it is kept."""
    _print_procedure(target, target.run(lambda memory: memory.procedures.retire(id)))


@procedures.command()
@targeted
def refused(target: Target) -> None:
    """List the observations that would be rules, were there room, and what is in the way."""
    found = target.run(lambda memory: memory.procedures.refused())
    if target.json:
        print_json([shapes.refused(one) for one in found])
        return
    if not found:
        click.echo("none was refused")
    for one in found:
        click.echo(f"{one.observation}: {shown(one.reason)}")


def _print_procedure(target: Target, found: "Procedure") -> None:
    print_json(shapes.whole(found)) if target.json else click.echo(_line(found))


def _line(procedure: "Procedure") -> str:
    return f"{procedure.status.value}  {line(procedure)}"
