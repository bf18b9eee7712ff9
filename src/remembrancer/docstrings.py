"""Parsing of docstrings.

Help texts, schemas and the OpenAPI document are generated from them.
"""

import inspect
import re
from collections.abc import Mapping

_ARGS = re.compile(r"^ *Args:\n((?: {4,}.*\n?|\n)*)", re.MULTILINE)
_ARG = re.compile(r"^([\w, ]+): (.*)$")
_RAISES = re.compile(r"^ *Raises:\n((?: {4,}.*\n?|\n)*)", re.MULTILINE)
_ERROR = re.compile(r"^    (\w+(?:, \w+)*):", re.MULTILINE)
_SECTION = re.compile(r"\n *(?:Args|Raises|Returns|Attributes):\n")


def argument_descriptions(owner: object) -> Mapping[str, str]:
    """Return the descriptions of arguments, or of the fields of a class."""
    owners = reversed(owner.__mro__) if isinstance(owner, type) else (owner,)
    return {name: text for one in owners for name, text in _argument_descriptions(one).items()}


def raised_errors(owner: object) -> tuple[str, ...]:
    """Return the names of the errors that a docstring lists under `Raises`."""
    section = _RAISES.search((inspect.getdoc(owner) or "") + "\n")
    return tuple(name for line in _ERROR.findall(section[1]) for name in line.split(", ")) if section else ()


def summary(owner: object) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(owner) or "").split("\n\n")[0].split())


def body(owner: object) -> str:
    """Return a docstring without its sections."""
    return _SECTION.split(inspect.getdoc(owner) or "")[0].strip()


def _argument_descriptions(owner: object) -> Mapping[str, str]:
    descriptions: dict[str, str] = {}
    names: list[str] = []
    text = inspect.cleandoc(owner.__doc__ or "")
    section = _ARGS.search(text + "\n")
    for line in section[1].splitlines() if section else ():
        if argument := _ARG.match(line.strip()) if len(line) - len(line.lstrip()) == 4 else None:
            names = [name.strip() for name in argument[1].split(",")]
            descriptions.update(dict.fromkeys(names, argument[2]))
        elif line.strip():
            descriptions.update({name: f"{descriptions[name]} {line.strip()}" for name in names})
    return {name: text.replace("`", "") for name, text in descriptions.items()}
