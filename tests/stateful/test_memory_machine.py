"""Any sequence of calls, from any scope, against a dict that knows nothing of how memory works."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from remembrancer import (
    Conflict,
    InvalidInput,
    Message,
    NotAllowed,
    NotFound,
    Observation,
    Record,
    RemembrancerError,
    Scope,
    SyncMemory,
)
from remembrancer.testing import HashEmbedder
from tests.databases import SECRET, Database, emptied

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
SCOPES = (
    Scope(tenant="acme", project="apollo", user="alice"),
    Scope(tenant="acme", project="apollo", user="bob"),
    Scope(tenant="acme", project="apollo", agent="scout", user="alice"),
    Scope(tenant="acme", project="apollo"),
    Scope(tenant="acme"),
    Scope(tenant="globex", project="apollo", user="alice"),
)
MOST = 1_000

# One scope more often than the others, so that something meets something.
scopes = st.sampled_from((*SCOPES, SCOPES[0], SCOPES[0], SCOPES[0]))
picks = st.integers(0, 10_000)
titles = st.sampled_from(["Door", "Gate"])
types = st.sampled_from(["discovery", "decision"])
tags = st.sampled_from([(), ("red",), ("red", "blue")])
sessions = st.sampled_from([None, "monday", "tuesday"])


@dataclass(kw_only=True)
class Row:
    """What the oracle knows of one memory."""

    id: str
    scope: Scope
    text: str
    session: str | None
    tags: tuple[str, ...] = ()
    revision: int = 1
    deleted: bool = False
    number: int | None = None
    speaker: str = ""
    type: str = ""
    title: str = ""
    topic_key: str | None = None

    @property
    def is_message(self) -> bool:
        return self.number is not None


@dataclass(kw_only=True)
class Sessions:
    """What the oracle knows of the sessions of one scope: how many messages each was given."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    unnamed: str | None = None


def sees(reader: Scope, row: Row) -> bool:
    """The wall, written out."""
    return (
        reader.tenant == row.scope.tenant
        and (row.scope.project is None or row.scope.project == reader.project)
        and (row.scope.agent is None or row.scope.agent == reader.agent)
        and (row.scope.user is None or row.scope.user == reader.user)
    )


def check_same(record: Record, row: Row) -> None:
    """Nothing of what a caller was told differs from what the oracle knows."""
    assert (record.id, record.scope, record.text, record.tags) == (row.id, row.scope, row.text, row.tags)
    assert (record.session, record.revision) == (row.session, row.revision)
    assert record.status.value == ("soft-deleted" if row.deleted else "active")
    assert record.hash == hashlib.sha256(row.text.encode()).hexdigest()
    if isinstance(record, Message):
        assert (record.number, record.speaker) == (row.number, row.speaker)
    else:
        assert isinstance(record, Observation)
        assert (record.type, record.title, record.topic_key) == (row.type, row.title, row.topic_key)


