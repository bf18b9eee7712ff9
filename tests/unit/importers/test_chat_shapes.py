"""Every shape of chat that is known, by a sample written by hand; and what is not one."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remembrancer.errors import InvalidInput
from remembrancer.importers.files import chat_files, read_file, read_stream
from remembrancer.importers.turns import Turn, fingerprint

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def read(document: Any, *, name: str = "a.json", indent: int | None = None) -> list[Turn]:
    return list(read_stream(io.StringIO(json.dumps(document, indent=indent)), name=name))


def lines(*documents: Any) -> list[Turn]:
    return list(read_stream(io.StringIO("\n".join(json.dumps(one) for one in documents)), name="a.jsonl"))


def chat_turn(position: int, role: str, text: str, *, first: str = "hello", **more: Any) -> Turn:
    made = Turn(conversation=f"chat/a.json-{fingerprint(first)}", session="1", position=position, role=role, text=text)
    return Turn(**{name: more.get(name, getattr(made, name)) for name in made.__slots__})


MESSAGES = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
HELLO = [chat_turn(0, "user", "hello"), chat_turn(1, "assistant", "hi")]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_messages_is_one_session(indent: int | None) -> None:
    assert read(MESSAGES, indent=indent) == HELLO


@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_with_messages_is_a_dialogue(indent: int | None) -> None:
    expected = [chat_turn(turn.position, turn.role, turn.text, session="dialogue_1") for turn in HELLO]
    assert read({"messages": MESSAGES}, indent=indent) == expected


def test_dialogues_that_name_their_session_keep_the_name() -> None:
    found = read([{"messages": MESSAGES, "session_id": "x"}, {"messages": MESSAGES}])
    assert [(turn.session, turn.position) for turn in found] == [
        ("x", 0),
        ("x", 1),
        ("dialogue_2", 2),
        ("dialogue_2", 3),
    ]


def test_jsonl_has_a_message_a_line_and_blank_lines_do_not_count() -> None:
    text = "\n\n" + "\n\n".join(json.dumps(message) for message in MESSAGES) + "\n \n"
    assert list(read_stream(io.StringIO(text), name="a.json")) == HELLO


def test_jsonl_may_have_a_dialogue_a_line() -> None:
    found = lines({"messages": MESSAGES}, {"messages": MESSAGES})
    assert [turn.session for turn in found] == ["dialogue_1"] * 2 + ["dialogue_2"] * 2


def test_jsonl_is_read_line_by_line() -> None:
    turns = read_stream(io.StringIO(json.dumps(MESSAGES[0]) + "\nbroken"), name="a.jsonl")
    assert next(turns).text == "hello"


def test_a_message_keeps_its_speaker_time_session_and_id() -> None:
    message = {"id": 7, "speaker": "Ana", "text": "hello", "ts": 1683554160, "thread": "t"}
    assert read([message]) == [
        chat_turn(0, "user", "hello", session="t", speaker="Ana", reference="7", occurred_at=MAY)
    ]


@pytest.mark.parametrize(
    "stamp",
    [
        1683554160,
        1683554160000,
        "2023-05-08T13:56:00Z",
        "2023-05-08T15:56:00+02:00",
        "2023-05-08T13:56",
        "2023/05/08 13:56",
    ],
)
def test_a_time_is_read_in_every_form_that_is_known(stamp: object) -> None:
    assert read([{**MESSAGES[0], "timestamp": stamp}])[0].occurred_at == MAY


@pytest.mark.parametrize("stamp", ["", "soon", True, None, [], 1e300, "0000-00-00", {"a": 1}])
def test_a_time_that_says_nothing_is_none(stamp: object) -> None:
    assert read([{**MESSAGES[0], "timestamp": stamp}])[0].occurred_at is None


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_at_the_end_of_all_times_does_not_break_an_import(stamp: str) -> None:
    assert len(read([{**MESSAGES[0], "timestamp": stamp}])) == 1


@pytest.mark.parametrize(
    ("role", "read_as"),
    [("Human", "user"), ("ai", "assistant"), ("developer", "system"), ("function", "tool"), ("narrator", "user")],
)
def test_a_role_is_read_as_one_of_ours(role: str, read_as: str) -> None:
    assert read([{"role": role, "content": "hello"}])[0].role == read_as


def test_content_in_parts_keeps_its_texts_and_names_the_others() -> None:
    parts = ["plain", {"type": "text", "text": "hello"}, {"type": "image_url", "image_url": {"url": "x"}}, {}]
    assert read([{"role": "user", "content": parts}])[0].text == "plain\nhello\n[image_url]\n[attachment]"


def test_a_trajectory_keeps_the_calls_of_tools_and_what_they_gave() -> None:
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": "cats"}'}}
    structured = {"name": "open", "arguments": {"b": 2, "a": 1}}
    document = {
        "traj": [
            {"role": "system", "content": "be kind"},
            {"role": "assistant", "content": None, "tool_calls": [call, structured]},
            {"role": "tool", "name": "search", "content": "3 cats"},
        ]
    }
    assert [(turn.role, turn.speaker, turn.text) for turn in read(document)] == [
        ("system", "", "be kind"),
        ("assistant", "", '[calls search({"q": "cats"})]\n[calls open({"a": 1, "b": 2})]'),
        ("tool", "search", "3 cats"),
    ]


@pytest.mark.parametrize("text", ["", "\n \n\n"])
def test_an_empty_file_has_no_turns(text: str) -> None:
    assert list(read_stream(io.StringIO(text), name="a.json")) == []


@pytest.mark.parametrize("text", ["hello there", "{", '{"role": "user", "content": ', "[1, 2", "\ud83d"])
def test_what_is_no_json_is_refused_with_the_name_of_the_file(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"a\.json, line 1: is not (JSON|UTF-8)"):
        list(read_stream(io.StringIO(text), name="a.json"))


UNKNOWN: list[object] = [[], {}, 1, "a", None, [1], [[]], {"a": 1}, [{"a": 1}], {"messages": []}, {"dialogues": [{}]}]


@pytest.mark.parametrize("document", UNKNOWN)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_without_a_chat_is_refused_with_the_name_of_the_file(document: object, indent: int | None) -> None:
    with pytest.raises(InvalidInput, match=r"a\.json: holds no chat in a shape that is known"):
        read(document, indent=indent)


@pytest.mark.parametrize("before", ["", "\n\n"])
def test_a_broken_line_is_refused_with_its_number(before: str) -> None:
    text = before + json.dumps(MESSAGES[0]) + '\n\n{"role": '
    number = text.count("\n") + 1
    with pytest.raises(InvalidInput, match=rf"a\.jsonl, line {number}: is not JSON"):
        list(read_stream(io.StringIO(text), name="a.jsonl"))


def test_a_line_that_is_no_message_is_passed_over() -> None:
    assert [turn.position for turn in lines(MESSAGES[0], [], 3, {"event": "ping"}, MESSAGES[1])] == [0, 1]


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(MESSAGES).encode())
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    assert list(read_file(file)) == [replace(turn, written_at=written) for turn in HELLO]


def test_a_file_that_is_not_utf_8_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes('[{"role": "user", "content": "Café"}]'.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"a\.json, line 1: is not UTF-8 text"):
        list(read_file(file))


def test_json_that_nests_too_deep_is_refused_and_not_a_crash() -> None:
    with pytest.raises(InvalidInput):
        list(read_stream(io.StringIO('[{"role": ' + "[" * 100_000), name="a.json"))


def test_a_folder_gives_its_chats_by_name_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.json", "a.jsonl", "sub/c.ndjson", "readme.md", "sub/d.csv"):
        (tmp_path / name).write_text("")
    found = chat_files(tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in found] == ["a.jsonl", "b.json", "sub/c.ndjson"]
    assert chat_files(tmp_path / "readme.md") == [tmp_path / "readme.md"]


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file or folder"):
        chat_files(tmp_path / "none")
