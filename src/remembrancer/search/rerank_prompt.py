"""The reranker by a language model, listwise: a question and numbered texts in, the numbers of those that help out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import line
from remembrancer.llm.prompts import template_named

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("rerank")
# Fifty numbers, with the marks between them.
ANSWER_TOKENS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankedAnswer:
    """What a model answers: numbers of the prompt's lines, the best first."""

    order: tuple[int, ...]


async def rerank_asking(question: str, texts: Sequence[str], ask: AskModel) -> tuple[float, ...]:
    """A score in [0, 1] for each text, by its place in a model's list; 0 for what it does not name.

    Args:
        ask: puts a prompt to a model; what it raises comes through.
    """

    def scores(answer: RerankedAnswer) -> tuple[float, ...]:
        places = [number - 1 for number in answer.order]
        if len(set(places)) < len(places) or not all(0 <= place < len(texts) for place in places):
            raise BadModelOutput("the model's list names a text twice, or one that is not there")
        worth = {place: 1 - rank / len(texts) for rank, place in enumerate(places)}
        return tuple(worth.get(place, 0.0) for place in range(len(texts)))

    return await ask(reranking_prompt(question, texts), RerankedAnswer, scores)


def reranking_prompt(question: str, texts: Sequence[str]) -> Prompt:
    """What a model is asked to sort; the same question and texts give the same prompt."""
    return TEMPLATE.render(
        question=line(text=question),
        texts="\n".join(line(n=number, text=text) for number, text in enumerate(texts, start=1)),
    )
