"""A socket beside the file of a store, by which the process that has it open answers others on this machine.

One request and one answer a connection, each a line of JSON. Only who may write the folder and owns the socket reaches
it; who does could as well open the file.
"""

import json
import os
import socket
from typing import Any, Final

# The systems allow no longer path.
_LONGEST_PATH: Final = 100
_CHUNK: Final = 65_536


def socket_beside(db: str) -> str | None:
    """The path of the socket of a store; `None` where it is no file, or there can be no such socket."""
    if "://" in db or db == ":memory:" or not hasattr(socket, "AF_UNIX"):
        return None
    path = f"{os.path.realpath(db)}.sock"
    return path if len(os.fsencode(path)) <= _LONGEST_PATH else None


def listens(path: str) -> bool:
    """Whether a process listens at a socket; one that was killed has left only its file."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(path)
    except OSError:
        return False
    return True


def ask(path: str, request: dict[str, Any], *, seconds: float) -> dict[str, Any] | None:
    """What the process behind a socket answers; `None` where nobody is there, it declines, or it is slow."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            line.connect(path)
            line.sendall(json.dumps(request).encode() + b"\n")
            parts = list(iter(lambda: line.recv(_CHUNK), b""))
        answer = json.loads(b"".join(parts))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and "text" in answer else None  # pyright: ignore[reportUnknownVariableType] -- JSON
