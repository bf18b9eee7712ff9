"""A local reranker: with a stand-in for the package, and with the package itself where it is installed."""

import base64
import json
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import anyio
import pytest
from anyio.to_thread import run_sync

from remembrancer import InvalidInput, ProviderUnavailable
from remembrancer.llm.providers.cross_encoder import BATCH, CrossEncoder
from remembrancer.llm.providers.local import installed

pytestmark = pytest.mark.anyio

QUESTION = "where does ana live"
TEXTS = ["the kettle is blue", "ana lives in lisbon where ana has a cat", "ana has a cat"]
# A model of pairs that this project has made: how many pairs of equal words question and text have. Of ids, marks of
# the text and marks of the padding it makes bags of words, multiplies them, and adds up.
MODEL = """
eNrlU81q20AQ1l+s1UBsswnBhSR1dVRvhVIIlATnUgQl0JBLLkKKBmuxtetmV3Gakx8hj9D36MMlWq1kp3WbF+iAxM7M930zy84Q
Qq2TXwQ+Q8D4olIJyyXs5LhQBfTu0nmFkrqFUGHvguMXoaJ98NJ7JkdPndk/bQci6CsxQ56oHwvUGtRnMlF4r0LvPJUqCsBRYtRg
30M/VQq5YoInZSpnlGhsgbe4DT6GTgjWKOo1wu7Xag6HmzA0YbpTK2IeupdVBm9NDLx5LUt7+pwsw+CKy+8V4gPCOzDwFuE3zu+Q
Q9D3h5ZMSe0km/rHJtsRaaDTbQc6/xHWBHAFR0qydGr4wTfMqxu8rMpoAGSGuMhZKUeWvvYn2AgZXqB5Rvg14hjWBWBDoV4mVGE6
OoLGAX+JbFqo+qWaQ9fwB+h8U7c3F1Om5L+K6keig6W4zeWY8fGNKEvBo72hPzFDFJMzy1h0QJyhPWmHKiYmujqN9oldw5sHiEk3
VdFeE9UtxMTuJB4dclZrdK3HK8fastXp//RdH71YXDqEPvEpgEvtTP/kdbi1bH/F/LG8W5jsDbSDQAewS2wamJxD7IkH1nD3GeAs
GMk=
"""
MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Weights and a tokenizer, as they are laid out where models are shared."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    place = tmp_path / "tiny"
    (place / "onnx").mkdir(parents=True)
    (place / "onnx/model.onnx").write_bytes(zlib.decompress(base64.b64decode(MODEL)))
    words = dict.fromkeys(" ".join((QUESTION, *TEXTS)).split())
    vocabulary = {word: number for number, word in enumerate((*MARKS, *words))}
    tokenizer: Any = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.save(str(place / "tokenizer.json"))
    (place / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    hf: str


class StandIn:
    """The package's class, as far as it is used: counts the words that question and text share."""

    known: ClassVar[list[str]]
    batches: ClassVar[list[list[str]]]
    hangs: ClassVar[threading.Event | None] = None
    fault: ClassVar[Exception | None] = None

    def __init__(self, name: str, **options: Any) -> None:
        assert name in self.known
        assert options["local_files_only"]
        assert Path(options["specific_model_path"]).is_dir()

    @classmethod
    def list_supported_models(cls) -> list[dict[str, Any]]:
        return [{"model": name} for name in cls.known]

    @classmethod
    def add_custom_model(cls, name: str, *, sources: Source, model_file: str) -> None:
        assert (sources.hf, model_file) == (name, "onnx/model.onnx")
        cls.known.append(name)

    def rerank(self, query: str, documents: list[str], *, batch_size: int) -> Iterable[float]:
        assert len(documents) <= batch_size
        self.batches.append(documents)
        if self.hangs is not None:
            self.hangs.wait(10)
        if self.fault is not None:
            raise self.fault
        yield from (float(len(set(query.split()) & set(text.split()))) for text in documents)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    class Fresh(StandIn):
        known: ClassVar[list[str]] = []
        batches: ClassVar[list[list[str]]] = []

    library, described = ModuleType("cross_encoder"), ModuleType("model_description")
    vars(library)["TextCrossEncoder"], vars(described)["ModelSource"] = Fresh, Source
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", library)
    monkeypatch.setitem(sys.modules, "fastembed.common.model_description", described)
    return Fresh


async def loaded(folder: Path) -> CrossEncoder:
    return await run_sync(CrossEncoder, str(folder))


@pytest.mark.skipif(not installed("fastembed"), reason="the extra fastembed is not installed")
async def test_the_package_itself_judges_with_weights_from_a_folder_and_no_network(folder: Path) -> None:
    for _ in range(2):
        encoder = await loaded(folder)
        judged = await encoder.judge(QUESTION, TEXTS * 5, seconds=60)
        assert judged.scores == (0.0, 3.0, 1.0) * 5
        await encoder.close()


async def test_it_judges_some_texts_at_a_time_and_nothing_leaves_the_process(
    folder: Path, stand_in: type[StandIn]
) -> None:
    encoder = await loaded(folder)
    judged = await encoder.judge(QUESTION, TEXTS * 5, seconds=5)
    assert judged.scores == (0.0, 2.0, 1.0) * 5
    assert list(map(len, stand_in.batches)) == [BATCH, 15 - BATCH]
    assert (encoder.name, encoder.is_outside) == ("fastembed:tiny", False)
    again = await loaded(folder)
    assert len(stand_in.known) == 1
    for made in (encoder, encoder, again):
        await made.close()


async def test_given_up_it_leaves_its_thread_behind_which_ends_with_what_it_has(
    folder: Path, stand_in: type[StandIn]
) -> None:
    encoder = await loaded(folder)
    stand_in.hangs = threading.Event()
    with anyio.move_on_after(0.05) as scope:
        await encoder.judge(QUESTION, TEXTS * 20, seconds=5)
    assert scope.cancelled_caught
    with pytest.raises(ProviderUnavailable, match=r"did not answer within 0.05 seconds"):
        await encoder.judge(QUESTION, TEXTS, seconds=0.05)
    stand_in.hangs.set()
    await encoder.judge(QUESTION, ["ana"], seconds=5)
    assert list(map(len, stand_in.batches)) == [BATCH, 1]
    await encoder.close()


async def test_what_fails_in_it_is_told_without_what_it_was_asked(folder: Path, stand_in: type[StandIn]) -> None:
    encoder = await loaded(folder)
    stand_in.fault = ValueError(f"cannot read {TEXTS[1]}")
    with pytest.raises(ProviderUnavailable, match=r"failed: ValueError$"):
        await encoder.judge(QUESTION, TEXTS, seconds=5)
    await encoder.close()


async def test_without_the_extra_it_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(ProviderUnavailable, match=r"pip install 'remembrancer\[fastembed\]'"):
        await loaded(folder)


@pytest.mark.parametrize("name", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
async def test_a_folder_that_lacks_something_is_refused_with_what_it_lacks(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InvalidInput, match=rf"has no {Path(name).name}"):
        await loaded(folder)


async def test_what_the_package_cannot_load_is_told(folder: Path, stand_in: type[StandIn]) -> None:
    def refusing(*_args: object, **_options: object) -> Iterator[None]:
        raise OSError("no such model")

    stand_in.__init__ = refusing  # pyright: ignore[reportAttributeAccessIssue] -- a class that cannot be made
    with pytest.raises(ProviderUnavailable, match="cannot load the reranker"):
        await loaded(folder)
