"""The JSON that commands answer with: a thing has the same shape in all of them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeAlias

from remembrancer.types.forms import full, scope_form, sized
from remembrancer.types.price import dollars

if TYPE_CHECKING:
    from remembrancer.context.citations import Answer, Citation
    from remembrancer.context.conversations import Distilled
    from remembrancer.context.reply import Executed, Reply
    from remembrancer.context.report import Context
    from remembrancer.learn.rules import Refused
    from remembrancer.learn.sessions import Started
    from remembrancer.llm.budget import Costs, Sums
    from remembrancer.resources.learning import Why
    from remembrancer.search.query import Hit, Recalled, Replacement
    from remembrancer.search.timeline import Around, Diff
    from remembrancer.types.access import AccessKey
    from remembrancer.types.call import Total
    from remembrancer.types.change import Version
    from remembrancer.types.chunk import Chunk
    from remembrancer.types.injection import Injected, Injection
    from remembrancer.types.night import Night, Preview
    from remembrancer.types.page import Page
    from remembrancer.types.record import Observation, Record
    from remembrancer.types.saved import Saved
    from remembrancer.types.savings import Expense, Savings
    from remembrancer.types.scope import Scope
    from remembrancer.types.session import Session
    from remembrancer.types.standing import Standing
    from remembrancer.types.verdict import Move

Shape: TypeAlias = dict[str, object]


def record(found: "Record", *, size: str = "compact") -> Shape:
    """A memory in a size; in short, where none is said."""
    return dict(sized(found, size))


def version(found: "Version") -> Shape:
    """How a memory read during a stretch of time."""
    until = found.until.isoformat() if found.until else None
    return {"since": found.since.isoformat(), "until": until, "record": whole(found.record)}


def whole(found: "Record") -> Shape:
    """All that is held of a memory."""
    return dict(full(found))


def saved(found: "Saved[Record]") -> Shape:
    """What a write did, with the memory."""
    return {"outcome": found.outcome.value, **record(found.record)}


def page(found: "Page", *, size: str = "compact", all_scopes: bool = False) -> Shape:
    """Some memories, and where to go on; each with its scope, where it is of many."""
    records = [
        {**record(one, size=size), **({"scope": scope_form(one.scope)} if all_scopes else {})} for one in found.records
    ]
    return {"records": records, "cursor": found.cursor}


def around(found: "Around") -> Shape:
    """A memory among its neighbours."""
    return {"before": _records(found.before), "record": record(found.record), "after": _records(found.after)}


def diff(found: "Diff") -> Shape:
    """What lies between two times."""
    return {
        "learnt": _records(found.learnt),
        "changed": [{"before": record(change.before), "after": record(change.after)} for change in found.changed],
        "retired": _records(found.retired),
    }


def recalled(found: "Recalled", *, size: str = "compact") -> Shape:
    """The answer to a question."""
    return {
        "abstained": found.abstained,
        "confidence": round(found.confidence, 4),
        "hits": [_hit(hit, size) for hit in found.hits],
        "nearest": [_hit(hit, size) for hit in found.nearest],
        "dropped": found.dropped,
        "notes": list(found.notes),
    }


def session(found: "Session") -> Shape:
    """A session, without what was said in it."""
    return {
        "id": found.id,
        "scope": scope_form(found.scope),
        "status": found.status.value,
        "messages": found.messages,
        "started_at": found.started_at.isoformat(),
        "last_activity_at": found.last_activity_at.isoformat(),
    }


def access_key(found: "AccessKey") -> Shape:
    """An access key, without its secret."""
    return {
        "id": found.id,
        "name": found.name,
        "scope": scope_form(found.scope),
        "tenants": list(found.tenants),
        "clearance": found.clearance.value,
        "rights": [right.value for right in found.rights],
        "made_at": found.made_at.isoformat(),
        "expires_at": found.expires_at and found.expires_at.isoformat(),
        "revoked_at": found.revoked_at and found.revoked_at.isoformat(),
        "last_seen_at": found.last_seen_at and found.last_seen_at.isoformat(),
    }


def costs(found: "Costs") -> Shape:
    """What models cost, in US dollars; `null` is unknown."""
    return {
        "days": [{"date": f"{day.since:%Y-%m-%d}", **_sums(day.sums)} for day in found.days],
        "totals": [
            {
                "purpose": total.purpose.value,
                "model": total.model,
                "project": total.project,
                "agent": total.agent,
                **_sums(total),
            }
            for total in found.totals
        ],
        "budgets": [
            {
                "of": "tenant" if budget.project is None else "project",
                "period": budget.period.value,
                "unit": budget.unit.value,
                "limit": in_unit(budget.limit, budget.unit),
                "spent": in_unit(budget.spent, budget.unit),
                "unpriced": budget.unpriced,
                "state": budget.state.value,
            }
            for budget in found.budgets
        ],
        "savings": {
            "agents": [{"project": one.project, "agent": one.agent, **_savings(one)} for one in found.agents],
            "sessions": [{"session": one.session, **_savings(one)} for one in found.sessions],
        },
        "breakers": [
            {
                "model": one.model,
                "purpose": one.purpose.value,
                "failing": one.failing.value,
                "failures": one.failures,
                "since": one.since.isoformat(),
                "until": one.until and one.until.isoformat(),
            }
            for one in found.breakers
        ],
    }


def context(found: "Context", *, marks: bool = False) -> Shape:
    """What an agent reads, as a text and as the messages of a chat, with its report."""
    return {
        "text": found.text,
        "prefix": found.prefix,
        "messages": found.messages(marks=marks),
        "report": asdict(found.report),
    }


def reply(found: "Reply") -> Shape:
    """What a model answered, and the account of what it had read."""
    return {"text": found.text, "model": found.model, "report": asdict(found.context.report)}


def answer(found: "Answer") -> Shape:
    """What memory answers to a question, with what it cites."""
    return {
        "text": found.text,
        "known": found.known,
        "citations": [citation(one) for one in found.citations],
        "abstained": found.abstained,
        "confidence": round(found.confidence, 4),
        "hits": [_hit(hit, "compact") for hit in found.hits],
        "nearest": [_hit(hit, "compact") for hit in found.nearest],
        **_paid(found),
    }


def citation(found: "Citation") -> Shape:
    """A memory that an answer cites."""
    return asdict(found)


def executed(found: "Executed") -> Shape:
    """What a model made of a task, and what is kept of it."""
    return {
        "text": found.text,
        "session": found.session,
        "messages": list(found.messages),
        "memories": list(found.memories),
        "reflection": record(found.reflection) if found.reflection else None,
        "report": asdict(found.context.report),
        **_paid(found),
    }


def _paid(found: "Answer | Executed") -> Shape:
    money = None if found.cost is None else float(dollars(found.cost))
    return {"model": found.model, "tokens": found.tokens, "cost": money, "notes": list(found.notes)}


def distilled(found: "Distilled") -> Shape:
    """A conversation in numbers."""
    return asdict(found)


def chunk(found: "Chunk") -> Shape:
    """A run of messages that was observed, or could not be."""
    return {
        **asdict(found),
        "state": found.state.value,
        "observed_at": found.observed_at.isoformat(),
        "activated_at": found.activated_at.isoformat() if found.activated_at else None,
    }


def note(found: "Observation") -> Shape:
    """What was noted, with the messages that it was drawn from."""
    return {
        **record(found),
        "text": found.text,
        "status": found.status.value,
        "priority": found.priority,
        "refers_to": found.refers_to or None,
        "messages": [found.first, found.last] if found.first else None,
        "tokens": found.tokens,
        "engine": found.engine,
        "model": found.model or None,
    }


def why(found: "Why") -> Shape:
    """A memory with what people say of it and all that it rests on."""
    return {
        **whole(found.record),
        "said": [
            {"person": said.person, "verdict": said.verdict.value, "at": said.at.isoformat()} for said in found.said
        ],
        "sources": [why(source) for source in found.sources],
        "gone": list(found.gone),
    }


def refused(found: "Refused") -> Shape:
    """An observation that would be a rule, were there room."""
    return {"observation": found.observation, "reason": found.reason}


def standing(found: "Standing") -> Shape:
    """What a memory's standing is made of."""
    return {
        **asdict(found),
        "kind": found.kind.value,
        "occurred_at": found.occurred_at.isoformat(),
        "recorded_at": found.recorded_at.isoformat(),
        "accessed": found.accessed.isoformat() if found.accessed else None,
        "decayed_on": found.decayed_on.isoformat() if found.decayed_on else None,
        "moves": [move(one) for one in found.moves],
    }


