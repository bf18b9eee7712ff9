"""Patterns and words of the guard as TOML: a file for each group of kinds, and for each language.

To add a kind of secret, add a table to a file of `secrets`. To add a language, add a file to `passwords` and to
`injection`, and its words to the files of `personal`. A pattern may contain `(?&name)`, which is replaced by the
fragment of that name.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

_FOLDERS: Final = ("assignments", "injection", "passwords", "personal", "secrets")
_FRAGMENT: Final = re.compile(r"\(\?&(\w+)\)")

# An event loop may not wait for a file, so the bytes are read on import. Parsing waits for the first text.
_FILES: Final[Mapping[str, Mapping[str, bytes]]] = {
    folder: {
        file.name.removesuffix(".toml"): file.read_bytes()
        for file in sorted((files(__name__) / folder).iterdir(), key=lambda file: file.name)
        if file.name.endswith(".toml")
    }
    for folder in _FOLDERS
}


@cache
def load(folder: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the parsed files of a folder by their names."""
    return MappingProxyType({name: tomllib.loads(data.decode()) for name, data in _FILES[folder].items()})


@cache
def word_set(folder: str, name: str, key: str) -> frozenset[str]:
    """Return the words of a list in a file."""
    return frozenset(load(folder)[name][key].split())


@cache
def compiled(folder: str, name: str, key: str) -> re.Pattern[str]:
    """Return a pattern of a file; the words of all languages in it are fragments, too."""
    table = load(folder)[name]
    words: dict[str, list[str]] = {}
    for language in table.get("words", {}).values():
        for kind, alternatives in language.items():
            words.setdefault(kind, []).extend(alternatives)
    fragments = table.get("fragments", {}) | {kind: "|".join(alternatives) for kind, alternatives in words.items()}
    return re.compile(expand(table["patterns"][key], fragments))


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return a pattern with its fragments in place of their names."""
    return _FRAGMENT.sub(lambda match: f"(?:{expand(fragments[match[1]], fragments)})", pattern)
