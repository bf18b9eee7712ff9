"""Writes what the client knows of the service: `src/operations.js` and the types of `src/types.d.ts`.

Made from the document that the installed service answers at /openapi.json. With `--check` nothing is written: it ends
with 1 where the files are out of date.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

import anyio
import httpx2

from remembrancer import open_memory
from remembrancer.errors import (
    BudgetExceeded,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    Outdated,
    ProviderUnavailable,
    RemembrancerError,
    StoreUnavailable,
    Unauthenticated,
)
from remembrancer.operations import LONG
from remembrancer.problems import OWN, PROBLEMS
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.serving import Serving

Schema: TypeAlias = Mapping[str, Any]

_HERE = Path(__file__).parent / "src"
_MADE = "Made by generate.py from the document of the service; not to be edited."
_SCOPE = frozenset({"project", "agent", "user", "clearance", "reveal", "size"})
# Written by hand: their answers are no JSON of one value.
_BY_HAND = frozenset({"events", "export"})
_FILES = frozenset({"messages.import_file", "jobs.import"})
# It bears no idempotency key, and records only what is new.
_ONLY_NEW = frozenset({"messages.import_file"})
# What of a client's own options no operation may be called.
_CALLING = frozenset({"signal", "timeout", "idempotencyKey"})
_CONTEXT = {"Context": ".", "Reply": "context", "Executed": "context"}
_CLASSES: Mapping[type[RemembrancerError], str] = {
    **{
        kind: kind.__name__
        for kind in (InvalidInput, NotFound, Conflict, Outdated, NotAllowed, Unauthenticated, BudgetExceeded)
    },
    StoreUnavailable: "Unavailable",
    ProviderUnavailable: "Unavailable",
}
_KINDS = frozenset({"Message", "Observation", "Reflection", "Episode", "Signal", "Fact", "Procedure"})
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
# Words of the engine's own language, and what they are called here.
_WORDS = {
    "None": "null",
    "True": "true",
    "False": "false",
    "ProviderUnavailable": "Unavailable",
    "StoreUnavailable": "Unavailable",
}
_IN_WORDS = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")
_IN_TYPES = """\
import type { Calling, Context, Pieces } from './index.js'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
/** A time: a `Date`, or ISO 8601 with its zone. */
export type Time = Date | string
/** A memory of any kind, told apart by `kind`. */
export type Memory = Message | Observation | Reflection | Episode | Signal | Fact | Procedure"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an operation takes under one name."""

    name: str
    schema: Schema
    told: str
    is_needed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation as the document has it.

    Args:
        taken: first what is needed, those of the path before all.
        returns: the schema of the answer; of a stream, that of the whole; `None` for nothing.
    """

    name: str
    verb: str
    path: str
    told: str
    taken: Sequence[Taken]
    returns: Schema | None
    keyed: bool
    streams: bool
    once: bool

    @property
    def file(self) -> str:
        """What it takes as the body itself, or `""`."""
        return "file" if self.name in _FILES else ""

    @property
    def needed(self) -> list[Taken]:
        """What it takes by its place."""
        return [one for one in self.taken if one.is_needed]

    @property
    def options(self) -> list[Taken]:
        """What it takes by its name."""
        return [one for one in self.taken if not one.is_needed]

    @property
    def by_topic(self) -> bool:
        """Whether a topic key may stand in place of the id."""
        return any(one.name == "topic_key" for one in self.options) and "{id}" in self.path

    @property
    def context(self) -> str:
        """Where in the answer a context stands, or `""`."""
        return _CONTEXT.get(reference(self.returns or {}), "")

    @property
    def line(self) -> str:
        """The operation as a line of the table."""
        said: dict[str, object] = {
            "verb": self.verb,
            "path": self.path,
            "takes": [one.name for one in self.needed],
            "byTopic": self.by_topic,
            "file": self.file,
            "keyed": self.keyed,
            "streams": self.streams,
            "long": self.name in LONG,
            "once": self.once,
            "context": self.context,
        }
        return f"  '{camel(self.name)}': {{ {', '.join(f'{name}: {js(of)}' for name, of in said.items() if of)} }},"


async def document() -> dict[str, Any]:
    """The document of the service."""
    with TemporaryDirectory() as folder:
        async with open_memory(Path(folder) / "m.db", embedder="none", background=False) as memory:
            transport = httpx2.ASGITransport(app=make_app(memory, Serving()))
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return (await client.get("/openapi.json")).raise_for_status().json()


def operations(told: Schema) -> list[Operation]:
    """The operations of a document, without the names that other programs know them by."""
    found = [
        operation(path, verb.upper(), one, told["components"]["schemas"])
        for path, verbs in told["paths"].items()
        for verb, one in verbs.items()
        if "x-right" in one and not one["operationId"].startswith("rae.") and one["operationId"] not in _BY_HAND
    ]
    return sorted(found, key=lambda one: ("." in one.name, one.name))


def operation(path: str, verb: str, told: Schema, schemas: Schema) -> Operation:
    """One operation of a document."""
    name, headers = told["operationId"], {one["name"] for one in told["parameters"] if one["in"] == "header"}
    taken = [
        Taken(
            name=one["name"],
            schema=one["schema"].get("contentSchema", one["schema"]),
            told=one.get("description", ""),
            is_needed=one["required"],
        )
        for one in told["parameters"]
        if one["in"] != "header" and not (one["in"] == "query" and one["name"] in _SCOPE)
    ]
    taken.sort(key=lambda one: path.find(f"{{{one.name}}}") if one.is_needed else len(path))
    bodies: list[Schema] = [*told.get("requestBody", {}).get("content", {}).values()]
    body: Schema = bodies[0].get("schema", {}) if bodies else {}
    if name in _FILES:
        taken.insert(0, Taken(name="file", schema={"type": "file"}, told=body["description"], is_needed=True))
    else:
        taken += fields(schemas[reference(body)], schemas) if reference(body) else []
    answer = next(iter(told["responses"].values())).get("content", {})
    streams = "text/event-stream" in answer
    keyed = "idempotency-key" in headers
    is_repeated = verb != "POST" or keyed or name in _ONLY_NEW or told["x-right"] == "read"
    returns = whole(name) if streams else answer.get("application/json", {}).get("schema")
    if returns and any(one["name"] == "size" for one in told["parameters"]):
        # This client asks for no size, and so gets the first of the two.
        returns = returns["anyOf"][0]
    made = Operation(
        name=name,
        verb=verb,
        path=path,
        told="\n\n".join(filter(None, (told["summary"].rstrip(".") + ".", told.get("description", "")))),
        taken=sorted(taken, key=lambda one: not one.is_needed),
        returns=returns,
        keyed=keyed,
        streams=streams,
        once=not is_repeated,
    )
    if {camel(one.name) for one in made.taken} & _CALLING:
        raise ValueError(f"{name} takes what a client takes itself")
    return made


def whole(name: str) -> Schema:
    """What a stream ends with: the answer of the operation without it."""
    return {"$ref": {"ask_stream": "Answer", "reply_stream": "Reply", "execute_stream": "Executed"}[name]}


def fields(schema: Schema, schemas: Schema) -> list[Taken]:
    """What an object holds."""
    needed = schema.get("required", ())
    return [
        Taken(
            name=name,
            schema=one,
            told=one.get("description", "") or schemas.get(reference(one), {}).get("description", ""),
            is_needed=name in needed,
        )
        for name, one in schema["properties"].items()
    ]


def reference(schema: Schema) -> str:
    """The name of the schema that is meant, nothing beside; or `""`."""
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).rpartition("/")[2]
    return ""


def javascript(found: Sequence[Operation], told: Schema) -> str:
    """The table of operations, and what goes with it."""
    problems = {
        **{known.code: class_of(error) for error, known in PROBLEMS.items()},
        **{code: class_of(error) for code, (_, error) in OWN.items()},
    }
    return "\n".join(
        [
            f"// {_MADE}",
            "",
            "/** Each operation: its route, what it takes by its place, and what is to be known for asking it. */",
            "export const OPERATIONS = {",
            *(one.line for one in found),
            "}",
            "",
            "/** What callers fill with names of their own, which stay as they are. */",
            f"export const VERBATIM = new Set({js(verbatim(found, told['components']['schemas']))})",
            "",
            "/** The error that each problem of the service is. */",
            "export const PROBLEMS = {",
            *(f"  '{code}': '{name}'," for code, name in problems.items()),
            "}",
            "",
        ]
    )


def class_of(error: type[RemembrancerError]) -> str:
    """What an error is called here: by its class, or the nearest one above it."""
    return next((_CLASSES[kind] for kind in error.__mro__ if kind in _CLASSES), "RemembrancerError")


def verbatim(found: Sequence[Operation], schemas: Schema) -> list[str]:
    """The names under which anything may stand."""
    seen: set[str] = set()
    names: set[str] = set()

    def look(name: str, schema: Schema) -> None:
        inside = inside_of(schema)
        if reference(schema) == "JsonValue" or (inside and typed(inside, schemas) != "number"):
            names.add(name)
        for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *filter(None, [schema.get("items")])):
            look(name, part)
        if (of := reference(schema)) in schemas and of not in seen:
            seen.add(of)
            for one, inner in schemas[of].get("properties", {}).items():
                look(one, inner)

    for one in found:
        for taken in one.taken:
            look(taken.name, taken.schema)
    return sorted(names)


def types(found: Sequence[Operation], told: Schema) -> str:
    """The types of what goes in and what comes out."""
    schemas = told["components"]["schemas"]
    out = reached((one.returns for one in found if one.returns), schemas)
    into = reached((taken.schema for one in found for taken in one.taken), schemas)
    doors = dict[str, list[Operation]]()
    for one in found:
        doors.setdefault(one.name.rpartition(".")[0], []).append(one)
    parts = [f"// {_MADE}", _IN_TYPES]
    parts += [declared(name, schemas, is_out=name in out) for name in sorted({*out, *into} - {"Context", "JsonValue"})]
    parts += [options(one, schemas) for one in found if one.options]
    for door, own in doors.items():
        parts.append(f"export interface {door.capitalize() or 'Verbs'} {{\n{members(own, schemas)}\n}}")
    shown = "\n".join(f"  {door}: {door.capitalize()}" for door in doors if door)
    parts.append(f"/** The doors of a memory. */\nexport interface Doors {{\n{shown}\n}}")
    codes = sorted({*(known.code for known in PROBLEMS.values()), *OWN})
    parts.append(
        "/** The codes of what the service may answer. */\nexport type ProblemCode =\n  | "
        + "\n  | ".join(map(js, codes))
    )
    return "\n\n".join(parts) + "\n"


def reached(roots: Iterable[Schema], schemas: Schema) -> set[str]:
    """The names of all schemas that these lead to."""
    names: set[str] = set()

    def look(schema: Schema) -> None:
        name = plain(str(schema.get("$ref", "")).rpartition("/")[2])
        if name and name not in names:
            names.add(name)
            look(schemas[name])
        beside = filter(None, [schema.get("items"), inside_of(schema)])
        for part in (
            *schema.get("anyOf", ()),
            *schema.get("oneOf", ()),
            *schema.get("properties", {}).values(),
            *beside,
        ):
            look(part)

    for root in roots:
        look(root)
    return names


def inside_of(schema: Schema) -> Schema:
    """What stands under the names of an object that anybody may name; `{}` of all else."""
    found = schema.get("additionalProperties")
    return cast(Schema, found) if isinstance(found, dict) else {}


def plain(name: str) -> str:
    """The name of a schema, whichever way it crosses."""
    return name.removesuffix("Input")


def declared(name: str, schemas: Schema, *, is_out: bool) -> str:
    """A schema as a type; what only goes in has the names of options."""
    schema = schemas[name]
    if "properties" not in schema:
        return f"export type {name} = {typed(schema, schemas)}"
    lines: list[str] = []
    for one in fields(schema, {}):
        optional = "" if one.is_needed else "?"
        lines += [
            *comment(one.told, "  "),
            f"  {one.name if is_out else camel(one.name)}{optional}: {typed(one.schema, schemas, is_in=not is_out)}",
        ]
    return "\n".join([*comment(schema.get("description", "")), f"export interface {name} {{", *lines, "}"])


def options(one: Operation, schemas: Schema) -> str:
    """The options of an operation as a type."""
    lines: list[str] = []
    for option in one.options:
        lines += [*comment(option.told, "  "), f"  {camel(option.name)}?: {typed(option.schema, schemas, is_in=True)}"]
    return "\n".join([f"export interface {options_name(one)} extends Calling {{", *lines, "}"])


def options_name(one: Operation) -> str:
    """What the type of an operation's options is called."""
    words = re.split(r"[._]", one.name)
    return "".join(word.capitalize() for word in words) + "Options" if one.options else "Calling"


