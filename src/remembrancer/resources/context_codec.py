"""A context as bytes for a cache, and back."""

import json
import zlib

from remembrancer.context.cache import CachedContext
from remembrancer.errors import InvalidInput
from remembrancer.resources.json_values import dump, load, names_of

# The fastest: what comes from the same machine is not to be waited for.
_LEVEL = 1


def pack(made: CachedContext) -> bytes:
    """Return a context as compressed bytes without its texts, which are made of its block."""
    told = {**_fields(made), "context": _fields(made.context)}
    return zlib.compress(json.dumps(dump(told)).encode(), _LEVEL)


def unpack(packed: bytes) -> CachedContext:
    """Return the context of the bytes that `pack` returned.

    Raises:
        ValueError: it has not.
    """
    try:
        return load(CachedContext, json.loads(zlib.decompress(packed)))
    except (zlib.error, InvalidInput) as error:
        raise ValueError("these bytes are no packed context") from error


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in names_of(type(value))}
