"""The one form of SQL for both databases, and its translation for each.

A statement is written in PostgreSQL's form, with `:name` for a value and `{word}` for what differs between databases
or depends on the caller; SQLite gets it without casts, and reads lists with `json_each`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, LiteralString, TypeVar, cast

from remembrancer.storage.tables import Column, ValueForm
from remembrancer.types.scope import Classification

T = TypeVar("T")
Row = Sequence[Any]
Values = Mapping[str, object]

_WORD = re.compile(r"\{(\w+)\}")
_MOST_KEPT = 4_096
# What a clearance leaves of a table: a condition in words, so that a caller to whom nothing is closed pays nothing.
_OPEN: Mapping[Classification, LiteralString] = {
    Classification.PUBLIC: " AND {table}.classification = 'public'",
    Classification.INTERNAL: " AND {table}.classification IN ('public', 'internal')",
    Classification.CONFIDENTIAL: " AND {table}.classification <> 'restricted'",
    Classification.RESTRICTED: "",
}
_CLOSED: Mapping[Classification, LiteralString] = {
    Classification.PUBLIC: "('internal', 'confidential', 'restricted')",
    Classification.INTERNAL: "('confidential', 'restricted')",
    Classification.CONFIDENTIAL: "('restricted')",
    Classification.RESTRICTED: "('')",
}
# A source that is closed to the caller is not named.
_BASIS: LiteralString = """ AND EXISTS (
    SELECT 1 FROM records AS basis
    WHERE basis.id = evidence.source AND basis.tenant = evidence.tenant{basis_cleared}
)"""


# Rows about a record, by its id, are visible where the record itself is.
_RECORD_OPEN: LiteralString = """EXISTS (
    SELECT 1 FROM records AS meant WHERE meant.id = record AND meant.tenant = :tenant{meant_cleared}
)"""


# The rows of a scope and of those under it; its names are the values of `scope_columns`.
_BENEATH: LiteralString = """scopes.tenant = :tenant
    AND (:project::text IS NULL OR scopes.project = :project)
    AND (:agent::text IS NULL OR scopes.agent = :agent)
    AND (:user::text IS NULL OR scopes."user" = :user)"""


class Dialect:
    """The translation of statements and values for a database.

    Args:
        words: its text for each `{word}`.
        translate: translates a statement that has its words.
        converted: converts a value for the database.
        converters: converts the values of a column, by their form; others stay as they are.
    """

    def __init__(
        self,
        *,
        words: Mapping[str, LiteralString],
        translate: Callable[[str], str],
        converted: Callable[[object], object],
        converters: Mapping[ValueForm, Callable[[Any], Any]],
    ) -> None:
        self._words = words
        self._translate = translate
        self.converted = converted
        self._converters = converters
        self._known: dict[tuple[LiteralString, Classification], LiteralString] = {}
        # With the columns themselves, so that no others come by their identity.
        self._readers: dict[int, tuple[Sequence[Column], Callable[[Row], list[Any]]]] = {}

    def sql(self, statement: LiteralString, clearance: Classification = Classification.RESTRICTED) -> LiteralString:
        """Return a statement for this database and a caller's clearance."""
        found = self._known.get((statement, clearance))
        if found is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            # Literal still: it is made of literals and of nothing else.
            found = cast(LiteralString, self._translate(self._worded(statement, clearance)))
            self._known[statement, clearance] = found
        return found

    def values(self, values: Values) -> dict[str, object]:
        """Return values by name in the form of this database."""
        return {name: self.converted(value) for name, value in values.items()}

    def moment(self, value: Any) -> Any:
        """Return a time that a statement has computed, or `None`."""
        converters = self._converters.get(ValueForm.MOMENT)
        return value if converters is None or value is None else converters(value)

    def reader(self, of: Sequence[Column]) -> Callable[[Row], list[Any]]:
        """Return the converter of rows of these columns, a constant; it is made once."""
        known = self._readers.get(id(of))
        if known is None:
            known = self._readers[id(of)] = (of, self._reader(of))
        return known[1]

    def _reader(self, of: Sequence[Column]) -> Callable[[Row], list[Any]]:
        places = [(place, self._converters[one.form]) for place, one in enumerate(of) if one.form in self._converters]

        def read(row: Row) -> list[Any]:
            values = list(row)
            for place, converters in places:
                if values[place] is not None:
                    values[place] = converters(values[place])
            return values

        return read

    def _worded(self, statement: str, clearance: Classification) -> str:
        words = {
            **self._words,
            "seen": "records.scope = ANY(:visible){cleared}",
            "beneath": _BENEATH,
            "own": "records.scope = :scope{cleared}",
            "versions_seen": "versions.scope = ANY(:visible){versions_cleared}",
            "cleared": _OPEN[clearance].replace("{table}", "records"),
            "versions_cleared": _OPEN[clearance].replace("{table}", "versions"),
            "basis_cleared": _OPEN[clearance].replace("{table}", "basis"),
            "meant_cleared": _OPEN[clearance].replace("{table}", "meant"),
            "open_task": _if_open("task", clearance),
            "open_suggestion": _if_open("suggestion", clearance),
            "record_open": "TRUE" if clearance is Classification.RESTRICTED else _RECORD_OPEN,
            "closed": _CLOSED[clearance],
            "basis": "evidence.id = records.id AND evidence.tenant = records.tenant"
            + ("" if clearance is Classification.RESTRICTED else _BASIS),
        }
        while _WORD.search(statement):
            statement = _WORD.sub(lambda word: words[word[1]], statement)
        return statement


def _if_open(column: LiteralString, clearance: Classification) -> LiteralString:
    """Return a column of a chunk; blank if the caller may not see all of its sources."""
    if clearance is Classification.RESTRICTED:
        return column
    return f"CASE WHEN TRUE{_OPEN[clearance].replace('{table}', 'chunks')} THEN {column} ELSE '' END"
