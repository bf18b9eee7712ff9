"""The search for the primary among the hosts of an address, and the refusal of a former one.

Each promotion of a replica begins a new timeline, a number that the server counts up. The primary is the server that
accepts writes on the latest timeline. A former primary that comes back has an earlier one, and is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from remembrancer.storage.postgres.connection import (
    CONNECT_SECONDS,
    SHORT_CONNECT_SECONDS,
    Raw,
    adapt,
    check_address,
    connecting,
    translated,
)

_LOOK_SECONDS = 4.0
_COPY_MILLISECONDS = 60_000
_TIMELINE = """
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
"""


class Primary:
    """The address of the primary, and the timeline that it was last seen on. Used by several threads.

    Args:
        url: of one host or several: `postgresql://USER:PASSWORD@HOST1:PORT,HOST2:PORT/DATABASE`.
    """

    def __init__(self, url: str) -> None:
        self._hosts = _hosts(url)
        self._chosen = self._hosts[0]
        self._is_certain = len(self._hosts) == 1
        self._timeline = 0
        self._looked_at = 0.0
        self._lock = Lock()

    @property
    def has_several_hosts(self) -> bool:
        """True if another host may become the primary."""
        return len(self._hosts) > 1

    def address(self) -> str:
        """Return the address of the primary, of one host. Blocking.

        Where the last connection failed, all hosts are asked first.
        """
        if self.has_several_hosts:
            with self._lock:
                if not self._is_certain:
                    self._choose(self._timelines_at(self._hosts))
                self._is_certain = False
        return self._chosen

    def look(self) -> None:
        """Ask the other hosts, at most every few seconds, if one was promoted. Blocking."""
        if monotonic() - self._looked_at > _LOOK_SECONDS:
            # New connections do not wait for a host that is away.
            found = self._timelines_at([host for host in self._hosts if host != self._chosen])
            with self._lock:
                self._choose(found)

    def admit(self, raw: Raw) -> Callable[[], bool]:
        """Accept a new connection; return a function that returns True once its server is the primary no more.

        Raises:
            psycopg.OperationalError: the server is no primary, or a former one.
        """
        timeline = _timeline_of(raw)
        if timeline is None:
            raise psycopg.OperationalError("the server is a replica; name the primary, or all hosts of the cluster")
        if timeline < self._timeline:
            raise psycopg.OperationalError(
                f"the server was the primary until timeline {timeline}, and timeline {self._timeline} has begun"
            )
        self._timeline, self._is_certain = timeline, True
        return lambda: timeline < self._timeline

    def _timelines_at(self, hosts: Sequence[str]) -> Mapping[str, int | None]:
        """Ask hosts; return the timeline of each, `None` if it is no primary, or does not answer."""
        with ThreadPoolExecutor(len(hosts)) as threads:
            found = dict(zip(hosts, threads.map(_timeline_at, hosts), strict=True))
        self._looked_at = monotonic()
        return found

    def _choose(self, found: Mapping[str, int | None]) -> None:
        """Choose the host of the latest timeline, if that is new."""
        primaries = {host: timeline for host, timeline in found.items() if timeline is not None}
        if primaries:
            host = max(primaries, key=lambda one: primaries[one])
            is_chosen = self._chosen in found
            if primaries[host] > self._timeline or (is_chosen and primaries[host] == self._timeline):
                self._timeline, self._chosen, self._is_certain = primaries[host], host, True


def connected(url: str, *, seconds: int = CONNECT_SECONDS) -> Raw:
    """Return a connection to a server; where an address has several hosts, to the primary of the latest timeline.

    Args:
        seconds: the longest wait for it, unless the address has its own.

    Raises:
        InvalidInput: the address is malformed.
        StoreUnavailable: it cannot be reached.
    """
    check_address(url)
    primary = Primary(url)
    with translated():
        # What copies much may wait for a lock of the server, with more to be sent.
        limits = connecting(url, connect_timeout=seconds, tcp_user_timeout=_COPY_MILLISECONDS)
        raw = Raw.connect(primary.address(), **limits)
        try:
            adapt(raw)
            if primary.has_several_hosts:
                primary.admit(raw)
        except BaseException:
            raw.close()
            raise
    return raw


def _hosts(url: str) -> Sequence[str]:
    """Return an address for each host of an address."""
    parts: dict[str, Any] = {**conninfo_to_dict(url)}
    hosts = str(parts.get("host", "")).split(",")
    if len(hosts) == 1:
        return [url]
    ports = str(parts.get("port", "")).split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    parts.pop("target_session_attrs", None)
    return [make_conninfo(**{**parts, "host": host, "port": port}) for host, port in zip(hosts, ports, strict=True)]


def _timeline_at(url: str) -> int | None:
    """Return the timeline of a host; `None` if it is no primary, or does not answer."""
    with suppress(psycopg.Error), Raw.connect(url, **connecting(url, connect_timeout=SHORT_CONNECT_SECONDS)) as raw:
        adapt(raw)
        return _timeline_of(raw)
    return None


def _timeline_of(raw: Raw) -> int | None:
    row = raw.execute(_TIMELINE, prepare=False).fetchone()
    return int(row[0], 16) if row and row[0] else None
