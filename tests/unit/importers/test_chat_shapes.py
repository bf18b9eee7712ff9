"""Every shape of chat that is known, by a sample written by hand; and what is not one."""

import io
import json
import zipfile
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile, chat_files, read_stream
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.turns import Turn
from tests.rows import each_row

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def read(document: Any, *, name: str = "a.json", indent: int | None = None) -> list[Turn]:
    return read_text(json.dumps(document, indent=indent), name=name)


def lines(*documents: Any) -> list[Turn]:
    return read_text("\n".join(json.dumps(one) for one in documents), name="a.jsonl")


def read_text(text: str, *, name: str = "a.json") -> list[Turn]:
    """The turns, without their places."""
    return [replace(turn, where="") for turn in read_stream(io.StringIO(text), Reader(name))]


def chat_turn(position: int, role: str, text: str, **more: Any) -> Turn:
    made = Turn(conversation="", session="1", position=position, role=role, text=text)
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
    assert read_text(text) == HELLO


def test_jsonl_may_have_a_dialogue_a_line() -> None:
    found = lines({"messages": MESSAGES}, {"messages": MESSAGES})
    assert [turn.session for turn in found] == ["dialogue_1"] * 2 + ["dialogue_2"] * 2


def test_jsonl_is_read_line_by_line() -> None:
    turns = read_stream(io.StringIO("\n".join([*map(json.dumps, MESSAGES), "broken"])), Reader("a.jsonl"))
    assert next(turns).text == "hello"


def test_a_message_keeps_its_speaker_time_session_and_id() -> None:
    message = {"id": 7, "speaker": "Ana", "text": "hello", "ts": 1683554160, "thread": "t"}
    assert read([message]) == [
        chat_turn(0, "user", "hello", session="t", speaker="Ana", reference="7", occurred_at=MAY)
    ]


@each_row(
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


@each_row("stamp", ["0001-01-01T00:00:00Z", "9999-06-01", "", "soon", True, None, [], 1e300, "0000-00-00", {"a": 1}])
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
    assert read([{"role": "user", "content": parts}])[0].text == "plain\nhello\n[image_url x]\n[attachment]"


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
    assert read_text(text) == []


@pytest.mark.parametrize("text", ["hello there", "{", '{"role": "user", "content": ', "[1, 2", "\ud83d"])
def test_what_is_no_json_is_refused_with_the_name_of_the_file(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"a\.json, line 1: is not (JSON|UTF-8)"):
        read_text(text)


UNKNOWN: list[object] = [[], {}, 1, "a", None, [1], [[]], {"a": 1}, [{"a": 1}], {"messages": []}, {"dialogues": [{}]}]


@each_row("document", UNKNOWN)
@each_row("indent", [None, 2])
def test_json_without_a_chat_is_refused_with_the_name_of_the_file(document: object, indent: int | None) -> None:
    with pytest.raises(InvalidInput, match=r"a\.json: contains no chat in a known form"):
        read(document, indent=indent)


@pytest.mark.parametrize("before", ["", "\n\n"])
def test_a_broken_line_is_refused_with_its_number(before: str) -> None:
    text = before + json.dumps(MESSAGES[0]) + '\n\n{"role": oops}'
    number = text.count("\n") + 1
    with pytest.raises(InvalidInput, match=rf"a\.jsonl, line {number}: is not JSON"):
        read_text(text, name="a.jsonl")


@each_row("value", [[], 3, None, [3], {}])
def test_a_line_that_is_no_message_is_refused_with_its_number(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^a\.jsonl, line 2(, item 1)?: it .*--skip-bad"):
        lines(MESSAGES[0], value, MESSAGES[1])


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(MESSAGES).encode())
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    found = [replace(turn, where="") for turn in ChatFile.at(file).turns(Reader("a.json"))]
    assert found == [replace(turn, written_at=written) for turn in HELLO]


def test_a_file_that_is_not_utf_8_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes('[{"role": "user", "content": "Café"}]'.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"a\.json, line 1: is not UTF-8 text"):
        list(ChatFile.at(file).turns(Reader("a.json")))


def test_the_files_of_a_zip_archive_are_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps(MESSAGES))
        archive.writestr("photos/1.png", b"\x89PNG")
        archive.writestr("__MACOSX/conversations.json", "{}")
    file = ChatFile.at(path)
    assert file.is_packed()
    (member,) = file.members()
    assert (member.title, member.name) == ("conversations.json", f"{path}/conversations.json")
    assert len(list(member.turns(Reader(member.title)))) == len(MESSAGES)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(InvalidInput, match="is a broken ZIP archive"):
        ChatFile.at(path).members()


def test_json_that_nests_too_deep_is_refused_and_not_a_crash() -> None:
    with pytest.raises(InvalidInput):
        read_text('[{"role": ' + "[" * 100_000)


def test_what_nests_deeper_than_it_can_be_looked_into_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"a\.json: .*(deep|form)"):
        read_text('{"message": ' * 900 + "1" + "}" * 900)


