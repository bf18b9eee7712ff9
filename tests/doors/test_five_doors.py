"""What the product promises, through every door: the same assertions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .conftest import Doors
from .door import Door, Refused

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_what_was_said_is_recalled_and_says_who_and_where(door: Door) -> None:
    said = door.record("The heron nests under the harbour bridge", session="birds", speaker="Ana")
    assert said.outcome == "created"
    assert door.recall("Where does the heron nest?") == [said.id]
    held = door.get(said.id)
    assert held is not None
    assert (held["text"], held["speaker"], held["session"]) == (
        "The heron nests under the harbour bridge",
        "Ana",
        "birds",
    )


def test_a_claim_is_saved_once_and_replaced_under_its_key(door: Door) -> None:
    first = door.save("The deploy is on Tuesday", topic_key="deploy-day", type="decision")
    again = door.save("The deploy is on Tuesday", topic_key="deploy-day", type="decision")
    moved = door.save("The deploy is on Thursday", topic_key="deploy-day")
    assert [first.outcome, again.outcome, moved.outcome] == ["created", "deduped", "updated"]
    assert first.id == again.id == moved.id
    held = door.get(first.id)
    assert held is not None
    assert (held["text"], held["type"]) == ("The deploy is on Thursday", "decision")


def test_what_nobody_knows_is_not_made_up(door: Door) -> None:
    door.save("The pump is made by Grundfos")
    assert door.recall("Which violinist played in Kyoto last winter?") is None


def test_what_is_not_here_is_absent(door: Door) -> None:
    door.record("Good morning")
    nowhere = "01900000-0000-7000-8000-000000000000"
    assert door.get(nowhere) is None
    assert door.around(nowhere) is None
    for act in (
        lambda: door.edit(nowhere, "x"),
        lambda: door.delete(nowhere),
        lambda: door.verdict(nowhere, "wrong"),
    ):
        with pytest.raises(Refused, match="no memory"):
            act()


def test_another_tenants_memory_reads_as_one_that_never_was(doors: Doors) -> None:
    mine, theirs = doors(), doors("other")
    id = theirs.save("The vault opens with 4711").id
    never = "01900000-0000-7000-8000-000000000000"
    assert mine.get(id) is None
    assert mine.around(id) is None
    assert mine.recall("What opens the vault?") is None
    acts: list[Callable[[str], object]] = [
        mine.delete,
        lambda one: mine.edit(one, "x"),
        lambda one: mine.verdict(one, "right"),
    ]
    for act in acts:
        told: list[str] = []
        for one in (id, never):
            with pytest.raises(Refused) as raised:
                act(one)
            told.append(str(raised.value).replace(one, ""))
        assert told[0] == told[1]
    assert theirs.get(id) is not None
    assert mine.counts() == {}


def test_what_is_wrong_stops_and_is_not_learnt_again(door: Door) -> None:
    saved = door.save("Ana takes the night train")
    assert door.recall("Which train does Ana take?") == [saved.id]
    assert door.verdict(saved.id, "wrong") == "rejected"
    assert door.recall("Which train does Ana take?") is None
    with pytest.raises(Refused, match="rejected"):
        door.save("Ana takes the night train")


def test_what_is_deleted_is_out_of_every_read(door: Door) -> None:
    saved = door.save("The gate opens at nine")
    door.delete(saved.id)
    assert door.recall("When does the gate open?") is None
    held = door.get(saved.id)
    assert held is None or held["status"] == "soft-deleted"
    with pytest.raises(Refused):
        door.delete(saved.id)


def test_a_correction_takes_the_revision_that_was_read(door: Door) -> None:
    saved = door.save("The bridge is closed in May")
    changed = door.edit(saved.id, "The bridge is closed in June", revision=saved.revision)
    assert (changed.id, changed.outcome) == (saved.id, "updated")
    with pytest.raises(Refused, match="revision 2"):
        door.edit(saved.id, "The bridge is closed in July", revision=saved.revision)
    held = door.get(saved.id)
    assert held is not None
    assert held["text"] == "The bridge is closed in June"


def test_private_regions_and_secrets_are_gone_before_anything_keeps_them(door: Door) -> None:
    kept = door.record(f"The code is <private>4711</private> and the token {SECRET}")
    held = door.get(kept.id)
    assert held is not None
    assert "4711" not in held["text"]
    assert SECRET not in held["text"]
    assert "[REDACTED]" in held["text"]


def test_text_of_every_script_comes_back_as_it_was(door: Door) -> None:
    text = "Die Brücke – «l'été» 橋は閉鎖中 🌉 \n\tنص"
    kept = door.save(text)
    held = door.get(kept.id)
    assert held is not None
    assert held["text"] == text


def test_bad_input_says_what_to_change(door: Door) -> None:
    with pytest.raises(Refused, match="type"):
        door.save("The heron nests in April", type="rumour")
    with pytest.raises(Refused, match="bytes"):
        door.save("a " * 20_000)
    with pytest.raises(Refused):
        door.save("")
    assert door.counts() == {}


def test_the_same_key_writes_once(door: Door) -> None:
    first = door.record("Please book the train", key="k1")
    again = door.record("Please book the train", key="k1")
    other = door.record("Please book the train", key="k2")
    assert first.id == again.id != other.id


def test_what_stood_around_a_message_is_told_in_order(door: Door) -> None:
    ids = [door.record(f"Step {number} is done", session="steps").id for number in range(4)]
    assert door.around(ids[1]) == ids


def test_a_context_holds_what_the_question_recalls(door: Door) -> None:
    door.record("I moved to Lisbon in spring", session="talk", speaker="Ana")
    door.save("Ana is vegetarian", type="profile")
    block = door.context("talk", "What does Ana eat?")
    assert "Ana is vegetarian" in block
    assert "I moved to Lisbon in spring" in block


def test_a_session_starts_with_what_the_last_one_came_to(door: Door) -> None:
    door.start("monday")
    door.record("We use PostgreSQL for the archive", session="monday")
    summary = door.summarise("monday", "Decided: PostgreSQL for the archive. Open: who runs it.")
    door.end("monday")
    assert "who runs it" in door.start("tuesday")
    assert door.get(summary) is not None


def test_going_back_in_time_shows_what_was_known_then(door: Door) -> None:
    saved = door.save("The deploy is on Tuesday", topic_key="day")
    then = datetime.now(UTC) + timedelta(microseconds=1)
    door.save("The deploy is on Thursday", topic_key="day")
    held = door.get(saved.id, as_of=then.isoformat())
    assert held is not None
    assert held["text"] == "The deploy is on Tuesday"
    long_ago = door.get(saved.id, as_of="2001-01-01T00:00:00+00:00")
    assert long_ago is None


def test_metadata_is_a_filter(door: Door) -> None:
    told: dict[str, Any] = {"path": "src/über.py", "line": 7, "open": True}
    there = door.save("The pump of the first hall hums", metadata=told).id
    door.save("The pump of the second hall hums", metadata={**told, "line": "7"})
    for asked in ({"line": 7}, told, {"open": True, "line": 7.0}):
        assert door.listed(metadata=asked) == {there}, asked
        assert door.recall("Which pump hums?", metadata=asked) == [there], asked
    assert door.listed(metadata={"open": 1}) == set()
    with pytest.raises(Refused, match="metadata"):
        door.listed(metadata={"path": ["src/über.py"]})


def test_a_memory_has_an_end(door: Door) -> None:
    ends = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    held = door.get(door.save("The harbour bridge is closed until Friday", valid_until=ends).id)
    assert held is not None
    assert held["valid_until"] == ends
    with pytest.raises(Refused, match="valid_until"):
        door.save("The harbour bridge is closed", valid_until="2020-01-01T00:00:00+00:00")


def test_a_message_has_parts_and_calls_of_tools(door: Door) -> None:
    content = [
        {"type": "text", "text": "I look it up"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]
    calls = [{"type": "function", "function": {"name": "tides", "arguments": {"port": "Oban"}}}]
    held = door.get(door.record_in_parts(role="assistant", content=content, tool_calls=calls).id)
    assert held is not None
    assert held["text"] == 'I look it up\n[image_url https://example.org/a.png]\n[calls tides({"port": "Oban"})]'
    with pytest.raises(Refused, match="role tool"):
        door.record_in_parts(content=[{"type": "tool_result", "content": "rain"}])


def test_filters_are_kept(door: Door) -> None:
    one = door.save("The archive is in PostgreSQL", tags=["store", "db"])
    door.save("The archive is in a cellar", tags=["house"])
    assert door.recall("Where is the archive?", tags=["store"]) == [one.id]
    assert door.recall("Where is the archive?", kinds=["message"]) is None


def test_what_memory_holds_is_counted(door: Door) -> None:
    door.record("Good morning")
    door.save("The gate opens at nine")
    door.save("The gate shuts at ten")
    assert door.counts() == {"message/active": 1, "observation/active": 2}


def test_the_result_of_a_session_weighs_on_what_it_was_given(door: Door) -> None:
    door.start("run")
    door.record("Please write to Ana", session="run")
    door.outcome("run", "accepted")
    with pytest.raises(Refused):
        door.outcome("no-such-session", "accepted")
