"""A file that the version before the renamed tables wrote opens, migrates and answers as it did then.

`tests/data/before_names.json` has the answers of that version.
"""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from remembrancer import Filter, Observation, RecallRequest, open_memory
from remembrancer.assembly import engine
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.testing import FakeClock
from remembrancer.types.jobs import StoreFault
from remembrancer.types.policy import PersonalDataType

from .requirements import requirement

pytestmark = pytest.mark.anyio
DATA = Path(__file__).parents[1] / "data"
FILE = gzip.decompress((DATA / "before_names.db.gz").read_bytes())
KEY = (DATA / "before_names.secret").read_bytes()
EXPECTED = json.loads((DATA / "before_names.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 28, 8, 0, 30, tzinfo=UTC)
SEAT, HOME = "01a22128-b579-7000-b874-41002452d799", "01a22128-c1b9-7000-b636-e9211584dc59"
PATTERN = {
    "key": "a", "category": "rhythm", "evidence": "12 of 12", "occurrences": 12, "held": 11, "against": 1,
    "rule": "", "counted_on": "2026-11-28", "boosts": 0, "cases": 12, "ended": False,
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(engine, "SystemClock", lambda: FakeClock(NOW))
    path = tmp_path / "before.db"
    path.write_bytes(FILE)
    path.with_name("before.db.key").write_bytes(KEY)
    return path


def changed(path: Path, sql: str, *values: object) -> None:
    connection: Any = apsw.Connection(str(path))
    connection.execute(sql, values)
    connection.close()


@requirement("stores.older")
async def test_an_older_file_answers_as_it_did(path: Path) -> None:
    async with open_memory(path, user="ana", embedder="none", background=False) as memory:
        # Names are terms of the text index by now.
        assert {one.finding.fault for one in await memory.admin.doctor()} <= {
            StoreFault.FOREIGN_ANALYSER, StoreFault.MISSING_INDEX_ROW
        }  # fmt: skip
        await memory.admin.index.rebuild()
        assert await memory.admin.doctor() == []
        words = ["lexical", "semantic", "temporal"]
        request = RecallRequest(question="Which seat does Ana like?", limit=len(EXPECTED["recall"]), retrievers=words)
        recall = await memory.recall(request)
        assert [[hit.id, hit.score] for hit in recall.hits] == [
            [id, pytest.approx(score, abs=1e-4)] for id, score in EXPECTED["recall"]
        ]
        assert recall.confidence == pytest.approx(EXPECTED["confidence"], abs=1e-4)
        page = await memory.list(Filter(), limit=100)
        assert {one.id: one.text for one in page.records} == dict(EXPECTED["list"])
        assert [fact.id for fact in await memory.facts.list()] == [one["id"] for one in EXPECTED["facts"]]


@requirement("stores.older")
async def test_renamed_rows_of_an_older_file_are_read(path: Path) -> None:
    changed(path, "UPDATE records SET details = ? WHERE id = ?", json.dumps(PATTERN), HOME)
    async with open_memory(path, user="ana", embedder="none", background=False) as memory:
        (injection,) = await memory.sessions.injections("seats")
        assert injection.mode == EXPECTED["injections"][0]["way"]
        assert (await memory.scores.get(SEAT)).score == pytest.approx(0.19998, abs=1e-4)
        assert [chunk.state for chunk in await memory.notes.chunks("seats")] == ["in-review"]
        assert (await memory.notes.approve("seats", 1)).state == "buffered"
        redactions = {one.data_type: one.here for one in await memory.governance.redactions.list()}
        assert redactions[PersonalDataType.EMAIL] == "mask"
        (key,) = await memory.admin.keys.list()
        assert key.created_at == datetime(2026, 11, 28, 7, 59, 12, 608639, UTC)
        verified = await memory.governance.audit.verify()
        assert verified.sound
        assert "cli" in {row.origin for row in await memory.governance.audit.list()}
        pattern = await memory.get(HOME)
        assert isinstance(pattern, Observation)
        assert pattern.learned is not None
        assert pattern.learned.supporting == 11


@pytest.fixture
def chat(tmp_path: Path) -> ChatFile:
    file = tmp_path / "chat.jsonl"
    file.write_text(EXPECTED["chat"], encoding="utf-8")
    return ChatFile.at(file)


@requirement("stores.older")
async def test_a_file_that_was_imported_before_is_not_imported_again(path: Path, chat: ChatFile) -> None:
    async with open_memory(path, user="ana", embedder="none", background=False) as memory:
        result = await memory.messages.import_file(chat)
        assert (result.created, result.deduped) == (0, 3)
