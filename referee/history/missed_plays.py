"""The best missed plays, searched after a game in a separate process that the next turn stops at once.

The process reads positions as JSON lines and answers each within `SECONDS`; it runs at the lowest priority.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

from referee.errors import RefereeError
from referee.game.events import GameScored, GameWon, Judged, TurnTakenBack
from referee.game.inputs import MatchStarted, RacksTold
from referee.game.state import Phase
from referee.history.history import History
from referee.history.story import Story
from referee.plain_json import JsonObject
from referee.rules.formats import agreed_rules
from referee.rules.notation import format_table, parse_table, parse_tiles
from referee.solver import best_play
from referee.storage.match_step import MatchStep

SECONDS: Final = 2.0
MAX_POSITIONS: Final = 100
_IDLE: Final = frozenset({Phase.IDLE, Phase.GAME_OVER, Phase.CLEARING, Phase.MATCH_OVER})
_LOWEST_PRIORITY: Final = 19
_END_SECONDS: Final = 2.0
_KILLED_SECONDS: Final = 30.0
_Key = tuple[int, int]
log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPosition:
    """A turn's table, and tiles that the player certainly held when it began; `laid`: how many of them were laid."""

    game: int
    turn: int
    before: str
    opened: bool
    held: tuple[str, ...]
    laid: int


def certain_positions(story: Story, game: int, racks: Mapping[int, tuple[str, ...]]) -> tuple[KnownPosition, ...]:
    """Return the turns of a game for which it is known what the player could have laid more.

    After a player's last draw the rack only shrinks: what was laid later was held, and so was what was left at the end,
    where `racks` (by seat) tells it. Of the turn of that draw and of those before nothing is said.
    """
    positions: list[KnownPosition] = []
    for seat in range(len(story.names)):
        held = list(racks.get(seat, ()))
        for turn in reversed([turn for turn in story.turns if (turn.game, turn.seat) == (game, seat)]):
            if turn.drew or turn.verdict != "legal":
                break
            held += turn.played
            if len(held) > len(turn.played):
                positions.append(
                    KnownPosition(
                        game=game,
                        turn=turn.turn,
                        before=turn.before,
                        opened=turn.opened,
                        held=tuple(held),
                        laid=len(turn.played),
                    )
                )
    return tuple(positions)


