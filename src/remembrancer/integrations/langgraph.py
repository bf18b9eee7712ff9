"""`RemembrancerStore`: a `BaseStore` of LangGraph whose items are memories.

An item is an observation: it is found by `recall`, shown in contexts, corrected by people, versioned, archived and
erased like any other. A namespace, or a part of it, may name the user or agent to whom the item belongs.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any, Final, TypeAlias, cast

from anyio.to_thread import run_sync

from remembrancer.ingest.importers.documents import words_of
from remembrancer.integrations import checked_memory, missing_extra
from remembrancer.integrations.documents import MAX_FOUND, Document, Documents, NewDocument
from remembrancer.sync import SyncMemory
from remembrancer.types.record import Json
from remembrancer.types.scope import DIMENSIONS, Scope

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        validate_op_namespace,
    )
except ModuleNotFoundError as error:
    raise missing_extra("langgraph", error) from error

Namespace: TypeAlias = tuple[str, ...]
_KIND: Final = "langgraph"
_WHOLE: Final = "$"
_COMPARISONS: Final = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_DEFAULT_MINUTES: Final = 5


class RemembrancerStore(BaseStore):
    """A store of LangGraph in a memory.

    All methods may be called from any thread; the asynchronous ones do not block the event loop.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service. The caller closes it.
        scopes: patterns of namespaces that name a scope, such as `("memories", "{user}")`: what is stored under
            `("memories", "ana", …)` belongs to the user `ana`. A label is a literal, `{project}`, `{agent}`, `{user}`,
            or `*` for any. The first pattern that matches applies; other namespaces belong to the scope of `memory`.
        fields: paths of the values that are searched, as in LangGraph's `IndexConfig`; by default the whole value.
        ttl: LangGraph's `TTLConfig`, in minutes. Expired items are never returned; `sweep_ttl` deletes them.
        only_matches: a search with a query returns only items that match it, and none if none is likely to answer. By
            default the other items follow, with the score 0, as they do in a store of vectors.

    Raises:
        ValueError: a pattern names no scope, or one twice.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: SyncMemory,
        *,
        scopes: Sequence[Sequence[str]] = (),
        fields: Sequence[str] = (_WHOLE,),
        ttl: TTLConfig | None = None,
        only_matches: bool = False,
    ) -> None:
        self.ttl_config = ttl
        self._memory = checked_memory(memory)
        self._patterns = [_checked_pattern(pattern) for pattern in scopes]
        self._fields = tuple(fields)
        self._only_matches = only_matches
        self._sweeper_stopped: threading.Event | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations: all reads, then all writes. Of several writes of one key the last applies."""
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
        results: list[Result] = [self._read(op) for op in listed]
        self._write([op for op in listed if isinstance(op, PutOp)])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations as `batch` does, in another thread."""
        return await run_sync(self.batch, list(ops))

    def setup(self) -> None:
        """Do nothing: a memory is ready when it is open. Other stores of LangGraph need this call."""

    def sweep_ttl(self) -> int:
        """Delete the expired items, and return their number."""
        documents = self._documents(self._memory.scope)
        expired = [one for one in documents.iterate_all(all_scopes=self._has_scopes) if documents.is_expired(one)]
        return sum(self._documents(self._scope(one.path[:-1])).delete(one.path) for one in expired)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Delete expired items now and then in a thread of its own, until `stop_ttl_sweeper`.

        Args:
            sweep_interval_minutes: by default that of the `ttl` configuration, or 5.
        """
        if self._sweeper_stopped is not None:
            return
        configured = (self.ttl_config or {}).get("sweep_interval_minutes")
        minutes = sweep_interval_minutes or configured or _DEFAULT_MINUTES
        stopped = self._sweeper_stopped = threading.Event()

        def delete_expired() -> None:
            while not stopped.wait(minutes * 60):
                self.sweep_ttl()

        threading.Thread(target=delete_expired, name="remembrancer-langgraph-ttl", daemon=True).start()

    def stop_ttl_sweeper(self) -> None:
        """Stop the thread of `start_ttl_sweeper`; without one, do nothing."""
        if self._sweeper_stopped is not None:
            self._sweeper_stopped.set()
            self._sweeper_stopped = None

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list_namespaces(op)
            case _:
                return None

    def _get(self, op: GetOp) -> Item | None:
        documents = self._documents(self._scope(op.namespace))
        document = documents.find((*op.namespace, str(op.key)))
        if document is None or documents.is_expired(document):
            return None
        self._refresh([document], op.refresh_ttl)
        return Item(**_fields(document))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, query = tuple(op.namespace_prefix), (op.query or "").strip()
        # A filter is applied to what was found.
        most = MAX_FOUND if op.filter else max(1, min(MAX_FOUND, op.offset + op.limit))
        found = self._nearest(prefix, query, most) if query else self._newest(prefix)
        matching = (one for one in found if _matches(_value(one), op.filter))
        page = list(islice(matching, op.offset, op.offset + op.limit))
        self._refresh(page, op.refresh_ttl)
        return [SearchItem(**_fields(one), score=one.score) for one in page]

    def _newest(self, prefix: Namespace) -> list[Document]:
        scope = self._scope_of_prefix(prefix)
        documents = self._documents(scope or self._memory.scope)
        found = documents.iterate(prefix, all_scopes=scope is None)
        return sorted(found, key=lambda one: one.updated_at, reverse=True)

    def _nearest(self, prefix: Namespace, query: str, most: int) -> Iterator[Document]:
        """Yield at least `most` documents by their score for a query, then, where wanted, the others."""
        scope = self._scope_of_prefix(prefix)
        scopes = {self._scope(one.path[:-1]) for one in self._newest(prefix)} if scope is None else {scope}
        nearest: dict[str, Document] = {}
        # Items that are not indexed are found, too, and left out.
        for limit in sorted({most, MAX_FOUND}):
            found = [
                one
                for each in scopes
                for one in self._documents(each).search(query, prefix, limit=limit, abstain=self._only_matches)
            ]
            nearest = {one.id: one for one in found if _is_indexed(one)}
            if len(nearest) >= most or len(found) < limit:
                break
        yield from sorted(nearest.values(), key=lambda one: one.score or 0.0, reverse=True)
        if not self._only_matches:
            others = (one for one in self._newest(prefix) if one.id not in nearest and _is_indexed(one))
            yield from (replace(one, score=0.0) for one in others)

    def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        documents = self._documents(self._memory.scope)
        stored = {one.path[:-1] for one in documents.iterate(all_scopes=self._has_scopes)}
        conditions = op.match_conditions or ()
        chosen = {namespace[: op.max_depth] for namespace in stored if all(_fits(namespace, one) for one in conditions)}
        return sorted(chosen)[op.offset :][: op.limit]

    def _write(self, ops: Sequence[PutOp]) -> None:
        by_scope: dict[Scope, list[NewDocument]] = {}
        for (namespace, key), op in {(op.namespace, str(op.key)): op for op in ops}.items():
            scope = self._scope(namespace)
            if op.value is None:
                self._documents(scope).delete((*namespace, key))
            else:
                by_scope.setdefault(scope, []).append(self._new_document(op))
        for scope, written in by_scope.items():
            self._documents(scope).save_many(written)

    def _new_document(self, op: PutOp) -> NewDocument:
        fields = self._fields if op.index is None else op.index or ()
        kept: dict[str, Json] = {
            "item": cast(Json, op.value),
            "ttl": op.ttl,
            "is_indexed": op.index is not False,
            "fields": list(fields),
        }
        return NewDocument(
            path=(*op.namespace, str(op.key)),
            text=_text_of(op.value or {}, fields),
            value=kept,
            valid_until=None if op.ttl is None else self._now() + timedelta(minutes=op.ttl),
        )

    def _refresh(self, documents: Sequence[Document], wanted: bool | None) -> None:
        """Postpone the end of documents that were read, if that is wanted."""
        if wanted is False:
            return
        for document in documents:
            minutes = _kept(document)["ttl"]
            if minutes is not None:
                scope = self._scope(document.path[:-1])
                self._documents(scope).extend(document, self._now() + timedelta(minutes=minutes))

    def _now(self) -> datetime:
        return self._documents(self._memory.scope).now()

    def _documents(self, scope: Scope) -> Documents:
        memory = self._memory if scope == self._memory.scope else self._memory.within(scope)
        return Documents(memory, _KIND)

    @property
    def _has_scopes(self) -> bool:
        return bool(self._patterns)

    def _scope(self, namespace: Sequence[str]) -> Scope:
        """Return the scope that a namespace belongs to."""
        for pattern in self._patterns:
            if len(namespace) >= len(pattern) and all(map(_is_label, pattern, namespace)):
                names = {label[1:-1]: name for label, name in zip(pattern, namespace, strict=False) if _names(label)}
                own = self._memory.scope
                return Scope(tenant=own.tenant, **{one: names.get(one, getattr(own, one)) for one in DIMENSIONS})
        return self._memory.scope

    def _scope_of_prefix(self, prefix: Namespace) -> Scope | None:
        """Return the only scope of all namespaces under a prefix, or `None`."""
        is_open = any(len(prefix) < len(one) and all(map(_is_label, one, prefix)) for one in self._patterns)
        return None if is_open else self._scope(prefix)


def _checked_pattern(pattern: Sequence[str]) -> tuple[str, ...]:
    """Return a pattern of namespaces.

    Raises:
        ValueError: it names no scope, or one twice.
    """
    named = [label for label in pattern if _names(label)]
    if isinstance(pattern, str) or not named or len(set(named)) < len(named):
        raise ValueError(
            f"scopes has the pattern {pattern!r}; a pattern is a sequence of labels with {{project}}, {{agent}} or"
            " {user}, each once at most, such as ('memories', '{user}')"
        )
    return tuple(pattern)


def _names(label: str) -> bool:
    return label[:1] == "{" and label[-1:] == "}" and label[1:-1] in DIMENSIONS


def _is_label(pattern: str, label: str) -> bool:
    return pattern in ("*", label) or _names(pattern)


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    """Return True if a namespace begins or ends with a path, in which `*` is any one label."""
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :] if path else ()
    return len(part) == len(path) and all(one in ("*", label) for one, label in zip(path, part, strict=True))


def _kept(document: Document) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], document.value)


def _is_indexed(document: Document) -> bool:
    return bool(_kept(document)["is_indexed"])


def _fields(document: Document) -> dict[str, Any]:
    return {
        "namespace": document.path[:-1],
        "key": document.path[-1],
        "value": _value(document),
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }


def _value(document: Document) -> dict[str, Any]:
    """Return the value of an item, as it was stored, or with the text that a person has corrected.

    A value with one text has the corrected one in its place; another has it under `correction`.
    """
    kept = _kept(document)
    value = cast(dict[str, Any], kept["item"])
    if not document.is_corrected or document.text == _text_of(value, kept["fields"]):
        return value
    texts = [name for name, one in value.items() if isinstance(one, str)]
    return {**value, texts[0] if len(texts) == len(value) == 1 else "correction": document.text}


def _text_of(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Return the text of a value for search: of all its fields with their names, or of the paths alone."""
    if _WHOLE not in fields:
        return "\n".join(text for path in fields for text in get_text_at_path(dict(value), path))
    return words_of(value)


