"""The machine: monotonic clock, ids, and systemd's notify protocol."""

import os
import socket
import time
import uuid
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from referee.hardware.health import is_clock_synchronised
from referee.reading.inputs import Seconds

_WATCHDOG_SECONDS = 1.0
_MACHINE_ID = Path("/etc/machine-id")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """The monotonic clock from the start of the service, or from the time of a resumed match."""

    def __init__(self, start: Seconds | None = None) -> None:
        """Start the clock at `start` seconds."""
        self._offset = (start or 0.0) - time.monotonic()

    def now(self) -> Seconds:
        """Return seconds since the start."""
        return Seconds(time.monotonic() + self._offset)


def boot_id() -> str:
    """Return the kernel's id of this boot; "unknown" if there is none."""
    try:
        return _BOOT_ID.read_text("ascii").strip() or "unknown"
    except OSError:
        return "unknown"


def device_id() -> str:
    """Return a few digits that identify this machine without revealing its machine id."""
    try:
        machine = _MACHINE_ID.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        machine = f"{uuid.getnode():x}"
    return sha256(f"referee {machine}".encode()).hexdigest()[:12]


def is_service() -> bool:
    """Return whether systemd runs this process as a service with a state folder."""
    return "INVOCATION_ID" in os.environ and "STATE_DIRECTORY" in os.environ


class Notifier:
    """Speaks systemd's notify protocol (sd_notify(3)): datagrams to the socket that NOTIFY_SOCKET names."""

    def __init__(self, address: str | None = None) -> None:
        """Use this socket address (default: NOTIFY_SOCKET's); without one nothing is sent."""
        self._address = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        if self._address.startswith("@"):  # an abstract socket
            self._address = "\0" + self._address[1:]
        self._alive_at = float("-inf")

    def ready(self) -> None:
        """Report that the service is ready; set the watchdog to the unit's interval."""
        period = os.environ.get("WATCHDOG_USEC")
        self.send("\n".join(["READY=1", "STATUS=", *([f"WATCHDOG_USEC={period}"] if period else [])]))

    def starting(self, seconds: float) -> None:
        """Report an internal restart: the watchdog waits `seconds` for the next `ready`."""
        self.send(f"STATUS=starting\nWATCHDOG_USEC={round(seconds * 1e6)}")

    def alive(self) -> None:
        """Feed the watchdog, at most once a second."""
        now = time.monotonic()
        if now - self._alive_at >= _WATCHDOG_SECONDS:
            self._alive_at = now
            self.send("WATCHDOG=1")

    def send(self, message: str) -> None:
        """Send "READY=1", "WATCHDOG=1", "STATUS=…" or "STOPPING=1"; a socket that fails is ignored."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            try:
                sender.sendto(message.encode(), self._address)
            except OSError:
                return


def wall_minutes() -> int:
    """Return the wall clock's minutes since midnight, for quiet hours."""
    now = time.localtime()
    return now.tm_hour * 60 + now.tm_min


def wall_label() -> str:
    """Return date and time as a label for people, marked if the clock was never synchronised."""
    label = datetime.now().astimezone().isoformat(timespec="seconds")
    return f"{label} (not synchronised)" if is_clock_synchronised() is False else label
