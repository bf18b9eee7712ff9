"""An OpenAI-compatible endpoint, played by a real server on this machine."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from remembrancer import InvalidInput, ProviderUnavailable
from remembrancer.llm.geometry import UNRELATED
from remembrancer.llm.providers import remote
from remembrancer.llm.providers.remote import OpenAIEmbedder
from tests.endpoints import Answer, Endpoint
from tests.rows import each_row


def vector(text: str) -> list[float]:
    """Not of length one, and another for each text."""
    return [float(len(text)), float(sum(map(ord, text)) % 97 + 1), 5.0]


def well(request: dict[str, Any]) -> Answer:
    data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(request["input"])]
    return 200, {"data": data}


class Pauses:
    """Stands in for the module `time`: notes how long was to be waited, and does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Note it."""
        self.seconds.append(seconds)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    made = Pauses()
    monkeypatch.setattr(remote, "time", made)
    return made


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(well).serving() as serving:
        yield serving


@pytest.fixture
def embedder(endpoint: Endpoint) -> Iterator[OpenAIEmbedder]:
    made = OpenAIEmbedder(endpoint.url, "small", api_key="k" * 8, prefixes=("passage: ", "query: "))
    endpoint.asked.clear()
    yield made
    made.close()
    made.close()


def test_it_measures_its_space_by_asking_for_unrelated_texts(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(endpoint.url + "/", "small")
    assert endpoint.asked == [{"model": "small", "input": list(UNRELATED)}]
    assert (embedder.space.name, embedder.space.dimension) == ("small", 3)
    assert endpoint.paths == ["/v1/embeddings"]
    assert "authorization" not in endpoint.headers[0]
    embedder.close()


def test_rows_are_of_length_one_and_in_the_order_of_the_texts_whatever_the_order_of_the_answer(
    endpoint: Endpoint, embedder: OpenAIEmbedder
) -> None:
    def backwards(request: dict[str, Any]) -> Answer:
        data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(request["input"])]
        return 200, {"data": data[::-1]}

    endpoint.told = [backwards]
    texts = [f"{'x' * number}" for number in range(12)]
    expected = np.array([vector(f"passage: {text}") for text in texts])
    assert embedder.documents(texts) == pytest.approx(
        expected / np.linalg.norm(expected, axis=1, keepdims=True), abs=1e-5
    )


def test_documents_and_questions_have_their_prefixes_and_the_key_goes_along(
    endpoint: Endpoint, embedder: OpenAIEmbedder
) -> None:
    embedder.documents(["a"])
    embedder.queries(["a"])
    assert [request["input"] for request in endpoint.asked] == [["passage: a"], ["query: a"]]
    assert endpoint.headers[-1]["authorization"] == "Bearer " + "k" * 8


def test_many_texts_are_asked_for_in_batches_and_come_back_in_order(
    endpoint: Endpoint, embedder: OpenAIEmbedder
) -> None:
    texts = [f"text {number}" for number in range(150)]
    rows = embedder.documents(texts)
    assert [len(request["input"]) for request in endpoint.asked] == [64, 64, 22]
    assert rows[149] == pytest.approx(embedder.documents(texts[149:])[0])


def test_no_texts_have_no_rows_of_its_dimension_and_nothing_is_asked(
    endpoint: Endpoint, embedder: OpenAIEmbedder
) -> None:
    assert embedder.documents([]).shape == (0, 3)
    assert endpoint.asked == []


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_passing_failure_is_met_with_another_try_after_a_pause(
    endpoint: Endpoint, embedder: OpenAIEmbedder, pauses: Pauses, status: int
) -> None:
    endpoint.told = [lambda _: (status, {"error": "busy"})]
    assert embedder.documents(["a"]).shape == (1, 3)
    assert (len(endpoint.asked), len(pauses.seconds)) == (2, 1)


def test_after_three_tries_it_gives_up(endpoint: Endpoint, embedder: OpenAIEmbedder, pauses: Pauses) -> None:
    endpoint.told = [lambda _: (503, {})] * 5
    with pytest.raises(ProviderUnavailable, match="'small' did not answer: status 503"):
        embedder.documents(["a"])
    assert len(endpoint.asked) == 3
    assert pauses.seconds == sorted(pauses.seconds)
    assert sum(pauses.seconds) < 10


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again(endpoint: Endpoint, embedder: OpenAIEmbedder, status: int) -> None:
    endpoint.told = [lambda _: (status, {"error": "no"})]
    with pytest.raises(ProviderUnavailable, match=f"status {status}"):
        embedder.documents(["a"])
    assert len(endpoint.asked) == 1


WRONG_SHAPES: list[object] = [
    [],
    {},
    1,
    None,
    {"data": None},
    {"data": [1]},
    {"data": [{"embedding": [1, 2, 3]}]},
    {"data": [{"index": 0}]},
    {"data": [{"index": "first", "embedding": [1, 2, 3]}]},
    {"data": [{"index": 0, "embedding": "AAAA"}]},
    {"data": [{"index": 0, "embedding": [[1], [2]]}]},
    {"data": [{"index": 0, "embedding": [1, None, 3]}]},
    {"data": [{"index": 0, "embedding": [1, float("nan"), 3]}]},
    {"data": []},
    {"data": [{"index": 0, "embedding": [1, 2, 3]}] * 2},
]


@each_row("answer", WRONG_SHAPES)
def test_an_answer_in_another_shape_or_of_another_count_is_an_error_of_the_provider(
    endpoint: Endpoint, embedder: OpenAIEmbedder, answer: object
) -> None:
    endpoint.told = [lambda _: (200, answer)]
    with pytest.raises(ProviderUnavailable, match="'small'"):
        embedder.documents(["a"])


@pytest.mark.parametrize("indexes", [(0, 0), (1, 2), (0, 5)])
def test_an_answer_that_numbers_its_vectors_wrongly_is_not_believed(
    endpoint: Endpoint, embedder: OpenAIEmbedder, indexes: tuple[int, int]
) -> None:
    data = [{"index": index, "embedding": [1, 2, 3]} for index in indexes]
    endpoint.told = [lambda _: (200, {"data": data})]
    with pytest.raises(ProviderUnavailable):
        embedder.documents(["a", "b"])


def test_vectors_of_another_dimension_than_at_first_are_refused(endpoint: Endpoint, embedder: OpenAIEmbedder) -> None:
    endpoint.told = [lambda _: (200, {"data": [{"index": 0, "embedding": [1, 2]}]})]
    with pytest.raises(ProviderUnavailable):
        embedder.documents(["a"])


def test_an_answer_that_is_no_json_is_tried_again(endpoint: Endpoint, embedder: OpenAIEmbedder) -> None:
    endpoint.told = [lambda _: (200, b"<html>")]
    assert embedder.documents(["a"]).shape == (1, 3)


def test_an_endpoint_that_does_not_answer_in_time_is_unavailable(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "TIMEOUT_SECONDS", 0.05)
    released = threading.Event()

    def late(request: dict[str, Any]) -> Answer:
        released.wait(5)
        return well(request)

    endpoint.told = [late] * 3
    try:
        with pytest.raises(ProviderUnavailable, match="did not answer: ReadTimeout"):
            OpenAIEmbedder(endpoint.url, "small")
    finally:
        released.set()


def test_where_nothing_listens_it_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ProviderUnavailable, match="did not answer: ConnectError"):
            OpenAIEmbedder(f"http://127.0.0.1:{port}/v1", "small")


@pytest.mark.parametrize(("url", "model"), [("", "small"), ("http://127.0.0.1:1/v1", "")])
def test_without_an_address_or_a_model_the_settings_to_give_are_named(url: str, model: str) -> None:
    with pytest.raises(InvalidInput, match="REMEMBRANCER_EMBEDDER_URL and REMEMBRANCER_EMBEDDER_MODEL"):
        OpenAIEmbedder(url, model)


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_an_error_of_ours(url: str) -> None:
    with pytest.raises((InvalidInput, ProviderUnavailable)):
        OpenAIEmbedder(url, "small")


def test_an_error_never_shows_the_key(endpoint: Endpoint) -> None:
    endpoint.told = [lambda _: (401, {"error": "bad key " + "k" * 8})]
    with pytest.raises(ProviderUnavailable) as failure:
        OpenAIEmbedder(endpoint.url, "small", api_key="k" * 8)
    assert "k" * 8 not in str(failure.value)
