"""Commands of governance that need more than a call and a print of its result: audit, retention, erasure."""

import json
import shlex
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from remembrancer.cli import times
from remembrancer.cli.commands import OperationCall, behaviour
from remembrancer.cli.governance_text import copies_lines, kept_by_hold, plan_lines, verified_lines
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.paths import TextFile
from remembrancer.cli.reading import confirm
from remembrancer.cli.results import as_json, print_result
from remembrancer.cli.target import CommandRefused, Target, finished, targeted
from remembrancer.errors import NotFound
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.types.audit import AuditRow
    from remembrancer.types.erasure import ErasurePlan

_SUBJECTS = click.Choice(["user", "agent", "project", "tenant", "session", "memories"])
_SUBJECT = click.argument("subject", type=_SUBJECTS, metavar="SUBJECT")
_NAMES = click.argument("names", nargs=-1, required=True, metavar="NAMES...")


@behaviour("governance.audit.list")
def list_audit(call: OperationCall) -> None:
    """Print entries of the audit log; without a match, the names that its latest entries have."""
    rows = call.run()
    print_result(call.target, rows, name=call.operation.name)
    if not rows and not call.target.json:
        _hint(call.target.run(lambda memory: memory.governance.audit.list(limit=1_000)), call.values)


@behaviour("governance.audit.verify")
def verify_audit(call: OperationCall) -> None:
    """Print the state of the audit log; the exit code is 1 if it is not whole."""
    verified = call.run()
    if call.target.json:
        print_json(as_json(verified))
    else:
        checkpoint = call.values.get("against")
        lines = list(verified_lines(verified))
        more = f", and as the checkpoint of {times.minute(checkpoint.at)} has it" if checkpoint else ""
        click.echo("\n".join([*lines[:-1], lines[-1] + (more if verified.sound else "")]))
    if not verified.sound:
        raise SystemExit(1)


@behaviour("governance.audit.checkpoint")
def checkpoint(call: OperationCall) -> None:
    """Print a signed checkpoint as JSON."""
    print_json(as_json(call.run()))


@behaviour("governance.holds.place")
def place(call: OperationCall) -> None:
    """Place a legal hold, with a note if it concerns no memory so far."""
    session, person = call.values.get("session"), call.values.get("person")

    async def work(memory: "Memory") -> tuple[Any, bool]:
        governance = memory.governance
        holds = await call.on(memory)
        is_met = bool((await governance.overview()).usage)
        if is_met and session is not None:
            filter = Filter(sessions=[session], statuses=[one.value for one in Status])
            is_met = bool((await memory.list(filter, limit=1)).records)
        return holds, is_met and (person is None or bool(await governance.erasure.find_mentions(person, limit=1)))

    holds, is_met = call.run(work)
    print_result(call.target, holds, name=call.operation.name)
    if not is_met:
        of = f"what names {shown(person)}" if person else f"session {shown(session)}" if session else "it"
        click.echo(f"note: no memory of {of} is stored in this scope so far; is it spelt as it is stored?", err=True)


@behaviour("governance.retention.find_expired")
def find_expired(call: OperationCall) -> None:
    """Print the memories that the next night deletes, and how many a legal hold keeps."""

    async def work(memory: "Memory") -> tuple[Any, int]:
        found = await call.on(memory)
        # JSON has only the due ones.
        return found, 0 if call.target.json else (await memory.governance.retention.run(dry_run=True)).on_hold

    found, kept = call.run(work)
    if call.target.json or not kept:
        print_result(call.target, found, name=call.operation.name)
        return
    print_result(call.target, found, name=call.operation.name)
    click.echo(kept_by_hold(kept).removeprefix("; "))


@behaviour("governance.retention.run")
def run_retention(call: OperationCall) -> None:
    """Delete what is due, and remove permanently what was deleted long enough ago."""
    done = call.run()
    if call.target.json:
        print_json(as_json(done))
        return
    is_dry = call.values.get("dry_run", False)
    verbs = ("would delete", "purge") if is_dry else ("deleted", "purged")
    click.echo(f"{verbs[0]} {done.expired:,}, {verbs[1]} {done.purged:,}{kept_by_hold(done.on_hold)}")


@click.command(cls=SectionedCommand)
@_SUBJECT
@_NAMES
@targeted
def plan(target: Target, subject: str, names: tuple[str, ...]) -> None:
    """Print what an erasure removes, and what it does not reach; nothing is changed.

    SUBJECT is the kind of NAMES: a user, agent, project or tenant, all of it within the scope; a session of the exact
    scope; or ids of memories.
    """
    arguments = _arguments(subject, names)
    with _hint_at_receipts(subject, names):
        found = target.run(lambda memory: memory.governance.erasure.plan(**arguments))
    print_result(target, found, name="governance.erasure.plan")


