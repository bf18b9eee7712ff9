"""What a tenant that floods the service costs another: times of answers alone, and beside the flood.

    python -m bench.flooding [--flood 100] [--callers 4] [--seconds 20] [--rounds 3] [--processes 2] [--rate 1000000]
        [--pool 16] [--json]

The few callers of one tenant wait 0.2 s after an answer; the many of another do not wait. Each round measures the few
alone and then beside the many, so that what changes on the machine meets both. A request that was refused with 429 is
counted, and not timed.
"""

import argparse
import json
import multiprocessing
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import anyio
import numpy as np

from bench.serving import MIX, Calls, send, warm_up
from tests.databases import SECRET, fresh
from tests.postgres_server import shared
from tests.serving import started, stopped

_QUIET: Final = "quiet"
_WAIT: Final = 0.2


def measure(
    *, flood: int, callers: int, seconds: float, rounds: int, processes: int, rate: float, pool: int
) -> dict[str, Any]:
    """Return p50 and p95 of the few callers alone and beside the flood, in ms, and what the flood did."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        folder = Path(name)
        database = stack.enter_context(fresh(stack.enter_context(shared(folder))))
        env = {
            "REMEMBRANCER_SECRET_KEY": SECRET,
            "REMEMBRANCER_SERVICE_RATE": str(rate),
            "REMEMBRANCER_NIGHTLY": "false",
            "REMEMBRANCER_POOL_SIZE": str(pool),
        }
        running = started(database.serving_url, folder / "log", "--processes", str(processes), "--quiet", env=env)
        try:
            anyio.run(warm_up, running.url, processes)
            few = Calls(url=running.url, seconds=seconds, mix=MIX, wait=_WAIT, retries=4, tenant=_QUIET)
            many = Calls(url=running.url, seconds=seconds, mix=MIX, wait=0.0, retries=0, tenant="flood")
            found: dict[str, list[dict[str, Any]]] = {"alone": [], "beside": [], "flood": []}
            for number in range(rounds):
                place = folder / str(number)
                (place / "alone").mkdir(parents=True)
                (place / "beside").mkdir()
                _run((few, 0, callers, str(place / "alone")))
                _run((few, 0, callers, str(place / "beside")), (many, 1_000, flood, str(place / "beside")))
                found["alone"].append(_read(place / "alone/0.json"))
                found["beside"].append(_read(place / "beside/0.json"))
                found["flood"].append(_read(place / "beside/1000.json"))
        finally:
            stopped(running, kill=True)
    return {
        **{which: _times(loads) for which, loads in found.items()},
        "rounds": [
            {which: _times([found[which][number]]) for which in ("alone", "beside")} for number in range(rounds)
        ],
        "answers to the flood a second": round(_count(found["flood"]) / seconds / rounds, 1),
        "errors": {which: _errors(loads) for which, loads in found.items()},
    }


def _run(*works: tuple[Calls, int, int, str]) -> None:
    senders = [multiprocessing.get_context("spawn").Process(target=send, args=work) for work in works]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def _times(loads: list[dict[str, Any]]) -> dict[str, float]:
    times = [one for load in loads for what, found in load["milliseconds"].items() if what != "empty" for one in found]
    return {f"p{percent}": round(float(np.percentile(times, percent)), 1) for percent in (50, 95)} if times else {}


def _count(loads: list[dict[str, Any]]) -> int:
    return sum(len(times) for load in loads for times in load["milliseconds"].values())


def _errors(loads: list[dict[str, Any]]) -> dict[str, int]:
    errors = Counter[str]()
    for load in loads:
        errors.update(load["errors"])
    return dict(errors.most_common(5))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flood", type=int, default=100, help="callers that do not wait")
    parser.add_argument("--callers", type=int, default=4, help="callers of the other tenant")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each part of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1_000_000.0, help="the setting `service_rate`")
    parser.add_argument("--pool", type=int, default=16, help="the setting `pool_size`")
    parser.add_argument("--json", action="store_true")
    arguments = vars(parser.parse_args())
    as_json = arguments.pop("json")
    found = measure(**arguments)
    if as_json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
