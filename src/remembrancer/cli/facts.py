"""Commands for what holds, by key: facts list, set, get, history, end."""

import json
from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes
from remembrancer.cli.describing import AUTHOR, CLASSIFICATION, SOURCE
from remembrancer.cli.output import moment, print_json, shown, validity
from remembrancer.cli.target import AS_OF, Target, targeted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remembrancer.types.record import Fact


@click.group()
def facts() -> None:
    """What holds, by key: profiles, contacts, rules and settings."""


@facts.command("list")
@click.option("--category", metavar="CATEGORY", help="profile, contact, rule or setting.")
@click.option("--at", metavar="TIME", help="What held then; now, if not given.")
@AS_OF
@targeted
def list_(target: Target, category: str | None, at: str | None, as_of: str | None) -> None:
    """List all that holds; each key once, as the nearest scope says."""
    when, then = moment(at, end=True), moment(as_of, end=True)
    _print_facts(target, target.run(lambda memory: memory.facts.list(category=category, at=when, as_of=then)))


@facts.command("set")
@click.argument("key")
@click.argument("value")
@click.option(
    "--category", default="profile", show_default=True, metavar="CATEGORY", help="profile, contact, rule or setting."
)
@click.option("--from", "since", metavar="TIME", help="Since when it holds; now, if not given.")
@click.option("--to", "until", metavar="TIME", help="Until when it holds; that moment excluded.")
@AUTHOR
@SOURCE
@CLASSIFICATION
@targeted
def set_(
    target: Target,
    key: str,
    value: str,
    category: str,
    since: str | None,
    until: str | None,
    author: str,
    source: str,
    classification: str | None,
) -> None:
    """Say what holds under a key from some time on; what held before ends then.

    A VALUE that is JSON is taken as what it says: 5 is a number, true a truth, '"5"' a text. All else is text.
    One that begins with - stands behind --.
    """
    first, last, told = moment(since), moment(until), _value(value)
    saved = target.run(
        lambda memory: memory.facts.set(
            key,
            told,
            category=category,
            valid_from=first,
            valid_to=last,
            author=author,
            source=source,
            classification=classification,
        ),
        create=True,
    )
    if target.json:
        print_json({"outcome": saved.outcome.value, **shapes.whole(saved.record)})
    else:
        click.echo(f"{saved.outcome.value}  {_line(saved.record)}")


@facts.command()
@click.argument("key")
@click.option("--at", metavar="TIME", help="What held then; now, if not given.")
@AS_OF
@targeted
def get(target: Target, key: str, at: str | None, as_of: str | None) -> None:
    """Show what holds under a key, as the nearest scope says."""
    when, then = moment(at, end=True), moment(as_of, end=True)
    _print_fact(target, target.run(lambda memory: memory.facts.get(key, at=when, as_of=then)))


@facts.command()
@click.argument("key")
@targeted
def history(target: Target, key: str) -> None:
    """Show all that this very scope has said under a key, the latest first."""
    _print_facts(target, target.run(lambda memory: memory.facts.history(key)))


@facts.command()
@click.argument("key")
@click.option("--at", metavar="TIME", help="Since when it holds no more; now, if not given.")
@targeted
def end(target: Target, key: str, at: str | None) -> None:
    """Say that what holds under a key holds no more; it stays in the history."""
    when = moment(at)
    _print_fact(target, target.run(lambda memory: memory.facts.end(key, at=when)))


def _print_facts(target: Target, found: "Sequence[Fact]") -> None:
    if target.json:
        print_json([shapes.whole(fact) for fact in found])
        return
    for fact in found:
        click.echo(_line(fact))


def _print_fact(target: Target, found: "Fact") -> None:
    print_json(shapes.whole(found)) if target.json else click.echo(_line(found))


def _line(fact: "Fact") -> str:
    """A fact on one line: its key, its value as JSON, its category and when it holds."""
    told = fact.details
    value = shown(json.dumps(told.value, ensure_ascii=False))
    return f"{shown(told.key)} = {value}  ({', '.join((told.category.value, *validity(fact)))})"


def _value(text: str) -> object:
    """What JSON says, where it is JSON; else the text itself."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(name: str) -> object:
    raise ValueError(name)
