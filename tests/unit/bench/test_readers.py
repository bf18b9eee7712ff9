"""The readers of the development sets, by samples written by hand; and that what they write is a chat."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.readers import READERS, files, write_chats
from remembrancer.ingest.importers.files import ChatFile, chat_files
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.turns import Turn

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
HELLO = hashlib.sha256(b"hello").hexdigest()[:8]
FILES = {"locomo": "a.json", "longmemeval": "evidence.json", "beam": "1/chat.json", "realmem": "a_dialogues_1.json"}


def placed(name: str, folder: Path, document: Any) -> Path:
    """The folder, with a file of a set in it."""
    file = folder / FILES[name]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))
    return folder


def read(name: str, folder: Path, document: Any) -> list[Turn]:
    return [turn for file in files(name, placed(name, folder, document)) for turn in READERS[name][0](file)]


def test_locomo_gives_dated_turns_in_the_order_of_its_sessions(tmp_path: Path) -> None:
    document = [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ana",
                "speaker_b": "Bo",
                "session_10_date_time": "1:56 pm on 9 May, 2023",
                "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "later"}],
                "session_2_date_time": "1:56 pm on 8 May, 2023",
                "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "look", "blip_caption": "a cat"}],
                "session_11_date_time": "no session of this number",
            },
        }
    ]
    assert read("locomo", tmp_path, document) == [
        Turn(
            conversation="locomo/conv-1",
            session="session_2",
            position=0,
            role="user",
            text="look",
            speaker="Ana",
            occurred_at=MAY,
            reference="D2:1",
            metadata={"image": "a cat"},
        ),
        Turn(
            conversation="locomo/conv-1",
            session="session_10",
            position=1,
            role="user",
            text="later",
            speaker="Bo",
            occurred_at=MAY.replace(day=9),
            reference="D10:1",
        ),
    ]


def test_longmemeval_gives_each_session_of_the_haystack_even_one_that_stands_twice(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "hello", "has_answer": True}]
    document = [
        {
            "question_id": "q1",
            "haystack_session_ids": ["s", "s"],
            "haystack_dates": ["2023/05/08 (Mon) 13:56", "2023/05/08 (Mon) 13:56"],
            "haystack_sessions": [said, [*said, {"role": "assistant", "content": "hi"}]],
        }
    ]
    found = read("longmemeval", tmp_path, document)
    assert [(turn.session, turn.position, turn.role, turn.text, turn.reference) for turn in found] == [
        ("1/s", 0, "user", "hello", "1/s:0"),
        ("2/s", 1, "user", "hello", "2/s:0"),
        ("2/s", 2, "assistant", "hi", "2/s:1"),
    ]
    assert {(turn.conversation, turn.occurred_at) for turn in found} == {("longmemeval/q1", MAY)}


def test_longmemeval_with_the_evidence_alone_gives_its_turns(tmp_path: Path) -> None:
    said = {"role": "user", "content": "hello"}
    document = [{"question_id": "q1", "evidence_sessions": [{"date": "2023/05/08 (Mon) 13:56", "turns": [said]}]}]
    assert read("longmemeval", tmp_path, document) == [
        Turn(
            conversation="longmemeval/q1",
            session="evidence_1",
            position=0,
            role="user",
            text="hello",
            occurred_at=MAY,
            reference="evidence_1:0",
        )
    ]


def test_beam_hands_a_time_anchor_on_and_drops_the_marker_at_the_end(tmp_path: Path) -> None:
    document = [
        {
            "batch_number": 1,
            "turns": [
                [
                    {"id": 1, "role": "user", "content": "hello ->-> 1,2", "time_anchor": "May-08-2023"},
                    {"id": 2, "role": "assistant", "content": "hi", "time_anchor": "None"},
                ],
            ],
        },
        {"batch_number": 2, "turns": [[{"id": 3, "role": "user", "content": "a -> b", "time_anchor": None}]]},
    ]
    found = read("beam", tmp_path, document)
    assert [(turn.session, turn.position, turn.role, turn.text, turn.reference) for turn in found] == [
        ("batch_1", 0, "user", "hello", "1"),
        ("batch_1", 1, "assistant", "hi", "2"),
        ("batch_2", 2, "user", "a -> b", "3"),
    ]
    assert {turn.occurred_at for turn in found} == {datetime(2023, 5, 8, tzinfo=UTC)}
    assert {turn.conversation for turn in found} == {f"beam/{HELLO}"}


def test_realmem_gives_the_sessions_of_a_persona(tmp_path: Path) -> None:
    said = [{"speaker": "User", "content": "hello"}, {"speaker": "Assistant", "content": "hi"}]
    session = {"session_identifier": "travel", "session_uuid": "u1", "current_time": "2023-05-08 (Monday)"}
    found = read("realmem", tmp_path, {"dialogues": [{**session, "dialogue_turns": said}]})
    assert [(turn.session, turn.position, turn.role, turn.text, turn.reference) for turn in found] == [
        ("travel/u1", 0, "user", "hello", "u1:0"),
        ("travel/u1", 1, "assistant", "hi", "u1:1"),
    ]
    assert {turn.conversation for turn in found} == {f"realmem/{HELLO}-u1"}


def test_what_is_written_as_chats_is_read_by_the_product_as_it_was_said(tmp_path: Path) -> None:
    said = {"speaker": "Ana", "dia_id": "D1:1", "text": "hello"}
    talk = {"speaker_a": "Ana", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [said]}
    source = placed("locomo", tmp_path / "set", [{"sample_id": name, "conversation": talk} for name in ("x", "y")])

    assert write_chats("locomo", source, tmp_path / "chats") == 2

    chats = chat_files(tmp_path / "chats")
    assert [chat.name for chat in chats] == ["locomo-x.jsonl", "locomo-y.jsonl"]
    for chat in chats:
        (found,) = ChatFile.at(chat).turns(Reader())
        (turn, *_) = READERS["locomo"][0](source / FILES["locomo"])
        assert replace(found, where="") == replace(turn, conversation="")
