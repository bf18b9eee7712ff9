"""The commands of `remembrancer`, each made when it is asked for."""

from collections.abc import Mapping
from functools import cache

import click

from remembrancer.cli import (
    archives,
    chat,
    doctor,
    governance,
    hooks,
    imports,
    reading,
    services,
    stores,
    sync,
    tenants,
)
from remembrancer.cli import maintenance as maintenance  # Its functions are the bodies of commands.
from remembrancer.cli.coding_agents import hook, install
from remembrancer.cli.commands import command_of
from remembrancer.cli.group import CommandGroup
from remembrancer.docstrings import summary
from remembrancer.operations import OPERATIONS, RESOURCES

_WRITTEN: Mapping[str, click.Command] = {
    "delete": reading.delete,
    "brief": hooks.brief,
    "inject": hooks.inject,
    "remind": hooks.remind,
    "install": install.install,
    "uninstall": install.uninstall,
    "hook": hook.hook,
    "hook-helper": hook.hook_helper,
    "chat": chat.chat,
    "import": imports.import_,
    "export": archives.export,
    "sync": sync.sync,
    "serve": services.serve,
    "console": services.console,
    "mcp": services.mcp,
    "worker": services.worker,
    "init-db": stores.init_db,
    "tenants": tenants.tenants,
    "doctor": doctor.doctor,
    "backup": stores.backup,
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
_OPERATIONS: Mapping[str, str] = {
    "execute" if name == "sessions.execute" else name: name for name in OPERATIONS if name not in WITHOUT_COMMAND
}
"""The operations that have a command, by its place in the tree."""


@cache
def command(path: str) -> click.Command:
    """Return the command, or the group of commands, at a place in the tree."""
    if path in _WRITTEN:
        return _WRITTEN[path]
    return _group(path) if path in RESOURCES else command_of(_OPERATIONS[path])


def _group(path: str) -> click.Group:
    group = CommandGroup(
        path.rpartition(".")[2],
        help=summary(RESOURCES[path]).partition(" Reached as")[0],
        no_args_is_help=True,
    )
    places = (*_OPERATIONS, *_WRITTEN)
    below = [one.removeprefix(f"{path}.").partition(".")[0] for one in places if one.startswith(f"{path}.")]
    for name in dict.fromkeys(below):
        group.add_command(command(f"{path}.{name}"))
    return group
