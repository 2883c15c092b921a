"""`referee status`: how the running service is."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.errors import StorageError
from referee.service.health import NAME, STALE_SECONDS, age_of, ask_retry, health_file

_NOT_RUNNING = 1
_SERVICE = Path("/run/referee") / NAME


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--retry", action="store_true", help="let a service in safe mode try to start again")


def run(arguments: argparse.Namespace) -> int:
    """Tell how the service is; 1 if none is running, it has stopped telling, or it is in safe mode."""
    health = _load()
    if arguments.retry:
        return _retry(health)
    if arguments.json:
        print(json.dumps({"running": health is not None, **(health or {})}))
    elif health is None:
        print(
            "The referee is not running; start it: sudo systemctl start referee (why it ended: journalctl -u referee)"
        )
    else:
        print("\n".join(_safe_lines(health) if _is_safe(health) else _lines(health)))
    return _NOT_RUNNING if health is None or health["stale"] or _is_safe(health) else 0


def _is_safe(health: dict[str, Any]) -> bool:
    return health.get("state") == "safe"


def _retry(health: dict[str, Any] | None) -> int:
    if health is None or not _is_safe(health):
        print("The referee is not in safe mode.", file=sys.stderr)
        return _NOT_RUNNING
    try:
        ask_retry(health)
    except OSError as error:
        raise StorageError(f"{health['retry']} cannot be written ({error.strerror}); try it with sudo") from None
    print("The referee will try to start within a few seconds.")
    return 0


def _load() -> dict[str, Any] | None:
    for path in (_SERVICE, health_file()):
        try:
            health: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            age = age_of(health)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"health file {path} cannot be read ({error!s:.50}); are you in its group?") from None
        return health | {"age": round(age, 1), "stale": not 0 <= age <= STALE_SECONDS}
    return None


def _safe_lines(health: dict[str, Any]) -> list[str]:
    return [
        f"referee {health['version']}, process {health['pid']}, is in SAFE MODE after {health['starts']} failed starts",
        f"last told {health['age']:g} s ago" + (": it hangs or was killed" if health["stale"] else ""),
        f"why: {health['reason']}",
        "it starts by itself when that is mended; to try at once: sudo referee status --retry",
    ]


def _lines(health: dict[str, Any]) -> list[str]:
    match = health["match"]
    lines = [
        f"referee {health['version']}, process {health['pid']}, camera {health['camera']}",
        f"last told {health['age']:g} s ago" + (": it hangs or was killed" if health["stale"] else ""),
        "no frame yet: is the camera plugged in?"
        if health["last_frame_age"] is None
        else f"last frame {health['last_frame_age']} s ago, {health['frames_per_second']} frames a second",
    ]
    if "models" in health:
        knows = "none" if health["profile"] is None else ", ".join(health["profile"]) or "knows nothing yet"
        lines.append(f"models {health['models']}; profile: {knows}")
    if health["reading_ms"]:
        lines.append(f"one reading takes {health['reading_ms'].get('total', '?')} ms")
    if "players" in match:
        halted = f", halted: {', '.join(match['halted'])}" if match["halted"] else ""
        lines.append(
            f"game {match['game']} ({match['edition']}), turn {match['turn']}, {match['to_move']} to move, "
            f"{match['phase']}{halted}"
        )
    if health["throttled"]:
        lines.append(f"held back by: {', '.join(health['throttled'])}")
    return [*lines, *_machine_lines(health)]


def _machine_lines(health: dict[str, Any]) -> Iterator[str]:
    """Say of the machine what it tells of itself."""
    if health["temperature"] is not None:
        yield f"{health['temperature']:.0f} °C"
    if health["disk_free_mb"] is not None:
        yield f"{health['disk_free_mb']:.0f} MB of disk free"
    if health["clock_synchronised"] is not None:
        yield f"the clock {'is' if health['clock_synchronised'] else 'is not'} set by the network"
