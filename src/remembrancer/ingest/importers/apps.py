"""Chats of apps for people: Telegram, Slack, Discord, WhatsApp, mail, and tables."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from html import unescape
from itertools import pairwise
from typing import Any, Final

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import CONVERSATION, JsonEntry
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import ForeignFile
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.values import (
    JsonObject,
    as_list,
    as_object,
    as_objects,
    as_text,
    aware_time,
    first_text,
)

_ASSISTANT: Final = "assistant"
# Telegram


def telegram(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the chats of an export of Telegram: of one chat, or of the account."""
    document = as_object(file.document(reader))
    for name in ("contacts", "frequent_contacts", "sessions", "web_sessions", "stories"):
        if as_list(as_object(document.get(name)).get("list")):
            reader.count(Gap.FIELD, name)
    chats = [document] if "messages" in document else []
    for name in ("chats", "left_chats"):
        chats += as_objects(as_object(document.get(name)).get("list"))
    for place, chat in enumerate(chats, 1):
        id = as_text(chat.get("id"))
        is_bot = chat.get("type") == "bot_chat"
        messages = [_telegram_message(one, reader, is_bot=is_bot) for one in as_objects(chat.get("messages"))]
        yield JsonEntry(
            where=f"chat {place}",
            value={
                CONVERSATION: f"telegram/{id}" if id else "",
                "title": chat.get("name"),
                "messages": [one for one in messages if one],
            },
        )


def _telegram_message(message: JsonObject, reader: Reader, *, is_bot: bool) -> JsonObject | None:
    if message.get("type", "message") != "message":
        reader.no_message(f"service {as_text(message.get('action'))}".strip())
        return None
    text = _telegram_text(message.get("text_entities") or message.get("text"))
    attached = [
        {"name": name, "type": first_text(message, "media_type", "mime_type") or kind}
        for kind in ("photo", "file", "contact_information", "location_information", "poll")
        if (name := _telegram_attachment(message, kind))
    ]
    if forwarded := first_text(message, "forwarded_from"):
        text = f"[forwarded from {forwarded}] {text}"
    sender = first_text(message, "from", "actor") or first_text(message, "from_id")
    return {
        "role": _ASSISTANT if is_bot and "bot" in sender.lower() else "user",
        "name": sender,
        "content": text,
        "attachments": attached,
        "timestamp": message.get("date_unixtime") or message.get("date"),
        "id": as_text(message.get("id")),
    }


def _telegram_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "".join(one if isinstance(one, str) else _telegram_part(as_object(one)) for one in as_list(value))


def _telegram_part(part: JsonObject) -> str:
    text, address = first_text(part, "text"), first_text(part, "href")
    return f"{text} ({address})" if address and address != text else text


def _telegram_attachment(message: JsonObject, kind: str) -> str:
    value = message.get(kind)
    if value is None:
        return ""
    if isinstance(value, str):
        name = first_text(message, "file_name", "sticker_emoji")
        return name or ("" if value.startswith("(") else value) or kind
    fields = as_object(value)
    return first_text(fields, "question", "first_name", "phone_number") or kind


# Slack

_SLACK_NOTICES: Final = frozenset(
    f"{prefix}_{name}"
    for prefix in ("channel", "group")
    for name in ("join", "leave", "topic", "purpose", "name", "archive", "unarchive", "convert_to_private")
) | {"bot_add", "bot_remove", "pinned_item", "reminder_add", "tombstone", "message_deleted"}
_SLACK_REFERENCE: Final = re.compile(r"<([@#!]?)([^|>]*)(?:\|([^>]*))?>")


