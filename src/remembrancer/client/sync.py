"""`SyncClient`: the memory of a service, without `await`."""

from functools import partial
from typing import Unpack

from remembrancer.client.client import Client, ClientOptions
from remembrancer.sync import SyncMemory


class SyncClient(SyncMemory):
    """The methods of `SyncMemory`, over a service.

    See `Client` for the arguments.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall] -- it opens a client, not a store
        self,
        url: str,
        *,
        key: str = "",
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._enter(partial(Client, url, key=key, project=project, agent=agent, user=user, **options))
