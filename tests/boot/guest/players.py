"""The table and its players: frames of `referee simulate` into the camera, presses on the button's line.

Table and players do not lose power with the machine. So how far they have come, and how many verdicts they have heard,
goes line by line to a virtio port, that is to a file outside; the kernel's command line says where they go on:
`players.start=N` events are done, `players.presses=N` presses are to be made in all (otherwise all), `players.pace=X`
times the evening's own waits. /run/players/presses raises that limit while they play, /run/players/camera names
another device ("usb": frames are left in /run/players/frame.jpg for usb_camera.py).

The evening's clock stands still after a press until the referee has judged. A verdict counts as heard when the buzzer
has sounded and the journal holds it: that is what the players were promised.
"""

import fcntl
import json
import os
import struct
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

EVENING = Path("/srv/evening")
STATE = Path("/var/lib/referee")
HEALTH = Path("/run/referee/health.json")
RUN = Path("/run/players")
WORLD = Path("/dev/virtio-ports/world")
TRACING = Path("/sys/kernel/tracing")
CHIP = "pinctrl-bcm2711"
BUTTON, BUZZER = 23, 18
FPS = 2.0
HEAR_SECONDS = 8.0  # the sound may come a little after the line in the journal: the disk is forced between them
PATIENCE_SECONDS = 180.0
JOURNAL_SECONDS = 15.0
ASKED_SECONDS = 10.0
VIDIOC_S_FMT = 0xC0D05605
OUTPUT, FIELD_NONE, SRGB = 2, 1, 8


def line_file(line: int, name: str) -> Path:
    """The file of a simulated line."""
    return next(Path("/sys/devices/platform").glob(f"gpio-sim*/gpiochip*/sim_gpio{line}/{name}"))


def asked(name: str, default: str) -> str:
    """A value of the kernel's command line."""
    words = dict(word.partition("=")[::2] for word in Path("/proc/cmdline").read_text().split())
    return words.get(f"players.{name}", default)


class Camera:
    """The camera over the table: shows one JPEG file after the other."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size, self._open, self._name = size, None, ""

    def show(self, picture: bytes) -> None:
        """Show the next picture; where no camera is plugged in, to nobody."""
        try:
            name = (RUN / "camera").read_text().strip()
        except OSError:
            name = "/dev/video0"
        fresh = RUN / "frame.new"
        fresh.write_bytes(picture)
        fresh.rename(RUN / "frame.jpg")
        if name != self._name:
            self._close()
        self._name = name
        if name == "usb":
            return
        try:
            if self._open is None:
                self._open = self._opened(name)
            os.write(self._open, picture)
        except OSError:
            self._close()
            time.sleep(0.5)

    def _opened(self, name: str) -> int:
        descriptor = os.open(name, os.O_RDWR)
        width, height = self._size
        jpeg = int.from_bytes(b"MJPG", "little")
        pixels = struct.pack("<12I", width, height, jpeg, FIELD_NONE, 0, width * height * 2, SRGB, 0, 0, 0, 0, 0)
        fcntl.ioctl(descriptor, VIDIOC_S_FMT, bytearray(struct.pack("<II", OUTPUT, 0) + pixels.ljust(200, b"\0")), True)
        return descriptor

    def _close(self) -> None:
        if self._open is not None:
            os.close(self._open)
        self._open = None


class Ears:
    """Hears the buzzer, however short the tick and busy the machine: the kernel tells of each time its line is set."""

    def __init__(self) -> None:
        self.heard_at = float("-inf")
        chips = Path("/sys/class/gpio").glob("gpiochip*")
        bases = {(chip / "label").read_text().strip(): int((chip / "base").read_text()) for chip in chips}
        told = TRACING / "events/gpio/gpio_value"
        (told / "filter").write_text(f"gpio == {bases[CHIP] + BUZZER} && get == 0 && value == 1")
        (told / "enable").write_text("1")
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with (TRACING / "trace_pipe").open("rb", buffering=0) as told:
            while told.read(65536):
                self.heard_at = time.monotonic()


def press(seconds: float = 0.2) -> None:
    """Press the button."""
    pull = line_file(BUTTON, "pull")
    pull.write_text("pull-down")
    time.sleep(seconds)
    pull.write_text("pull-up")


def journal() -> bytes:
    """The newest journal as it is now."""
    journals = sorted(STATE.glob("match-*.jsonl"))
    return journals[-1].read_bytes() if journals else b""


def judged() -> int:
    """How many verdicts the newest journal holds."""
    return journal().count(b'"event":"judged"')


def told() -> int:
    """How many verdicts the page has told of, for a full disk takes no journal."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:8080/api/turns", timeout=10) as said:
            return sum(turn["judgements"] for turn in json.load(said)["turns"])
    except (OSError, ValueError, KeyError):
        return 0