class MemoryMachine(RuleBasedStateMachine):
    """Writes and reads from every scope, in any order.

    Args:
        root: an empty memory, which is closed at the end.
    """

    def __init__(self, root: SyncMemory) -> None:
        super().__init__()
        self.root = root
        self.doors = {scope: self.root.within(scope) for scope in SCOPES}
        self.rows: dict[str, Row] = {}
        self.ever: list[str] = []
        self.texts: list[str] = []
        self.sessions = {scope: Sessions() for scope in SCOPES}
        self.steps = 0

    @initialize()
    def one_memory_to_begin_with(self) -> None:
        self.record(SCOPES[0], "monday", "Ann", repeat=False, pick=0)

    def teardown(self) -> None:
        try:
            for scope in SCOPES:
                self._check_list(scope)
            assert self.root.upkeep.doctor() == [] or self._erased_messages()
        finally:
            self.root.close()

    # Writing

    @rule(scope=scopes, session=sessions, speaker=st.sampled_from(["", "Ann"]), repeat=st.booleans(), pick=picks)
    def record(self, scope: Scope, session: str | None, speaker: str, repeat: bool, pick: int) -> None:
        text, known = self._text(repeat, pick), self.sessions[scope]
        saved = self.doors[scope].record(text, session=session, speaker=speaker)
        place = saved.record.session
        assert place is not None
        if session is not None:
            assert place == session
        elif known.unnamed is not None:
            assert place == known.unnamed
        else:
            assert place not in known.counts
            known.unnamed = place
        known.counts[place] = known.counts.get(place, 0) + 1
        assert saved.outcome == "created"
        assert saved.record.id not in self.ever
        self._add(
            saved.record,
            Row(
                id=saved.record.id,
                scope=scope,
                text=text,
                session=place,
                number=known.counts[place],
                speaker=speaker,
            ),
        )

    @rule(scope=scopes, session=sessions, title=titles, type=types, tags=tags, repeat=st.booleans(), pick=picks)
    def save(
        self, scope: Scope, session: str | None, title: str, type: str, tags: tuple[str, ...], repeat: bool, pick: int
    ) -> None:
        text = self._text(repeat, pick)
        equal = [row for row in self._claims(scope) if row.topic_key is None and row.text == text]
        self._save(scope, min(equal, key=lambda row: row.id, default=None), text, session, title, type, tags, None)

    @rule(
        scope=scopes,
        session=sessions,
        title=titles,
        type=types,
        tags=tags,
        repeat=st.booleans(),
        pick=picks,
        key=st.sampled_from(["door", "gate"]),
    )
    def save_under_a_topic_key(
        self,
        scope: Scope,
        session: str | None,
        title: str,
        type: str,
        tags: tuple[str, ...],
        repeat: bool,
        pick: int,
        key: str,
    ) -> None:
        standing = next((row for row in self._claims(scope) if row.topic_key == key), None)
        self._save(scope, standing, self._text(repeat, pick), session, title, type, tags, key)

    def _save(
        self,
        scope: Scope,
        standing: Row | None,
        text: str,
        session: str | None,
        title: str,
        type: str,
        tags: tuple[str, ...],
        key: str | None,
    ) -> None:
        saved = self.doors[scope].save(text, session=session, title=title, type=type, tags=tags, topic_key=key)
        if standing is None:
            assert saved.outcome == "created"
            assert saved.record.id not in self.ever
            made = Row(id=saved.record.id, scope=scope, text=text, session=session, tags=tags)
            made.title, made.type, made.topic_key = title, type, key
            self._add(saved.record, made)
            return
        changed = self._change(standing, text=text, title=title, type=type, tags=tags)
        if changed and session is not None:
            standing.session = session
        assert saved.outcome == ("updated" if changed else "deduped")
        check_same(saved.record, standing)

    @rule(scope=scopes, pick=picks, title=titles, type=types, reword=st.booleans(), word=picks)
    def edit(self, scope: Scope, pick: int, title: str, type: str, reword: bool, word: int) -> None:
        id, memory = self._id(pick), self.doors[scope]
        text = self._text(False, word) if reword else None
        row, refusal = self._own(scope, id)
        if row is not None and row.deleted:
            refusal = (NotFound,)
        elif row is not None and row.is_message:
            refusal = (InvalidInput,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.edit(id, text=text, title=title, type=type))
            return
        changed = self._change(row, text=text or row.text, title=title, type=type, tags=row.tags)
        saved = memory.edit(id, text=text, title=title, type=type)
        assert saved.outcome == ("updated" if changed else "deduped")
        check_same(saved.record, row)

    @rule(scope=scopes, pick=picks)
    def delete(self, scope: Scope, pick: int) -> None:
        id, memory = self._id(pick), self.doors[scope]
        row, refusal = self._own(scope, id)
        if row is not None and row.deleted:
            refusal = (NotFound,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.delete(id))
            return
        memory.delete(id)
        row.deleted = True
        self._check_recall(scope, row.text)

    @rule(scope=scopes, pick=picks)
    def erase(self, scope: Scope, pick: int) -> None:
        id, memory = self._id(pick), self.doors[scope]
        row, refusal = self._own(scope, id)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.delete(id, erase=True))
            return
        memory.delete(id, erase=True)
        del self.rows[id]
        self._check_recall(scope, row.text)

    @precondition(lambda self: any(row.deleted for row in self.rows.values()))
    @rule(pick=picks, scope=scopes, own=st.booleans())
    def restore(self, pick: int, scope: Scope, own: bool) -> None:
        away = [row for row in self.rows.values() if row.deleted]
        id = away[pick % len(away)].id
        self._restore(self.rows[id].scope if own else scope, id)

    @rule(scope=scopes, pick=picks)
    def restore_anything(self, scope: Scope, pick: int) -> None:
        self._restore(scope, self._id(pick))

    def _restore(self, scope: Scope, id: str) -> None:
        memory = self.doors[scope]
        row, refusal = self._own(scope, id)
        taken = row is not None and any(
            other.topic_key == row.topic_key for other in self._claims(scope) if row.topic_key is not None
        )
        if row is not None and (not row.deleted or taken):
            refusal = (Conflict,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.restore(id))
            return
        row.deleted = False
        check_same(memory.restore(id), row)
        self._check_recall(scope, row.text)

    # Sessions

    @rule(scope=scopes, session=sessions)
    def start(self, scope: Scope, session: str | None) -> None:
        known, started = self.sessions[scope], self.doors[scope].sessions.start(session)
        id = started.session.id
        if session is None:
            assert started.is_new is (known.unnamed is None)
            assert known.unnamed in (None, id)
            known.unnamed = id
        else:
            assert (id, started.is_new) == (session, session not in known.counts)
        assert known.counts.setdefault(id, 0) == started.session.messages
        self._check_visible(scope, [*started.memories, *started.summaries])

    @rule(scope=scopes, session=sessions)
    def end(self, scope: Scope, session: str | None) -> None:
        known, memory = self.sessions[scope], self.doors[scope]
        id = session or known.unnamed or "never started"
        if id not in known.counts:
            self._refused((NotFound,), lambda: memory.sessions.end(id))
            return
        assert memory.sessions.end(id).status == "completed"
        if id == known.unnamed:
            known.unnamed = None

    # Reading

    @rule(scope=scopes, pick=picks)
    def look_up(self, scope: Scope, pick: int) -> None:
        id, memory = self._id(pick), self.doors[scope]
        row = self.rows.get(id)
        if row is None or not sees(scope, row):
            self._refused((NotFound,), lambda: memory.explain("anything", id))
        if row is None or not sees(scope, row) or row.deleted:
            assert memory.find(id) is None
            self._refused((NotFound,), lambda: memory.get(id))
            self._refused((NotFound,), lambda: memory.timeline.around(id))
            self._refused((NotFound,), lambda: memory.save("It rests on that", evidence=[id]))
            return
        check_same(memory.get(id), row)
        assert memory.explain(row.text, id).stage == "recalled"
        self._check_timeline(scope, row)

    @precondition(lambda self: bool(self.texts))
    @rule(scope=scopes, pick=picks)
    def recall_a_word(self, scope: Scope, pick: int) -> None:
        self._check_recall(scope, self.texts[pick % len(self.texts)])

    @invariant()
    def one_scope_after_the_other_sees_what_it_should(self) -> None:
        self.steps += 1
        self._check_list(SCOPES[self.steps % len(SCOPES)])

    # What the oracle does and knows

    def _text(self, repeat: bool, pick: int) -> str:
        """A text with a word of its own, or one that was used before."""
        if repeat and self.texts:
            return self.texts[-1 - pick % min(3, len(self.texts))]
        self.texts.append(f"The heron saw zq{len(self.texts):04d}")
        return self.texts[-1]

    def _id(self, pick: int) -> str:
        return self.ever[pick % len(self.ever)] if self.ever else "no-such-id"

    def _add(self, record: Record, row: Row) -> None:
        self.rows[row.id] = row
        self.ever.append(row.id)
        check_same(record, row)

    def _claims(self, scope: Scope) -> list[Row]:
        return [row for row in self.rows.values() if row.scope == scope and not row.is_message and not row.deleted]

    def _active(self, scope: Scope) -> list[Row]:
        return [row for row in self.rows.values() if sees(scope, row) and not row.deleted]

    def _own(self, scope: Scope, id: str) -> tuple[Row | None, tuple[type[RemembrancerError], ...]]:
        """The row, where a scope may change it, else the errors that it may get."""
        row = self.rows.get(id)
        if row is None or not sees(scope, row):
            return None, (NotFound,)
        if row.scope != scope:
            return None, (NotAllowed, NotFound) if row.deleted else (NotAllowed,)
        return row, ()

    def _change(self, row: Row, *, text: str, title: str, type: str, tags: tuple[str, ...]) -> bool:
        after = (text, title, type, tags or row.tags)
        if after == (row.text, row.title, row.type, row.tags):
            return False
        row.text, row.title, row.type, row.tags = after
        row.revision += 1
        return True

    def _erased_messages(self) -> bool:
        """Whether a gap in the numbers is to be told of, because a message was erased."""
        given = sum(sum(known.counts.values()) for known in self.sessions.values())
        return given > sum(row.is_message for row in self.rows.values())

    def _refused(self, errors: tuple[type[RemembrancerError], ...], call: Callable[[], object]) -> None:
        with pytest.raises(errors):
            call()

    def _check_visible(self, scope: Scope, records: Sequence[Record]) -> None:
        assert len({record.id for record in records}) == len(records)
        for record in records:
            row = self.rows[record.id]
            assert sees(scope, row)
            assert not row.deleted
            check_same(record, row)

    def _check_recall(self, scope: Scope, text: str) -> None:
        word = text.split()[-1]
        recalled = self.doors[scope].recall(word, limit=MOST, touch=False)
        found = [hit.record for hit in (*recalled.hits, *recalled.nearest)]
        self._check_visible(scope, found)
        expected = {row.id for row in self._active(scope) if word in row.text}
        assert {record.id for record in found if word in record.text} == expected
        assert not (expected and recalled.abstained)

    def _check_list(self, scope: Scope) -> None:
        records = self.doors[scope].list(limit=MOST, statuses=["active", "soft-deleted"]).records
        rows = [row for row in self.rows.values() if sees(scope, row)]
        assert {record.id for record in records} == {row.id for row in rows}
        assert len(records) == len(rows)
        for record in records:
            check_same(record, self.rows[record.id])
        listed = self.doors[scope].list(limit=MOST).records
        assert [record.id for record in listed] == [record.id for record in records if not self.rows[record.id].deleted]

    def _check_timeline(self, scope: Scope, row: Row) -> None:
        around = self.doors[scope].timeline.around(row.id, before=MOST, after=MOST)
        check_same(around.record, row)
        self._check_visible(scope, [*around.before, *around.after])
        session = [
            other.id
            for other in self.rows.values()
            if other.scope == row.scope
            and (other.id == row.id or (row.session is not None and other.session == row.session))
            and not other.deleted
        ]
        place = session.index(row.id)
        assert [record.id for record in around.before if record.scope == row.scope] == session[:place]
        assert [record.id for record in around.after if record.scope == row.scope] == session[place + 1 :]


def steps(*, examples: int, count: int) -> settings:
    """How much is tried: so much, or what a soak has time for."""
    return settings(
        max_examples=300 if SOAK else examples,
        stateful_step_count=60 if SOAK else count,
        deadline=None,
        derandomize=not SOAK,
        suppress_health_check=[HealthCheck.too_slow],
    )


def test_any_sequence_of_calls_in_memory() -> None:
    class InMemory(MemoryMachine):
        def __init__(self) -> None:
            super().__init__(SyncMemory(":memory:", embedder=HashEmbedder(), background=False))

    run_state_machine_as_test(InMemory, settings=steps(examples=15, count=25))


def test_any_sequence_of_calls_on_a_server(database: Database) -> None:
    class OnAServer(MemoryMachine):
        def __init__(self) -> None:
            emptied(database)
            url = database.serving_url
            super().__init__(SyncMemory(url, secret_key=SECRET, embedder=HashEmbedder(), background=False))

    run_state_machine_as_test(OnAServer, settings=steps(examples=4, count=20))
