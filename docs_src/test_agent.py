"""The example of "Test your own code"."""

from pathlib import Path

from remembrancer import SyncMemory
from remembrancer.testing import HashEmbedder, ScriptedModel


def test_the_agent_answers_from_memory(tmp_path: Path) -> None:
    model = ScriptedModel(["To Oban [1]."])
    memory = SyncMemory(tmp_path / "memory.db", embedder=HashEmbedder(), model=model, background=False)
    with memory:
        memory.save("Order TW-118 goes to Oban")
        answer = memory.ask("Where does TW-118 go?")

    assert answer.known
    assert [citation.line for citation in answer.citations]
    assert model.left == 0
    assert "TW-118" in model.asked[0].text
