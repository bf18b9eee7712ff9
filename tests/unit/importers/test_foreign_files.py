"""What files of other programs hold beside plain messages. Each case is from a file that lost or refused words."""

import io
import json
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pytest

from remembrancer.ingest.importers.files import read_stream
from remembrancer.ingest.importers.reader import Reader

SAID = {"role": "user", "content": "hello", "timestamp": "2023-05-08T13:56:00Z"}
ANSWERED = {"role": "assistant", "content": "hi", "timestamp": "2023-05-08T13:57:00Z"}


def read(text: str, name: str = "a.jsonl") -> tuple[list[Any], dict[tuple[str, str], int]]:
    """The turns of a file, and what is counted of it by gap and example."""
    reader = Reader(name)
    turns = list(read_stream(io.StringIO(text), reader))
    return turns, {(one.gap.value, one.example): one.count for one in reader.unread}


def lines(*values: Any) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in values)


def node(id: str, parent: str | None, text: str | None, children: list[str] | None = None) -> dict[str, Any]:
    """A node of an export of ChatGPT."""
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}, "create_time": 1.7e9}
    more: dict[str, Any] = {} if children is None else {"children": children}
    return {"id": id, "parent": parent, "message": message if text else None, **more}


NODES = [node("r", None, None), node("a", "r", "A"), node("b", "a", "B"), node("c", "b", "C"), node("d", "a", "D")]


@pytest.mark.parametrize("order", [list(one) for one in permutations(range(5))][::17])
def test_a_tree_that_names_only_parents_is_read_whole(order: list[int]) -> None:
    mapping = {NODES[place]["id"]: NODES[place] for place in order}
    turns, _ = read(json.dumps([{"title": "", "mapping": mapping}]), "conversations.json")
    texts = [turn.text for turn in turns]
    assert sorted(texts) == ["A", "B", "C", "D"]
    assert texts.index("A") == 0
    assert texts.index("B") < texts.index("C")


def test_a_tree_with_some_children_is_read_whole() -> None:
    nodes = [node("r", None, None, ["a"]), node("a", "r", "A", []), node("b", "a", "B"), node("x", "x", "X", ["x"])]
    turns, _ = read(json.dumps([{"title": "", "mapping": {one["id"]: one for one in nodes}}]), "conversations.json")
    assert sorted(turn.text for turn in turns) == ["A", "B", "X"]


def test_what_is_no_message_is_counted_by_its_kind_and_refuses_nothing() -> None:
    turns, counted = read(
        lines(
            {"type": "system", "subtype": "turn_duration", "durationMs": 3},
            SAID,
            {"type": "queue-operation", "operation": "enqueue", "content": "next", "sessionId": "x"},
            {"type": "queue-operation", "operation": "dequeue"},
            {"event": "ping", "at": 3},
            {"role": "user"},
            ANSWERED,
        )
    )
    assert [turn.text for turn in turns][:1] + [turn.text for turn in turns][-1:] == ["hello", "hi"]
    assert {kind: count for (gap, kind), count in counted.items() if gap == "no-message"} == {
        "system turn_duration": 1,
        "queue-operation": 2 if len(turns) == 2 else 1,
        "fields at, event": 1,
        "fields role": 1,
    }


@pytest.mark.parametrize("length", range(1, len(json.dumps(ANSWERED)), 7))
def test_a_last_line_that_is_cut_off_is_counted(length: int) -> None:
    turns, counted = read(lines(SAID, ANSWERED, json.dumps(ANSWERED)[:length]))
    assert [turn.text for turn in turns] == ["hello", "hi"]
    assert counted == {("cut-off", "line 3"): 1}


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("length", [1, 5, 15, 22, 50, 71])
def test_a_line_that_a_killed_process_left_does_not_refuse_a_log(length: int, end: str) -> None:
    turns, counted = read(lines(SAID, json.dumps(ANSWERED)[:length] + end + json.dumps(ANSWERED)))
    assert [turn.text for turn in turns] == ["hello", "hi"]
    assert counted == {("cut-off", "line 2"): 1}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timestamp", "1683554160"),
        ("ts", "1683554160.000100"),
        ("date_unixtime", "1683554160"),
        ("createTime", 1683554160),
        ("timestamp_ms", 1683554160000),
        ("sentAt", "2023-05-08T15:56:00+02:00"),
    ],
)
def test_a_time_is_read_under_its_names_and_in_its_forms(field: str, value: object) -> None:
    turns, counted = read(lines({"role": "user", "content": "hello", field: value}))
    assert turns[0].occurred_at.replace(microsecond=0) == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert counted == {}


def test_a_message_without_a_time_and_a_clock_without_a_zone_are_counted() -> None:
    timeless = {"role": "user", "content": "hello"}
    turns, counted = read(
        lines(timeless, {**timeless, "date": "2023-05-08 13:56:00"}, {**timeless, "date": "2023-05-08"})
    )
    assert [turn.occurred_at and turn.occurred_at.hour for turn in turns] == [None, 13, 0]
    assert counted == {("missing-time", "line 1"): 1, ("assumed-zone", "'2023-05-08 13:56:00'"): 1}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"content": [{"type": "text", "text": ""}], "text": "the words"}, "the words"),
        ({"content": [], "text": "the words"}, "the words"),
        ({"text": ["see ", {"type": "link", "text": "this"}, " page"]}, "see this page"),
        ({"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}, "one\ntwo"),
        ({"content": {"parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "a cat"]}},
         "[image_asset_pointer x]\na cat"),
    ],
)  # fmt: skip
def test_the_words_of_a_message_are_found(fields: dict[str, Any], text: str) -> None:
    turns, _ = read(lines({"sender": "human", **fields}))
    assert turns[0].text == text


def test_what_chatgpt_shows_its_model_and_names_of_files_are_read() -> None:
    about = node("u", None, "x", ["a"])
    about["message"]["content"] = {
        "content_type": "user_editable_context",
        "user_profile": "I am a pilot",
        "user_instructions": "Answer short",
    }
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-abc"}
    picture = node("a", "u", "x")
    picture["message"]["content"] = {"content_type": "multimodal_text", "parts": [pointer, "What is it?"]}
    picture["message"]["metadata"] = {"attachments": [{"id": "file-abc", "name": "cat.png"}]}
    document = [{"title": "Trip", "current_node": "a", "mapping": {"u": about, "a": picture}}]
    turns, _ = read(json.dumps(document), "conversations.json")
    assert [turn.text for turn in turns] == [
        "I am a pilot\nAnswer short",
        "[image_asset_pointer file-service://file-abc]\nWhat is it?\n[attachment cat.png]",
    ]
