"""What a reranker is sent, what becomes of its order, and that recall goes on without it, whatever it does."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest

from remembrancer import ContextRequest, Filter, InvalidInput, Memory, RecallRequest, Scope, SyncMemory
from tests.endpoints import HALTING, NEVER, Answer, Endpoint
from tests.rows import every_row
from tests.unit.providers.test_rerankers import NONSENSE, SHAPES, dropped, results

from .judging import QUESTION, Judge, failed, fill, number_of, order, say, served
from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

LONG = 30.0
SHORT = 0.2


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def endpoint(shape: str) -> Generator[Endpoint]:
    with Endpoint(served(shape)).serving() as serving:
        yield serving


def named(shape: str, endpoint: Endpoint, *, seconds: float = LONG) -> dict[str, Any]:
    """The settings by which an endpoint is asked."""
    reranker = f"tei:{endpoint.address}" if shape == "tei" else f"{shape}:small"
    url = {} if shape == "tei" else {"reranker_url": endpoint.address}
    return {"reranker": reranker, "reranker_api_key": "k" * 8, "reranker_seconds": seconds, **url}


def notes_of_order(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note.startswith("not reranked: ")]


@requirement("recall.rerank")
async def test_what_an_endpoint_likes_best_comes_first_in_both_stores(
    opener: Opener, shape: str, endpoint: Endpoint
) -> None:
    memory = await opener(**named(shape, endpoint))
    await fill(memory, 8)
    ranked = await memory.recall(RecallRequest(question=QUESTION, rerank=False, record_access=False))
    assert endpoint.asked == []
    reranked = await memory.recall(RecallRequest(question=QUESTION, record_access=False))
    assert [number_of(hit.record.text) for hit in reranked.hits] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert reranked.notes == ranked.notes
    assert [hit.score for hit in reranked.hits] == [hit.score for hit in ranked.hits]
    own = {hit.id: hit for hit in ranked.hits}
    for hit in reranked.hits:
        before = own[hit.id]
        judged = {"rerank": number_of(hit.record.text) / 100, "unreranked": before.score}
        assert (hit.factors, hit.ranks) == ({**before.factors, **judged}, before.ranks)
    texts = endpoint.asked[0]["texts" if shape == "tei" else "documents"]
    assert sorted(map(number_of, texts)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all("Bo: Ana lives" in text and text.startswith("[") for text in texts)
    assert (await memory.admin.stats()).reranker == (
        f"tei:{endpoint.address.removeprefix('http://')}" if shape == "tei" else f"{shape}:small"
    )


FAILURES: dict[str, Answer | None] = {
    "500": (500, {}),
    "429": (429, {}),
    "401": (401, {}),
    "302": (302, {}),
    "closed": None,
    "silent": NEVER,
    "halting": HALTING,
}


async def the_order_stands(memory: Memory, shape: str, endpoint: Endpoint, failure: str, *, slow: bool = False) -> None:
    """Recall while an endpoint fails in some way, of which a note is to tell."""
    ranked = await memory.recall(RecallRequest(question=QUESTION, rerank=False, record_access=False))

    def failing(request: dict[str, Any]) -> Answer:
        if failure in NONSENSE:
            return 200, NONSENSE[failure](shape, results(shape, request["texts" if shape == "tei" else "documents"]))
        return FAILURES[failure] or dropped(request)

    endpoint.told = [failing]
    with anyio.fail_after(LONG / 2):
        found = await memory.recall(RecallRequest(question=QUESTION, record_access=False))
    assert found.hits == ranked.hits
    (note,) = notes_of_order(found.notes)
    assert "the reranker" in note
    assert "Ana" not in note
    assert ("took longer than 0.2 seconds" in note) == slow


@requirement("recall.rerank")
@pytest.mark.parametrize("failure", FAILURES)
async def test_where_an_endpoint_fails_the_order_stands_and_a_note_says_so(
    on_disk: Opener, shape: str, endpoint: Endpoint, failure: str
) -> None:
    slow = failure in ("silent", "halting")
    memory = await on_disk(**named(shape, endpoint, seconds=SHORT if slow else LONG))
    await fill(memory, 3)
    await the_order_stands(memory, shape, endpoint, failure, slow=slow)


@requirement("recall.rerank")
async def test_where_an_endpoint_answers_nonsense_the_order_stands_and_a_note_says_so(
    on_disk: Opener, shape: str, endpoint: Endpoint
) -> None:
    memory = await on_disk(**named(shape, endpoint))
    await fill(memory, 3)
    with every_row() as row:
        for nonsense in NONSENSE:
            with row(nonsense):
                await the_order_stands(memory, shape, endpoint, nonsense)
                # One that answers well again is asked again, however often it has failed.
                assert (
                    notes_of_order((await memory.recall(RecallRequest(question=QUESTION, record_access=False))).notes)
                    == []
                )


@requirement("recall.rerank")
async def test_an_endpoint_that_fails_again_and_again_is_left_alone_until_it_is_to_be_tried(
    opener: Opener, shape: str, endpoint: Endpoint
) -> None:
    memory = await opener(**named(shape, endpoint))
    await fill(memory, 3)
    endpoint.told = [lambda _: (500, {})] * 9
    for _ in range(5):
        assert await order(memory) == await order(memory, rerank=False)
    assert len(endpoint.asked) == 3
    recalled = await memory.recall(RecallRequest(question=QUESTION, record_access=False))
    (note,) = notes_of_order(recalled.notes)
    assert "when asked to rerank, 3 times in a row, and is not called until" in note
    told = [one.finding.where for one in await memory.admin.doctor()]
    assert any("asked to rerank" in where[0] for where in told)
    endpoint.told = []
    await memory.admin.doctor(repair=True)
    assert await order(memory) == [3, 2, 1]


@requirement("recall.rerank")
async def test_a_timeout_counts_as_a_failure_of_the_endpoint(on_disk: Opener) -> None:
    judge = Judge(delay=LONG)
    memory = await on_disk(reranker=judge, reranker_seconds=1)
    await fill(memory, 3)
    for times in (1, 2, 3):
        assert (
            "took longer than 1 s"
            in notes_of_order((await memory.recall(RecallRequest(question=QUESTION, record_access=False))).notes)[0]
        )
        await failed(memory, times)
    asked = len(judge.asked)
    assert (
        "not called until"
        in notes_of_order((await memory.recall(RecallRequest(question=QUESTION, record_access=False))).notes)[0]
    )
    assert len(judge.asked) == asked <= 3


@requirement("recall.rerank")
async def test_the_best_fifty_are_judged_and_the_others_follow_as_they_stood(opener: Opener) -> None:
    judge = Judge()
    memory = await opener(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 60)
    ranked = await order(memory, limit=60, rerank=False)
    reranked = await order(memory, limit=60)
    assert len(judge.asked[0]) == 50
    assert reranked == [*sorted(ranked[:50], reverse=True), *ranked[50:]]
    # Fewer are asked for, and as many are looked at.
    assert await order(memory, limit=3) == reranked[:3]
    assert len(judge.asked[1]) == 50


@requirement("recall.rerank")
async def test_limit_and_tokens_cut_what_was_reranked_and_explain_says_so(opener: Opener) -> None:
    memory = await opener(reranker=Judge(), reranker_seconds=LONG)
    await fill(memory, 6)
    found = await memory.recall(RecallRequest(question=QUESTION, limit=4, max_tokens=25, record_access=False))
    assert [number_of(hit.record.text) for hit in found.hits] == [6, 5]
    assert found.dropped == 2
    every = {
        number_of(hit.record.text): hit
        for hit in (await memory.recall(RecallRequest(question=QUESTION, record_access=False))).hits
    }
    ranked = await order(memory, rerank=False)
    for number, stage in ((6, "recalled"), (4, "tokens"), (1, "limit")):
        told = await memory.explain(RecallRequest(question=QUESTION, limit=4, max_tokens=25), every[number].id)
        assert (told.stage, told.rank, told.score) == (stage, 7 - number, every[number].score)
        assert f"the reranker moved it from rank {ranked.index(number) + 1} to {7 - number}" in told.reason
        assert told.factors["rerank"] == number
        plain = await memory.explain(RecallRequest(question=QUESTION, limit=4, rerank=False), every[number].id)
        assert (plain.rank, "rerank" in plain.factors) == (ranked.index(number) + 1, False)


@requirement("recall.rerank")
async def test_nothing_is_sent_where_recall_abstains_or_has_nothing_to_sort(on_disk: Opener) -> None:
    judge = Judge()
    memory = await on_disk(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 1)
    assert await order(memory) == [1]
    await fill(memory, 3)
    for nothing in ("Thank you!", "Which quasar ate the marmalade?", "", "   "):
        assert (
            await memory.recall(RecallRequest(question=nothing, record_access=False))
        ).abstained or not nothing.strip()
    await memory.context(question="Thank you!")
    await memory.explain("Which quasar ate the marmalade?", (await memory.list()).records[0].id)
    assert judge.asked == []


@requirement("recall.rerank")
async def test_nothing_is_sent_that_the_caller_may_not_see(opener: Opener) -> None:
    judge = Judge()
    memory = await opener(reranker=judge, reranker_seconds=LONG, reranker_clearance="restricted", user="ana")
    await fill(memory, 3)
    await say(memory, 40, classification="restricted")
    await memory.within(Scope(user="bo")).record("Ana lives in the street number 50.", session="streets")
    wrong = await memory.save("Ana lives in the street number 60.")
    await memory.feedback(wrong.record.id, "wrong")
    gone = await memory.save("Ana lives in the street number 70.")
    await memory.delete(gone.record.id)
    await say(memory, 80, session="elsewhere")
    public = memory.within(memory.scope, clearance="internal")
    assert await order(public, filter=Filter(sessions=["streets"])) == [3, 2, 1]
    assert sorted(map(number_of, judge.asked[0])) == [1, 2, 3]
    assert await order(memory, filter=Filter(kinds=["message"])) == [80, 40, 3, 2, 1]


@requirement("recall.rerank")
async def test_what_is_classified_too_high_stays_in_its_place_and_in_the_process(opener: Opener) -> None:
    judge = Judge()
    memory = await opener(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 4)
    await say(memory, 5, classification="confidential")
    await say(memory, 6, classification="public")
    before = await order(memory, rerank=False)
    after = await order(memory)
    assert 5 not in map(number_of, judge.asked[0])
    assert after.index(5) == before.index(5)
    assert [number for number in after if number != 5] == [6, 4, 3, 2, 1]
    judge.is_outside = False
    assert await order(memory) == [6, 5, 4, 3, 2, 1]


@requirement("recall.rerank")
async def test_a_note_says_where_nothing_of_it_may_be_sent(on_disk: Opener) -> None:
    judge = Judge()
    memory = await on_disk(reranker=judge, reranker_seconds=LONG, reranker_clearance="public")
    await fill(memory, 3)
    found = await memory.recall(RecallRequest(question=QUESTION, record_access=False))
    assert (len(found.hits), judge.asked) == (3, [])
    assert "classified too high" in notes_of_order(found.notes)[0]


@requirement("recall.rerank")
async def test_of_a_long_text_the_part_is_sent_that_the_question_is_about_and_no_secret_of_a_question(
    on_disk: Opener,
) -> None:
    judge = Judge()
    memory = await on_disk(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 2)
    long = "So it went on. " * 200 + "Ana lives in the street number 9. " + "And so it ended. " * 200
    await memory.record(long, session="streets")
    token = "ghp_" + "a1B2" * 9
    await memory.recall(
        RecallRequest(
            question=f"{QUESTION} <private>I hate her.</private> My token is {token}",
            abstain=False,
            record_access=False,
        )
    )
    assert 9 in map(number_of, judge.asked[0])
    assert max(map(len, judge.asked[0])) < 1_100
    assert QUESTION in judge.questions[0]
    assert "hate" not in judge.questions[0]
    assert token not in judge.questions[0]
    private = await memory.recall(
        RecallRequest(question=f"<private>{QUESTION}</private>", abstain=False, record_access=False)
    )
    assert "no part of the question may be sent" in notes_of_order(private.notes)[0]


@requirement("recall.rerank")
async def test_it_goes_into_context_and_reminding_once_each(on_disk: Opener) -> None:
    judge = Judge()
    memory = await on_disk(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 30)
    await memory.context(question=QUESTION)
    assert len(judge.asked) == 1
    reminded = await memory.context(ContextRequest(question=QUESTION, limit=2, mode="search"))
    assert [number in reminded.text for number in ("number 30", "number 29", "number 28")] == [True, True, False]
    assert len(judge.asked) == 2


@requirement("recall.rerank-in-time", "blocks.in-time")
@pytest.mark.parametrize("delay", [0.0, LONG])
async def test_inject_keeps_its_time_whatever_the_reranker_does(on_disk: Opener, delay: float) -> None:
    judge = Judge(delay=delay)
    memory = await on_disk(reranker=judge, reranker_seconds=LONG, inject_prompt_seconds=3.0)
    await fill(memory, 8)
    with anyio.fail_after(LONG / 2):
        injected = await memory.context(question=QUESTION, mode="prompt")
    assert len(injected.ids()) == 5
    assert delay or "number 8" in injected.text
    assert judge.seconds[0] < 0.85 * 3
    assert bool(notes_of_order(injected.notes)) == bool(delay)
    # In a hurry it could not have been expected to answer: that is no failure of its.
    assert not [one for one in await memory.admin.doctor() if "rerank" in str(one.finding.where)]


class Broken:
    """Something that is no reranker."""

    name = "mine:broken"


@requirement("recall.rerank")
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"reranker": "tei"}, "REMEMBRANCER_RERANKER.*tei:URL"),
        ({"reranker": "gpt:x"}, "REMEMBRANCER_RERANKER"),
        ({"reranker": "jina:m"}, "REMEMBRANCER_RERANKER_API_KEY"),
        ({"reranker": "tei:localhost"}, "http://"),
        ({"reranker": "fastembed:nowhere"}, "has no model.onnx"),
        ({"reranker": "model"}, "REMEMBRANCER_MODEL"),
        ({"reranker": "none", "reranker_seconds": 0}, "REMEMBRANCER_RERANKER_SECONDS"),
        ({"reranker": Broken()}, "a name or a Reranker, not Broken"),
    ],
)
async def test_a_setting_that_cannot_be_is_refused_at_once(
    on_disk: Opener, settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidInput, match=told):
        await on_disk(**settings)


@requirement("recall.rerank")
def test_it_serves_without_await_too(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False, reranker=Judge()) as memory:
        for number in range(1, 4):
            memory.record(f"Ana lives in the street number {number}.", session="streets")
        assert [number_of(hit.record.text) for hit in memory.recall(QUESTION).hits] == [3, 2, 1]


@requirement("recall.rerank")
async def test_what_was_known_at_a_time_is_reranked_too(opener: Opener) -> None:
    judge = Judge()
    memory: Memory = await opener(reranker=judge, reranker_seconds=LONG)
    await fill(memory, 2)
    saved = await memory.save("Ana lives in the street number 7.", topic_key="street")
    await memory.save("Ana lives in the street number 1000.", topic_key="street")
    assert await order(memory) == [1000, 2, 1]
    assert await order(memory, as_of=saved.record.updated_at) == [7, 2, 1]
