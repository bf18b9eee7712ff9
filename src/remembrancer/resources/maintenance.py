"""The nightly maintenance of a scope."""

from dataclasses import replace

from remembrancer.errors import NotFound
from remembrancer.jobs.maintenance.aging import RETENTION_COUNTS
from remembrancer.jobs.maintenance.context import ProgressCallback
from remembrancer.jobs.maintenance.runner import no_progress
from remembrancer.resources.resource import Resource
from remembrancer.types.jobs import MaintenancePreview, MaintenanceRun


class Maintenance(Resource, path="admin.maintenance"):
    """The nightly maintenance of one scope. Reached as `memory.admin.maintenance`."""

    async def run(self, *, progress: ProgressCallback = no_progress) -> MaintenanceRun:
        """Run the maintenance of this scope for the last local day that is due, as far as it is not done yet.

        The engine runs it, and sees all; its counts and notes are returned to callers who may see all.

        Args:
            progress: is called with the scope, the step, and a count.

        Raises:
            Conflict: another process runs it.
            NotFound: the scope was erased meanwhile.
        """
        done = await self._engine.nightly.run(self._unit.scope, by=self._caller, progress=progress)
        night = await self._unit.read(lambda tx: tx.maintenance_runs.find(done.day))
        if night is None:
            raise NotFound("night", done.day.isoformat())
        return night

    async def dry_run(self) -> MaintenancePreview:
        """Return what the maintenance of this scope would do now; nothing is changed, and no model is called."""
        found = await self._engine.nightly.preview(self._caller)
        if self._caller.sees_all:
            return found
        # Due memories may be closed to the caller.
        return replace(
            found, counts={name: count for name, count in found.counts.items() if name not in RETENTION_COUNTS}
        )

    async def latest(self) -> MaintenanceRun | None:
        """Return the latest maintenance run of this scope, or `None`."""
        return await self._unit.read(lambda tx: tx.maintenance_runs.latest())