@click.command(cls=SectionedCommand)
@_SUBJECT
@_NAMES
@click.option("--reason", required=True, metavar="TEXT", help="The reason, for the audit log.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@targeted
def erase(target: Target, subject: str, names: tuple[str, ...], reason: str, yes: bool) -> None:
    """Erase permanently, search for remains, and print the signed receipt as JSON.

    It cannot be undone. The same command continues an erasure that was interrupted.
    """
    arguments = _arguments(subject, names)
    if not yes:
        with _hint_at_receipts(subject, names):
            planned = target.run(lambda memory: memory.governance.erasure.plan(**arguments))
        for line in plan_lines(planned):
            click.echo(line, err=True)
        confirm("erase it?")
    elif planned := target.run(lambda memory: _planned(memory, arguments)):
        # The copies are known until it is erased, and no longer.
        for line in copies_lines(planned):
            click.echo(line, err=True)
    with _hint_at_receipts(subject, names):
        receipt = target.run(
            lambda memory: memory.governance.erasure.erase(**arguments, reason=reason),
            kept="rows that are erased by now stay erased, and have no receipt yet",
        )
    print_json(as_json(receipt))
    if receipt.found:
        click.echo(
            f"{numbered(receipt.found, 'place')} in the memory of others still name an erased id, or repeat its words,"
            " such as a chat that was imported from an export of it: search for the name, and erase that, too",
            err=True,
        )
    if subject == "user":
        command = "remembrancer governance erasure find-mentions NAME"
        click.echo(f"look for others' memories of {shown(names[0])}, by the name: {command}", err=True)


@click.command(cls=SectionedCommand)
@click.argument("subject", type=_SUBJECTS, required=False, metavar="[SUBJECT]")
@click.argument("names", nargs=-1, metavar="[NAMES]...")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="The most receipts.")
@targeted
def receipts(target: Target, subject: str | None, names: tuple[str, ...], limit: int) -> None:
    """List the receipts of a tenant's erasures, the latest first.

    With SUBJECT and NAMES as in `erase`, only those of its erasures.
    """
    name = None if subject is None else " ".join(_arguments(subject, names).get("memories") or names)
    found = target.run(lambda memory: memory.governance.erasure.receipts(subject=subject, name=name, limit=limit))
    print_result(target, found, name="governance.erasure.receipts")


@click.command(cls=SectionedCommand)
@click.argument("url")
@click.option("--json", "as_json_", is_flag=True, help="Print JSON.")
def compact(url: str, as_json_: bool) -> None:
    """Rewrite a PostgreSQL database, so that no page keeps a byte of what was erased.

    URL is an administrator's, as for init-db. Each table is locked while it is written. A file is rewritten by each
    erasure of it.
    """
    from remembrancer.assembly.administration import rewrite_database

    tables = finished(partial(rewrite_database, url))
    if as_json_:
        print_json({"tables": tables})
    else:
        click.echo(f"{numbered(tables, 'table')} rewritten")


@click.command("verify-receipt", cls=SectionedCommand)
@click.argument("file", type=TextFile())
@click.option("--key", metavar="HEX", help="The public key of the store that is said to have signed it.")
def verify_receipt(file: IO[str], key: str | None) -> None:
    """Verify the signature of a receipt; the exit code is 1 if it is wrong.

    Without --key it is only verified that the key that the receipt names has signed it.
    """
    from remembrancer import check_receipt

    try:
        receipt: dict[str, Any] = json.load(file)
    except ValueError as error:
        raise click.UsageError(
            "the file is not JSON; it must be what `remembrancer governance erasure erase` printed"
        ) from error
    wrong = check_receipt(receipt, key=key)
    if wrong:
        click.echo(wrong)
        raise SystemExit(1)
    rows = sum(receipt["rows"].values())
    click.echo(f"signed by {receipt['key']}, and unchanged")
    click.echo(
        f"{receipt['subject']} {receipt['name'][:16]}…: {numbered(rows, 'row')} erased by {receipt['finished_at']},"
        f" {receipt['looked']:,} rows searched, {receipt['found']:,} places left"
    )


def _hint(latest: "Sequence[AuditRow]", asked: Any) -> None:
    if not latest:
        click.echo("the log has no entry of this scope: is it spelt as it is stored?", err=True)
        return
    kinds = (
        ("action", "actions", {row.action for row in latest}),
        ("kind", "kinds", {row.kind for row in latest}),
        ("origin", "origins", {row.origin for row in latest}),
        ("actor", "names", {row.actor for row in latest if row.actor}),
    )
    there = [
        f"the {what} {', '.join(sorted(map(shown, names))) or '(none)'}"
        for name, what, names in kinds
        if asked.get(name)
    ]
    if there:
        click.echo(f"the latest entries have {'; '.join(there)}", err=True)
    if asked.get("memory"):
        click.echo("an id must be whole, as `list` and `governance erasure find-mentions` print it", err=True)


@contextmanager
def _hint_at_receipts(subject: str, names: tuple[str, ...]) -> Generator[None]:
    """Run a block that may find nothing of a subject, since it is erased already."""
    try:
        yield
    except CommandRefused as refusal:
        if not isinstance(refusal.__cause__, NotFound):
            raise
        named = shown(" ".join(map(shlex.quote, names)))
        hint = f"earlier erasures are listed by `remembrancer governance erasure receipts {subject} {named}`"
        raise CommandRefused(f"{refusal.message}; {hint}", refusal.exit_code) from None


def _arguments(subject: str, names: tuple[str, ...]) -> dict[str, Any]:
    if subject == "memories":
        return {"memories": list(names)}
    if len(names) != 1:
        raise click.UsageError(f"name one {subject}; {len(names)} are named")
    return {subject: names[0]}


async def _planned(memory: "Memory", arguments: dict[str, Any]) -> "ErasurePlan | None":
    # An interrupted erasure goes on, also where nothing is left to plan.
    with suppress(NotFound):
        return await memory.governance.erasure.plan(**arguments)
    return None
