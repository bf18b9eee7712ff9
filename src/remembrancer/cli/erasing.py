"""`erasures`, `receipt` and `holds`: taking somebody's memory out for good, proving it, and what forbids it."""

import json
import shlex
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from remembrancer.cli import times
from remembrancer.cli.output import hold_line, numbered, on_terminal, print_json, scope_line, shown
from remembrancer.cli.paths import TextFile
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import CommandRefused, Target, finished, targeted
from remembrancer.errors import NotFound
from remembrancer.resources.json_values import dump
from remembrancer.types.lifecycle import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remembrancer.memory import Memory
    from remembrancer.types.erasure import ErasurePlan
    from remembrancer.types.policy import LegalHold

_SUBJECTS = click.Choice(["user", "agent", "project", "tenant", "session", "memories"])
_IDS_SHOWN = 10
_TEXT_SHOWN = 160


@click.group(cls=Commands, no_args_is_help=True)
def erasures() -> None:
    """Take all that is of somebody out of the store for good, and prove it."""


@erasures.command()
@click.argument("subject", type=_SUBJECTS)
@click.argument("names", nargs=-1, required=True)
@targeted
def plan(target: Target, subject: str, names: tuple[str, ...]) -> None:
    """Tell what an erasure would take, and what it does not reach; nothing is done.

    SUBJECT says what NAMES are: a user, agent, project or tenant, all of it within the scope; a session of the exact
    scope; or ids of memories.
    """
    given = _named(subject, names)
    with _or_erased(subject, names):
        found = target.run(lambda memory: memory.erasures.plan(**given))
    if target.json:
        print_json(dump(found))
    else:
        _print_plan(found)