def halted() -> list[str] | None:
    """Why the clock stands, by the health file; None where there is none or no match in it."""
    try:
        match = json.loads(HEALTH.read_text())["match"]
        return [match["phase"]] if match["phase"] == "idle" else match["halted"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def asks_players(why: list[str]) -> bool:
    """Whether the referee waits for a press: in a break, or before a table that is another than before the cut."""
    kept = journal()
    return "pause" in why or b'"event":"tiles_changed"' in kept[kept.rfind(b'"input":{"input":"Restarted"') :]


class Players:
    """Two players with the events of their evening."""

    def __init__(self) -> None:
        lines = [json.loads(line) for line in (EVENING / "timeline.jsonl").open()]
        hands = [(line["at"], line["until"]) for line in lines if line["event"] == "hands"]
        self.events: list[dict[str, Any]] = [line for line in lines if line["event"] in ("frame", "press")]
        for line in self.events:
            line["hands"] = any(since <= line["at"] < until for since, until in hands)
        self.camera, self.ears = Camera(tuple(lines[0]["size"])), Ears()
        self.quiet: list[str] = []
        self.shown, self.heard = 0, 0
        self.pace = float(asked("pace", "1"))
        self.presses = int(asked("presses", "100000"))
        self.world = WORLD.open("wb", buffering=0)

    def note(self, index: int, what: str = "", **more: Any) -> None:
        """Tell the world outside how far they have come."""
        said = {"event": index, "guest": round(time.monotonic(), 2), "heard": self.heard, "what": what, **more}
        self.world.write(json.dumps(said).encode() + b"\n")

    def show(self, file: str) -> None:
        """Show a frame."""
        self.camera.show((EVENING / file).read_bytes())
        self.shown += 1

    def hold(self, seconds: float) -> None:
        """Show the table at rest, each look with its own noise."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.show(self.quiet[self.shown % len(self.quiet)])
            time.sleep(1 / FPS)

    def remember(self, event: dict[str, Any]) -> None:
        """What lies there at rest."""
        if event["hands"]:
            self.quiet = []
        elif event["file"] not in self.quiet:
            self.quiet = [*self.quiet[-2:], event["file"]]

    def come_back(self, start: int) -> int:
        """Lay the table as it lay after so many events, hands taken away, and give the event to go on from."""
        for event in self.events[:start]:
            if event["event"] == "frame":
                self.remember(event)
        while len(self.quiet) < 3:
            event = self.events[start]
            if event["event"] == "press" or (event["hands"] and self.quiet):
                break
            self.remember(event)
            start += 1
        return start

    def wait_until_played(self, start: int) -> None:
        """Show the table until the referee goes on by itself; where it asks, as after a change, press."""
        self.note(start, "waiting")
        lasted = 0.0
        while (why := halted()) is None or why:
            self.hold(0.5)
            lasted = lasted + 0.5 if why and asks_players(why) else 0.0
            if lasted > ASKED_SECONDS:
                press()
                lasted = 0.0
                self.note(start, "asked")
        self.note(start, "plays")

    def begin(self) -> None:
        """Begin the match with a press."""
        self.remember(self.events[0])
        while not HEALTH.exists():
            self.hold(1.0)
        while b'"event":"clock_runs"' not in journal():
            press()
            self.note(0, "begins")
            self.hold(8.0)
        self.note(1, "begun")

    def allowed(self) -> int:
        """How many presses they are to make in all by now."""
        try:
            return int((RUN / "presses").read_text())
        except (OSError, ValueError):
            return self.presses

    def press_and_wait(self, index: int, done: int) -> None:
        """Press until the referee has judged and was heard; a press that found it halted or blind is made again."""
        self.note(index, "press")
        self.heard = done
        pressed_at = time.monotonic()
        press()
        while judged() <= done and (time.monotonic() - pressed_at < JOURNAL_SECONDS or told() <= done):
            self.hold(0.5)
            if time.monotonic() - pressed_at > PATIENCE_SECONDS:
                self.note(index, "again", why=halted())
                pressed_at = time.monotonic()
                press()
        until = time.monotonic() + HEAR_SECONDS
        while self.ears.heard_at < pressed_at and time.monotonic() < until:
            self.hold(0.2)
        self.heard = done + 1 if self.ears.heard_at >= pressed_at else done
        self.note(index + 1, "judged", took=round(time.monotonic() - pressed_at, 1), kept=judged())

    def play(self) -> None:
        """Play the evening."""
        start = int(asked("start", "0"))
        if start:
            start = self.come_back(start)
            self.wait_until_played(start)
        else:
            self.begin()
        done = sum(event["event"] == "press" for event in self.events[:start])
        if judged() > done:  # judged, but the power went before the players heard it
            start = next(i for i, event in enumerate(self.events) if i >= start and event["event"] == "press") + 1
            done += 1
        at = self.events[start - 1]["at"] if start else 0.0
        for index, event in enumerate(self.events[start:], start):
            if event["event"] == "press":
                while done >= self.allowed():
                    self.hold(0.5)
                self.press_and_wait(index, done)
                done += 1
            else:
                self.note(index)
                self.remember(event)
                self.show(event["file"])
                wait = (event["at"] - at) * self.pace
                if wait > 0.4 and self.quiet:
                    self.hold(wait)
                else:
                    time.sleep(max(0.0, wait))
            at = event["at"]
        self.note(len(self.events), "end")
        while True:
            self.hold(60.0)


Players().play()