def move(found: "Move") -> Shape:
    """How the outcome of a session has moved a memory's weight."""
    return {**asdict(found), "outcome": found.outcome.value, "at": found.at.isoformat()}


def injected(found: "Injected") -> Shape:
    """What is to be put before an agent."""
    return {
        "text": found.text,
        "records": list(found.records),
        "tokens": found.tokens,
        "dropped": list(found.dropped),
        "notes": list(found.notes),
    }


def injection(found: "Injection") -> Shape:
    """What was put before an agent."""
    return {**asdict(found), "way": found.way.value, "at": found.at.isoformat()}


def night(found: "Night", scope: "Scope") -> Shape:
    """A nightly run of a scope."""
    return {
        "day": found.day.isoformat(),
        "scope": scope_form(scope),
        "step": found.step.value if found.step else None,
        "left": [step.value for step in found.left],
        "counts": dict(found.counts),
        "notes": list(found.notes),
        "failures": list(found.failures),
        "tries": found.tries,
        "next_try_at": found.next_try_at.isoformat() if found.next_try_at else None,
        "started_at": found.started_at.isoformat(),
        "ended_at": found.ended_at.isoformat() if found.ended_at else None,
    }


def preview(found: "Preview") -> Shape:
    """What a nightly run would do."""
    return {
        "day": found.day.isoformat(),
        "left": [step.value for step in found.left],
        "counts": dict(found.counts),
        "notes": list(found.notes),
    }


