"""Making archives, and taking them in; see `governance.portable`."""

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, cast

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.learn import deletion as removal
from remembrancer.privacy.archive.container import Sealing, fresh_head, opened
from remembrancer.privacy.archive.exports import named
from remembrancer.privacy.archive.lines import Count, Heading, Held, end_line, heading_line, line_of, read_lines
from remembrancer.privacy.archive.merging import BATCH, Merging, Outcome
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.transactions.write import Writing
from remembrancer.types.archive import Archived, Beside, ClashReason, Noticed, Taken
from remembrancer.types.episode import Tier
from remembrancer.types.record import Kind
from remembrancer.types.scope import Scope
from remembrancer.types.transfer import ENGINE as TRANSFER

_MOST_SCOPES: Final = 2_000
# What memories rest on comes before them, as far as kinds tell.
_ORDER: Final[tuple[tuple[Kind, str], ...]] = (
    (Kind.MESSAGE, ""),
    *((Kind.EPISODE, tier.value) for tier in (Tier.RAW, Tier.WEEKLY, Tier.MONTHLY)),
    (Kind.OBSERVATION, ""),
    (Kind.REFLECTION, ""),
    (Kind.FACT, ""),
    (Kind.PROCEDURE, ""),
    (Kind.SIGNAL, ""),
)
_PAGE: Final = 100


