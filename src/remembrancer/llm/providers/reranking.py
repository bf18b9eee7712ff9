"""Rerankers behind HTTP endpoints of three shapes: Text Embeddings Inference, Cohere, Jina (extra `remote`).

Many servers have one of them: vLLM and llama.cpp Jina's, gateways Cohere's.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

from remembrancer.errors import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.llm.reranker import RerankScores
from remembrancer.types.arguments import is_loopback

# One score needs some 60 bytes; a much longer response cannot be valid.
MOST_BYTES = 1_000_000
# The default limit of a server of Text Embeddings Inference.
TEI_BATCH = 32
_LONGEST_WAIT = 3_600.0
_VERSION = re.compile(r"/v[12]/?$")
# By shape: the path, the field with the scores, the name of a score, and the address of the provider's own server.
_SHAPES = {
    "tei": ("rerank", "", "score", ""),
    "cohere": ("v2/rerank", "results", "relevance_score", "https://api.cohere.com"),
    "jina": ("v1/rerank", "results", "relevance_score", "https://api.jina.ai"),
}


class RemoteReranker:
    """A reranker behind an HTTP endpoint; see `llm.reranker.Reranker`. Close it after use.

    Attributes:
        is_local: True if the endpoint is on this machine.

    Args:
        shape: `tei`, `cohere` or `jina`.
        model: `""` for `tei`, whose server has only one.
        url: of the server, with or without a version at its end; the provider's own if empty.

    Raises:
        InvalidInput: the address is invalid, or both the key and the address are missing.
        ProviderUnavailable: the package `httpx2` is missing.
    """

    is_outside = True

    def __init__(self, shape: str, model: str, *, url: str = "", api_key: str = "") -> None:
        try:
            import httpx2
        except ImportError as error:
            message = "the package httpx2 is missing: pip install 'remembrancer[remote]'"
            raise ProviderUnavailable(message, lasting=True) from error
        self._path, self._held, self._score, home = _SHAPES[shape]
        if not (url or api_key):
            raise InvalidInput(f"the reranker {shape}:{model} needs a key: set REMEMBRANCER_RERANKER_API_KEY")
        self._shape = shape
        self._model = model
        address = _VERSION.sub("", url or home).rstrip("/") + "/"
        if not re.match(r"https?://[^/]", address):
            raise InvalidInput(f"the reranker {shape} needs an address that begins with http:// or https://")
        self._failures: Any = httpx2.HTTPError
        self._unsent: Any = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
        # What is compressed could be longer than it looks.
        headers = {"Accept-Encoding": "identity"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        try:
            self._client = httpx2.AsyncClient(base_url=address, headers=headers)
        except httpx2.InvalidURL as error:
            raise InvalidInput(f"the reranker's address is none: {error}") from error
        self.is_local = is_loopback(self._client.base_url.host)
        # Without the part before an @, which may be a password.
        place = f"{self._client.base_url.netloc.decode()}{self._client.base_url.path}".rstrip("/")
        self.name = f"{shape}:{model or place}"

    async def judge(self, question: str, texts: Sequence[str], *, seconds: float) -> RerankScores:
        """Return the score of each text for the question, in as few requests as the server allows."""
        if self._shape != "tei":
            return await self._part(question, texts, seconds)
        size = math.ceil(len(texts) / max(1, math.ceil(len(texts) / TEI_BATCH)))
        parts = [
            await self._part(question, texts[start : start + size], seconds) for start in range(0, len(texts), size)
        ]
        return RerankScores(scores=tuple(score for part in parts for score in part.scores))

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self._client.aclose()

    async def _part(self, question: str, texts: Sequence[str], seconds: float) -> RerankScores:
        answer = await self._answer(self._request(question, texts), seconds)
        try:
            items = answer if not self._held else cast(Mapping[str, Any], answer)[self._held]
            return RerankScores(scores=_scores(items, self._score, len(texts)), tokens=_tokens(answer))
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
            message = f"the reranker {self.name!r} did not give one number for each text"
            raise BadModelOutput(message) from error

    def _request(self, question: str, texts: Sequence[str]) -> dict[str, Any]:
        if self._shape == "tei":
            return {"query": question, "texts": list(texts), "truncate": True}
        asked = {"model": self._model, "query": question, "documents": list(texts), "top_n": len(texts)}
        return {**asked, "return_documents": False} if self._shape == "jina" else asked

    async def _answer(self, request: Mapping[str, Any], seconds: float) -> Any:
        """Return the endpoint's answer, asked once: who waits for it has no time for a second try."""
        try:
            async with self._client.stream("POST", self._path, json=request, timeout=seconds) as response:
                if response.status_code != 200:
                    self._refused(response.status_code, response.headers.get("retry-after", ""))
                body = bytearray()
                async for some in response.aiter_raw():
                    body += some
                    if len(body) > MOST_BYTES:
                        raise BadModelOutput(f"the reranker {self.name!r} answered with more than a million bytes")
        except self._failures as error:
            charged = not isinstance(error, self._unsent)
            message = f"the reranker {self.name!r} did not answer: {type(error).__name__}"
            raise ProviderUnavailable(message, charged=charged) from error
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BadModelOutput(f"the reranker {self.name!r} answered with no JSON") from error

    def _refused(self, status: int, after: str) -> NoReturn:
        """Raise what another status than 200 means; a redirection is followed nowhere."""
        lasting = status not in (408, 429) and status < 500
        wait = min(float(after), _LONGEST_WAIT) if after.isdecimal() else 0.0
        raise ProviderUnavailable(
            f"the reranker {self.name!r} answered with status {status}", lasting=lasting, wait=wait
        )


def _scores(items: Any, name: str, count: int) -> tuple[float, ...]:
    """Return the scores of texts in their order.

    Raises:
        TypeError, ValueError, LookupError, OverflowError: they are not one finite number for each text.
    """
    found: dict[int, float] = {}
    for item in items:
        place, score = item["index"], item[name]
        if type(place) is not int or isinstance(score, bool | str) or not math.isfinite(number := float(score)):
            raise ValueError("no number")
        if place in found or not 0 <= place < count:
            raise ValueError("no place, or one that comes twice")
        found[place] = number
    return tuple(found[place] for place in range(count))


def _tokens(answer: Any) -> int | None:
    """Return the tokens that an answer reports; `None` without a plausible number."""
    usage: Any = cast(Any, answer).get("usage") if isinstance(answer, dict) else None
    tokens: Any = cast(Any, usage).get("total_tokens") if isinstance(usage, dict) else None
    return tokens if type(tokens) is int and tokens > 0 else None
