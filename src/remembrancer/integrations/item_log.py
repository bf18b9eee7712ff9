"""The items of a conversation as a framework writes them, stored as messages of a session.

A message has the words of its item as its text, so that it is observed and recalled, and the whole item in its
metadata, so that the framework reads back what it wrote.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from remembrancer.ingest.importers.values import JsonObject
from remembrancer.integrations import checked_memory
from remembrancer.sync import SyncMemory
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Json, Kind, Message, Role
from remembrancer.types.text import is_blank

_PAGE = 1_000
_SHORT_PAGE = 100
# A message that is no longer recalled is still part of its conversation.
_STORED = tuple(status for status in Status if status not in (Status.DELETED, Status.REJECTED))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """An item of a conversation to record.

    Args:
        text: its words, which are observed and recalled; of an assistant's or a tool's item they may be empty.
        value: the item as the framework wrote it, up to 16 MiB as JSON.
        key: an idempotency key: the same key again records nothing.
    """

    role: Role
    text: str
    value: JsonObject
    speaker: str = ""
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """An item of a conversation.

    Args:
        number: the number of its message in the session, from 1.
        value: the item as the framework wrote it; `None` for a message that another program recorded.
    """

    number: int
    role: Role
    text: str
    value: JsonObject | None


class ItemLog:
    """The items of one session.

    Args:
        kind: the name of the framework in the metadata of the messages.
    """

    def __init__(self, memory: SyncMemory, session: str, kind: str) -> None:
        self._memory = checked_memory(memory)
        # Checks the name.
        self.session = memory.conversation(session).session
        self._kind = kind

    def add(self, items: Sequence[NewItem]) -> None:
        """Record items in one transaction.

        Raises:
            InvalidInput: an item cannot be written as JSON, or is too long; nothing is recorded.
        """
        if items:
            self._memory.messages.record_many([self._message(item) for item in items])

    def latest(self, limit: int | None = None) -> list[StoredItem]:
        """Return the last items, oldest first.

        Args:
            limit: the maximum number; `None` for all.
        """
        found: list[Message] = []
        for page in self._newest_first(_PAGE if limit is None else max(1, min(limit, _PAGE))):
            found += page
            if limit is not None and len(found) >= limit:
                break
        return self._ordered(found[:limit])

    def after(self, number: int) -> list[StoredItem]:
        """Return the items after a number, oldest first.

        Reading ends at a page of older items, so that it does not grow with the session.
        """
        found: list[Message] = []
        for page in self._newest_first(_SHORT_PAGE):
            newer = [message for message in page if message.number > number]
            found += newer
            if not newer:
                break
        return self._ordered(found)

    def pop(self) -> StoredItem | None:
        """Delete the last item and return it; `None` if there is none."""
        for message in next(self._newest_first(1)):
            self._memory.delete(message.id)
            return self._item(message)
        return None

    def clear(self) -> None:
        """Delete all items, and what was derived from them alone."""
        # One call deletes a limited number.
        while self._memory.observations.delete_many(self._filter()).count:
            pass

    def _newest_first(self, page_size: int) -> Iterator[list[Message]]:
        cursor = None
        while True:
            page = self._memory.list(self._filter(), limit=page_size, cursor=cursor)
            yield [one for one in page.records if isinstance(one, Message)]
            if (cursor := page.cursor) is None:
                return

    def _filter(self) -> Filter:
        return Filter(kinds=(Kind.MESSAGE,), sessions=(self.session,), statuses=_STORED)

    def _message(self, item: NewItem) -> NewMessage:
        is_empty = is_blank(item.text) and item.role not in (Role.ASSISTANT, Role.TOOL)
        return NewMessage(
            text="[no text]" if is_empty else item.text,
            role=item.role,
            speaker=item.speaker,
            session=self.session,
            metadata={self._kind: cast(Json, item.value)},
            key=item.key,
        )

    def _ordered(self, messages: Sequence[Message]) -> list[StoredItem]:
        return [self._item(message) for message in sorted(messages, key=lambda one: one.number)]

    def _item(self, message: Message) -> StoredItem:
        value = message.metadata.get(self._kind)
        item = cast(JsonObject, dict(value)) if isinstance(value, Mapping) else None
        return StoredItem(number=message.number, role=message.role, text=message.text, value=item)
