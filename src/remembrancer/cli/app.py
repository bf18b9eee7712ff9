"""`remembrancer`: the tree of commands."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import cast

import click

from remembrancer.cli import archives, chat, governance, hooks, imports, reading, services, stores
from remembrancer.cli import maintenance as maintenance  # Its functions are the bodies of commands.
from remembrancer.cli.commands import command_of
from remembrancer.cli.group import CommandGroup
from remembrancer.docstrings import summary
from remembrancer.operations import OPERATIONS, RESOURCES

MEMORY_VERBS = (
    "record", "save", "recall", "ask", "context", "list", "get", "edit", "delete", "restore", "feedback", "evidence",
    "explain",
)  # fmt: skip
GROUPS: Mapping[str, str] = {
    "sessions": "start, end, summarise",
    "notes": "observe, reflect, log",
    "timeline": "around, between, diff",
    "episodes": "actions and signals",
    "facts": "values by key",
    "rules": "rules for agents",
    "patterns": "learned patterns",
    "scores": "rate, boost, pin",
    "observations": "delete or restore many",
    "governance": "audit, erasure, retention",
    "admin": "keys, indexes, costs",
    "backup": "backups of a store",
}
_WRITTEN: Mapping[str, click.Command] = {
    "delete": reading.delete,
    "governance.erasure.plan": governance.plan,
    "governance.erasure.erase": governance.erase,
    "governance.erasure.receipts": governance.receipts,
    "governance.erasure.compact": governance.compact,
    "governance.erasure.verify_receipt": governance.verify_receipt,
    "governance.archives.create": archives.create,
    "governance.archives.check": archives.check,
    "governance.archives.import": archives.import_archive,
    "governance.archives.report": archives.report,
    "admin.copy": stores.copy,
    "admin.rotate_secret": stores.rotate_secret,
}
"""Commands that are written by hand, by their place in the tree."""
WITHOUT_COMMAND: Mapping[str, str] = {
    "ask_stream": "`ask --stream`",
    "sessions.execute_stream": "`execute --stream`",
    "sessions.reply": "`chat`",
    "sessions.reply_stream": "`chat`, which waits for each answer",
    "messages.record_many": "`record` records one message; `import` reads files of them",
    "messages.import_turns": "for turns that a program has read; `import` reads files",
    "observations.save_many": "`save` saves one observation",
    "episodes.record_many": "`episodes record` records one episode",
    "episodes.end_run": "a run is in the memory of one process",
    "admin.flush": "a command writes its counts when it ends",
    "admin.index.embed_soon": "a command that writes does it",
    "admin.jobs.start": "a command does its work itself, and waits",
    "admin.jobs.list": "jobs are of a service",
    "admin.jobs.get": "jobs are of a service",
    "admin.jobs.cancel": "jobs are of a service; a command is interrupted",
}
"""Operations that have no command of their own, with the reason."""
_HOOKS = (hooks.brief, hooks.inject, hooks.remind)
_STORE = (
    imports.import_, archives.export, services.serve, services.mcp, services.worker, stores.init_db,
)  # fmt: skip


class MainGroup(CommandGroup):
    """All commands; its help lists them by sections, on one screen."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, and the groups in two columns."""
        formatter.write_text(f"Usage: {ctx.command_path} [-h] [--version] COMMAND [ARGS]...")
        formatter.write_text(self.help or "")
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(64)) for name in names])
        with formatter.section("Groups (remembrancer GROUP -h lists the commands)"):
            for one in _in_columns([f"{name:<13}{text}" for name, text in GROUPS.items()]):
                formatter.write_text(one)


def _in_columns(cells: list[str]) -> Iterable[str]:
    half = (len(cells) + 1) // 2
    for left, right in zip(cells[:half], [*cells[half:], ""], strict=False):
        yield f"{left:<38}{right}".rstrip()


@click.group(
    cls=MainGroup,
    help="The memory of AI agents: record, recall, explain, go back in time.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(version("remembrancer"), prog_name="remembrancer")
def app() -> None:
    """Run a command."""


def _group(path: str) -> click.Group:
    """Return the group of a resource, made with those above it if need be."""
    if not path:
        return app
    above, _, name = path.rpartition(".")
    parent = _group(above)
    if name not in parent.commands:
        help = summary(RESOURCES[path]).partition(" Reached as")[0]
        parent.add_command(CommandGroup(name, help=help, no_args_is_help=True))
    return cast(click.Group, parent.commands[name])


def _add(path: str, command: click.Command) -> None:
    _group(path.rpartition(".")[0]).add_command(command)


app.add_command(stores.backup)
for _name in OPERATIONS:
    if _name == "sessions.execute":
        app.add_command(command_of(_name))
    elif _name not in WITHOUT_COMMAND and _name not in _WRITTEN:
        _add(_name, command_of(_name))
for _name, _command in _WRITTEN.items():
    _add(_name, _command)
for _command in (*_HOOKS, chat.chat, *_STORE):
    app.add_command(_command)
_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Memories": MEMORY_VERBS,
    "Agents": ("brief", "inject", "remind", "execute", "chat"),
    "Store and service": tuple(command.name or "" for command in _STORE),
}
