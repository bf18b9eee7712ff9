"""The search for the primary among the hosts of an address, and the refusal of a former one.

Each promotion of a replica begins a new timeline, a number that the server counts up. The primary is the server that
accepts writes on the latest timeline. A former primary that comes back has an earlier one, and is refused.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from remembrancer.storage.postgres.connection import Raw, adapt

_SURVEY_SECONDS = 2
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
        self._lock = Lock()

    @property
    def has_several_hosts(self) -> bool:
        """True if another host may become the primary."""
        return len(self._hosts) > 1

    @property
    def timeline(self) -> int:
        """The latest timeline that was seen; 0 if none was."""
        return self._timeline

    def address(self) -> str:
        """Return the address of the primary, of one host. Blocking.

        Where the last connection failed, all hosts are asked first.
        """
        if self.has_several_hosts:
            with self._lock:
                if not self._is_certain:
                    self._survey()
                self._is_certain = False
        return self._chosen

    def look(self) -> None:
        """Ask all hosts which one is the primary. Blocking."""
        with self._lock:
            self._survey()

    def admit(self, raw: Raw) -> int:
        """Return the timeline of a new connection.

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
        return timeline

    def _survey(self) -> None:
        with ThreadPoolExecutor(len(self._hosts)) as threads:
            found = list(threads.map(_ask, self._hosts))
        primaries = [(timeline, -place) for place, timeline in enumerate(found) if timeline is not None]
        if primaries:
            latest, place = max(primaries)
            if latest >= self._timeline:
                self._timeline, self._chosen, self._is_certain = latest, self._hosts[-place], True


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


def _ask(url: str) -> int | None:
    """Return the timeline of a host; `None` if it is no primary, or does not answer."""
    with suppress(psycopg.Error), psycopg.connect(url, autocommit=True, connect_timeout=_SURVEY_SECONDS) as raw:
        adapt(raw)
        return _timeline_of(raw)
    return None


def _timeline_of(raw: Raw) -> int | None:
    row = raw.execute(_TIMELINE, prepare=False).fetchone()
    return int(row[0], 16) if row and row[0] else None
