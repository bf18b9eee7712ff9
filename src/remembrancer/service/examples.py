"""An example of each operation, as the document shows it and a test runs it, in this order, on a sample store.

`$observation`, `$other`, `$third`, `$message`, `$rule`, `$episode`, `$key` and `$job` are ids in the sample store.
`status` is the status of the answer where it is not the usual one; `needs` names what the service must have for it.
"""

from collections.abc import Mapping
from typing import Any, Final

_SESSION: Final = {"session": "lisbon"}

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
    "timeline.history": {"path": {"id": "$observation"}},
    "recall": {
        "body": {"question": "When should Ana's flight leave?", "limit": 5, "filter": {"kinds": ["observation"]}}
    },
    "explain": {"body": {"question": "When should Ana's flight leave?", "id": "$observation"}},
    "trace": {"body": {"question": "When should Ana's flight leave?", "limit": 5}},
    "ask": {"body": {"question": "When should Ana's flight leave?"}},
    "ask_stream": {"body": {"question": "When should Ana's flight leave?"}},
    "context": {"body": {**_SESSION, "question": "Which flight suits Ana?"}},
    "sessions.reply": {"path": _SESSION, "body": {"text": "Which flight suits me?"}, "needs": "model"},
    "sessions.reply_stream": {"path": _SESSION, "body": {"text": "Which flight suits me?"}, "needs": "model"},
    "sessions.execute": {"body": {"task": "Write to Ana about her flight"}, "needs": "model"},
    "sessions.execute_stream": {"body": {"task": "Write to Ana about her flight"}, "needs": "model"},
    "sessions.start": {"body": {"id": "lisbon"}},
    "sessions.list": {"query": {"limit": 5}},
    "notes.observe": {"path": _SESSION},
    "notes.chunks": {"path": _SESSION},
    "notes.of_chunk": {"path": {**_SESSION, "first": 1}},
    "notes.log": {"path": _SESSION},
    "sessions.stats": {"path": _SESSION},
    # No run of the sample waits for a person.
    "notes.approve": {"path": {**_SESSION, "first": 1}, "status": 409},
    "notes.retry": {"path": {**_SESSION, "first": 1}},
    "notes.reflect": {"body": {}},
    "notes.failed": {},
    "notes.drop": {"path": {**_SESSION, "first": 1}},
    "notes.in_review": {},
    "sessions.messages": {"path": _SESSION, "query": {"first": 1, "last": 10}},
    "sessions.summarise": {"path": _SESSION, "body": {"text": "Ana flies with TP 533; the hotel is open."}},
    "timeline.around": {"path": {"id": "$message"}, "query": {"before": 2, "after": 2}},
    "timeline.between": {"query": {"since": "2026-01-01T00:00:00Z", "limit": 10}},
    "graph.entities": {"query": {"part": "ana", "limit": 10}},
    "graph.entity": {"path": {"name": "Ana"}},
    "graph.neighbours": {"path": {"name": "Ana"}, "query": {"depth": 2}},
    "graph.shortest_path": {"query": {"start": "Ana", "end": "Lisbon"}},
    "timeline.diff": {"query": {"earlier": "2026-01-01T00:00:00Z", "later": "2026-02-01T00:00:00Z"}},
    "sessions.injections": {"path": _SESSION},
    "sessions.set_outcome": {"path": _SESSION, "body": {"outcome": "accepted"}},
    "sessions.end": {"path": _SESSION},
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
    "rules.add": {"body": {"rule": "Keep answers to Ana under five sentences."}},
    "rules.list": {},
    "rules.refused": {},
    "rules.edit": {"path": {"id": "$rule"}, "body": {"rule": "Keep mails to Ana short."}},
    "rules.pause": {"path": {"id": "$rule"}},
    "rules.resume": {"path": {"id": "$rule"}},
    "rules.retire": {"path": {"id": "$rule"}},
    "patterns.list": {"query": {"all": True}},
    "feedback": {"path": {"id": "$other"}, "body": {"verdict": "right", "person": "Ana"}},
    "dependents": {"path": {"id": "$observation"}},
    "evidence": {"path": {"id": "$observation"}},
    "scores.history": {"path": {"id": "$observation"}},
    "scores.get": {"path": {"id": "$observation"}},
    "scores.rate": {"path": {"id": "$observation"}, "body": {"rating": 0.9}},
    "scores.boost": {"path": {"id": "$observation"}, "body": {"boost": 0.5}},
    "scores.pin": {"path": {"id": "$observation"}},
    "scores.unpin": {"path": {"id": "$observation"}},
    "patterns.pause": {"path": {"id": "$observation"}},
    "patterns.resume": {"path": {"id": "$observation"}},
    "patterns.merge": {"path": {"into": "$observation"}, "body": {"other": "$other"}},
    "patterns.retire": {"path": {"id": "$observation"}},
    "admin.maintenance.dry_run": {},
    "admin.maintenance.run": {"body": {}},
    "admin.maintenance.latest": {},
    "admin.maintenance.list": {"query": {"limit": 7}},
    "admin.scopes": {"query": {"part": "ana"}},
    "admin.tenants": {},
    "admin.background": {},
    "delete": {"path": {"id": "$message"}},
    "restore": {"path": {"id": "$message"}},
    "observations.delete_many": {
        "body": {"filter": {"sources": ["import"], "until": "2026-01-31T00:00:00Z"}, "dry_run": True}
    },
    "observations.restore_many": {"body": {"deleted_at": "2026-05-31T14:00:00.123456Z"}, "status": 404},
    "admin.stats": {},
    "admin.costs": {"query": {"days": 7}},
    "admin.flush": {},
    "admin.index.embed_soon": {},
    "admin.index.embed": {},
    "admin.index.missing": {},
    "admin.index.reembed": {},
    "admin.index.rebuild": {"body": {"vectors": False}},
    "admin.doctor": {"body": {"repair": False}},
    "governance.retention.set": {"path": {"name": "messages"}, "body": {"keep_days": 90, "kinds": ["message"]}},
    "governance.retention.list": {},
    "governance.retention.unset": {"path": {"name": "messages"}},
    "governance.retention.find_expired": {"query": {"limit": 10}},
    "governance.retention.is_accessible": {"path": {"id": "$observation"}},
    "governance.retention.run": {"body": {"dry_run": True}},
    "governance.retention.soft_delete": {"body": {"ids": ["$third"], "reason": "it was a test"}},
    "governance.retention.list_soft_deleted": {"query": {"limit": 10}},
    "governance.retention.hard_delete": {"body": {"ids": ["$third"], "reason": "it was a test"}},
    "governance.holds.place": {"path": {"name": "case 12"}, "body": {"reason": "a claim is open", "session": "lisbon"}},
    "governance.overview": {},
    "governance.holds.list": {},
    "governance.holds.release": {"path": {"name": "case 12"}, "body": {"reason": "it is settled"}},
    "governance.transfers.grant": {
        "path": {"lender": "trips", "reader": "visas"},
        "body": {"reason": "the same customers"},
    },
    "governance.transfers.list": {},
    "governance.transfers.revoke": {
        "path": {"lender": "trips", "reader": "visas"},
        "body": {"reason": "no longer needed"},
    },
    "governance.erasure.find_mentions": {"body": {"person": "Ana"}},
    "governance.erasure.plan": {"body": {"session": "lisbon"}},
    "governance.erasure.erase": {"body": {"memories": ["$message"], "reason": "she asked for it"}},
    "governance.erasure.receipts": {},
    "governance.audit.list": {"query": {"action": "read", "limit": 5}},
    "governance.audit.verify": {"body": {}},
    "governance.audit.checkpoint": {},
    "governance.redactions.set": {"path": {"data_type": "email"}, "body": {"redaction": "mask"}},
    "governance.redactions.list": {},
    "governance.redactions.unset": {"path": {"data_type": "email"}},
    "governance.classify": {
        "path": {"id": "$observation"},
        "body": {"classification": "internal", "reason": "said in public"},
    },
    "admin.jobs.start": {"body": {"work": "nightly"}},
    "admin.jobs.list": {},
    "admin.jobs.get": {"path": {"id": "$job"}},
    "admin.jobs.cancel": {"path": {"id": "$job"}},
    "admin.keys.create": {
        "body": {"name": "booking agent", "project": "travel", "rights": ["read", "write"], "days": 90}
    },
    "admin.keys.list": {},
    "admin.keys.rotate": {"path": {"id": "$key"}},
    "admin.keys.revoke": {"path": {"id": "$key"}},
}
