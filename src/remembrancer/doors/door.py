"""What every door is: one caller at an open store."""

from remembrancer.engine import Engine
from remembrancer.model.caller import Caller


class Door:
    """One caller at an open store."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._engine = engine
        self._caller = caller
        self._desk = engine.desk(caller)
