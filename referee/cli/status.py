"""`referee status`: how the running service is."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from referee.errors import StorageError
from referee.service.health import NAME, STALE_SECONDS, health_file

_NOT_RUNNING = 1
_SERVICE = Path("/run/referee") / NAME


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Tell how the service is; 1 if none is running or it has stopped telling."""
    health = _load()
    if arguments.json:
        print(json.dumps({"running": health is not None, **(health or {})}))
    elif health is None:
        print("The referee is not running.")
    else:
        print("\n".join(_lines(health)))
    return _NOT_RUNNING if health is None or health["stale"] else 0


def _load() -> dict[str, Any] | None:
    for path in (_SERVICE, health_file()):
        try:
            age = time.time() - path.stat().st_mtime
            health: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise StorageError(f"health file {path} cannot be read ({error!s:.50}); are you in its group?") from None
        return health | {"age": round(age, 1), "stale": age > STALE_SECONDS}
    return None


def _lines(health: dict[str, Any]) -> list[str]:
    match = health["match"]
    lines = [
        f"referee {health['version']}, process {health['pid']}, camera {health['camera']}",
        f"last told {health['age']:g} s ago" + (": it hangs or was killed" if health["stale"] else ""),
        f"last frame {health['last_frame_age']} s ago, {health['frames_per_second']} frames a second",
    ]
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
    for name, unit in (("temperature", " °C"), ("disk_free_mb", " MB"), ("clock_synchronised", "")):
        if health[name] is not None:
            lines.append(f"{name.replace('_', ' ')}: {health[name]}{unit}")
    return lines
