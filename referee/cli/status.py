"""`referee status`: the health of the running service."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.errors import StorageError
from referee.service.health import SERVICE_FILE, STALE_SECONDS, age_of, ask_retry, health_file

_EXIT_NOT_RUNNING = 1
INSTALLED = Path("/opt/referee")  # where `make install` and the package put the service
_START = "sudo systemctl start referee (why it ended: journalctl -u referee)"
_DAMAGED_FILE_ADVICE = "the service rewrites it within 5 s; if not: sudo systemctl restart referee"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--retry", action="store_true", help="let a service in safe mode try to start again")


def run(arguments: argparse.Namespace) -> int:
    """Print the service's health; return 1 if it is not running, not responding, or in safe mode."""
    health = _load_health()
    if arguments.retry:
        return _retry(health)
    if arguments.json:
        print(json.dumps({"running": health is not None, **(health or {})}))
    elif health is None:
        print(f"The referee is not running; start it: {_START if INSTALLED.exists() else 'referee run'}")
    else:
        print("\n".join(_status_lines(health)))
    return _EXIT_NOT_RUNNING if health is None or health["stale"] or _is_safe(health) else 0


def _is_safe(health: dict[str, Any]) -> bool:
    return health.get("state") == "safe"


def _retry(health: dict[str, Any] | None) -> int:
    if health is None or not _is_safe(health):
        print("The referee is not in safe mode.", file=sys.stderr)
        return _EXIT_NOT_RUNNING
    try:
        ask_retry(health)
    except OSError as error:
        raise StorageError(f"{health['retry']} cannot be written ({error.strerror}); try it with sudo") from None
    except KeyError:
        raise StorageError("the service takes no retry requests; run: sudo systemctl restart referee") from None
    print("The referee will try to start within a few seconds.")
    return 0


def _load_health() -> dict[str, Any] | None:
    for path in (SERVICE_FILE, health_file()):
        try:
            health: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            age = age_of(health)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(f"health file {path} cannot be read ({error.strerror}); try it with sudo") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StorageError(f"health file {path} is damaged ({error!s:.50}); {_DAMAGED_FILE_ADVICE}") from None
        return health | {"age": round(age, 1), "stale": not 0 <= age <= STALE_SECONDS}
    return None


def _status_lines(health: dict[str, Any]) -> list[str]:
    try:
        return _safe_lines(health) if _is_safe(health) else _health_lines(health)
    except (TypeError, ValueError, AttributeError) as error:  # a key may be missing, but must not have another type
        raise StorageError(f"the health file has an unexpected value ({error!s:.50}); {_DAMAGED_FILE_ADVICE}") from None


def _safe_lines(health: dict[str, Any]) -> list[str]:
    return [
        f"{_version_line(health)}, is in SAFE MODE after {health.get('starts', 'several')} failed starts",
        _notice_line(health),
        f"why: {health.get('reason', 'it does not say; see journalctl --unit referee')}",
        "it starts by itself when that is mended; to try at once: sudo referee status --retry",
    ]


def _health_lines(health: dict[str, Any]) -> list[str]:
    """Return the known values as lines; another version may write fewer keys."""
    return [
        f"{_version_line(health)}, camera {health.get('camera', 'not named')}",
        _notice_line(health),
        *_camera_lines(health),
        *_match_lines(health.get("match") or {}),
        *([f"NOT KEPT: {health['unkept']}"] if health.get("unkept") else []),
        *(f"FAULT: {fault}" for fault in health.get("signal_faults") or ()),
        *_machine_lines(health),
    ]


def _version_line(health: dict[str, Any]) -> str:
    return f"referee {health.get('version', 'of unknown version')}, process {health.get('pid', 'unknown')}"


def _notice_line(health: dict[str, Any]) -> str:
    return f"last report {health['age']:g} s ago" + (": it hangs or was killed" if health["stale"] else "")


def _camera_lines(health: dict[str, Any]) -> Iterator[str]:
    """Yield lines about the camera."""
    if health.get("last_frame_age") is None:
        yield "no frame yet: is the camera plugged in?"
    else:
        yield f"last frame {health['last_frame_age']} s ago, {health.get('frames_per_second', '?')} frames a second"
    if health.get("camera_delay"):
        yield f"pictures come {health['camera_delay']:g} s late"
    if "models" in health:
        knows = "none" if health.get("profile") is None else ", ".join(health["profile"]) or "knows nothing yet"
        yield f"models {health['models']}; profile: {knows}"
    if health.get("reading_ms"):
        yield f"one reading takes {health['reading_ms'].get('total', '?')} ms"


def _match_lines(match: dict[str, Any]) -> Iterator[str]:
    """Yield lines about the match, if one has begun."""
    if "players" not in match:
        return
    game, edition, turn, to_move, phase = (
        match.get(key, "?") for key in ("game", "edition", "turn", "to_move", "phase")
    )
    halted = f", halted: {', '.join(match['halted'])}" if match.get("halted") else ""
    what = "" if phase == "turn" else f", {phase}"
    yield f"game {game} ({edition}), turn {turn}, {to_move} to move{what}{halted}"
    for number, owners in match.get("racks_missing", {}).items():
        yield f"game {number} waits for the racks of {', '.join(owners)}"


def _machine_lines(health: dict[str, Any]) -> Iterator[str]:
    """Yield lines about the machine."""
    if health.get("throttled"):
        less = "; looks half as often" if health.get("looks_less_often") else ""
        yield f"held back by: {', '.join(health['throttled'])}{less}"
    if health.get("temperature") is not None:
        yield f"{health['temperature']:.0f} °C"
    if health.get("disk_free_mb") is not None:
        yield f"{health['disk_free_mb']:.0f} MB of disk free"
    if health.get("clock_synchronised") is not None:
        yield f"the clock {'is' if health['clock_synchronised'] else 'is not'} set by the network"