def in_order(scopes: Iterable[Scope]) -> list[Scope]:
    """Scopes in an order in which each stands before those that it sees, as `Scope.visible` has them."""
    return sorted(
        scopes,
        key=lambda one: (
            (one.project is None, one.agent is None, one.user is None),
            (one.project or "", one.agent or "", one.user or ""),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Archiving:
    """Archives that one caller has asked for.

    Args:
        desk: the caller's own, whose scope bounds them; nothing of it is closed to the caller.
    """

    store: Store
    desk: Desk

    async def scopes(self) -> list[Scope]:
        """The scopes that an archive of the caller's holds, in their order.

        Raises:
            NotFound: none of them was ever written to.
            InvalidInput: they are too many for one archive.
        """
        found = in_order(await self.desk.scopes())
        if not found:
            raise NotFound("memory", named(self.desk.scope))
        if len(found) > _MOST_SCOPES:
            raise InvalidInput(
                f"there are {len(found)} scopes here, and an archive holds {_MOST_SCOPES} at most; make one for each"
                " project or agent, or copy the store"
            )
        return found

    async def pieces(
        self, scopes: Sequence[Scope], passphrase: str, *, told: Callable[[int], None]
    ) -> AsyncGenerator[bytes, None]:
        """An archive of all that is in some scopes, as of one moment.

        Args:
            scopes: as `scopes` has them.
            told: is called with the number of memories each time some were read.
        """
        head = fresh_head()
        sealing = await run_sync(Sealing, head, passphrase)
        yield head.packed
        count = Count()
        first = self.desk.caller.within(scopes[0])
        async with self.store.snapshot(first, streaming=True) as tx:
            heading = Heading(made_at=self.desk.rules.clock.now(), scopes=scopes)
            for chunk in sealing.add(heading_line(heading)):
                yield chunk
            for place, scope in enumerate(scopes):
                here = await tx.at(self.desk.caller.within(scope))
                async for lines in _held_of(here):
                    for held in lines:
                        count.add(held)
                    text = b"".join(line_of(place, held) for held in lines)
                    for chunk in sealing.add(text):
                        yield chunk
                    told(sum(1 for held in lines if not isinstance(held, Noticed | Beside)))
        for chunk in sealing.add(end_line(count)):
            yield chunk
        yield sealing.end()

    async def check(self, file: Path, passphrase: str) -> Archived:
        """What is in an archive, once all of it was read.

        Raises:
            InvalidInput: it does not open, or is not what it must be.
        """
        return await run_sync(_checked, file, passphrase, self.desk.scope.tenant)

    async def take(self, file: Path, passphrase: str, *, reason: str, told: Callable[[int], None]) -> Taken:
        """Take an archive in, all of it in one transaction, once all of it was read and found whole.

        Raises:
            InvalidInput: it does not open, is not what it must be, or is of scopes outside of the caller's.
        """
        archive = await self.check(file, passphrase)
        for scope in archive.scopes:
            if not self.desk.scope.holds(scope):
                raise InvalidInput(
                    f"the archive holds memories of {named(scope)}, which lies outside of {named(self.desk.scope)}:"
                    " nothing was taken; open the memory of the wider scope"
                )
        outcome = Outcome()
        stream = await run_sync(file.open, "rb")
        try:
            lines = read_lines(opened(stream.read, passphrase), tenant=self.desk.scope.tenant)
            async with AsyncExitStack() as stack:
                writings = await self._writings(stack, archive.scopes)
                await _merge(lines, writings, outcome, reason=reason, told=told)
        finally:
            stream.close()
        return Taken(
            archive=archive,
            created=outcome.created,
            updated=outcome.updated,
            same=outcome.same,
            older=outcome.older,
            sessions=outcome.sessions,
            clashes=tuple(outcome.clashes),
            clashed=outcome.clashed,
        )

    async def _writings(self, stack: AsyncExitStack, scopes: Sequence[Scope]) -> dict[Scope, Writing]:
        """What writes to each of some scopes, all in one transaction."""
        caller = self.desk.caller
        first = await stack.enter_async_context(self.desk.of(caller.within(scopes[0])).write(streaming=True))
        found = {scopes[0]: first}
        for scope in scopes[1:]:
            found[scope] = await stack.enter_async_context(first.at(scope))
        return found


async def _merge(
    lines: Generator[Heading | tuple[int, Held] | Count],
    writings: Mapping[Scope, Writing],
    outcome: Outcome,
    *,
    reason: str,
    told: Callable[[int], None],
) -> None:
    scopes: Sequence[Scope] = ()
    merging: tuple[int, Merging] | None = None
    while some := await run_sync(lambda: list(islice(lines, BATCH))):
        for line in some:
            match line:
                case Heading():
                    scopes = line.scopes
                    if set(scopes) != set(writings):
                        raise InvalidInput("the archive was changed while it was read; nothing was taken from it")
                case Count():
                    pass
                case (place, held):
                    if merging is None or merging[0] != place:
                        if merging is not None:
                            await merging[1].end()
                        writing = writings[scopes[place]]
                        writing.because(reason)
                        merging = place, Merging(writing.as_engine(), outcome)
                        await merging[1].begin()
                    await merging[1].add(held)
        told(len(some))
    if merging is not None:
        await merging[1].end()
    await _settle(writings, outcome)


async def _settle(writings: Mapping[Scope, Writing], outcome: Outcome) -> None:
    """See to what rests on memories that never came: without those it stands, or it goes with what may not be here."""
    loose = outcome.loose
    for source, resting in outcome.waiting.items():
        for id, scope in resting:
            behind = writings[scope].as_engine()
            if source not in outcome.refused:
                loose.setdefault(scope, set()).add(id)
            elif (record := await behind.tx.records.find(id)) is not None:
                outcome.created -= 1
                outcome.clash(record, ClashReason.ERASED)
                await removal.delete(behind, id, erase=True)
    for scope, ids in loose.items():
        await writings[scope].as_engine().let_go(sorted(ids))


async def _held_of(tx: Tx) -> AsyncGenerator[list[Held], None]:
    """All that one exact scope holds, a page at a time: what is counted of memories behind them."""
    archiving = tx.archives
    if logs := await archiving.logs():
        yield [Noticed(log=log) for log in logs]
    for kind, tier in _ORDER:
        after: tuple[str, str] | None = None
        while page := await archiving.bundles(kind, tier, after=after, limit=_PAGE):
            # What another project has lent is not this scope's to hand on.
            yield [bundle for bundle in page if bundle.record.get("engine") != TRANSFER]
            last = page[-1].record
            after = last["occurred_at"], last["id"]
    begun = ""
    while sittings := await archiving.session_bundles(after=begun, limit=_PAGE):
        yield cast("list[Held]", sittings)
        begun = sittings[-1].session["id"]
    for table, key in (("injections", ("id", "record")), ("weights", ("session", "record"))):
        after = None
        while rows := await archiving.side_rows(table, after=after, limit=_PAGE):
            yield [Beside(table=table, rows=rows)]
            after = rows[-1][key[0]], rows[-1][key[1]]


def _checked(file: Path, passphrase: str, tenant: str) -> Archived:
    """What is in an archive. Blocking."""
    if not file.is_file():
        raise InvalidInput(f"{file} is no file")
    heading: Heading | None = None
    count = Count()
    with file.open("rb") as stream:
        for line in read_lines(opened(stream.read, passphrase), tenant=tenant):
            match line:
                case Heading():
                    heading = line
                case Count():
                    count = line
                case _:
                    pass
        size = stream.tell()
    if heading is None:
        raise InvalidInput(f"{file} has no heading; it is no archive of ours")
    return Archived(
        made_at=heading.made_at,
        scopes=tuple(heading.scopes),
        memories=dict(sorted(count.memories.items())),
        sessions=count.sessions,
        bytes=size,
    )
