"""What Prometheus reads: the numbers that alerts and pages name, and labels that do not grow without end."""

import re
from pathlib import Path

import remembrancer
from remembrancer.adapters.prometheus import MAX_OWNERS, OTHERS, PrometheusMeter
from remembrancer.types.jobs import DueWork, MaintenanceStep, Purpose
from remembrancer.types.scope import Scope
from tests.factories import SETTLED, call, message, observation, served

ROOT = Path(remembrancer.__file__).parents[2]
NAMES = re.compile(r"\bremembrancer_[a-z_]+")


def filled() -> PrometheusMeter:
    meter, scope = PrometheusMeter(), Scope(tenant="acme", agent="scribe", user="ana")
    meter.handled(origin="rest", route="save", status=201, seconds=0.01)
    meter.wrote(scope, [message("m"), observation("o"), observation("p")])
    meter.recalled(scope, seconds=0.02, abstained=True)
    meter.called(scope, call("a"), SETTLED)
    meter.served(scope, served("b"))
    meter.cached(hit=True)
    meter.worked(Purpose.EMBED, seconds=1.0, failed=True)
    meter.failed(MaintenanceStep.DETECT, "StoreError")
    meter.waiting([DueWork(tenant="acme", purpose=Purpose.EMBED)])
    return meter


def test_what_was_done_is_counted_for_its_tenant_and_agent_and_no_user() -> None:
    told = filled().text()
    assert 'remembrancer_records_total{agent="scribe",kind="observation",tenant="acme"} 2.0' in told
    assert 'remembrancer_abstentions_total{agent="scribe",tenant="acme"} 1.0' in told
    assert 'remembrancer_night_failures_total{cause="StoreError",step="detect"} 1.0' in told
    assert 'remembrancer_work_waiting{purpose="embed"} 1.0' in told
    assert 'remembrancer_context_cache_total{result="hit"} 1.0' in told
    assert "ana" not in told


def test_every_number_that_alerts_and_the_page_name_is_there() -> None:
    told = filled().text()
    rules = (ROOT / "deploy/prometheus.rules.yaml").read_text(encoding="utf-8")
    page = (ROOT / "docs/how-to/monitoring.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and "|" in line[2:]]
    named = {f"remembrancer_{name}" for row in rows for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
    known = set(NAMES.findall(told))
    assert {name for name in NAMES.findall(rules) if name not in known} == set()
    metrics = {name for name in named if re.search(r"_(total|seconds|waiting)$", name)}
    assert len(metrics) > 10
    assert {name for name in metrics if name not in known and f"{name}_count" not in known} == set()


def test_past_a_number_of_owners_the_rest_is_told_together() -> None:
    meter = PrometheusMeter()
    for number in range(MAX_OWNERS + 5):
        meter.recalled(Scope(tenant=f"t{number}"), seconds=0.01, abstained=False)
    told = meter.text()
    assert f'remembrancer_recall_seconds_count{{agent="",tenant="{OTHERS}"}} 5.0' in told
    assert told.count("remembrancer_recall_seconds_count{") == MAX_OWNERS + 1
