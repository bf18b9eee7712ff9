"""Vectors of an embedder kept between runs, by embedder, version and text hash, outside the repository."""

import hashlib
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remembrancer.llm.embedder import Embedder
from remembrancer.storage.sqlite.connection import SQLiteConnection

CACHE = Path.home() / ".cache" / "remembrancer-bench"
_BATCH = 16


class VectorCache:
    """An embedder that asks the real one only for texts it has not seen; itself an `Embedder`."""

    def __init__(self, embedder: Embedder, folder: Path = CACHE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.space = embedder.space
        self.fast = embedder.fast
        self._embedder = embedder
        self._connection = SQLiteConnection(str(folder / f"{embedder.space.name}-{embedder.space.version}.db"))
        self._connection.run(
            "CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
        )

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dim)` float32, one unit-length row per text, in order."""
        return self._rows(texts, query=False)

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dim)` float32, one unit-length row per text, in order."""
        return self._rows(texts, query=True)

    def close(self) -> None:
        """Let go of the model; the file stays."""
        self._embedder.close()
        self._connection.close()

    def warm(self, texts: list[str]) -> None:
        """Embed what is missing among many texts, with a line of progress every minute."""
        missing = [text for text in dict.fromkeys(texts) if self._find(text, query=False) is None]
        started = said = time.monotonic()
        for start in range(0, len(missing), _BATCH):
            self.documents(missing[start : start + _BATCH])
            if time.monotonic() - said > 60:
                said, done = time.monotonic(), start + _BATCH
                left = (said - started) / done * (len(missing) - done)
                print(f"embedded {done} of {len(missing)} passages, {left / 60:.0f} min left", file=sys.stderr)

    def _rows(self, texts: list[str], *, query: bool) -> NDArray[np.float32]:
        found = {text: self._find(text, query=query) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            made = self._embedder.queries(missing) if query else self._embedder.documents(missing)
            for text, vector in zip(missing, made, strict=True):
                found[text] = vector
                self._keep(text, vector, query=query)
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(-1, self.space.dimension)

    def _find(self, text: str, *, query: bool) -> NDArray[np.float32] | None:
        row = self._connection.row("SELECT vector FROM vectors WHERE hash = ?", (_key(text, query=query),))
        return None if row is None else np.frombuffer(bytes(row[0]), dtype=np.float16).astype(np.float32)

    def _keep(self, text: str, vector: NDArray[np.float32], *, query: bool) -> None:
        self._connection.run(
            "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
            (_key(text, query=query), vector.astype(np.float16).tobytes()),
        )


def _key(text: str, *, query: bool) -> bytes:
    return hashlib.sha256(f"{'q' if query else 'd'}\0{text}".encode()).digest()[:16]
