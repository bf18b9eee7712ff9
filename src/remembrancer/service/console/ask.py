"""A question and its answer, with citations that open."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.responses import Response

from remembrancer.service.console.request import ConsoleRequest

if TYPE_CHECKING:
    from remembrancer.context.citations import Answer, Citation
_LABEL = re.compile(r"\[([^\[\]]{1,20})\]")


async def ask(page: ConsoleRequest) -> Response:
    """Return the answer to a question."""
    question = page.query("q")
    # Each answer may cost money: a link of another site only fills in the question.
    is_asked = bool(question.strip()) and page.is_own_visit
    answer = await page.memory.ask(question, as_of=page.as_of) if is_asked else None
    parts = _parts(answer) if answer else ()
    elsewhere = await page.other_scopes()
    return page.page("ask.html", question=question, answer=answer, parts=parts, elsewhere=elsewhere)


def _parts(answer: "Answer") -> Sequence[tuple[str, "Citation | None"]]:
    """Return the text of an answer in parts, each label with its citation."""
    cited = {one.label: one for one in answer.citations}
    parts: list[tuple[str, Citation | None]] = []
    end = 0
    for label in _LABEL.finditer(answer.text):
        if label[1] in cited:
            parts += [(answer.text[end : label.start()], None), (label[1], cited[label[1]])]
            end = label.end()
    return [*parts, (answer.text[end:], None)]
