"""Lessons of a task: read the evidence, call a model without a transaction, and write a reflection."""

from collections.abc import Sequence
from datetime import tzinfo

from remembrancer.errors import BadModelOutput, BudgetExceeded, Conflict, NotAllowed, NotFound, ProviderUnavailable
from remembrancer.ingest.admission import admit
from remembrancer.learn.llm.lesson import conclude_asking
from remembrancer.learn.observer import AUTHOR, IMPORTANCE
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.llm.request import Bill
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.calls import CallPurpose
from remembrancer.types.notes import Insight
from remembrancer.types.record import Message, Record, Source
from remembrancer.types.scope import Trust, least_trust, most_restrictive

ENGINE = "asking-executor"
ANSWER_TOKENS = 1_000
# Memories read for a task that the prompt shows again; the best come first.
_MOST_SHOWN = 40
_MOST_CHARACTERS = 20_000


async def conclude(
    unit: UnitOfWork, models: Models, read: Sequence[str], task: Message, answer: Message, *, zone: tzinfo, bill: Bill
) -> tuple[Record | None, str]:
    """Ask a model for the lesson of a task; return it as a reflection, and why there is none.

    Without a conclusion the reason is `""`.

    Args:
        read: ids of all memories that the answer used.
    """
    if not models.available(CallPurpose.REFLECT):
        return None, "nothing was reflected on: no model is configured to reflect"

    async def work(tx: Tx) -> list[Record]:
        found = {record.id: record for record in await tx.records.find_all(list(read))}
        return [found[id] for id in read if id in found and id not in (task.id, answer.id)]

    known = await unit.read(work)
    ask = ScopedModels(models, unit.scope, task.session, CallPurpose.REFLECT, max_tokens=ANSWER_TOKENS, bill=bill)
    try:
        shown = _shown(known)
        insight = await conclude_asking(shown, task, answer, ask=ask, zone=zone, types=unit.rules.types)
        if insight is None:
            return None, ""
        draft = _draft(insight, known, task, answer, engine=f"{ENGINE} {ask.version}", model=ask.model)
        async with unit.write() as writer:
            (saved,) = await admit(writer, [draft])
        return saved.record, ""
    except NotAllowed:
        return None, "nothing was written back: a person has rejected what was concluded, or what it rests on"
    except (BadModelOutput, BudgetExceeded, Conflict, NotFound, ProviderUnavailable) as error:
        return None, f"nothing was written back: {error}"


def _shown(known: Sequence[Record]) -> list[Record]:
    """As many memories as a model is shown again, in the order of time."""
    room, some = _MOST_CHARACTERS, list[Record]()
    for record in known[:_MOST_SHOWN]:
        if len(record.text) <= room:
            room -= len(record.text)
            some.append(record)
    return sorted(some, key=lambda record: (record.occurred_at, record.id))


def _draft(
    insight: Insight, known: Sequence[Record], task: Message, answer: Message, *, engine: str, model: str
) -> Draft:
    """Return the draft of a reflection; its evidence is everything that the answer used."""
    basis = [*known, task, answer]
    return Draft(
        text=insight.text,
        type=insight.type,
        session=task.session,
        author=AUTHOR,
        source=Source.OBSERVER,
        occurred_at=answer.occurred_at,
        importance=IMPORTANCE[insight.priority],
        trust=Trust.UNTRUSTED if least_trust([one.trust for one in basis]) is Trust.UNTRUSTED else None,
        classification=most_restrictive([one.classification for one in basis]),
        evidence=insight.sources,
        derived=Derived(engine=engine, model=model, priority=insight.priority, insight=True),
    )
