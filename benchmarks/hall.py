"""Many tables on one broker and one hall, while broker and hall are killed and a fifth of the tables is cut off.

    nice -n 10 python -m benchmarks.hall --tables 200 --minutes 30  # as root

The tables play recorded matches without eyes (`benchmarks.hall_tables`), in four processes, through the device's own
link. What each told, and when, is in its journal and a file of times; what the hall has is in its own files; a page
that follows the wall says when it showed an event. At the end both are compared event by event.
"""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from benchmarks.hall_demo import PINS, free_port, set_pins, start_broker
from referee.errors import StorageError
from referee.storage.journal import events_in

PROCESSES = 4
RETURN_SECONDS = 5.0
PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


class Wall(threading.Thread):
    """A page that follows the wall as a display, and notes when it showed how many events of each match."""

    def __init__(self, port: int) -> None:
        """Follow the hall on this port, whenever it is there."""
        super().__init__(daemon=True)
        self._port = port
        self.shown: dict[tuple[str, str], list[tuple[float, int]]] = {}
        self.gaps: list[tuple[float, float]] = []
        self.ended = False

    def run(self) -> None:
        """Follow until the end; a link that breaks is a gap until the first whole wall after it."""
        broke = time.monotonic()
        while not self.ended:
            try:
                for said in self._follow():
                    now = time.monotonic()
                    if said.get("whole"):
                        self.gaps.append((broke, now))
                    for table in said["tables"]:
                        self.shown.setdefault((table["name"], table["match"]), []).append((now, table["events"]))
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                pass
            broke = time.monotonic()
            time.sleep(0.2)

    def _follow(self) -> Iterator[dict[str, Any]]:
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=25)
        link.request("GET", "/api/session")
        answer = link.getresponse()
        cookie = (answer.headers.get("set-cookie") or "").partition(";")[0]
        token = json.loads(answer.read())["csrf"]
        headers = {"cookie": cookie, "x-csrf-token": token, "content-type": "application/json"}
        headers["origin"] = f"http://127.0.0.1:{self._port}"
        link.request("POST", "/api/login", json.dumps({"pin": PINS["arbiter"]}), headers)
        answer = link.getresponse()
        cookie = (answer.headers.get("set-cookie") or "").partition(";")[0]
        answer.read()
        link.request("GET", "/api/events", headers={"cookie": cookie})
        for line in link.getresponse():
            if line.startswith(b"data: ") and not self.ended:
                yield json.loads(line[6:])


class Listener:
    """Somebody who hears everything at the broker, and counts it."""

    def __init__(self, port: int) -> None:
        """Listen from now on."""
        self.heard: Counter[str] = Counter()
        self.bytes = 0
        client = Client(CallbackAPIVersion.VERSION2)
        client.on_connect = self._listen
        client.on_message = lambda _client, _data, message: self._count(message)
        client.reconnect_delay_set(1, 1)
        client.connect_async("127.0.0.1", port)
        client.loop_start()
        self.close = client.loop_stop

    @staticmethod
    def _listen(client: Client, *_: object) -> None:
        client.subscribe("referee/v1/#", qos=1)

    def _count(self, message: MQTTMessage) -> None:
        if not message.retain:
            self.heard[message.topic.split("/")[4]] += 1
            self.bytes += len(message.topic) + len(message.payload)


