"""How busy the processor is: of this process, and of the machine."""

import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

_LOOK_SECONDS: Final = 0.25
# One process computes on one core at a time.
_BUSY_PROCESS: Final = 0.85
_BUSY_MACHINE: Final = 0.75
_STATISTICS: Final = Path("/proc/stat")


class Processor:
    """The load since the last look, at most every quarter of a second.

    Attributes:
        looks: the number of looks.
        is_busy: whether this process uses a core nearly all of the time, or the machine hardly idles. On systems
            without `/proc/stat` only the process counts. Work of low priority (nice) counts as idle.
    """

    def __init__(self) -> None:
        self.looks = 0
        self.is_busy = False
        self._lock = Lock()
        self._at, self._own, self._machine = time.monotonic(), time.process_time(), (0, 0)

    def look(self) -> None:
        """Look again, if it is time. Blocking."""
        if time.monotonic() - self._at < _LOOK_SECONDS or not self._lock.acquire(blocking=False):
            return
        try:
            now, own, machine = time.monotonic(), time.process_time(), _machine()
            used, all_of_it = (after - before for after, before in zip(machine, self._machine, strict=True))
            by_process = (own - self._own) / (now - self._at)
            self.is_busy = by_process > _BUSY_PROCESS or (all_of_it > 0 and used / all_of_it > _BUSY_MACHINE)
            self.looks += 1
            self._at, self._own, self._machine = now, own, machine
        finally:
            self._lock.release()


def _machine() -> tuple[int, int]:
    """Return the ticks that the processors of the machine were used, and all; two zeros where they are not known."""
    with suppress(OSError, ValueError):
        user, nice, system, idle, waiting, *more = map(int, _STATISTICS.read_text().split("\n", 1)[0].split()[1:9])
        return user + system + sum(more), user + nice + system + idle + waiting + sum(more)
    return 0, 0


PROCESSOR: Final = Processor()
"""The one of this process."""
