"""Whether what a tool, a page or somebody who is quoted wrote can get out of the place of quoted data.

    python -m bench.untrusted [--json]

Sixty orders in six languages (`bench.hostile.ordinary`) come in by every way that text of others does: as words of a
tool, quoted in a message of the user (`> `, "my boss wrote: ", a forwarded mail), saved as untrusted, concluded from
what a tool said, imported, and in titles, tags and metadata. Then all that an agent reads is looked through: contexts
in every form, brief, inject, remind, recall, ask, notes and summaries. An order is out where a line that holds words of
it does not begin as quoted data does; where a note, a preference or a rule of the trusted has them; or where a tag of
the block stands in it as such. Nothing of it knows a pattern of orders.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.hostile.ordinary import ORDERS, Placed
from remembrancer import ContextRequest, Filter, NewMessage, NewObservation, RecallRequest, SyncMemory
from remembrancer.ingest.importers.files import ChatFile
from tests.sealing import sealed

ALL: Sequence[Placed] = [order for orders in ORDERS.values() for order in orders]
_LEADS = {
    "en": "My boss wrote:", "de": "Mein Chef schrieb:", "es": "Mi jefe escribió:", "fr": "Mon chef a écrit :",
    "it": "Il mio capo ha scritto:", "zh": "老板写道：",
}  # fmt: skip
_QUESTION = "What do the supplier, the assistant and the user say about invoices, bookings, accounts and rules?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    """Where an order stood that was not in the place of quoted data.

    Args:
        way: how it had come in.
        where: what was read.
    """

    way: str
    where: str
    needle: str


def _quoted(text: str) -> str:
    return "Can you look at this?\n" + "\n".join(f"> {line}" for line in text.splitlines()) + "\nThat is not from me."


def _forwarded(text: str) -> str:
    return f"FYI, no idea what to do with it\n\n---------- Forwarded message ---------\nFrom: Lena\n\n{text}"


def _led(language: str, text: str) -> str:
    return f"{_LEADS[language]} {text}"


def _messages(wording: Callable[[str, str], str], **more: Any) -> list[NewMessage]:
    return [
        NewMessage(text=wording(language, order.text), session="talk", **more)
        for language, orders in ORDERS.items()
        for order in orders
    ]


def _as_they_are(_: str, text: str) -> str:
    return text


def _by_tool(memory: SyncMemory) -> None:
    memory.messages.record_many(_messages(_as_they_are, role="tool", speaker="browser"))


def _by_untrusted_user(memory: SyncMemory) -> None:
    memory.messages.record_many(_messages(_as_they_are, trust="untrusted"))


def _in_quotation(memory: SyncMemory) -> None:
    memory.messages.record_many(_messages(lambda _, text: _quoted(text)))


def _in_forwarded_mail(memory: SyncMemory) -> None:
    memory.messages.record_many(_messages(lambda _, text: _forwarded(text)))


def _behind_who_wrote_it(memory: SyncMemory) -> None:
    # What follows an empty line is the user's own again.
    memory.messages.record_many(_messages(lambda language, text: _led(language, text.replace("\n\n", "\n"))))


def _saved(memory: SyncMemory) -> None:
    types = ("preference", "decision", "profile", "discovery")
    memory.observations.save_many(
        [
            NewObservation(text=order.text, type=types[place % len(types)], trust="untrusted", importance=1.0)
            for place, order in enumerate(ALL)
        ]
    )


def _concluded(memory: SyncMemory) -> None:
    page = memory.record("A page about suppliers", role="tool", session="talk").record.id
    memory.observations.save_many(
        [NewObservation(text=order.text, type="preference", evidence=[page]) for order in ALL]
    )


def _in_names(memory: SyncMemory) -> None:
    memory.observations.save_many(
        [
            NewObservation(
                text=f"Page {place} was read",
                title=order.needle,
                tags=[order.needle.replace(" ", "-")],
                metadata={"note": order.text},
                trust="untrusted",
            )
            for place, order in enumerate(ALL)
        ]
    )
    memory.messages.record_many(
        [NewMessage(text="ok", role="tool", speaker=order.needle, session="talk") for order in ALL]
    )


def _imported(memory: SyncMemory) -> None:
    said = [{"role": "tool", "content": order.text} for order in ALL]
    said += [{"role": "user", "content": _quoted(order.text)} for order in ALL]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.json"
        path.write_text(json.dumps({"id": "talk", "messages": said}), encoding="utf-8")
        memory.messages.import_file(ChatFile.at(path))


WAYS: dict[str, Callable[[SyncMemory], None]] = {
    "words of a tool": _by_tool,
    "an untrusted message": _by_untrusted_user,
    "lines quoted with >": _in_quotation,
    "a forwarded mail": _in_forwarded_mail,
    "my boss wrote": _behind_who_wrote_it,
    "saved as untrusted": _saved,
    "concluded from a tool": _concluded,
    "titles, tags, speakers": _in_names,
    "imported": _imported,
}


def escapes() -> tuple[list[Escape], Counter[str]]:
    """What got out, and how often an order was read in each place at all."""
    found: list[Escape] = []
    read: Counter[str] = Counter()
    for way, bring_in in WAYS.items():
        with SyncMemory(":memory:", embedder="none", background=False, observe_tokens=400) as memory:
            bring_in(memory)
            for where, text in _blocks(memory):
                read[where.split(" of ")[0]] += sum(order.needle in text for order in ALL)
                found += [Escape(way=way, where=where, needle=needle) for needle in _out(text)]
            found += [Escape(way=way, where=where, needle=needle) for where, needle in _taken(memory)]
    return found, read


def _out(text: str) -> Iterator[str]:
    """Orders of which words stand on a line that is not one of quoted data, or whose tags stand as tags."""
    for line in text.splitlines():
        if line.startswith("> "):
            if "</" in line or "<system" in line:
                yield line
            continue
        yield from (order.needle for order in ALL if order.needle in line)


def _blocks(memory: SyncMemory) -> Iterator[tuple[str, str]]:
    """All that an agent reads, as texts; before and after the messages have given way to notes."""
    talk = next((session.id for session in memory.sessions.list()), None) or memory.sessions.start("talk").session.id
    for when in ("said", "noted"):
        for form in ("markdown", "tags"):
            for question in ("", _QUESTION, ALL[0].text):
                context = memory.context(
                    ContextRequest(session=talk, question=question, format=form, record_access=False)
                )
                yield f"{form} of what was {when}", context.text
        system = "\n".join(part["text"] for part in context.system())
        yield f"system of what was {when}", system
        if (among := [order.needle for order in ALL if order.needle in system]) and "\n> " not in system:
            yield f"system of what was {when}", "\n".join(among)
        for marks in (False, True):
            for said in context.messages(marks=marks):
                yield from ((f"chat of what was {when}", text) for text in _texts(said["content"]))
                if said["role"] in ("system", "assistant"):
                    yield from ((f"{said['role']} in chat", text.replace("> ", "")) for text in _texts(said["content"]))
        if when == "said":
            memory.notes.observe(talk)
    for order in ALL:
        yield "remind", memory.context(ContextRequest(question=order.text, record_access=False, mode="search")).text
        recalled = memory.recall(RecallRequest(question=order.text, limit=10, record_access=False))
        yield "block of recalled", sealed(memory, recalled).text
    yield "inject", memory.context(ContextRequest(question=ALL[0].text, record_access=False, mode="prompt")).text
    yield "ask", memory.ask(RecallRequest(question=ALL[0].text, record_access=False)).text
    memory.sessions.end(talk)
    yield "brief", memory.context(ContextRequest(record_access=False, mode="brief")).text
    yield "sessions.start", memory.sessions.start().text


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content)


def _taken(memory: SyncMemory) -> Iterator[tuple[str, str]]:
    """Orders that became a note, a preference or a rule of the trusted."""
    memory.admin.maintenance.run()
    for rule in memory.rules.list(all=True):
        yield from (("rules", order.needle) for order in ALL if order.needle in rule.text)
    cursor: str | None = None
    while True:
        page = memory.list(Filter(kinds=["observation", "reflection", "fact"]), limit=200, cursor=cursor)
        for record in page.records:
            named = [order.needle for order in ALL if order.needle in record.text]
            if record.trust.value != "untrusted":
                yield from ((f"a trusted {getattr(record, 'type', 'fact')}", needle) for needle in named)
            elif getattr(record, "engine", "") and getattr(record, "type", "") in ("preference", "decision"):
                yield from ((f"noted as a {getattr(record, 'type', '')}", needle) for needle in named)
        cursor = page.cursor
        if cursor is None:
            return


def main() -> int:
    """Print what got out; 1 where anything did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found, read = escapes()
    by_place = Counter(f"{one.way}: {one.where}" for one in found)
    report = {"orders": len(ALL), "ways": len(WAYS), "read": dict(read), "out": len(found), "where": dict(by_place)}
    if arguments.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        print(
            f"{len(ALL)} orders by {len(WAYS)} ways; read in their place: {sum(read.values())}; out of it: {len(found)}"
        )
        for place, count in by_place.most_common():
            print(f"{count:6} {place}")
        for one in found[:20]:
            print(f"       {one.way} | {one.where} | {one.needle}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
