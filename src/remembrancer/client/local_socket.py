"""Local sockets next to the file of a store.

Through it the process that has the file open answers other processes. A connection carries one request and one answer,
each a line of JSON. Only the owner of the socket with write access to the folder reaches it, who could open the file as
well.
"""

import json
import os
import socket
from typing import Any, Final

# Operating systems limit the path of a socket.
_MAX_PATH_BYTES: Final = 100
_CHUNK: Final = 65_536


def socket_path(db: str) -> str | None:
    """Return the path of the socket of a store.

    `None` if it is no file, or cannot have a socket.
    """
    if "://" in db or db == ":memory:" or not hasattr(socket, "AF_UNIX"):
        return None
    path = f"{os.path.realpath(db)}.sock"
    return path if len(os.fsencode(path)) <= _MAX_PATH_BYTES else None


def is_listening(path: str) -> bool:
    """Return True if a process listens at a socket.

    A killed process leaves only the file.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
    except OSError:
        return False
    return True


def ask(path: str, request: dict[str, Any], *, seconds: float) -> dict[str, Any] | None:
    """Return the answer of the process at a socket.

    `None` if there is none, it declines, or it is slow.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(path)
            connection.sendall(json.dumps(request).encode() + b"\n")
            parts = list(iter(lambda: connection.recv(_CHUNK), b""))
        answer = json.loads(b"".join(parts))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and "text" in answer else None  # pyright: ignore[reportUnknownVariableType] -- JSON
