"""Word lists, cues and patterns of languages: TOML files, one a kind, that are parsed and compiled at first use.

A pattern is a regular expression, or a list of alternatives by language with the expression that surrounds them.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = ("english", "german", "spanish", "french", "italian")
"""The languages that have tables."""
WORD: Final = r"(?<![\w'’-])(?:{words})(?![\w-])"
"""The expression around alternatives that are whole words, where a table has no other."""
# Read with this module, since an event loop may not wait for a file.
_SOURCES: Final = {
    file.name.removesuffix(".toml"): file.read_text(encoding="utf-8")
    for file in files(__name__).iterdir()
    if file.name.endswith(".toml")
}


@cache
def table(name: str) -> Mapping[str, Any]:
    """Return the contents of a table."""
    return tomllib.loads(_SOURCES[name])


@cache
def word_list(name: str, *path: str) -> frozenset[str]:
    """Return a list of words in a table; of all languages where it is kept by language."""
    found: Any = table(name)
    for part in path:
        found = found[part]
    lists: Sequence[str] = [found] if isinstance(found, str) else list(found.values())
    return frozenset(word for text in lists for word in text.split())


@cache
def words_by_language(name: str, key: str) -> Mapping[str, frozenset[str]]:
    """Return a list of words in a table for each language."""
    return {language: frozenset(text.split()) for language, text in table(name)[key].items()}


class PatternTable(dict[str, re.Pattern[str]]):
    """The compiled patterns of a table by name; `name.language` is the pattern of one language.

    A pattern is compiled at its first use.

    Args:
        name: the table.
        section: the part of the table with the patterns; `""` for all of it.
        flags: of `re`.
        fill: returns the text for each `{place}` of the patterns, besides those of the section `fill`.
    """

    def __init__(
        self,
        name: str,
        section: str = "",
        *,
        flags: re.RegexFlag = re.IGNORECASE,
        fill: Callable[[], Mapping[str, str]] = dict[str, str],
    ) -> None:
        super().__init__()
        self._table = name
        self._section = section
        self._flags = flags
        self._fill = fill

    def __missing__(self, name: str) -> re.Pattern[str]:
        key, _, language = name.partition(".")
        expression = _expression(self._entries()[key], (language,) if language else (*LANGUAGES, "any"))
        pattern = self[name] = re.compile(self._filled(expression), self._flags)
        return pattern

    def names(self) -> Sequence[str]:
        """Return the names of all patterns, in the order of the table."""
        return [name for name in self._entries() if name != "fill"]

    def _entries(self) -> Mapping[str, Any]:
        return table(self._table)[self._section] if self._section else table(self._table)

    def _filled(self, text: str) -> str:
        own: Mapping[str, str | list[str]] = table(self._table).get("fill", {})
        for place, value in {**own, **self._fill()}.items():
            text = text.replace(f"{{{place}}}", value if isinstance(value, str) else "|".join(value))
        return text


def _expression(entry: str | Mapping[str, Any], languages: Sequence[str]) -> str:
    if isinstance(entry, str):
        return entry
    alternatives = [text for language in languages for text in entry.get(language, ())]
    return str(entry.get("pattern", WORD)).replace("{words}", "|".join(alternatives))
