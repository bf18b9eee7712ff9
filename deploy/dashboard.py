"""The dashboard for Grafana, as code: `python deploy/dashboard.py` writes `grafana.json`, which is imported as it is.

Every expression is asked of a real Prometheus by a test, so that no panel stays empty for a wrong name.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "grafana.json"
_OF = 'tenant=~"$tenant", agent=~"$agent"'
_WIDTH, _HEIGHT, _COLUMNS = 8, 8, 24
_SOURCE = {"type": "prometheus", "uid": "${source}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One graph.

    Args:
        lines: expressions of Prometheus, each with what its line is called.
        unit: in Grafana's notation.
    """

    title: str
    lines: Sequence[tuple[str, str]]
    unit: str = "short"


def _rate(metric: str, by: str = "", of: str = _OF) -> str:
    """So many a second, over what Grafana takes for one point."""
    return f"sum{f' by ({by})' if by else ''} (rate(remembrancer_{metric}{{{of}}}[$__rate_interval]))"


def _quantiles(metric: str, of: str = _OF) -> list[tuple[str, str]]:
    """Half, one in twenty and one in a hundred took longer."""
    return [
        (f"histogram_quantile({share}, {_rate(f'{metric}_bucket', 'le', of)})", f"p{round(share * 100)}")
        for share in (0.5, 0.95, 0.99)
    ]


def _tier(name: str) -> str:
    return _rate("tokens_total", of=f'{_OF}, tier="{name}"')


def _share(part: str, whole: str) -> str:
    return f"{part} / ({whole} > 0)"


ROWS: dict[str, Sequence[Panel]] = {
    "Requests": [
        Panel(title="Requests", lines=[(_rate("requests_total", "status", ""), "{{status}}")], unit="reqps"),
        Panel(title="How long they take", lines=_quantiles("request_seconds", ""), unit="s"),
        Panel(
            title="The slowest routes, p95",
            lines=[
                (
                    f"topk(5, histogram_quantile(0.95, {_rate('request_seconds_bucket', 'le, door, route', '')}))",
                    "{{door}} {{route}}",
                )
            ],
            unit="s",
        ),
    ],
    "Memory": [
        Panel(title="Records written", lines=[(_rate("records_total", "kind"), "{{kind}}")], unit="wps"),
        Panel(title="Tokens written, by tier", lines=[(_rate("tokens_total", "tier"), "{{tier}}")]),
        Panel(
            title="Compression: messages said for a token told of them",
            lines=[
                (_share(_tier("message"), _tier("observation")), "observed"),
                (_share(_rate("whole_tokens_total"), _rate("served_tokens_total")), "served"),
            ],
        ),
    ],
    "Recall": [
        Panel(title="How long recall takes", lines=_quantiles("recall_seconds"), unit="s"),
        Panel(
            title="Questions that nothing here answers",
            lines=[(_share(_rate("abstentions_total"), _rate("recall_seconds_count")), "abstained")],
            unit="percentunit",
        ),
        Panel(title="Questions", lines=[(_rate("recall_seconds_count", "agent"), "{{agent}}")], unit="ops"),
    ],
    "Models and money": [
        Panel(title="Calls", lines=[(_rate("model_calls_total", "outcome"), "{{outcome}}")], unit="ops"),
        Panel(title="How long models take", lines=_quantiles("model_seconds", ""), unit="s"),
        Panel(title="Tokens of models", lines=[(_rate("model_tokens_total", "part"), "{{part}}")]),
        Panel(
            title="Dollars in the last day, by purpose",
            lines=[(f"sum by (purpose) (increase(remembrancer_model_cost_usd_total{{{_OF}}}[1d]))", "{{purpose}}")],
            unit="currencyUSD",
        ),
        Panel(
            title="Dollars spared in the last day",
            lines=[(f"sum(increase(remembrancer_saved_usd_total{{{_OF}}}[1d]))", "spared")],
            unit="currencyUSD",
        ),
        Panel(
            title="Calls at an unknown price",
            lines=[(_rate("model_calls_unpriced_total", "purpose"), "{{purpose}}")],
            unit="ops",
        ),
    ],
    "Background work": [
        Panel(
            title="Tenants with work waiting",
            lines=[("max by (purpose) (remembrancer_work_waiting)", "{{purpose}}")],
        ),
        Panel(
            title="How long work takes, p95",
            lines=[
                (f"histogram_quantile(0.95, {_rate('work_seconds_bucket', 'le, purpose', '')})", "{{purpose}}"),
            ],
            unit="s",
        ),
        Panel(
            title="Failures and leases",
            lines=[
                (_rate("work_failures_total", "purpose", ""), "failed: {{purpose}}"),
                ("sum(remembrancer_leases)", "leases"),
            ],
        ),
    ],
}  # fmt: skip
"""The panels by their rows, top to bottom."""


def made() -> dict[str, Any]:
    """The dashboard as Grafana 10 and later read it."""
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        panels.append({"type": "row", "title": title, "collapsed": False, "gridPos": _place(0, top, _COLUMNS, 1)})
        top += 1
        for number, panel in enumerate(row):
            place = _place(number * _WIDTH % _COLUMNS, top + number * _WIDTH // _COLUMNS * _HEIGHT, _WIDTH, _HEIGHT)
            panels.append(_graph(panel, place))
        top += -(-len(row) * _WIDTH // _COLUMNS) * _HEIGHT
    return {
        "title": "Remembrancer",
        "uid": "remembrancer",
        "tags": ["remembrancer"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_source(), _variable("tenant"), _variable("agent")]},
        "panels": [{"id": number, **panel} for number, panel in enumerate(panels, start=1)],
    }


def _place(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def _graph(panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    return {
        "type": "timeseries",
        "title": panel.title,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + number), "expr": expression, "legendFormat": name, "datasource": _SOURCE}
            for number, (expression, name) in enumerate(panel.lines)
        ],
    }


def _source() -> dict[str, Any]:
    return {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _variable(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": "query",
        "datasource": _SOURCE,
        "query": f"label_values(remembrancer_records_total, {name})",
        "refresh": 2,
        "includeAll": True,
        # Also those without an agent, whose label is empty.
        "allValue": ".*",
        "multi": True,
        "current": {"text": "All", "value": "$__all"},
    }


def text() -> str:
    """The file as it is to be."""
    return json.dumps(made(), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
