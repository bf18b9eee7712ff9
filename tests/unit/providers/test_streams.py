"""Answers that are read as they come, of every provider, played by a real server on this machine."""

from collections.abc import Iterator, Sequence

import anyio
import pytest

from remembrancer import BadModelOutput, ProviderError, ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt, StreamingModel
from remembrancer.llm.providers.language import RemoteModel
from remembrancer.types.calls import Usage
from tests.answers import DONE, chunk, event, events, used
from tests.endpoints import NEVER, Answer, Endpoint, Stream

pytestmark = pytest.mark.anyio
PROMPT = Prompt(system="You greet.", text="Greet.", version="greet-1")
PATIENCE = 5.0


def named(kind: str, **fields: object) -> bytes:
    return b"event: " + kind.encode() + b"\n" + event({"type": kind, **fields})


def spoken(text: str) -> bytes:
    return named("content_block_delta", index=0, delta={"type": "text_delta", "text": text})


STARTED: dict[str, object] = {
    "id": "1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [],
    "stop_reason": None,
    "usage": {"input_tokens": 10, "output_tokens": 1},
}
ANTHROPIC = [
    named("message_start", message=STARTED),
    named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    spoken("Good "),
    spoken("day"),
    named("content_block_stop", index=0),
    named("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 7}),
    named("message_stop"),
]


def gemini(text: str, *, finish: str | None = None) -> bytes:
    candidate = {
        "content": {"role": "model", "parts": [{"text": text}]},
        **({"finishReason": finish} if finish else {}),
    }
    usage = {"promptTokenCount": 50, "candidatesTokenCount": 9, "totalTokenCount": 59}
    return event({"candidates": [candidate], "usageMetadata": usage})


GEMINI = [gemini("Good "), gemini("day", finish="STOP")]
OPENAI = events("Good ", "day")
CLAUDE, FLASH, SMALL = "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash", "openai:small"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(lambda _: (500, {})).serving() as serving:
        yield serving


async def read(
    endpoint: Endpoint, answer: Answer, *, name: str = SMALL, seconds: float = PATIENCE
) -> tuple[list[str], Completion | ProviderError]:
    """The pieces of an answer, and what came of it."""
    endpoint.told = [lambda _: answer]
    url = endpoint.address if name in (CLAUDE, FLASH) else endpoint.url
    model, pieces = RemoteModel(name, url=url, api_key="k" * 8), list[str]()
    assert isinstance(model, StreamingModel)
    try:
        async for piece in model.stream(PROMPT, max_tokens=50, seconds=seconds, temperature=0.0):
            if isinstance(piece, Completion):
                return pieces, piece
            pieces.append(piece)
        raise AssertionError("it ended without an answer")
    except ProviderError as error:
        return pieces, error
    finally:
        await model.close()


@pytest.mark.parametrize(
    ("name", "said", "usage"),
    [
        (SMALL, OPENAI, Usage(prompt=100, cached=0, answer=20)),
        ("ollama:qwen3", OPENAI, Usage(prompt=100, cached=0, answer=20)),
        ("deepseek:deepseek-chat", OPENAI, Usage(prompt=100, cached=0, answer=20)),
        (CLAUDE, ANTHROPIC, Usage(prompt=10, cached=0, answer=7)),
        (FLASH, GEMINI, Usage(prompt=50, cached=0, answer=9)),
    ],
)
async def test_an_answer_comes_in_pieces_and_then_whole_with_its_tokens(
    endpoint: Endpoint, name: str, said: Sequence[bytes], usage: Usage
) -> None:
    pieces, answer = await read(endpoint, (200, Stream(events=said)), name=name)
    assert pieces == ["Good ", "day"]
    assert answer == Completion(text="Good day", usage=usage, model=name)
    asked = endpoint.asked[0]
    assert asked.get("stream", True) is True
    assert "response_format" not in asked


@pytest.mark.parametrize(
    ("name", "said"),
    [(SMALL, OPENAI[:1]), (SMALL, [*OPENAI[:1], used(), DONE]), (CLAUDE, ANTHROPIC[:3]), (FLASH, GEMINI[:1])],
)
@pytest.mark.parametrize("is_cut", [False, True])
async def test_a_stream_that_ends_before_the_answer_does_is_broken_off(
    endpoint: Endpoint, name: str, said: Sequence[bytes], is_cut: bool
) -> None:
    pieces, error = await read(endpoint, (200, Stream(events=said, is_cut=is_cut)), name=name)
    assert pieces == ["Good "]
    assert isinstance(error, ProviderUnavailable)
    assert str(error) == f"the model {name!r} broke off its answer"
    assert error.charged


@pytest.mark.parametrize(
    "garbage",
    [b"data: {oops\n\n", event({"error": {"message": "quokka"}}), b"data: 7\n\n", b"data: []\n\n", b"\xff\xfe\n\n"],
)
async def test_what_breaks_the_protocol_in_mid_stream_breaks_it_off(endpoint: Endpoint, garbage: bytes) -> None:
    pieces, error = await read(endpoint, (200, Stream(events=[chunk("Good "), garbage, DONE])))
    assert pieces == ["Good "]
    assert isinstance(error, ProviderUnavailable)
    assert "quokka" not in str(error)


@pytest.mark.parametrize("answer", [b"<html>", b"", b'{"choices": []}', [], {}])
async def test_what_is_no_stream_at_all_is_bad_output_or_broken_off(endpoint: Endpoint, answer: object) -> None:
    pieces, error = await read(endpoint, (200, answer))
    assert pieces == []
    assert isinstance(error, BadModelOutput | ProviderUnavailable)


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_a_refusal_is_told_as_without_a_stream_and_has_cost_nothing(endpoint: Endpoint, status: int) -> None:
    _, error = await read(endpoint, (status, {"error": {"message": "quokka"}}))
    assert isinstance(error, ProviderUnavailable)
    assert str(error) == f"the model 'openai:small' answered with status {status}"
    assert (error.lasting, error.charged) == (status == 401, False)


@pytest.mark.parametrize("answer", [NEVER, (200, Stream(events=[chunk("Good ")] * 99, pause=0.1))])
async def test_all_pieces_together_have_so_much_time(endpoint: Endpoint, answer: Answer) -> None:
    # What is loaded with the first call is not part of how long one waits.
    await read(endpoint, (200, Stream(events=OPENAI)))
    pieces, error = await read(endpoint, answer, seconds=0.4)
    assert len(pieces) < 99
    assert isinstance(error, ProviderUnavailable)
    assert "did not answer within 0.4 s" in str(error)
    assert error.charged


async def test_who_reads_slowly_takes_none_of_the_time(endpoint: Endpoint) -> None:
    # What is loaded with the first call is not part of how long one waits.
    whole = await read(endpoint, (200, Stream(events=OPENAI)))
    endpoint.told = [lambda _: (200, Stream(events=OPENAI))]
    model, started = RemoteModel(SMALL, url=endpoint.url), anyio.current_time()
    again: list[str | Completion] = []
    async for piece in model.stream(PROMPT, max_tokens=50, seconds=1.0, temperature=0.0):
        await anyio.sleep(0.5)
        again.append(piece)
    assert anyio.current_time() - started > 1.0
    assert again == [*whole[0], whole[1]]
    await model.close()


async def test_a_stream_that_is_left_lets_go_of_its_connection(endpoint: Endpoint) -> None:
    endpoint.told = [lambda _: (200, Stream(events=[chunk("Good ")] * 999, pause=0.01))]
    model = RemoteModel(SMALL, url=endpoint.url)
    stream = model.stream(PROMPT, max_tokens=50, seconds=PATIENCE, temperature=0.0)
    assert await anext(stream) == "Good "
    await stream.aclose()
    await model.close()
