"""Commands that change what is remembered: save, record, edit, delete, restore."""

from typing import TYPE_CHECKING, Any

import click

from remembrancer.cli.describing import KEY, TRUST, VALID_UNTIL, Described, described, objects_given
from remembrancer.cli.output import moment, on_terminal, print_json, print_record, print_saved
from remembrancer.cli.reading import filtered
from remembrancer.cli.target import Target, targeted
from remembrancer.cli.typed import text_given

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.privacy.bulk_deletion import Deletion
    from remembrancer.types.record import Message, Observation, Record
    from remembrancer.types.saved import Saved


@click.command()
@click.argument("text")
@click.option(
    "--type", "type_", metavar="TYPE", help="profile, preference, decision, pattern or discovery (if not given)."
)
@click.option("--custom-type", metavar="TYPE", help="A type of your own, in place of --type.")
@click.option("--layer", metavar="LAYER", help="semantic (if not given), or reflective for a reflection.")
@click.option("--title", help="A short title; else the text's first line.")
@click.option("--topic-key", help="A stable name: a later save under it replaces this one.")
@click.option("--session", help="The session it belongs to; else the active one that was used last.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--evidence", multiple=True, metavar="ID", help="A memory it rests on; may be repeated.")
@VALID_UNTIL
@KEY
@TRUST
@described
@targeted
def save(
    target: Target,
    text: str,
    type_: str | None,
    custom_type: str | None,
    layer: str | None,
    title: str | None,
    topic_key: str | None,
    session: str | None,
    tags: tuple[str, ...],
    evidence: tuple[str, ...],
    valid_until: str | None,
    key: str | None,
    trust: str | None,
    described: Described,
) -> None:
    """Save a claim; - reads the text from standard input."""
    words, ends = text_given(text), moment(valid_until, end=True)

    async def work(memory: "Memory") -> "Saved[Observation]":
        saved = await memory.save(
            words,
            type=type_,
            custom_type=custom_type,
            layer=layer,
            title=title,
            topic_key=topic_key,
            session=session,
            tags=tags or None,
            evidence=evidence,
            valid_until=ends,
            key=key,
            trust=trust,
            **described.named,
        )
        await memory.upkeep.embed_soon()
        return saved

    print_saved(target, target.run(work, create=True))