class Switch:
    """A network of its own for some tables, and the switch between it and the broker: off, it loses all packets."""

    ADDRESS, THEIRS = "10.213.56.1", "10.213.56.2"
    _ENDS = (("rf-broker", "rf-port-1"), ("rf-tables", "rf-port-2"))

    def __init__(self) -> None:
        """Make the broker's side of it; SystemExit where networks cannot be made."""
        self.remove()
        self._do("ip link add rf-switch type bridge")
        for end, port in self._ENDS:
            self._do(f"ip link add {end} type veth peer name {port}")
            self._do(f"ip link set {port} master rf-switch up")
        self._do(f"ip address add {self.ADDRESS}/30 dev rf-broker")
        self._do("ip link set rf-broker up")
        self.turn("up")

    def start(self, words: list[str]) -> "subprocess.Popen[bytes]":
        """Start a program in that network."""
        running = subprocess.Popen(["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *words])
        while Path(f"/proc/{running.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
            time.sleep(0.01)
        inside = f"nsenter --net=/proc/{running.pid}/ns/net"
        self._do(f"ip link set rf-tables netns {running.pid}")
        self._do(f"{inside} ip address add {self.THEIRS}/30 dev rf-tables")
        self._do(f"{inside} ip link set rf-tables up")
        return running

    def turn(self, way: str) -> None:
        """Turn it up or down."""
        self._do(f"ip link set rf-switch {way}")

    def remove(self) -> None:
        """Take it away, where it is there."""
        for name in ("rf-switch", *(end for end, _ in self._ENDS)):
            subprocess.run(["ip", "link", "delete", name], check=False, capture_output=True)

    @staticmethod
    def _do(line: str) -> None:
        done = subprocess.run(line.split(), check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"no network can be made ({line}: {done.stderr.strip()}); be root")


def use_of(process: "subprocess.Popen[bytes]") -> tuple[float, float]:
    """Give processor seconds and resident megabytes of a process."""
    stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / TICK, int(stat[21]) * PAGE / 1e6


class Trial:
    """The whole of it."""

    def __init__(self, folder: Path, tables: int) -> None:
        """Start broker, switch, tables, hall and a page."""
        self.folder, self.port, self.wall_port = folder, free_port(), free_port()
        self.switch = Switch()
        self.broker = self._broker()
        set_pins(folder / "wall")
        self.cut = tables // 5
        self.players = [self.switch.start(self._tables(1, self.cut, Switch.ADDRESS))]
        each = (tables - self.cut + PROCESSES - 1) // PROCESSES
        for first in range(self.cut + 1, tables + 1, each):
            words = self._tables(first, min(each, tables + 1 - first), "127.0.0.1")
            self.players.append(subprocess.Popen(words))
        self.hall = self._hall()
        self.wall = Wall(self.wall_port)
        self.wall.start()
        self.listener = Listener(self.port)
        self.down: list[tuple[float, float]] = []
        self.cut_off: tuple[float, float] | None = None
        self.acts = [(time.monotonic(), "start")]
        self.used = [0.0, 0.0]
        self.memory: list[float] = []

    def _broker(self) -> "subprocess.Popen[bytes]":
        return start_broker(self.folder, self.port, "127.0.0.1", Switch.ADDRESS)

    def _tables(self, first: int, count: int, address: str) -> list[str]:
        words = ["--broker", f"mqtt://{address}:{self.port}", "--first", str(first), "--tables", str(count)]
        words += ["--state", str(self.folder / "tables"), "--times", str(self.folder / f"times-{first}")]
        return [sys.executable, "-m", "benchmarks.hall_tables", *words]

    def _hall(self) -> "subprocess.Popen[bytes]":
        words = ["hall", "--broker", f"mqtt://127.0.0.1:{self.port}", "--web", f"127.0.0.1:{self.wall_port}"]
        words += ["--state", str(self.folder / "wall")]
        return subprocess.Popen([sys.executable, "-m", "referee", *words], stderr=subprocess.DEVNULL)

    def kill_broker(self) -> None:
        """Kill the broker and start it again."""
        began = time.monotonic()
        self.broker.kill()
        self.broker.wait()
        self.broker = self._broker()
        self.down.append((began, time.monotonic()))

    def kill_hall(self) -> None:
        """Kill the hall and start it again."""
        began = time.monotonic()
        self.used[1] += use_of(self.hall)[0]
        self.hall.kill()
        self.hall.wait()
        self.hall = self._hall()
        while socket.socket().connect_ex(("127.0.0.1", self.wall_port)) != 0:
            time.sleep(0.05)
        self.down.append((began, time.monotonic()))

    def part(self) -> None:
        """Cut a fifth of the tables off."""
        self.switch.turn("down")
        self.cut_off = (time.monotonic(), float("inf"))

    def join(self) -> None:
        """Give them their link back."""
        self.switch.turn("up")
        if self.cut_off is not None:
            self.cut_off = (self.cut_off[0], time.monotonic())

    def close(self) -> None:
        """Let all go, the tables first."""
        for player in self.players:
            player.terminate()
        for player in self.players:
            player.wait()
        time.sleep(5)
        self.wall.ended = True
        self.listener.close()
        for one in (self.hall, self.broker):
            one.terminate()
            one.wait()
        self.switch.remove()


def compare(folder: Path) -> dict[str, int]:
    """Compare what the tables told with what the hall has, event by event."""
    found = {"matches": 0, "events": 0, "lost": 0, "different": 0, "doubled": 0}
    for journal in (folder / "tables").glob("*/match-*.jsonl"):
        try:
            told = list(events_in(journal))
        except StorageError:
            continue  # begun as all was told to stop
        files = (folder / "wall" / "hall" / "events" / journal.parent.name).glob(f"{journal.stem}-*.jsonl")
        has = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        found["matches"] += 1
        found["events"] += len(told)
        found["lost"] += max(0, len(told) - len(has))
        found["doubled"] += max(0, len(has) - len(told))
        found["different"] += sum(one != other for one, other in zip(told, has, strict=False))
    return found


def latencies(trial: Trial) -> tuple[list[float], list[float], int]:
    """Give seconds from event to wall while all was linked, and after a link returned; and how many were not shown.

    What is told of a match while the hall or the broker is down, and ends with it, is in the records but never shown.
    """
    calm: list[float] = []
    after: list[float] = []
    unseen = 0
    by_act: dict[str, list[float]] = {}
    gaps = sorted([*trial.down, *trial.wall.gaps])
    for file in trial.folder.glob("times-*"):
        for line in file.read_text().splitlines():
            table, match, number, at = line.split()
            told, is_cut = float(at), int(table[1:]) <= trial.cut
            shown = next((when for when, had in trial.wall.shown.get((table, match), ()) if had > int(number)), None)
            if shown is None:
                unseen += 1
                continue
            away = [*gaps, trial.cut_off] if is_cut and trial.cut_off else gaps
            ends = [end for begin, end in away if told <= end + RETURN_SECONDS and shown >= begin]
            if ends:
                after.append(shown - max(told, *ends))
            else:
                calm.append(shown - told)
            if ends:
                act = [name for at, name in trial.acts if at <= shown][-1]
                by_act.setdefault(f"{act}, {'parted' if is_cut else 'linked'} tables", []).append(after[-1])
    for act, found in sorted(by_act.items()):
        say(f"after {act}", found)
    return calm, after, unseen


def say(when: str, seconds: list[float]) -> None:
    """Print how long events took."""
    cut = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [0.0] * 99
    worst = max(seconds, default=0.0)
    print(f"{when}: {len(seconds)} events, median {cut[49]:.2f} s, 99 %: {cut[98]:.2f} s, worst {worst:.2f} s")


def main() -> None:
    """Run it and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="referee-trial-") as name:
        trial = Trial(Path(name), arguments.tables)
        seconds, began = 60.0 * arguments.minutes, time.monotonic()
        acts = [(share, trial.kill_broker) for share in (0.3, 0.6, 0.8)]
        acts += [(share, trial.kill_hall) for share in (0.2, 0.35, 0.5, 0.65, 0.85)]
        acts += [(0.4, trial.part), (0.4 + min(0.17, 300 / seconds), trial.join)]
        for share, act in sorted(acts, key=lambda one: one[0]):
            while time.monotonic() - began < share * seconds:
                time.sleep(1)
                trial.memory.append(use_of(trial.hall)[1])
            act()
            trial.acts.append((time.monotonic(), act.__name__))
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        trial.memory.append(use_of(trial.hall)[1])
        spent = time.monotonic() - began
        hall = trial.used[1] + use_of(trial.hall)[0]
        broker = use_of(trial.broker)[0]
        trial.close()
        calm, after, unseen = latencies(trial)
        print(json.dumps(compare(trial.folder)))
        say("while linked", calm)
        say("after a return", after)
        early, late = trial.memory[len(trial.memory) // 10], trial.memory[-1]
        print(f"not shown: {unseen}; hall {early:.0f} MB early, {late:.0f} MB at the end")
        each = spent * arguments.tables
        print(f"hall {hall / spent:.1%} of a core, {1000 * hall / each:.2f} ms a second and table")
        heard, kinds = trial.listener.heard, dict(trial.listener.heard.most_common())
        sent = trial.listener.bytes / each
        print(f"messages a second and table {heard.total() / each:.2f}, {sent:.0f} bytes; {kinds}")
        print(f"broker {broker:.1f} s of processor since its last start")


if __name__ == "__main__":
    main()
