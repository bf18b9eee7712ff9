"""Requests that are done once, and jobs: long work that goes on beside."""

import io
import json
from dataclasses import replace
from datetime import timedelta

import anyio
import pytest

from remembrancer import Conflict, InvalidInput, Memory, NotAllowed, NotFound, Scope, StoreUnavailable
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.types.jobs import HEARTBEAT_TIMEOUT, Job, JobState, JobWork

from .opener import Opener
from .requirements import requirement
from .world import World

pytestmark = pytest.mark.anyio
SOON = timedelta(minutes=1)


def chat(turns: int) -> ChatFile:
    lines = [json.dumps({"role": "user", "content": f"the {turn}th heron came by at noon"}) for turn in range(turns)]
    return ChatFile.of(io.BytesIO("\n".join(lines).encode()), name="chat.jsonl")


async def ended(memory: Memory, job: Job) -> Job:
    with anyio.fail_after(30):
        while (found := await memory.admin.jobs.get(job.id)).state is JobState.RUNNING:  # noqa: ASYNC110 -- looked at from outside
            await anyio.sleep(0.01)
    return found


@requirement("requests.done-once")
async def test_a_request_is_answered_as_it_was_before(opener: Opener) -> None:
    memory = await opener()
    authenticator, caller = memory.authenticator, memory.caller
    assert await authenticator.begin(caller, "k", "save tea", runs_for=SOON) is None
    with pytest.raises(StoreUnavailable, match="still runs"):
        await authenticator.begin(caller, "k", "save tea", runs_for=SOON)
    await authenticator.store_response(caller, "k", "save tea", status=201, body='{"id": 1}')
    again = await authenticator.begin(caller, "k", "save tea", runs_for=SOON)
    assert again is not None
    assert (again.status, again.body) == (201, '{"id": 1}')
    with pytest.raises(Conflict, match="another request"):
        await authenticator.begin(caller, "k", "save coffee", runs_for=SOON)


@requirement("requests.done-once", "requests.of-one-caller")
async def test_a_request_is_of_one_caller_and_one_scope(opener: Opener) -> None:
    memory = await opener()
    authenticator, caller = memory.authenticator, memory.caller
    await authenticator.begin(caller, "k", "save tea", runs_for=SOON)
    await authenticator.store_response(caller, "k", "save tea", status=201, body="mine")
    low = authenticator.narrow(caller, caller.scope, clearance="public")
    ana = authenticator.narrow(caller, Scope(user="ana"))
    assert await authenticator.begin(low, "k", "save tea", runs_for=SOON) is None
    assert await authenticator.begin(ana, "k", "save tea", runs_for=SOON) is None


@requirement("requests.done-once")
async def test_a_request_that_was_left_by_a_dead_process_or_failed_may_be_sent_again(world: World) -> None:
    authenticator, caller = world.memory.authenticator, world.memory.caller
    assert await authenticator.begin(caller, "k", "save tea", runs_for=SOON) is None
    world.clock.move(SOON)
    assert await authenticator.begin(caller, "k", "save tea", runs_for=SOON) is None
    await authenticator.store_response(caller, "k", "save tea", status=0, body="")
    assert await authenticator.begin(caller, "k", "save tea", runs_for=SOON) is None


@requirement("jobs.progress")
async def test_an_import_goes_on_beside_and_says_what_came_of_it(opener: Opener) -> None:
    memory = await opener()
    job = await memory.admin.jobs.start("import", file=chat(30))
    done = await ended(memory, job)
    assert (done.state, done.done, done.counts["created"]) == (JobState.DONE, 30, 30)
    assert done.ended_at is not None
    assert [one.id for one in await memory.admin.jobs.list()] == [job.id]
    stranger = memory.within(Scope(tenant="globex"))
    assert await stranger.admin.jobs.list() == []
    for act in (stranger.admin.jobs.get, stranger.admin.jobs.cancel):
        with pytest.raises(NotFound):
            await act(job.id)


@requirement("jobs.progress")
async def test_a_job_that_fails_says_why_without_any_text(opener: Opener) -> None:
    memory = await opener()
    broken = ChatFile.of(io.BytesIO(b'{"role": "user", "content": "secret heron"'), name="chat.jsonl")
    failed = await ended(memory, await memory.admin.jobs.start("import", file=broken))
    assert (failed.state, failed.failure) == (JobState.FAILED, "InvalidInput")
    assert failed.message
    assert "heron" not in failed.message


@requirement("jobs.cancelled")
async def test_a_job_ends_when_asked_for_and_keeps_what_was_done(on_disk: Opener) -> None:
    memory = await on_disk()
    job = await memory.admin.jobs.start("import", file=chat(20_000))
    await memory.admin.jobs.cancel(job.id)
    found = await ended(memory, job)
    assert found.state is JobState.CANCELLED
    assert (await memory.admin.jobs.cancel(job.id)).state is JobState.CANCELLED
    again = await ended(memory, await memory.admin.jobs.start("import", file=chat(30)))
    assert again.counts["created"] + again.counts["deduped"] == 30


@requirement("jobs.lost-is-said")
async def test_a_job_whose_process_has_died_is_lost(world: World) -> None:
    memory = world.memory
    now = world.clock.now()
    job = Job(id="j", scope=memory.scope, work=JobWork.IMPORT, started_at=now, heartbeat_at=now)
    await world.store.put_job(job)
    assert (await memory.admin.jobs.get("j")).state is JobState.RUNNING
    world.clock.move(HEARTBEAT_TIMEOUT + timedelta(seconds=1))
    assert (await memory.admin.jobs.get("j")).state is JobState.LOST


@requirement("jobs.alone")
async def test_a_job_that_breaks_off_ends_alone(opener: Opener, caplog: pytest.LogCaptureFixture) -> None:
    memory = await opener()
    broken = replace(chat(3), open=lambda: 1 / 0)  # pyright: ignore[reportArgumentType] -- it fails when it is read
    failed = await ended(memory, await memory.admin.jobs.start("import", file=broken))
    assert (failed.state, failed.failure, failed.message) == (
        JobState.FAILED,
        "ZeroDivisionError",
        "unexpected error; see the log",
    )
    assert "ZeroDivisionError" in caplog.text
    assert (await ended(memory, await memory.admin.jobs.start("import", file=chat(2)))).state is JobState.DONE


@requirement("jobs.rights")
async def test_a_job_takes_the_right_for_its_work(opener: Opener) -> None:
    memory = await opener()
    made = await memory.admin.keys.create("writer", rights=["read", "write"])
    writer = memory.authenticator.memory_of(await memory.authenticator.authenticate(made.token, origin="rest"))
    assert (await ended(writer, await writer.admin.jobs.start("import", file=chat(2)))).state is JobState.DONE
    for work in ("nightly", "embed", "reembed", "reindex"):
        with pytest.raises(NotAllowed):
            await writer.admin.jobs.start(work)
    with pytest.raises(InvalidInput, match="needs a file"):
        await memory.admin.jobs.start("import")
