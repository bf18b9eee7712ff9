"""What every test may use, and what none may do."""

import ipaddress
import socket
from collections.abc import Iterator
from typing import Any, cast

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

from remembrancer import runtime

pytest.register_assert_rewrite("remembrancer.testing.contract")

# What is imported on first use would be read from disk on an event loop.
assert runtime

# The same examples every time, and no deadline on a busy machine.
settings.register_profile("remembrancer", deadline=None, derandomize=True)
settings.load_profile("remembrancer")


def _local(address: Any) -> bool:
    """Whether an address is of this machine: a path, or a loopback host."""
    if not isinstance(address, tuple):
        return True
    host = str(cast(tuple[object, ...], address)[0])
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> Iterator[None]:
    """No code of ours does blocking work on an event loop."""
    with blockbuster_ctx("remembrancer"):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """No test reaches beyond loopback, by name or by number."""
    patch = pytest.MonkeyPatch()

    def guarded(name: str) -> None:
        plain = getattr(socket.socket, name)

        def only_local(self: socket.socket, *args: Any) -> Any:
            assert _local(args[-1]), f"a test wanted to reach {args[-1]}"
            return plain(self, *args)

        patch.setattr(socket.socket, name, only_local)

    for name in ("connect", "connect_ex", "sendto"):
        guarded(name)
    resolve = socket.getaddrinfo

    def only_local_names(host: Any, *args: Any, **kwargs: Any) -> Any:
        assert host is None or _local((host.decode() if isinstance(host, bytes) else host,)), f"a test asked for {host}"
        return resolve(host, *args, **kwargs)

    patch.setattr(socket, "getaddrinfo", only_local_names)
    yield
    patch.undo()
