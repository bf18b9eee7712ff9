"""The encoding of contexts for a cache."""

import json
import zlib

from remembrancer.context.cache import CachedContext
from remembrancer.errors import InvalidInput
from remembrancer.resources.json_values import dump, load, names_of

# The fastest level: a local cache must not be slow.
_LEVEL = 1


def pack(made: CachedContext) -> bytes:
    """Return a context as compressed bytes, without its texts, which are rendered from its block."""
    fields = {**_fields(made), "context": _fields(made.context)}
    return zlib.compress(json.dumps(dump(fields)).encode(), _LEVEL)


def unpack(packed: bytes) -> CachedContext:
    """Return the context of the bytes that `pack` returned.

    Raises:
        ValueError: the bytes are not a packed context.
    """
    try:
        return load(CachedContext, json.loads(zlib.decompress(packed)))
    except (zlib.error, InvalidInput) as error:
        raise ValueError("the bytes are not a packed context") from error


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in names_of(type(value))}
