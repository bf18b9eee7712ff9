"""What an agent is told of how to behave: facts and rules in full, and the few things that were done and matter now."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp

from remembrancer.context.assemble import MOST_EPISODES, Verbatim
from remembrancer.ingest import facts
from remembrancer.language.analysis import names_in
from remembrancer.language.spelling import bare
from remembrancer.learn import rules as procedures
from remembrancer.search import timeline as looking
from remembrancer.search.candidates import LAMBDA_OF_TIER, WEIGHT_OF_TIER
from remembrancer.storage.tx import Tx
from remembrancer.transactions.rejections import without_rejected
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.details import FactCategory
from remembrancer.types.episode import Tier, named_alike
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import transferred_from
from remembrancer.types.record import Episode, Fact, Kind, Observation, Procedure, Record, Reflection, kind_of
from remembrancer.types.scope import Trust

# Of the live episodes with a contact so many are looked at, the latest.
_LOOKED_AT = 50
# Of what is told of a contact so many answer the question; the others are told whatever is asked.
RECALLED_OF_CONTACT = 2
_SECONDS_A_DAY = 86_400
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What a scope may believe and how it is to behave, as of one moment.

    Args:
        facts: those that hold and are told in any case, each key once.
        named: those of contacts whom the question names, where not all can be told.
        untold: those of the other contacts.
        procedures: all that are active, oldest first.
        has_episodes: whether anything was done at all.
        contacts: those whom the occasion may mean, as names are compared.
        others: where it means somebody, the other contacts of episodes.
        episodes: the few that matter, best first.
    """

    facts: tuple[Fact, ...] = ()
    named: tuple[Fact, ...] = ()
    untold: tuple[Fact, ...] = ()
    procedures: tuple[Procedure, ...] = ()
    has_episodes: bool = False
    contacts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    episodes: tuple[Episode, ...] = ()

    def told(self, ids: Sequence[str]) -> list[Record]:
        """What of this was put before the agent: facts and rules, and of what else there is what has these ids."""
        shown = set(ids)
        return [*self.facts, *self.procedures, *(one for one in (*self.named, *self.episodes) if one.id in shown)]

    @property
    def fact_lines(self) -> list[Verbatim]:
        """The facts in words; of those that are not told, how many there are."""
        lines = verbatim(self.facts)
        if aside := [*self.named, *self.untold]:
            contacts = len({_contact(fact) for fact in aside})
            how_many = f"{len(aside)} facts about {contacts} other contacts are known"
            lines.append(Verbatim(text=f"{how_many}, and told where a question names them."))
        return lines

    def within(self, room: int, *, contact: str | None, asked: str, count: Callable[[str], int]) -> "Behaviour":
        """The same, a contact's facts first; without those of other contacts where all are more than their slot holds.

        Args:
            room: tokens.
            contact: whom the occasion concerns; their facts are told in any case.
            asked: what is asked, which may name others.
        """
        concerned = {fact.id for fact in self.facts if _is_about(contact or "", fact)}
        first = tuple(sorted(self.facts, key=lambda fact: fact.id not in concerned))
        if sum(count(f"- {fact.text}\n") for fact in first) <= room:
            return replace(self, facts=first)
        contacts = [fact for fact in first if fact.details.category is FactCategory.CONTACT]
        others = [fact for fact in contacts if fact.id not in concerned]
        aside = {fact.id for fact in others}
        named = {fact.id for fact in others if _names(asked, fact)}
        return replace(
            self,
            facts=tuple(fact for fact in first if fact.id not in aside),
            named=tuple(fact for fact in others if fact.id in named),
            untold=tuple(fact for fact in others if fact.id not in named),
        )

    def knows(self, contact: str) -> bool:
        """Whether any fact is about a contact."""
        return any(_is_about(contact, fact) for fact in self.facts)

    def tells_of_another(self, text: str, *, contact: str, asked: str) -> bool:
        """Whether a text names another contact than the occasion's, whom the question does not name, and not theirs."""
        words, wanted = names_in(text), names_in(asked)
        if any(_surname(name) in words for name in (*self.contacts, contact)):
            return False
        return any((surname := _surname(other)) in words and surname not in wanted for other in self.others)

    def recalling(self, records: Sequence[Record], *, contact: str | None) -> "Behaviour":
        """The same with the episodes among what was recalled: of a contact the best of them before what weighs most."""
        found = tuple(record for record in records if isinstance(record, Episode))
        if contact is None:
            return replace(self, episodes=found)
        theirs = [one for one in found if one.details.contact in self.contacts][:RECALLED_OF_CONTACT]
        ids = {one.id for one in theirs}
        rest = [one for one in self.episodes if one.id not in ids]
        return replace(self, episodes=(*theirs, *rest)[:MOST_EPISODES])


