"""Evidence that lies apart: a memory that shares no word with the question is found by a name of another."""

import pytest

from remembrancer import Filter, Memory, NewEpisode, NewMessage, RecallRequest, Scope
from remembrancer.types.episode import Entity
from remembrancer.types.scope import Classification

from .opener import Opener
from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
FILM = "Gang Bullets is a crime drama of 1938, which Lambert Hillyer directed."
DIRECTOR = "Lambert Hillyer was born in Tyner in 1893."
QUESTION = "In which town was the maker of Gang Bullets born?"


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    made = await opener(embedder="none")
    for number in range(40):
        await made.save(f"In town {number} a maker of films was born.")
    return made


async def ranks(memory: Memory, question: str = QUESTION, **more: object) -> list[str]:
    request = RecallRequest(question=question, limit=10, abstain=False, **more)  # pyright: ignore[reportArgumentType] -- named as there
    return [hit.text for hit in (await memory.recall(request)).hits]


@requirement("recall.linked")
async def test_a_name_in_the_best_memory_leads_to_the_next(memory: Memory) -> None:
    await memory.save(FILM)
    await memory.save(DIRECTOR)
    assert DIRECTOR in await ranks(memory)
    assert DIRECTOR not in await ranks(memory, retrievers=["lexical", "semantic", "temporal"])
    found = await memory.recall(RecallRequest(question=QUESTION, limit=10, abstain=False))
    (hit,) = [hit for hit in found.hits if hit.text == DIRECTOR]
    assert hit.factors["linked"] > 0
    assert "linked" in (await memory.explain(QUESTION, hit.id)).ranks


@requirement("recall.linked")
async def test_without_a_rare_name_in_the_question_nothing_moves(memory: Memory) -> None:
    await memory.save(FILM)
    await memory.save(DIRECTOR)
    question = "Who was born in which town?"
    plain = await ranks(memory, question, retrievers=["lexical", "semantic", "temporal"])
    assert await ranks(memory, question) == plain
    for number in range(30):
        await memory.save(f"Gang Bullets was shown in hall {number} with a director whom Lambert Hillyer knew.")
    plain = await ranks(memory, retrievers=["lexical", "semantic", "temporal"])
    assert await ranks(memory) == plain, "a name of many memories links nothing"


@requirement("recall.linked")
async def test_a_message_links_nothing(memory: Memory) -> None:
    await memory.record(NewMessage(text=FILM, session="s"))
    await memory.save(DIRECTOR)
    plain = await ranks(memory, retrievers=["lexical", "semantic", "temporal"])
    assert await ranks(memory) == plain, "the film is a message"


@requirement("recall.linked")
async def test_a_message_is_not_linked(memory: Memory) -> None:
    await memory.save(FILM)
    await memory.save(DIRECTOR)
    await memory.record(NewMessage(text="Lambert Hillyer had a dog.", session="s"))
    found = await ranks(memory)
    assert DIRECTOR in found
    assert "Lambert Hillyer had a dog." not in found


@requirement("recall.linked")
async def test_links_end_with_their_memory_and_at_every_wall(memory: Memory) -> None:
    await memory.within(Scope(user="ben")).save(DIRECTOR)
    await memory.save(FILM)
    assert DIRECTOR not in await ranks(memory), "another user's"
    secret = (await memory.save(DIRECTOR)).record
    assert DIRECTOR in await ranks(memory)
    assert DIRECTOR not in await ranks(memory, filter=Filter(tags=["x"]))
    await memory.governance.classify(secret.id, Classification.RESTRICTED.value, reason="a test")
    assert DIRECTOR not in await ranks(memory.within(memory.scope, clearance="internal"))
    assert DIRECTOR in await ranks(memory)
    await memory.governance.erasure.erase(memories=[secret.id], reason="a test")
    assert DIRECTOR not in await ranks(memory)


@requirement("recall.linked")
async def test_a_declared_entity_links_an_episode(memory: Memory) -> None:
    await memory.save(FILM)
    entity = Entity(type="person", name="Lambert Hillyer")
    await memory.episodes.record(
        NewEpisode(summary="declined an interview", event="action_completed", entities=[entity])
    )
    assert "declined an interview" in await ranks(memory)
