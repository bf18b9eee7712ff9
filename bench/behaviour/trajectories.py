"""Real runs of an agent, tool call by tool call, as what one agent did: tau-bench, airline.

A call that changes something is approved where the run was rewarded and rejected where it was not; a call that failed
is an exception; every other call is done. What a user says against the agent is a correction. The runs tell no times:
each begins at a moment of four weeks drawn by chance, so that what is found of hours and weekdays is found in nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypedDict, cast

from bench.behaviour.templates import APPROVED as WELL
from bench.behaviour.templates import COMPLETED, CORRECTED, EXCEPTION, OUTCOMES, REJECTED
from remembrancer.types.episode import MAX_SUMMARY_CHARACTERS, Entity
from remembrancer.types.pattern import BehaviourEvent

_FIRST = datetime(2025, 1, 6, 8, tzinfo=UTC)
_SPAN = timedelta(days=28)
_STEP = timedelta(seconds=40)
_CHANGING = ("book_", "update_", "cancel_", "send_", "transfer_")
_AGAINST = ("no,", "no ", "actually", "that's not", "that is not", "wait", "i don't want", "instead", "but i")


class _Function(TypedDict):
    name: str
    arguments: str


class _Call(TypedDict):
    id: str
    function: _Function


class _Said(TypedDict, total=False):
    role: str
    content: str | None
    tool_calls: list[_Call] | None
    tool_call_id: str


class _Run(TypedDict):
    task_id: int
    trial: int
    reward: float
    info: Mapping[str, Mapping[str, object]]
    traj: list[_Said]


def deeds(path: Path) -> list[BehaviourEvent]:
    """All runs of a file, oldest first."""
    runs = cast("list[_Run]", json.loads(path.read_text(encoding="utf-8")))
    rng = Random("runs")
    found = [deed for run in runs for deed in _deeds(run, _FIRST + _SPAN * rng.random())]
    return sorted(found, key=lambda deed: deed.at)


def _deeds(run: _Run, start: datetime) -> Iterator[BehaviourEvent]:
    answers = {said.get("tool_call_id", ""): said.get("content") or "" for said in run["traj"]}
    passenger = Entity(type="contact", name=str(run["info"]["task"]["user_id"]))
    for place, said in enumerate(run["traj"]):
        told = [_call(call, answers.get(call["id"], ""), rewarded=run["reward"] > 0) for call in _calls(said)]
        told += _correction(said, run["traj"][:place])
        for event, text, attributes in told:
            yield BehaviourEvent(
                id=f"{run['task_id']}/{run['trial']}/{place}",
                at=start + _STEP * place,
                event=event,
                outcome=OUTCOMES[event],
                text=text[:MAX_SUMMARY_CHARACTERS],
                entities=(passenger,),
                attributes=attributes,
            )


def _calls(said: _Said) -> Sequence[_Call]:
    return said.get("tool_calls") or []


def _call(call: _Call, answer: str, *, rewarded: bool) -> tuple[str, str, dict[str, str | int | float | bool]]:
    tool = call["function"]["name"]
    arguments = cast("dict[str, object]", json.loads(call["function"]["arguments"]))
    attributes: dict[str, str | int | float | bool] = {"tool": tool}
    for name, value in arguments.items():
        if isinstance(value, list):
            attributes[f"number of {name}"] = len(cast("list[object]", value))
        elif isinstance(value, str | int | float | bool) and name not in ("thought", "expression", "summary"):
            attributes[name] = value
    event = COMPLETED
    if answer.startswith("Error"):
        event, attributes["error"] = EXCEPTION, answer[:80]
    elif tool.startswith(_CHANGING):
        event = WELL if rewarded else REJECTED
    return event, tool.replace("_", " "), attributes


def _correction(said: _Said, before: Sequence[_Said]) -> list[tuple[str, str, dict[str, str | int | float | bool]]]:
    text = said.get("content") or ""
    if said.get("role") != "user" or not text.casefold().startswith(_AGAINST):
        return []
    tool = next((call["function"]["name"] for old in reversed(before) for call in _calls(old)), "")
    return [(CORRECTED, text, {"after": tool} if tool else {})]
