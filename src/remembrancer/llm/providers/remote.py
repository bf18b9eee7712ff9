"""Embedders behind an OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, llama.cpp, gateways (extra `remote`)."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput, ProviderUnavailable
from remembrancer.llm.geometry import UNRELATED, measured, unit
from remembrancer.types.index import Space

BATCH = 64
TRIES = 3
TIMEOUT_SECONDS = 30.0


class OpenAIEmbedder:
    """An embedder behind `POST {url}/embeddings`. The first call measures its space.

    Args:
        url: up to and including the version, such as `http://127.0.0.1:11434/v1`.
        prefixes: of documents and of questions, for models that need them.

    Raises:
        InvalidInput: the address or the model is missing.
        ProviderUnavailable: the package `httpx2` is missing, or the endpoint does not answer.
    """

    fast = False

    def __init__(self, url: str, model: str, *, api_key: str = "", prefixes: tuple[str, str] = ("", "")) -> None:
        if not url or not model:
            raise InvalidInput("this embedder needs REMEMBRANCER_EMBEDDER_URL and REMEMBRANCER_EMBEDDER_MODEL")
        try:
            import httpx2
        except ImportError as error:
            raise ProviderUnavailable("the package httpx2 is missing: pip install 'remembrancer[remote]'") from error
        self._model = model
        self._prefixes = prefixes
        self._failures: Any = httpx2.HTTPError
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        try:
            self._client = httpx2.Client(base_url=url.rstrip("/") + "/", headers=headers, timeout=TIMEOUT_SECONDS)
        except httpx2.InvalidURL as error:
            raise InvalidInput(f"REMEMBRANCER_EMBEDDER_URL {url!r} is no address: {error}") from error
        self._dimension: int | None = None
        self.space = self._measured()
        self._dimension = self.space.dimension

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return self._rows([self._prefixes[0] + text for text in texts])

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per question, in order."""
        return self._rows([self._prefixes[1] + text for text in texts])

    def close(self) -> None:
        """Close the connections; may be called twice."""
        self._client.close()

    def _measured(self) -> Space:
        return measured(self._model, version="1", rows=self._rows(list(UNRELATED)))

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.empty((0, self._dimension or 0), dtype=np.float32)
        return unit(
            np.concatenate([self._batch(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])
        )

    def _batch(self, texts: list[str]) -> NDArray[np.float32]:
        body = self._answer({"model": self._model, "input": texts})
        try:
            items = list(body["data"])
            found = {int(item["index"]): item["embedding"] for item in items}
            rows = np.array([found[place] for place in range(len(texts))], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise ProviderUnavailable(f"the embedder {self._model!r} answered in a shape that is not known") from error
        if rows.ndim != 2 or not len(items) == len(found) == len(texts) or not np.isfinite(rows).all():
            raise ProviderUnavailable(f"the embedder {self._model!r} did not return one vector for each text")
        if self._dimension not in (None, rows.shape[1]):
            raise ProviderUnavailable(f"the embedder {self._model!r} changed its vectors' dimension")
        return rows

    def _answer(self, request: dict[str, Any]) -> Any:
        """Return the endpoint's answer; a passing failure is met with another try after a pause."""
        problem, lasting = "", False
        for attempt in range(TRIES):
            if attempt:
                time.sleep(0.2 * 4**attempt)
            try:
                response = self._client.post("embeddings", json=request)
                if response.status_code == 200:
                    return response.json()
                problem = f"status {response.status_code}"
                if lasting := response.status_code not in (408, 429) and response.status_code < 500:
                    break
            except (self._failures, ValueError) as error:
                problem = type(error).__name__
        raise ProviderUnavailable(f"the embedder {self._model!r} did not answer: {problem}", lasting=lasting)
