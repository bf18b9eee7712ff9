"""A context as bytes for a cache, and back."""

import json
import zlib

from remembrancer.errors import InvalidInput
from remembrancer.wire.values import dump, load
from remembrancer.workers.caching import Made

# The fastest: what comes from the same machine is not to be waited for.
_LEVEL = 1


def pack(made: Made) -> bytes:
    """A context that was made, compressed."""
    return zlib.compress(json.dumps(dump(made)).encode(), _LEVEL)


def unpack(packed: bytes) -> Made:
    """The context that `pack` has packed.

    Raises:
        ValueError: it has not.
    """
    try:
        return load(Made, json.loads(zlib.decompress(packed)))
    except (zlib.error, InvalidInput) as error:
        raise ValueError("these bytes are no packed context") from error
