"""The service's health: a small JSON file for `referee status`, in memory-backed storage to spare the SD card."""

import contextlib
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from referee import __version__
from referee.game.endgame.racks import open_games
from referee.game.state import Match
from referee.hardware.health import celsius, free_megabytes, is_clock_synchronised, throttling, throttling_now
from referee.hardware.ports import Clock
from referee.service.loop import Loop
from referee.vision.watch.watcher import Watcher

NAME: Final = "health.json"
EVERY_SECONDS: Final = 5.0
MACHINE_SECONDS: Final = 60.0  # between queries of the machine, each of which may start a program
SPARING_SECONDS: Final = 600.0  # after a sag: the next one comes soon, and the log is on a card that wears out
STALE_SECONDS: Final = 15.0
SERVICE_FILE: Final = Path("/run/referee") / NAME
log = logging.getLogger("referee")


def health_file() -> Path:
    """Return the path of the health file: the service's, or that of a referee started by this user."""
    systemd = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    if systemd:
        return Path(systemd) / NAME
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return (Path(runtime) if runtime else Path(tempfile.gettempdir())) / f"referee-{os.getuid()}" / NAME


class Health:
    """Writes the file every few seconds, from its own thread because querying the machine can take a while."""

    def __init__(
        self,
        loop: Loop,
        watcher: Watcher,
        clock: Clock,
        fixed: dict[str, Any],
        folder: Path | None,
        *,
        spare: Callable[[bool], None] = lambda _: None,
        signal_faults: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """Report on this loop and watcher; `fixed` is part of each report, `folder` is the state folder.

        `spare` is called with whether the machine is throttled and the referee must look less often; `signal_faults`
        returns the lamps, buzzers and buttons that fail now.
        """
        self._signal_faults = signal_faults
        self._spare = spare
        self._sparing = False
        self._held_back_at = float("-inf")
        self._loop, self._watcher, self._clock = loop, watcher, clock
        self._fixed = {"version": __version__, "pid": os.getpid(), **fixed}
        self._folder = folder
        self._stop = threading.Event()
        self._frames = 0
        self._machine: dict[str, Any] = {}
        self._asked_at = float("-inf")
        self.latest: dict[str, Any] = {**self._fixed, "state": "running"}
        """The last report; the file may belong to another process."""
        self._thread = threading.Thread(target=self._run, name="referee-health", daemon=True)

    def start(self) -> None:
        """Begin to write; call it once the match has handled the restart, or its clock would be shown as running."""
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.latest = self._look()
            write_health(self.latest)
            self._stop.wait(EVERY_SECONDS)

    def _look(self) -> dict[str, Any]:
        now, watcher = self._clock.now(), self._watcher
        frames, self._frames = watcher.frames - self._frames, watcher.frames
        return {
            **self._fixed,
            "state": "running",
            "seconds": round(now, 1),
            "last_frame_age": None if watcher.seen_at is None else round(now - watcher.seen_at, 2),
            "frames_per_second": round(frames / EVERY_SECONDS, 2),
            "reading_ms": dict(watcher.settled.reading.milliseconds) if watcher.settled else None,
            "unkept": self._loop.unkept,
            "signal_faults": self._signal_faults() or None,
            **self._ask_machine(),
            "match": match_state(self._loop.match),
        }

    def _ask_machine(self) -> dict[str, Any]:
        if time.monotonic() - self._asked_at >= MACHINE_SECONDS:
            self._asked_at = time.monotonic()
            found = throttling()
            self._ease(throttling_now(found), self._asked_at)
            self._machine = {
                "temperature": celsius(),
                "throttled": found,
                "looks_less_often": self._sparing,
                "disk_free_mb": None if self._folder is None else free_megabytes(self._folder),
                "clock_synchronised": is_clock_synchronised(),
            }
        return self._machine

    def _ease(self, why: tuple[str, ...], now: float) -> None:
        """Look less often while the machine is held back, and for a while after."""
        self._held_back_at = now if why else self._held_back_at
        if (sparing := now - self._held_back_at < SPARING_SECONDS) == self._sparing:
            return
        self._sparing = sparing
        self._spare(sparing)
        if why:
            log.warning(
                "the machine is throttled (%s): looking half as often; use the official power supply and cool it",
                why[0],
            )
        else:
            log.info("the machine runs at full speed again: looking as often as set")

    def close(self) -> None:
        """Delete the file: the service has ended."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(EVERY_SECONDS)
        forget_health()


def write_health(health: dict[str, Any]) -> None:
    """Replace the file in one step, readable by everybody."""
    path = health_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(health | {"told_at": time.monotonic()}), encoding="utf-8")
        fresh.chmod(0o644)
        fresh.replace(path)
    except OSError:
        return  # nobody's turn depends on it, and `referee status` says that it is old


def read_health(path: Path) -> dict[str, Any]:
    """Return the last report in the file; empty if it cannot be read."""
    try:
        health = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return health if isinstance(health, dict) else {}


def age_of(health: dict[str, Any]) -> float:
    """Return the seconds since a report, by the monotonic clock."""
    return time.monotonic() - float(health["told_at"])


def camera_in_use() -> tuple[str, int] | None:
    """Return the running service's camera and process id; None if none runs."""
    for path in (SERVICE_FILE, health_file()):
        health = read_health(path)
        try:
            if 0 <= age_of(health) <= STALE_SECONDS and health["state"] == "running" and health["pid"] != os.getpid():
                return str(health["camera"]), int(health["pid"])
        except (ValueError, KeyError, TypeError):
            continue
    return None


def ask_retry(health: dict[str, Any]) -> None:
    """Ask a service in safe mode to try again; raises OSError where that is not allowed."""
    Path(health["retry"]).touch()


def forget_health() -> None:
    """Delete the file."""
    with contextlib.suppress(OSError):
        health_file().unlink(missing_ok=True)


def match_state(match: Match) -> dict[str, Any]:
    """Return the state of a match as plain values for people."""
    if match.seated is None:
        return {"phase": match.phase.value}
    left = match.play.clock.left_at(match.now)
    return {
        "phase": match.phase.value,
        "halted": sorted(reason.value for reason in match.pauses.halted),
        "edition": match.rules.edition,
        "players": list(match.setup.names),
        "game": match.game,
        "turn": match.turn,
        "to_move": match.setup.names[match.seat],
        "seconds_left": None if left is None else round(left, 1),
        "racks_missing": {str(game): _owners(match, game) for game in open_games(match)},
    }


def _owners(match: Match, game: int) -> list[str]:
    return [match.setup.names[seat] for seat in match.results[game - 1].missing_racks]