def test_a_folder_gives_its_chats_by_name_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.json", "a.JSONL", "sub/c.ndjson", "readme.md", "sub/d.png"):
        (tmp_path / name).write_text("")
    found = chat_files(tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in found] == ["a.JSONL", "b.json", "sub/c.ndjson"]
    assert chat_files(tmp_path / "readme.md") == [tmp_path / "readme.md"]


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file or folder"):
        chat_files(tmp_path / "none")


def test_a_folder_without_chats_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_text("")
    with pytest.raises(InvalidInput, match=r"no chats in folder .* \.json, \.jsonl, \.ndjson"):
        chat_files(tmp_path)


def test_what_came_through_a_stream_can_be_read_twice() -> None:
    file = ChatFile.of(io.BytesIO(json.dumps(MESSAGES).encode()), name="standard input")
    assert [[turn.text for turn in file.turns(Reader())] for _ in range(2)] == [["hello", "hi"]] * 2
    assert (file.place, file.size) == ("", len(json.dumps(MESSAGES)))


ID = "0a6c3d3e-2f1b-4c8e-9d55-6a7b8c9d0e1f"
CHATGPT: dict[str, Any] = {
    "title": "Trip",
    "create_time": 1683554160.5,
    "conversation_id": ID,
    "current_node": "c",
    "mapping": {
        "r": {"id": "r", "message": None, "parent": None, "children": ["s"]},
        "s": {
            "id": "s",
            "message": {"id": "s", "author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}},
            "parent": "r",
            "children": ["a"],
        },
        "a": {
            "id": "a",
            "message": {
                "id": "a",
                "author": {"role": "user", "name": None},
                "create_time": 1683554160.0,
                "content": {"content_type": "text", "parts": ["hello"]},
            },
            "parent": "s",
            "children": ["b", "c"],
        },
        "b": {
            "id": "b",
            "message": {
                "id": "b",
                "author": {"role": "assistant"},
                "content": {"content_type": "code", "language": "python", "text": "print(1)"},
            },
            "parent": "a",
            "children": [],
        },
        "c": {
            "id": "c",
            "message": {
                "id": "c",
                "author": {"role": "assistant"},
                "content": {
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer"}, "hi"],
                },
            },
            "parent": "a",
            "children": [],
        },
    },
}


def test_an_export_of_chatgpt_is_read_with_all_of_its_branches() -> None:
    found = read([CHATGPT, {**CHATGPT, "conversation_id": ID.replace("0a", "0b"), "mapping": {}}])
    assert [(turn.role, turn.text, turn.reference) for turn in found] == [
        ("user", "hello", "a"),
        ("assistant", "print(1)", "b"),
        ("assistant", "[image_asset_pointer]\nhi", "c"),
    ]
    assert {(turn.conversation, turn.session) for turn in found} == {(f"chat/{ID}", "")}
    assert [turn.occurred_at for turn in found] == [MAY, None, None]


def test_an_export_of_claude_is_read() -> None:
    said = {"uuid": "m1", "sender": "human", "created_at": "2023-05-08T13:56:00Z"}
    content = [{"type": "text", "text": "hello"}, {"type": "tool_use", "name": "find", "input": {"q": 1}}]
    found = read(
        [
            {"uuid": ID, "name": "Trip", "chat_messages": [{**said, "text": "hello", "content": content}]},
            {"uuid": ID.replace("0a", "0b"), "name": "", "chat_messages": []},
        ]
    )
    assert [(turn.conversation, turn.role, turn.text, turn.occurred_at) for turn in found] == [
        (f"chat/{ID}", "user", 'hello\n[calls find({"q": 1})]', MAY)
    ]


def test_a_log_of_claude_code_is_read_and_what_is_no_message_counted() -> None:
    logged: list[dict[str, Any]] = [
        {"type": "summary", "summary": "A trip", "leafUuid": "x"},
        {
            "type": "user",
            "message": {"role": "user", "content": "hello"},
            "uuid": "u1",
            "sessionId": ID,
            "timestamp": "2023-05-08T13:56:00.000Z",
        },
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "content": [{"text": "3 cats"}]}]},
            "sessionId": ID,
        },
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    ]
    text = "\n".join(json.dumps(one) for one in logged)
    reader = Reader("a.jsonl")
    found = list(read_stream(io.StringIO(text), reader))
    assert [(turn.conversation, turn.role, turn.text, turn.occurred_at, turn.where) for turn in found] == [
        (f"chat/{ID}", "user", "hello", MAY, "line 2"),
        (f"chat/{ID}", "tool", "3 cats", None, "line 3"),
    ]
    assert [(unread.gap.value, unread.count, unread.example) for unread in reader.unread] == [
        ("no-message", 1, "summary"),
        ("missing-time", 1, "line 3"),
        ("no-message", 1, "file-history-snapshot"),
    ]


