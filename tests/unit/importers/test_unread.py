"""What an import could not read as it stands is counted, with an example; it is not guessed in silence."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile, read_stream
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.turns import Turn
from tests.rows import each_row

SAID = {"role": "user", "content": "hello"}
ANSWERED = {"role": "assistant", "content": "hi"}


def read(text: str, *, name: str = "a.jsonl", skip_bad: bool = False) -> tuple[list[Turn], list[tuple[Gap, int, str]]]:
    reader = Reader(name, skip_bad=skip_bad)
    turns = list(read_stream(io.StringIO(text), reader))
    counted = [(unread.gap, unread.count, unread.example) for unread in reader.unread]
    return turns, [one for one in counted if one[0] is not Gap.NO_TIME]


def left_out(text: str, *, name: str = "a.jsonl") -> tuple[list[Turn], list[str]]:
    """What is taken of a text, and the places of what is not."""
    reader = Reader(name, skip_bad=True)
    return list(read_stream(io.StringIO(text), reader)), [one.where for one in reader.left_out]


def lines(*documents: Any) -> str:
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in documents)


def test_a_chat_without_gaps_has_nothing_unread() -> None:
    assert read(lines({**SAID, "timestamp": "2023-05-08"}, {**ANSWERED, "time": None, "date": " "}))[1] == []


@pytest.mark.parametrize(
    ("stamps", "example"),
    [
        (["soon"], "'soon'"),
        ([True, "soon"], "true"),
        (["x" * 99], repr("x" * 39 + "…")),
        (["\x1b\ud83d"], r"'\x1b\ud83d'"),
    ],
)
def test_times_that_cannot_be_read_are_counted_with_the_first_of_them(stamps: list[object], example: str) -> None:
    turns, unread = read(lines(*({**SAID, "timestamp": stamp} for stamp in stamps)))
    assert [turn.occurred_at for turn in turns] == [None] * len(stamps)
    assert unread == [(Gap.TIME, len(stamps), example)]


def test_a_second_field_that_can_be_read_makes_up_for_the_first() -> None:
    assert read(lines({**SAID, "timestamp": "soon", "date": "2023-05-08"}))[1] == []


@pytest.mark.parametrize(("role", "example"), [("narrator", "'narrator'"), (None, "null"), ("", "''")])
def test_roles_that_are_none_of_ours_are_counted_and_stored_as_user(role: object, example: str) -> None:
    turns, unread = read(lines(SAID, {"role": role, "content": "hm"}))
    assert [turn.role for turn in turns] == ["user", "user"]
    assert unread == [(Gap.ROLE, 1, example)]


def test_a_speaker_without_a_role_is_a_user_and_no_gap() -> None:
    assert read(lines({"speaker": "Ana", "text": "hello"}))[1] == []


@pytest.mark.parametrize("content", [{"a": 1}, True])
def test_content_in_no_known_shape_is_named_and_refuses_nothing(content: object) -> None:
    turns, counted = read(lines(SAID, {**ANSWERED, "content": content}))
    shown = "[a]" if isinstance(content, dict) else "[content]"
    assert ([turn.text for turn in turns], counted) == (["hello", shown], [(Gap.ATTACHED, 1, shown)])


@pytest.mark.parametrize("content", [None, [], {}])
def test_content_that_is_no_text_is_counted_with_the_place_of_its_message(content: object) -> None:
    turns, unread = read(lines(SAID, {**ANSWERED, "content": content}))
    assert [turn.text for turn in turns] == ["hello", ""]
    assert unread == [(Gap.CONTENT, 1, "line 2")]


def test_empty_text_is_what_was_said_and_a_call_of_a_tool_stands_for_text() -> None:
    call = {"function": {"name": "search", "arguments": "{}"}}
    assert read(lines({**SAID, "content": ""}, {**ANSWERED, "content": None, "tool_calls": [call]}))[1] == []


BAD = ['{"role": oops}', "oops", "{'role': 'user'}", "[1, 2}"]


@each_row("bad", BAD)
@each_row("place", [0, 1, 2])
def test_a_bad_line_is_refused_with_its_file_and_number(bad: str, place: int) -> None:
    documents: list[Any] = [SAID, ANSWERED]
    documents.insert(place, bad)
    with pytest.raises(
        InvalidInput, match=rf"^a\.jsonl, line {place + 2}: is not JSON: .* \(column \d+\); .*--skip-bad"
    ):
        read("\n" + lines(*documents))


@each_row("name", ["a.jsonl", "standard input"])
@each_row("places", [(0,), (1,), (2,), (0, 1, 4)])
def test_bad_lines_are_left_out_and_counted_where_that_was_asked_for(name: str, places: tuple[int, ...]) -> None:
    documents: list[Any] = [SAID, ANSWERED]
    for place in places:
        documents.insert(place, BAD[0])
    turns, found = left_out(lines(*documents), name=name)
    assert [turn.text for turn in turns] == ["hello", "hi"]
    assert found == [f"line {place + 1}" for place in places]


def test_a_broken_document_is_not_taken_for_lines() -> None:
    broken = json.dumps([SAID, ANSWERED], indent=0).replace("[", "[[", 1)
    with pytest.raises(InvalidInput, match=r"^a\.json, line \d+: is not JSON"):
        read(broken, name="a.json", skip_bad=True)


def test_a_file_of_bad_lines_alone_holds_no_chat() -> None:
    with pytest.raises(InvalidInput, match=r"^a\.jsonl, line 1: is not JSON"):
        read(lines("oops", "more"), skip_bad=True)


def test_a_line_is_told_once_however_often_the_file_is_read() -> None:
    reader = Reader("a.jsonl", skip_bad=True)
    for _ in range(2):
        list(read_stream(io.StringIO(lines(SAID, 3, ANSWERED)), reader))
    assert [(one.where, one.reason) for one in reader.left_out] == [
        ("line 2", "it contains no message in a known form")
    ]


@pytest.mark.parametrize("skip_bad", [False, True])
def test_a_line_that_is_not_utf_8_is_a_bad_line(tmp_path: Path, skip_bad: bool) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        json.dumps(SAID).encode() + b'\n{"role": "user", "content": "Caf\xe9"}\n' + json.dumps(ANSWERED).encode()
    )
    reader = Reader("a.jsonl", skip_bad=skip_bad)
    if not skip_bad:
        with pytest.raises(InvalidInput, match=r"^a\.jsonl, line 2: is not UTF-8 text"):
            list(ChatFile.at(file).turns(reader))
        return
    assert [turn.text for turn in ChatFile.at(file).turns(reader)] == ["hello", "hi"]
    assert [(one.where, one.reason) for one in reader.left_out] == [("line 2", "is not UTF-8 text")]


@each_row(
    "part, text",
    [
        ({"type": "image_url", "image_url": {"url": "https://a.example/c.png"}}, "[image_url https://a.example/c.png]"),
        ({"type": "image_url", "image_url": "https://a.example/c.png"}, "[image_url https://a.example/c.png]"),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            "[image_url data:image/png;base64]",
        ),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A"}}, "[image image/png]"),
        ({"type": "file", "file": {"filename": "a.pdf", "file_id": "f-1"}}, "[file a.pdf f-1]"),
        ({"fileData": {"mimeType": "audio/mp3", "fileUri": "gs://b/a.mp3"}}, "[attachment gs://b/a.mp3]"),
    ],
)
def test_what_is_no_text_keeps_kind_name_and_address_and_is_counted(part: dict[str, Any], text: str) -> None:
    turns, unread = read(lines({"role": "user", "content": [{"type": "text", "text": "see"}, part]}))
    assert [turn.text for turn in turns] == [f"see\n{text}"]
    assert unread == [(Gap.ATTACHED, 1, text)]


def test_what_a_model_thought_and_what_stands_beside_messages_is_counted_and_named() -> None:
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}]}
    chat = {
        "title": "Paddles",
        "system": "You sell paddles",
        "blocks": [{"label": "human", "value": "likes tea"}],
        "tools": [],
        "id": "1",
        "messages": [SAID, thought, {**ANSWERED, "reasoning_content": "so"}],
    }
    assert read(json.dumps(chat))[1] == [
        (Gap.FIELD, 1, "system"),
        (Gap.FIELD, 1, "blocks"),
        (Gap.THINKING, 2, "thinking"),
    ]
