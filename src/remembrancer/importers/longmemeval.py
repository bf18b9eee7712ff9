"""LongMemEval: a question with the dated sessions of its history, or only those that hold the evidence."""

from collections.abc import Iterator
from typing import Any

from remembrancer.importers.json_values import JsonObject, as_list, as_object, as_objects, as_text, first_text
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn


def matches(document: Any) -> bool:
    """Whether a parsed file has this shape."""
    questions = as_list(document)
    first = as_object(questions[0]) if questions else {}
    return "question_id" in first and ("evidence_sessions" in first or "haystack_sessions" in first)


def turns(document: Any, reader: Reader) -> Iterator[Turn]:
    """The turns of every history in a parsed file."""
    for question in as_objects(document):
        yield from _history(question, reader)


def _history(question: JsonObject, reader: Reader) -> Iterator[Turn]:
    name = f"longmemeval/{first_text(question, 'question_id')}"
    position = 0
    for session, date, said_there in _sessions(question):
        when = reader.moment(date)
        for number, said in enumerate(said_there):
            yield Turn(
                conversation=name,
                session=session,
                position=position,
                role=reader.role(said.get("role")),
                text=reader.content(said.get("content"), message=position + 1),
                occurred_at=when,
                reference=f"{session}:{number}",
            )
            position += 1


def _sessions(question: JsonObject) -> Iterator[tuple[str, Any, list[JsonObject]]]:
    """Name, date and turns of each session; the same session may stand in a history twice."""
    if "haystack_sessions" in question:
        ids = [as_text(name) for name in as_list(question.get("haystack_session_ids"))]
        dates = as_list(question.get("haystack_dates"))
        for index, session in enumerate(as_list(question["haystack_sessions"])):
            name = ids[index] if index < len(ids) else "session"
            yield f"{index + 1}/{name}", dates[index] if index < len(dates) else None, as_objects(session)
        return
    for index, session in enumerate(as_objects(question.get("evidence_sessions"))):
        yield f"evidence_{index + 1}", session.get("date"), as_objects(session.get("turns"))
