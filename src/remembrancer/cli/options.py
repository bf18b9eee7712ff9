"""Arguments and options of a command, made from the arguments of its operation."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from types import NoneType
from typing import IO, Any, cast, get_args, get_origin

import click

from remembrancer.cli.group import DescribedArgument
from remembrancer.cli.output import moment
from remembrancer.cli.paths import TextFile
from remembrancer.cli.standard_input import text_or_input
from remembrancer.cli.target import USAGE_ERROR, CommandRefused, SectionOption, Target, refused
from remembrancer.errors import InvalidInput
from remembrancer.operations import Argument, Operation
from remembrancer.resources.json_values import load
from remembrancer.types.access import Right
from remembrancer.types.details import FactCategory
from remembrancer.types.episode import Entity, Tier
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import OBSERVATION_TYPES, SUMMARY
from remembrancer.types.record import Kind, Layer, Source
from remembrancer.types.scope import Classification, Trust

_SECTIONS = {"filter": "Filters", "budget": "Limits in tokens"}
# Arguments for programs only.
_WITHOUT_OPTION = frozenset({"vector", "space"})
# The content of a message may replace its text.
_OPTIONAL = frozenset({"record.text"})
# Names of the options of the target.
_NAMED_BY_TARGET = frozenset(Target.__dataclass_fields__)
_RENAMED: Mapping[str, str] = {"governance.audit.list.actor": "by", "admin.keys.create.tenants": "other-tenant"}
_SINGULAR = {
    "status": "status",
    "statuses": "status",
    "classifications": "classification",
    "entities": "entity",
    "memories": "memory",
}
# Defaults of the command line, for a person at a terminal.
_DEFAULTS: Mapping[str, Any] = {"source": "user", "recall.limit": 5}
_END_OF_DAY = frozenset(
    {
        "until", "as_of", "valid_until", "timeline.diff.earlier", "timeline.diff.later", "facts.get.at",
        "facts.list.at",
    }
)  # fmt: skip
_TYPES = tuple(OBSERVATION_TYPES)
_CHOICES: Mapping[str, Sequence[str]] = {
    "kind": tuple(Kind),
    "types": (*_TYPES, SUMMARY),
    "edit.type": _TYPES,
    "layers": tuple(Layer),
    "status": tuple(Status),
    "classification": tuple(Classification),
    "source": tuple(Source),
    "trust": tuple(Trust),
    "tier": tuple(Tier),
    "category": tuple(FactCategory),
    "retriever": ("lexical", "semantic", "temporal", "linked"),
    "right": tuple(Right),
}
"""Values of arguments, for the help; the operation checks them."""
_HELP: Mapping[str, str] = {
    "filter.authors": "Only records by this author.",
    "filter.classifications": "Only records of this classification.",
    "filter.contact": 'Only episodes that concern this contact first; "" for episodes without one.',
    "filter.kinds": "Only records of this kind.",
    "filter.layers": "Only records of this layer.",
    "filter.metadata": 'Only records with all of these names and values: \'{"path": "a.py"}\'.',
    "filter.minimum_importance": "Only records of at least this importance, from 0 to 1.",
    "filter.minimum_trust": "Only records of at least this trust.",
    "filter.sessions": "Only records of this session.",
    "filter.since": "On this day or later.",
    "filter.sources": "Only records from this source.",
    "filter.statuses": "Only records in this status; active, and for episodes raw, by default.",
    "filter.tags": "Only records with this tag.",
    "filter.tiers": "Only episodes of this tier.",
    "filter.types": "Only observations of this type.",
    "filter.until": "On this day or earlier.",
    "content": 'Further parts: \'[{"type": "text", "text": "Hello"}]\'; - reads standard input.',
    "tool_calls": 'The tool calls: \'[{"name": "find", "arguments": {}}]\'.',
    "slots": "The token limit of a slot; its name as in the setting slots.",
    "tags": "A tag.",
    "history": "A file with tool exchanges: a JSON list of strings.",
    "evidence": "The ID of a memory that supports it.",
    "retrievers": "Only candidates of this retriever.",
    "rights": "A right of the holder.",
    "source": "The source.",
    "text": "The text; - reads it from standard input.",
}
"""Help of arguments that differ between the command line and Python; `filter.` marks a field of the filter."""
_USUAL_HELP: Mapping[str, str] = {
    "as_of": "The state of memory at this time.",
    "attributes": "An attribute to count: a string, a number, true or false.",
    "author": "The author: an agent, a tool or a person.",
    "classification": "The minimum classification.",
    "cursor": "The cursor printed by the page before.",
    "entities": "A further entity, such as file:offer.pdf.",
    "importance": "From 0 to 1.",
    "metadata": 'Metadata: \'{"path": "a.py"}\'.',
    "occurred_at": "The time of the event; now by default.",
    "reason": "The reason, for the audit log.",
    "session": "The session.",
    "since": "On this day or later.",
    "speaker": "The name of the speaker.",
    "summary": "The summary.",
    "title": "The title.",
    "topic_key": "The topic key of an observation, in place of an ID.",
    "trust": "The trust.",
    "type": "The type.",
    "until": "On this day or earlier.",
}
"""Help of arguments without a description in Python."""

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentForm:
    """The form of an argument on the command line.

    Args:
        type: the type for click.
        convert: converts the typed value to the value of the operation.
    """

    metavar: str
    type: Any = str
    convert: Convert = lambda value: value
    is_multiple: bool = False
    is_flag: bool = False


def parameters_of(operation: Operation) -> list[click.Parameter]:
    """Return the arguments and options of the command of an operation."""
    positional, options = list[click.Parameter](), list[click.Parameter]()
    for one in operation.options.values():
        if has_option(operation, one):
            (positional if is_positional(one) else options).append(_parameter(operation, one))
    return [*positional, *sorted(options, key=lambda option: cast(SectionOption, option).section != "Options")]


def has_option(operation: Operation, argument: Argument) -> bool:
    """Return True if a command has an argument or an option of its own for an argument."""
    if f"{operation.name}.{argument.name}" in _RENAMED:
        return True
    return not {argument.name, f"{operation.name}.{argument.name}"} & (_WITHOUT_OPTION | _NAMED_BY_TARGET)


def is_positional(argument: Argument) -> bool:
    """Return True if an argument has a place on the command line; optional times and files have options."""
    hint = _plain(argument.hint)
    return argument.positional and (argument.is_required or not (hint is datetime or is_dataclass(hint)))


def option_name(operation: Operation, argument: Argument) -> str:
    """Return the name of the option of an argument, without its dashes."""
    qualified = f"{operation.name}.{argument.name}"
    name = argument.name
    if form_of(operation, argument).is_multiple:
        name = _singular(name)
    name = _RENAMED.get(qualified, name).replace("_", "-")
    return f"no-{name}" if argument.default is True else name


def values_of(operation: Operation, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed values by the names of their arguments."""
    values: dict[str, Any] = {}
    for name, argument in operation.options.items():
        value = typed.get(_key(name))
        if value is None or value == ():
            continue
        values[name] = form_of(operation, argument).convert(value)
    return values


