"""Play a tournament of 32 players over five rounds through a real broker, from entrants to signed sheets.

    nice -n 10 python -m benchmarks.hall_tournament --players 32 --rounds 5

Simulated players play `--matches` matches without cameras. Sixteen tables, each with the device's own link, replay one
of them in their players' names when the hall starts them. In every round the hall is killed. At the end the standings
are computed again from the tables' own journals.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.hall_demo import PINS, free_port, set_pins, start_broker
from benchmarks.hall_tables import LinkedTable
from referee.game.events import MatchOver, RacksShown
from referee.game.inputs import MatchStarted, NextGame, Ticked
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.reading.inputs import Input, Seconds
from referee.rules.formats import agreed_rules
from referee.service.button_mapping import meaning
from referee.service.initial_meld_check import racks_to_score
from referee.settings.hall import HallSettings
from referee.sim.scenarios import simulated_match
from referee.storage.journal import load_journal
from tests.support.perfect_watcher import PerfectWatcher

EDITION, FORMAT = "original", "two-player"
PLAYERS = ("one", "other")
WAIT_SECONDS = 300.0
INPUTS_PER_STEP = 50


def simulated_inputs(seed: int) -> list[Input]:  # noqa: C901 - one loop that reads as it plays
    """Play a match without a camera; return its inputs after the start."""
    rules = agreed_rules(EDITION, FORMAT)
    simulated, _ = simulated_match(rules, seed=seed, games=1, cheat_rate=0.1, seats=2)
    simulated.players = replace(simulated.players, strong_seats=frozenset())
    match, entered = Match(), list[Input]()

    def enter(entered_input: Input) -> None:
        nonlocal match
        match, events, _ = step(match, entered_input)
        if events or not isinstance(entered_input, Ticked):
            entered.append(entered_input)
        for event in events:
            if isinstance(event, RacksShown):
                enter(racks_to_score(match, event))

    enter(MatchStarted(at=Seconds(0.0), names=PLAYERS, edition=EDITION, format=FORMAT))
    watcher = PerfectWatcher()
    for _ in islice(simulated.play(), 400):
        presses = sorted(simulated.scene.presses, key=lambda press: press.at)
        for moment in simulated.scene.moments:
            while presses and presses[0].at <= moment.at:
                enter(meaning(presses.pop(0), match))
            for entered_input in (Ticked(Seconds(moment.at)), *watcher.watch(moment, match)):
                enter(entered_input)
        simulated.scene.moments.clear()
        simulated.scene.presses.clear()
    if match.phase is not Phase.MATCH_OVER:
        enter(NextGame(at=Seconds(match.now + 1)))
    if match.phase is not Phase.MATCH_OVER:
        raise SystemExit(f"the simulated match of seed {seed} does not end; take other seeds")
    return entered[1:]


class Table(LinkedTable):
    """A table that plays when the hall starts it, with a journal per match."""

    def __init__(self, broker: str, name: str, folder: Path, matches: list[list[Input]]) -> None:
        """Connect the table."""
        self._matches = matches
        folder.mkdir(parents=True)
        super().__init__(HallSettings(broker=broker, hall="hall", table=name), folder)

    def begin(self) -> None:
        """Wait for the hall to start a match."""
        self._waiting = iter(list[Input]())
        super().begin()

    @property
    def has_begun(self) -> bool:
        """Whether the hall started a match here."""
        return self.match.seated is not None

    def play_some(self, count: int) -> None:
        """Enter up to `count` inputs of the match that the hall started; after its end prepare the next."""
        if self.match.phase is Phase.MATCH_OVER:
            if not self.link.is_behind:
                self.close()
                self.begin()
            return
        for entered in self.link.poll(Seconds(0.0)):
            self.enter(entered)
            if isinstance(entered, MatchStarted):
                self._waiting = iter(self.rng.choice(self._matches))
        for entered in islice(self._waiting, count):
            self.enter(entered)


class Hall:
    """The hall, and the organiser at its page."""

    def __init__(self, broker: str, folder: Path) -> None:
        """Start the hall."""
        self._port = free_port()
        arguments = ["hall", "--broker", broker, "--web", f"127.0.0.1:{self._port}", "--state", str(folder)]
        self._command = [sys.executable, "-m", "referee", *arguments]
        set_pins(folder)
        self.start()

    def start(self) -> None:
        """Start the hall, also after a kill."""
        self._running = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        self._cookie = self._token = ""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            try:
                self.ask("/api/session")
                self.ask("/api/login", {"pin": PINS["organiser"]})
            except OSError:
                time.sleep(0.2)
            else:
                return

    def kill(self) -> None:
        """Kill the hall."""
        self._running.kill()
        self._running.wait(30)

    def ask(self, path: str, body: Any = None) -> Any:
        """Send a request as the page does; return JSON or bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        headers = {"cookie": self._cookie, "x-csrf-token": self._token, "content-type": "application/json"}
        headers["origin"] = f"http://127.0.0.1:{self._port}"
        body = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        content, kind = answer.read(), answer.headers.get("content-type", "")
        for cookie in answer.headers.get_all("set-cookie") or ():
            if cookie.startswith("referee="):
                self._cookie = cookie.partition(";")[0]
        connection.close()
        if answer.status != http.client.OK:
            raise SystemExit(f"{path}: {answer.status} {content.decode()}")
        value = json.loads(content) if kind.startswith("application/json") else content
        if isinstance(value, dict):
            self._token = value.get("csrf", self._token)
        return value


