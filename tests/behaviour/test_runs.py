"""A run that is over: what it did becomes episodes, and its partial results go with it."""

import pytest

from remembrancer import InvalidInput, SyncMemory
from remembrancer.context.working_memory import WorkingMemory

from .requirements import requirement


@pytest.fixture
def run() -> WorkingMemory:
    run = WorkingMemory("answer the mail of Bertelli on order 7")
    run.step("looked up order 7")
    run.result("it is two days late")
    run.approval("send the reply", approved=False)
    return run


@requirement("learning.runs")
@pytest.mark.parametrize(("ended", "outcome"), [("done", "done"), ("failed", "exception"), ("rolled back", "rejected")])
def test_a_run_that_is_over_leaves_its_steps_approvals_and_end(run: WorkingMemory, ended: str, outcome: str) -> None:
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        told = [saved.record for saved in memory.episodes.end_run(run, ended, contact="Bertelli")]
        assert [(one.text, one.details.outcome.value) for one in told] == [
            ("looked up order 7", "done"),
            ("send the reply", "rejected"),
            (f"run {ended}: 1 step, 1 result, 1 approval, 1 refused", outcome),
        ]
        assert {one.details.contact for one in told} == {"bertelli"}


@requirement("learning.runs")
def test_what_a_run_was_for_is_content_and_goes_with_it() -> None:
    run = WorkingMemory("From: b@x.it\nSubject: Order 7\n\nWhere is my order?")
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        (counted,) = memory.episodes.end_run(run)
        assert counted.record.text == "run done: no entries"
        (told,) = memory.episodes.end_run(run, summary="answered a mail about an order")
        assert told.record.text == "answered a mail about an order"


@requirement("learning.runs")
def test_a_long_step_is_told_by_its_beginning(run: WorkingMemory) -> None:
    run.step("went through the mails of the week " * 9)
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        assert memory.episodes.end_run(run)[2].record.text.endswith(" …")


@requirement("learning.runs")
def test_an_end_that_is_none_is_refused_and_nothing_recorded(run: WorkingMemory) -> None:
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        with pytest.raises(InvalidInput, match="rolled back"):
            memory.episodes.end_run(run, "over")
        assert memory.episodes.list() == []
