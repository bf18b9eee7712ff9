"""Files of other programs: recognised by their content, and read with times, roles, names, ids and titles."""

import gzip
import json
import pickle
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import TITLE
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import ForeignMemory
from remembrancer.ingest.importers.forms import NAMES, form_of, memories_of, turns_of
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.open import foreign_database

Put = Callable[[str, Any], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file, of text or of a JSON value, and return its path."""

    def written(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return path

    return written


class Read:
    """What is read of a file."""

    def __init__(self, path: Path, *, zone: str = "", form: str = "auto", base: Path | None = None) -> None:
        file = foreign_database(str(path)) or ChatFile.at(path, base=base)
        self.reader = Reader(file.title, zone=ZoneInfo(zone) if zone else None)
        found = form_of(file, form)
        self.form = found.name if found else ""
        self.turns: list[Turn] = list(turns_of(file, self.reader, found))
        self.memories: list[ForeignMemory] = list(memories_of(file, self.reader, found))

    @property
    def said(self) -> list[tuple[str, str, str]]:
        return [(one.role, one.speaker, one.text) for one in self.turns]

    @property
    def gaps(self) -> dict[str, int]:
        return {
            f"{one.gap} {one.example}" if one.gap is Gap.EVENT else one.gap.value: one.count
            for one in self.reader.unread
        }

    @property
    def claims(self) -> list[str]:
        return [one.text for one in self.memories]


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


# Apps for people


def test_telegram(put: Put) -> None:
    messages = [
        {"id": 1, "type": "service", "action": "create_group", "date_unixtime": "1700000000", "text": ""},
        {"id": 2, "type": "message", "date": "2023-11-14T23:13:21", "date_unixtime": "1700000001", "from": "Ana",
         "from_id": "user1", "text": ["See ", {"type": "link", "text": "https://a.example"}, "!"],
         "text_entities": [{"type": "plain", "text": "See "}, {"type": "link", "text": "https://a.example"},
                           {"type": "plain", "text": "!"}]},
        {"id": 3, "type": "message", "date_unixtime": "1700000002", "from": None, "from_id": "user2", "text": "",
         "photo": "(File not included. Change data exporting settings to download.)"},
    ]  # fmt: skip
    chat = {"name": "Boats", "type": "private_group", "id": 77, "messages": messages}
    read = Read(put("result.json", {"about": "…", "chats": {"list": [chat, {**chat, "id": 78}]}}))
    assert read.form == "telegram"
    assert read.said[:2] == [("user", "Ana", "See https://a.example!"), ("user", "user2", "[attachment photo]")]
    assert [one.conversation for one in read.turns] == ["chat/telegram/77"] * 2 + ["chat/telegram/78"] * 2
    assert read.turns[0].occurred_at == datetime(2023, 11, 14, 22, 13, 21, tzinfo=UTC)
    assert (read.turns[0].reference, read.turns[0].metadata) == ("2", {TITLE: "Boats"})
    assert read.gaps == {"no-message service create_group": 2, "not-text": 2}


def test_slack_names_people_and_knows_a_channel_over_its_days(put: Put, tmp_path: Path) -> None:
    put("users.json", [{"id": "U1", "team_id": "T1", "name": "ana", "profile": {"display_name": "Ana"}}])
    put("channels.json", [{"id": "C1", "name": "general", "created": 1, "is_archived": False, "members": ["U1"]}])
    days = [
        [{"type": "message", "user": "U1", "text": "Hi <@U1> in <#C1|general>: <https://a.example|here> &amp; now",
          "ts": "1700000000.000100", "team": "T1"},
         {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1700000001.000100"}],
        [{"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "deploy", "text": "Done",
          "ts": "1700090000.000100", "team": "T1", "files": [{"name": "log.txt"}]},
         {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "deploy", "text": "",
          "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "Deploy 42 finished"}},
                     {"type": "rich_text", "elements": [{"elements": [{"text": "in"}, {"text": "3 s"}]}]}],
          "ts": "1700090001.000100", "team": "T1"}],
    ]  # fmt: skip
    read = [Read(put(f"general/2023-11-1{day}.json", day_of), base=tmp_path) for day, day_of in enumerate(days, 4)]
    assert [one.form for one in read] == ["slack", "slack"]
    assert read[0].said == [("user", "Ana", "Hi @Ana in #general: here & now")]
    assert read[1].said == [
        ("assistant", "deploy", "Done\n[attachment log.txt]"),
        ("assistant", "deploy", "Deploy 42 finished\nin 3 s"),
    ]
    assert {turn.conversation for one in read for turn in one.turns} == {"chat/slack/T1/C1"}
    assert read[0].gaps == {"no-message channel_join": 1}
    assert Read(tmp_path / "users.json").form == Read(tmp_path / "channels.json").form == "slack-index"


def test_slack_in_an_archive(put: Put, tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("users.json", json.dumps([{"id": "U1", "team_id": "T1", "profile": {"real_name": "Ana"}}]))
        day = [{"type": "message", "user": "U1", "text": "Hi", "ts": "1700000000.000100"}]
        packed.writestr("general/2023-11-14.json", json.dumps(day))
    found = {file.relative: form_of(file) for file in ChatFile.at(archive).members()}
    assert {name: form.name for name, form in found.items() if form} == {
        "users.json": "slack-index",
        "general/2023-11-14.json": "slack",
    }
    (day_file,) = [file for file in ChatFile.at(archive).members() if file.title == "2023-11-14.json"]
    (turn,) = turns_of(day_file, Reader(), form_of(day_file))
    assert turn.speaker == "Ana"


def test_discord(put: Put) -> None:
    author = {"id": "1", "name": "ana", "nickname": "Ana", "isBot": False}
    messages = [
        {"id": "10", "type": "Default", "timestamp": "2023-11-14T22:13:20+00:00", "content": "Look", "author": author,
         "attachments": [{"fileName": "boat.png", "url": "https://cdn.example/boat.png"}],
         "embeds": [{"title": "Boats", "description": "of the year"}]},
        {"id": "11", "type": "Call", "timestamp": "2023-11-14T22:14:20+00:00", "content": "Called", "author": author},
        {"id": "12", "type": "Reply", "timestamp": "2023-11-14T22:15:20+00:00", "content": "Nice",
         "author": {**author, "nickname": "helper", "isBot": True}},
    ]  # fmt: skip
    read = Read(
        put("x.json", {"guild": {"name": "Club"}, "channel": {"id": "9", "name": "boats"}, "messages": messages})
    )
    assert read.form == "discord"
    assert read.said == [
        ("user", "Ana", "Look\nBoats of the year\n[attachment boat.png]"),
        ("assistant", "helper", "Nice"),
    ]
    assert read.turns[0].metadata == {TITLE: "Club / boats"}
    assert read.gaps == {"no-message Call": 1, "not-text": 1}


def test_the_data_package_of_discord(put: Put, tmp_path: Path) -> None:
    put("c9/channel.json", {"id": "9", "name": "boats", "guild": {"name": "Club"}})
    message = {
        "ID": 10,
        "Timestamp": "2023-11-14 22:13:20",
        "Contents": "Look",
        "Attachments": "https://a.example/b.png",
    }
    read = Read(put("c9/messages.json", [message]), zone="UTC", base=tmp_path)
    assert (read.form, read.said) == ("discord-package", [("user", "", "Look\n[attachment https://a.example/b.png]")])
    assert read.turns[0].metadata == {TITLE: "Club / boats"}


@pytest.mark.parametrize(
    ("form", "when"),
    [
        ("12/31/24, 9:05 PM - Ana: ", (2024, 12, 31, 21, 5)),
        ("31/12/2024, 21:05 - Ana: ", (2024, 12, 31, 21, 5)),
        ("31.12.24, 21:05 - Ana: ", (2024, 12, 31, 21, 5)),
        ("31/12/2024 21:05 - Ana: ", (2024, 12, 31, 21, 5)),
        ("31-12-2024 21:05 - Ana: ", (2024, 12, 31, 21, 5)),
        ("2024/12/31, 21:05 - Ana: ", (2024, 12, 31, 21, 5)),
        ("2024-12-31, 9:05 p.m. - Ana: ", (2024, 12, 31, 21, 5)),
        ("\u200e[31/12/2024, 21:05:09] Ana: ", (2024, 12, 31, 21, 5, 9)),
        ("[31.12.24, 21:05:09] Ana: ", (2024, 12, 31, 21, 5, 9)),
        ("[12/31/24, 9:05:09\u202fPM] Ana: ", (2024, 12, 31, 21, 5, 9)),
        ("[31.12.2024 klo 21.05.09] Ana: ", (2024, 12, 31, 21, 5, 9)),
        ("[2024/12/31 下午9:05:09] Ana: ", (2024, 12, 31, 21, 5, 9)),
    ],
)
def test_whatsapp_in_many_countries(form: str, when: tuple[int, ...], put: Put) -> None:
    text = (
        f"{form}See you\nat the pier: 8 pm\n{form}<Media omitted>\n{form.rpartition('Ana')[0]}Messages are encrypted.\n"
    )
    read = Read(put("WhatsApp Chat with Ana.txt", text), zone="Europe/Berlin")
    assert read.form == "whatsapp"
    assert read.said == [("user", "Ana", "See you\nat the pier: 8 pm"), ("user", "Ana", "<Media omitted>")]
    assert read.turns[0].occurred_at == datetime(*when, tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)
    assert read.turns[0].metadata == {TITLE: "Ana"}
    assert read.gaps == {"not-text": 1, "no-message notice of WhatsApp": 1}


def test_notices_of_whatsapp_on_an_iphone_are_no_messages(put: Put) -> None:
    lines = (
        "Trip: Oslo: \u200eMessages and calls are end-to-end encrypted.", "Ana: \u200eAna created this group",
        "Ana: \u200eThis message was deleted.", "Ana: \u200eimage omitted", "Ana: \u200ePOLL:", "Ana: Note: pier 8",
    )  # fmt: skip
    read = Read(put("_chat.txt", "".join(f"\u200e[31.12.24, 21:05:09] {line}\n" for line in lines)), zone="UTC")
    assert [text for _, _, text in read.said] == ["image omitted", "POLL:", "Note: pier 8"]
    assert read.gaps == {"not-text": 1, "no-message notice of WhatsApp": 3}


def test_the_order_of_day_and_month_is_decided_over_all_lines(put: Put) -> None:
    rising = "".join(f"{day:02}/02/2024, 10:00 - Ana: hi\n" for day in (3, 5, 9))
    assert [one.occurred_at and one.occurred_at.month for one in Read(put("a.txt", rising)).turns] == [2, 2, 2]
    american = "".join(f"{month}/1/24, 10:00 AM - Ana: hi\n" for month in (2, 3, 5)) + "5/20/24, 10:00 AM - Ana: hi\n"
    assert [one.occurred_at and one.occurred_at.month for one in Read(put("b.txt", american)).turns] == [2, 3, 5, 5]
    assert Read(put("b.txt", american)).gaps == {"assumed-zone": 4}


def test_mail(put: Put) -> None:
    text = (
        "From ana@example.com Tue Nov 14 22:13:20 2023\n"
        "From: =?utf-8?q?Ana_M=C3=BCller?= <ana@example.com>\nSubject: The boat\nMessage-ID: <1@example.com>\n"
        "Date: Tue, 14 Nov 2023 22:13:20 +0000\nContent-Type: text/plain\n\nIs it ready?\n>From here.\n\n"
        "From bob@example.com Tue Nov 14 23:13:20 2023\nFrom: bob@example.com\nSubject: Re: The boat\n"
        "Message-ID: <2@example.com>\nIn-Reply-To: <1@example.com>\nDate: nonsense\n"
        "Content-Type: text/html\n\n<style>p{}</style><p>Yes &amp; no</p>\n> Is it ready?\n"
    )
    read = Read(put("all.mbox", text))
    assert read.form == "mbox"
    assert read.said == [
        ("user", "Ana Müller <ana@example.com>", "Is it ready?\nFrom here."),
        ("user", "bob@example.com", "Yes & no"),
    ]
    assert {one.conversation for one in read.turns} == {"chat/mail/<1@example.com>"}
    assert read.turns[0].metadata == {TITLE: "The boat"}
    assert read.gaps["unreadable-time"] == 1


def test_a_table_of_messages(put: Put) -> None:
    text = "Date;Sender;Message;Reactions\n2024-01-02 10:00;Ana;Later;1\n2024-01-01 10:00;Bot;Earlier;\n"
    read = Read(put("chat.csv", text), zone="UTC")
    assert read.form == "csv"
    assert read.said == [("assistant", "Bot", "Earlier"), ("user", "Ana", "Later")]
    assert read.gaps == {"unread-field": 1}
    with pytest.raises(InvalidInput, match=r"is neither JSON nor .* --map text=NAME for a table"):
        Read(put("other.csv", "width,height\n1,2\n"))
    # In a text of JSON lines, the bad line is named.
    with pytest.raises(InvalidInput, match=r"other\.txt, line 2: is not JSON"):
        Read(put("other.txt", lines({"role": "user", "content": "Hi"}) + "oops\n"))


def test_examples_for_a_training(put: Put) -> None:
    read = Read(put("tuning.jsonl", lines({"prompt": "Hi", "completion": "Hello"}, {"prompt": "?", "completion": ""})))
    assert (read.form, read.said) == ("pairs", [("user", "", "Hi"), ("assistant", "", "Hello")])
    assert read.gaps["no-message example without an answer"] == 1


# Agents


def codex(*payloads: tuple[str, dict[str, Any]]) -> str:
    return lines(*({"timestamp": "2025-10-30T10:00:00Z", "type": kind, "payload": one} for kind, one in payloads))


def text_of(role: str, text: str) -> tuple[str, dict[str, Any]]:
    return "response_item", {"type": "message", "role": role, "content": [{"type": f"{role}_text", "text": text}]}


def test_a_turn_of_codex_is_read_once(put: Put) -> None:
    session = ("session_meta", {"id": "0199aaaa-0000-7000-8000-000000000001", "cwd": "/work"})
    call = {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c1"}
    read = Read(
        put(
            "rollout.jsonl",
            codex(
                session,
                text_of("user", "<environment_context>\n<cwd>/work</cwd>"),
                ("event_msg", {"type": "user_message", "message": "Fix it"}),
                ("response_item", call),
                ("response_item", {"type": "custom_tool_call_output", "call_id": "c1", "output": "Done"}),
                text_of("assistant", "Fixed"),
                ("event_msg", {"type": "agent_message", "message": "Fixed"}),
                ("event_msg", {"type": "token_count", "info": {}}),
                ("response_item", {"type": "reasoning", "summary": []}),
                ("some_new_kind", {"x": 1}),
            ),
        )
    )
    assert read.form == "codex"
    assert [one.role for one in read.turns] == ["system", "user", "assistant", "tool", "assistant"]
    assert [one.text for one in read.turns][1:] == ["Fix it", "[calls apply_patch(*** Begin)]", "Done", "Fixed"]
    assert {one.conversation for one in read.turns} == {"chat/0199aaaa-0000-7000-8000-000000000001"}
    assert read.gaps == {"thinking": 1, "no-message some_new_kind": 1}


def test_the_older_form_of_codex(put: Put) -> None:
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]
    read = Read(put("rollout.json", {"session": {"id": "s", "timestamp": "2025-01-01T10:00:00Z"}, "items": items}))
    assert (read.form, read.said) == ("codex", [("user", "", "Hi")])


OPENCODE: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"id": "m1", "role": "user", "time": {"created": 1_760_000_000_000}},
     [{"id": "p1", "type": "text", "text": "Add a retry"}, {"id": "p2", "type": "text", "text": "x", "ignored": 1}]),
    ({"id": "m2", "role": "assistant", "time": {"created": 1_760_000_005_000}},
     [{"id": "p3", "type": "reasoning", "text": "hm"},
      {"id": "p4", "type": "tool", "tool": "bash", "state": {"status": "completed", "input": {"c": 1}, "output": "ok"}},
      {"id": "p5", "type": "text", "text": "Added"}]),
]  # fmt: skip
OF_OPENCODE = [("user", "", "Add a retry"), ("assistant", "", 'Added\n[calls bash({"c": 1})]'), ("tool", "bash", "ok")]


def test_opencode_as_an_export_as_a_folder_and_as_a_database(put: Put, tmp_path: Path) -> None:
    info = {"id": "ses_1", "projectID": "p", "directory": "/work", "title": "Retry", "time": {"created": 1}}
    messages = [{"info": message, "parts": parts} for message, parts in OPENCODE]
    exported = "Exporting session: ses_1\n" + json.dumps({"info": info, "messages": messages}, indent=1)
    session = put("storage/session/p/ses_1.json", info)
    for message, parts in OPENCODE:
        put(f"storage/message/ses_1/{message['id']}.json", {**message, "sessionID": "ses_1"})
        for part in parts:
            put(f"storage/part/{message['id']}/{part['id']}.json", {**part, "messageID": message["id"]})
    database = tmp_path / "opencode.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE session (id, title, directory)")
        connection.execute("CREATE TABLE message (id, session_id, time_created, data)")
        connection.execute("CREATE TABLE part (id, message_id, session_id, data)")
        connection.execute("INSERT INTO session VALUES ('ses_1', 'Retry', '/work')")
        for message, parts in OPENCODE:
            row = (message["id"], "ses_1", message["time"]["created"], json.dumps(message))
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
            rows = [(part["id"], message["id"], "ses_1", json.dumps(part)) for part in parts]
            connection.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)
    connection.close()
    read = [Read(put("export.json", exported)), Read(session, base=tmp_path), Read(database)]
    assert [one.form for one in read] == ["opencode", "opencode-storage", "opencode-db"]
    for one in read:
        assert one.said == OF_OPENCODE
        assert one.gaps == {"harness": 1, "thinking": 1}
        assert one.turns[0].metadata == {TITLE: "Retry"}
        assert one.turns[0].occurred_at == datetime.fromtimestamp(1_760_000_000, UTC)
    assert Read(tmp_path / "storage" / "part" / "m1" / "p1.json", base=tmp_path).form == "opencode-part"


def test_cursor(tmp_path: Path) -> None:
    database = tmp_path / "state.vscdb"
    composer = {
        "composerId": "c1",
        "name": "Retry",
        "createdAt": 1_760_000_000_000,
        "fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}],
    }
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE cursorDiskKV (key TEXT, value BLOB)")
        connection.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
        rows = {
            "composerData:c1": composer,
            "bubbleId:c1:b1": {"type": 1, "text": "Add a retry", "bubbleId": "b1"},
            "bubbleId:c1:b2": {"type": 2, "text": "Added", "createdAt": "2025-10-09T08:53:25Z"},
            "something.else": {"x": 1},
        }
        values = [(key, json.dumps(value).encode()) for key, value in rows.items()]
        connection.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", values)
    connection.close()
    read = Read(database)
    assert read.form == "cursor-db"
    assert read.said == [("user", "", "Add a retry"), ("assistant", "", "Added")]
    assert read.turns[0].written_at == datetime.fromtimestamp(1_760_000_000, UTC)


def test_letta_has_conversations_and_blocks(put: Put) -> None:
    agent = {
        "name": "kay",
        "in_context_message_ids": [],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}], "created_at": "2025-01-01T10:00:00Z"},
            {"role": "assistant", "content": [], "tool_calls": [
                {"function": {"name": "send_message", "arguments": '{"message": "Hello Ana"}'}}]},
        ],
    }  # fmt: skip
    file = {"agents": [agent], "blocks": [{"label": "human", "value": "Ana sails."}, {"label": "empty", "value": ""}]}
    plain, twice = Read(put("kay.af", file)), Read(put("twice.af", json.dumps(json.dumps(file))))
    for read in (plain, twice):
        assert read.form == "letta"
        assert read.said == [("user", "", "Hi"), ("assistant", "", "Hello Ana")]
        assert [(one.text, one.type, one.replaces) for one in read.memories] == [("Ana sails.", "profile", True)]


# Memories


def test_claude_has_memories_and_projects(put: Put) -> None:
    account = {
        "account_uuid": "a1",
        "conversations_memory": "**Work**\nAna builds boats.",
        "project_memories": {"p1": "The keel is oak.", "p2": ""},
        "memory_files": [{"path": "/likes.md", "content": "Likes oak.", "updated_at": "2026-05-01T00:00:00Z"}],
    }
    read = Read(put("memories.json", [account]))
    assert (read.form, read.claims) == (
        "claude-memories",
        ["**Work**\nAna builds boats.", "The keel is oak.", "Likes oak."],
    )
    project = {
        "uuid": "p1", "name": "Boats", "description": "All boats", "is_private": True,
        "prompt_template": "Cite sources.",
        "created_at": "2026-01-01T00:00:00Z", "docs": [{"uuid": "d1", "filename": "keel.md", "content": "Oak lasts."}],
    }  # fmt: skip
    read = Read(put("projects.json", [project]))
    assert read.form == "claude-projects"
    assert [(one.text, one.type, one.title) for one in read.memories] == [
        ("All boats", "discovery", "Boats"),
        ("Cite sources.", "preference", "Boats"),
        ("Oak lasts.", "discovery", "keel.md"),
    ]


@pytest.mark.parametrize("name", ["memory.jsonl", "graph.json"])
def test_the_mcp_reference_server(name: str, put: Put) -> None:
    entities: list[dict[str, Any]] = [
        {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Ana sails", "owns a boat"]},
        {"type": "entity", "name": "Club", "entityType": "place", "observations": []},
    ]
    relations = [{"type": "relation", "from": "Ana", "to": "Club", "relationType": "is_member_of"}]
    text = lines(*entities, *relations)
    read = Read(put(name, text if name.endswith("jsonl") else {"entities": entities, "relations": relations}))
    assert read.form == "mcp-memory"
    assert read.claims == ["Ana sails", "Ana: owns a boat", "Club is a place", "Ana is member of Club"]
    assert [one.type for one in read.memories[:2]] == ["profile", "profile"]
    assert [one.relations for one in read.memories] == [
        (("Ana", "is_a", "person"),), (), (("Club", "is_a", "place"),), (("Ana", "is_member_of", "Club"),)
    ]  # fmt: skip


def test_mem0_as_json_and_as_its_history(put: Put, tmp_path: Path) -> None:
    found = {
        "id": "m1", "memory": "Prefers oak", "user_id": "ana", "hash": "x", "categories": ["preference"],
        "metadata": {"source": "chat"}, "created_at": "2026-01-01T10:00:00+02:00", "updated_at": None,
    }  # fmt: skip
    (memory,) = Read(put("mem0.json", {"results": [found]})).memories
    assert (memory.text, memory.type, memory.key) == ("Prefers oak", "preference", "m1")
    assert memory.metadata == {"mem0": {"ids": {"user_id": "ana"}, "metadata": {"source": "chat"}}}
    assert (memory.user, memory.agent) == ("ana", "")
    assert memory.occurred_at == datetime(2026, 1, 1, 8, tzinfo=UTC)
    database = tmp_path / "history.db"
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TABLE history (memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted)"
        )
        connection.executemany(
            "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                ("a", None, "Likes pine", "ADD", "2026-01-01T10:00:00Z", None, 0),
                ("b", None, "Has a cat", "ADD", "2026-01-01T10:00:00Z", None, 0),
                ("a", "Likes pine", "Likes oak", "UPDATE", "2026-01-01T10:00:00Z", "2026-02-01T10:00:00Z", 0),
                ("b", "Has a cat", None, "DELETE", None, None, 1),
            ],
        )
    connection.close()
    read = Read(database)
    assert (read.form, read.claims) == ("mem0-history", ["Likes oak"])
    assert read.gaps == {"no-message deleted memory": 1}


@pytest.mark.parametrize(
    "text",
    [
        "wer;was;wann;n\nAna;Hi;2026-01-01T10:00:00Z;1\n",
        '{"wer": "Ana", "was": "Hi", "wann": "2026-01-01T10:00:00Z", "n": 1}\n',
    ],
)
def test_the_names_of_fields_may_be_mapped(text: str, put: Put) -> None:
    file = ChatFile.at(put("chat.txt", text))
    mapped = replace(file, mapping={"text": "was", "speaker": "wer", "time": "wann"})
    reader = Reader()
    (turn,) = turns_of(mapped, reader, form_of(mapped))
    assert (turn.text, turn.speaker, turn.occurred_at) == ("Hi", "Ana", datetime(2026, 1, 1, 10, tzinfo=UTC))
    assert [(one.gap, one.example) for one in reader.unread] == [(Gap.FIELD, "n")]
    wrong = replace(file, mapping={"text": "what"})
    with pytest.raises(InvalidInput, match="there is no field 'what'; there are wer, was, wann, n"):
        list(turns_of(wrong, reader, form_of(wrong)))
    with pytest.raises(InvalidInput, match="add --map text=FIELD"):
        list(turns_of(file, reader, form_of(file, "csv")))


def test_engram_also_in_a_compressed_chunk(tmp_path: Path) -> None:
    observation = {
        "id": 1, "sync_id": "obs-1", "session_id": "s1", "type": "decision", "title": "Oak",
        "content": "The keel is oak.",
        "project": "boats", "created_at": "2026-04-27 15:22:39", "updated_at": "2026-04-28 15:22:39",
        "deleted_at": None,
    }  # fmt: skip
    prompt = {"id": 7, "session_id": "s1", "content": "Which wood?", "created_at": "2026-04-27 15:20:00"}
    value = {"sessions": None, "observations": [observation, {**observation, "deleted_at": "x"}], "prompts": [prompt]}
    path = tmp_path / "8e09116c.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(value).encode()))
    read = Read(path, zone="UTC")
    assert (read.form, read.claims, read.said) == ("engram", ["The keel is oak."], [("user", "", "Which wood?")])
    assert (read.memories[0].type, read.memories[0].tags) == ("decision", ("decision", "boats"))
    assert read.gaps == {"no-message deleted observation": 1}


def test_facts_of_graphiti_end_when_they_became_invalid(put: Put) -> None:
    edge = {
        "uuid": "e1", "name": "LIKES", "fact": "Ana liked pine", "source_node_uuid": "n1",
        "created_at": "2026-01-01T00:00:00Z",
        "valid_at": "2025-01-01T00:00:00Z", "invalid_at": "2026-02-01T00:00:00Z", "expired_at": None,
    }  # fmt: skip
    episode = {
        "uuid": "p1",
        "group_id": "g",
        "source": "message",
        "content": "Ana: I like oak",
        "valid_at": "2026-01-02T00:00:00Z",
    }
    read = Read(put("graph.json", {"g": [{"episode": episode, "nodes": [], "edges": [edge]}]}))
    assert (read.form, read.claims, read.said) == ("graphiti", ["Ana liked pine"], [("user", "Ana", "I like oak")])
    assert read.memories[0].valid_until == datetime(2026, 2, 1, tzinfo=UTC)
    assert read.memories[0].occurred_at == datetime(2025, 1, 1, tzinfo=UTC)
    assert read.memories[0].relations == ()
    several = {**episode, "content": "Ana: I like oak\nassistant: Noted", "uuid": "p2"}
    entity = {"uuid": "n1", "name": "Ana", "summary": "sails", "labels": ["Person"], "attributes": {"age": 40}}
    read = Read(put("more.json", {"episodes": [several], "nodes": [entity], "edges": [edge]}))
    assert read.said == [("user", "Ana", "I like oak"), ("assistant", "", "Noted")]
    nodes = [{**entity, "uuid": id, "name": name} for id, name in (("n1", "Ana"), ("n2", "Pine"))]
    related = Read(put("related.json", {"nodes": nodes, "edges": [{**edge, "target_node_uuid": "n2"}]}))
    assert [one.relations for one in related.memories if one.relations] == [(("Ana", "likes", "Pine"),)]
    assert {"labels": ["Person"], "attributes": {"age": 40}} in [one.metadata for one in read.memories]


def test_a_store_of_langgraph(tmp_path: Path) -> None:
    database = tmp_path / "store.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE store (prefix, key, value, created_at, updated_at, expires_at)")
        row = (
            "memories.ana",
            "k1",
            '{"content": "Prefers oak", "n": 1}',
            "2026-01-01T10:00:00",
            "2026-01-01T10:00:00",
            None,
        )
        connection.execute("INSERT INTO store VALUES (?, ?, ?, ?, ?, ?)", row)
    connection.close()
    (memory,) = Read(database, zone="UTC").memories
    assert (memory.text, memory.key) == ("content: Prefers oak\nn: 1", "memories.ana/k1")
    assert memory.metadata["langgraph"]["value"]["item"] == {"content": "Prefers oak", "n": 1}


def test_a_damaged_member_of_an_archive_is_named(tmp_path: Path) -> None:
    archive = tmp_path / "chats.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("chat.jsonl", '{"role": "user", "content": "hello"}\n' * 20)
    content = bytearray(archive.read_bytes())
    content[60] ^= 0xFF
    archive.write_bytes(content)
    (member,) = ChatFile.at(archive).members()
    with pytest.raises(InvalidInput, match=r"chats\.zip: is a broken ZIP archive: chat\.jsonl"):
        form_of(member)


def test_points_of_qdrant_are_read_without_running_what_they_name(tmp_path: Path) -> None:
    client = QdrantClient(path=str(tmp_path))
    client.create_collection("mem0", vectors_config=VectorParams(size=2, distance=Distance.COSINE))
    payload = {
        "data": "Prefers oak", "user_id": "ana", "created_at": "2026-01-01T10:00:00Z", "hash": "x",
        "expiration_date": "2026-12-31", "project_code": "keel",
    }  # fmt: skip
    id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
    client.upsert("mem0", [PointStruct(id=id, vector=[0.5, 0.5], payload=payload)])
    client.close()
    database, run = tmp_path / "collection" / "mem0" / "storage.sqlite", tmp_path / "run"
    with sqlite3.connect(database) as connection:
        hostile = pickle.dumps(Runs(run))
        connection.execute("INSERT INTO points VALUES ('x', ?)", (hostile,))
    connection.close()
    read = Read(database)
    (memory,) = read.memories
    assert (read.form, memory.text, memory.key) == ("mem0", "Prefers oak", id)
    assert memory.metadata == {"mem0": {"ids": {"user_id": "ana"}, "metadata": {"project_code": "keel"}}}
    assert memory.occurred_at == datetime(2026, 1, 1, 10, tzinfo=UTC)
    assert memory.valid_until == datetime(2027, 1, 1, tzinfo=UTC)
    assert read.gaps == {"no-message fields $table, payload": 1}
    assert not run.exists()


@dataclass
class Runs:
    """A pickle of it calls a function."""

    path: Path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.path,)


def test_a_note_in_markdown(put: Put, tmp_path: Path) -> None:
    text = (
        "---\ntitle: Keel\ntags:\n- boats\ncreated: 2026-01-01\n---\n# Keel\nAll about keels.\n\n"
        "- [decision] The keel is oak #wood (after tests)\n- [ ] a task\n- [a link](https://a.example)\n"
        "- part_of [[Boat]] (since 2025)\n```\n- [x2] code\n```\n"
    )
    read = Read(put("notes/keel.md", text), base=tmp_path)
    assert read.form == "markdown"
    found = [(one.text, one.type, one.tags) for one in read.memories]
    assert found[:2] == [
        ("The keel is oak (after tests)", "decision", ("decision", "wood", "boats")),
        ("Keel part of Boat (since 2025)", "discovery", ("relation", "boats")),
    ]
    assert "- [ ] a task" in found[2][0]
    assert "- [x2] code" in found[2][0]
    assert read.memories[2].key == "notes/keel.md"


def test_instructions_for_agents_are_preferences_by_their_headings(put: Put) -> None:
    long = "\n\n".join(f"## Part {number}\n\nUse pnpm for part {number}. {'More words. ' * 40}" for number in range(5))
    read = Read(put("CLAUDE.md", f"# Rules\n\n{long}"))
    assert [one.title for one in read.memories] == [f"CLAUDE / Part {number}" for number in range(5)]
    assert {one.type for one in read.memories} == {"preference"}
    assert len({one.key for one in read.memories}) == 5


# Which form


def test_a_form_may_be_named(put: Put) -> None:
    path = put("notes.txt", "no heading, but words")
    assert Read(path, form="markdown").claims == ["no heading, but words"]
    with pytest.raises(InvalidInput, match="no form 'doc'; there are auto, chat, "):
        Read(path, form="doc")
    assert len(NAMES) == len(set(NAMES))


def test_a_chat_is_no_other_form_though_its_words_are_of_one(put: Put) -> None:
    words = json.dumps({"memory": 1, "user_id": 2, "entityType": 3, "fact": 4, "valid_at": 5, "docs": [], "uuid": 6})
    read = Read(put("chat.json", [{"role": "user", "content": words}]))
    assert (read.form, read.said) == ("", [("user", "", words)])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"SQLite format 3\0" + b"\xff" * 100, "cannot be read as a SQLite database"),
        (b"\x1f\x8bnonsense", "is a broken gzip file"),
        (gzip.compress(b"x" * 99, mtime=0)[:-9], "is a broken gzip file"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "not UTF-8"),
    ],
)
def test_a_broken_file_is_refused_with_what_it_is(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=reason):
        Read(path)


def test_databases_that_are_no_chats_are_named(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE boats (name)")
    connection.close()
    with pytest.raises(InvalidInput, match=r"of none of these programs: .*; its tables are boats"):
        foreign_database(str(path))
    assert foreign_database(str(tmp_path / "missing.db")) is None


def test_an_archive_of_cognee(put: Put) -> None:
    common = {"external_system": "cognee", "created_at": "2026-01-01T00:00:00Z", "scope": {"user_id": "u"}}
    entities = [
        {"kind": "entity", "external_id": "e1", "name": "Ana", "entity_type": "Person", "aliases": ["Annie"], **common},
        {"kind": "entity", "external_id": "e2", "name": "Acme", "description": "makes anvils", **common},
    ]
    fact = {
        "kind": "fact", "external_id": "f1", "subject_ref": "e1", "predicate": "works_at", "object_ref": "e2",
        "valid_at": "2025-01-01T00:00:00Z", "invalid_at": "2025-06-01T00:00:00Z", **common,
    }  # fmt: skip
    read = Read(put("a/entities.jsonl", lines(*entities)))
    assert (read.form, read.claims) == ("cogx", ["Ana: is a person", "Acme: makes anvils"])
    assert read.memories[0].relations == (("Ana", "is_a", "person"), ("Ana", "same_as", "Annie"))
    (memory,) = Read(put("a/facts.jsonl", lines(fact))).memories
    assert (memory.text, memory.relations) == ("Ana works at Acme", (("Ana", "works_at", "Acme"),))
    assert (memory.valid_until, memory.user) == (datetime(2025, 6, 1, tzinfo=UTC), "u")
    turns = [{"role": "user", "content": "I like oak", "occurred_at": None}]
    read = Read(put("a/episodes.jsonl", lines({"kind": "episode", "external_id": "p1", "turns": turns, **common})))
    assert read.said == [("user", "", "I like oak")]
    read = Read(put("a/nodes.jsonl", lines({"kind": "raw_node", "external_id": "r1", "properties": {}, **common})))
    assert read.gaps == {"no-message raw_node": 1}
