"""Metrics of a hall for Prometheus: tables, alerts, and the records of each table."""

from collections import Counter

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from referee.hall.tables import Tables
from referee.link.alerts import AlertKind


def exposition(tables: Tables, *, linked: bool) -> bytes:
    """Return the metrics in Prometheus' text format; `linked`: whether the broker is connected."""
    registry = CollectorRegistry()
    Gauge("referee_broker_linked", "Whether the broker is there", registry=registry).set(linked)
    waiting = Gauge("referee_alerts", "Alerts that wait for somebody", ["kind"], registry=registry)
    alerts = Counter(alert.kind for table in tables.values() for alert in table.alerts)
    for kind in AlertKind:
        waiting.labels(kind.value).set(alerts[kind.value])
    online = Gauge("referee_table_linked", "Whether a table is linked", ["table"], registry=registry)
    missing = Gauge("referee_table_missing", "Whether its match lacks events", ["table"], registry=registry)
    events = Gauge("referee_table_events", "Events of its match in the records", ["table"], registry=registry)
    for name, table in tables.items():
        online.labels(name).set(table.online)
        missing.labels(name).set(table.has_missing_events)
        events.labels(name).set(table.events)
    return bytes(generate_latest(registry))
