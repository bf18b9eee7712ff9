"""Endpoints of the shapes that TEI, Cohere and Jina serve, played by a real server on this machine."""

import json
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync

from remembrancer import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.llm.providers.reranking import MOST_BYTES, RemoteReranker
from remembrancer.llm.reranker import Reranker
from tests.endpoints import HALTING, NEVER, Answer, Endpoint
from tests.rows import every_row

pytestmark = pytest.mark.anyio

QUESTION = "Where does Ana live?"
TEXTS = ["The kettle is blue.", "Ana lives in Lisbon.", "Ana has a cat."]
SCORES = [0.01, 0.97, 0.25]
SHAPES = ("tei", "cohere", "jina")


def score(text: str) -> float:
    """What the server thinks of a text."""
    return SCORES[TEXTS.index(text)] if text in TEXTS else len(text) / 1_000


def results(shape: str, texts: list[str]) -> list[dict[str, Any]]:
    """The scores as a server sends them: the best first."""
    name = "score" if shape == "tei" else "relevance_score"
    found = [{"index": place, name: score(text)} for place, text in enumerate(texts)]
    return sorted(found, key=lambda one: -one[name])


def wrapped(shape: str, found: object) -> object:
    """A list of results as the whole answer of a server."""
    if shape == "tei":
        return found
    beside: dict[str, Any] = {"usage": {"total_tokens": 42}} if shape == "jina" else {"meta": {"billed_units": {}}}
    return {"id": "x", "results": found, **beside}


def well(shape: str) -> Callable[[dict[str, Any]], Answer]:
    """How a server of a shape answers."""

    def answer(request: dict[str, Any]) -> Answer:
        texts = request["texts" if shape == "tei" else "documents"]
        return 200, wrapped(shape, results(shape, texts))

    return answer


def dropped(_request: dict[str, Any]) -> Answer:
    """The connection is closed without a word."""
    raise ConnectionAbortedError


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def endpoint(shape: str) -> Generator[Endpoint]:
    with Endpoint(well(shape)).serving() as serving:
        yield serving


@pytest.fixture
async def reranker(shape: str, endpoint: Endpoint) -> AsyncGenerator[Reranker]:
    made = await reranker_at(shape, endpoint.address)
    yield made
    await made.close()
    await made.close()


async def reranker_at(shape: str, address: str) -> RemoteReranker:
    model = "" if shape == "tei" else "small"
    return await run_sync(lambda: RemoteReranker(shape, model, url=address, api_key="k" * 8))


async def test_scores_are_in_the_order_of_the_texts_whatever_the_order_of_the_answer(reranker: Reranker) -> None:
    judged = await reranker.judge(QUESTION, TEXTS, seconds=5)
    assert judged.scores == tuple(SCORES)


async def test_each_shape_is_asked_as_its_provider_wants(shape: str, endpoint: Endpoint, reranker: Reranker) -> None:
    judged = await reranker.judge(QUESTION, TEXTS, seconds=5)
    asked = {"model": "small", "query": QUESTION, "documents": TEXTS, "top_n": 3}
    wanted = {
        "tei": ("/rerank", {"query": QUESTION, "texts": TEXTS, "truncate": True}, None),
        "cohere": ("/v2/rerank", asked, None),
        "jina": ("/v1/rerank", {**asked, "return_documents": False}, 42),
    }
    assert (endpoint.paths[0], endpoint.asked[0], judged.tokens) == wanted[shape]
    assert endpoint.headers[0]["authorization"] == "Bearer " + "k" * 8


