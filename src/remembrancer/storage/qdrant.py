"""An outside vector index in Qdrant, one collection for each generation.

A point is one passage of a document. It has the document's number and the fingerprint of its scope, nothing else.
"""

import uuid
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from remembrancer.errors import InvalidInput, StoreError, StoreUnavailable
from remembrancer.storage.documents import DocumentNumbers, DocumentVectors, Nearest

T = TypeVar("T")

IN_MEMORY = ":memory:"
CLIENT_SECONDS = 5
_SCOPE = "scope"
_DOCUMENT = "document"
_POINTS = uuid.UUID("8f6f2d1e-55a3-4c0e-9a37-0d3b8f0b7c52")
_POINTS_A_REQUEST = 256
_SCROLLED = 4_096
_PIECES_A_WORDING = 2
_MOST_POINTS = 10_000
_NO_SUCH = 404
_THERE_ALREADY = 409
_DENIED = (401, 403)
_SERVER_ERROR = 500


class QdrantIndex:
    """A vector index in Qdrant; see `VectorIndex`. It connects on the first call.

    Args:
        where: the server's address, `http://` or `https://`; or a folder, or `:memory:`, for trials in one process.
        collection: the prefix of the names of its collections; no other store may use the same.
        seconds: the limit for a request.

    Raises:
        InvalidInput: the address is of another kind.
    """

    def __init__(self, where: str, *, collection: str, api_key: str = "", seconds: int = CLIENT_SECONDS) -> None:
        scheme, found, _ = where.partition("://")
        if found and scheme not in ("http", "https"):
            raise InvalidInput(f"no vector index at {scheme}:// addresses; use http://, https://, or a folder")
        self._where = where
        self._on_server = bool(found)
        self._collection = collection
        self._api_key = api_key
        self._seconds = seconds
        self._client: QdrantClient | None = None
        self._opening = Lock()
        # The client's own index, which trials use, is not made for several threads.
        self._turn = nullcontext() if self._on_server else Lock()
        self._known: set[str] = set()

    def put(self, documents: Sequence[DocumentVectors], *, generation: int) -> None:
        """Store documents, each in place of the old one of its number; searchable when this returns."""
        if not documents:
            return
        name = self._name(generation)
        with self._using(name) as client:
            if not self._exists(client, name):
                self._make(client, name, documents[0].passages.shape[1])
            delete = models.DeleteOperation(
                delete=models.FilterSelector(filter=_of([one.document for one in documents]))
            )
            earlier: list[Any] = [delete]
            for points in _batches((point for one in documents for point in _points(one)), _POINTS_A_REQUEST):
                fresh = models.UpsertOperation(upsert=models.PointsList(points=points))
                client.batch_update_points(name, [*earlier, fresh])
                earlier = []

    def remove(self, documents: Sequence[int], *, generation: int) -> None:
        """Remove documents; missing ones are ignored."""
        name = self._name(generation)
        with self._using(name) as client:
            if documents and self._exists(client, name):
                client.delete(name, points_selector=models.FilterSelector(filter=_of(documents)))

    def nearest(self, query: NDArray[np.float32], *, scopes: Sequence[str], generation: int, limit: int) -> Nearest:
        """Return the documents of some scopes nearest to a unit vector, by the best passage of each."""
        name, wanted = self._name(generation), limit * _PIECES_A_WORDING
        best: dict[int, float] = {}
        with self._using(name) as client:
            while self._exists(client, name):
                points = client.query_points(
                    name,
                    query=query.tolist(),
                    query_filter=_in(scopes),
                    limit=wanted,
                    with_payload=[_DOCUMENT],
                ).points
                for point in points:
                    best.setdefault(_document(point.payload), point.score)
                if len(best) >= limit or len(points) < wanted or wanted >= _MOST_POINTS:
                    break
                wanted *= 4
        found = list(best)[:limit]
        return Nearest(
            documents=np.array(found, dtype=np.int64),
            cosines=np.array([best[document] for document in found], dtype=np.float32),
        )

    def documents_of(self, scope: str, *, generation: int) -> DocumentNumbers:
        """Return the numbers of all its documents of a scope, ascending."""
        name, found, offset = self._name(generation), set[int](), None
        with self._using(name) as client:
            while self._exists(client, name):
                points, offset = client.scroll(
                    name, scroll_filter=_in([scope]), limit=_SCROLLED, offset=offset, with_payload=[_DOCUMENT]
                )
                found.update(_document(point.payload) for point in points)
                if offset is None:
                    break
        return np.array(sorted(found), dtype=np.int64)

    def generations(self) -> list[int]:
        """Return its generations, ascending."""
        with self._using() as client:
            names = [collection.name for collection in client.get_collections().collections]
        ends = [name.removeprefix(f"{self._collection}-") for name in names if name.startswith(f"{self._collection}-")]
        return sorted(int(end) for end in ends if end.isdecimal())

    def drop(self, generation: int) -> None:
        """Delete everything of a generation."""
        name = self._name(generation)
        with self._using(name) as client:
            self._known.discard(name)
            if client.collection_exists(name):
                client.delete_collection(name)

    def close(self) -> None:
        """Close its connections; may be called twice."""
        with self._opening:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _name(self, generation: int) -> str:
        return f"{self._collection}-{generation}"

    def _exists(self, client: QdrantClient, name: str) -> bool:
        if name not in self._known and client.collection_exists(name):
            self._known.add(name)
        return name in self._known

    def _make(self, client: QdrantClient, name: str, dimension: int) -> None:
        try:
            client.create_collection(
                name, vectors_config=models.VectorParams(size=dimension, distance=models.Distance.COSINE)
            )
        except UnexpectedResponse as error:
            # Another process may have made it in between.
            if error.status_code != _THERE_ALREADY:
                raise
        if self._on_server:
            client.create_payload_index(
                name,
                _SCOPE,
                field_schema=models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
            )
            client.create_payload_index(name, _DOCUMENT, field_schema=models.PayloadSchemaType.INTEGER)
        self._known.add(name)

    @contextmanager
    def _using(self, name: str = "") -> Generator[QdrantClient]:
        """Return the client, opened on first use; translate its errors."""
        try:
            with self._turn:
                yield self._opened()
        except ResponseHandlingException as error:
            raise StoreUnavailable(f"the vector index cannot be reached ({type(error.source).__name__})") from error
        except UnexpectedResponse as error:
            if error.status_code == _NO_SUCH:
                # Deleted by another process: looked up again, and created again on the next write.
                self._known.discard(name)
            raise _error(error.status_code or _SERVER_ERROR) from error

    def _opened(self) -> QdrantClient:
        with self._opening:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> QdrantClient:
        if self._on_server:
            return QdrantClient(
                url=self._where, api_key=self._api_key or None, timeout=self._seconds, check_compatibility=False
            )
        if self._where == IN_MEMORY:
            return QdrantClient(location=IN_MEMORY)
        try:
            return QdrantClient(path=self._where, force_disable_check_same_thread=True)
        except (RuntimeError, OSError) as error:
            raise StoreUnavailable(f"the folder {self._where!r} is another process's, or cannot be opened") from error


def _error(status: int) -> StoreError:
    if status in _DENIED:
        return StoreError("the vector index refused the key; check REMEMBRANCER_QDRANT_API_KEY")
    if status >= _SERVER_ERROR or status == _NO_SUCH:
        return StoreUnavailable(f"the vector index failed (HTTP {status})")
    return StoreError(f"the vector index refused a request (HTTP {status}); run `remembrancer admin index rebuild`")


def _points(wording: DocumentVectors) -> Iterator[models.PointStruct]:
    payload = {_SCOPE: wording.scope, _DOCUMENT: wording.document}
    for place, row in enumerate(wording.passages):
        id = uuid.uuid5(_POINTS, f"{wording.document}/{place}")
        yield models.PointStruct(id=str(id), vector=row.tolist(), payload=payload)


def _of(documents: Sequence[int]) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=_DOCUMENT, match=models.MatchAny(any=list(documents)))])


def _in(scopes: Sequence[str]) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=_SCOPE, match=models.MatchAny(any=list(scopes)))])


def _document(payload: dict[str, Any] | None) -> int:
    return int((payload or {})[_DOCUMENT])


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