def wait_until(condition: Callable[[], Any]) -> Any:
    """Wait until the condition holds; return its value."""
    until = time.monotonic() + WAIT_SECONDS
    while not (found := condition()):
        if time.monotonic() > until:
            raise SystemExit("waited in vain")
        time.sleep(0.2)
    return found


def have_all_begun(tables: list[Table]) -> bool:
    """Whether the hall started a match at each table."""
    return all(table.has_begun for table in tables)


def standings_from_journals(folder: Path, rounds: list[Any]) -> list[tuple[str, float, int]]:
    """Return each player's wins and total, from the tables' journals and the byes."""
    wins: dict[str, float] = {}
    totals: dict[str, int] = {}
    for journal in folder.glob("*/match-*.jsonl"):
        match, is_over = Match(), False
        for entry in load_journal(journal).entries:
            match, events, _ = step(match, entry.entered)
            is_over = is_over or any(isinstance(event, MatchOver) for event in events)
        if not is_over:
            continue
        scores = [match.total(seat) for seat in match.setup.seats]
        for seat, name in enumerate(match.setup.names):
            draw = 0.5 * (scores[0] == scores[1])
            wins[name] = wins.get(name, 0.0) + (draw or float(scores[seat] == max(scores)))
            totals[name] = totals.get(name, 0) + scores[seat]
    for name in (name for round_ in rounds for name in round_["byes"]):
        wins[name] = wins.get(name, 0.0) + 1
    return sorted((name, wins[name], totals.get(name, 0)) for name in wins)


def play(hall: Hall, tables: list[Table], playing: threading.Event, players: int, length: int) -> Any:
    """Play the tournament as its organiser, killing the hall between rounds; return its final state."""
    entrants = "\n".join(("name,rating", *(f"Player {number:02},{2000 - number}" for number in range(players))))
    new = {"name": "Open", "rounds": length, "seats": 2, "edition": EDITION, "format": FORMAT, "entrants": entrants}
    hall.ask("/api/tournament/create", new)
    for number in range(1, length + 1):
        began = time.monotonic()
        wait_until(lambda: sum(table["online"] for table in hall.ask("/api/wall")["tables"]) == len(tables))
        boards = hall.ask("/api/tournament/seat", {"round": number})["tournament"]["rounds"][-1]["boards"]
        playing.clear()
        hall.ask("/api/tournament/start", {"round": number})
        wait_until(partial(have_all_begun, tables[: len(boards)]))
        playing.set()
        wait_until(lambda: hall.ask("/api/tournament")["tournament"]["complete"])
        hall.kill()
        hall.start()
        for board in range(1, len(boards) + 1):
            hall.ask("/api/tournament/sign", {"key": f"s{number}-{board}", "round": number, "board": board})
        print(f"round {number}: {len(boards)} boards in {time.monotonic() - began:.0f} s", flush=True)
    return hall.ask("/api/tournament")["tournament"]


def main() -> None:
    """Play the tournament and compare the standings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--out", type=Path, help="keep sheets and export there")
    arguments = parser.parse_args()
    matches = [simulated_inputs(seed) for seed in range(1, arguments.matches + 1)]
    print(f"{len(matches)} matches of {[len(one) for one in matches]} inputs", flush=True)
    with tempfile.TemporaryDirectory(prefix="referee-tournament-") as file_name:
        folder, port = Path(file_name), free_port()
        broker = start_broker(folder, port)
        address = f"mqtt://127.0.0.1:{port}"
        hall = Hall(address, folder / "wall")
        numbers = range(1, arguments.players // 2 + 1)
        tables = [Table(address, f"t{number}", folder / "tables" / f"t{number}", matches) for number in numbers]
        stop = threading.Event()

        playing = threading.Event()

        def keep_going() -> None:
            while not stop.wait(0.05):
                for table in tables:
                    table.play_some(INPUTS_PER_STEP if playing.is_set() else 0)

        player = threading.Thread(target=keep_going)
        player.start()
        try:
            last = play(hall, tables, playing, arguments.players, arguments.rounds)
            files = ("sheets.pdf?round=1", "standings.pdf", "results.csv", "standings.csv", "records.txt")
            downloads = {path.partition("?")[0]: hall.ask(f"/api/tournament/files/{path}") for path in files}
        finally:
            stop.set()
            player.join(60)
            for table in tables:
                table.close()
            hall.kill()
            broker.terminate()
            broker.wait(30)
        standings = sorted((line["name"], line["points"], line["total"]) for line in last["standings"])
        is_same = standings == standings_from_journals(folder / "tables", last["rounds"])
        records = downloads["records.txt"].count(b"[Record ")
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            for file, content in downloads.items():
                (arguments.out / file).write_bytes(content)
    boards = sum(len(round_["boards"]) for round_ in last["rounds"])
    print(f"standings as the tables' journals say: {is_same}; signed: {last['signed']}; strays: {len(last['strays'])}")
    print(f"{boards} boards, {records} game records; first: {last['standings'][0]}")
    sys.exit(0 if is_same and last["signed"] and records == boards and not last["strays"] else 1)


if __name__ == "__main__":
    main()
