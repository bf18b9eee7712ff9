"""What every door is: one caller at an open store."""

from remembrancer.engine import Engine
from remembrancer.governance.desk import Desk
from remembrancer.model.caller import Caller


class Door:
    """One caller at an open store."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._opened = engine
        self._caller = caller

    @property
    def _engine(self) -> Engine:
        return self._opened.here()

    @property
    def _desk(self) -> Desk:
        return self._engine.desk(self._caller)
