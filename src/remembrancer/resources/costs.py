"""The costs of language models."""

from dataclasses import replace
from typing import Final

from remembrancer.errors import NotAllowed
from remembrancer.llm.budget import Costs
from remembrancer.resources.engine import Engine
from remembrancer.types.access import Caller
from remembrancer.types.arguments import within

MOST_DAYS: Final = 366


async def costs(engine: Engine, caller: Caller, *, days: int) -> Costs:
    """Return the costs of the last days, with the budgets that a caller may read.

    Raises:
        NotAllowed: the access key is of one user.
    """
    within(days, 1, MOST_DAYS, what="days")
    wall = caller.wall
    if wall is not None and wall.user is not None:
        raise NotAllowed("costs are per project and agent; use an access key without a user")
    await engine.worker.access_log.flush(caller.scope.tenant)
    result = await engine.models.costs(caller.scope, days=days)
    if wall is None or (wall.project is None and wall.agent is None):
        return result
    return replace(result, budgets=tuple(one for one in result.budgets if one.project and one.project == wall.project))
