"""Cleaning of drafts: private regions, secrets, sealed blocks and personal data are removed before storage."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.language.private import leaves_open, stripped_together
from remembrancer.transactions.draft import Draft
from remembrancer.types.record import Source


def without_regions(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts without the private regions that one of a session opens and a later one closes, or none does.

    What is imported was cut into pieces by others, and a claim stands by itself: there a region that none closes ends
    with its text.
    """
    if not any(leaves_open(draft.text) for draft in drafts):
        return list(drafts)
    done = list(drafts)
    places: dict[tuple[bool, str | None], list[int]] = {}
    for at, draft in enumerate(drafts):
        places.setdefault((draft.role is None, draft.session), []).append(at)
    for together in places.values():
        shown = stripped_together(
            [drafts[at].text for at in together], by=[_speaker(drafts[at], at) for at in together]
        )
        for at, text in zip(together, shown, strict=True):
            done[at] = replace(drafts[at], text=text)
    return done


def _speaker(draft: Draft, at: int) -> str:
    alone = draft.role is None or draft.source is Source.IMPORT
    return f"{at}" if alone else f"{draft.role} {draft.speaker}"
