"""A look at a file before it is imported: its form, what it contains, and a sample."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.ingest.importers import forms
from remembrancer.ingest.importers.exports import export_form, read_memories
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.reader import Reader, SkippedItem, UnreadField
from remembrancer.ingest.importers.values import as_object, first_text
from remembrancer.transactions.draft import MAX_MESSAGE_BYTES, check_text

_SAMPLES = 3
_SAMPLE_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePreview:
    """The contents of a file.

    Args:
        form: its name and title.
        roles: the number of messages of each role.
        first, last: the first and the last time of a message.
        samples: some messages and memories, each on a line.
        unread: what is changed or left out, by kind.
        left_out: entries that would be skipped.
    """

    name: str
    form: str
    messages: int
    conversations: int
    memories: int
    roles: Mapping[str, int]
    first: datetime | None
    last: datetime | None
    samples: Sequence[str]
    unread: Sequence[UnreadField]
    left_out: Sequence[SkippedItem]

    def lines(self) -> Iterator[str]:
        """Yield the lines of a report."""
        roles = ", ".join(f"{count:,} {role}" for role, count in self.roles.items())
        parts = [
            f"{_counted(self.messages, 'messages')} ({roles}) in {_counted(self.conversations, 'conversations')}"
            if self.messages
            else "",
            _counted(self.memories, "memories") if self.memories else "",
            f"{self.first:%Y-%m-%d} to {self.last:%Y-%m-%d}" if self.first and self.last else "",
        ]
        yield f"{self.name}: {self.form}: {'; '.join(filter(None, parts)) or 'nothing to import'}"
        for sample in self.samples:
            yield f"  {sample}"


def preview(file: ChatFile, *, skip_bad: bool) -> FilePreview:
    """Return what a file contains; nothing is stored.

    Raises:
        InvalidInput: the file cannot be read, or an entry is invalid and must not be skipped.
    """
    reader = Reader(file.title, skip_bad=skip_bad, zone=file.zone)
    ours = export_form(file) if file.form == forms.AUTO else None
    form = None if ours else forms.form_of(file, file.form)
    roles, conversations, times, messages = Counter[str](), set[tuple[str, str]](), list[datetime](), list[str]()
    for turn in () if ours else forms.turns_of(file, reader, form):
        try:
            check_text(turn.text, MAX_MESSAGE_BYTES)
        except InvalidInput as error:
            reader.skip(turn.where, str(error))
            continue
        roles[turn.role] += 1
        conversations.add((turn.conversation, turn.session))
        if turn.occurred_at is not None:
            times = [min((turn.occurred_at, *times)), max((turn.occurred_at, *times))]
        if len(messages) < _SAMPLES and turn.text.strip():
            messages.append(f"{turn.speaker or turn.role}: {turn.text}")
    if ours:
        memories = [first_text(as_object(entry.value), "text") for entry in read_memories(file, ours, reader)]
    else:
        # The same text under the same key is one memory.
        memories = list({(one.key, one.text): one.text for one in forms.memories_of(file, reader, form)}.values())
    samples = [*messages, *memories[:_SAMPLES]]
    return FilePreview(
        name=file.name,
        form=f"an export of Remembrancer ({ours.value})" if ours else form.title if form else "messages in JSON",
        messages=sum(roles.values()),
        conversations=len(conversations),
        memories=len(memories),
        roles=dict(roles),
        first=times[0] if times else None,
        last=times[-1] if times else None,
        samples=tuple(" ".join(masked(one).split())[:_SAMPLE_CHARACTERS] for one in samples),
        unread=tuple(reader.unread),
        left_out=tuple(reader.left_out),
    )


def _counted(count: int, nouns: str) -> str:
    one = nouns.removesuffix("ies") + "y" if nouns.endswith("ies") else nouns.removesuffix("s")
    return f"{count:,} {one if count == 1 else nouns}"


def masked(text: str) -> str:
    """Return a text without secrets and private regions, as an import stores it."""
    return redact(text, policy=SecretPolicy.MASK).text
