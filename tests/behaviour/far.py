"""The same memory by way of the service: what a test asks of it crosses REST, in this process and without a network."""

import os
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx2
from anyio.to_thread import run_sync

from remembrancer import Client, Memory, Scope
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.types.scope import LOCAL

# What is not the same by way of a service, or is asked of the engine behind the memory.
NEAR: dict[str, str] = {
    **dict.fromkeys(
        (
            "test_a_save_says_created_then_deduped_and_hashes_what_it_stored",
            "test_the_hash_is_of_the_text_without_its_private_part",
            "test_an_edit_changes_what_it_names_and_keeps_the_earlier_wording",
            "test_a_secret_is_masked_in_every_string_and_its_kind_is_noted",
            "test_lists_searches_and_starts_tell_no_hash_and_get_does",
            "test_no_list_of_any_door_tells_a_hash",
            "test_the_sizes_hold_one_another",
        ),
        "hashes do not cross",
    ),
    **dict.fromkeys(
        (
            "test_a_block_of_recalled_text_is_kept_as_a_reference_and_not_recalled_again",
            "test_a_forged_block_is_recalled_like_any_text",
            "test_a_block_in_a_value_is_a_reference_and_goes_with_what_it_told",
            "test_an_echo_that_is_reworded_is_recalled",
            "test_explain_names_the_rank_or_the_stage_at_which_a_memory_was_lost",
            "test_the_words_of_a_tool_are_marked_wherever_they_are_recalled",
            "test_no_character_begins_a_line_of_a_block",
            "test_a_message_that_quotes_memory_brings_nothing_back",
            "test_what_is_brought_to_a_prompt_has_the_same_form",
            "test_what_says_the_same_is_told_once",
            "test_as_much_is_told_as_fits_and_less_in_a_small_window",
        ),
        "`block` waits for a service without giving way, which these tests forbid",
    ),
    **dict.fromkeys(
        (
            "test_a_block_as_of_a_time_is_the_one_that_was_served_then",
            "test_each_message_is_told_once_at_every_turn",
            "test_within_any_window_each_message_is_told_once_and_nothing_else_is_dropped",
            "test_all_sessions_of_a_scope_may_be_one_conversation",
        ),
        "the engine is asked beside the memory",
    ),
    "test_a_recall_without_a_trace_leaves_none": "the service writes down that requests were done",
    "test_what_is_out_of_range_is_refused": "a stream is refused with its first piece",
    "test_what_nobody_reads_to_its_end_is_not_recorded": "this way of asking reads a stream to its end",
    "test_a_stream_that_is_left_is_paid_as_far_as_it_came": "this way of asking reads a stream to its end",
}
"""Tests by their names, and why each is of the library alone."""
FAR = os.environ.get("REMEMBRANCER_DOOR") == "rest"


async def maybe_far(memory: Memory, stack: AsyncExitStack) -> Memory:
    """A memory as it is, or as a client of a service has it where the tests are to go through REST."""
    return await far(memory, stack) if FAR else memory


async def far(memory: Memory, stack: AsyncExitStack) -> Client:
    """A client of a service of a memory, in that memory's scope."""
    caller = memory.caller
    serving = ServiceOptions(rate=1_000_000, seconds=600)
    whole = replace(caller, scope=Scope(tenant=LOCAL))
    app = await run_sync(make_app, memory.authenticator.memory_of(whole), serving)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    http = await stack.enter_async_context(httpx2.AsyncClient(transport=transport, base_url="http://localhost"))
    scope = caller.scope

    def made() -> Client:
        return Client(
            "http://localhost",
            tenant=scope.tenant,
            project=scope.project,
            agent=scope.agent,
            user=scope.user,
            clearance=caller.clearance.value,
            retries=0,
        )

    client = await run_sync(made)
    await client.transport.http.aclose()
    client.transport = replace(client.transport, http=http)
    client.caller = caller
    return client
