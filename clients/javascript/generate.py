"""Write the operations of the service, `src/operations.js`, and their types, `src/types.d.ts`.

Both are made from the document of the installed service at /openapi.json. With `--check` nothing is written: the exit
code is 1 if the files are out of date.
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
    ProviderUnavailable,
    RemembrancerError,
    RevisionConflict,
    StoreUnavailable,
    Unauthenticated,
)
from remembrancer.operations import LONG
from remembrancer.problems import ERRORS, SERVICE_PROBLEMS
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import ServiceOptions

Schema: TypeAlias = Mapping[str, Any]

_HERE = Path(__file__).parent / "src"
_MADE = "Made by generate.py from the document of the service; do not edit."
_SCOPE = frozenset({"project", "agent", "user", "clearance", "reveal", "size"})
# Written by hand: their answers are not one JSON value.
_BY_HAND = frozenset({"events", "governance.archives.export"})
_FILES = frozenset({"messages.import_file", "admin.jobs.import"})
# It has no idempotency key, and records only new messages.
_ONLY_NEW = frozenset({"messages.import_file"})
# Options of the client itself, whose names no operation may have.
_CALLING = frozenset({"signal", "timeout", "idempotencyKey"})
_CONTEXT = {"Context": ".", "Reply": "context", "TaskResult": "context"}
_CLASSES: Mapping[type[RemembrancerError], str] = {
    **{
        kind: kind.__name__
        for kind in (InvalidInput, NotFound, Conflict, RevisionConflict, NotAllowed, Unauthenticated, BudgetExceeded)
    },
    StoreUnavailable: "Unavailable",
    ProviderUnavailable: "Unavailable",
}
_KINDS = frozenset({"Message", "Observation", "Reflection", "Episode", "Signal", "Fact", "Rule"})
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
export type Memory = Message | Observation | Reflection | Episode | Signal | Fact | Rule"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of an operation."""

    name: str
    schema: Schema
    description: str
    is_needed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the document.

    Args:
        arguments: the required ones first, and of these the ones in the path.
        returns: the schema of the answer; of a stream, that of its last event; `None` without an answer.
    """

    name: str
    verb: str
    path: str
    description: str
    arguments: Sequence[Argument]
    returns: Schema | None
    keyed: bool
    streams: bool
    once: bool

    @property
    def file(self) -> str:
        """Return the argument that is the body itself, or `""`."""
        return "file" if self.name in _FILES else ""

    @property
    def needed(self) -> list[Argument]:
        """Return the required arguments, which are given by their place."""
        return [one for one in self.arguments if one.is_needed]

    @property
    def options(self) -> list[Argument]:
        """Return the optional arguments, which are given by their names."""
        return [one for one in self.arguments if not one.is_needed]

    @property
    def by_topic(self) -> bool:
        """Return True if a topic key may replace the id."""
        return any(one.name == "topic_key" for one in self.options) and "{id}" in self.path

    @property
    def context(self) -> str:
        """Return the place of a context in the answer, or `""`."""
        return _CONTEXT.get(reference(self.returns or {}), "")

    @property
    def line(self) -> str:
        """Return the line of the table."""
        parts: dict[str, object] = {
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
        return f"  '{camel(self.name)}': {{ {', '.join(f'{name}: {js(of)}' for name, of in parts.items() if of)} }},"


async def document() -> dict[str, Any]:
    """Return the document of the service."""
    with TemporaryDirectory() as folder:
        async with open_memory(Path(folder) / "m.db", embedder="none", background=False) as memory:
            transport = httpx2.ASGITransport(app=make_app(memory, ServiceOptions()))
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return (await client.get("/openapi.json")).raise_for_status().json()


def operations(document: Schema) -> list[Operation]:
    """Return the operations of a document, without the routes of RAE."""
    found = [
        operation(path, verb.upper(), one, document["components"]["schemas"])
        for path, verbs in document["paths"].items()
        for verb, one in verbs.items()
        if "x-right" in one and not one["operationId"].startswith("rae.") and one["operationId"] not in _BY_HAND
    ]
    return sorted(found, key=lambda one: ("." in one.name, one.name))


def operation(path: str, verb: str, described: Schema, schemas: Schema) -> Operation:
    """Return one operation of a document."""
    name, headers = described["operationId"], {one["name"] for one in described["parameters"] if one["in"] == "header"}
    arguments = [
        Argument(
            name=one["name"],
            schema=one["schema"].get("contentSchema", one["schema"]),
            description=one.get("description", ""),
            is_needed=one["required"],
        )
        for one in described["parameters"]
        if one["in"] != "header" and not (one["in"] == "query" and one["name"] in _SCOPE)
    ]
    arguments.sort(key=lambda one: path.find(f"{{{one.name}}}") if one.is_needed else len(path))
    bodies: list[Schema] = [*described.get("requestBody", {}).get("content", {}).values()]
    body: Schema = bodies[0].get("schema", {}) if bodies else {}
    if name in _FILES:
        file = Argument(name="file", schema={"type": "file"}, description=body["description"], is_needed=True)
        arguments.insert(0, file)
    else:
        arguments += fields(schemas[reference(body)], schemas) if reference(body) else []
    answer = next(iter(described["responses"].values())).get("content", {})
    streams = "text/event-stream" in answer
    keyed = "idempotency-key" in headers
    is_repeated = verb != "POST" or keyed or name in _ONLY_NEW or described["x-right"] == "read"
    returns = last_event(name) if streams else answer.get("application/json", {}).get("schema")
    if returns and any(one["name"] == "size" for one in described["parameters"]):
        # This client asks for no size, and so gets the first of the two.
        returns = returns["anyOf"][0]
    made = Operation(
        name=name,
        verb=verb,
        path=path,
        description="\n\n".join(
            filter(None, (described["summary"].rstrip(".") + ".", described.get("description", "")))
        ),
        arguments=sorted(arguments, key=lambda one: not one.is_needed),
        returns=returns,
        keyed=keyed,
        streams=streams,
        once=not is_repeated,
    )
    if {camel(one.name) for one in made.arguments} & _CALLING:
        raise ValueError(f"{name} has an argument with the name of an option of the client")
    return made


def last_event(name: str) -> Schema:
    """Return the schema of the last event of a stream: the answer of the operation without it."""
    kinds = {"ask_stream": "Answer", "sessions.reply_stream": "Reply", "sessions.execute_stream": "TaskResult"}
    return {"$ref": f"#/components/schemas/{kinds[name]}"}


def fields(schema: Schema, schemas: Schema) -> list[Argument]:
    """Return the fields of an object."""
    needed = schema.get("required", ())
    return [
        Argument(
            name=name,
            schema=one,
            description=one.get("description", "") or schemas.get(reference(one), {}).get("description", ""),
            is_needed=name in needed,
        )
        for name, one in schema["properties"].items()
    ]


def reference(schema: Schema) -> str:
    """Return the name of the schema that is referred to, or `""`."""
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            return str(one["$ref"]).rpartition("/")[2]
    return ""


def javascript(found: Sequence[Operation], document: Schema) -> str:
    """Return the table of operations, of verbatim names and of problems."""
    problems = {
        **{known.code: class_of(error) for error, known in ERRORS.items()},
        **{code: class_of(error) for code, (_, error) in SERVICE_PROBLEMS.items()},
    }
    return "\n".join(
        [
            f"// {_MADE}",
            "",
            "/** Each operation: its route, its required arguments, and how it is asked. */",
            "export const OPERATIONS = {",
            *(one.line for one in found),
            "}",
            "",
            "/** Objects with names of the caller, which stay as they are. */",
            f"export const VERBATIM = new Set({js(verbatim(found, document['components']['schemas']))})",
            "",
            "/** The error of each problem of the service. */",
            "export const PROBLEMS = {",
            *(f"  '{code}': '{name}'," for code, name in problems.items()),
            "}",
            "",
        ]
    )


def class_of(error: type[RemembrancerError]) -> str:
    """Return the name of an error here: by its class, or the nearest one above it."""
    return next((_CLASSES[kind] for kind in error.__mro__ if kind in _CLASSES), "RemembrancerError")


def verbatim(found: Sequence[Operation], schemas: Schema) -> list[str]:
    """Return the names of objects with names of the caller."""
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
        for argument in one.arguments:
            look(argument.name, argument.schema)
    return sorted(names)


def types(found: Sequence[Operation], document: Schema) -> str:
    """Return the types of arguments, options and results."""
    schemas = document["components"]["schemas"]
    out = reached((one.returns for one in found if one.returns), schemas)
    into = reached((argument.schema for one in found for argument in one.arguments), schemas)
    parts = [f"// {_MADE}", _IN_TYPES]
    parts += [declared(name, schemas, is_out=name in out) for name in sorted({*out, *into} - {"Context", "JsonValue"})]
    parts += [options(one, schemas) for one in found if one.options]
    parts += [interface(path, found, schemas) for path in resources(found)]
    codes = sorted({*(known.code for known in ERRORS.values()), *SERVICE_PROBLEMS})
    parts.append(
        "/** The codes of the problems of the service. */\nexport type ProblemCode =\n  | "
        + "\n  | ".join(map(js, codes))
    )
    return "\n\n".join(parts) + "\n"


def resources(found: Sequence[Operation]) -> list[str]:
    """Return the paths of all resources, and that of the memory itself, `""`."""
    paths = {path for one in found for path in prefixes(one.name)}
    return sorted(paths)


def prefixes(name: str) -> list[str]:
    """Return the path of each resource that an operation is in, and `""`."""
    parts = name.split(".")[:-1]
    return [".".join(parts[:length]) for length in range(len(parts) + 1)]


def interface(path: str, found: Sequence[Operation], schemas: Schema) -> str:
    """Return the type of a resource: its operations and the resources in it."""
    own = [one for one in found if one.name.rpartition(".")[0] == path]
    inner = [one for one in resources(found) if one and one.rpartition(".")[0] == path]
    lines = [f"  {camel(one.rpartition('.')[2])}: {resource_name(one)}" for one in inner]
    return "\n".join([f"export interface {resource_name(path)} {{", *lines, *members(own, schemas), "}"])


def resource_name(path: str) -> str:
    """Return the name of the type of a resource."""
    return "".join(part.capitalize() for part in path.split(".")) + "Operations"


def reached(roots: Iterable[Schema], schemas: Schema) -> set[str]:
    """Return the names of all schemas that these refer to."""
    names: set[str] = set()

    def look(schema: Schema) -> None:
        name = plain(str(schema.get("$ref", "")).rpartition("/")[2])
        if name and name not in names:
            names.add(name)
            look(schemas[name])
        more = filter(None, [schema.get("items"), inside_of(schema)])
        for part in (
            *schema.get("anyOf", ()),
            *schema.get("oneOf", ()),
            *schema.get("properties", {}).values(),
            *more,
        ):
            look(part)

    for root in roots:
        look(root)
    return names


def inside_of(schema: Schema) -> Schema:
    """Return the schema of the values of an object with any names; `{}` of another schema."""
    found = schema.get("additionalProperties")
    return cast(Schema, found) if isinstance(found, dict) else {}


def plain(name: str) -> str:
    """Return the name of a schema without its direction."""
    return name.removesuffix("Input")


def declared(name: str, schemas: Schema, *, is_out: bool) -> str:
    """Return a schema as a type; one that is only an argument has the names of options."""
    schema = schemas[name]
    if "properties" not in schema:
        return f"export type {name} = {typed(schema, schemas)}"
    lines: list[str] = []
    for one in fields(schema, {}):
        optional = "" if one.is_needed else "?"
        lines += [
            *comment(one.description, "  "),
            f"  {one.name if is_out else camel(one.name)}{optional}: {typed(one.schema, schemas, is_in=not is_out)}",
        ]
    return "\n".join([*comment(schema.get("description", "")), f"export interface {name} {{", *lines, "}"])


def options(one: Operation, schemas: Schema) -> str:
    """Return the options of an operation as a type."""
    lines: list[str] = []
    for option in one.options:
        lines += [
            *comment(option.description, "  "),
            f"  {camel(option.name)}?: {typed(option.schema, schemas, is_in=True)}",
        ]
    return "\n".join([f"export interface {options_name(one)} extends Calling {{", *lines, "}"])


def options_name(one: Operation) -> str:
    """Return the name of the type of an operation's options."""
    words = re.split(r"[._]", one.name)
    return "".join(word.capitalize() for word in words) + "Options" if one.options else "Calling"