async def known_behaviour(tx: Tx, contact: str | None, *, now: datetime, sign: Sign) -> Behaviour:
    """What the scope of a transaction may believe, and how it is to behave.

    Args:
        contact: whose episodes are told: those that matter most by age and tier, as profile `behavioural` weighs them.
    """
    names, others = await _meant(tx, contact)
    latest = await tx.episodes.latest(names, limit=1 if names is None else _LOOKED_AT)
    return Behaviour(
        facts=tuple(await without_rejected(tx, await facts.valid_facts(tx, now), sign=sign)),
        procedures=tuple(await without_rejected(tx, await procedures.active(tx), sign=sign)),
        has_episodes=bool(latest),
        contacts=tuple(names or ()),
        others=others,
        episodes=() if names is None else _foremost(latest, now),
    )


async def past_behaviour(tx: Tx, contact: str | None, *, at: datetime) -> Behaviour:
    """The same as it was known at a time, without what was deleted since.

    Args:
        contact: see `known_behaviour`.
    """
    names, others = await _meant(tx, contact)
    episodes: list[Episode] = []
    for name in [None] if names is None else names:
        latest = await tx.episodes.latest(None if name is None else [name], limit=_LOOKED_AT)
        episodes += await looking.stood(tx, Episode, latest, Filter(kinds=(Kind.EPISODE,), contact=name), at)
    return Behaviour(
        facts=tuple(facts.nearest_valid(await looking.facts(tx, as_of=at), at)),
        procedures=tuple(await looking.procedures(tx, (Status.ACTIVE,), as_of=at)),
        has_episodes=bool(episodes),
        contacts=tuple(names or ()),
        others=others,
        episodes=() if names is None else _foremost(episodes, at),
    )


async def _meant(tx: Tx, contact: str | None) -> tuple[list[str] | None, tuple[str, ...]]:
    """The contacts of episodes that a name may mean, `None` for anybody; and the others, where it means somebody."""
    if contact is None:
        return None, ()
    known = await tx.episodes.known_contacts()
    names = named_alike(contact, known)
    return names, tuple(name for name in known if name and name not in names)


def _surname(name: str) -> str:
    """The last part of a name, as names are compared: "silva" of "ana silva", of an address before its sign."""
    parts = _NO_WORD.split(bare(name.partition("@")[0].casefold()).strip())
    return parts[-1]


def _foremost(episodes: Sequence[Episode], now: datetime) -> tuple[Episode, ...]:
    """The few that matter most: the latest month and week, which stand for many, and what weighs most besides."""
    ordered = sorted(episodes, key=lambda episode: (-_weight(episode, now), episode.id))
    compact = [next((one for one in ordered if one.details.tier is tier), None) for tier in (Tier.WEEKLY, Tier.MONTHLY)]
    first = [one for one in compact if one is not None]
    chosen = [*[one for one in ordered if one not in first][: MOST_EPISODES - len(first)], *first]
    return tuple(sorted(chosen, key=ordered.index))


def verbatim(records: Sequence[Fact | Procedure]) -> list[Verbatim]:
    """Facts or rules as they are told."""
    return [Verbatim(text=record.text, id=record.id, untrusted=record.trust is Trust.UNTRUSTED) for record in records]


def told_kind(record: Record) -> str:
    """What kind of memory it is, for an agent: how sure what was counted is, how much a record sums up, whose it is."""
    source = transferred_from(record)
    kind = _own_kind(record)
    return kind if source is None else f"{kind} · from project {source}"


def _own_kind(record: Record) -> str:
    match record:
        case Episode() if record.details.tier is not Tier.RAW:
            return f"{record.details.tier} summary"
        case Observation() if record.learned is not None:
            learned = record.learned
            return f"{learned.confidence} confidence · {learned.occurrences} cases in all"
        case Observation() if not isinstance(record, Reflection):
            return record.type
        case _:
            return kind_of(record).value


def _contact(fact: Fact) -> str:
    """Whom a fact about a contact is about: `bertelli` in the key `contact/bertelli/tone`."""
    first, *rest = fact.details.key.split("/")
    return rest[0] if rest and first.casefold() in {"contact", "contacts"} else first


def _is_about(contact: str, fact: Fact) -> bool:
    return fact.details.category is FactCategory.CONTACT and _names(contact, fact)


def _names(text: str, fact: Fact) -> bool:
    """Whether a text names the contact whom a fact is about, by a part of the name at least."""
    return not _parts(text).isdisjoint(_parts(_contact(fact)))


def _parts(text: str) -> frozenset[str]:
    return names_in(_NO_WORD.sub(" ", text))


def _weight(episode: Episode, now: datetime) -> float:
    tier = episode.details.tier
    days = (now - (episode.last_accessed_at or episode.occurred_at)).total_seconds() / _SECONDS_A_DAY
    return exp(-LAMBDA_OF_TIER[tier] * max(0.0, days)) * WEIGHT_OF_TIER[tier]