def _matches(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Return True if a value satisfies the conditions of a filter.

    Raises:
        ValueError: an operator is unknown.
    """
    return all(_satisfies(value, name, wanted) for name, wanted in (filter or {}).items())


def _satisfies(value: Mapping[str, Any], name: str, wanted: Any) -> bool:
    conditions = cast(Mapping[str, Any], wanted) if isinstance(wanted, Mapping) else {"$eq": wanted}
    unknown = [one for one in conditions if one not in (*_COMPARISONS, "$eq", "$ne")]
    if unknown:
        raise ValueError(f"Unsupported operator: {unknown[0]}; use $eq, $ne, $gt, $gte, $lt or $lte")
    # A field that is missing satisfies no condition, as in SQL.
    return name in value and all(_compare(value[name], operator, one) for operator, one in conditions.items())


def _compare(value: Any, operator: str, wanted: Any) -> bool:
    if operator in _COMPARISONS:
        are_numbers = _is_number(value) and _is_number(wanted)
        are_texts = isinstance(value, str) and isinstance(wanted, str)
        return (are_numbers or are_texts) and bool(_COMPARISONS[operator](value, wanted))
    # In JSON a truth value is no number.
    is_equal = isinstance(value, bool) is isinstance(wanted, bool) and value == wanted
    return is_equal is (operator == "$eq")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