@erasures.command()
@click.argument("subject", type=_SUBJECTS)
@click.argument("names", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; it stands in the audit log.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@targeted
def erase(target: Target, subject: str, names: tuple[str, ...], reason: str, yes: bool) -> None:
    """Erase, look for what is left, and print the signed receipt as JSON.

    It cannot be undone. What was broken off goes on with the same command.
    """
    given = _named(subject, names)
    if not yes:
        with _or_erased(subject, names):
            _print_plan(target.run(lambda memory: memory.erasures.plan(**given)), err=True)
        if not on_terminal():
            raise click.UsageError("nobody can be asked here; say --yes")
        click.confirm("erase it?", abort=True, err=True)
    elif found := target.run(lambda memory: _planned(memory, given)):
        # Who has copies is known until it is erased, and no longer.
        _print_handed_out(found)
    with _or_erased(subject, names):
        done = target.run(
            lambda memory: memory.erasures.erase(**given, reason=reason),
            kept="what is erased by now stays erased, and has no receipt yet",
        )
    print_json(dump(done))
    if done.found:
        click.echo(
            f"{numbered(done.found, 'place')} of what is others' still named an id of what was erased, or told its"
            " words, such as a chat that was imported from an export of it: look for the name, and erase that, too",
            err=True,
        )
    if subject == "user":
        named = shown(names[0])
        click.echo(f"look for others' memories of {named}, by the name: remembrancer erasures named NAME", err=True)


@erasures.command()
@click.argument("person")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many.")
@targeted
def named(target: Target, person: str, limit: int) -> None:
    """List the memories of a scope, and of those under it, that name a person: to be looked at before erasing."""
    found = target.run(lambda memory: memory.erasures.named(person, limit=limit))
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        rests = f"  {one.drawn:,} {'rests' if one.drawn == 1 else 'rest'} on it" if one.drawn else ""
        click.echo(f"{one.id}  {one.kind} of {scope_line(one.scope)}, in its {' and '.join(one.where)}{rests}")
        click.echo(f"    {shown(one.text[:_TEXT_SHOWN])}")
    click.echo(f"{len(found):,} {'memory' if len(found) == 1 else 'memories'}")


@erasures.command()
@click.argument("subject", type=_SUBJECTS, required=False)
@click.argument("names", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many.")
@targeted
def receipts(target: Target, subject: str | None, names: tuple[str, ...], limit: int) -> None:
    """List the receipts of a tenant's erasures, the latest first.

    With SUBJECT and NAMES, as they were given when it was erased, only those of its erasures.
    """
    name = None if subject is None else " ".join(_named(subject, names).get("memories") or names)
    found = target.run(lambda memory: memory.erasures.receipts(subject=subject, name=name, limit=limit))
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        rows = sum(one.rows.values())
        left = f"{one.found} left" if one.found else "nothing left"
        click.echo(f"{times.minute(one.finished_at)}  {one.id}  {one.subject}, {numbered(rows, 'row')}, {left}")
    click.echo(numbered(len(found), "receipt"))


@erasures.command()
@click.argument("url")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def compact(url: str, as_json: bool) -> None:
    """Write a PostgreSQL database anew, so that no page keeps a byte of what was erased.

    URL is an administrator's, as for init-db. Each table is locked while it is written. A file is written anew by each
    erasure of it.
    """
    from remembrancer.open import rewrite_database

    tables = finished(partial(rewrite_database, url))
    if as_json:
        print_json({"tables": tables})
    else:
        click.echo(f"{numbered(tables, 'table')} written anew")


@click.group(cls=Commands, no_args_is_help=True)
def receipt() -> None:
    """The receipts of erasures, which take no store."""


@receipt.command()
@click.argument("file", type=TextFile())
@click.option("--key", metavar="HEX", help="The public key of the store that it is said to be of.")
def verify(file: IO[str], key: str | None) -> None:
    """Tell whether a receipt is as it was signed. The exit code is 1 where it is not.

    Without --key it is only told that whoever holds the key that the receipt names has signed it.
    """
    from remembrancer import check_receipt

    try:
        told: dict[str, Any] = json.load(file)
    except ValueError as error:
        raise click.UsageError("this is no JSON; give what `remembrancer erasures erase` printed") from error
    wrong = check_receipt(told, key=key)
    if wrong:
        click.echo(wrong)
        raise SystemExit(1)
    rows = sum(told["rows"].values())
    click.echo(f"signed by {told['key']}, and unchanged")
    click.echo(
        f"{told['subject']} {told['name'][:16]}…: {numbered(rows, 'row')} erased by {told['finished_at']},"
        f" {told['looked']:,} rows looked through, {told['found']:,} places left"
    )


@click.group(cls=Commands, no_args_is_help=True)
def holds() -> None:
    """Legal holds: what nothing deletes, whoever asks."""


@holds.command("list")
@targeted
def list_(target: Target) -> None:
    """List the legal holds that are on a scope, and on those under it."""
    _print_holds(target, target.run(lambda memory: memory.governance.holds()))


@holds.command("set")
@click.argument("name")
@click.option("--reason", required=True, help="Why; whoever meets the hold is told.")
@click.option("--session", help="What is of this session alone.")
@click.option("--person", help="What names this person alone.")
@targeted
def set_(target: Target, name: str, reason: str, session: str | None, person: str | None) -> None:
    """Have nothing deleted of a scope and of those under it, until the hold is lifted."""

    async def work(memory: "Memory") -> "tuple[Sequence[LegalHold], bool]":
        found = await memory.governance.hold(name, reason=reason, session=session, person=person)
        kept = bool((await memory.governance.overview()).usage)
        if kept and session is not None:
            there = await memory.list(sessions=[session], statuses=[one.value for one in Status], limit=1)
            kept = bool(there.records)
        return found, kept and (person is None or bool(await memory.erasures.named(person, limit=1)))

    found, is_met = target.run(work, create=True)
    _print_holds(target, found)
    if not is_met:
        of = f"what names {shown(person)}" if person else f"session {shown(session)}" if session else "it"
        click.echo(f"note: nothing of {of} is kept in this scope so far; is it spelt as it is kept?", err=True)


@holds.command()
@click.argument("name")
@click.option("--reason", required=True, help="Why; it stands in the audit log.")
@targeted
def lift(target: Target, name: str, reason: str) -> None:
    """End a legal hold."""
    _print_holds(target, target.run(lambda memory: memory.governance.lift(name, reason=reason)))


@contextmanager
def _or_erased(subject: str, names: tuple[str, ...]) -> Generator[None]:
    """A block that finds nothing of a subject: it may be erased already."""
    try:
        yield
    except CommandRefused as refused:
        if not isinstance(refused.__cause__, NotFound):
            raise
        named = shown(" ".join(map(shlex.quote, names)))
        hint = f"what was erased already is told by `remembrancer erasures receipts {subject} {named}`"
        raise CommandRefused(f"{refused.message}; {hint}", refused.exit_code) from None


def _named(subject: str, names: tuple[str, ...]) -> dict[str, Any]:
    if subject == "memories":
        return {"memories": list(names)}
    if len(names) != 1:
        raise click.UsageError(f"name one {subject}; {len(names)} are named")
    return {subject: names[0]}


def _print_plan(found: "ErasurePlan", *, err: bool = False) -> None:
    if found.begun_at is not None:
        began = times.minute(found.begun_at)
        click.echo(f"an erasure of it was begun at {began} and has no receipt yet: `erase` goes on with it", err=err)
    kinds = ", ".join(numbered(count, kind) for kind, count in found.kinds.items()) or "no memories"
    click.echo(f"{found.subject} {shown(found.name)}: {kinds}", err=err)
    click.echo(f"of {', '.join(map(scope_line, found.scopes)) or 'nothing'}", err=err)
    if found.drawn:
        more = " …" if len(found.drawn) > _IDS_SHOWN else ""
        click.echo(f"with what was drawn from it: {' '.join(found.drawn[:_IDS_SHOWN])}{more}", err=err)
    if set(found.rows) - {"records"}:
        rows = ", ".join(f"{count:,} {name}" for name, count in found.rows.items())
        click.echo(f"in rows of tables: {rows}", err=err)
    if found.elsewhere:
        more = " …" if len(found.elsewhere) > _IDS_SHOWN else ""
        click.echo(f"and what rests on it elsewhere: {' '.join(found.elsewhere[:_IDS_SHOWN])}{more}", err=err)
    for hold in found.holds:
        click.echo(f"the legal hold {hold!r} forbids it", err=err)
    _print_handed_out(found, err=err)
    click.echo("not reached:", err=err)
    for line in found.beyond:
        click.echo(f"  - {line}", err=err)


async def _planned(memory: "Memory", given: dict[str, Any]) -> "ErasurePlan | None":
    # What was broken off goes on, also where nothing is left to plan.
    with suppress(NotFound):
        return await memory.erasures.plan(**given)
    return None


def _print_handed_out(found: "ErasurePlan", *, err: bool = True) -> None:
    for one in found.handed_out:
        who = f" by {shown(one.actor)}" if one.actor else ""
        click.echo(
            f"handed out: {one.what} of {scope_line(one.scope)}, {times.minute(one.at)}{who} through {one.door}",
            err=err,
        )


def _print_holds(target: Target, found: "Sequence[LegalHold]") -> None:
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        click.echo(hold_line(one))
    click.echo(numbered(len(found), "hold"))
