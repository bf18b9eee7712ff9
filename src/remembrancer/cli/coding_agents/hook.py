"""`remembrancer hook`: what a coding agent runs at each of its events.

The process is short: it writes what is to be recorded into a spool, asks the process that has the store open for the
text that the agent reads, and starts such a process if there is none.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any, Final, cast

import click

from remembrancer.cli.coding_agents.events import AGENTS, CURSOR, OPENCODE, AgentEvent, Step, event_of
from remembrancer.cli.group import HELP_SETTINGS, CommandGroup, SectionedCommand
from remembrancer.cli.project import project_of
from remembrancer.cli.standard_input import whole_input
from remembrancer.client.hook_spool import spool, spool_of
from remembrancer.client.local_socket import ask, socket_path

SWITCH: Final = "REMEMBRANCER_HOOKS"
"""The environment variable that switches hooks off, with the value `off`."""
DEFAULT_DB: Final = "~/.remembrancer/memory.db"
NEEDS_FILE: Final = "hooks need a database in a file; for a service, add its address as an MCP server"
"""The database of the coding agents of a user, unless another one is named."""
_ANSWER_SECONDS: Final = 3.0
# How long an agent waits for a helper that was just started, by step; a prompt waits for the shorter time.
_STARTING_SECONDS: Final[Mapping[Step, float]] = {Step.START: 8.0, Step.PROMPT: 2.0}
_PAUSE_SECONDS: Final = 0.05
# A helper that could not start is not started again for each event.
_RESTART_SECONDS: Final = 30.0
_TOKENS: Final[Mapping[Step, int]] = {Step.START: 1_500, Step.PROMPT: 600}
LOG: Final = "helper.log"
"""The log of the helper, in the folder of the spool."""


@click.command("hook", cls=SectionedCommand, short_help="Handle an event of a coding agent.")
@click.argument("agent", type=click.Choice(AGENTS))
@click.option("--db", metavar="PATH", default=DEFAULT_DB, show_default=True, help="The database.")
@click.option("--project", metavar="NAME", help="The project; by default that of the repository of the event.")
@click.option("--user", metavar="NAME", help="The user of the memory.")
@click.option("--strict", is_flag=True, help="End with the exit code of an error.")
def hook(agent: str, db: str, project: str | None, user: str | None, strict: bool) -> None:
    """Handle an event of a coding agent, which is read from standard input as JSON.

    At the start of a session and for a prompt it prints memories. What the session contains is recorded in the
    background. An error is printed on standard error, and the command ends with 0 unless there is --strict: an agent
    reads another exit code as an order to stop. REMEMBRANCER_HOOKS=off does nothing.
    """
    if os.environ.get(SWITCH, "").lower() == "off":
        return
    try:
        if "://" in db:
            raise click.UsageError(NEEDS_FILE)
        text = _handle(agent, Path(db).expanduser().absolute(), project=project, user=user)
    except Exception as error:
        if strict:
            raise
        reason = error.format_message() if isinstance(error, click.ClickException) else f"{error}"
        click.echo(f"remembrancer: {' '.join((reason or type(error).__name__).split())}", err=True)
        return
    if text:
        click.echo(text)


def _handle(agent: str, db: Path, *, project: str | None, user: str | None) -> str:
    """Handle the event on standard input; return what the agent reads."""
    fields = _fields(whole_input())
    event = event_of(agent, fields)
    if event is None:
        return ""
    scope = {"project": project or project_of(Path(event.folder or ".")), "user": user}
    session = f"chat/{event.session}"
    spooled = _spool(agent, db, event, scope=scope, session=session)
    helper = _Helper(db)
    if event.step not in _TOKENS:
        if spooled:
            helper.wake(is_last=event.step is Step.END)
        return ""
    values = {"session": session, "tokens": _TOKENS[event.step], "mode": "brief"}
    if event.step is Step.PROMPT:
        values |= {"mode": "prompt", "question": event.prompt}
    is_empty = event.step is Step.PROMPT and not event.prompt.strip()
    found = None if is_empty else helper.ask({"values": values, "scope": scope}, seconds=_STARTING_SECONDS[event.step])
    return _output(agent, event, found["text"] if found else "")


def _fields(text: str) -> Mapping[str, Any]:
    """Return the JSON object of an event.

    Raises:
        click.UsageError: it is none.
    """
    try:
        value: object = loads(text)
    except (JSONDecodeError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        raise click.UsageError("standard input is not the JSON object of a hook; a coding agent runs this command")
    return cast("Mapping[str, Any]", value)


def _spool(agent: str, db: Path, event: AgentEvent, *, scope: Mapping[str, Any], session: str) -> bool:
    """Spool what an event adds to the store; return False if that is nothing."""
    is_end = event.step is Step.END
    is_due = event.step in (Step.RECORD, Step.END) and event.transcript
    if not (is_due or is_end or event.messages):
        return False
    entry = {
        "agent": agent,
        "scope": scope,
        "session": session,
        "transcript": event.transcript if is_due else "",
        "messages": event.messages,
        "end": is_end,
    }
    # One file for the log of a session, at any event; one for each run of messages.
    keys = ",".join(message["key"] for message in event.messages)
    name = dumps([agent, scope, session, is_end, keys])
    spool(spool_of(str(db)), name, entry)
    return True


class _Helper:
    """The process that has the store open: an MCP server, a service, or a helper that hooks have started."""

    def __init__(self, db: Path) -> None:
        self._db = str(db)
        self._socket = socket_path(self._db)
        self._log = spool_of(self._db) / LOG
        self._started: subprocess.Popen[bytes] | None = None

    def ask(self, request: dict[str, Any], *, seconds: float) -> Mapping[str, Any] | None:
        """Return the answer to a request; `None` if no process answers.

        Args:
            seconds: how long a starting helper is waited for.
        """
        if self._socket is None:
            return None
        if (found := self._answer(request)) is not None or not self._start():
            return found
        end = time.monotonic() + seconds
        while time.monotonic() < end and (self._started is None or self._started.poll() is None):
            if os.path.exists(self._socket) and (found := self._answer(request)) is not None:
                return found
            time.sleep(_PAUSE_SECONDS)
        return None

    def wake(self, *, is_last: bool) -> None:
        """Have the spool recorded.

        Args:
            is_last: the session ends, and with it probably the process that answers.
        """
        if is_last or self._socket is None or self._answer({"spooled": True}) is None:
            self._start(even_if_recent=is_last)

    def _answer(self, request: dict[str, Any]) -> Mapping[str, Any] | None:
        path = self._socket
        return ask(path, request, seconds=_ANSWER_SECONDS) if path and os.path.exists(path) else None

    def _start(self, *, even_if_recent: bool = False) -> bool:
        """Start a helper, unless one was started just before; return True if one may be starting."""
        now = time.time()
        try:
            started = self._log.stat().st_mtime
        except OSError:
            started = 0.0
        if now - started < _RESTART_SECONDS and not even_if_recent:
            return now - started < _STARTING_SECONDS[Step.START]
        self._log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._log.open("w", encoding="utf-8") as log:
            self._started = subprocess.Popen(
                # -P: no module of the agent's working folder is imported.
                [sys.executable, "-P", "-m", "remembrancer", "hook-helper", "--db", self._db],
                cwd=self._log.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                close_fds=True,
            )
        return True


def _output(agent: str, event: AgentEvent, text: str) -> str:
    """Return what a hook prints, in the form that the agent reads."""
    if agent == OPENCODE:
        return text
    if agent == CURSOR:
        # Cursor adds no context to a prompt.
        is_start = event.step is Step.START
        return dumps({"additional_context": text} if is_start and text else {} if is_start else {"continue": True})
    if not text:
        return ""
    return dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})


@click.command("hook-helper", cls=SectionedCommand, hidden=True, short_help="Answer hooks, and record for them.")
@click.option("--db", metavar="PATH", default=DEFAULT_DB, show_default=True, help="The database.")
@click.option("--idle", type=click.IntRange(1), default=900, show_default=True, help="Seconds without a hook.")
def hook_helper(db: str, idle: int) -> None:
    """Answer the hooks of coding agents, and record what they spool, until no hook came for a time.

    Hooks start it; there is no need to.
    """
    from remembrancer.cli.target import finished
    from remembrancer.service.server.hook_helper import help_hooks

    finished(partial(help_hooks, str(Path(db).expanduser()), idle_seconds=idle))


HOOK = CommandGroup("remembrancer", {"hook": hook}, context_settings=HELP_SETTINGS)
"""The command that runs at each event of an agent, and loads no other."""
