"""Signing in to the console, and attacks on its sessions, forms and frames."""

from datetime import timedelta
from pathlib import Path

import pytest

from remembrancer import Scope
from remembrancer.assembly import engine
from remembrancer.service.console.gate import SECURITY_HEADERS
from remembrancer.testing import FakeClock

from .conftest import Browser, Consoled, address_of, consoled, filled, plain

pytestmark = pytest.mark.anyio
OUT = "/console/sign-in?next="


async def test_no_key_is_needed_before_the_first_one_and_one_is_after(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    assert "without a sign-in" in await browser.open("")
    token = await console.key(rights=["read", "operate"])
    found = await browser.http.get("/console/memories?kinds=message")
    assert (found.status_code, found.headers["location"]) == (303, f"{OUT}%2Fconsole%2Fmemories%3Fkinds%3Dmessage")
    answer = await browser.http.post(found.headers["location"], data={"key": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/memories?kinds=message")
    assert "Signed in as guest" in plain(await browser.open("/memories"))


async def test_a_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(console: Consoled) -> None:
    token = await console.key()
    for base, secure in (("http://localhost", False), ("https://memory.example", True), ("http://10.0.0.1", True)):
        browser = console.browser(base_url=base)
        async with browser.http:
            cookie = (await browser.sign_in(token)).headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "path=/console" in cookie
        assert ("secure" in cookie) is secure
        assert token.lower() not in cookie, "the key itself is not in it"


async def test_a_session_of_an_attacker_does_not_become_that_of_a_person(console: Consoled, browser: Browser) -> None:
    token = await console.key()
    browser.http.cookies.set("remembrancer_session", "chosen.by.an.attacker", path="/console")
    cookie = (await browser.sign_in(token)).headers["set-cookie"]
    assert "chosen" not in cookie
    other = console.browser()
    async with other.http:
        again = (await other.sign_in(token)).headers["set-cookie"]
    assert cookie.partition(";")[0] != again.partition(";")[0], "each session has its own value"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """The clock of the store, which moves by hand."""
    made = FakeClock()
    monkeypatch.setattr(engine, "SystemClock", lambda: made)
    return made


async def test_a_session_ends_with_its_key_and_its_time(clock: FakeClock, tmp_path: Path) -> None:
    async with consoled(str(tmp_path / "m.db"), lifetime=timedelta(hours=2)) as console:
        for end in ("revoke", "rotate", "expire", "time", "forge"):
            created = await console.memory.admin.keys.create(end, rights=["read"], days=0.5)
            browser = console.browser()
            async with browser.http:
                await browser.sign_in(created.token)
                await browser.open("/memories")
                if end == "revoke":
                    await console.memory.admin.keys.revoke(created.key.id)
                elif end == "rotate":
                    await console.memory.admin.keys.rotate(created.key.id)
                elif end == "expire":
                    clock.move(timedelta(days=1))
                elif end == "time":
                    clock.move(timedelta(hours=2, seconds=1))
                else:
                    session = browser.http.cookies["remembrancer_session"]
                    browser.http.cookies.clear()
                    id, until, rest = session.split(".", 2)
                    forged = f"{id}.{int(until) + 9_999}.{rest}"
                    browser.http.cookies.set("remembrancer_session", forged, path="/console")
                clock.move(timedelta(seconds=2))
                found = await browser.http.get("/console/memories")
                assert (found.status_code, found.headers["location"].endswith("&ended=1")) == (303, True), end
                page = plain((await browser.http.get(found.headers["location"])).text)
                assert "Your session is over" in page


async def test_a_form_of_an_ended_session_changes_nothing(clock: FakeClock, console: Consoled) -> None:
    likes = await filled(console.memory)
    created = await console.memory.admin.keys.create("editor")
    browser = console.browser()
    async with browser.http:
        await browser.sign_in(created.token)
        token = await browser.token()
        await console.memory.admin.keys.rotate(created.key.id)
        clock.move(timedelta(seconds=2))
        sent = await browser.http.post(f"/console{address_of(likes)}", data={"form_token": token, "action": "wrong"})
        assert sent.status_code == 303
        assert sent.headers["location"] == f"{OUT}%2Fconsole&ended=1"
    assert (await console.memory.within(likes.scope).get(likes.id)).status == "active"


async def test_invalid_keys_are_refused_alike_and_then_for_a_while(console: Consoled, browser: Browser) -> None:
    token = await console.key()
    pages = set[str]()
    for wrong in ("", "rmb_x_y", token[:-1] + ("a" if token[-1] != "a" else "b"), "rmb_" + "0" * 18 + "_x"):
        answer = await browser.sign_in(wrong)
        assert answer.status_code == 401
        pages.add(answer.text)
    assert len(pages) == 1, "the reason is not revealed"
    statuses = {(await browser.sign_in("rmb_x_y")).status_code for _ in range(80)}
    assert 429 in statuses
    assert (await browser.sign_in(token)).status_code == 303, "a valid key still opens"


async def test_a_form_needs_the_token_of_its_person_and_its_own_site(console: Consoled) -> None:
    likes = await filled(console.memory)
    one, other = console.browser(), console.browser()
    address = f"/console{address_of(likes)}"
    async with one.http, other.http:
        await one.sign_in(await console.key())
        await other.sign_in(await console.key())
        foreign = await other.token()
        for data, headers in (
            ({"action": "wrong"}, {}),
            ({"action": "wrong", "form_token": "0" * 64}, {}),
            ({"action": "wrong", "form_token": foreign}, {}),
            ({"action": "wrong", "form_token": await one.token()}, {"origin": "https://evil.example"}),
            ({"action": "wrong", "form_token": await one.token()}, {"origin": "null"}),
        ):
            sent = await one.http.post(address, data=data, headers=headers)
            assert sent.status_code == 403, headers
        assert (await console.memory.within(likes.scope).get(likes.id)).status == "active"
        for path in ("/console/sign-out", "/console/theme"):
            assert (await one.http.post(path, data={})).status_code == 403
        right = {"action": "wrong", "form_token": await one.token()}
        assert (await one.http.post(address, data=right, headers={"origin": "http://localhost"})).status_code == 303
    assert (await console.memory.within(likes.scope).get(likes.id)).status == "rejected"


async def test_every_answer_has_the_headers_of_security(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    style = (await browser.open("")).partition('rel="stylesheet" href="')[2].partition('"')[0]
    for address in ("/console", "/console/nothing", "/console/memories?kinds=dream", "/console/sign-in", style):
        answer = await browser.http.get(address)
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS), address
        kept = "immutable" if address == style else "no-store"
        assert kept in answer.headers["cache-control"]
    assert "unsafe" not in SECURITY_HEADERS["content-security-policy"]
    assert "frame-ancestors 'none'" in SECURITY_HEADERS["content-security-policy"]


async def test_the_way_back_never_leads_to_another_site(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    elsewhere = ("https://evil.example/", "//evil.example", "/\\evil.example")
    for back in (*elsewhere, "/console/../evil", "/consoles", "/evil"):
        sent = await browser.send(address_of(likes), action="pin", back=back)
        target = sent.headers["location"]
        assert target.startswith(("/console/", "/console?")), back
        assert "evil.example" not in target
    token = await console.key()
    for next in (*elsewhere, "/console\\@evil.example"):
        answer = await browser.http.post("/console/sign-in", params={"next": next}, data={"key": token})
        assert answer.headers["location"] == "/console", next


async def test_a_name_that_leads_to_this_machine_is_refused_without_a_sign_in(console: Consoled) -> None:
    browser = console.browser(base_url="http://rebound.example")
    async with browser.http:
        page = plain(await browser.open("", 421))
        assert "answers only to localhost" in page


async def test_what_a_key_may_not_see_is_absent(console: Consoled) -> None:
    likes = await filled(console.memory)
    reader = console.browser()
    async with reader.http:
        await reader.sign_in(await console.key(user="ben", project="apollo", rights=["read"]))
        home = await reader.open("")
        assert "Operations" not in home
        assert "Governance" not in home
        memories = await reader.open("/memories")
        assert "kitchen of apollo" in memories
        assert "You’re wrong" not in memories
        assert "Delete" not in memories
        for address in ("", "/search?q=flight", "/conversations", "/timeline", "/diff", "/learning", "/ask?q=flight"):
            page = plain(await reader.open(address))
            assert "10:00" not in page, address
            assert "lisbon" not in page.lower(), address
        for address in (address_of(likes), f"/memories/{likes.id}", "/memories?user=ana", "/memories?tenant=acme"):
            assert "Nothing is here" in plain(await reader.open(address, 404)), address
        for address in (
            "/operations?count=1",
            "/governance/audit",
            "/governance/keys",
            "/governance/erasure",
            "/costs",
        ):
            page = plain((await reader.http.get(f"/console{address}")).text)
            assert "10:00" not in page
            assert "lisbon" not in page.lower()
        assert (await reader.http.get("/console/governance/keys")).status_code == 403
        sent = await reader.send("/governance/keys", 403, action="create", name="mine", rights="operate")
        assert "lacks the right" in plain(sent.text)


async def test_an_export_of_a_reader_has_what_the_pages_have(console: Consoled) -> None:
    await filled(console.memory)
    reader = console.browser()
    async with reader.http:
        await reader.sign_in(await console.key(user="ben", project="apollo", rights=["read"]))
        found = await reader.http.get("/console/governance/export?form=jsonl")
        assert found.headers["content-disposition"] == "attachment; filename=memories.jsonl"
        assert "kitchen of apollo" in found.text
        assert "Lisbon" not in found.text


async def test_other_tenants_are_for_operators_of_the_store(console: Consoled, browser: Browser) -> None:
    await console.memory.within(Scope(tenant="acme")).save("Acme ships on Fridays")
    assert "Acme ships" in await browser.open("/memories?tenant=acme")
    assert "acme" in plain(await browser.open("/governance"))
    keyed = console.browser()
    async with keyed.http:
        created = await console.memory.within(Scope(tenant="acme")).admin.keys.create(
            "acme", rights=["read", "operate"]
        )
        await keyed.sign_in(created.token)
        assert "Acme ships" in await keyed.open("/memories")
        await keyed.open("/memories?tenant=local", 404)
        assert "Tenants" not in plain(await keyed.open("/governance"))


@pytest.mark.parametrize("console", [{"keys_only": True}], indirect=True)
async def test_beyond_this_machine_a_sign_in_is_needed_even_before_the_first_key(browser: Browser) -> None:
    assert (await browser.http.get("/console")).headers["location"] == f"{OUT}%2Fconsole"


@pytest.mark.parametrize("console", [{"sign_in": False}], indirect=True)
async def test_a_local_file_needs_no_sign_in_even_with_keys(console: Consoled, browser: Browser) -> None:
    await console.key()
    assert "without a sign-in" in await browser.open("")