def test_what_a_tool_gave_within_a_message_is_a_turn_of_the_tool() -> None:
    parts = [
        {"type": "text", "text": "I look."},
        {"type": "tool_result", "content": [{"type": "text", "text": "3 cats"}]},
        {"type": "text", "text": "Three."},
    ]
    said = {"uuid": "m1", "sender": "assistant", "text": "I look. Three.", "content": parts}
    found = read([{"uuid": ID, "chat_messages": [said, {**said, "uuid": "m2", "content": parts[:1]}]}])
    assert [(turn.role, turn.text, turn.reference, turn.position) for turn in found] == [
        ("assistant", "I look.", "m1", 0),
        ("tool", "3 cats", "m1.2", 1),
        ("assistant", "Three.", "m1.3", 2),
        ("assistant", "I look.", "m2", 3),
    ]


@each_row(
    "document, said",
    [
        ([{"role": "model", "parts": [{"text": "hi"}]}], ("assistant", "hi")),
        ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, ("user", "hi")),
        ({"conversations": [{"from": "gpt", "value": "hi"}]}, ("assistant", "hi")),
        ([{"type": "human", "data": {"content": "hi"}}], ("user", "hi")),
        ([{"type": "ai", "content": "hi"}], ("assistant", "hi")),
        ([{"sender": "Ana", "message": "hi"}], ("user", "hi")),
        ([[{"role": "user", "content": "hi"}]], ("user", "hi")),
        ({"conversations": [{"messages": [{"role": "user", "content": "hi"}]}]}, ("user", "hi")),
        ([{"role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}], ("assistant", "hi")),
        ([{"type": "function_call", "name": "find", "arguments": "{}"}], ("assistant", "[calls find({})]")),
        ([{"type": "function_call_output", "output": "3 cats"}], ("tool", "3 cats")),
        ({"messages": [{"payload": {"type": "message", "role": "user", "content": "hi"}}]}, ("user", "hi")),
        (
            [
                {
                    "sender": "human",
                    "text": "hi",
                    "attachments": [
                        {"file_name": "plan.txt", "extracted_content": "Dig."},
                        {"file_name": "plan.txt", "extracted_content": "Wait."},
                    ],
                    "files": [{"file_name": "cat.png"}, {"file_name": "plan.txt"}],
                }
            ],
            ("user", "hi\n[attachment plan.txt]\nDig.\n[attachment plan.txt]\nWait.\n[attachment cat.png]"),
        ),
        ([{"sender": "human", "text": "", "files": [{"file_name": "cat.png"}]}], ("user", "[attachment cat.png]")),
        ([{"role": "user", "content": "hi", "files": ["a.txt"]}], ("user", "hi\n[attachment a.txt]")),
        ([{"role": "assistant", "content": None, "refusal": "I can't."}], ("assistant", "I can't.")),
        ([{"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]}], ("assistant", "I can't.")),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}], ("assistant", "[thinking]")),
        (
            [
                {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "thoughts", "thoughts": [{"summary": "x"}]},
                }
            ],
            ("assistant", "[thoughts]"),
        ),
    ],
)
def test_the_shapes_that_people_have_are_read(document: Any, said: tuple[str, str]) -> None:
    assert [(turn.role, turn.text) for turn in read(document)] == [said]


@pytest.mark.parametrize("id", [ID, "thread_abc123def456ghi789"])
def test_an_id_that_no_other_has_names_the_conversation(id: str) -> None:
    assert {turn.conversation for turn in read({"messages": MESSAGES, "thread_id": id})} == {f"chat/{id}"}


@pytest.mark.parametrize("id", ["1", "monday", "session_2026_03_02"])
def test_an_id_that_others_may_have_too_names_a_session_of_the_file(id: str) -> None:
    assert {(turn.conversation, turn.session) for turn in read({"messages": MESSAGES, "id": "7", "session": id})} == {
        ("", id)
    }


def test_a_turn_whose_time_names_no_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^occurred_at 2023-05-08T13:56:00 has no time zone; add one"):
        chat_turn(0, "user", "hello", occurred_at=MAY.replace(tzinfo=None))


NAMES = st.sampled_from(
    ["role", "content", "text", "parts", "message", "messages", "mapping", "author", "type", "data", "id", "timestamp"]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["user", "tool_result"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(documents=st.lists(ANYTHING, min_size=1, max_size=3), skip_bad=st.booleans())
def test_whatever_json_holds_is_read_or_refused_and_all_of_it_accounted_for(
    documents: list[object], skip_bad: bool
) -> None:
    text, reader = "\n".join(json.dumps(one) for one in documents), Reader("a.jsonl", skip_bad=skip_bad)
    with suppress(InvalidInput):
        turns = list(read_stream(io.StringIO(text), reader))
        assert [turn.position for turn in turns] == list(range(len(turns)))
        assert skip_bad or not reader.left_out


@pytest.mark.parametrize("kind", [["x"], {"a": 1}, 3, None])
def test_a_kind_that_is_no_text_is_no_kind_of_ours(kind: object) -> None:
    line = {"role": "user", "content": "hello", "kind": kind, "revision": 1, "recorded_at": "2026-11-10T09:00:00Z"}
    assert [turn.text for turn in lines(line)] == ["hello"]
