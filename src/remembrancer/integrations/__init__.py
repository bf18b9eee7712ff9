"""Integrations: the memory behind the interfaces of agent frameworks. Each module needs the extra of its name."""

from remembrancer.errors import InvalidInput
from remembrancer.sync import SyncMemory


def missing_extra(extra: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error for a framework that is not installed."""
    return ImportError(
        f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'",
        name=error.name,
    )


def checked_memory(memory: object) -> SyncMemory:
    """Return the memory of an integration.

    Raises:
        InvalidInput: it is no open `SyncMemory` or `SyncClient`.
    """
    if isinstance(memory, SyncMemory):
        return memory
    raise InvalidInput(
        f"memory must be a SyncMemory or a SyncClient, such as SyncMemory('memory.db'), not {type(memory).__name__}"
    )
