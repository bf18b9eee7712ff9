"""Carrying what a project lends to others."""

from remembrancer.privacy.transfers import carry
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.types.transfer import Transfer


async def lend(desk: Desk) -> int:
    """Carry all that is granted of a project's shared memory, and take away what is not; how many observations came.

    Args:
        desk: the engine's, at the scope that all of the project sees.
    """
    came = 0
    for grant in await desk.read(lambda tx: tx.policies.exact(Transfer)):
        tried, done = set[str](), False
        while not done:
            async with desk.write() as writing:
                some, done = await carry(writing, grant, tried=tried)
            came += some
    return came