async def test_the_name_tells_what_is_asked_and_never_a_password(shape: str, endpoint: Endpoint) -> None:
    made = await reranker_at(shape, endpoint.address.replace("://", "://ann:hunter2@"))
    host = endpoint.address.removeprefix("http://")
    assert made.name == (f"tei:{host}" if shape == "tei" else f"{shape}:small")
    assert made.is_outside
    await made.close()


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v2/"])
async def test_an_address_may_end_with_a_version_or_not(endpoint: Endpoint, shape: str, end: str) -> None:
    made = await reranker_at(shape, endpoint.address + end)
    await made.judge(QUESTION, TEXTS, seconds=5)
    assert endpoint.paths == [{"tei": "/rerank", "cohere": "/v2/rerank", "jina": "/v1/rerank"}[shape]]
    await made.close()


async def test_a_server_of_tei_gets_no_more_texts_at_once_than_it_takes() -> None:
    texts = ["x" * number for number in range(50)]
    with Endpoint(well("tei")).serving() as endpoint:
        made = await reranker_at("tei", endpoint.address)
        judged = await made.judge(QUESTION, texts, seconds=5)
        assert [len(request["texts"]) for request in endpoint.asked] == [25, 25]
        assert judged.scores == pytest.approx([number / 1_000 for number in range(50)])
        await made.close()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_a_passing_failure_is_told_and_not_tried_again(
    endpoint: Endpoint, reranker: Reranker, status: int
) -> None:
    endpoint.told = [lambda _: (status, {"error": "busy: Ana lives in Lisbon"})]
    with pytest.raises(ProviderUnavailable, match=f"with status {status}$") as caught:
        await reranker.judge(QUESTION, TEXTS, seconds=5)
    assert (caught.value.lasting, caught.value.charged, len(endpoint.asked)) == (False, False, 1)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 413, 422])
async def test_a_refusal_lasts_and_a_redirection_is_followed_nowhere(
    endpoint: Endpoint, reranker: Reranker, status: int
) -> None:
    endpoint.told = [lambda _: (status, {"error": "no"})]
    with pytest.raises(ProviderUnavailable, match=f"with status {status}$") as caught:
        await reranker.judge(QUESTION, TEXTS, seconds=5)
    assert (caught.value.lasting, len(endpoint.asked)) == (True, 1)


async def test_a_closed_connection_may_have_cost_something_and_a_server_that_is_gone_not(
    endpoint: Endpoint, reranker: Reranker
) -> None:
    endpoint.told = [dropped]
    with pytest.raises(ProviderUnavailable, match="did not answer") as caught:
        await reranker.judge(QUESTION, TEXTS, seconds=5)
    assert caught.value.charged
    gone = await reranker_at("tei", "http://127.0.0.1:9")
    with pytest.raises(ProviderUnavailable, match="did not answer") as caught:
        await gone.judge(QUESTION, TEXTS, seconds=5)
    assert not caught.value.charged
    await gone.close()


@pytest.mark.parametrize("answer", [NEVER, HALTING])
async def test_one_that_takes_too_long_is_given_up_at_any_time(
    endpoint: Endpoint, reranker: Reranker, answer: Answer
) -> None:
    endpoint.told = [lambda _: answer] * 2
    with anyio.move_on_after(0.1) as scope:
        await reranker.judge(QUESTION, TEXTS, seconds=5)
    assert scope.cancelled_caught
    if answer is NEVER:
        with pytest.raises(ProviderUnavailable, match="ReadTimeout"):
            await reranker.judge(QUESTION, TEXTS, seconds=0.05)


def first(found: list[dict[str, Any]], **fields: Any) -> list[dict[str, Any]]:
    """Results of which the first has other fields."""
    return [found[0] | fields, *found[1:]]