def members(own: Sequence[Operation], schemas: Schema) -> str:
    """The operations of a door as methods."""
    return "\n".join(line for one in own for line in method(one, schemas))


def method(one: Operation, schemas: Schema) -> list[str]:
    """An operation as a method, told in the words of the service."""
    verb, of = camel(one.name.rpartition(".")[2]), typed(one.returns, schemas) if one.returns else "null"
    returns = f"Pieces<{of}>" if one.streams else f"Promise<{of}>"
    needed = [f"{camel(taken.name)}: {typed(taken.schema, schemas, is_in=True)}" for taken in one.needed]
    beside = [f"@param {camel(taken.name)} {taken.told}" for taken in one.needed if taken.told]
    told = comment("\n".join([one.told, *beside]), "  ")
    named = options_name(one)
    lines = [*told, f"  {verb}({', '.join([*needed, f'options?: {named}'])}): {returns}"]
    if one.by_topic:
        lines.append(f"  {verb}(named: {named} & {{ topicKey: string }}): {returns}")
    return lines


def comment(told: str, indent: str = "") -> list[str]:
    """What is said of something, above it."""
    lines = re.sub(_IN_WORDS, lambda found: _WORDS[found[0]], told).replace("*/", "* /").strip().splitlines()
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def typed(schema: Schema, schemas: Schema, *, is_in: bool = False) -> str:
    """A schema as TypeScript spells it."""
    if "$ref" in schema:
        return plain(str(schema["$ref"]).rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return " | ".join(js(one) for one in schema.get("enum", [schema.get("const")]))
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if parts:
        return united([typed(part, schemas, is_in=is_in) for part in parts])
    match schema.get("type"):
        case "file":
            return "string | Uint8Array | Blob"
        case "array":
            of = typed(schema["items"], schemas, is_in=is_in)
            return f"({of})[]" if " | " in of else f"{of}[]"
        case "object":
            return f"{{ [name: string]: {typed(inside_of(schema), schemas)} }}"
        case "string" if is_in and schema.get("format") == "date-time":
            return "Time"
        case str(kind):
            return _PLAIN[kind]
        case _:
            return "JsonValue"


def united(parts: Sequence[str]) -> str:
    """Several types as one, by a name where there is one."""
    found = (
        [one for part in parts for one in part.split(" | ")] if all("{" not in part for part in parts) else list(parts)
    )
    if "JsonValue[]" in found:
        return "JsonValue"
    if set(found) >= _KINDS:
        found = ["Memory", *(one for one in found if one not in _KINDS)]
    return " | ".join(dict.fromkeys(found))


def camel(name: str) -> str:
    """A name of the wire as JavaScript has it; `wired` in `src/client.js` is the way back."""
    made = re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
    if re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", made) != name:
        raise ValueError(f"{name} does not come back as it was")
    return made


def js(value: object) -> str:
    """A value as JavaScript spells it."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(js, value))}]"  # pyright: ignore[reportUnknownArgumentType] -- of texts
        case _:
            return f"'{value}'"


def main() -> int:
    """Write the files, or say which are out of date."""
    told = anyio.run(document)
    found = operations(told)
    made = {_HERE / "operations.js": javascript(found, told), _HERE / "types.d.ts": types(found, told)}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            sys.stderr.write(f"{path.name} is out of date; run clients/javascript/generate.py\n")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
