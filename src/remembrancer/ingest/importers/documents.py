"""The form in which documents of other programs, such as items of a store of LangGraph, are stored as observations."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.values import JsonObject
from remembrancer.types.scope import check_name


def document_key(kind: str, path: Sequence[str]) -> str:
    """Return the topic key of a path: its names if that is a possible key, else their hash."""
    name = f"{kind} {joined(path)}"
    try:
        is_possible = check_name(name, what="path") == name
    except InvalidInput:
        is_possible = False
    return name if is_possible else f"{kind} {hashlib.sha256(joined(path).encode()).hexdigest()}"


def document_metadata(kind: str, path: Sequence[str], value: Any, stored_at: str) -> JsonObject:
    """Return the metadata of a document: its path, its value, and each prefix of its path, by which it is found."""
    prefixes = {f"{kind}.{depth}": joined(path[:depth]) for depth in range(1, len(path))}
    return {kind: {"path": list(path), "value": value, "stored_at": stored_at}, **prefixes}


def joined(path: Sequence[str]) -> str:
    """Return a path as one string."""
    return json.dumps(list(path), ensure_ascii=False)


def words_of(value: Mapping[str, Any]) -> str:
    """Return the text of a value: that of its only field, or all fields with their names."""
    leaves = list(_leaves(value))
    if len(leaves) == 1:
        return leaves[0][1]
    return "\n".join(f"{name}: {text}" for name, text in leaves)


def _leaves(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, one in value.items():
        if isinstance(one, Mapping):
            yield from _leaves(cast("Mapping[str, Any]", one), f"{before}{name}.")
        elif one is not None:
            yield f"{before}{name}", one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
