"""The retained message by which Home Assistant discovers a table: its sensors and buttons."""

from typing import Any, Final

from referee.link.topics import TableAddress

_MATCH: Final = "(value_json.match or {})"
_SENSORS: Final = (
    ("phase", "Phase", f"{{{{ {_MATCH}.get('phase') or 'no match' }}}}", {"icon": "mdi:cards-playing"}),
    (
        "player",
        "Player",
        "{% set m = value_json.match %}{{ m.players[m.seat].name if m and m.seat is not none else 'nobody' }}",
        {"icon": "mdi:account"},
    ),
    (
        "verdict",
        "Verdict",
        f"{{{{ ({_MATCH}.get('verdict') or {{}}).get('verdict') or 'none' }}}}",
        {"icon": "mdi:gavel"},
    ),
    (
        "clock",
        "Clock",
        f"{{{{ ({_MATCH}.get('clock') or {{}}).get('seconds_left') | float(0) | round(0) }}}}",
        {"unit_of_measurement": "s", "device_class": "duration"},
    ),
)
_BUTTONS: Final = (("press", "End the turn"), ("pause", "Pause"), ("resume", "Go on"))


def discovery_topic(address: TableAddress) -> str:
    """Return the topic on which Home Assistant discovers this table."""
    return f"homeassistant/device/{address.hall}/{address.table}/config"


def discovery(address: TableAddress, version: str, page: str | None) -> dict[str, Any]:
    """Return the discovery message: the device, its sensors and its buttons."""
    device_id = f"referee-{address.hall}-{address.table}"
    sensors = {
        key: {"platform": "sensor", "unique_id": f"{device_id}-{key}", "name": name, "value_template": template, **more}
        for key, name, template, more in _SENSORS
    }
    buttons = {
        verb: {
            "platform": "button",
            "unique_id": f"{device_id}-{verb}",
            "name": name,
            "command_topic": address.command(verb),
            "payload_press": '{"by": "Home Assistant"}',
            "qos": 1,
        }
        for verb, name in _BUTTONS
    }
    device = {"identifiers": [device_id], "name": f"Table {address.table}", "model": "referee", "sw_version": version}
    return {
        "device": device | ({"configuration_url": page} if page else {}),
        "origin": {"name": "referee", "sw_version": version},
        "availability": [{"topic": address.topic("status"), "value_template": "{{ value_json.status }}"}],
        "state_topic": address.topic("state"),
        "components": sensors | buttons,
    }
