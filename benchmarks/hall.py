"""Run many tables on one broker and hall, kill the broker and the hall, and cut off a fifth of the tables.

    nice -n 10 python -m benchmarks.hall --tables 200 --minutes 30  # as root

The tables play recorded matches without cameras (`benchmarks.hall_tables`), in four processes, through the device's own
link. Each table's journal and a file of times record its events; the hall's files record what it received; a page that
follows the wall records when it showed each event. At the end both sides are compared event by event.
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
    """A page that follows the wall as a display, and records when it showed how many events of each match."""

    def __init__(self, port: int) -> None:
        """Follow the hall on this port whenever it answers."""
        super().__init__(daemon=True)
        self._port = port
        self.events_shown: dict[tuple[str, str], list[tuple[float, int]]] = {}
        self.gaps: list[tuple[float, float]] = []
        self.has_ended = False

    def run(self) -> None:
        """Follow until the end; a broken link is a gap until the next complete wall."""
        broken_at = time.monotonic()
        while not self.has_ended:
            try:
                for news in self._follow():
                    now = time.monotonic()
                    if news.get("whole"):
                        self.gaps.append((broken_at, now))
                    for table in news["tables"]:
                        self.events_shown.setdefault((table["name"], table["match"]), []).append((now, table["events"]))
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                pass
            broken_at = time.monotonic()
            time.sleep(0.2)

    def _follow(self) -> Iterator[dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=25)
        connection.request("GET", "/api/session")
        answer = connection.getresponse()
        cookie = (answer.headers.get("set-cookie") or "").partition(";")[0]
        token = json.loads(answer.read())["csrf"]
        headers = {"cookie": cookie, "x-csrf-token": token, "content-type": "application/json"}
        headers["origin"] = f"http://127.0.0.1:{self._port}"
        connection.request("POST", "/api/login", json.dumps({"pin": PINS["arbiter"]}), headers)
        answer = connection.getresponse()
        cookie = (answer.headers.get("set-cookie") or "").partition(";")[0]
        answer.read()
        connection.request("GET", "/api/events", headers={"cookie": cookie})
        for line in connection.getresponse():
            if line.startswith(b"data: ") and not self.has_ended:
                yield json.loads(line[6:])


class Listener:
    """A subscriber that counts every message at the broker."""

    def __init__(self, port: int) -> None:
        """Subscribe to everything."""
        self.message_counts: Counter[str] = Counter()
        self.bytes = 0
        client = Client(CallbackAPIVersion.VERSION2)
        client.on_connect = self._subscribe
        client.on_message = lambda _client, _data, message: self._count(message)
        client.reconnect_delay_set(1, 1)
        client.connect_async("127.0.0.1", port)
        client.loop_start()
        self.close = client.loop_stop

    @staticmethod
    def _subscribe(client: Client, *_: object) -> None:
        client.subscribe("referee/v1/#", qos=1)

    def _count(self, message: MQTTMessage) -> None:
        if not message.retain:
            self.message_counts[message.topic.split("/")[4]] += 1
            self.bytes += len(message.topic) + len(message.payload)


class Switch:
    """A separate network for some tables, and the switch to the broker: turned off, it loses all packets."""

    ADDRESS, TABLES_ADDRESS = "10.213.56.1", "10.213.56.2"
    _ENDS = (("rf-broker", "rf-port-1"), ("rf-tables", "rf-port-2"))

    def __init__(self) -> None:
        """Make the broker's side; SystemExit if networks cannot be made."""
        self.remove()
        self._run("ip link add rf-switch type bridge")
        for end, port in self._ENDS:
            self._run(f"ip link add {end} type veth peer name {port}")
            self._run(f"ip link set {port} master rf-switch up")
        self._run(f"ip address add {self.ADDRESS}/30 dev rf-broker")
        self._run("ip link set rf-broker up")
        self.set_state("up")

    def start(self, command: list[str]) -> "subprocess.Popen[bytes]":
        """Start a program in the separate network."""
        running = subprocess.Popen(["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *command])
        while Path(f"/proc/{running.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
            time.sleep(0.01)
        inside = f"nsenter --net=/proc/{running.pid}/ns/net"
        self._run(f"ip link set rf-tables netns {running.pid}")
        self._run(f"{inside} ip address add {self.TABLES_ADDRESS}/30 dev rf-tables")
        self._run(f"{inside} ip link set rf-tables up")
        return running

    def set_state(self, state: str) -> None:
        """Set the switch "up" or "down"."""
        self._run(f"ip link set rf-switch {state}")

    def remove(self) -> None:
        """Remove the network if it exists."""
        for name in ("rf-switch", *(end for end, _ in self._ENDS)):
            subprocess.run(["ip", "link", "delete", name], check=False, capture_output=True)

    @staticmethod
    def _run(line: str) -> None:
        done = subprocess.run(line.split(), check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"no network can be made ({line}: {done.stderr.strip()}); be root")


def resource_usage(process: "subprocess.Popen[bytes]") -> tuple[float, float]:
    """Return processor seconds and resident megabytes of a process."""
    stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / TICK, int(stat[21]) * PAGE / 1e6


class Trial:
    """Broker, switch, tables, hall and page, and what happened to them."""

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
            command = self._tables(first, min(each, tables + 1 - first), "127.0.0.1")
            self.players.append(subprocess.Popen(command))
        self.hall = self._hall()
        self.wall = Wall(self.wall_port)
        self.wall.start()
        self.listener = Listener(self.port)
        self.outages: list[tuple[float, float]] = []
        self.cut_off: tuple[float, float] | None = None
        self.actions = [(time.monotonic(), "start")]
        self.processor_seconds = [0.0, 0.0]
        self.memory: list[float] = []

    def _broker(self) -> "subprocess.Popen[bytes]":
        return start_broker(self.folder, self.port, "127.0.0.1", Switch.ADDRESS)

    def _tables(self, first: int, count: int, address: str) -> list[str]:
        command = ["--broker", f"mqtt://{address}:{self.port}", "--first", str(first), "--tables", str(count)]
        command += ["--state", str(self.folder / "tables"), "--times", str(self.folder / f"times-{first}")]
        return [sys.executable, "-m", "benchmarks.hall_tables", *command]

    def _hall(self) -> "subprocess.Popen[bytes]":
        command = ["hall", "--broker", f"mqtt://127.0.0.1:{self.port}", "--web", f"127.0.0.1:{self.wall_port}"]
        command += ["--state", str(self.folder / "wall")]
        return subprocess.Popen([sys.executable, "-m", "referee", *command], stderr=subprocess.DEVNULL)

    def kill_broker(self) -> None:
        """Kill the broker and start it again."""
        began = time.monotonic()
        self.broker.kill()
        self.broker.wait()
        self.broker = self._broker()
        self.outages.append((began, time.monotonic()))

    def kill_hall(self) -> None:
        """Kill the hall and start it again."""
        began = time.monotonic()
        self.processor_seconds[1] += resource_usage(self.hall)[0]
        self.hall.kill()
        self.hall.wait()
        self.hall = self._hall()
        while socket.socket().connect_ex(("127.0.0.1", self.wall_port)) != 0:
            time.sleep(0.05)
        self.outages.append((began, time.monotonic()))

    def cut_tables(self) -> None:
        """Cut off a fifth of the tables."""
        self.switch.set_state("down")
        self.cut_off = (time.monotonic(), float("inf"))

    def reconnect_tables(self) -> None:
        """Reconnect the tables that were cut off."""
        self.switch.set_state("up")
        if self.cut_off is not None:
            self.cut_off = (self.cut_off[0], time.monotonic())

    def close(self) -> None:
        """Stop everything, the tables first."""
        for player in self.players:
            player.terminate()
        for player in self.players:
            player.wait()
        time.sleep(5)
        self.wall.has_ended = True
        self.listener.close()
        for process in (self.hall, self.broker):
            process.terminate()
            process.wait()
        self.switch.remove()


def compare(folder: Path) -> dict[str, int]:
    """Compare the tables' events with the hall's, one by one."""
    found = {"matches": 0, "events": 0, "lost": 0, "different": 0, "doubled": 0}
    for journal in (folder / "tables").glob("*/match-*.jsonl"):
        try:
            journal_events = list(events_in(journal))
        except StorageError:
            continue  # begun just before the stop
        files = (folder / "wall" / "hall" / "events" / journal.parent.name).glob(f"{journal.stem}-*.jsonl")
        hall_events = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        found["matches"] += 1
        found["events"] += len(journal_events)
        found["lost"] += max(0, len(journal_events) - len(hall_events))
        found["doubled"] += max(0, len(hall_events) - len(journal_events))
        found["different"] += sum(first != second for first, second in zip(journal_events, hall_events, strict=False))
    return found


def latencies(trial: Trial) -> tuple[list[float], list[float], int]:
    """Return the seconds from event to wall while connected, those after an outage, and how many were never shown.

    Events of a match that begins and ends while the hall or the broker is down are in the records but never shown.
    """
    connected: list[float] = []
    after: list[float] = []
    unshown = 0
    by_action: dict[str, list[float]] = {}
    gaps = sorted([*trial.outages, *trial.wall.gaps])
    for file in trial.folder.glob("times-*"):
        for line in file.read_text().splitlines():
            table, match, number, at = line.split()
            sent_at, is_cut = float(at), int(table[1:]) <= trial.cut
            shown_at = next(
                (at_time for at_time, count in trial.wall.events_shown.get((table, match), ()) if count > int(number)),
                None,
            )
            if shown_at is None:
                unshown += 1
                continue
            outages = [*gaps, trial.cut_off] if is_cut and trial.cut_off else gaps
            ends = [end for begin, end in outages if sent_at <= end + RETURN_SECONDS and shown_at >= begin]
            if ends:
                after.append(shown_at - max(sent_at, *ends))
            else:
                connected.append(shown_at - sent_at)
            if ends:
                action = [name for at, name in trial.actions if at <= shown_at][-1]
                by_action.setdefault(f"{action}, {'parted' if is_cut else 'linked'} tables", []).append(after[-1])
    for action, found in sorted(by_action.items()):
        print_latencies(f"after {action}", found)
    return connected, after, unshown


def print_latencies(when: str, seconds: list[float]) -> None:
    """Print how long events took to reach the wall."""
    cut = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [0.0] * 99
    worst = max(seconds, default=0.0)
    print(f"{when}: {len(seconds)} events, median {cut[49]:.2f} s, 99 %: {cut[98]:.2f} s, worst {worst:.2f} s")


def main() -> None:
    """Run the trial and print its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=30.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="referee-trial-") as name:
        trial = Trial(Path(name), arguments.tables)
        seconds, began = 60.0 * arguments.minutes, time.monotonic()
        scheduled = [(share, trial.kill_broker) for share in (0.3, 0.6, 0.8)]
        scheduled += [(share, trial.kill_hall) for share in (0.2, 0.35, 0.5, 0.65, 0.85)]
        scheduled += [(0.4, trial.cut_tables), (0.4 + min(0.17, 300 / seconds), trial.reconnect_tables)]
        for share, action in sorted(scheduled, key=lambda entry: entry[0]):
            while time.monotonic() - began < share * seconds:
                time.sleep(1)
                trial.memory.append(resource_usage(trial.hall)[1])
            action()
            trial.actions.append((time.monotonic(), action.__name__))
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        trial.memory.append(resource_usage(trial.hall)[1])
        elapsed = time.monotonic() - began
        hall = trial.processor_seconds[1] + resource_usage(trial.hall)[0]
        broker = resource_usage(trial.broker)[0]
        trial.close()
        connected, after, unshown = latencies(trial)
        print(json.dumps(compare(trial.folder)))
        print_latencies("while linked", connected)
        print_latencies("after a return", after)
        early, late = trial.memory[len(trial.memory) // 10], trial.memory[-1]
        print(f"not shown: {unshown}; hall {early:.0f} MB early, {late:.0f} MB at the end")
        each = elapsed * arguments.tables
        print(f"hall {hall / elapsed:.1%} of a core, {1000 * hall / each:.2f} ms a second and table")
        message_counts, kinds = trial.listener.message_counts, dict(trial.listener.message_counts.most_common())
        sent = trial.listener.bytes / each
        print(f"messages a second and table {message_counts.total() / each:.2f}, {sent:.0f} bytes; {kinds}")
        print(f"broker {broker:.1f} s of processor since its last start")


if __name__ == "__main__":
    main()