class MissedPlays:
    """Follows the match and finds, for each turn, the play that would have laid more; `close` ends the search."""

    def __init__(self, history: History) -> None:
        """Search the turns of this history, which takes each step first."""
        self._history = history
        self._racks: dict[int, dict[int, tuple[str, ...]]] = {}
        self._waiting: deque[KnownPosition] = deque()
        self._found: dict[_Key, JsonObject] = {}
        self._search: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def publish(self, step: MatchStep) -> None:
        """Take one step; search while no game is on, and stop as soon as one is."""
        entered, events, match = step.entered, step.events, step.match
        if match.phase not in _IDLE:
            self._stop()
        if isinstance(entered, MatchStarted):
            self._forget()
        for event in events:
            if isinstance(event, Judged | TurnTakenBack):
                self._drop(event.game)
        if isinstance(entered, RacksTold) and any(isinstance(event, GameScored) for event in events):
            game = entered.game or len(match.results)
            self._racks[game] = {
                seat: tuple(map(str, rack)) for seat, rack in entered.racks if not isinstance(rack, int)
            }
            self._ask(game)
        for event in events:
            if isinstance(event, GameWon):
                self._ask(event.game)
        if match.phase in _IDLE and self._waiting and self._search is None:
            start = match.setup.start
            rules = {"edition": start.edition, "format": start.format, "house_rules": dict(start.house_rules)}
            self._start(rules)

    def progress(self) -> tuple[Mapping[_Key, JsonObject], bool]:
        """Return the plays found so far, and whether more may be found soon."""
        return self.found(), self.searching

    def found(self) -> Mapping[_Key, JsonObject]:
        """Return the plays found so far, by game and turn: `{"played": ["R3", …], "table": "…", "laid": 1}`."""
        with self._lock:
            return {key: play for key, play in self._found.items() if len(play["played"]) > play["laid"]}

    @property
    def searching(self) -> bool:
        """Whether more may be found soon."""
        return self._search is not None

    def close(self) -> None:
        """End the search."""
        self._stop()

    def _forget(self) -> None:
        self._stop()
        with self._lock:
            self._found, self._racks = {}, {}
            self._waiting.clear()

    def _drop(self, game: int) -> None:
        """Forget the plays of a game in which a turn has changed."""
        with self._lock:
            self._found = {key: play for key, play in self._found.items() if key[0] != game}

    def _ask(self, game: int) -> None:
        """Queue the positions of a game about which more is known than when they were answered."""
        self._stop()
        if (story := self._history.story()) is None:
            return
        positions = certain_positions(story, game, self._racks.get(game, {}))
        with self._lock:
            held = {key: play["held"] for key, play in self._found.items()}
            fresh = [
                position for position in positions if held.get((position.game, position.turn)) != len(position.held)
            ]
            others = [position for position in self._waiting if position.game != game]
            self._waiting = deque([*others, *fresh][:MAX_POSITIONS])

    def _start(self, rules: JsonObject) -> None:
        """Start the search process, and a thread that takes its answers."""
        command = [sys.executable, "-m", __name__]
        try:
            search = subprocess.Popen(  # noqa: S603 - this module itself
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        except OSError as error:
            log.warning("missed plays cannot be searched for (%s)", error.strerror)
            self._waiting.clear()
            return
        self._search = search
        threading.Thread(target=self._take, args=(search, rules), name="referee-missed", daemon=True).start()

    def _take(self, search: "subprocess.Popen[str]", rules: JsonObject) -> None:
        """Query one position after the other, until none is left or the search is stopped."""
        if search.stdin is None or search.stdout is None:
            return
        try:
            while self._search is search and self._waiting:
                position = self._waiting[0]
                search.stdin.write(json.dumps({**rules, **asdict(position)}) + "\n")
                search.stdin.flush()
                line = search.stdout.readline()
                if not line:
                    break
                with self._lock:
                    if self._search is not search or not self._waiting or self._waiting[0] is not position:
                        continue
                    self._waiting.popleft()
                    self._found[position.game, position.turn] = json.loads(line)
        except (OSError, ValueError, IndexError):  # it was stopped meanwhile
            pass
        finally:
            with self._lock:
                ended = self._search is search
                self._search = None if ended else self._search
                if ended and search.poll() not in {None, 0}:
                    self._waiting.clear()  # it would fail again
            _end(search)

    def _stop(self) -> None:
        """Kill the search now; queued positions wait for the end of the next game."""
        with self._lock:
            search, self._search = self._search, None
        if search is not None:
            search.kill()


def _end(search: "subprocess.Popen[str]") -> None:
    """Close a search's pipes and reap the process."""
    for stream in (search.stdin, search.stdout):
        with suppress(OSError):
            if stream is not None:
                stream.close()
    try:
        search.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        search.kill()
        with suppress(subprocess.TimeoutExpired):  # a busy machine takes a while to reap it
            search.wait(_KILLED_SECONDS)


def solve(position: Mapping[str, Any]) -> JsonObject:
    """Answer one position; one that cannot be solved has no play."""
    answer: JsonObject = {"laid": position["laid"], "held": len(position["held"]), "played": [], "table": ""}
    try:
        play = best_play(
            parse_table(position["before"]),
            parse_tiles(" ".join(position["held"])),
            agreed_rules(position["edition"], position["format"], position["house_rules"]),
            opened=position["opened"],
            seconds=SECONDS,
            any_worth=True,
        )
    except RefereeError:  # a tile was misread, and the box does not hold all of them
        return answer
    return answer | {"played": list(map(str, play.tiles)), "table": format_table(play.table)}


def main() -> None:
    """Answer positions until standard input ends."""
    with suppress(OSError):  # not permitted to a service
        os.nice(_LOWEST_PRIORITY)
    for line in sys.stdin:
        print(json.dumps(solve(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
