"""Models of every provider, played by a real server on this machine: what is asked, what is understood, what fails."""

import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import Field

from remembrancer import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.adapters.clock import SystemClock
from remembrancer.llm.budget import Allowance, ledger_scope
from remembrancer.llm.call import CallSettings
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.llm.models import Models
from remembrancer.llm.prompts import schema_of
from remembrancer.llm.providers import language
from remembrancer.llm.providers.language import RemoteModel, parts_of
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.llm.request import ModelRequest
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose, Usage
from tests.doubles import CountingIds
from tests.endpoints import HALTING, NEVER, Answer, Endpoint
from tests.engine import desks_of
from tests.factories import HOME
from tests.rows import each_row

pytestmark = pytest.mark.anyio
PROMPT = Prompt(system="You pick a number.", text="Pick one.", version="pick-1")
REQUEST = ModelRequest(scope=HOME, session=None, purpose=CallPurpose.OBSERVE, prompt=PROMPT, max_tokens=50)
PATIENCE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    number: Annotated[int, Field(ge=1, le=5)]


SAID = '{"number": 3}'


def completion(text: str | None, **more: Any) -> dict[str, Any]:
    """What a server that is like OpenAI's answers."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
        },
        **more,
    }


ANTHROPIC = {
    "id": "1",
    "type": "message",
    "role": "assistant",
    "model": "small",
    "content": [{"type": "text", "text": SAID}],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 3,
        "output_tokens": 7,
    },
}
GEMINI = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": SAID}]}, "finishReason": "STOP"}],
    "usageMetadata": {
        "promptTokenCount": 50,
        "candidatesTokenCount": 9,
        "cachedContentTokenCount": 20,
        "thoughtsTokenCount": 4,
        "totalTokenCount": 63,
    },
}


def well(request: dict[str, Any]) -> Answer:
    if "contents" in request:
        return 200, GEMINI
    return 200, (ANTHROPIC if request["model"].startswith("claude") else completion(SAID))


def as_it_is(answer: object) -> Callable[[dict[str, Any]], Answer]:
    return lambda _: (200, answer)


def as_told(status: int, answer: object) -> Callable[[dict[str, Any]], Answer]:
    return lambda _: (status, answer)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(well).serving() as serving:
        yield serving


@pytest.fixture
async def model(endpoint: Endpoint) -> AsyncIterator[RemoteModel]:
    made = RemoteModel("openai:small", url=endpoint.url, api_key="k" * 8)
    # So that what is loaded with the first call is not part of how long one waits.
    await ask(made)
    endpoint.asked.clear()
    yield made
    await made.close()


async def ask(model: RemoteModel, *, seconds: float = PATIENCE) -> Completion:
    return await model.complete(PROMPT, schema=schema_of(Picked), max_tokens=50, seconds=seconds, temperature=0.0)


async def test_a_server_like_openais_is_asked_with_the_schema_and_the_limit(
    endpoint: Endpoint, model: RemoteModel
) -> None:
    assert await ask(model) == Completion(
        text=SAID, usage=Usage(prompt=100, cached=40, answer=20), model="openai:small"
    )
    (request,) = endpoint.asked
    assert request["messages"] == [
        {"role": "system", "content": PROMPT.system},
        {"role": "user", "content": PROMPT.text},
    ]
    assert (request["max_tokens"], request["temperature"], request["stream"]) == (50, 0.0, False)
    assert request["response_format"]["type"] == "json_schema"
    assert request["response_format"]["json_schema"]["schema"]["properties"]["number"]["maximum"] == 5
    assert endpoint.paths[-1] == "/v1/chat/completions"
    assert endpoint.headers[-1]["authorization"] == "Bearer kkkkkkkk"


async def test_without_a_schema_none_is_sent(endpoint: Endpoint, model: RemoteModel) -> None:
    await model.complete(PROMPT, schema=None, max_tokens=50, seconds=PATIENCE, temperature=0.7)
    assert "response_format" not in endpoint.asked[0]
    assert endpoint.asked[0]["temperature"] == 0.7


@pytest.mark.parametrize(
    ("name", "key", "usage"),
    [
        ("anthropic:claude-haiku-4-5", "authorization", Usage(prompt=18, cached=5, answer=7, written=3)),
        ("google:gemini-2.5-flash", "x-goog-api-key", Usage(prompt=50, cached=20, answer=13)),
        ("deepseek:deepseek-chat", "authorization", Usage(prompt=100, cached=40, answer=20)),
        ("ollama:qwen3", "authorization", Usage(prompt=100, cached=40, answer=20)),
        ("openai:gpt-5-nano", "authorization", Usage(prompt=100, cached=40, answer=20)),
    ],
)
async def test_each_provider_is_asked_and_understood_in_its_own_way(
    endpoint: Endpoint, name: str, key: str, usage: Usage
) -> None:
    model = RemoteModel(name, url=endpoint.address, api_key="k" * 8)
    assert await ask(model) == Completion(text=SAID, usage=usage, model=name)
    assert "kkkkkkkk" in endpoint.headers[0][key]
    assert '"maximum": 5' in json.dumps(endpoint.asked[0]) or "maximum: 5" in json.dumps(endpoint.asked[0])
    await model.close()


async def test_who_wants_to_be_told_what_to_keep_is_told_and_the_others_get_one_text(endpoint: Endpoint) -> None:
    prompt = Prompt(system="You pick.", text="The log.\nPick one.", version="pick-1", stable=len("The log.\n"))
    for name in ("anthropic:claude-haiku-4-5", "openai:gpt-5-nano"):
        model = RemoteModel(name, url=endpoint.address, api_key="k")
        await model.complete(prompt, schema=None, max_tokens=50, seconds=PATIENCE, temperature=0.0)
        await model.close()
    claude, gpt = endpoint.asked
    system, (head, rest) = claude["system"][0], claude["messages"][0]["content"]
    assert [part["cache_control"]["type"] for part in (system, head)] == ["ephemeral"] * 2
    assert (head["text"], rest["text"], "cache_control" in rest) == ("The log.\n", "Pick one.", False)
    assert gpt["messages"][1]["content"] == prompt.text


async def test_a_model_that_cannot_be_held_to_a_schema_is_shown_it(endpoint: Endpoint) -> None:
    model = RemoteModel("anthropic:claude-3-haiku-20240307", url=endpoint.address, api_key="k")
    await ask(model)
    assert "number" in json.dumps(endpoint.asked[0]["system"])
    await model.close()


async def test_a_model_that_thinks_is_asked_to_think_little_and_without_a_temperature(endpoint: Endpoint) -> None:
    models = [
        RemoteModel("google:gemini-2.5-flash", url=endpoint.address, api_key="k"),
        RemoteModel("openai:o3-mini", url=endpoint.address, api_key="k"),
        RemoteModel("anthropic:claude-opus-4-8", url=endpoint.address, api_key="k"),
    ]
    for model in models:
        await ask(model)
        await model.close()
    gemini, o3, claude = endpoint.asked
    assert gemini["generationConfig"]["thinkingConfig"] == {"thinking_budget": 0}
    assert (o3["reasoning_effort"], o3["max_completion_tokens"]) == ("low", 50)
    assert "temperature" not in o3
    assert "temperature" not in claude


async def test_a_connection_that_is_closed_may_be_closed_again(endpoint: Endpoint, model: RemoteModel) -> None:
    await model.close()
    await model.close()


# What goes wrong


@pytest.mark.parametrize("status", [500, 502, 503, 408, 429])
async def test_a_failure_that_passes_is_not_waited_for_here(
    endpoint: Endpoint, model: RemoteModel, status: int
) -> None:
    endpoint.told = [lambda _: (status, {"error": {"message": "quokka"}})]
    with pytest.raises(ProviderUnavailable, match=f"status {status}") as caught:
        await ask(model)
    assert (caught.value.lasting, caught.value.charged) == (False, False)
    assert "quokka" not in str(caught.value)
    assert len(endpoint.asked) == 1, "whoever asks decides whether to ask again"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_lasts(endpoint: Endpoint, model: RemoteModel, status: int) -> None:
    endpoint.told = [lambda _: (status, {"error": {"message": "quokka", "code": "no"}})]
    with pytest.raises(ProviderUnavailable, match=f"status {status}") as caught:
        await ask(model)
    assert caught.value.lasting
    assert "quokka" not in str(caught.value)


@each_row(
    "answer",
    [
        b"",
        b"<html>a gateway's error page</html>",
        b'{"choices": [{"mess',
        b"\xff\xfe",
        {},
        [],
        "text",
        None,
        {"choices": None},
        {"choices": []},
        {"error": "odd"},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7}}]},
        completion(SAID, usage="many"),
        completion(SAID, choices=[{"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}]),
    ],
)
async def test_a_response_that_is_none_is_bad_output_or_empty(
    endpoint: Endpoint, model: RemoteModel, answer: object
) -> None:
    endpoint.told = [as_it_is(answer)]
    try:
        found = await ask(model)
    except BadModelOutput:
        return
    assert found.text in ("", SAID)


async def test_an_empty_answer_keeps_what_it_took(endpoint: Endpoint, model: RemoteModel) -> None:
    endpoint.told = [as_it_is(completion(None)), as_it_is(completion(""))]
    for _ in range(2):
        found = await ask(model)
        assert (found.text, found.usage.prompt) == ("", 100)


@pytest.mark.parametrize("answer", [NEVER, HALTING], ids=["never", "letter by letter"])
async def test_an_answer_that_takes_too_long_may_have_cost_something(
    endpoint: Endpoint, model: RemoteModel, answer: Answer
) -> None:
    endpoint.told = [lambda _: answer]
    with pytest.raises(ProviderUnavailable, match="small") as caught:
        await ask(model, seconds=0.3)
    assert (caught.value.lasting, caught.value.charged) == (False, True)


async def test_a_server_that_is_not_there_has_cost_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    model = RemoteModel("openai:small", url=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(ProviderUnavailable, match="cannot be reached") as caught:
        await ask(model)
    assert (caught.value.lasting, caught.value.charged) == (False, False)
    await model.close()


# Names


@each_row("name", ["", "gpt-4o", "openai:", "openai: ", "quokka:small", ":small"])
def test_a_name_is_a_provider_and_a_model(name: str) -> None:
    with pytest.raises(InvalidInput, match="write PROVIDER:NAME"):
        parts_of(name)


def test_a_model_may_have_a_colon_in_its_name() -> None:
    assert parts_of("ollama:qwen3:4b") == ("ollama", "qwen3:4b")


@pytest.mark.parametrize("name", ["openai:gpt-4o", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash"])
def test_a_provider_is_not_asked_without_a_key(name: str) -> None:
    with pytest.raises(InvalidInput, match="needs a key"):
        RemoteModel(name)


def test_a_local_server_needs_no_key() -> None:
    RemoteModel("ollama:qwen3")
    RemoteModel("openai:small", url="http://127.0.0.1:1/v1")


def test_a_provider_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def but_anthropic(provider: str) -> bool:
        return provider != "anthropic"

    monkeypatch.setattr(language, "installed", but_anthropic)
    with pytest.raises(ProviderUnavailable, match=r"pip install 'remembrancer\[anthropic\]'"):
        RemoteModel("anthropic:claude-haiku-4-5", api_key="k")


# Asked through it all


@pytest.fixture
async def store() -> AsyncIterator[SQLiteStore]:
    async with SQLiteStore.open(":memory:") as store:
        yield store


async def nothing(_: float) -> None:
    """Does not sleep."""


def models(store: SQLiteStore, *chosen: RemoteModel) -> Models:
    rules = Dependencies(clock=SystemClock(), ids=CountingIds(), sign=store.sign)
    return Models(
        desks_of(store, rules),
        {CallPurpose.OBSERVE: chosen},
        rules,
        prices=PriceList({}),
        counters=lambda name: tokenizer_named("auto", model=name),
        allowance=Allowance(),
        settings=CallSettings(seconds=2.0, retries=1, sleep=nothing),
    )


async def outcomes(store: SQLiteStore) -> list[str]:
    async with store.snapshot(Caller(scope=ledger_scope(HOME))) as tx:
        return [call.outcome.value for call in sorted(await tx.calls.list(limit=99), key=lambda call: call.id)]


@pytest.mark.parametrize(
    ("bad", "ledger"),
    [
        (as_it_is(b"garbage"), ["bad-output", "ok"]),
        (as_it_is(completion('{"number": ')), ["bad-output", "ok"]),
        (as_it_is(completion("")), ["bad-output", "ok"]),
        (as_it_is(completion("very " * 5_000)), ["bad-output", "ok"]),
        (as_it_is(completion('{"number": 77}')), ["bad-output", "ok"]),
        (as_told(500, b"{}"), ["unavailable", "ok"]),
        (as_told(*NEVER), ["unavailable", "ok"]),
    ],
    ids=["garbage", "half JSON", "nothing", "repetition", "out of range", "500", "slowly"],
)
async def test_after_one_bad_answer_the_next_good_one_is_taken(
    endpoint: Endpoint,
    model: RemoteModel,
    store: SQLiteStore,
    bad: Callable[[dict[str, Any]], Answer],
    ledger: list[str],
) -> None:
    endpoint.told = [bad]
    found = await models(store, model).structured(REQUEST, Picked, lambda it: it)
    assert found.value == Picked(number=3)
    assert await outcomes(store) == ledger


async def test_a_server_that_is_down_is_stood_in_for_by_the_next(
    endpoint: Endpoint, model: RemoteModel, store: SQLiteStore
) -> None:
    endpoint.told = [lambda _: (503, {})] * 2
    other = RemoteModel("openai:other", url=endpoint.url)
    found = await models(store, model, other).structured(REQUEST, Picked, lambda it: it)
    assert found.model == "openai:other"
    assert await outcomes(store) == ["unavailable", "unavailable", "ok"]
    await other.close()
