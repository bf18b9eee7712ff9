"""The prompt of a reranker by a language model: texts in, numbers out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import line
from remembrancer.llm.prompts import template_named

# Read on import, not on the event loop.
TEMPLATE: Final = template_named("rerank")
# Fifty numbers, with separators.
ANSWER_TOKENS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankedAnswer:
    """A model's answer: numbers of the prompt's lines, the best first."""

    order: tuple[int, ...]


async def rerank_by_model(question: str, texts: Sequence[str], ask: AskModel) -> tuple[float, ...]:
    """Return a score in [0, 1] per text, from its place in a model's list.

    A text that the list omits has the score 0.

    Args:
        ask: sends a prompt to a model; its errors are raised.
    """

    def scores(answer: RerankedAnswer) -> tuple[float, ...]:
        places = [number - 1 for number in answer.order]
        if len(set(places)) < len(places) or not all(0 <= place < len(texts) for place in places):
            raise BadModelOutput("the model's list has a duplicate or an unknown number")
        by_place = {place: 1 - rank / len(texts) for rank, place in enumerate(places)}
        return tuple(by_place.get(place, 0.0) for place in range(len(texts)))

    return await ask(reranking_prompt(question, texts), RerankedAnswer, scores)


def reranking_prompt(question: str, texts: Sequence[str]) -> Prompt:
    """Return the prompt; equal questions and texts have equal prompts."""
    return TEMPLATE.render(
        question=line(text=question),
        texts="\n".join(line(n=number, text=text) for number, text in enumerate(texts, start=1)),
    )
