"""Messages, and imports of chats."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput
from remembrancer.ingest import export_import, file_import, turn_import
from remembrancer.ingest.admission import admit
from remembrancer.ingest.file_import import ImportedFile
from remembrancer.ingest.importers import forms
from remembrancer.ingest.importers.exports import export_form
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.message import has_tool_results, text_with_parts
from remembrancer.ingest.importers.reader import SkippedItem
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import as_object
from remembrancer.ingest.turn_import import Imported
from remembrancer.resources.resource import Resource
from remembrancer.search.embedding import no_progress
from remembrancer.transactions.draft import MAX_CONTENT_BYTES, Draft, draft_from
from remembrancer.types.arguments import check_fields, member
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Kind, Message, Role
from remembrancer.types.results import Saved
from remembrancer.types.text import check_json, is_blank


class Messages(Resource, path="messages"):
    """The messages of one scope. Reached as `memory.messages`."""

    async def record_many(self, messages: Sequence[NewMessage]) -> list[Saved[Message]]:
        """Record several messages in one transaction.

        Raises:
            InvalidInput: one of them is not valid; nothing is recorded.
        """
        drafts = [_draft(message) for message in messages]
        saved = await self._save(drafts, lambda writer: admit(writer, drafts))
        return [Saved(outcome=item.outcome, record=item.record) for item in saved if isinstance(item.record, Message)]

    async def import_turns(self, turns: Sequence[Turn]) -> Imported:
        """Record turns of imported chats in one transaction; existing ones are not changed.

        A conversation is identified by its name, and a turn by its position. Import long chats in the batches of
        `importers.batches`, so that a repeated import writes the same batches.

        Raises:
            InvalidInput: a turn is not valid; nothing of the batch is recorded.
        """
        return await turn_import.import_batch(self._unit, list(turns))

    async def import_file(
        self, file: ChatFile, *, skip_bad: bool = False, progress: Callable[[int], None] | None = None
    ) -> ImportedFile:
        """Import the new messages and memories of a file; see `ChatFile.at`.

        The whole file is read and checked before a message is recorded. A repeated call continues an interrupted
        import. An export of Remembrancer in JSON lines, JSON-LD or CSV restores its memories in this scope. The form of
        another program is recognised by its content. Of an archive (ZIP) each file is imported.

        Args:
            skip_bad: skip messages that cannot be imported, instead of refusing the file.
            progress: is called with the number of messages after each batch.

        Raises:
            InvalidInput: a message cannot be imported; nothing is recorded.
            NotAllowed: it is an export with rules or patterns, and the caller lacks the right `learn`.
        """
        report = progress or no_progress
        unit, load = self._unit, self._engine.load
        if await run_sync(file.is_packed):
            return await self._import_archive(file, skip_bad=skip_bad, progress=progress)
        if file.form == forms.AUTO and (ours := await run_sync(export_form, file)):
            return await export_import.import_export(unit, file, ours, load=load, skip_bad=skip_bad, progress=report)
        form = await run_sync(forms.form_of, file, file.form)
        total = ImportedFile()
        if form is None or form.entries is not None:
            total = await file_import.import_file(unit, file, form, skip_bad=skip_bad, progress=report)
        if form is not None and form.memories is not None:
            total = replace(total, kinds={Kind.MESSAGE.value: total.created} if total.created else {})
            total += await export_import.import_export(unit, file, form, load=load, skip_bad=skip_bad, progress=report)
        return total

    async def _import_archive(
        self, file: ChatFile, *, skip_bad: bool, progress: Callable[[int], None] | None
    ) -> ImportedFile:
        """Import each file of an archive. One that cannot be imported is left out, unless it is the only one."""
        total, files = ImportedFile(), await run_sync(file.members)
        for one in files:
            try:
                total += await self.import_file(one, skip_bad=skip_bad, progress=progress)
            except InvalidInput as error:
                if len(files) == 1:
                    raise
                total += ImportedFile(left_out=(SkippedItem(where=one.relative, reason=str(error)),))
        return total


def _draft(new: NewMessage) -> Draft:
    draft = draft_from(new, _words(new), trust=new.trust, classification=new.classification)
    role = member(Role, new.role, "role")
    # A message of a model may only call a tool, and a tool may return nothing.
    if role not in (Role.ASSISTANT, Role.TOOL) and is_blank(draft.text):
        raise InvalidInput("text must not be empty")
    if role is not Role.TOOL and has_tool_results([as_object(part) for part in new.content]):
        raise InvalidInput("content contains the result of a tool; record it as a separate message with the role tool")
    return replace(draft, role=role, speaker=new.speaker)


def _words(new: NewMessage) -> str:
    """Return the text of a message with its content and tool calls, as an import composes it.

    Raises:
        InvalidInput: the content or the tool calls cannot be written as JSON.
    """
    check_fields(new)
    if not new.content and not new.tool_calls:
        return new.text
    for name, parts in (("content", new.content), ("tool_calls", new.tool_calls)):
        check_json(parts, what=name, most=MAX_CONTENT_BYTES)
    content, calls = ([as_object(part) for part in parts] for parts in (new.content, new.tool_calls))
    return text_with_parts(new.text, content, calls)