def members(own: Sequence[Operation], schemas: Schema) -> list[str]:
    """Return operations as methods."""
    return [line for one in own for line in method(one, schemas)]


def method(one: Operation, schemas: Schema) -> list[str]:
    """Return an operation as a method, with the description of the service."""
    verb, of = camel(one.name.rpartition(".")[2]), typed(one.returns, schemas) if one.returns else "null"
    returns = f"Pieces<{of}>" if one.streams else f"Promise<{of}>"
    needed = [f"{camel(argument.name)}: {typed(argument.schema, schemas, is_in=True)}" for argument in one.needed]
    params = [
        f"@param {camel(argument.name)} {argument.description}" for argument in one.needed if argument.description
    ]
    described = comment("\n".join([one.description, *params]), "  ")
    named = options_name(one)
    lines = [*described, f"  {verb}({', '.join([*needed, f'options?: {named}'])}): {returns}"]
    if one.by_topic:
        lines.append(f"  {verb}(named: {named} & {{ topicKey: string }}): {returns}")
    return lines


def comment(text: str, indent: str = "") -> list[str]:
    """Return the lines of a comment."""
    lines = re.sub(_IN_WORDS, lambda found: _WORDS[found[0]], text).replace("*/", "* /").strip().splitlines()
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def typed(schema: Schema, schemas: Schema, *, is_in: bool = False) -> str:
    """Return a schema in TypeScript."""
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
    """Return several types as one, by a name where there is one."""
    found = (
        [one for part in parts for one in part.split(" | ")] if all("{" not in part for part in parts) else list(parts)
    )
    if "JsonValue[]" in found:
        return "JsonValue"
    if set(found) >= _KINDS:
        found = ["Memory", *(one for one in found if one not in _KINDS)]
    return " | ".join(dict.fromkeys(found))


def camel(name: str) -> str:
    """Return a name of the service in JavaScript; `wired` in `src/client.js` converts it back."""
    made = re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
    if re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", made) != name:
        raise ValueError(f"{name} does not come back as it was")
    return made


def js(value: object) -> str:
    """Return a value in JavaScript."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(js, value))}]"  # pyright: ignore[reportUnknownArgumentType] -- of texts
        case _:
            return f"'{value}'"


def main() -> int:
    """Write the files, or report which are out of date."""
    found_document = anyio.run(document)
    found = operations(found_document)
    made = {
        _HERE / "operations.js": javascript(found, found_document),
        _HERE / "types.d.ts": types(found, found_document),
    }
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
