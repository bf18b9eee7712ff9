"""Qdrant keeps the contract, as far as the client's own index in memory and in a folder can tell."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from remembrancer.storage.base import VectorIndex
from remembrancer.storage.qdrant import QdrantIndex
from tests.contract.vector_index import VectorIndexContract


class TestQdrantInMemory(VectorIndexContract):
    @pytest.fixture
    def index(self) -> Iterator[VectorIndex]:
        index = QdrantIndex(":memory:", collection="test")
        yield index
        index.close()


class TestQdrantInAFolder(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[VectorIndex]:
        index = QdrantIndex(str(tmp_path / "index"), collection="test")
        yield index
        index.close()
