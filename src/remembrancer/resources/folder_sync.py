"""The exchange of memories between machines through a folder."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from zlib import crc32

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, StoreUnavailable
from remembrancer.privacy.archive.container import HEADER_BYTES, check_passphrase, parse_header
from remembrancer.resources.archives import Archives, archive_pieces, need_all, write_file
from remembrancer.resources.resource import UseCase
from remembrancer.search.embedding import no_progress
from remembrancer.types.access import Right
from remembrancer.types.archive import ArchivePart
from remembrancer.types.arguments import path_of
from remembrancer.types.scope import Scope

_REASON = "sync"
_SUFFIX = ".archive"
_STATE = "state.json"
_MACHINE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_MAX_AGENT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSynced:
    """The result of an exchange.

    Args:
        machine: the folder of this store.
        read: files of other machines that were imported, and those of this machine if its store is new.
        unchanged: files of other machines that were imported before.
        written: files of this machine that were written.
        created, updated, older, same: counts of memories, as of an import of an archive.
        conflicts: numbers of conflicts by reason.
        failed: files that could not be read, with the reason; the next exchange tries them again.
    """

    machine: str
    read: int = 0
    unchanged: int = 0
    written: int = 0
    created: int = 0
    updated: int = 0
    older: int = 0
    same: int = 0
    conflicts: Mapping[str, int] = field(default_factory=dict[str, int])
    failed: Mapping[str, str] = field(default_factory=dict[str, str])


class FolderSync(UseCase):
    """The exchange of the memories of a scope and of scopes under it. Reached as `memory.folder_sync`.

    Each machine has a folder of its own in a shared one, and writes there alone: an archive for each agent, `shared`
    for memories without an agent, and `system` for those of the scope itself. It imports the archives of the others.
    A file is replaced as a whole and an import is one transaction, so that an interrupted exchange is run again.
    """

    async def run(
        self,
        folder: str | Path,
        *,
        machine: str,
        passphrase: str,
        progress: Callable[[int], None] | None = None,
    ) -> FolderSynced:
        """Import what other machines wrote into a folder, and write what this one has.

        Args:
            folder: is created if it does not exist.
            machine: a name that no other store of the folder has.
            passphrase: at least 8 characters, the same on each machine.
            progress: is called with the number of memories or lines after each batch.

        Raises:
            InvalidInput: the passphrase is too short.
            NotAllowed: the caller is no operator, or lacks the highest clearance or the right `reveal`.
            StoreUnavailable: the folder cannot be written.
        """
        need_all(self._caller, Right.OPERATE)
        check_passphrase(passphrase)
        place = path_of(folder)
        if not _MACHINE.fullmatch(machine):
            raise InvalidInput(f"machine {machine!r} is no name of a folder; use letters, digits, - and _")
        own = place / machine
        await run_sync(_make, own)
        await run_sync(_remove_unfinished, own)
        state = await run_sync(_state_of, own)
        report = progress or no_progress
        result = FolderSynced(machine=machine)
        if not await self._is_known(state):
            # What an earlier store of this machine wrote may be its only copy.
            state.clear()
            result = await self._read(own, await run_sync(_archives, own), state, result, passphrase, report)
            if result.failed:
                return result
        result = await self._read(own, await run_sync(_others, place, own), state, result, passphrase, report)
        written = await self._write(own, state, passphrase, report)
        await self._keep(own, state)
        return replace(result, written=written)

    async def _is_known(self, state: Mapping[str, Any]) -> bool:
        """Return True if this store wrote a state: its audit log continues the one of the state.

        A new store, or an older copy of the store, has not read what the state names.
        """
        entry: Mapping[str, Any] = state.get("audit", {})
        if not entry:
            return False
        found, _ = await self._unit.read(lambda tx: tx.audit.up_to(entry["sequence"]))
        return found == entry["hash"]

    async def _keep(self, own: Path, state: dict[str, Any]) -> None:
        sequence, hash, _ = await self._unit.read(lambda tx: tx.audit.tip())
        state["audit"] = {"sequence": sequence, "hash": hash}
        await run_sync(_write_state, own, state)

    async def _read(
        self,
        own: Path,
        files: Sequence[Path],
        state: dict[str, Any],
        result: FolderSynced,
        passphrase: str,
        progress: Callable[[int], None],
    ) -> FolderSynced:
        archives = Archives(self._engine, self._caller)
        seen: dict[str, str] = state.setdefault("seen", {})
        for file in files:
            name = f"{file.parent.name}/{file.name}"
            try:
                salt = await run_sync(_salt, file)
                if seen.get(name) == salt:
                    result = replace(result, unchanged=result.unchanged + 1)
                    continue
                imported = await archives.import_archive(file, passphrase=passphrase, reason=_REASON, progress=progress)
            except (InvalidInput, OSError) as error:
                # Such as a file that another program has not copied completely yet.
                result = replace(result, failed={**result.failed, name: str(error)})
                continue
            seen[name] = salt
            await self._keep(own, state)
            conflicts = {**result.conflicts}
            for reason, count in imported.conflict_counts.items():
                conflicts[reason] = conflicts.get(reason, 0) + count
            result = replace(
                result,
                read=result.read + 1,
                created=result.created + imported.created,
                updated=result.updated + imported.updated,
                older=result.older + imported.older,
                same=result.same + imported.same,
                conflicts=conflicts,
            )
        return result

    async def _write(self, own: Path, state: dict[str, Any], passphrase: str, progress: Callable[[int], None]) -> int:
        """Write the archives of this machine whose content has changed; return their number.

        Those of agents without memories are removed.
        """
        prints: dict[str, str] = state.get("prints", {})
        wanted = await self._wanted()
        written = 0
        for name, (scope, part) in wanted.items():
            caller = self._caller if scope == self._caller.scope else self._caller.within(scope)
            unit, new, found = self._engine.unit_of_work(caller), own / f"{name}.new", list[str]()
            pieces = archive_pieces(
                self._engine, unit, passphrase, part=part, progress=progress, fingerprint=found.append
            )
            await write_file(new, pieces)
            if prints.get(name) == found[0] and await self._opens(own / name, passphrase):
                await run_sync(new.unlink)
                continue
            await run_sync(new.replace, own / name)
            prints[name] = found[0]
            written += 1
        state["prints"] = {name: print for name, print in prints.items() if name in wanted}
        await run_sync(_remove_others, own, set(wanted))
        return written

    async def _opens(self, file: Path, passphrase: str) -> bool:
        """Return True if an archive can be read to its end: it is whole, and has this passphrase."""
        try:
            await Archives(self._engine, self._caller).check(file, passphrase=passphrase)
        except (InvalidInput, OSError):
            return False
        return True

    async def _wanted(self) -> dict[str, tuple[Scope, ArchivePart]]:
        """Return the scope and the part of each archive, by its file name."""
        scopes, own = await self._unit.scopes(), self._caller.scope
        agents = sorted({scope.agent for scope in scopes if scope.agent is not None})
        wanted = {
            f"agent-{_file_name(agent)}{_SUFFIX}": (replace(own, agent=agent), ArchivePart.ALL) for agent in agents
        }
        if own.agent is None:
            if any(scope.agent is None and scope != own for scope in scopes):
                wanted[f"shared{_SUFFIX}"] = (own, ArchivePart.SHARED)
            if own in scopes:
                wanted[f"system{_SUFFIX}"] = (own, ArchivePart.SYSTEM)
        return wanted


def _file_name(agent: str) -> str:
    """Return the name of an agent as a part of a file name."""
    plain = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in agent)
    is_plain = plain == agent and len(plain) <= _MAX_AGENT
    return plain if is_plain else f"{plain[:_MAX_AGENT]}-{crc32(agent.encode()):08x}"


def _make(own: Path) -> None:
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"{own} cannot be made: {error.strerror}") from error


def _remove_unfinished(own: Path) -> None:
    """Remove what killed exchanges of this machine have left."""
    for file in (*own.glob(f"*{_SUFFIX}.new*"), *own.glob(f".*{_SUFFIX}.new*")):
        file.unlink(missing_ok=True)


def _archives(own: Path) -> list[Path]:
    return sorted(own.glob(f"*{_SUFFIX}"))


def _others(place: Path, own: Path) -> list[Path]:
    """Return the archives of other machines, those of agents before those that rest on them."""
    files = [
        file for folder in sorted(place.iterdir()) if folder.is_dir() and folder != own for file in _archives(folder)
    ]
    return sorted(files, key=lambda file: (file.parent.name, file.name))


def _salt(file: Path) -> str:
    """Return the salt of an archive, which differs for each writing."""
    with file.open("rb") as stream:
        return parse_header(stream.read(HEADER_BYTES)).salt.hex()


def _state_of(own: Path) -> dict[str, Any]:
    try:
        value: object = json.loads((own / _STATE).read_text("utf-8"))
    except (OSError, ValueError):
        # Without it everything is read and written once more.
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _write_state(own: Path, state: Mapping[str, Any]) -> None:
    written = own / f"{_STATE}.new"
    try:
        written.write_text(json.dumps(state), "utf-8")
        written.replace(own / _STATE)
    except OSError as error:
        raise StoreUnavailable(f"{own} cannot be written: {error.strerror}") from error


def _remove_others(own: Path, wanted: set[str]) -> None:
    for file in _archives(own):
        if file.name not in wanted:
            file.unlink(missing_ok=True)
