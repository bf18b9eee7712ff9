"""`SyncClient`: a memory that is served somewhere, without `await`."""

from functools import partial

from remembrancer.client.client import Client
from remembrancer.sync import SyncMemory


class SyncClient(SyncMemory):
    """The methods of `SyncMemory`, over a service; see `Client` for what is asked of one.

    Args:
        url: where the service is.
        key: the access key; none is needed for a service of this machine that has none.
        tenant, project, agent, user, clearance: narrow what the key opens.
        reveal: show personal data as it is, in place of marks; the key needs the right `reveal`.
        timeout: seconds for which one answer is waited for; long work is waited for without end.
        retries: how often a request is sent again that was not answered, or is to come again.

    Raises:
        InvalidInput: a name is not allowed, or the address is none.
        StoreError: the extra `client` is not installed.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall] -- what is opened is another
        self,
        url: str,
        *,
        key: str = "",
        tenant: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        clearance: str | None = None,
        reveal: bool = False,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        self._enter(
            partial(
                Client,
                url,
                key=key,
                tenant=tenant,
                project=project,
                agent=agent,
                user=user,
                clearance=clearance,
                reveal=reveal,
                timeout=timeout,
                retries=retries,
            )
        )
