"""Prompts as files, and answers as values: the only place where a shape becomes a schema and comes back.

A file is `version: NAME`, then what stays the same from call to call, then what differs, with lines of `---` between
the three. In the last, `{{name}}` is filled in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError, WithJsonSchema

from remembrancer.errors import BadModelOutput
from remembrancer.llm.language_model import Prompt

T = TypeVar("T")
_PARTS = re.compile(r"version: (?P<version>\S+)\n---\n(?P<system>.*?)\n---\n(?P<text>.*)", re.DOTALL)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_FENCED = re.compile(r"\s*```\w*[ \t]*\n(?P<inner>.*?)\n?[ \t]*```\s*", re.DOTALL)
_FAULTS_SHOWN = 5

Text: TypeAlias = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text of an answer; models write `null` for one that is empty."""
Priority: TypeAlias = Annotated[int, WithJsonSchema({"type": "integer", "enum": [1, 2, 3, 4, 5]})]
"""A priority of an answer, asked for as one of five; what is beyond is for the reader to mend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A prompt with places to fill in."""

    version: str
    system: str
    text: str

    def render(self, **values: str) -> Prompt:
        """Return the prompt with a value in each place; a value is never searched for places itself.

        Raises:
            KeyError: a place has no value, or a value no place.
        """
        if unplaced := values.keys() ^ set(_PLACE.findall(self.text)):
            raise KeyError(f"prompt {self.version} and its values differ in {', '.join(sorted(unplaced))}")
        return Prompt(
            system=self.system, text=_PLACE.sub(lambda place: values[place[1]], self.text), version=self.version
        )


def template_of(source: str) -> Template:
    """Return the template in a file.

    Raises:
        ValueError: it does not have the three parts, or has places in the stable part.
    """
    parts = _PARTS.fullmatch(source.strip() + "\n")
    if parts is None or _PLACE.search(parts["system"]):
        raise ValueError("a prompt is a version, what stays the same and what differs, with lines of --- between them")
    return Template(version=parts["version"], system=parts["system"].strip(), text=parts["text"].strip())


@cache
def template_named(name: str) -> Template:
    """Return the template of the file `prompts/NAME.md`."""
    return template_of(files("remembrancer.learn").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))


@cache
def _adapter(shape: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(shape)


def schema_of(shape: type[object]) -> Mapping[str, Any]:
    """Return the JSON schema of a shape in the form of strict modes: all fields are required, no others allowed.

    A shape may have defaults all the same: a field that a model leaves out gets its default.
    """
    return _strict(_adapter(shape).json_schema())


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _strict(value) for name, value in cast("dict[str, Any]", schema).items() if name != "default"}
    if "properties" in inner:
        inner |= {"required": list(inner["properties"]), "additionalProperties": False}
    return inner


def parse(text: str, shape: type[T]) -> T:
    """Return a model's answer as one whole value.

    Args:
        text: JSON, in a code fence or bare.

    Raises:
        BadModelOutput: it is invalid; the message has the place, and repeats nothing of the answer.
    """
    fenced = _FENCED.fullmatch(text)
    try:
        return _adapter(shape).validate_json((fenced["inner"] if fenced else text).encode(errors="replace"))
    except ValidationError as error:
        faults = error.errors(include_input=False, include_context=False, include_url=False)
        shown = [f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['type']}" for fault in faults[:_FAULTS_SHOWN]]
        # Without its cause, which repeats the answer.
        raise BadModelOutput(f"the model's answer breaks the agreed shape ({'; '.join(shown)})") from None
