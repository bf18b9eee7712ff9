"""What people do with the console, each as one walk through it in a browser."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from remembrancer import Memory, NewMessage, Scope
from remembrancer.jobs.maintenance import runner
from remembrancer.types.jobs import MaintenanceStep
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Observation
from tests.surfaces.console.conftest import ANA, filled

from .stage import PHONE, Stage, at

OF_ANA = f"agent={ANA.agent}&user={ANA.user}"
AT_ANA = at(agent="travel", user="ana")
PAGES = (
    "",
    "/search?q=Which+flight+suits+Ana%3F",
    "/search/compare?q=flight",
    "/conversations",
    "/memories",
    "/learning",
    "/learning?part=rules",
    "/learning?part=review",
    "/learning?part=records&tier=raw",
    "/learning?part=nights",
    "/timeline",
    "/graph",
    "/graph?name=Ana",
    "/diff",
    "/ask?q=flight",
    "/operations?count=1",
    "/costs",
    "/governance?count=1",
    "/governance/retention",
    "/governance/holds",
    "/governance/erasure?user=ana",
    "/governance/audit",
    "/governance/archives",
    "/governance/export",
    "/governance/keys",
    "/scopes",
)


def pages(likes: Observation) -> list[str]:
    """The addresses of every page, those of a scope in that of Ana."""
    signed = [f"{path}{'&' if '?' in path else '?'}{OF_ANA}" for path in PAGES]
    return [*signed, f"/conversation?session=lisbon&at={AT_ANA}&turn=2", f"/memories/{likes.id}?at={AT_ANA}"]


def first_run(stage: Stage) -> None:
    """An empty store says what to do; a file of chats is imported, and can be read."""
    page = stage.person()
    page.goto("/console")
    expect(page.get_by_role("heading", name="Nothing is stored in this scope yet")).to_be_visible()
    chats = stage.downloads / "chats.jsonl"
    chats.write_text('{"role": "user", "content": "I moved to Porto", "session": "first"}\n')
    page.get_by_role("link", name="Import a file here").click()
    page.get_by_label("File").last.set_input_files(chats)
    page.get_by_role("button", name="Import", exact=True).last.click()
    expect(page.get_by_role("status")).to_contain_text("1 new")
    page.get_by_role("link", name="Conversations").click()
    page.get_by_role("link", name=re.compile("first|chats")).first.click()
    expect(page.get_by_text("I moved to Porto").first).to_be_visible()


def why_did_it_say_that(stage: Stage) -> None:
    """From a memory that was found to the message that it came from, in three clicks."""
    stage.memory(filled)
    page = stage.person()
    page.goto(f"/console/search?q=When+does+Ana+fly%3F&{OF_ANA}")
    page.get_by_role("link", name="Ana flies after 10:00 only, never earlier").first.click()
    why = page.locator("section", has=page.get_by_role("heading", name="Why it is believed"))
    why.get_by_role("link", name="I moved to Lisbon, and I cannot stand early flights.").click()
    page.get_by_role("link", name="Open the conversation").click()
    expect(page.locator(".turn.here")).to_contain_text("I cannot stand early flights.")


def wrong_is_gone_and_undone(stage: Stage) -> None:
    """A wrong memory leaves contexts at once with what rests on it, and comes back."""
    likes = stage.memory(filled)

    async def context(memory: Memory) -> str:
        return (await memory.within(ANA).context(task="Book a flight for Ana")).text

    assert "Ana flies after 10:00" in stage.memory(context)
    page = stage.person()
    page.goto(f"/console/memories?{OF_ANA}&kinds=observation")
    card = page.locator(f"#m-{likes.id}")
    card.get_by_role("button", name="You’re wrong").click()
    expect(page.get_by_role("status").first).to_contain_text("1 derived memory went with it")
    assert "Ana flies after 10:00" not in stage.memory(context)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("the memory is back")
    assert "Ana flies after 10:00" in stage.memory(context)


def review_and_approve(stage: Stage) -> None:
    """Notes that wait for a person are read, approved, and then used."""

    async def observed(memory: Memory) -> None:
        await memory.record("I prefer the window seat, and I never fly before ten.", session="talk")
        await memory.notes.observe("talk")

    stage.memory(observed)
    page = stage.person()
    page.goto("/console")
    page.get_by_role("link", name="1 notes to approve").click()
    expect(page.get_by_text("window seat").first).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status").first).to_contain_text("Approved")
    expect(page.get_by_role("heading", name="Nothing waits for approval")).to_be_visible()


def erase_a_person(stage: Stage) -> None:
    """A person is found, planned, erased with a typed name, and the receipt is downloaded."""
    stage.memory(filled)
    page = stage.person()
    page.goto("/console/governance/erasure")
    page.get_by_label("Name of the person").fill("Clara")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_text("sister").first).to_be_visible()
    page.get_by_label("Of", exact=True).select_option("user")
    page.get_by_label("Name", exact=True).fill("ana")
    page.get_by_role("button", name="Show what would be erased").click()
    expect(page.get_by_text("user ana").first).to_be_visible()
    page.get_by_label("Reason, for the audit log").fill("she asked for it")
    page.get_by_label("Type ana to confirm").fill("ann")
    page.get_by_role("button", name="Erase", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was erased")
    page.go_back()
    page.get_by_label("Reason, for the audit log").fill("she asked for it")
    page.get_by_label("Type ana to confirm").fill("ana")
    page.get_by_role("button", name="Erase", exact=True).click()
    expect(page.get_by_text("nothing is left")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the receipt").click()
    receipt = json.loads(Path(download.value.path()).read_text())
    assert (receipt["subject"], receipt["found"]) == ("user", 0)

    async def left(memory: Memory) -> int:
        return len((await memory.within(ANA).list()).records)

    assert stage.memory(left) == 1, "the shared memory stays"


def a_key_without_rights(stage: Stage) -> None:
    """A person with a key for reading sees their own memories and nothing to change."""

    async def prepared(memory: Memory) -> str:
        await filled(memory)
        created = await memory.within(Scope(project="apollo", user="ben")).admin.keys.create("ben", rights=["read"])
        return created.token

    token = stage.memory(prepared)
    page = stage.person()
    signed_in(page, token)
    expect(page.get_by_text("Signed in as ben")).to_be_visible()
    for name in ("Operations", "Governance"):
        expect(page.get_by_role("link", name=name)).to_have_count(0)
    page.get_by_role("link", name="Memories").click()
    expect(page.get_by_text("The kitchen of apollo needs paint")).to_be_visible()
    expect(page.get_by_role("button", name="You’re wrong")).to_have_count(0)
    expect(page.get_by_text("early flights")).to_have_count(0)
    page.goto("/console/governance/keys")
    expect(page.get_by_role("alert")).to_contain_text("lacks the right")
    page.goto("/console/memories?user=ana")
    expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()


def an_expired_session(stage: Stage) -> None:
    """A form after the end of a session changes nothing, and leads to the sign-in."""

    async def prepared(memory: Memory) -> tuple[str, str, str]:
        likes = await filled(memory)
        created = await memory.admin.keys.create("operator", rights=["read", "write", "learn", "operate"])
        return created.token, created.key.id, likes.id

    token, key, id = stage.memory(prepared)
    page = stage.person()
    signed_in(page, token)
    page.goto(f"/console/memories/{id}?at={AT_ANA}")

    async def revoked(memory: Memory) -> None:
        await memory.admin.keys.revoke(key)

    stage.memory(revoked)
    page.wait_for_timeout(1_200)
    page.get_by_role("button", name="You’re wrong").first.click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("Your session is over. Nothing was changed")

    async def status(memory: Memory) -> Status:
        return (await memory.within(ANA).get(id)).status

    assert stage.memory(status) is Status.ACTIVE


def two_tabs(stage: Stage) -> None:
    """Of two people who edit the same memory, the second is told that it has changed."""
    likes = stage.memory(filled)
    page = stage.person()
    other = stage.tab(page)
    for one in (page, other):
        one.goto(f"/console/memories/{likes.id}?at={AT_ANA}")
        one.get_by_text("Edit", exact=True).click()
    page.get_by_label("Text").fill("Ana flies after noon")
    page.get_by_role("button", name="Save a new version").click()
    expect(page.get_by_role("status").first).to_contain_text("Changed")
    other.get_by_label("Text").fill("Ana flies at night")
    other.get_by_role("button", name="Save a new version").click()
    expect(other.get_by_role("alert")).to_contain_text("read it again")
    other.go_back()
    expect(other.get_by_label("Text")).to_have_value("Ana flies at night")


def the_back_button(stage: Stage) -> None:
    """A filter stays in the address, also after a look at a memory."""
    stage.memory(filled)
    page = stage.person()
    page.goto("/console/memories")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Kind").select_option("observation")
    page.get_by_label("Tags").fill("travel")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".cards .card")).to_have_count(1)
    page.locator(".cards .card .text a").click()
    expect(page.get_by_role("heading", name="Why it is believed")).to_be_visible()
    page.go_back()
    expect(page.locator(".cards .card")).to_have_count(1)
    assert "tags=travel" in page.url
    page.go_back()
    assert "tags" not in page.url


def a_night_that_failed(stage: Stage) -> None:
    """A failed step of the maintenance is shown, and done again."""

    async def failing(memory: Memory) -> None:
        async def fails(_: object) -> None:
            raise AssertionError

        await filled(memory)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
            await memory.within(ANA).admin.maintenance.run()

    stage.memory(failing)
    page = stage.person()
    page.goto(f"/console/?{OF_ANA}")
    expect(page.get_by_text("failed: detect")).to_be_visible()
    page.get_by_role("link", name="All operations").click()
    row = page.locator("section", has=page.get_by_role("heading", name="Nights")).locator("tbody tr").first
    expect(row).to_contain_text("detect: AssertionError")
    row.get_by_role("button", name="Retry").click()
    jobs = page.locator("#joblist")
    expect(jobs.locator("tbody tr").first).to_contain_text("done", timeout=30_000)
    page.reload()
    row = page.locator("section", has=page.get_by_role("heading", name="Nights")).locator("tbody tr").first
    expect(row).not_to_contain_text("AssertionError")


def on_a_phone(stage: Stage) -> None:
    """On a narrow screen nothing is cut off, the menu opens, and a memory can be judged."""
    likes = stage.memory(filled)
    page = stage.person(viewport=PHONE, has_touch=True, is_mobile=True)
    for address in pages(likes):
        page.goto(f"/console{address}")
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, (address, wider)
    page.goto("/console")
    page.get_by_text("Menu", exact=True).tap()
    expect(page.get_by_role("link", name="Governance")).to_be_in_viewport()
    page.get_by_role("link", name="Memories").tap()
    page.locator(f"#m-{likes.id}").get_by_role("button", name="You’re right").tap()
    expect(page.get_by_role("status").first).to_contain_text("confirmed")


def by_keyboard_alone(stage: Stage) -> None:
    """Every step from the first page to a verdict works without a mouse."""
    stage.memory(filled)
    page = stage.person()
    page.goto(f"/console/?{OF_ANA}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    page.wait_for_url("**/search**")
    page.keyboard.press("/")
    page.keyboard.type("When does Ana fly?")
    page.keyboard.press("Enter")
    # Keys are heard once the page is loaded.
    page.wait_for_url("**q=When**")
    expect(page.get_by_role("heading", name=re.compile("hits"))).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/memories**")
    page.keyboard.press("j")
    for _ in range(40):
        if page.evaluate("document.activeElement.value === 'wrong' && document.activeElement.tagName === 'BUTTON'"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("You’re wrong")


def in_the_dark(stage: Stage) -> None:
    """Dark follows the browser, and a chosen theme stays."""
    page = stage.person(color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    page.goto("/console")
    dark = page.evaluate(colour)
    page.get_by_label("Theme").select_option("light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert page.evaluate(colour) != dark
    page.goto("/console/memories")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_label("Theme").select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate(colour) == dark


def back_in_time(stage: Stage) -> None:
    """A memory is read as it was, nothing can be changed there, and one link leads back."""

    async def prepared(memory: Memory) -> str:
        return (await memory.save("The office is in Bern", topic_key="office")).record.id

    id = stage.memory(prepared)
    page = stage.person()
    page.wait_for_timeout(1_000)
    before = datetime.now(UTC)
    page.wait_for_timeout(1_000)

    async def moved(memory: Memory) -> None:
        await memory.save("The office is in Basel", topic_key="office")

    stage.memory(moved)
    page.goto(f"/console/memories/{id}")
    expect(page.locator("blockquote")).to_contain_text("Basel")
    page.goto(f"/console/memories/{id}?as_of={before.isoformat().replace('+', '%2B')}")
    expect(page.locator("blockquote")).to_contain_text("Bern")
    expect(page.get_by_role("button", name="You’re wrong")).to_have_count(0)
    page.get_by_role("link", name="Memories").click()
    expect(page.get_by_text("The office is in Bern")).to_be_visible()
    page.get_by_role("link", name="Back to now").first.click()
    expect(page.get_by_text("The office is in Basel")).to_be_visible()
    page.get_by_text("As of", exact=True).click()
    page.get_by_label("Show the memory as of").fill((datetime.now(UTC) - timedelta(days=2)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_role("heading", name="No memories here yet")).to_be_visible()


def many_at_once(stage: Stage) -> None:
    """Several memories are deleted after a preview, and all come back."""
    stage.memory(filled)
    page = stage.person()
    page.goto(f"/console/memories?{OF_ANA}&kinds=message")
    page.get_by_label("All on this page").check()
    page.get_by_label("Action").select_option("delete")
    page.get_by_role("button", name="Preview for selected").click()
    expect(page.get_by_text("These memories would be deleted")).to_be_visible()
    expect(page.locator(".cards .card")).to_have_count(4)
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_role("status").first).to_contain_text("Deleted: 4 memories")
    expect(page.get_by_role("heading", name="No memory matches")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".cards .card")).to_have_count(4)


def edit_and_compare(stage: Stage) -> None:
    """An edit is a version, with what it changed."""
    likes = stage.memory(filled)
    page = stage.person()
    page.goto(f"/console/memories/{likes.id}?at={AT_ANA}")
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Text").fill("Ana flies after noon only, never earlier")
    page.get_by_role("button", name="Save a new version").click()
    expect(page.locator("blockquote")).to_have_text("Ana flies after noon only, never earlier")
    latest = page.locator(".versions li").first
    expect(latest.locator("ins")).to_have_text("noon")
    expect(latest.locator("del")).to_have_text("10:00")


def a_key_is_shown_once(stage: Stage) -> None:
    """A new key opens the console, is not shown again, and ends when it is revoked."""
    page = stage.person()
    page.goto("/console/governance/keys")
    page.get_by_label("Name of its holder").fill("ana's agent")
    page.get_by_label("operate").check()
    page.get_by_role("button", name="Create the key").click()
    token = page.locator("#newtoken").inner_text()
    assert token.startswith("rmb_")
    other = stage.person()
    signed_in(other, token)
    expect(other.get_by_text("Signed in as ana's agent")).to_be_visible()
    other.goto("/console/governance/keys")
    expect(other.locator("#newtoken")).to_have_count(0)
    other.get_by_text("Revoke…").click()
    other.get_by_role("button", name="Revoke ana's agent").click()
    other.wait_for_timeout(1_200)
    other.goto("/console")
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()


def archive_and_check(stage: Stage) -> None:
    """An archive is downloaded, and opens with its passphrase alone."""
    stage.memory(filled)
    page = stage.person()
    page.goto("/console/governance/archives")
    page.get_by_label("Passphrase").first.fill("correct horse battery")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the archive").click()
    path = stage.downloads / "copy.rmb"
    download.value.save_as(path)
    page.get_by_label("File").first.set_input_files(path)
    page.get_by_label("Passphrase").nth(1).fill("wrong horse battery")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("alert")).to_contain_text("passphrase")
    page.go_back()
    page.get_by_label("File").first.set_input_files(path)
    page.get_by_label("Passphrase").nth(1).fill("correct horse battery")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status").first).to_contain_text("The archive opens")


def in_and_out(stage: Stage) -> None:
    """A wrong key says so, the right one opens the page that was asked for, and signing out closes it."""

    async def prepared(memory: Memory) -> str:
        await filled(memory)
        return (await memory.admin.keys.create("operator", rights=["read", "operate"])).token

    token = stage.memory(prepared)
    page = stage.person()
    page.wait_for_timeout(1_200)
    page.goto("/console/memories?kinds=message")
    page.get_by_label("Access key").fill("rmb_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    page.get_by_label("Access key").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/memories?kinds=message")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("early flights")).to_have_count(0)


def turn_by_turn(stage: Stage) -> None:
    """The context of the agent follows the slider, without a reload."""
    stage.memory(talked)
    page = stage.person()
    page.goto(f"/console/conversation?session=lisbon&at={AT_ANA}")
    expect(page.get_by_role("heading", name="As the agent reads it now")).to_be_visible()
    page.evaluate("window.stays = true")
    page.locator("#turn").fill("3")
    expect(page.get_by_role("heading", name="As the agent reads it at turn 3")).to_be_visible()
    assert page.evaluate("window.stays")
    assert "turn=3" in page.url
    block = page.locator("pre.block")
    expect(block).to_contain_text("turn 3")
    expect(block).not_to_contain_text("turn 4")
    expect(page.get_by_text("of the text is the same as one turn earlier")).to_be_visible()


async def talked(memory: Memory) -> None:
    for turn in range(1, 9):
        await memory.within(ANA).record(NewMessage(text=f"This is turn {turn} of the talk", session="lisbon"))


def without_scripts(stage: Stage) -> None:
    """Without scripts a memory is judged, and the verdict undone."""
    likes = stage.memory(filled)
    page = stage.person(java_script_enabled=False)
    page.goto(f"/console/memories?{OF_ANA}&kinds=observation")
    page.locator(f"#m-{likes.id}").get_by_role("button", name="You’re wrong").click()
    expect(page.get_by_role("status").first).to_contain_text("went with it")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("status").first).to_contain_text("the memory is back")


def signed_in(page: Page, token: str) -> None:
    """Sign a person in."""
    # A service learns within a second that another process has made its first key.
    page.wait_for_timeout(1_200)
    page.goto("/console")
    page.get_by_label("Access key").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/console")


Journey = Callable[[Stage], None]
JOURNEYS: Mapping[str, Journey] = {
    one.__name__: one
    for one in (
        first_run,
        why_did_it_say_that,
        wrong_is_gone_and_undone,
        erase_a_person,
        an_expired_session,
        by_keyboard_alone,
        review_and_approve,
        a_key_without_rights,
        two_tabs,
        the_back_button,
        a_night_that_failed,
        on_a_phone,
        in_the_dark,
        back_in_time,
        many_at_once,
        edit_and_compare,
        a_key_is_shown_once,
        archive_and_check,
        in_and_out,
        turn_by_turn,
        without_scripts,
    )
}
GATE = tuple(JOURNEYS)[:6]
SETTINGS: Mapping[str, Mapping[str, str]] = {"review_and_approve": {"REMEMBRANCER_OBSERVE_REVIEW": "true"}}
"""Settings of the service, by journey."""