def in_unit(amount: int, unit: str) -> float:
    """Tokens as they are; money in US dollars."""
    return float(dollars(amount)) if unit == "money" else amount


def cost(found: "Sums | Total") -> float | None:
    """US dollars, or `None` where nothing of it is known."""
    return None if found.unpriced and not found.cost else float(dollars(found.cost))


def _savings(found: "Savings") -> Shape:
    return {
        "blocks": found.blocks,
        "unpriced": found.unpriced,
        "served": _expense(found, found.saving.served),
        "whole": _expense(found, found.saving.whole),
    }


def _expense(found: "Savings", spent: "Expense") -> Shape:
    money = {"uncached": spent.uncached, "cached": spent.cached}
    known = {name: float(dollars(amount)) if found.known else None for name, amount in money.items()}
    return {"tokens": spent.tokens, "prefix": spent.prefix, **known}


def _sums(found: "Sums | Total") -> Shape:
    return {
        "calls": found.calls,
        "refused": found.refused,
        "failed": found.failed,
        "prompt_tokens": found.prompt_tokens,
        "cached_tokens": found.cached_tokens,
        "answer_tokens": found.answer_tokens,
        "cost": cost(found),
        "unpriced": found.unpriced,
        "milliseconds": found.milliseconds,
    }


def started(found: "Started") -> Shape:
    """A session with what is known at its start."""
    return {
        **session(found.session),
        "is_new": found.is_new,
        "summaries": _records(found.summaries),
        "memories": _records(found.memories),
        "text": found.text,
        "tokens": found.tokens,
        "dropped": list(found.dropped),
    }


def _records(found: "Iterable[Record]") -> list[Shape]:
    return [record(one) for one in found]


def _hit(hit: "Hit", size: str) -> Shape:
    return {
        **record(hit.record, size=size),
        "score": hit.score,
        "factors": dict(hit.factors),
        "replaced": _replacement(hit.replaced) if hit.replaced else None,
        "replaces": [_replacement(one) for one in hit.replaces],
    }


def _replacement(found: "Replacement") -> Shape:
    return {**asdict(found), "until": found.until.isoformat()}
