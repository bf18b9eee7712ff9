"""Who comes in, by which name, from which page, how often; what health, readiness and numbers say to whom."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import anyio
import httpx2
import pytest

from remembrancer import Filter, Scope
from remembrancer.jobs.maintenance import runner
from remembrancer.service.rest.events import scope_events
from remembrancer.types.jobs import MaintenanceStep

from .conftest import House

pytestmark = pytest.mark.anyio


async def test_without_a_key_only_localhost_is_a_name_of_the_service(house: House) -> None:
    async with house.guest() as guest:
        assert (await guest.get("/v1/stats")).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", ""):
            assert (await guest.get("/v1/stats", headers={"Host": host})).status_code == 421
        for name in ("127.0.0.1:8077", "[::1]:8077", "localhost"):
            assert (await guest.get("/v1/stats", headers={"Host": name})).status_code == 200


async def test_pages_of_elsewhere_do_not_come_in(house: House) -> None:
    token = await house.key()
    async with house.guest(token) as guest:
        for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
            answer = await guest.get("/v1/stats", headers={"Origin": origin})
            assert (answer.status_code, answer.json()["code"]) == (403, "wrong-origin")
            assert "access-control-allow-origin" not in answer.headers
        assert (await guest.get("/v1/stats", headers={"Origin": "http://localhost:3000"})).status_code == 200


@pytest.mark.parametrize("house", [{"origins": ("https://app.example",)}], indirect=True)
async def test_a_page_that_is_set_comes_in(house: House) -> None:
    async with house.guest(await house.key()) as guest:
        asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        assert (await guest.options("/v1/recall", headers=asked)).status_code == 200
        answer = await guest.get("/v1/stats", headers={"Origin": "https://app.example"})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://app.example")


@pytest.mark.parametrize("house", [{"metrics_token": "a token"}], indirect=True)
async def test_numbers_are_closed_once_keys_are_needed_but_to_their_token(house: House) -> None:
    async with house.guest() as guest:
        assert (await guest.get("/metrics")).status_code == 200
        token = await house.key(rights=["read", "operate"])
        for shown, status in (("", 404), (token, 404), ("a tokem", 404), ("a token", 200)):
            headers = {"Authorization": f"Bearer {shown}"} if shown else {}
            assert (await guest.get("/metrics", headers=headers)).status_code == status
        assert (await guest.get("/health")).json() == {"status": "ok", "nights": True}
        assert (await guest.get("/ready")).json() == {
            "ready": True,
            "store": True,
            "databases": True,
            "replicas": True,
            "models": True,
            "nights": True,
        }


async def test_health_and_readiness_show_a_night_that_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_: object) -> None:
        raise AssertionError

    async def shown() -> list[bool]:
        return [(await guest.get(path)).json()["nights"] for path in ("/health", "/ready")]

    async with house.guest() as guest:
        with monkeypatch.context() as patch:
            patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
            assert (await guest.post("/v1/maintenance", json={})).json()["notes"] == ["failed: detect: AssertionError"]
        assert await shown() == [False, False]
        await guest.post("/v1/maintenance", json={})
        assert await shown() == [True, True]


async def test_who_tries_many_keys_is_to_wait(house: House) -> None:
    await house.key()
    async with house.guest("rmb_no_such") as guest:
        statuses = [(await guest.get("/v1/stats")).status_code for _ in range(60)]
    assert statuses[0] == 401
    assert statuses[-1] == 429


async def test_a_request_has_an_id_in_its_answer_and_in_what_is_told_of_it(house: House) -> None:
    async with house.guest(tenant="acme") as guest:
        named = await guest.get("/v1/memories/nobody", headers={"X-Request-ID": "mine-1"})
        made = await guest.get("/v1/stats", headers={"X-Request-ID": "not\tone" * 20})
    assert named.headers["X-Request-ID"] == named.json()["request_id"] == "mine-1"
    assert len(made.headers["X-Request-ID"]) == 16
    told = house.handled[0]
    assert (told.id, told.route, told.status, told.tenant) == ("mine-1", "get", 404, "acme")


async def test_whole_store_work_takes_an_operators_key(house: House) -> None:
    every = ["read", "write", "learn", "govern", "operate"]
    acme = house.memory.within(Scope(tenant="acme"))
    tenants = (await acme.admin.keys.create("acme", rights=every)).token
    ours = await house.key(rights=every)
    async with house.guest(tenants) as guest, house.guest(ours) as operator:
        for path in ("doctor", "index/rebuild"):
            assert (await guest.post(f"/v1/{path}", json={})).status_code == 403
            assert (await operator.post(f"/v1/{path}", json={})).status_code == 200
        assert (await guest.get("/v1/stats")).json()["bytes"] == 0
        assert (await operator.get("/v1/stats")).json()["bytes"] > 0


async def test_all_scopes_of_a_tenant_are_told_to_an_operators_key_of_all_of_it(house: House) -> None:
    acme = house.memory.within(Scope(tenant="acme"))
    await acme.within(Scope(tenant="acme", user="bob")).save("Bob likes tea")
    await house.memory.within(Scope(tenant="globex")).save("Of another tenant")
    keys = {
        "reader": (await acme.admin.keys.create("reader", rights=["read"])).token,
        "narrow": (await acme.admin.keys.create("narrow", user="bob", rights=["read", "operate"])).token,
        "operator": (await acme.admin.keys.create("operator", rights=["read", "operate"])).token,
        "both": await house.key("both", tenant="acme", tenants=["globex"], rights=["read", "operate"]),
    }
    lacks = {"reader": "the right 'operate'", "narrow": "of the tenant without a project, an agent and a user"}
    texts = {"acme": "Bob likes tea", "globex": "Of another tenant"}
    asked = [("reader", "acme"), ("narrow", "acme"), ("operator", "acme"), ("both", "acme"), ("both", "globex")]
    for name, tenant in asked:
        async with house.guest(keys[name], tenant=tenant) as guest:
            for path in ("/v1/memories", "/v1/export", "/v1/sessions"):
                answer = await guest.get(path, params={"all_scopes": True})
                if name in lacks:
                    assert (answer.status_code, lacks[name] in answer.json()["detail"]) == (403, True)
                else:
                    told = [text for text in texts.values() if text in answer.text]
                    assert (answer.status_code, told) == (200, [] if path == "/v1/sessions" else [texts[tenant]])


async def test_a_platform_key_makes_keys_for_other_tenants_and_each_opens_those_that_it_names(house: House) -> None:
    every = ["read", "write", "govern", "operate"]
    async with house.guest(await house.key("platform", rights=every)) as platform:
        asked = {"name": "bot", "tenant": "a", "tenants": ["b"], "rights": every}
        made = (await platform.post("/v1/keys", json=asked)).json()
        assert (made["key"]["scope"]["tenant"], made["key"]["tenants"]) == ("a", ["b"])
        assert [one["name"] for one in (await platform.get("/v1/keys", params={"tenant": "b"})).json()] == ["bot"]
        # It makes keys of a tenant, and does not open the tenant itself.
        assert (await platform.get("/v1/stats", headers={"X-Tenant-ID": "a"})).status_code == 404
    async with house.guest(made["token"]) as bot:
        saved = {
            tenant: (await bot.post("/v1/observations", json={"text": f"of {tenant}"}, headers={"X-Tenant-ID": tenant}))
            for tenant in ("a", "b")
        }
        ids = {tenant: answer.json()["record"]["id"] for tenant, answer in saved.items()}
        for named, own in (("a", "a"), ("b", "b"), ("", "a")):
            headers = {"X-Tenant-ID": named} if named else {}
            for tenant, id in ids.items():
                status = 200 if tenant == own else 404
                assert (await bot.get(f"/v1/memories/{id}", headers=headers)).status_code == status
        for absent in ("c", "local"):
            for path in ("/v1/stats", f"/v1/memories/{ids['a']}"):
                answer = await bot.get(path, headers={"X-Tenant-ID": absent})
                assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
        for given in ({"tenant": "b"}, {"tenants": ["b"]}, {"tenant": "c"}):
            assert (await bot.post("/v1/keys", json={"name": "more", "rights": ["read"], **given})).status_code == 403
        assert (await bot.post("/v1/keys", json={"name": "own", "rights": ["read"]})).status_code == 201
    assert {one.tenant for one in house.handled if one.key == "bot"} == {"a", "b"}


async def test_costs_are_told_to_no_key_of_one_user(house: House) -> None:
    rights = ["read", "govern"]
    async with house.guest(await house.key(user="ana", rights=rights)) as ana:
        assert (await ana.get("/v1/costs")).status_code == 403
    async with house.guest(await house.key(project="apollo", rights=rights)) as apollo:
        assert (await apollo.get("/v1/costs")).json()["budgets"] == []


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        ({"content": b'{"question": "x"}'}, 422, "Content-Type: application/json"),
        ({"content": b'{"question": "x"}', "headers": {"Content-Type": "text/plain"}}, 422, "Content-Type"),
        ({"content": b'{"question": "\xff"}', "headers": {"Content-Type": "application/json"}}, 400, "UTF-8"),
        ({"content": b'{"question": "x",}', "headers": {"Content-Type": "application/json"}}, 422, "body: is not JSON"),
        ({"json": {"question": "x", "filter": {"since": "2026-01-01"}}}, 422, "add Z"),
        ({"json": {"question": "x", "filter": {"since": "soon"}}}, 422, "is not a time"),
        ({"json": {"question": "x", "limit": True}}, 422, "not a truth value"),
        ({"json": {"question": "x", "filter": {"minimum_importance": True}}}, 422, "not a truth value"),
    ],
)
async def test_a_mistake_is_told_with_what_to_change(
    house: House, sent: dict[str, Any], status: int, told: str
) -> None:
    async with house.guest() as guest:
        answer = await guest.post("/v1/recall", **sent)
    assert (answer.status_code, answer.json()["retryable"]) == (status, False)
    assert told in answer.json()["detail"]


async def test_what_narrows_a_request_is_no_argument_of_its_operation(house: House) -> None:
    apollo = house.memory.within(Scope(project="apollo"))
    kept, other = await apollo.save("The heron nests"), await apollo.save("The otter sleeps")
    token = await house.key(rights=["read", "govern"])
    asked = {"memories": [kept.id], "reason": "it was asked for"}
    async with house.guest(token) as guest:
        answer = await guest.post("/v1/erasures", params={"project": "apollo"}, json=asked)
        assert answer.status_code == 200, answer.text
        alone = await guest.post("/v1/erasures", params={"project": "apollo"}, json={"reason": "it was asked for"})
        assert alone.status_code == 422
    assert [one.id for one in (await apollo.list()).records] == [other.id]


async def test_every_problem_says_whether_to_try_again(house: House) -> None:
    async with house.guest() as guest:
        for verb, path in (("GET", "/nope"), ("PUT", "/v1/observations"), ("GET", "/v1/memories/nobody")):
            assert (await guest.request(verb, path)).json()["retryable"] is False


async def test_a_file_that_has_grown_is_taken_up_where_it_ended(house: House) -> None:
    lines = [b'{"role": "user", "content": "hi"}', b'{"role": "assistant", "content": "hello"}']
    more = [*lines, b'{"role": "user", "content": "I moved to Porto"}']
    async with house.guest() as guest:
        counts = [
            (await guest.post("/v1/messages/import", params={"name": "chat.jsonl"}, content=b"\n".join(said))).json()
            for said in (lines, more, more)
        ]
        form = await guest.post("/v1/messages/import", files={"file": b"\n".join(lines)})
        bad = await guest.post("/v1/messages/import", content=b'{"role": "user", "content": "x"}\nnot JSON')
    assert [(one["created"], one["deduped"]) for one in counts] == [(2, 0), (1, 2), (0, 3)]
    assert (form.status_code, bad.status_code) == (422, 422)
    assert "the file itself" in form.json()["detail"]
    assert "the body, line 2" in bad.json()["detail"]
    assert "skip_bad" in bad.json()["detail"]


async def test_each_thing_that_happens_is_told_once_as_what_it_is(house: House) -> None:
    memory = house.memory
    told: list[tuple[str, str]] = []
    now = datetime.now(UTC)

    async def listen() -> None:
        async with aclosing(scope_events(memory, now, 0.01)) as events:
            async for event in events:
                if event.name:
                    told.append((event.name, event.data["kind"]))  # noqa: PERF401 -- as they come

    async def heard(count: int) -> None:
        with anyio.fail_after(10):
            while len(told) < count:  # noqa: ASYNC110 -- what is told is a list
                await anyio.sleep(0.01)
        # And nothing of it again.
        await anyio.sleep(0.1)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        id = (await memory.save("The heron nests.")).id
        await heard(1)
        await memory.edit(id, "The heron nests in April.")
        await heard(2)
        await memory.facts.set("tone", "formal")
        await heard(3)
        await memory.facts.end("tone")
        await heard(4)
        await memory.feedback(id, "wrong")
        await heard(5)
        tasks.cancel_scope.cancel()
    expected = [("learnt", "observation"), ("changed", "observation"), ("learnt", "fact"), ("retired", "fact")]
    assert [one for one in told if one[1] != "signal"] == [*expected, ("retired", "observation")]


async def test_personal_data_is_masked_unless_asked_for_and_allowed_by_the_key(house: House) -> None:
    text = "Ana pays with 4111 1111 1111 1111, ana@example.org, +41 44 668 18 00"
    id = (await house.memory.save(text)).id
    assert (await house.memory.get(id)).text == text
    async with house.guest() as nobody:
        assert "4111" not in (await nobody.get(f"/v1/memories/{id}")).text
        assert (await nobody.get(f"/v1/memories/{id}", params={"reveal": "true"})).json()["text"] == text
        assert (await nobody.get(f"/v1/memories/{id}", params={"reveal": "yes"})).status_code == 422
    plain = await house.key("plain")
    trusted = await house.key("trusted", rights=["read", "reveal"])
    asked = {"query_text": "How does Ana pay?"}
    for key, reveal, status, shows in (
        (plain, False, 200, False),
        (plain, True, 403, False),
        (trusted, False, 200, False),
        (trusted, True, 200, True),
    ):
        async with house.guest(key) as guest:
            params = {"reveal": "true"} if reveal else {}
            answers = [
                await guest.get(f"/v1/memories/{id}", params=params),
                await guest.get("/v1/memories", params=params),
                await guest.get("/v1/export", params=params),
                await guest.post("/v1/recall", params=params, json={"question": "How does Ana pay?"}),
                await guest.post("/v1/context", params=params, json={"question": "How does Ana pay?"}),
                await guest.post("/v1/memory/query", params=params, json=asked),
            ]
            for answer in answers:
                assert answer.status_code == status
                for data_type in ("4111", "ana@example.org", "668 18 00"):
                    assert (data_type in answer.text) is shows


async def test_a_file_is_read_in_the_form_and_the_time_zone_of_the_request(house: House) -> None:
    chat = b"[01.02.26, 10:00:00] Ana: See you at the pier\n"
    async with house.guest() as guest:

        async def sent(path: str = "messages", **query: str) -> httpx2.Response:
            return await guest.post(f"/v1/{path}/import", params=query, content=chat)

        first = await sent(form="whatsapp", time_zone="Europe/Berlin")
        no_form = await sent(form="whatsup")
        no_zone = await sent("jobs", time_zone="Berlin")
    assert first.status_code == 200, first.text
    assert [one["gap"] for one in first.json()["unread"]] == []
    (message,) = (await house.memory.list(Filter(kinds=("message",)))).records
    assert message.occurred_at == datetime(2026, 2, 1, 9, tzinfo=UTC)
    assert (no_form.status_code, no_zone.status_code) == (422, 422)
    assert "there are auto, chat, " in no_form.json()["detail"]
    assert "use a name such as Europe/Berlin" in no_zone.json()["detail"]


@pytest.mark.parametrize("house", [{"at_once": 4}], indirect=True)
async def test_a_part_of_the_requests_at_once_is_left_to_other_tenants(house: House) -> None:
    running, release, sent, statuses = anyio.Event(), anyio.Event(), list[int](), list[int]()

    async def slow_body() -> AsyncIterator[bytes]:
        # A body is read when its request has been admitted.
        sent.append(1)
        if len(sent) == 3:
            running.set()
        yield b'{"text": '
        await release.wait()
        yield b'"the heron"}'

    async def save(guest: httpx2.AsyncClient) -> None:
        answer = await guest.post("/v1/messages", content=slow_body(), headers={"Content-Type": "application/json"})
        statuses.append(answer.status_code)

    async with house.guest(tenant="flood") as flood, house.guest(tenant="quiet") as quiet:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(save, flood)
            await running.wait()
            refused, answered = await flood.get("/v1/memories"), await quiet.get("/v1/memories")
            assert (refused.status_code, answered.status_code) == (429, 200)
            assert refused.json()["code"] == "too-many-requests"
            assert "of this tenant" in refused.json()["detail"]
            release.set()
        assert statuses == [201, 201, 201]
        assert (await flood.get("/v1/memories")).status_code == 200
