"""An example of each operation, as the document shows it and a test runs it, in this order, on a sample store.

`$observation`, `$other`, `$third`, `$message`, `$procedure`, `$episode`, `$key` and `$job` stand for ids of what the
sample store holds. `status` is what is answered where that is not the operation's own; `needs` names what the service
must have for it.
"""

from collections.abc import Mapping
from typing import Any, Final

_SESSION: Final = {"session": "lisbon"}
_HIT: Final[dict[str, Any]] = {"hits": [], "abstained": True, "confidence": 0.1}

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "record": {"body": {"text": "I moved to Lisbon, and I cannot stand early flights.", "speaker": "Ana", **_SESSION}},
    "messages.record_many": {
        "body": {"messages": [{"text": "Booked: TP 533 at 11:20.", "role": "assistant", **_SESSION}]}
    },
    "messages.import_turns": {
        "body": {
            "turns": [
                {
                    "conversation": "mail 7",
                    "session": "1",
                    "position": 0,
                    "role": "user",
                    "text": "Thanks!",
                }
            ]
        }
    },
    "save": {"body": {"text": "Ana books flights after 10:00", "type": "preference", "topic_key": "flights"}},
    "observations.save_many": {"body": {"observations": [{"text": "Ana lives in Lisbon", "type": "profile"}]}},
    "edit": {"path": {"id": "$observation"}, "body": {"text": "Ana prefers window seats at the front"}},
    "list": {"query": {"kinds": ["observation"], "limit": 5}},
    "get": {"path": {"id": "$observation"}},
    "history": {"path": {"id": "$observation"}},
    "recall": {"body": {"question": "When should Ana's flight leave?", "limit": 5}},
    "explain": {"body": {"question": "When should Ana's flight leave?", "id": "$observation"}},
    "ask": {"body": {"question": "When should Ana's flight leave?"}},
    "ask_stream": {"body": {"question": "When should Ana's flight leave?"}},
    "context": {"body": {**_SESSION, "question": "Which flight suits Ana?"}},
    "reply": {"body": {**_SESSION, "text": "Which flight suits me?"}, "needs": "model"},
    "reply_stream": {"body": {**_SESSION, "text": "Which flight suits me?"}, "needs": "model"},
    "execute": {"body": {"task": "Write to Ana about her flight"}, "needs": "model"},
    "execute_stream": {"body": {"task": "Write to Ana about her flight"}, "needs": "model"},
    "sessions.start": {"body": {"id": "lisbon"}},
    "sessions.list": {"query": {"limit": 5}},
    "sessions.observe_now": {"path": _SESSION},
    "sessions.chunks": {"path": _SESSION},
    "sessions.noted": {"path": {**_SESSION, "first": 1}},
    "sessions.log": {"path": _SESSION},
    "sessions.distilled": {"path": _SESSION},
    # No run of the sample waits for a person.
    "sessions.approve": {"path": {**_SESSION, "first": 1}, "status": 409},
    "sessions.retry": {"path": {**_SESSION, "first": 1}},
    "sessions.reflect_now": {"body": {}},
    "sessions.dead_letters": {},
    "sessions.summarise": {"path": {"id": "lisbon"}, "body": {"text": "Ana flies with TP 533; the hotel is open."}},
    "timeline.around": {"path": {"id": "$message"}, "query": {"before": 2, "after": 2}},
    "timeline.between": {"query": {"since": "2026-01-01T00:00:00Z", "limit": 10}},
    "timeline.diff": {"query": {"earlier": "2026-01-01T00:00:00Z", "later": "2026-02-01T00:00:00Z"}},
    "contexts.block": {"body": {"recalled": _HIT}},
    "contexts.brief": {"body": _SESSION},
    "contexts.inject": {"body": {"prompt": "Book a flight for Ana", **_SESSION}},
    "contexts.remind": {"body": {"question": "Which seat does Ana like?", **_SESSION}},
    "contexts.injections": {"path": _SESSION},
    "learning.outcome": {"path": _SESSION, "body": {"outcome": "accepted"}},
    "sessions.end": {"path": {"id": "lisbon"}},
    "episodes.record": {"body": {"summary": "removed the greeting from the draft", "contact": "Ana"}},
    "episodes.record_many": {"body": {"episodes": [{"summary": "sent the itinerary", "contact": "Ana"}]}},
    "episodes.end_run": {
        "body": {
            "run": {"payload": "book the flight", "entries": [{"part": "step", "text": "compared three flights"}]},
            "contact": "Ana",
        }
    },
    "episodes.signal": {"body": {"type": "correction", "summary": "cut the second paragraph", "contact": "Ana"}},
    # The sample has no record of a week yet.
    "episodes.restore": {"path": {"id": "$episode"}, "status": 422},
    "episodes.list": {"query": {"contact": "Ana"}},
    "facts.set": {"path": {"key": "contact.ana.language"}, "body": {"value": "Portuguese"}},
    "facts.get": {"path": {"key": "contact.ana.language"}},
    "facts.list": {},
    "facts.history": {"path": {"key": "contact.ana.language"}},
    "facts.end": {"path": {"key": "contact.ana.language"}},
    "procedures.add": {"body": {"rule": "Keep answers to Ana under five sentences."}},
    "procedures.list": {},
    "procedures.refused": {},
    "procedures.edit": {"path": {"id": "$procedure"}, "body": {"rule": "Keep mails to Ana short."}},
    "procedures.pause": {"path": {"id": "$procedure"}},
    "procedures.resume": {"path": {"id": "$procedure"}},
    "procedures.retire": {"path": {"id": "$procedure"}},
    "learning.list": {"query": {"all": True}},
    "learning.right": {"path": {"id": "$observation"}, "body": {"person": "Ana"}},
    "learning.why": {"path": {"id": "$observation"}},
    "learning.weights": {"path": {"id": "$observation"}},
    "learning.standing": {"path": {"id": "$observation"}},
    "learning.rate": {"path": {"id": "$observation"}, "body": {"rating": 0.9}},
    "learning.boost": {"path": {"id": "$observation"}, "body": {"boost": 0.5}},
    "learning.pin": {"path": {"id": "$observation"}},
    "learning.unpin": {"path": {"id": "$observation"}},
    "learning.pause": {"path": {"id": "$observation"}},
    "learning.resume": {"path": {"id": "$observation"}},
    "learning.wrong": {"path": {"id": "$other"}, "body": {"person": "Ana"}},
    "learning.undo": {"path": {"id": "$other"}},
    "learning.dismiss": {"path": {"id": "$third"}},
    "learning.merge": {"path": {"into": "$observation"}, "body": {"other": "$other"}},
    "learning.retire": {"path": {"id": "$observation"}},
    "learning.preview": {},
    "learning.nightly": {"body": {}},
    "learning.nights": {},
    "delete": {"path": {"id": "$message"}},
    "restore": {"path": {"id": "$message"}},
    "upkeep.stats": {},
    "upkeep.costs": {"query": {"days": 7}},
    "upkeep.flush": {},
    "upkeep.embed_soon": {},
    "upkeep.embed": {},
    "upkeep.unembedded": {},
    "upkeep.reembed": {},
    "upkeep.reindex": {"body": {"vectors": False}},
    "upkeep.doctor": {"body": {"mend": False}},
    "governance.hold": {"path": {"name": "case 12"}, "body": {"reason": "a claim is open", "session": "lisbon"}},
    "governance.holds": {},
    "governance.lift": {"path": {"name": "case 12"}, "body": {"reason": "it is settled"}},
    "erasures.named": {"body": {"person": "Ana"}},
    "erasures.plan": {"body": {"session": "lisbon"}},
    "erasures.erase": {"body": {"memories": ["$message"], "reason": "she asked for it"}},
    "erasures.receipts": {},
    "audit.list": {"query": {"action": "read", "limit": 5}},
    "audit.verify": {"body": {}},
    "audit.checkpoint": {},
    "governance.redact": {"path": {"datum": "email"}, "body": {"redaction": "mask"}},
    "governance.redactions": {},
    "governance.unset_redaction": {"path": {"datum": "email"}},
    "governance.classify": {
        "path": {"id": "$observation"},
        "body": {"classification": "internal", "reason": "said in public"},
    },
    "jobs.start": {"body": {"work": "nightly"}},
    "jobs.list": {},
    "jobs.get": {"path": {"id": "$job"}},
    "jobs.cancel": {"path": {"id": "$job"}},
    "keys.create": {"body": {"name": "booking agent", "project": "travel", "rights": ["read", "write"], "days": 90}},
    "keys.list": {},
    "keys.rotate": {"path": {"id": "$key"}},
    "keys.revoke": {"path": {"id": "$key"}},
}