def slack(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the messages of a day of a channel. The folder above has the names of people."""
    names = _slack_names(file, reader)
    folder = file.file.folder
    messages = list[JsonObject]()
    team = ""
    for one in as_objects(file.document(reader)):
        kind = first_text(one, "subtype")
        if one.get("type") != "message" or kind in _SLACK_NOTICES:
            reader.no_message(kind or first_text(one, "type"))
            continue
        team = team or first_text(one, "team", "source_team", "user_team")
        messages.append(_slack_message(one, names))
    channel = _slack_channel(file, reader, folder)
    yield JsonEntry(
        where="",
        value={
            CONVERSATION: f"slack/{team}/{channel}" if team or channel != folder else "",
            "session": folder,
            "title": f"#{folder}",
            "messages": messages,
        },
    )


def _slack_message(one: JsonObject, names: dict[str, str]) -> JsonObject:
    def shown(match: re.Match[str]) -> str:
        sign, name, label = match[1], match[2], match[3]
        if sign == "@":
            return f"@{names.get(name) or label or name}"
        return f"#{label or name}" if sign == "#" else f"@{label or name}" if sign == "!" else label or name

    profile = as_object(one.get("user_profile"))
    user = first_text(one, "user", "bot_id")
    own = first_text(one, "text") or _slack_blocks(one)
    texts = [own, *(_slack_attached(attached) for attached in as_objects(one.get("attachments")))]
    return {
        "role": _ASSISTANT if one.get("bot_id") or one.get("subtype") == "bot_message" else "user",
        "name": names.get(user)
        or first_text(profile, "real_name", "display_name")
        or first_text(one, "username")
        or user,
        "content": unescape(_SLACK_REFERENCE.sub(shown, "\n".join(filter(None, texts)))),
        "files": [{"name": first_text(file, "name", "title")} for file in as_objects(one.get("files"))],
        "timestamp": one.get("ts"),
        "id": as_text(one.get("ts")),
    }


def _slack_attached(attached: JsonObject) -> str:
    text = first_text(attached, "text", "fallback") or _slack_blocks(attached)
    return "\n".join(filter(None, (first_text(attached, "title"), text)))


def _slack_blocks(message: JsonObject) -> str:
    """Return the text of a message of a bot that has blocks alone."""
    return "\n".join(filter(None, map(_slack_words, as_objects(message.get("blocks")))))


def _slack_words(fields: JsonObject) -> str:
    if isinstance(fields.get("text"), str):
        return as_text(fields["text"])
    inner = [*as_objects([fields.get("text")]), *as_objects(fields.get("elements")), *as_objects(fields.get("fields"))]
    return " ".join(filter(None, map(_slack_words, inner)))


def _slack_names(file: ForeignFile, reader: Reader) -> dict[str, str]:
    users = file.file.sibling("../users.json") or file.file.sibling("users.json")
    names: dict[str, str] = {}
    for one in as_objects(ForeignFile(users).document(reader)) if users else []:
        profile = as_object(one.get("profile"))
        names[first_text(one, "id")] = first_text(profile, "display_name", "real_name") or first_text(one, "name")
    return names


def _slack_channel(file: ForeignFile, reader: Reader, folder: str) -> str:
    """Return the id of the channel of a folder, or the name of the folder."""
    for name in ("channels", "groups", "mpims", "dms"):
        listed = file.file.sibling(f"../{name}.json")
        for one in as_objects(ForeignFile(listed).document(reader)) if listed else []:
            if folder in (one.get("name"), one.get("id")):
                return first_text(one, "id")
    return folder


def index_only(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield nothing: a file that is part of an export, and contains no message."""
    reader.no_message(file.file.title)
    yield from ()


# Discord

_DISCORD_MESSAGES: Final = (
    "Default",
    "Reply",
    "0",
    "19",
    "ChatInputCommand",
    "ContextMenuCommand",
    "ThreadStarterMessage",
)


def discord(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the channel of an export of DiscordChatExporter."""
    document = as_object(file.document(reader))
    channel = as_object(document.get("channel"))
    guild = as_object(document.get("guild"))
    messages = list[JsonObject]()
    for one in as_objects(document.get("messages")):
        if as_text(one.get("type")) not in _DISCORD_MESSAGES:
            reader.no_message(as_text(one.get("type")))
            continue
        author = as_object(one.get("author"))
        embeds = (
            " ".join(filter(None, (first_text(e, "title"), first_text(e, "description"))))
            for e in as_objects(one.get("embeds"))
        )
        messages.append(
            {
                "role": _ASSISTANT if author.get("isBot") is True else "user",
                "name": first_text(author, "nickname", "name"),
                "content": "\n".join(filter(None, (first_text(one, "content"), *embeds))),
                "attachments": [
                    {"name": first_text(attached, "fileName", "name"), "type": "attachment"}
                    for attached in (*as_objects(one.get("attachments")), *as_objects(one.get("stickers")))
                ],
                "timestamp": one.get("timestamp"),
                "id": as_text(one.get("id")),
            }
        )
    id = first_text(channel, "id")
    title = " / ".join(
        filter(None, (first_text(guild, "name"), first_text(channel, "category"), first_text(channel, "name")))
    )
    yield JsonEntry(where="", value={CONVERSATION: f"discord/{id}" if id else "", "title": title, "messages": messages})


def discord_package(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield what a user wrote in a channel, of the data package that Discord sends on request."""
    about = file.file.sibling("channel.json")
    channel = as_object(ForeignFile(about).document(reader)) if about else {}
    id = first_text(channel, "id") or file.file.folder.removeprefix("c")
    names = (first_text(as_object(channel.get("guild")), "name"), first_text(channel, "name"))
    messages = [
        {
            "role": "user",
            "content": first_text(one, "Contents"),
            "attachments": [{"name": address} for address in first_text(one, "Attachments").split()],
            "timestamp": one.get("Timestamp"),
            "id": as_text(one.get("ID")),
        }
        for one in as_objects(file.document(reader))
    ]
    title = " / ".join(filter(None, names))
    yield JsonEntry(where="", value={CONVERSATION: f"discord/{id}" if id else "", "title": title, "messages": messages})


# WhatsApp

_MARKS: Final = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\ufeff"))
# On an iPhone it precedes a text that the app wrote: a notice, or the name of a file, a place or a poll.
_BY_APP: Final = ": \u200e"
_APP_CONTENT: Final = re.compile(r"POLL:|(?:Location|Live location): |https?://")
_DATE: Final = r"(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{2,4})"
_TIME: Final = r"(?P<h>\d{1,2})[:.](?P<m>\d{2})(?:[:.](?P<s>\d{2}))?"
_HALF: Final = r"\s?(?P<half>[AaPp]\.?\s?[Mm]\.?|上午|下午|de la (?:mañana|tarde|noche))?"
_BEFORE: Final = r"(?P<early>上午|下午)?\s?"
_HEADS: Final = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        rf"\[{_DATE}(?:,| klo| um| à| a las)?\s{_BEFORE}{_TIME}{_HALF}\]\s(?P<rest>.*)",
        rf"{_DATE}(?:,| klo| um| à| a las)?\s{_BEFORE}{_TIME}{_HALF}\s[-–]\s(?P<rest>.*)",
    )
)
_WHATSAPP_MEDIA: Final = re.compile(
    r"<(?:Media omitted|Mídia oculta|Medien ausgeschlossen|Multimedia omitido|Médias omis|Media omessi"
    r"|Media weggelaten|attached: [^>]+)>|(?:image|audio|video|sticker|GIF|document|Contact card) omitted"
    r"|\S+\.\w{2,5} \((?:file attached|archivo adjunto|Datei angehängt|fichier joint)\)"
)
_DAYS: Final = 12
_CENTURY: Final = 100


