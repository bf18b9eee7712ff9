"""Any sequence of calls, from any scope, against a dict that knows nothing of how memory works."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

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
    Filter,
    InvalidInput,
    Message,
    NewMessage,
    NewObservation,
    NotAllowed,
    NotFound,
    Observation,
    RecallRequest,
    Record,
    RemembrancerError,
    Scope,
    SyncMemory,
)
from remembrancer.testing import HashEmbedder
from remembrancer.types.access import Caller
from remembrancer.types.scope import Classification, most_restrictive
from tests.databases import SECRET, Database, emptied
from tests.finding import find_sync

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
# Where all sessions are one conversation the end of one notes nothing; what is noted is tried in `test_interleavings`.
NOTHING_NOTED = "scope"

CALLERS = tuple(
    Caller(scope=scope, clearance=clearance)
    for clearance in (Classification.RESTRICTED, Classification.INTERNAL)
    for scope in SCOPES
)

# One scope more often than the others, so that something meets something.
callers = st.sampled_from((*CALLERS, *(caller for caller in CALLERS if caller.scope == SCOPES[0]), CALLERS[0]))
classes = st.sampled_from([None, None, "confidential"])
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
    classification: Classification = Classification.INTERNAL
    touched: int = 0
    said: int = 0

    @property
    def is_message(self) -> bool:
        return self.number is not None


@dataclass(kw_only=True)
class Sessions:
    """What the oracle knows of the sessions of one scope: how many messages each was given, and which are active.

    Args:
        active: those that nobody has ended, the one that was used last at the end.
    """

    counts: dict[str, int] = field(default_factory=dict[str, int])
    unnamed: str | None = None
    active: list[str] = field(default_factory=list[str])

    def use(self, session: str | None) -> str | None:
        """The session that is used: the one that is named, else the active one that was used last."""
        used = session or next(reversed(self.active), None)
        if used is not None:
            self.active = [*(one for one in self.active if one != used), used]
            self.counts.setdefault(used, 0)
        return used


def sees(caller: Caller, row: Row) -> bool:
    """The wall, written out."""
    reader = caller.scope
    return (
        (row.classification is not Classification.CONFIDENTIAL or caller.clearance is Classification.RESTRICTED)
        and reader.tenant == row.scope.tenant
        and (row.scope.project is None or row.scope.project == reader.project)
        and (row.scope.agent is None or row.scope.agent == reader.agent)
        and (row.scope.user is None or row.scope.user == reader.user)
    )


def check_same(record: Record, row: Row, *, listed: bool = False) -> None:
    """Nothing of what a caller was told differs from what the oracle knows; what is listed may leave the hash out."""
    assert (record.id, record.scope, record.text, record.tags) == (row.id, row.scope, row.text, row.tags)
    assert (record.session, record.revision, record.classification) == (row.session, row.revision, row.classification)
    assert record.status.value == ("soft-deleted" if row.deleted else "active")
    assert record.hash == hashlib.sha256(row.text.encode()).hexdigest() or (listed and not record.hash)
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
        self.sayings = count()
        self.root = root
        self.doors = {caller: self.root.within(caller.scope, clearance=caller.clearance) for caller in CALLERS}
        self.rows: dict[str, Row] = {}
        self.ever: list[str] = []
        self.texts: list[str] = []
        self.sessions = {scope: Sessions() for scope in SCOPES}
        self.steps = 0

    @initialize()
    def one_memory_to_begin_with(self) -> None:
        self.record(CALLERS[0], "monday", "Ann", repeat=False, pick=0, classification=None)

    def teardown(self) -> None:
        try:
            for caller in CALLERS:
                self._check_list(caller)
            assert self.root.admin.doctor() == [] or self._erased_messages()
        finally:
            self.root.close()

    # Writing

    @rule(
        caller=callers,
        session=sessions,
        speaker=st.sampled_from(["", "Ann"]),
        repeat=st.booleans(),
        pick=picks,
        classification=classes,
    )
    def record(
        self, caller: Caller, session: str | None, speaker: str, repeat: bool, pick: int, classification: str | None
    ) -> None:
        text, known = self._text(repeat, pick), self.sessions[caller.scope]
        saved = self.doors[caller].record(
            NewMessage(text=text, session=session, speaker=speaker, classification=classification)
        )
        place = saved.record.session
        assert place is not None
        if session is not None:
            assert place == session
        elif known.unnamed is not None:
            assert place == known.unnamed
        else:
            assert place not in known.counts
            known.unnamed = place
        known.use(place)
        known.counts[place] += 1
        assert saved.outcome == "created"
        assert saved.record.id not in self.ever
        self._add(
            saved.record,
            Row(
                id=saved.record.id,
                scope=caller.scope,
                text=text,
                classification=Classification(classification or "internal"),
                touched=self.steps,
                session=place,
                number=known.counts[place],
                speaker=speaker,
            ),
        )

    @rule(
        caller=callers,
        session=sessions,
        title=titles,
        type=types,
        tags=tags,
        repeat=st.booleans(),
        pick=picks,
        classification=classes,
    )
    def save(
        self,
        caller: Caller,
        session: str | None,
        title: str,
        type: str,
        tags: tuple[str, ...],
        repeat: bool,
        pick: int,
        classification: str | None,
    ) -> None:
        text = self._text(repeat, pick)
        equal = [row for row in self._claims(caller) if row.topic_key is None and row.text == text]
        self._save(
            caller,
            min(equal, key=lambda row: row.id, default=None),
            text,
            session,
            title,
            type,
            tags,
            None,
            classification,
        )

    @rule(
        caller=callers,
        session=sessions,
        title=titles,
        type=types,
        tags=tags,
        repeat=st.booleans(),
        pick=picks,
        key=st.sampled_from(["door", "gate"]),
        classification=classes,
    )
    def save_under_a_topic_key(
        self,
        caller: Caller,
        session: str | None,
        title: str,
        type: str,
        tags: tuple[str, ...],
        repeat: bool,
        pick: int,
        key: str,
        classification: str | None,
    ) -> None:
        # Beside one that is closed another may stand; who sees both has the one that was changed last.
        known = [row for row in self._claims(caller) if row.topic_key == key]
        standing = max(known, key=lambda row: (row.touched, row.id), default=None)
        self._save(caller, standing, self._text(repeat, pick), session, title, type, tags, key, classification)

    def _save(
        self,
        caller: Caller,
        standing: Row | None,
        text: str,
        session: str | None,
        title: str,
        type: str,
        tags: tuple[str, ...],
        key: str | None,
        classification: str | None,
    ) -> None:
        saved = self.doors[caller].save(
            NewObservation(
                text=text,
                session=session,
                title=title,
                type=type,
                tags=tags,
                topic_key=key,
                classification=classification,
            )
        )
        given = Classification(classification or "internal")
        session = self.sessions[caller.scope].use(session)
        if standing is None:
            assert saved.outcome == "created"
            assert saved.record.id not in self.ever
            made = Row(id=saved.record.id, scope=caller.scope, text=text, session=session, tags=tags)
            made.classification, made.touched = given, self.steps
            made.title, made.type, made.topic_key = title, type, key
            self._add(saved.record, made)
            return
        changed = self._change(standing, text=text, title=title, type=type, tags=tags, classification=given)
        if changed and session is not None:
            standing.session = session
        assert saved.outcome == ("updated" if changed else "deduped")
        check_same(saved.record, standing)

    @rule(caller=callers, pick=picks, title=titles, type=types, reword=st.booleans(), word=picks)
    def edit(self, caller: Caller, pick: int, title: str, type: str, reword: bool, word: int) -> None:
        id, memory = self._id(pick), self.doors[caller]
        text = self._text(False, word) if reword else None
        row, refusal = self._own(caller, id)
        if row is not None and row.deleted:
            refusal = (NotFound,)
        elif row is not None and row.is_message:
            refusal = (InvalidInput,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.edit(id, text, title=title, type=type))
            return
        changed = self._change(row, text=text or row.text, title=title, type=type, tags=row.tags)
        saved = memory.edit(id, text, title=title, type=type)
        used = self.sessions[caller.scope].use(None)
        if changed and used is not None:
            row.session = used
        assert saved.outcome == ("updated" if changed else "deduped")
        check_same(saved.record, row)

    @rule(caller=callers, pick=picks)
    def delete(self, caller: Caller, pick: int) -> None:
        id, memory = self._id(pick), self.doors[caller]
        row, refusal = self._own(caller, id)
        if row is not None and row.deleted:
            refusal = (NotFound,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.delete(id))
            return
        memory.delete(id)
        row.deleted, row.touched = True, self.steps
        self._check_recall(caller, row.text)

    @rule(caller=callers, pick=picks)
    def erase(self, caller: Caller, pick: int) -> None:
        id, memory = self._id(pick), self.doors[caller]
        row, refusal = self._own(caller, id)
        if refusal or row is None:
            self._refused((NotFound,), lambda: memory.governance.erasure.erase(memories=[id], reason="a test"))
            return
        memory.governance.erasure.erase(memories=[id], reason="a test")
        del self.rows[id]
        self._check_recall(caller, row.text)

    @precondition(lambda self: any(row.deleted for row in self.rows.values()))
    @rule(pick=picks, caller=callers, own=st.booleans())
    def restore(self, pick: int, caller: Caller, own: bool) -> None:
        away = [row for row in self.rows.values() if row.deleted]
        id = away[pick % len(away)].id
        self._restore(Caller(scope=self.rows[id].scope) if own else caller, id)

    @rule(caller=callers, pick=picks)
    def restore_anything(self, caller: Caller, pick: int) -> None:
        self._restore(caller, self._id(pick))

    def _restore(self, caller: Caller, id: str) -> None:
        memory = self.doors[caller]
        row, refusal = self._own(caller, id)
        taken = row is not None and any(
            other.topic_key == row.topic_key for other in self._claims(caller) if row.topic_key is not None
        )
        if row is not None and (not row.deleted or taken):
            refusal = (Conflict,)
        if refusal or row is None:
            self._refused(refusal, lambda: memory.restore(id))
            return
        row.deleted, row.touched = False, self.steps
        check_same(memory.restore(id), row)
        self._check_recall(caller, row.text)

    # Sessions

    @rule(caller=callers, session=sessions)
    def start(self, caller: Caller, session: str | None) -> None:
        known, started = self.sessions[caller.scope], self.doors[caller].sessions.start(session)
        id = started.session.id
        if session is None:
            assert started.is_new is (known.unnamed is None)
            assert known.unnamed in (None, id)
            known.unnamed = id
        else:
            assert (id, started.is_new) == (session, session not in known.counts)
        known.use(id)
        assert known.counts[id] == started.session.messages
        self._check_visible(caller, [*started.memories, *started.summaries])

    @rule(caller=callers, session=sessions)
    def end(self, caller: Caller, session: str | None) -> None:
        known, memory = self.sessions[caller.scope], self.doors[caller]
        id = session or known.unnamed or "never started"
        if id not in known.counts:
            self._refused((NotFound,), lambda: memory.sessions.end(id))
            return
        assert memory.sessions.end(id).status == "completed"
        self._learn_summaries(caller.scope, id)
        known.active = [one for one in known.active if one != id]
        if id == known.unnamed:
            known.unnamed = None

    def _learn_summaries(self, scope: Scope, session: str) -> None:
        """What was summed up when a session ended quotes what was said in it, and is as closed."""
        reader = self.doors[Caller(scope=scope, clearance=Classification.RESTRICTED)]
        for record in reader.list(Filter(types=["summary"], sessions=[session]), limit=MOST).records:
            if record.id not in self.rows and record.scope == scope:
                assert isinstance(record, Observation)
                quoted = [self.rows[id] for id in record.evidence]
                assert quoted
                assert {row.session for row in quoted} == {session}
                assert (record.classification is Classification.CONFIDENTIAL) is any(
                    row.classification is Classification.CONFIDENTIAL for row in quoted
                )
                known = Row(
                    id=record.id,
                    scope=scope,
                    text=record.text,
                    session=session,
                    type="summary",
                    title=record.title,
                    classification=record.classification,
                    touched=self.steps,
                )
                self._add(reader.get(record.id), known)

    # Reading

    @rule(caller=callers, pick=picks)
    def look_up(self, caller: Caller, pick: int) -> None:
        id, memory = self._id(pick), self.doors[caller]
        row = self.rows.get(id)
        if row is None or not sees(caller, row):
            self._refused((NotFound,), lambda: memory.explain("anything", id))
        if row is None or not sees(caller, row) or row.deleted:
            assert find_sync(memory, id) is None
            self._refused((NotFound,), lambda: memory.get(id))
            self._refused((NotFound,), lambda: memory.timeline.around(id))
            self._refused((NotFound,), lambda: memory.save("It rests on that", evidence=[id]))
            return
        check_same(memory.get(id), row)
        assert memory.explain(row.text, id).stage == "recalled"
        self._check_timeline(caller, row)

    @precondition(lambda self: bool(self.texts))
    @rule(caller=callers, pick=picks)
    def recall_a_word(self, caller: Caller, pick: int) -> None:
        self._check_recall(caller, self.texts[pick % len(self.texts)])

    @invariant()
    def one_scope_after_the_other_sees_what_it_should(self) -> None:
        self.steps += 1
        self._check_list(CALLERS[self.steps % len(CALLERS)])

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
        row.said = next(self.sayings)
        self.rows[row.id] = row
        self.ever.append(row.id)
        check_same(record, row)

    def _claims(self, caller: Caller) -> list[Row]:
        return [row for row in self._active(caller) if row.scope == caller.scope and not row.is_message]

    def _active(self, caller: Caller) -> list[Row]:
        return [row for row in self.rows.values() if sees(caller, row) and not row.deleted]

    def _own(self, caller: Caller, id: str) -> tuple[Row | None, tuple[type[RemembrancerError], ...]]:
        """The row, where a scope may change it, else the errors that it may get."""
        row = self.rows.get(id)
        if row is None or not sees(caller, row):
            return None, (NotFound,)
        if row.scope != caller.scope:
            return None, (NotAllowed, NotFound) if row.deleted else (NotAllowed,)
        return row, ()

    def _change(
        self,
        row: Row,
        *,
        text: str,
        title: str,
        type: str,
        tags: tuple[str, ...],
        classification: Classification = Classification.INTERNAL,
    ) -> bool:
        after = (text, title, type, tags, most_restrictive([row.classification, classification]))
        if after == (row.text, row.title, row.type, row.tags, row.classification):
            return False
        if text != row.text:
            # It is said now, and stands there in its session.
            row.said = next(self.sayings)
        row.text, row.title, row.type, row.tags, row.classification = after
        row.touched = self.steps
        row.revision += 1
        return True

    def _erased_messages(self) -> bool:
        """Whether a gap in the numbers is to be told of, because a message was erased."""
        given = sum(sum(known.counts.values()) for known in self.sessions.values())
        return given > sum(row.is_message for row in self.rows.values())

    def _refused(self, errors: tuple[type[RemembrancerError], ...], call: Callable[[], object]) -> None:
        with pytest.raises(errors):
            call()

    def _check_visible(self, caller: Caller, records: Sequence[Record]) -> None:
        assert len({record.id for record in records}) == len(records)
        for record in records:
            row = self.rows[record.id]
            assert sees(caller, row)
            assert not row.deleted
            check_same(record, row, listed=True)

    def _check_recall(self, caller: Caller, text: str) -> None:
        word = text.split()[-1]
        recalled = self.doors[caller].recall(RecallRequest(question=word, limit=MOST, record_access=False))
        found = [hit.record for hit in (*recalled.hits, *recalled.nearest)]
        self._check_visible(caller, found)
        expected = {row.id for row in self._active(caller) if word in row.text}
        assert {record.id for record in found if word in record.text} == expected
        assert not (expected and recalled.abstained)

    def _check_list(self, caller: Caller) -> None:
        records = self.doors[caller].list(Filter(statuses=["active", "soft-deleted"]), limit=MOST).records
        rows = [row for row in self.rows.values() if sees(caller, row)]
        assert {record.id for record in records} == {row.id for row in rows}
        assert len(records) == len(rows)
        for record in records:
            check_same(record, self.rows[record.id], listed=True)
        listed = self.doors[caller].list(limit=MOST).records
        assert [record.id for record in listed] == [record.id for record in records if not self.rows[record.id].deleted]

    def _check_timeline(self, caller: Caller, row: Row) -> None:
        around = self.doors[caller].timeline.around(row.id, before=MOST, after=MOST)
        check_same(around.record, row, listed=True)
        self._check_visible(caller, [*around.before, *around.after])
        session = [
            other.id
            for other in sorted(self.rows.values(), key=lambda other: other.said)
            if other.scope == row.scope
            and sees(caller, other)
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
            super().__init__(
                SyncMemory(":memory:", embedder=HashEmbedder(), background=False, observe_scope=NOTHING_NOTED)
            )

    run_state_machine_as_test(InMemory, settings=steps(examples=5, count=25))


def test_any_sequence_of_calls_on_a_server(database: Database) -> None:
    class OnAServer(MemoryMachine):
        def __init__(self) -> None:
            emptied(database)
            url = database.serving_url
            super().__init__(
                SyncMemory(
                    url, secret_key=SECRET, embedder=HashEmbedder(), background=False, observe_scope=NOTHING_NOTED
                )
            )

    run_state_machine_as_test(OnAServer, settings=steps(examples=2, count=20))
