"""Commands that say how much a memory counts: rate, boost, pin, unpin, outcome."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.output import print_json, shown
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.types.standing import Standing
    from remembrancer.types.verdict import Move


@click.command()
@click.argument("id")
@click.argument("share", type=float)
@targeted
def rate(target: Target, id: str, share: float) -> None:
    """Rate a memory, from 0 to 1."""
    _print_standing(target, target.run(lambda memory: memory.learning.rate(id, share)))


@click.command()
@click.argument("id")
@click.argument("share", type=float)
@targeted
def boost(target: Target, id: str, share: float) -> None:
    """Lift a memory's standing by hand, from 0 to 1."""
    _print_standing(target, target.run(lambda memory: memory.learning.boost(id, share)))


@click.command()
@click.argument("id")
@targeted
def pin(target: Target, id: str) -> None:
    """Keep a memory's importance as it is, and keep it from being archived."""
    _print_standing(target, target.run(lambda memory: memory.learning.pin(id)))


@click.command()
@click.argument("id")
@targeted
def unpin(target: Target, id: str) -> None:
    """Let a memory's importance decay again."""
    _print_standing(target, target.run(lambda memory: memory.learning.unpin(id)))


@click.command()
@click.argument("session")
@click.argument("outcome", metavar="OUTCOME")
@targeted
def outcome(target: Target, session: str, outcome: str) -> None:
    """Say how the work of a session was taken: accepted, rejected or rework.

    It moves the weight of what was put before the agent in it; said again of the same session, it changes nothing.
    """
    found = target.run(lambda memory: memory.learning.outcome(session, outcome))
    if target.json:
        print_json([shapes.move(move) for move in found])
    elif not found:
        click.echo(f"nothing is known to have been put before an agent in session {shown(session)}")
    for move in () if target.json else found:
        click.echo(f"{move.record}  {_moved(move)}")


@click.command()
@click.argument("id")
@targeted
def weights(target: Target, id: str) -> None:
    """List how outcomes of sessions have moved a memory's weight."""
    found = target.run(lambda memory: memory.learning.weights(id))
    if target.json:
        print_json([shapes.move(move) for move in found])
        return
    for move in found:
        click.echo(f"{times.minute(move.at)}  {shown(move.session)}  {_moved(move)}")


@click.command()
@click.argument("id")
@targeted
def standing(target: Target, id: str) -> None:
    """Show how a memory stands: importance, rating, boost, and what the last night made of them."""
    _print_standing(target, target.run(lambda memory: memory.learning.standing(id)))


def _moved(move: "Move") -> str:
    return f"{move.outcome.value}  weight {move.before:.3f} to {move.after:.3f}"


def _print_standing(target: Target, found: "Standing") -> None:
    if target.json:
        print_json(shapes.standing(found))
        return
    rated = "" if found.rating is None else f", rated {found.rating:g}"
    boosted = f", boosted {found.boost:g}" if found.boost else ""
    worked_out = "" if found.standing is None else f", standing {found.standing:.3f} last night"
    pinned = ", pinned" if found.pinned else ""
    weighed = f", weight {found.weight:.3f}" if found.moves else ""
    click.echo(f"{found.id}  importance {found.importance:.3f}{rated}{boosted}{pinned}{weighed}{worked_out}")
    for move in found.moves:
        click.echo(f"  {times.minute(move.at)}  {shown(move.session)}  {_moved(move)}")
