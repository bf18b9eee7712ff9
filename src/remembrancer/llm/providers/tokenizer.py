"""Counts tokens as language models do: exactly for the encodings that OpenAI has published, else with a margin.

`toktok-rs` carries the encodings; without it there is the estimate of `model.tokens`.
"""

import math
import re
from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock

from remembrancer.errors import InvalidInput
from remembrancer.types.text import ESTIMATE, Estimate, Tokens

O200K = "o200k_base"
ENCODINGS = (O200K, "cl100k_base", "o200k_harmony", "qwen3.5")

# The first of these that is in a model's name decides its encoding.
_OWN = (
    (re.compile(r"gpt-oss"), "o200k_harmony"),
    (re.compile(r"gpt-3\.5|gpt-4(?![o.\d])|text-embedding"), "cl100k_base"),
    (re.compile(r"gpt-|(?<![a-z0-9])o[134](?![a-z0-9])"), O200K),
    (re.compile(r"qwen-?3\.5"), "qwen3.5"),
)
_LOADING = Lock()
# The encodings of these models are not public. Their makers and users report up to this factor on the tokens of o200k
# for the same text. The ledger has the true number if the provider reports it.
_MARGINS = ((re.compile(r"anthropic:|claude"), 1.6), (re.compile(r""), 1.3))


class Encoding:
    """A token counter with a known encoding. The first call reads its tables, for half a second.

    Args:
        margin: 1 for the encoding of the model itself; else a factor on the count.

    Raises:
        InvalidInput: the encoding is not known, or the package `toktok-rs` is missing.
    """

    def __init__(self, encoding: str, *, margin: float = 1.0) -> None:
        if encoding not in ENCODINGS:
            raise InvalidInput(f"no tokenizer {encoding!r}; there are {', '.join((*ENCODINGS, 'estimate'))}")
        if not installed():
            raise InvalidInput("the package toktok-rs is missing: install it, or set the tokenizer to estimate")
        from toktok import batch_count

        self._counted = batch_count
        self._encoding = encoding
        self._is_loaded = False
        self.name = encoding if margin == 1 else f"{encoding} x {margin:g}"
        self.exact = margin == 1
        self.margin = margin

    def count(self, text: str) -> Tokens:
        """Return the number of tokens a text has."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the number of tokens each of some texts has."""
        # Half a surrogate pair, which a Python text may contain, is invalid for every model.
        sound = [text.encode(errors="replace").decode() for text in texts]
        if not self._is_loaded:
            # Each of several first callers would read the tables.
            with _LOADING:
                self._counted([], self._encoding, 1)
            self._is_loaded = True
        return [Tokens(math.ceil(found * self.margin)) for found in self._counted(sound, self._encoding, 1)]


def installed() -> bool:
    """Return True if there is anything but the estimate."""
    return find_spec("toktok") is not None


def tokenizer_named(name: str, *, model: str = "") -> Encoding | Estimate:
    """Return the token counter of a model.

    Args:
        name: an encoding, `estimate`, or `auto` for what suits the model.
        model: as `provider:name`; `""` for none, which is counted as the present models of OpenAI do.

    Raises:
        InvalidInput: there is nothing of that name.
    """
    if name == "estimate" or (name == "auto" and not installed()):
        return ESTIMATE
    if name != "auto":
        return Encoding(name)
    asked = model.casefold()
    own = next((encoding for pattern, encoding in _OWN if pattern.search(asked)), None if model else O200K)
    return Encoding(own) if own else Encoding(O200K, margin=next(by for found, by in _MARGINS if found.search(asked)))
