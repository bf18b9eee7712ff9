"""A discrete-event model of the service: what a machine answers, and what millions of users need.

    python -m bench.model [--costs FILE] [--measure] [--users 1000000 10000000 100000000]

`--measure` measures the processor time of each operation with few callers, by `bench.serving`, and how much more the
operations need when they are mixed: with 20 callers, and with 400 that wait between two requests and connect again. It
writes them to FILE, and measures 200 and 1,000 callers, which the model then predicts. Without it FILE is read.

A request needs the processor of a caller, of a service process and of the database. A service process runs Python on
one core at a time; it serves others while it waits for the database. Queues are what is left.
"""

import argparse
import json
import random
import sys
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import simpy

from bench.serving import MIX, measure

_FEW = 4
_WAIT = 20.0
_DAY = 86_400
_SLICE = 0.002
# Measured: an operation of `bench.serving` for each of the model.
_OPERATIONS = ("record", "save", "recall", "context", "empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What requests share.

    Args:
        cores: of the machine, for service, database and callers.
        processes: of the service.
        senders: processes of callers; 0 for callers elsewhere.
    """

    cores: int
    processes: int
    senders: int


@dataclass(slots=True)
class Answers:
    """The times of answers by operation, in seconds, to requests that began in the middle of a run."""

    begin: float
    end: float
    requests: int = 0
    by_operation: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    @classmethod
    def of(cls, seconds: float) -> "Answers":
        """Return those of a run of some seconds; what begins in its last tenth may not be answered in it."""
        return cls(begin=seconds * 0.1, end=seconds * 0.9)

    def began(self, at: float) -> None:
        """Note a request."""
        self.requests += self.begin <= at < self.end

    def add(self, what: str, began: float, now: float) -> None:
        """Note an answer."""
        if self.begin <= began < self.end:
            self.by_operation.setdefault(what, []).append(now - began)

    @property
    def seconds(self) -> list[float]:
        """All times."""
        return [one for some in self.by_operation.values() for one in some]


Costs = Mapping[str, Mapping[str, float]]
"""Seconds of processor time by operation, of `service`, `database` and `callers`."""
Steps = Generator[simpy.Event, Any, None]
Request = Generator[simpy.Event, Any, str]
"""The steps of a request, which return its operation."""


class Model:
    """Requests at one machine."""

    def __init__(self, machine: Machine, costs: Costs, mix: Mapping[str, float], *, seed: int = 1) -> None:
        self.env = simpy.Environment()
        self._cores = simpy.Resource(self.env, machine.cores)
        self._processes = [simpy.Resource(self.env, 1) for _ in range(machine.processes)]
        self._senders = [simpy.Resource(self.env, 1) for _ in range(machine.senders)]
        self._costs = costs
        self._mix = mix
        self._chance = random.Random(seed)

    def closed(self, callers: int, *, wait: float, seconds: float) -> Answers:
        """Run callers, each of which waits for its answer and then for `wait` seconds."""
        answers = Answers.of(seconds)

        def call(number: int) -> Steps:
            yield self.env.timeout(self._chance.random() * wait)
            while True:
                began = self.env.now
                what = yield from self._request(number)
                answers.add(what, began, self.env.now)
                yield self.env.timeout(wait)

        for number in range(callers):
            self.env.process(call(number))
        self.env.run(until=seconds)
        return answers

    def opened(self, rate: float, *, seconds: float) -> Answers:
        """Run requests that arrive at random, `rate` a second."""
        answers = Answers.of(seconds)

        def arrive() -> Steps:
            number = 0
            while True:
                yield self.env.timeout(self._chance.expovariate(rate))
                number += 1
                self.env.process(answer(number))

        def answer(number: int) -> Steps:
            began = self.env.now
            answers.began(began)
            what = yield from self._request(number)
            answers.add(what, began, self.env.now)

        self.env.process(arrive())
        self.env.run(until=seconds)
        return answers

    def _request(self, number: int) -> Request:
        what = self._chance.choices(list(self._mix), list(self._mix.values()))[0]
        # Around the mean: requests differ.
        factor = self._chance.gammavariate(4, 0.25)
        cost = {part: seconds * factor for part, seconds in self._costs[what].items()}
        process = self._processes[number % len(self._processes)]
        if self._senders:
            yield from self._work(cost["callers"], self._senders[number % len(self._senders)])
        yield from self._work(cost["service"] / 2, process)
        yield from self._work(cost["database"], None)
        yield from self._work(cost["service"] / 2, process)
        return what

    def _work(self, seconds: float, process: simpy.Resource | None) -> Steps:
        """Use a core, in slices, so that others have their turns."""
        while seconds > 0:
            part = min(seconds, _SLICE)
            seconds -= part
            if process is None:
                yield from self._slice(part)
            else:
                with process.request() as mine:  # pyright: ignore[reportUnknownVariableType] -- of simpy
                    yield mine
                    yield from self._slice(part)

    def _slice(self, seconds: float) -> Steps:
        with self._cores.request() as core:  # pyright: ignore[reportUnknownVariableType] -- of simpy
            yield core
            yield self.env.timeout(seconds)


def costs_of(seconds: float) -> Costs:
    """Measure the processor time of each operation with few callers."""
    found: dict[str, Mapping[str, float]] = {}
    for what in _OPERATIONS:
        mix = {what: 1} if what != "context" else {"record": 1, "context": 1}
        told: Any = measure(callers=_FEW, seconds=seconds, processes=2, kill=False, mix=mix)
        spent = {part: value / 1_000 for part, value in told["processor ms a request"].items()}
        if what == "context":
            # Half of the calls were records, so that there is a conversation.
            spent = {part: max(0.0, 2 * value - found["record"][part]) for part, value in spent.items()}
        found[what] = spent
        print(what, {part: round(value * 1_000, 2) for part, value in spent.items()}, file=sys.stderr)
    return found


def mixed(costs: Costs, *, callers: int, wait: float, seconds: float) -> Costs:
    """Return the costs of the operations when they are mixed: each part in proportion to what a mixed run needs."""
    told: Any = measure(callers=callers, seconds=seconds, processes=2, kill=False, wait=wait)
    total = sum(MIX.values())
    alone = {part: sum(MIX[what] * costs[what][part] for what in MIX) / total for part in costs["record"]}
    factors = {part: told["processor ms a request"][part] / 1_000 / alone[part] for part in alone}
    print(callers, wait, {part: round(factor, 2) for part, factor in factors.items()}, file=sys.stderr)
    return {what: {part: cost[part] * factors[part] for part in cost} for what, cost in costs.items()}


def predicted(costs: Costs, callers: int, wait: float) -> dict[str, float]:
    """Return what the model says of a run of `bench.serving` on this machine."""
    seconds = 60.0
    answers = Model(Machine(cores=2, processes=2, senders=2), costs, MIX).closed(callers, wait=wait, seconds=seconds)
    return _summary(answers, seconds)


def measured(callers: int, wait: float) -> dict[str, float]:
    """Return what a run of `bench.serving` shows."""
    told: Any = measure(callers=callers, seconds=60.0, processes=2, kill=False, wait=wait)
    medians = {what: median for what, (median, _) in told["p50 / p99 ms"].items()}
    return {"requests a second": told["requests a second"], **_medians(medians)}


def _summary(answers: Answers, seconds: float) -> dict[str, float]:
    medians = {what: float(np.median(some)) * 1_000 for what, some in answers.by_operation.items()}
    return {"requests a second": round(len(answers.seconds) / (seconds * 0.8), 1), **_medians(medians)}


def _medians(by_operation: Mapping[str, float]) -> dict[str, float]:
    """Return the medians of the operations, and their mean over the mix."""
    mean = sum(MIX[what] * median for what, median in by_operation.items()) / sum(MIX.values())
    return {"p50 ms": round(mean, 1), **{f"{what} ms": round(by_operation[what], 1) for what in sorted(by_operation)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One database with its services: the unit of growth.

    Args:
        database_cores: of the database's machine.
        processes: of services, each with a core of its own.
    """

    database_cores: int
    processes: int

    def rate(self, costs: Costs, mix: Mapping[str, float], *, p99: float) -> float:
        """Return the requests a second at which the 99th percentile reaches a limit in seconds."""
        low, high = 1.0, 4_000.0
        for _ in range(8):
            rate = (low + high) / 2
            found = self._answers(costs, mix, rate)
            low, high = (rate, high) if found and np.percentile(found, 99) <= p99 else (low, rate)
        return low

    def _answers(self, costs: Costs, mix: Mapping[str, float], rate: float) -> Sequence[float]:
        # Service processes have their own cores, so the database's are the ones that are shared.
        env = Model(
            Machine(cores=self.database_cores + self.processes, processes=self.processes, senders=0), costs, mix
        )
        answers = env.opened(rate, seconds=10.0)
        # What is not answered is late.
        return [*answers.seconds, *([1e9] * (answers.requests - len(answers.seconds)))]


def plan(costs: Costs, users: int) -> dict[str, object]:
    """Return what so many users need: 50 writes and 20 recalls a day each, in peaks of 4 times the mean."""
    writes, reads, peak = 50, 20, 4
    mix = {"record": writes * 0.8, "save": writes * 0.2, "recall": reads * 0.5, "context": reads * 0.5}
    rate = users * (writes + reads) / _DAY * peak
    cell = Cell(database_cores=16, processes=24)
    of_cell = cell.rate(costs, mix, p99=0.5)
    memories = users * writes * 365
    terabytes = memories * _BYTES_WITH / 1e12
    by_requests, by_storage = -(-rate // of_cell), -(-terabytes // _TERABYTES_A_DATABASE)
    return {
        "users": users,
        "requests a second, peak": round(rate),
        "requests a second, a cell": round(of_cell),
        "databases for the requests (16 cores, 24 service processes each)": int(by_requests),
        f"databases for a year's storage ({_TERABYTES_A_DATABASE} TB each)": int(by_storage),
        "short first": "requests" if by_requests > by_storage else "storage",
        "new memories a year": memories,
        "TB a year with vectors": round(terabytes, 1),
        "TB a year without": round(memories * _BYTES_WITHOUT / 1e12, 1),
        "worker cores for nights of six hours": int(-(-users * _NIGHT_SECONDS // (6 * 3_600))),
        "worker cores for vectors": int(-(-users * writes / _DAY * peak // _VECTORS_A_SECOND)),
    }


# Of `bench.scale` on PostgreSQL: a text of 75 characters with its indexes, a night of a scope of 1,000 memories, and
# vectors that one core stores.
_BYTES_WITH = 4_600
_TERABYTES_A_DATABASE = 8
_BYTES_WITHOUT = 3_600
_NIGHT_SECONDS = 0.26
_VECTORS_A_SECOND = 840


def main() -> int:
    """Measure where asked to, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--costs", type=Path, default=Path(__file__).with_name("costs.json"))
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each measurement of an operation")
    parser.add_argument("--users", type=int, nargs="*", default=[1_000_000, 10_000_000, 100_000_000])
    given = parser.parse_args()
    if given.measure:
        alone = costs_of(given.seconds)
        busy = mixed(alone, callers=20, wait=0.0, seconds=2 * given.seconds)
        waiting = mixed(alone, callers=400, wait=_WAIT, seconds=4 * given.seconds)
        measurements = {"alone": alone, "busy": busy, "waiting": waiting}
        given.costs.write_text(json.dumps(measurements, indent=2) + "\n", encoding="utf-8")
    costs: Mapping[str, Costs] = json.loads(given.costs.read_text(encoding="utf-8"))
    for callers, wait in ((200, 0.0), (1_000, _WAIT)):
        answers = predicted(costs["waiting" if wait else "busy"], callers, wait)
        line: dict[str, Any] = {"callers": callers, "wait": wait, "predicted": answers}
        if given.measure:
            line["measured"] = measured(callers, wait)
        print(json.dumps(line), flush=True)
    for users in given.users:
        print(json.dumps(plan(costs["waiting"], users)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
