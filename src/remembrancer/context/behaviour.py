"""The behaviour of an agent: facts, rules and the episodes that matter."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp

from remembrancer.context.assemble import MAX_EPISODES, Verbatim
from remembrancer.ingest import facts
from remembrancer.language.analysis import names_in
from remembrancer.language.spelling import bare
from remembrancer.learn import rules as procedures
from remembrancer.search import timeline
from remembrancer.search.candidates import LAMBDA_OF_TIER, WEIGHT_OF_TIER
from remembrancer.storage.tx import Tx
from remembrancer.transactions.rejections import without_rejected
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.details import FactCategory
from remembrancer.types.episode import Tier, named_alike
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import transferred_from
from remembrancer.types.record import Episode, Fact, Kind, Observation, Record, Reflection, Rule, kind_of
from remembrancer.types.scope import Trust

# The most episodes with a contact that are read, the latest first.
_EPISODES_READ = 50
# The most episodes with a contact that answer the question; the others do not depend on it.
RECALLED_EPISODES = 2
_SECONDS_A_DAY = 86_400
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """The facts, rules and episodes of a scope, as of one moment.

    Args:
        facts: valid facts that are always shown, one per key.
        named: facts on contacts that the question names, if not all facts fit.
        left_out: facts on the other contacts.
        procedures: the active rules, oldest first.
        has_episodes: whether there are any episodes.
        contacts: the contacts that the request may mean, in the form for comparison.
        others: the other contacts of episodes, if the request means one.
        episodes: the few that matter, best first.
    """

    facts: tuple[Fact, ...] = ()
    named: tuple[Fact, ...] = ()
    left_out: tuple[Fact, ...] = ()
    procedures: tuple[Rule, ...] = ()
    has_episodes: bool = False
    contacts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    episodes: tuple[Episode, ...] = ()

    def shown(self, ids: Sequence[str]) -> list[Record]:
        """Return the records that a block includes.

        Args:
            ids: ids of the memories in the block; facts in full and rules always count.
        """
        id_set = set(ids)
        return [*self.facts, *self.procedures, *(one for one in (*self.named, *self.episodes) if one.id in id_set)]

    @property
    def fact_lines(self) -> list[Verbatim]:
        """The facts as text, with the number of those left out."""
        lines = verbatim(self.facts)
        if others := [*self.named, *self.left_out]:
            contacts = len({_contact_name(fact) for fact in others})
            count = f"{len(others)} facts about {contacts} other contacts are known"
            lines.append(Verbatim(text=f"{count}, and shown if a question names them."))
        return lines

    def within(self, room: int, *, contact: str | None, question: str, count: Callable[[str], int]) -> "Behaviour":
        """Return the behaviour within a token limit, a contact's facts first.

        If the facts are longer than the limit, those on other contacts are left out, unless the question names the
        contact.

        Args:
            room: tokens.
            contact: the person concerned; facts on this contact are always included.
            question: the question, which may name others.
        """
        concerned_ids = {fact.id for fact in self.facts if _is_about(contact or "", fact)}
        first = tuple(sorted(self.facts, key=lambda fact: fact.id not in concerned_ids))
        if sum(count(f"- {fact.text}\n") for fact in first) <= room:
            return replace(self, facts=first)
        contacts = [fact for fact in first if fact.details.category is FactCategory.CONTACT]
        others = [fact for fact in contacts if fact.id not in concerned_ids]
        other_ids = {fact.id for fact in others}
        named_ids = {fact.id for fact in others if _names_contact(question, fact)}
        return replace(
            self,
            facts=tuple(fact for fact in first if fact.id not in other_ids),
            named=tuple(fact for fact in others if fact.id in named_ids),
            left_out=tuple(fact for fact in others if fact.id not in named_ids),
        )

    def knows(self, contact: str) -> bool:
        """Return True if any fact is about a contact."""
        return any(_is_about(contact, fact) for fact in self.facts)

    def names_other_contact(self, text: str, *, contact: str, question: str) -> bool:
        """Return True if a text is about another contact.

        It names one that the question does not name, and does not name the request's own contact.
        """
        names, asked_names = names_in(text), names_in(question)
        if any(_surname(name) in names for name in (*self.contacts, contact)):
            return False
        return any((surname := _surname(other)) in names and surname not in asked_names for other in self.others)

    def with_episodes(self, records: Sequence[Record], *, contact: str | None) -> "Behaviour":
        """Return the behaviour with the episodes of a recall result.

        With a contact, the best of theirs come before those that matter most.
        """
        recalled = tuple(record for record in records if isinstance(record, Episode))
        if contact is None:
            return replace(self, episodes=recalled)
        theirs = [one for one in recalled if one.details.contact in self.contacts][:RECALLED_EPISODES]
        ids = {one.id for one in theirs}
        others = [one for one in self.episodes if one.id not in ids]
        return replace(self, episodes=(*theirs, *others)[:MAX_EPISODES])


async def load_behaviour(tx: Tx, contact: str | None, *, now: datetime, sign: Sign) -> Behaviour:
    """Return the facts, rules and episodes of a scope, as of now.

    Args:
        contact: the contact whose episodes are included: those that matter most by age and tier, as the profile
            `behavioural` weighs them.
    """
    names, others = await _contacts_meant(tx, contact)
    latest = await tx.episodes.latest(names, limit=1 if names is None else _EPISODES_READ)
    return Behaviour(
        facts=tuple(await without_rejected(tx, await facts.valid_facts(tx, now), sign=sign)),
        procedures=tuple(await without_rejected(tx, await procedures.active(tx), sign=sign)),
        has_episodes=bool(latest),
        contacts=tuple(names or ()),
        others=others,
        episodes=() if names is None else _top_episodes(latest, now),
    )


async def load_past_behaviour(tx: Tx, contact: str | None, *, at: datetime) -> Behaviour:
    """Return the facts, rules and episodes of a scope, as of a time.

    Records that were deleted since are left out.

    Args:
        contact: see `load_behaviour`.
    """
    names, others = await _contacts_meant(tx, contact)
    episodes: list[Episode] = []
    for name in [None] if names is None else names:
        latest = await tx.episodes.latest(None if name is None else [name], limit=_EPISODES_READ)
        episodes += await timeline.records_at(tx, Episode, latest, Filter(kinds=(Kind.EPISODE,), contact=name), at)
    return Behaviour(
        facts=tuple(facts.nearest_valid(await timeline.facts(tx, as_of=at), at)),
        procedures=tuple(await timeline.procedures(tx, (Status.ACTIVE,), as_of=at)),
        has_episodes=bool(episodes),
        contacts=tuple(names or ()),
        others=others,
        episodes=() if names is None else _top_episodes(episodes, at),
    )


async def _contacts_meant(tx: Tx, contact: str | None) -> tuple[list[str] | None, tuple[str, ...]]:
    """Return the contacts that a name may mean, `None` for any.

    The second value lists the other contacts, if the name means any.
    """
    if contact is None:
        return None, ()
    contacts = await tx.episodes.known_contacts()
    names = named_alike(contact, contacts)
    return names, tuple(name for name in contacts if name and name not in names)


def _surname(name: str) -> str:
    """Return the last part of a name, in the form for comparison.

    That is "silva" for "ana silva"; of an email address the part before the @.
    """
    parts = _NO_WORD.split(bare(name.partition("@")[0].casefold()).strip())
    return parts[-1]


def _top_episodes(episodes: Sequence[Episode], now: datetime) -> tuple[Episode, ...]:
    """Return the few episodes that matter most.

    They include the latest weekly and monthly summary, which represent many episodes.
    """
    ordered = sorted(episodes, key=lambda episode: (-_weight(episode, now), episode.id))
    summaries = [
        next((one for one in ordered if one.details.tier is tier), None) for tier in (Tier.WEEKLY, Tier.MONTHLY)
    ]
    first = [one for one in summaries if one is not None]
    selected = [*[one for one in ordered if one not in first][: MAX_EPISODES - len(first)], *first]
    return tuple(sorted(selected, key=ordered.index))


def verbatim(records: Sequence[Fact | Rule]) -> list[Verbatim]:
    """Return facts or rules as text."""
    return [Verbatim(text=record.text, id=record.id, untrusted=record.trust is Trust.UNTRUSTED) for record in records]


def kind_label(record: Record) -> str:
    """Return the label of a record's kind, for an agent.

    It includes the confidence of learned observations, the tier of summaries, and the project of transferred records.
    """
    source = transferred_from(record)
    kind = _own_kind_label(record)
    return kind if source is None else f"{kind} · from project {source}"


def _own_kind_label(record: Record) -> str:
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


def _contact_name(fact: Fact) -> str:
    """Return the contact of a fact: `bertelli` in `contact/bertelli/tone`."""
    first, *rest = fact.details.key.split("/")
    return rest[0] if rest and first.casefold() in {"contact", "contacts"} else first


def _is_about(contact: str, fact: Fact) -> bool:
    return fact.details.category is FactCategory.CONTACT and _names_contact(contact, fact)


def _names_contact(text: str, fact: Fact) -> bool:
    """Return True if a text names the contact of a fact, at least in part."""
    return not _name_parts(text).isdisjoint(_name_parts(_contact_name(fact)))


def _name_parts(text: str) -> frozenset[str]:
    return names_in(_NO_WORD.sub(" ", text))


def _weight(episode: Episode, now: datetime) -> float:
    tier = episode.details.tier
    days = (now - (episode.last_accessed_at or episode.occurred_at)).total_seconds() / _SECONDS_A_DAY
    return exp(-LAMBDA_OF_TIER[tier] * max(0.0, days)) * WEIGHT_OF_TIER[tier]
