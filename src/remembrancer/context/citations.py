"""Answers from memory, and what they cite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.context.answer_prompt import UNKNOWN, Checked, asking_prompt, labelled, labels_for
from remembrancer.context.lines import data_apart
from remembrancer.llm.language_model import Prompt
from remembrancer.search.query import Hit, Recalled
from remembrancer.types.calls import AnswerCost
from remembrancer.types.record import Record, speaker_of
from remembrancer.types.scope import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A memory that an answer cites.

    Args:
        label: what stands for it in the answer, without its brackets.
        id: of the memory.
        line: as the model was given it.
        speaker: who said it; `""` of what is no message.
        untrusted: whether a web page or a tool said it, or it was concluded from what one said.
    """

    label: str
    id: str
    line: str
    occurred_at: datetime
    speaker: str
    untrusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What memory answers to a question.

    Args:
        text: with the labels of what it cites in brackets; `I don't know.` where memory does not say it; without a
            model the lines that were recalled.
        known: whether it answers the question, by a model and with citations that hold.
        citations: what it rests on, in the order of the text.
        hits: what was recalled, best first.
        abstained: whether nothing was recalled that is likely to answer it; then no model was asked.
        nearest: the nearest misses, when it abstained.
        confidence: how likely it is, in [0, 1], that the hits hold an answer.
        model: which one answered, as `provider:name`; `""` where none did.
        tokens: of all calls of models that it took, prompts and answers.
        cost: of the same, in millionths of a US dollar; `None` where it is not known.
        notes: what was not as usual.
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
class Posed:
    """A question with what was recalled for it, as a model is to read it.

    Args:
        labels: of the lines, in their order.
        lines: as the block tells them, in the order of time, quoted data behind the others.
        records: of the same lines.
    """

    question: str
    recalled: Recalled
    labels: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()

    @property
    def text(self) -> str:
        """The labelled lines, quoted data behind the others."""
        return "\n".join(data_apart([*map(labelled, self.labels, self.lines)]))

    def prompt(self, *, memory: str, today: str) -> Prompt:
        """What a model is asked.

        Args:
            memory: the text, sealed.
        """
        return asking_prompt(self.question, memory=memory, today=today)

    def told(self, *notes: str) -> Answer:
        """The lines themselves, where no model is there to answer."""
        return self._answer(self.text, notes, citations=self._cited(self.labels))

    def unknown(self, *notes: str, model: str = "", paid: AnswerCost | None = None) -> Answer:
        """That memory does not say it."""
        return self._answer(UNKNOWN, notes, model=model, paid=paid)

    def answered(self, found: Checked, *, model: str, paid: AnswerCost) -> Answer:
        """What a model has answered, as far as it holds."""
        citations = self._cited(found.labels)
        doubt = ("the answer rests on untrusted memory alone",) if _only_untrusted(citations) else ()
        answer = self._answer(found.text, (*found.notes, *doubt), citations=citations, model=model, paid=paid)
        return replace(answer, known=found.known)

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

    def _cited(self, labels: Sequence[str]) -> tuple[Citation, ...]:
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


def posed(question: str, recalled: Recalled, lines: Sequence[str], records: Sequence[Record]) -> Posed:
    """A question with the lines that a model is to answer it from."""
    return Posed(
        question=question,
        recalled=recalled,
        labels=labels_for(lines, question) if lines else (),
        lines=tuple(lines),
        records=tuple(records),
    )


def _only_untrusted(citations: Sequence[Citation]) -> bool:
    return bool(citations) and all(one.untrusted for one in citations)
