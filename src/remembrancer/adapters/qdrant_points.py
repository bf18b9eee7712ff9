"""Points of a local collection of Qdrant, which are stored as pickles.

A pickle may name any function to call. Here each class of Qdrant is read as a plain object, and any other name is
refused, so nothing of the file is run and the package of Qdrant is not needed.
"""

import io
import pickle
from collections.abc import Mapping
from typing import Any, Final

_PACKAGE: Final = "qdrant_client."


def read_point(content: bytes) -> Mapping[str, Any] | None:
    """Return the payload of a point with its `id`, or `None` if the bytes are no point."""
    try:
        point = _PointUnpickler(io.BytesIO(content)).load()
    except Exception:
        # A pickle of anything else, or a broken one, fails in any way.
        return None
    if not isinstance(point, _Point):
        return None
    return {"id": str(point.fields.get("id")), **(point.fields.get("payload") or {})}


class _Point:
    """The fields of an object of Qdrant."""

    def __init__(self) -> None:
        self.fields: Mapping[str, Any] = {}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.fields = state["__dict__"]


class _PointUnpickler(pickle.Unpickler):
    """An unpickler that knows no class but that of a point."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """Return the class of a point for every class of Qdrant.

        Raises:
            UnpicklingError: the name is of another package.
        """
        if not module_name.startswith(_PACKAGE):
            raise pickle.UnpicklingError(f"a point has no {module_name}.{global_name}")
        return _Point
