"""Private regions that go on from one message of a call to the next."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.governance.draft import Draft
from remembrancer.language.private import depth_after, stripped_together
from remembrancer.model.record import Source


def without_regions(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts without the private regions that one message of a session opens and a later one closes, or none does.

    What is imported was cut into pieces by others: there a region that none closes ends with its message.
    """
    if not any(draft.role is not None and depth_after(draft.text) for draft in drafts):
        return list(drafts)
    done = list(drafts)
    sessions = dict.fromkeys(draft.session for draft in drafts if draft.role is not None)
    for session in sessions:
        places = [at for at, draft in enumerate(drafts) if draft.role is not None and draft.session == session]
        shown = stripped_together([drafts[at].text for at in places], by=[_speaker(drafts[at], at) for at in places])
        for at, text in zip(places, shown, strict=True):
            done[at] = replace(drafts[at], text=text)
    return done


def _speaker(draft: Draft, at: int) -> str:
    return f"{at}" if draft.source is Source.IMPORT else f"{draft.role} {draft.speaker}"
