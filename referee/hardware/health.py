"""The machine's health: temperature, throttling, disk and clock; None for unknown values."""

import os
import re
import shutil
import subprocess
import time
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

_THERMAL: Final = Path("/sys/class/thermal")
_PLATFORM: Final = Path("/sys/devices/platform")
_MEMORY: Final = Path("/proc/meminfo")
_SYNCHRONISED: Final = Path("/run/systemd/timesync/synchronized")
_PROGRAM_TIMEOUT_SECONDS: Final = 3.0
# Bits of `vcgencmd get_throttled`, raspberrypi.com/documentation/computers/os.html#get_throttled: now, and since boot.
_THROTTLING_BITS: Final = {0: "under-voltage", 1: "frequency capped", 2: "throttled", 3: "near the temperature limit"}
_SINCE_BOOT_SHIFT: Final = 16


def celsius(folder: Path = _THERMAL) -> float | None:
    """Return the temperature of the hottest thermal zone in °C."""
    zones = []
    for zone in sorted(folder.glob("thermal_zone*/temp")):
        try:
            zones.append(int(zone.read_text(encoding="ascii")) / 1000)
        except (OSError, ValueError):
            continue
    return max(zones, default=None)


def throttling(platform: Path = _PLATFORM) -> tuple[str, ...] | None:
    """Return the causes of throttling on a Raspberry Pi, now or since boot; None on other machines."""
    bits = _throttling_bits(platform)
    if bits is None:
        return None
    now = [name for bit, name in _THROTTLING_BITS.items() if bits >> bit & 1]
    past = [
        f"{name} since boot"
        for bit, name in _THROTTLING_BITS.items()
        if bits >> (bit + _SINCE_BOOT_SHIFT) & 1 and name not in now
    ]
    return (*now, *past)


def throttling_now(found: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return those causes of `throttling` that are active now."""
    return tuple(name for name in found or () if name in _THROTTLING_BITS.values())


def _throttling_bits(platform: Path) -> int | None:
    for file in platform.glob("soc*/soc*:firmware/get_throttled"):  # soc on a Pi 4, soc@107c000000 on a Pi 5
        try:
            return int(file.read_text(encoding="ascii"), 16)
        except (OSError, ValueError):
            continue
    answer = _run_program("vcgencmd", "get_throttled")
    try:
        return int(answer.partition("=")[2], 16) if answer else None
    except ValueError:
        return None


def contiguous_megabytes() -> float | None:
    """Return the kernel's contiguous memory for cameras (CMA) in MB; None if there is none or it is unknown."""
    try:
        found = re.search(r"^CmaTotal:\s+(\d+) kB", _MEMORY.read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 / 1e6 if found and int(found[1]) else None


def free_megabytes(folder: Path) -> float | None:
    """Return the free disk space in MB at the folder or its nearest existing parent; None if unknown."""
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return shutil.disk_usage(folder).free / 1e6
    except OSError:
        return None


def is_clock_synchronised() -> bool | None:
    """Return whether the wall clock was set from the network; up to a minute old without systemd-timesyncd."""
    return _SYNCHRONISED.exists() or _is_network_time_set(int(time.monotonic() / 60))


@lru_cache(maxsize=1)
def _is_network_time_set(_minute: int) -> bool | None:
    """Query the system once a minute: every State needs the answer, and starting a program is slow."""
    answer = _run_program("timedatectl", "show", "--property=NTPSynchronized", "--value")
    return None if answer not in {"yes", "no"} else answer == "yes"


def wall_year() -> int:
    """Return the wall clock's year; a Pi without network may show 1970."""
    return datetime.fromtimestamp(time.time(), UTC).year


def _run_program(*words: str) -> str | None:
    """Return a program's output; None if it is missing, fails, or times out."""
    program = shutil.which(words[0])
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, the program found on the path
            [program, *words[1:]],
            capture_output=True,
            text=True,
            timeout=_PROGRAM_TIMEOUT_SECONDS,
            check=True,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