def form_of(operation: Operation, argument: Argument) -> ArgumentForm:
    """Return the form of an argument on the command line, by its annotation."""
    name, hint = argument.name, _plain(argument.hint)
    origin, parts = get_origin(hint), get_args(hint)
    if name in _SPECIAL:
        return _SPECIAL[name]
    if hint is bool:
        return ArgumentForm(metavar="", is_flag=True, convert=lambda _: argument.default is not True)
    if hint is datetime:
        is_end = bool({name, f"{operation.name}.{name}"} & _END_OF_DAY)
        return ArgumentForm(metavar="DATE" if name in ("since", "until") else "TIME", convert=_moment(is_end))
    if hint in (int, float):
        return ArgumentForm(metavar="NUMBER", type=hint)
    if is_dataclass(hint):
        return ArgumentForm(metavar="FILE", type=TextFile(), convert=_from_file(cast(type, hint)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return ArgumentForm(metavar="JSON", convert=lambda text: json_object(text, f"--{name}"))
    if isinstance(origin, type) and issubclass(origin, Sequence) and parts and parts[0] is str:
        return ArgumentForm(metavar=_metavar(name), is_multiple=True, convert=list)
    if hint is object:
        return ArgumentForm(metavar="VALUE", convert=_json_or_text)
    return ArgumentForm(metavar=_metavar(name))


def _parameter(operation: Operation, argument: Argument) -> click.Parameter:
    form, key = form_of(operation, argument), _key(argument.name)
    if is_positional(argument):
        is_required = argument.is_required and f"{operation.name}.{argument.name}" not in _OPTIONAL
        return DescribedArgument(
            [key],
            type=form.type,
            required=is_required,
            nargs=-1 if form.is_multiple else 1,
            metavar=_argument_metavar(argument, form, required=is_required),
            help=_help(operation, argument, form),
        )
    section = _SECTIONS.get(argument.source[-2], "Options") if len(argument.source) > 1 else "Options"
    default = _default(operation, argument)
    return SectionOption(
        [f"--{option_name(operation, argument)}", key],
        section=section,
        type=None if form.is_flag else form.type,
        metavar=None if form.is_flag else form.metavar,
        multiple=form.is_multiple,
        is_flag=form.is_flag,
        # Click treats a default of `None` as a valid value of a required option.
        **({} if default is None and argument.is_required else {"default": default}),
        required=argument.is_required,
        help=_help(operation, argument, form),
    )


def _key(name: str) -> str:
    """Return the name under which click passes a value: the options of the target have theirs."""
    return f"{name}_" if name in _NAMED_BY_TARGET else name


def _default(operation: Operation, argument: Argument) -> Any:
    return _DEFAULTS.get(f"{operation.name}.{argument.name}", _DEFAULTS.get(argument.name))


def _help(operation: Operation, argument: Argument, form: ArgumentForm) -> str:
    name = argument.name
    text = _HELP.get(".".join(argument.source[-2:])) or _HELP.get(name) or argument.description
    text = _of_a_flag(text or _USUAL_HELP.get(name, ""), is_default=argument.default is True)
    choices = _choices(operation, name)
    is_named = all(re.search(rf"\b{choice}\b", text) for choice in choices)
    if not text.partition(" ")[0].endswith((",", ";")) and text.partition(" ")[0] not in choices:
        text = text[:1].upper() + text[1:]
    parts = [
        text if not text or text.endswith((".", "'")) else f"{text}.",
        "" if is_named else f"One of {', '.join(choices)}.",
        "May be repeated." if form.is_multiple and not is_positional(argument) else "",
        _shown_default(operation, argument),
    ]
    return " ".join(filter(None, parts))


def _of_a_flag(text: str, *, is_default: bool) -> str:
    """Return the help of a `--no-` option from the description `False does this`."""
    return re.sub(r"^False (\w+?)s( and \w+?)?s?\b", r"\1\2", text) if is_default else text


def _shown_default(operation: Operation, argument: Argument) -> str:
    chosen = _default(operation, argument)
    default = argument.default if chosen is None else chosen
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and bool(default)
    return f"[default: {default}]" if is_shown and not argument.is_required else ""


def _choices(operation: Operation, name: str) -> Sequence[str]:
    names = (f"{operation.name}.{name}", name, _singular(name), _singular(name).rpartition("_")[2])
    return next((_CHOICES[one] for one in names if one in _CHOICES), ())


def _metavar(name: str) -> str:
    word = _singular(name).rpartition("_")[2]
    return {"classification": "CLASS", "evidence": "ID", "memory": "ID"}.get(word, word.upper())


def _singular(name: str) -> str:
    return _SINGULAR.get(name, name.removesuffix("s"))


def _argument_metavar(argument: Argument, form: ArgumentForm, *, required: bool) -> str:
    name = argument.name.removesuffix("s").upper() if form.is_multiple else argument.name.upper()
    name = f"{name}..." if form.is_multiple else name
    return name if required else f"[{name}]"


def _plain(hint: Any) -> Any:
    """Return an annotation without `None`."""
    parts = [part for part in get_args(hint) if part is not NoneType]
    return parts[0] if NoneType in get_args(hint) and len(parts) == 1 else hint


def _moment(is_end: bool) -> Convert:
    return lambda text: moment(text, end=is_end)


def json_object(text: str, option: str) -> Mapping[str, Any]:
    """Return the JSON object of an option.

    Raises:
        CommandRefused: it is not one.
    """
    value = _json(text)
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    raise refused(f'{option} is not a JSON object; write it as in \'{{"path": "a.py"}}\'')


def _json_objects(option: str) -> Convert:
    def convert(text: str) -> Sequence[Mapping[str, Any]]:
        found = _json(text_or_input(text))
        if isinstance(found, list) and all(isinstance(one, Mapping) for one in cast("list[object]", found)):
            return cast("Sequence[Mapping[str, Any]]", found)
        raise refused(f'{option} is not a JSON list of objects; write it as in \'[{{"type": "text"}}]\'')

    return convert


def _json(text: str) -> object:
    """Return the value of a text as JSON; `None` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_or_text(text: str) -> object:
    """Return the value of a text as JSON, or the text itself if it is not JSON."""

    def no_number(name: str) -> object:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError):
        return text


def _entities(typed: Iterable[str]) -> tuple[Entity, ...]:
    return tuple(Entity(type=type_, name=name) for type_, name in (_pair(one, ":", "--entity") for one in typed))


def _attributes(typed: Iterable[str]) -> Mapping[str, str | int | float | bool]:
    found = {name: (_json_or_text(value), value) for name, value in (_pair(one, "=", "--attribute") for one in typed)}
    return {name: value if isinstance(value, int | float | str) else text for name, (value, text) in found.items()}


def _slots(typed: Iterable[str]) -> Mapping[str, int]:
    pairs = [one.partition("=") for one in typed]
    for name, _, tokens in pairs:
        if not (name and tokens.isdecimal()):
            raise CommandRefused("--slot is not NAME=TOKENS; write the name of a slot and a whole number", USAGE_ERROR)
    return {name: int(tokens) for name, _, tokens in pairs}


def _pair(typed: str, sign: str, option: str) -> tuple[str, str]:
    name, separator, value = typed.partition(sign)
    if not (name and separator and value):
        form = "TYPE:NAME" if sign == ":" else "NAME=VALUE"
        raise CommandRefused(f"{option} {typed!r} is not {form}", USAGE_ERROR)
    return name, value


def _texts(file: IO[str]) -> list[str]:
    """Return the JSON list of texts in a file."""
    try:
        found: object = json.load(file)
    except (ValueError, RecursionError) as error:
        raise CommandRefused("--history is not JSON; use a list of strings", USAGE_ERROR) from error
    if not isinstance(found, list) or not all(isinstance(one, str) for one in cast(list[object], found)):
        raise CommandRefused("--history must be a JSON list of strings", USAGE_ERROR)
    return cast(list[str], found)


def _from_file(kind: type) -> Convert:
    def convert(file: IO[str]) -> Any:
        try:
            return load(kind, json.load(file))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidInput) as error:
            raise click.UsageError(
                f"{file.name} is not a {kind.__name__.lower()} as printed by a command with --json"
            ) from error

    return convert


_SPECIAL: Mapping[str, ArgumentForm] = {
    "text": ArgumentForm(metavar="TEXT", convert=text_or_input),
    "content": ArgumentForm(metavar="JSON", convert=_json_objects("--content")),
    "tool_calls": ArgumentForm(metavar="JSON", convert=_json_objects("--tool-calls")),
    "entities": ArgumentForm(metavar="TYPE:NAME", is_multiple=True, convert=_entities),
    "attributes": ArgumentForm(metavar="NAME=VALUE", is_multiple=True, convert=_attributes),
    "slots": ArgumentForm(metavar="NAME=TOKENS", is_multiple=True, convert=_slots),
    "history": ArgumentForm(metavar="FILE", type=TextFile(), convert=_texts),
}
