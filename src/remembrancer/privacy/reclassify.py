"""What an operator says of how freely a memory may be shown: the only way in which a class is lowered."""

from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.personal.loading import ready
from remembrancer.ingest.classify import class_of_texts, classified
from remembrancer.transactions.ownership import own
from remembrancer.transactions.reasons import said_why
from remembrancer.transactions.write import CLASSIFIED, Writing
from remembrancer.types.change import Change
from remembrancer.types.classification import Classification, most_restrictive
from remembrancer.types.record import Observation, Record, title_of


async def reclassify(writing: Writing, id: str, classification: Classification, *, reason: str) -> Record:
    """A memory of the exact scope in another class, and what engines drew from it lowered with it, as far as it may be.

    Raises:
        NotFound: no such memory here.
        NotAllowed: it belongs to a wider scope.
        InvalidInput: there is no reason, or it is too long.
    """
    said = said_why(reason, writing.rules.secrets)
    record = await own(writing.tx, id)
    writing.because(said)
    if record.classification is classification:
        return await writing.as_seen(record)
    behind = writing.as_engine()
    changed = await behind.change(record, Change(classification=classification), action=CLASSIFIED)
    await _lower_drawn(behind, changed)
    return await writing.as_seen(changed)


async def _lower_drawn(writing: Writing, source: Record) -> None:
    """Open what engines drew from a memory as far as all that it rests on, and what it says itself, allow."""
    tx = writing.tx
    for one in await tx.records.find_all(await tx.records.dependents(source.id)):
        if one.scope != tx.scope or not (isinstance(one, Observation) and one.engine):
            continue
        await ready(one)
        sources = [basis.classification for basis in await tx.records.find_all(one.evidence)]
        asked = most_restrictive([_own_class(one), *sources])
        if asked is not one.classification and most_restrictive([asked, one.classification]) is one.classification:
            lowered = await writing.change(one, Change(classification=asked), action=CLASSIFIED)
            await _lower_drawn(writing, lowered)


def _own_class(record: Record) -> Classification:
    texts = [record.text, title_of(record)]
    personal = {one.datum for text in texts for one in find_personal(text)}
    return classified(class_of_texts(texts, personal=personal), record.metadata)
