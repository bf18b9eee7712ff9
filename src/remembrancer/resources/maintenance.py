"""The nightly maintenance of a scope."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.errors import NotFound
from remembrancer.jobs.maintenance.aging import RETENTION_COUNTS
from remembrancer.jobs.maintenance.context import ProgressCallback
from remembrancer.jobs.maintenance.runner import no_progress
from remembrancer.resources.resource import Resource
from remembrancer.search.query import MAX_LIMIT
from remembrancer.types.arguments import within
from remembrancer.types.jobs import MaintenancePreview, MaintenanceRun


class Maintenance(Resource, path="admin.maintenance"):
    """The nightly maintenance of one scope. Reached as `memory.admin.maintenance`."""

    async def run(self, *, progress: ProgressCallback = no_progress) -> MaintenanceRun:
        """Run the remaining steps of the maintenance of this scope for the latest due day.

        Args:
            progress: is called with the scope, the step, and a count.

        Raises:
            Conflict: another process runs it.
            NotFound: the scope was erased during the run.
        """
        result = await self._engine.nightly.run(self._unit.scope, by=self._caller, progress=progress)
        run = await self._unit.read(lambda tx: tx.maintenance_runs.find(result.day))
        if run is None:
            raise NotFound("night", result.day.isoformat())
        return run

    async def dry_run(self) -> MaintenancePreview:
        """Return the expected result of the maintenance of this scope. Nothing is changed, and no model is called."""
        preview = await self._engine.nightly.preview(self._caller)
        if self._caller.sees_all:
            return preview
        # The counts include memories that are closed to the caller.
        return replace(
            preview, counts={name: count for name, count in preview.counts.items() if name not in RETENTION_COUNTS}
        )

    async def list(self, *, limit: int = 30) -> Sequence[MaintenanceRun]:
        """Return the maintenance runs of this scope, latest first.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        return await self._unit.read(lambda tx: tx.maintenance_runs.list(limit=limit))

    async def latest(self) -> MaintenanceRun | None:
        """Return the latest maintenance run of this scope, or `None`."""
        return await self._unit.read(lambda tx: tx.maintenance_runs.latest())
