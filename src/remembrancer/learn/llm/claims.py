"""Verification of a model's claims against their sources, for notes, insights and summaries.

Each clause of a claim is compared with the clauses of its sources that have the same words. One of them must confirm
it: it has the same persons, negation, certainty, bounds and condition, it is a statement and not a question, and it is
by the same speaker. An instruction must be verbatim.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from itertools import pairwise
from typing import Final

from remembrancer.language.assertion import (
    agrees,
    answers,
    assertion,
    is_about,
    is_conditional,
    is_question,
    names_source,
    reports,
    reports_question,
    wishes,
)
from remembrancer.language.sentences import sentences
from remembrancer.language.spelling import folded
from remembrancer.language.tables import PatternTable
from remembrancer.language.terms import language, terms
from remembrancer.learn.llm.clauses import (
    ASSISTANT,
    USER,
    Clause,
    answer_of,
    clauses_of,
    is_instruction,
    names_in,
    overlap,
    roles_in,
    speaker_names,
    word_for_word,
    words_in,
)
from remembrancer.learn.llm.figures import SourceFigures, stated
from remembrancer.types.record import Message, Observation, Role
from remembrancer.types.scope import Trust


class ClaimFault(StrEnum):
    """Why a claim is not kept, by its reason."""

    EMPTY = "says nothing"
    UNGROUNDED = "rests on nothing"
    NUMBER = "gives a number that is in none of its sources"
    DATE = "gives a date that is in none of its sources"
    NAME = "gives a name that is in none of its sources"
    UNSAID = "says what none of its sources says"
    SPEAKER = "says of somebody what was said of another"
    OUTSIDE = "tells quoted or untrusted words as what somebody said or wants"
    QUESTION = "tells a question as a fact"
    NEGATION = "drops or adds a negation"
    HEDGE = "tells as certain what was said to be unsure"
    CONDITION = "leaves out a condition"
    BOUND = "drops or adds a limit"
    INSTRUCTION = "tells an instruction in other words"


# What a claim may have that its sources do not: a word, or this part of its words.
_UNKNOWN: Final = 0.4
# A clause that has so much of what the best one has of a claim may bear it out as well.
_NEAR: Final = 0.75
# An answer with at most this many significant words has the content of its question.
_FEW: Final = 3
# The weight of an insignificant word.
_LITTLE: Final = 0.4
# So many texts back somebody may be named whom a pronoun means.
_BACK: Final = 3
_SPOKEN: Final = re.compile(r"(?P<by>[^:\"“”„\n]{1,60}): ")
# A question behind its answer, as notes have it.
_ASIDE: Final = re.compile(r" ?\((?P<by>[^:()\n]{1,60}): [\"“„]…?(?P<quote>[^\"“”\n]+)[\"”“]\)")
_A_NAME: Final = re.compile(
    r"(?:(?:The|Der|Die) )?[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*){0,3}|The (?:user|assistant)"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
# So much of so many texts shows their language.
_SHOWN: Final = 100
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_CUES: Final = PatternTable("claims")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSource:
    """A source of claims.

    Args:
        number: by which a claim cites it.
        by: its speaker; `""` if unknown.
        role: `USER`, `ASSISTANT`, or `""` if unknown.
        outside: True for a page, a tool or an untrusted text.
        refers_to: its day, month or year as ISO text, or `""`.
    """

    number: int
    at: datetime
    by: str
    role: str
    outside: bool
    text: str
    refers_to: str = ""


class Claims:
    """The verifier of claims.

    Args:
        sources: in order.
        zone: of the days.
        known: earlier notes, which resolve references.
    """

    def __init__(self, sources: Sequence[ClaimSource], zone: tzinfo, *, known: Sequence[str] = ()) -> None:
        self._sources = [turn for source in sources for turn in _turns(source)]
        self._zone = zone
        self._tongue = language(" ".join(source.text[:_SHOWN] for source in sources[:_SHOWN]))
        start = sources[0].at if sources else datetime.min.replace(tzinfo=UTC)
        first = -len(known)
        self._known = [
            turn
            for at, text in enumerate(known)
            for turn in _turns(ClaimSource(number=first + at, at=start, by="", role="", outside=False, text=text))
        ]
        self._all = [*self._known, *self._sources]
        self._speakers = {name: one.role for one in self._all for name in speaker_names(one.by)}
        self._words = frozenset(folded(word) for one in self._all for word in words_in(f"{one.by} {one.text}"))
        self._names = frozenset(self._speakers) | frozenset(
            name for one in self._all for name in names_in(one.text, self._tongue_of(one.text))
        )
        self._users = frozenset(
            folded(found["name"])
            for one in self._all
            if one.role == USER and not one.by
            for found in _CUES["introduced"].finditer(one.text)
        ) | frozenset(name for one in self._known for name in speaker_names(one.by))
        self._aliases = _aliases(self._all, self._names)
        self._clauses: dict[tuple[int, frozenset[str]], list[Clause]] = {}
        self._grounds: dict[tuple[datetime, str], SourceFigures] = {}

    def fault(
        self, text: str, refers_to: str = "", *, cited: Collection[int], since: int | None = None
    ) -> ClaimFault | None:
        """Return why a claim is refused; `None` for a confirmed one.

        Args:
            refers_to: its day, month or year as ISO text, or `""`.
            cited: the numbers of its sources.
            since: the number of the first further source, up to the last cited one.
        """
        if not text.strip():
            return ClaimFault.EMPTY
        if not cited:
            return ClaimFault.UNGROUNDED
        last = max(cited)
        near = [
            at
            for at, one in enumerate(self._all)
            if one.number <= 0 or one.number in cited or (since is not None and since <= one.number <= last)
        ]
        what = SourceFigures.joined(map(self._ground, near)).refuted(text, refers_to)
        if what:
            return ClaimFault.DATE if what == "a date" else ClaimFault.NUMBER
        lines = (line for line in text.splitlines() if line.strip())
        return next((found for line in lines if (found := self._fault(line, near, cited))), None)

    def _fault(self, text: str, near: Sequence[int], cited: Collection[int]) -> ClaimFault | None:
        for asked in _ASIDE.finditer(text):
            if not self._is_asked(asked, near):
                return ClaimFault.SPEAKER
        tongue, text = self._tongue_of(text), _ASIDE.sub(" ", text)
        head = _SPOKEN.match(text)
        by = head["by"] if head and self._is_somebody(head["by"]) else ""
        body = text[head.end() :] if head and by else text
        if any(not {name, name.removesuffix("s")} & self._words for name in names_in(body, tongue, unsure=True)):
            return ClaimFault.NAME
        named = names_in(body, tongue) | self._names
        clauses = clauses_of(text, tongue, named=named)
        if not (by or stated(body) or roles_in(text) or any(one.words or one.names for one in clauses)):
            return ClaimFault.UNSAID
        subjects = speaker_names(by) & named or roles_in(by)
        for sentence in sentences(body):
            claimed = clauses_of(sentence, tongue, named=named)
            known = [clause for at in near for clause in self._of(at, named)]
            words = frozenset[str]().union(*(clause.words for clause in claimed))
            unknown = {word for word in words if not any(overlap([word], one.words) for one in known)}
            if len(unknown) > max(1, round(_UNKNOWN * len(words))) or (unknown and len(unknown) == len(words)):
                return ClaimFault.UNSAID
            if found := self._of_clauses(claimed, known, text, subjects, by=bool(by), cited=cited):
                return found
        return None

    def _is_asked(self, asked: re.Match[str], near: Sequence[int]) -> bool:
        """Return True if a question that a claim quotes is that of whom it names."""
        names = speaker_names(asked["by"]) | roles_in(asked["by"])
        sources = (self._all[at] for at in near)
        return any(word_for_word(one.text, asked["quote"]) and names & self._own(one) for one in sources)

    def _of_clauses(
        self,
        claimed: Sequence[Clause],
        known: Sequence[Clause],
        text: str,
        subjects: frozenset[str],
        *,
        by: bool,
        cited: Collection[int],
    ) -> ClaimFault | None:
        before = subjects
        for clause in claimed:
            own = clause.subjects | roles_in(clause.text)
            who = subjects | own if by else own or (before if clause.leans else frozenset())
            before = who or before
            nearest = _nearest(clause, known, [at for at, one in enumerate(self._all) if one.number in cited])
            if found := self._borne_out(clause, nearest, text, who, by=by, cited=cited):
                return found
        return None

    def _borne_out(
        self,
        clause: Clause,
        nearest: Sequence[Clause],
        text: str,
        who: frozenset[str],
        *,
        by: bool,
        cited: Collection[int],
    ) -> ClaimFault | None:
        """Why none of the clauses that have the words of a claim bears it out, by the first of them."""
        first: ClaimFault | None = None
        for other in nearest:
            found = self._against(clause, other, text, who, by=by, cited=cited)
            if found is None:
                return None
            first = first or found
        return first

    def _against(
        self, clause: Clause, other: Clause, text: str, who: frozenset[str], *, by: bool, cited: Collection[int]
    ) -> ClaimFault | None:
        source = self._all[other.place]
        firm, basis = clause.assertion, other.assertion
        if source.outside and not self._names_outside(clause, other, text, who, cited):
            return ClaimFault.OUTSIDE
        if other.quoted and not _attributed(text):
            return ClaimFault.OUTSIDE
        if not self._has_subject(who, clause, other, by=by):
            return ClaimFault.SPEAKER
        if source.role == USER and not other.quoted and is_instruction(other.sentence):
            return None if word_for_word(text, other.sentence) else ClaimFault.INSTRUCTION
        if is_question(other.sentence) and not reports_question(text):
            return ClaimFault.QUESTION
        if (basis.no and not firm.no_broadly) or (firm.no and not basis.no_broadly):
            return ClaimFault.NEGATION
        if _is_rounder(other.text, clause.text) or (
            basis.unsure and not firm.unsure_broadly and not assertion(text).unsure
        ):
            return ClaimFault.HEDGE
        if other.conditional and not is_conditional(text, broadly=True):
            return ClaimFault.CONDITION
        if not basis.bounds <= firm.bounds_broadly or not firm.bounds <= basis.bounds_broadly:
            return ClaimFault.BOUND
        if not self._same_values(clause, other):
            return ClaimFault.NUMBER
        return None

    def _has_subject(self, who: frozenset[str], clause: Clause, other: Clause, *, by: bool) -> bool:
        """Return True if the subjects of a claim are those of its source."""
        source = self._all[other.place]
        own = self._own(source)
        if by and own and not who & own:
            return False
        named = other.names | roles_in(other.text)
        allowed = set(named)
        if by or (not other.quoted and (other.first or other.we or not other.subjects)):
            allowed |= own
        if other.you or other.we:
            allowed |= {*self._speakers, USER, ASSISTANT} - (set() if other.we else own)
        if (together := _together(clause.text, who)) and not together <= allowed | self._by_alias(allowed):
            return False
        if named <= who or reports(clause.text):
            allowed |= own
        if other.answers:
            allowed |= own | (self._own(self._all[other.place - 1]) if other.bare else set[str]())
        if not named:
            allowed |= who.intersection(map(folded, _WORD.findall(other.sentence)))
        if other.quoted or other.refers or not (named or other.first):
            back = _BACK if other.refers else 0
            for before in self._all[max(0, other.place - back) : other.place + 1]:
                allowed |= (
                    who.intersection(map(folded, _WORD.findall(before.text)))
                    | self._own(before)
                    | roles_in(before.text)
                )
        missing = who - allowed - self._by_alias(allowed)
        if missing:
            return False
        if source.role == ASSISTANT and wishes(clause.text) and self._people(who) and not who & own:
            return False
        return not self._is_turned(clause, other, own)

    def _names_outside(
        self, clause: Clause, other: Clause, text: str, who: frozenset[str], cited: Collection[int]
    ) -> bool:
        """Return True if a claim names a tool or a page as its source, and is not a wish."""
        if self._all[other.place].number not in cited:
            return False
        plain = not (wishes(clause.text) or self._people(who) or is_instruction(other.sentence))
        return plain or _attributed(text)

    def _own(self, source: ClaimSource) -> frozenset[str]:
        """Return the names by which a claim may refer to a speaker."""
        names = speaker_names(source.by)
        if source.role == USER:
            return names | {USER} | (set[str]() if names else self._users)
        return names | ({source.role} if source.role else set[str]())

    def _by_alias(self, allowed: Collection[str]) -> frozenset[str]:
        return frozenset(name for group in self._aliases if not group.isdisjoint(allowed) for name in group)

    def _is_turned(self, clause: Clause, other: Clause, own: frozenset[str]) -> bool:
        """Return True if two named persons are exchanged, and nothing else differs."""
        opens = re.match(r"(\w+)\s+(\w+)", clause.text)
        if (
            opens
            and folded(opens[1]) in other.names - other.subjects
            and re.search(rf"\b{re.escape(opens[2])}\b", other.text, re.I)
        ):
            return True
        if _CUES["turned"].search(clause.text) or _CUES["turned"].search(other.text):
            return False
        me = next(iter(sorted(own & clause.names)), "")
        one = _order(clause.text, clause.names, "")
        two = _order(other.text, clause.names, me)
        return len(one) == 2 and two == one[::-1]

    def _people(self, who: frozenset[str]) -> bool:
        """Return True if a user is among some who are named."""
        return USER in who or any(self._speakers.get(name) == USER for name in who)

    def _is_somebody(self, by: str) -> bool:
        names = speaker_names(by)
        return bool(names) and (names <= self._speakers.keys() or bool(roles_in(by)))

    def _same_values(self, clause: Clause, other: Clause) -> bool:
        """Return True if a claim has no number or date of another thing than its source."""
        source = self._all[other.place]
        near = self._ground_of(source.at, other.text)
        wrong = {near.refuted(value) for value in stated(clause.text)} - {""}
        if "a date" in wrong and near.dated:
            return False
        mine = self._ground_of(source.at, clause.text)
        return not wrong or not any(mine.refuted(value) for value in stated(other.text))

    def _ground(self, place: int) -> SourceFigures:
        source = self._all[place]
        return self._ground_of(source.at, ". ".join(filter(None, (source.by, source.refers_to, source.text))))

    def _ground_of(self, at: datetime, text: str) -> SourceFigures:
        if (at, text) not in self._grounds:
            self._grounds[at, text] = SourceFigures([(at, text)], self._zone)
        return self._grounds[at, text]

    def _of(self, place: int, named: frozenset[str]) -> list[Clause]:
        if (place, named) not in self._clauses:
            text = self._all[place].text
            found = clauses_of(text, self._tongue_of(text), place=place, named=named)
            asked = self._asked_before(place)
            if found and asked:
                asking = clauses_of(asked, self._tongue_of(asked), place=place, named=named)
                first = [_answering(one, asking) for one in found if one.sentence == found[0].sentence]
                bare = answer_of(text)
                answer = [replace(first[0], text=bare, assertion=assertion(bare), bare=True)] if bare else []
                found = [*answer, *first, *found[len(first) :]]
            self._clauses[place, named] = found
        return self._clauses[place, named]

    def _asked_before(self, place: int) -> str:
        """Return the question or agreed text that the beginning of a text answers; `""` for none."""
        source = self._all[place]
        before = self._all[place - 1] if place else None
        if before is None or self._own(before) == self._own(source) or before.outside:
            return ""
        last = next(reversed([*sentences(before.text)]), "")
        if not last.endswith("?"):
            return last if agrees(source.text) else ""
        first = next(sentences(source.text), "")
        telling = [term for term in terms(first, self._tongue_of(first)) if term.kind not in ("stop", "common")]
        return last if answers(source.text) or len(telling) <= _FEW else ""

    def _tongue_of(self, text: str) -> str:
        return language(text, otherwise=self._tongue)


def of_message(message: Message) -> ClaimSource:
    """Return a message as claims are compared with it."""
    return ClaimSource(
        number=message.number,
        at=message.occurred_at,
        by=message.speaker,
        role=_ROLES.get(message.role, ""),
        outside=message.role not in _ROLES or message.trust is Trust.UNTRUSTED,
        text=message.text,
    )


def of_observation(observation: Observation, number: int) -> ClaimSource:
    """Return an observation as claims are compared with it, by the number that they name it by."""
    return ClaimSource(
        number=number,
        at=observation.occurred_at,
        by="",
        role="",
        outside=observation.trust is Trust.UNTRUSTED,
        text=observation.text,
        refers_to=observation.refers_to,
    )


_ROLES: Final = {Role.USER: USER, Role.ASSISTANT: ASSISTANT}


def _turns(source: ClaimSource) -> list[ClaimSource]:
    """Return a note as the turns of the speakers that its lines begin with."""
    if source.role:
        return [source]
    return [_spoken(replace(source, text=line)) for line in source.text.splitlines() if line.strip()] or [source]


def _spoken(source: ClaimSource) -> ClaimSource:
    found = _SPOKEN.match(source.text)
    if found is None or not _A_NAME.fullmatch(found["by"]):
        return source
    role = next(iter(roles_in(found["by"])), USER)
    by = "" if roles_in(found["by"]) else found["by"]
    return replace(source, by=by, role=role, text=source.text[found.end() :])


def _answering(clause: Clause, asking: Sequence[Clause]) -> Clause:
    """Return a clause of an answer with the words of what it answers."""
    return replace(
        clause,
        words=clause.words.union(*(one.words for one in asking)),
        common=clause.common.union(*(one.common for one in asking)),
        names=clause.names.union(*(one.names for one in asking)),
        answers=True,
        bare=not clause.words,
    )


def _nearest(clause: Clause, known: Sequence[Clause], cited: Collection[int]) -> list[Clause]:
    """Return the clauses with the most common words, the best first; by unspecific words only cited ones."""
    counted = [
        (
            overlap(clause.words, one.words)
            + _LITTLE * overlap(clause.common, one.common)
            + len((clause.names - clause.subjects) & (one.names - one.subjects)),
            one,
        )
        for one in known
    ]
    if not any(count >= 1 for count, _ in counted):
        counted = [(count, one) for count, one in counted if one.place in cited]
    best = max((count for count, _ in counted), default=0)
    found = [(count, one) for count, one in counted if count and count >= _NEAR * best]
    found.sort(key=lambda pair: (-pair[0], len(pair[1].words)))
    return [one for _, one in found]


def _attributed(text: str) -> bool:
    """Return True if a claim names its source: a text, or another speaker."""
    return names_source(text) or (reports(text) and not wishes(text))


def _is_rounder(source: str, claim: str) -> bool:
    """Return True if an approximate number, or a limit, is claimed as exact."""
    rough = {found[0] for found in _FIGURE.finditer(source) if is_about(source[: found.start()])}
    return any(found[0] in rough and not is_about(claim[: found.start()]) for found in _FIGURE.finditer(claim))


def _together(text: str, who: frozenset[str]) -> frozenset[str]:
    """Return the names that share a claim: "Ann and Ben"."""
    for found in _CUES["both"].finditer(text):
        both = frozenset(name for word in found.groups() for name in (folded(word), *roles_in(word)))
        if len(both & who) > 1:
            return both & who
    return frozenset()


def _order(text: str, names: frozenset[str], me: str) -> list[str]:
    """Return names ordered by their first place in a text, with "I" for the speaker's."""
    found = [folded(re.sub(r"['’]s?$", "", word[0])) for word in re.finditer(r"[^\W\d_]+(?:['’]\w+)?", text)]
    found = [me if me and _CUES["i"].fullmatch(word) else word for word in found]
    return list(dict.fromkeys(word for word in found if word in names))


def _aliases(sources: Sequence[ClaimSource], names: frozenset[str]) -> list[frozenset[str]]:
    """Names of more than one word, each as its words."""
    found = {speaker_names(one.by) for one in sources if one.by}
    for one in sources:
        words = [folded(word) for word in _WORD.findall(one.text)]
        found |= {frozenset(pair) for pair in pairwise(words) if names.issuperset(pair)}
    return [group for group in found if len(group) > 1]