NONSENSE: dict[str, Callable[[str, list[dict[str, Any]]], object]] = {
    "nothing": lambda _, __: b"",
    "no JSON": lambda _, __: b"<html>busy</html>",
    "half JSON": lambda shape, found: json.dumps(wrapped(shape, found)).encode()[:-3],
    "no UTF-8": lambda _, __: b"\xff\xfe\x00",
    "null": lambda _, __: None,
    "a number": lambda _, __: 3,
    "a text": lambda _, __: "results",
    "an empty object": lambda _, __: {},
    "an empty list": lambda _, __: [],
    "the other shapes' list": lambda shape, found: {"results": found} if shape == "tei" else found,
    "results that are none": lambda shape, _: wrapped(shape, None),
    "results of something else": lambda shape, _: wrapped(shape, [1, 2, 3]),
    "too few": lambda shape, found: wrapped(shape, found[:-1]),
    "too many": lambda shape, found: wrapped(shape, [*found, found[0] | {"index": 3}]),
    "one twice": lambda shape, found: wrapped(shape, [found[0], *found[:-1]]),
    "a place below 0": lambda shape, found: wrapped(shape, first(found, index=-1)),
    "a place that is no number": lambda shape, found: wrapped(shape, first(found, index="1")),
    "a place that is a truth": lambda shape, found: wrapped(shape, first(found, index=True)),
    "NaN": lambda shape, found: wrapped(shape, first(found, score=float("nan"), relevance_score=float("nan"))),
    "infinity": lambda shape, found: wrapped(shape, first(found, score=float("inf"), relevance_score=float("inf"))),
    "a huge number": lambda shape, found: wrapped(shape, first(found, score=10**400, relevance_score=10**400)),
    "a score that is a text": lambda shape, found: wrapped(shape, first(found, score="1", relevance_score="1")),
    "a score that is none": lambda shape, found: wrapped(shape, first(found, score=None, relevance_score=None)),
    "a score that is a list": lambda shape, found: wrapped(shape, first(found, score=[1], relevance_score=[1])),
    "too deep": lambda _, __: b"[" * 100_000,
    "too long": lambda shape, found: (json.dumps(wrapped(shape, found)) + " " * MOST_BYTES).encode(),
}


async def test_nonsense_is_bad_output_whatever_it_is(endpoint: Endpoint, reranker: Reranker, shape: str) -> None:
    with every_row() as row:
        for name, nonsense in NONSENSE.items():
            answer: Answer = 200, nonsense(shape, results(shape, TEXTS))
            endpoint.told = [lambda _, answer=answer: answer]
            with row(name):
                with pytest.raises(BadModelOutput, match=r"^the reranker '\S+' (did not give|answered with)") as caught:
                    await reranker.judge(QUESTION, TEXTS, seconds=5)
                assert "Lisbon" not in str(caught.value)


@pytest.mark.parametrize("tokens", [None, -1, 0, True, "9", 1.5])
async def test_a_count_of_tokens_that_is_none_is_not_believed(tokens: object) -> None:
    with Endpoint(well("jina")).serving() as endpoint:
        made = await reranker_at("jina", endpoint.address)
        endpoint.told = [lambda _: (200, {"results": results("jina", TEXTS), "usage": {"total_tokens": tokens}})]
        assert (await made.judge(QUESTION, TEXTS, seconds=5)).tokens is None
        await made.close()


@pytest.mark.parametrize(
    ("shape", "url"),
    [("tei", "127.0.0.1:8080"), ("jina", "ftp://127.0.0.1"), ("tei", "http://127.0.0.1:port"), ("tei", "http://")],
)
async def test_an_address_that_is_none_is_refused_at_once(shape: str, url: str) -> None:
    with pytest.raises(InvalidInput, match="address"):
        await run_sync(lambda: RemoteReranker(shape, "m", url=url))


@pytest.mark.parametrize("shape", ["cohere", "jina"])
async def test_a_provider_is_asked_only_with_a_key(shape: str) -> None:
    with pytest.raises(InvalidInput, match="REMEMBRANCER_RERANKER_API_KEY"):
        RemoteReranker(shape, "m")
    async with AsyncExitStack() as stack:
        made = await run_sync(lambda: RemoteReranker(shape, "m", api_key="k"))
        stack.push_async_callback(made.close)
        assert made.name == f"{shape}:m"
