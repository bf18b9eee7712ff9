"""Changes of a classification by an operator: the only way in which one is lowered."""

from remembrancer.guard.personal.find import find_personal, ready
from remembrancer.ingest.classification import class_of_texts, classified
from remembrancer.transactions.names import checked_reason
from remembrancer.transactions.ownership import get_own
from remembrancer.transactions.write_transaction import CLASSIFIED, WriteTransaction
from remembrancer.types.record import Observation, Record, title_of
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification, most_restrictive


async def reclassify(writer: WriteTransaction, id: str, classification: Classification, *, reason: str) -> Record:
    """Change the classification of a memory of the exact scope, and lower that of its derivations where possible.

    Raises:
        NotFound: no such memory in this scope.
        NotAllowed: it belongs to a wider scope.
        InvalidInput: the reason is blank or too long.
    """
    reason = checked_reason(reason, writer.rules.secrets)
    record = await get_own(writer.tx, id)
    writer.set_reason(reason)
    if record.classification is classification:
        return await writer.as_seen(record)
    engine = writer.as_engine()
    changed = await engine.change(record, Change(classification=classification), action=CLASSIFIED)
    await _lower_derived(engine, changed)
    return await writer.as_seen(changed)


async def _lower_derived(writer: WriteTransaction, source: Record) -> None:
    """Lower the classification of derivations as far as their own text and all their evidence allow."""
    tx = writer.tx
    for one in await tx.records.find_all(await tx.records.dependents(source.id)):
        if one.scope != tx.scope or not (isinstance(one, Observation) and one.engine):
            continue
        await ready(one)
        evidence = [record.classification for record in await tx.records.find_all(one.evidence)]
        required = most_restrictive([_own_classification(one), *evidence])
        is_lower = most_restrictive([required, one.classification]) is one.classification
        if required is not one.classification and is_lower:
            lowered = await writer.change(one, Change(classification=required), action=CLASSIFIED)
            await _lower_derived(writer, lowered)


def _own_classification(record: Record) -> Classification:
    texts = [record.text, title_of(record)]
    personal = {one.data_type for text in texts for one in find_personal(text)}
    return classified(class_of_texts(texts, personal=personal), record.metadata)