@click.command()
@click.argument("text", required=False)
@click.option("--content", metavar="JSON", help='More of it in parts: \'[{"type": "text", "text": "Hello"}]\'.')
@click.option("--tool-calls", metavar="JSON", help='The tools it calls: \'[{"name": "find", "arguments": {}}]\'.')
@click.option("--role", default="user", metavar="ROLE", help="user, assistant, system or tool.")
@click.option("--speaker", default="", help="The name of who said it.")
@click.option("--session", help="The session; else the unnamed one that is active.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@KEY
@TRUST
@described
@targeted
def record(
    target: Target,
    text: str | None,
    content: str | None,
    tool_calls: str | None,
    role: str,
    speaker: str,
    session: str | None,
    tags: tuple[str, ...],
    key: str | None,
    trust: str | None,
    described: Described,
) -> None:
    """Record what was said; - reads the text, or the content in parts, from standard input."""
    parts, calls = objects_given(content, "--content"), objects_given(tool_calls, "--tool-calls")
    if text is None and not (parts or calls):
        raise click.UsageError("give the TEXT, or --content or --tool-calls")
    words = text_given(text or "")

    async def work(memory: "Memory") -> "Saved[Message]":
        saved = await memory.record(
            words,
            role=role,
            speaker=speaker,
            content=parts,
            tool_calls=calls,
            session=session,
            tags=tags or None,
            key=key,
            trust=trust,
            **described.named,
        )
        await memory.upkeep.embed_soon()
        return saved

    print_saved(target, target.run(work, create=True))


@click.command()
@click.argument("id")
@click.option("--text", help="The new wording; - reads it from standard input.")
@click.option("--title", help="A new title.")
@click.option("--type", "type_", metavar="TYPE", help="profile, preference, decision, pattern or discovery.")
@click.option("--tag", "tags", multiple=True, help="Replaces the tags; may be repeated.")
@click.option("--no-tags", is_flag=True, help="Take all tags away.")
@VALID_UNTIL
@click.option("--revision", type=int, help="Only if it is still at this revision.")
@described
@targeted
def edit(
    target: Target,
    id: str,
    text: str | None,
    title: str | None,
    type_: str | None,
    tags: tuple[str, ...],
    no_tags: bool,
    valid_until: str | None,
    revision: int | None,
    described: Described,
) -> None:
    """Change an observation: what is not said stays as it is, and the earlier wording is kept.

    Metadata is added to what is there; a name with null, such as '{"path": null}', is taken away.
    """
    new, ends = None if text is None else text_given(text), moment(valid_until, end=True)

    async def work(memory: "Memory") -> "Saved[Observation]":
        chosen = () if no_tags else tags or None
        saved = await memory.edit(
            id,
            text=new,
            title=title,
            type=type_,
            tags=chosen,
            valid_until=ends,
            revision=revision,
            **described.named,
        )
        await memory.upkeep.embed_soon()
        return saved

    print_saved(target, target.run(work))


@click.command()
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--topic-key", "keys", multiple=True, metavar="KEY", help="What stands under this key; may be repeated.")
@click.option("--now", "erase", is_flag=True, help="For good: nothing of it stays, and it cannot be restored.")
@targeted
def delete(target: Target, ids: tuple[str, ...], keys: tuple[str, ...], erase: bool) -> None:
    """Take memories out of every read; `restore` brings them back.

    Until then their status is soft-deleted.
    """
    done: list[str] = []

    async def work(memory: "Memory") -> None:
        for id in ids:
            await memory.delete(id, erase=erase)
            done.append(id)
        for key in keys:
            await memory.delete(topic_key=key, erase=erase)
            done.append(key)

    if not ids and not keys:
        raise click.UsageError("name at least one memory, by its ID or by --topic-key")
    try:
        target.run(work)
    finally:
        # Also where the next one is refused.
        if target.json and done:
            print_json({"deleted": done, "erased": erase})
        elif done:
            click.echo(f"{'erased' if erase else 'deleted'} {', '.join(done)}")


@click.command()
@filtered
@click.option("--status", "statuses", multiple=True, metavar="STATUS", help="As `list` has them; may be repeated.")
@click.option("--since", metavar="DATE", help="Said or done on this day or later.")
@click.option("--until", metavar="DATE", help="Said or done on this day or before.")
@click.option("--dry-run", is_flag=True, help="Only count and name them.")
@click.option("--yes", is_flag=True, help="Ask nothing.")
@targeted
def delete_many(target: Target, since: str | None, until: str | None, dry_run: bool, yes: bool, **filters: Any) -> None:
    """Delete the memories of this exact scope that pass every filter; `restore-many` brings all of them back."""
    asked: dict[str, Any] = {**filters, "since": moment(since), "until": moment(until, end=True)}
    if dry_run or not yes:
        planned = target.run(lambda memory: memory.observations.delete_many(**asked, dry=True))
        _print_deletion(target, planned, "would delete", err=not dry_run)
        if dry_run:
            return
        if not on_terminal():
            raise click.UsageError("nobody can be asked here; say --yes")
        click.confirm("delete them?", abort=True, err=True)
    _print_deletion(target, target.run(lambda memory: memory.observations.delete_many(**asked)), "deleted")


@click.command()
@click.argument("deleted_at", metavar="TIME")
@targeted
def restore_many(target: Target, deleted_at: str) -> None:
    """Restore all memories that one `delete-many` has deleted, by the TIME that it printed."""
    when = moment(deleted_at)
    found = target.run(lambda memory: memory.observations.restore_many(when))
    if target.json:
        print_json({"restored": found.count, "refused": list(found.refused)})
        return
    click.echo(f"{found.count:,} restored")
    for id in found.refused:
        click.echo(f"{id} stays deleted: another memory has its place, or it was rejected", err=True)


def _print_deletion(target: Target, found: "Deletion", done: str, *, err: bool = False) -> None:
    at = None if found.deleted_at is None else found.deleted_at.isoformat()
    if target.json and not err:
        told = {"count": found.count, "ids": list(found.ids), "derived": found.derived, "on_hold": found.on_hold}
        print_json({**told, "deleted_at": at})
        return
    for id in found.ids:
        click.echo(id, err=err)
    if found.count > len(found.ids):
        click.echo(f"and {found.count - len(found.ids):,} more", err=err)
    along = f"; {found.derived:,} more that were drawn from these alone" if found.derived else ""
    held = f"; {found.on_hold:,} more are under a legal hold" if found.on_hold else ""
    click.echo(f"{done} {found.count:,}{along}{held}", err=err)
    if at is not None:
        click.echo(f"to restore them: remembrancer restore-many {at}", err=err)


@click.command()
@click.argument("id")
@targeted
def restore(target: Target, id: str) -> None:
    """Bring a deleted memory back.

    `list --status soft-deleted` shows which there are.
    """

    async def work(memory: "Memory") -> "tuple[Record, bool]":
        before = await _due(memory)
        return await memory.restore(id), await _due(memory) > before

    record, is_due = target.run(work)
    print_record(target, record)
    if is_due:
        click.echo(
            "note: its time is over still by a retention policy: the next night deletes it again, unless a legal hold"
            " is on it or the policy is changed (`retention expired`)",
            err=True,
        )


async def _due(memory: "Memory") -> int:
    """How many memories the next night deletes; 0 without a policy."""
    return (await memory.retention.run(dry=True)).expired if await memory.retention.policies() else 0
