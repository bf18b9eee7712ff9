"""A cross-encoder that runs here, through `fastembed` (extra), with weights from a folder; nothing is fetched."""

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from remembrancer.errors import InvalidInput, ProviderUnavailable
from remembrancer.llm.reranker import RerankScores

# A thread cannot be cancelled, so a cancelled call still works on its current batch.
BATCH = 8
_FILES = ("onnx/model.onnx", "model.onnx", "onnx/model_int8.onnx", "model_int8.onnx", "onnx/model_quantized.onnx")
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


class CrossEncoder:
    """A local cross-encoder for pairs of question and text; see `llm.reranker.Reranker`.

    The constructor blocks while it loads the weights.

    Args:
        folder: contains `model.onnx` or `onnx/model.onnx`, `tokenizer.json` and `tokenizer_config.json`.

    Raises:
        InvalidInput: the folder lacks one of them.
        ProviderUnavailable: the extra `fastembed` is not installed, or cannot load the files.
    """

    is_outside = False

    def __init__(self, folder: str) -> None:
        place = Path(folder).expanduser().resolve()
        file = next((name for name in _FILES if (place / name).is_file()), None)
        missing = [name for name in _TOKENIZER if not (place / name).is_file()]
        if file is None or missing:
            lacking = ", ".join([*([] if file else ["model.onnx"]), *missing])
            raise InvalidInput(f"the reranker's folder {folder!r} has no {lacking}")
        self.name = f"fastembed:{place.name}"
        self._model: Any = _loaded(place, file)
        # One question uses all cores; the thread of a cancelled call still has the lock.
        self._one = threading.Lock()

    async def judge(self, question: str, texts: Sequence[str], *, seconds: float) -> RerankScores:
        """Return the score of each text for the question; a cancelled call ends after its current batch."""
        cancelled = threading.Event()

        def work() -> tuple[float, ...]:
            if not self._one.acquire(timeout=seconds):
                raise TimeoutError
            try:
                scores: list[float] = []
                for start in range(0, len(texts), BATCH):
                    if cancelled.is_set():
                        break
                    some = list(texts[start : start + BATCH])
                    scores += map(float, self._model.rerank(question, some, batch_size=BATCH))
                return tuple(scores)
            finally:
                self._one.release()

        try:
            with anyio.fail_after(seconds):
                scores = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        except TimeoutError as error:
            raise ProviderUnavailable(
                f"the reranker {self.name!r} did not answer within {seconds:g} seconds"
            ) from error
        except Exception as error:
            raise ProviderUnavailable(f"the reranker {self.name!r} failed: {type(error).__name__}") from error
        finally:
            cancelled.set()
        return RerankScores(scores=scores)

    async def close(self) -> None:
        """Release the model; may be called twice."""
        self._model = None


def _loaded(place: Path, file: str) -> Any:
    try:
        library = importlib.import_module("fastembed.rerank.cross_encoder")
        described = importlib.import_module("fastembed.common.model_description")
    except (ImportError, OSError) as error:
        message = "a local reranker needs the extra 'fastembed': pip install 'remembrancer[fastembed]'"
        raise ProviderUnavailable(message, lasting=True) from error
    # Its list of models is global: each file has one name in it, and is added once.
    name = f"local{(place / file).as_posix()}".lower()
    try:
        known = {model["model"].lower() for model in library.TextCrossEncoder.list_supported_models()}
        if name not in known:
            source = described.ModelSource(hf=name)
            library.TextCrossEncoder.add_custom_model(name, sources=source, model_file=file)
        return library.TextCrossEncoder(
            name, cache_dir=str(place), specific_model_path=str(place), local_files_only=True
        )
    except Exception as error:
        message = f"fastembed cannot load the reranker in {place.as_posix()!r}: {type(error).__name__}"
        raise ProviderUnavailable(message, lasting=True) from error
