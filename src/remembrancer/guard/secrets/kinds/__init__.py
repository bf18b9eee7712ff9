"""The table of the kinds of credentials; what stands first names a span that several kinds claim."""

from remembrancer.guard.secrets.kinds import building, clouds, connecting, models, money, talking, watching
from remembrancer.guard.secrets.shape import Kind

KINDS: tuple[Kind, ...] = (
    connecting.PRIVATE_KEY,
    *clouds.KINDS,
    *building.KINDS,
    *talking.KINDS,
    *money.KINDS,
    *models.KINDS,
    *watching.KINDS,
    *connecting.KINDS,
)
