"""Answers from memory, with their citations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.context.answer_prompt import UNKNOWN, CheckedAnswer, answer_prompt, label_line, labels_for
from remembrancer.context.lines import quoted_data_last
from remembrancer.llm.language_model import Prompt
from remembrancer.search.query import Hit, RecallResult
from remembrancer.types.calls import AnswerCost
from remembrancer.types.record import Record, speaker_of
from remembrancer.types.scope import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A memory that an answer cites.

    Args:
        label: the label in the answer, without its brackets.
        id: the id of the memory.
        line: the line in the prompt.
        speaker: the speaker of a message, else `""`.
        untrusted: whether the text comes from a web page or a tool, or was derived from such a text.
    """

    label: str
    id: str
    line: str
    occurred_at: datetime
    speaker: str
    untrusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to a question, from memory.

    Args:
        text: the answer, with the labels of its citations in brackets; `I don't know.` if memory has no answer. Without
            a model, the recalled lines.
        known: whether a model answered the question with valid citations.
        citations: the cited memories, in the order of the text.
        hits: the recalled memories, best first.
        abstained: whether no memory is likely to answer the question; no model was called then.
        nearest: the nearest misses, if it abstained.
        confidence: the probability, in [0, 1], that the hits contain an answer.
        model: the model that answered, as `provider:name`; `""` for none.
        tokens: the tokens of all model calls, prompts and answers.
        cost: the cost of all model calls, in millionths of a US dollar; `None` if unknown.
        notes: deviations from the usual.
    """

    text: str
    known: bool
    citations: tuple[Citation, ...] = ()
    hits: tuple[Hit, ...] = ()
    abstained: bool = False
    nearest: tuple[Hit, ...] = ()
    confidence: float = 0.0
    model: str = ""
    tokens: int = 0
    cost: int | None = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedQuestion:
    """A question with its recalled lines, ready for a model.

    Args:
        labels: the labels of the lines, in their order.
        lines: the lines of the block by time, quoted data last.
        records: the memories of the lines, in their order.
    """

    question: str
    recalled: RecallResult
    labels: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def text(self) -> str:
        """The labelled lines, quoted data last."""
        return "\n".join(quoted_data_last([*map(label_line, self.labels, self.lines)]))

    def prompt(self, *, memory: str, today: str) -> Prompt:
        """Return the prompt of the question.

        Args:
            memory: the text, sealed.
        """
        return answer_prompt(self.question, memory=memory, today=today)

    def without_model(self, *notes: str) -> Answer:
        """Return the lines themselves as the answer."""
        return self._answer(self.text, notes, citations=self._citations(self.labels))

    def unknown(self, *notes: str, model: str = "", paid: AnswerCost | None = None) -> Answer:
        """Return the answer that memory does not know."""
        return self._answer(UNKNOWN, notes, model=model, paid=paid)

    def from_model(self, checked: CheckedAnswer, *, model: str, paid: AnswerCost) -> Answer:
        """Return the answer of a model."""
        citations = self._citations(checked.labels)
        doubts = ("the answer cites only untrusted memories",) if _only_untrusted(citations) else ()
        answer = self._answer(checked.text, (*checked.notes, *doubts), citations=citations, model=model, paid=paid)
        return replace(answer, known=checked.known)

    def _answer(
        self,
        text: str,
        notes: Sequence[str],
        *,
        citations: tuple[Citation, ...] = (),
        model: str = "",
        paid: AnswerCost | None = None,
    ) -> Answer:
        recalled, cost = self.recalled, paid or AnswerCost()
        return Answer(
            text=text,
            known=False,
            citations=citations,
            hits=recalled.hits,
            abstained=recalled.abstained,
            nearest=recalled.nearest,
            confidence=recalled.confidence,
            model=model,
            tokens=cost.tokens,
            cost=cost.cost,
            notes=(*recalled.notes, *notes),
        )

    def _citations(self, labels: Sequence[str]) -> tuple[Citation, ...]:
        return tuple(self._by_label[label] for label in labels)

    @property
    def _by_label(self) -> Mapping[str, Citation]:
        return {
            label: Citation(
                label=label,
                id=record.id,
                line=line.removeprefix("- "),
                occurred_at=record.occurred_at,
                speaker=speaker_of(record),
                untrusted=record.trust is Trust.UNTRUSTED,
            )
            for label, line, record in zip(self.labels, self.lines, self.records, strict=True)
        }


def prepare_question(
    question: str, recalled: RecallResult, lines: Sequence[str], records: Sequence[Record]
) -> PreparedQuestion:
    """Return a question with labelled lines."""
    return PreparedQuestion(
        question=question,
        recalled=recalled,
        labels=labels_for(lines, question) if lines else (),
        lines=tuple(lines),
        records=tuple(records),
    )


def _only_untrusted(citations: Sequence[Citation]) -> bool:
    return bool(citations) and all(one.untrusted for one in citations)