def is_whatsapp(file: ForeignFile) -> bool:
    """Return True if most of the first lines begin with a date, and a name."""
    lines = [line for line in file.head.translate(_MARKS).splitlines()[:20] if line.strip()]
    heads = [head for line in lines if (head := _head(line))]
    return bool(heads) and _head(lines[0]) is not None and any(": " in head["rest"] for head in heads)


def whatsapp(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the chat of an export of WhatsApp. The order of day and month is decided over all lines."""
    found = list[tuple[re.Match[str], list[str]]]()
    by_app = set[int]()
    for raw in file.text.replace("\u202f", " ").replace("\xa0", " ").splitlines():
        line = raw.translate(_MARKS)
        head = _head(line)
        if head is not None:
            if _BY_APP in raw and not (_WHATSAPP_MEDIA.search(line) or _APP_CONTENT.search(line)):
                by_app.add(len(found))
            found.append((head, [head["rest"]]))
        elif found:
            found[-1][1].append(line)
    day_first = _day_first([head for head, _ in found])
    title = re.sub(r"^(?:WhatsApp Chat (?:with|-) |_chat$)", "", file.file.title.rsplit(".", 1)[0])
    messages = list[JsonObject]()
    for place, (head, lines) in enumerate(found):
        name, colon, first = lines[0].partition(": ")
        if not colon or place in by_app:
            reader.no_message("notice of WhatsApp")
            continue
        text = "\n".join([first, *lines[1:]]).strip()
        for media in _WHATSAPP_MEDIA.findall(text):
            reader.count(Gap.ATTACHED, media)
        messages.append(
            {
                "role": "user",
                "name": name.removeprefix("~").strip(),
                "content": text,
                "timestamp": _clock(head, day_first, reader),
            }
        )
    yield JsonEntry(where="", value={"title": title, "messages": messages})


def _head(line: str) -> re.Match[str] | None:
    line = line.replace("\u202f", " ").replace("\xa0", " ")
    return next((found for head in _HEADS if (found := head.match(line))), None)


def _day_first(heads: Iterable[re.Match[str]]) -> bool:
    """Return whether the first number of a date is the day: by a number above 12, else by the order of the lines."""
    dates = [(int(one["a"]), int(one["b"]), int(one["c"])) for one in heads]
    if any(a > _DAYS for a, _, _ in dates if a <= 31):
        return True
    if any(b > _DAYS for _, b, _ in dates):
        return False
    falls = [sum(one > other for one, other in pairwise(order)) for order in _orders(dates)]
    return falls[0] <= falls[1]


def _orders(dates: list[tuple[int, int, int]]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    return [(c, b, a) for a, b, c in dates], [(c, a, b) for a, b, c in dates]


def _clock(head: re.Match[str], day_first: bool, reader: Reader) -> str | None:
    a, b, c = (int(head[name]) for name in "abc")
    year, month, day = (a, b, c) if a > 31 else (c, b, a) if day_first else (c, a, b)
    hour, half = int(head["h"]), (head["half"] or head["early"] or "").lower()
    if half[:1] == "p" or half in ("下午", "de la tarde", "de la noche"):
        hour = hour % 12 + 12
    elif half:
        hour %= 12
    try:
        when = datetime(  # noqa: DTZ001 -- local, until the zone is known
            year + 2_000 if year < _CENTURY else year, month, day, hour, int(head["m"]), int(head["s"] or 0)
        )
    except ValueError:
        reader.count(Gap.TIME, head[0][:40])
        return None
    if reader.zone is None:
        reader.count(Gap.ZONE, when.isoformat())
    aware = aware_time(when, reader.zone or UTC)
    return None if aware is None else aware.isoformat()


# Mail

_MAX_SUBJECT: Final = 150
_QUOTED: Final = re.compile(
    r"^(?:>.*|On .{5,200} wrote:|Am .{5,200} schrieb .{0,100}:|-{2,}\s?Original Message\s?-{2,}.*)$"
)
_TAGS: Final = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<[^>]+>", re.DOTALL | re.IGNORECASE)


def is_mbox(file: ForeignFile) -> bool:
    """Return True if the text begins as a mailbox does."""
    return (
        re.match(r"From [^\n]*\n(?:>?[\w-]+:[^\n]*\n|[ \t][^\n]*\n){2,}", file.head.replace("\r\n", "\n")) is not None
    )


def mbox(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the threads of a mailbox. Quoted earlier mails are left out."""
    threads: dict[str, JsonObject] = {}
    thread_of: dict[str, str] = {}
    for place, raw in enumerate(_mails(file), 1):
        mail = message_from_bytes(raw, policy=policy.default)
        id = as_text(_header(mail, "Message-ID")) or f"mail {place}"
        before = [*_header(mail, "References").split(), *_header(mail, "In-Reply-To").split()]
        known = next((thread_of[one] for one in before if one in thread_of), None)
        key = _header(mail, "X-GM-THRID") or known or (before[0] if before else id)
        for one in (id, *before):
            thread_of.setdefault(one, key)
        subject = _header(mail, "Subject")[:_MAX_SUBJECT]
        thread = threads.setdefault(key, {CONVERSATION: f"mail/{key}", "title": subject, "messages": []})
        thread["messages"].append(_mail(mail, id, reader))
    for place, thread in enumerate(threads.values(), 1):
        yield JsonEntry(where=f"thread {place}", value=thread)


def _mails(file: ForeignFile) -> Iterator[bytes]:
    with file.file.open() as stream:
        content = stream.read().replace(b"\r\n", b"\n")
    for part in re.split(
        rb"(?:\A|\n\n+)From [^\n]*\n", b"\n\n" + content if not content.startswith(b"From ") else content
    ):
        if part.strip():
            yield re.sub(rb"(?m)^>(>*From )", rb"\1", part)


def _header(mail: EmailMessage, name: str) -> str:
    try:
        return str(mail.get(name, "")).strip()
    except (ValueError, LookupError, AttributeError, TypeError):
        # A malformed header.
        return ""


def _mail(mail: EmailMessage, id: str, reader: Reader) -> JsonObject:
    attached: list[JsonObject] = []
    try:
        attached = [
            {"name": part.get_filename() or part.get_content_type(), "type": "attachment"}
            for part in mail.iter_attachments()
        ]
    except (AttributeError, KeyError, ValueError):
        reader.count(Gap.CONTENT, id)
    when = None
    try:
        when = parsedate_to_datetime(_header(mail, "Date")).isoformat()
    except (ValueError, TypeError, IndexError):
        reader.count(Gap.TIME, _header(mail, "Date")[:40] or id)
    return {
        "role": "user",
        "name": _header(mail, "From"),
        "content": _body(mail),
        "attachments": attached,
        "timestamp": when,
        "id": id,
    }


def _body(mail: EmailMessage) -> str:
    """Return the text of a mail without what it quotes."""
    try:
        part = mail.get_body(("plain", "html"))
        text = "" if part is None else str(part.get_content())
        is_html = part is not None and part.get_content_type() == "text/html"
    except (LookupError, ValueError, AttributeError, KeyError):
        payload = mail.get_payload(decode=True)
        text, is_html = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else "", False
    if is_html:
        text = unescape(_TAGS.sub(" ", text))
    kept = [line for line in text.splitlines() if not _QUOTED.match(line.strip())]
    return "\n".join(kept).strip()


# Tables

_ROLES: Final = ("role", "author", "sender", "from", "speaker", "user", "username", "name", "author_name", "user_name")
_TEXTS: Final = ("content", "text", "message", "body", "msg")
_TIMES: Final = ("timestamp", "created_at", "date", "time", "datetime", "sent_at", "ts")
_SESSIONS: Final = ("session_id", "session", "conversation_id", "thread_id", "channel", "channel_id", "chat_id")
_ID: Final = ("message_id", "id", "msg_id")


def is_table(file: ForeignFile) -> bool:
    """Return True for CSV with a column for the speaker, and one for the text."""
    header = _columns(file)
    return header is not None and bool(_named(header, _TEXTS)) and bool(_named(header, _ROLES))


def table(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the messages of a table of CSV, or of mapped JSON lines, oldest first.

    Its columns are found by their names, or named by the import.

    Raises:
        InvalidInput: it has no column for the text, or none of a name in the mapping.
    """
    csv.field_size_limit(2**31 - 1)
    header = _columns(file)
    rows: list[Mapping[str, Any]]
    if header is None:
        rows = [row for _, row in file.objects(reader)]
        header = list(dict.fromkeys(name for row in rows for name in row))
    else:
        text = file.text.removeprefix("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text), dialect=_dialect(file.head)))
    columns = _chosen_columns(file.file, header)
    role, speaker = columns.pop("role"), columns.pop("speaker")
    used = {role, speaker, *columns.values()}
    for name in header:
        if name not in used and name.strip():
            reader.count(Gap.FIELD, name)
    messages = list[JsonObject]()
    for row in rows:
        cells = {kind: _cell(row, name) for kind, name in columns.items()}
        messages.append(
            {
                "role": (_cell(row, role) or "user") if role else _role(_cell(row, speaker)),
                "name": _cell(row, speaker),
                "content": cells["text"],
                "timestamp": cells["time"] or None,
                "session": cells["session"],
                "id": cells["id"],
            }
        )
    times = [reader.time(one["timestamp"]) for one in messages] if columns["time"] else []
    if times and times[0] and times[-1] and times[0] > times[-1]:
        messages.reverse()
    sessions: dict[str, list[JsonObject]] = {}
    for one in messages:
        sessions.setdefault(one.pop("session"), []).append(one)
    for name, of_session in sessions.items():
        yield JsonEntry(where="", value={"session": name, "title": "", "messages": of_session})


def _chosen_columns(file: ChatFile, header: Sequence[str]) -> dict[str, str | None]:
    """Return the column of each field of a message: that of the mapping, or else the one with a known name."""
    listed = ", ".join(header) or "none"
    if missing := [name for name in file.mapping.values() if name not in header]:
        raise InvalidInput(f"{file.title}: there is no field {missing[0]!r}; there are {listed}")
    known = {"text": _TEXTS, "time": _TIMES, "session": _SESSIONS, "id": _ID, "role": ("role",)}
    found = {kind: file.mapping.get(kind) or _named(header, names) for kind, names in known.items()}
    others = [name for name in header if name != found["role"]]
    found["speaker"] = file.mapping.get("speaker") or _named(others, _ROLES)
    if found["text"] is None:
        raise InvalidInput(f"{file.title}: no field is known to be the text; there are {listed}: add --map text=FIELD")
    return found


def _cell(row: Mapping[str, Any], name: str | None) -> str:
    value = row.get(name) if name else None
    return value if isinstance(value, str) else as_text(value)


def _role(speaker: str) -> str:
    return _ASSISTANT if speaker.strip().lower() in ("assistant", "ai", "bot", "chatgpt", "claude", "model") else "user"


def _columns(file: ForeignFile) -> list[str] | None:
    first = file.head.removeprefix("\ufeff").partition("\n")[0]
    if first.lstrip()[:1] in ("{", "[") or not any(sign in first for sign in ",;\t"):
        return None
    try:
        return next(csv.reader([first], dialect=_dialect(file.head)), None)
    except csv.Error:
        return None


def _dialect(head: str) -> type[csv.Dialect]:
    first = head.partition("\n")[0]
    most = max(",;\t", key=first.count)

    class Found(csv.excel):
        delimiter = most

    return Found


def _named(header: Iterable[str], names: Iterable[str]) -> str | None:
    columns = {name.strip().lower().replace(" ", "_"): name for name in header}
    return next((columns[name] for name in names if name in columns), None)


# Examples for a training


def pairs(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the pairs of prompt and completion of examples for a training."""
    for where, one in file.objects(reader):
        prompt, completion = (
            first_text(one, "prompt", "input", "question"),
            first_text(one, "completion", "output", "answer", "response"),
        )
        if not prompt or not completion:
            reader.no_message("example without an answer")
            continue
        yield JsonEntry(
            where=where,
            value={"messages": [{"role": "user", "content": prompt}, {"role": _ASSISTANT, "content": completion}]},
        )
