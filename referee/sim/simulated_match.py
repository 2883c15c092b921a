"""Simulated matches with the ground truth of every turn, known from the players' intentions instead of judged.

A turn is played on a `Scene`, which records what camera and button receive. The expected verdict follows from how the
play was made (an honest play, or a cheat with its known faults); tests compare it with the judge.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random

from referee.game.clock import time_control
from referee.rules.editions import RuleSet
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault, Outcome
from referee.sim.cheats import HiddenLoss, choose_cheat, find_hidden_loss
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.players import PlannedPlay, casual_play, strong_play
from referee.sim.position import Cheat, Position
from referee.sim.scene import Scene
from referee.sim.view import LaidTile

_SIDES_BY_PLAYERS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3), 5: (0, 1, 2, 2, 3), 6: (0, 0, 1, 2, 2, 3)}
_MAX_TURNS = 300
_LATE_PRESS_SECONDS = 4.0
_REACH_SECONDS = 6.0  # from the end of a game until the first rack is laid
_TILES_PER_RACK_ROW = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueJudgement:
    """The verdict expected for the table at a press or at the end of the time."""

    at: float
    cause: str  # "press" or "time"
    faults: frozenset[Fault]
    outcome: Outcome
    arrangement: Arrangement
    seen_from: float = 0.0
    """When the camera first shows this table; 0: at once."""

    @property
    def is_legal(self) -> bool:
        """Whether the turn must stand."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueTurn:
    """The truth of one turn; `kind` names its cheat or slip, if any, `racks` counts the tiles at its start.

    `shown_racks` are the racks shown after it, by seat, if it ended the game. `hardships` occurred in it; if it is not
    `all_visible`, a tile lay half covered, face down or half outside the picture. `displaced_tiles` maps tiles as laid
    to how a hardship left them.
    """

    game: int
    number: int
    seat: int
    opened: bool
    before: Table
    racks: tuple[int, ...]
    kind: str | None
    judgements: tuple[TrueJudgement, ...]
    after: Arrangement
    drawn: int
    started: float
    ended: float
    won: bool
    shown_racks: tuple[tuple[int, tuple[Tile, ...]], ...] = ()
    hardships: tuple[str, ...] = ()
    all_visible: bool = True
    displaced_tiles: Mapping[LaidTile, LaidTile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPlayers:
    """The players: their number, the rate of slips and cheats (0 to 1), and the seats that play like the solver."""

    count: int = 3
    cheat_rate: float = 0.35
    strong_seats: frozenset[int] = frozenset({0})

    @property
    def sides(self) -> tuple[int, ...]:
        """The table side of each seat, clockwise from the south."""
        return _SIDES_BY_PLAYERS[self.count]


@dataclass(slots=True)
class _Game:
    """A game in progress."""

    pool: list[PhysicalTile]
    racks: list[list[PhysicalTile]]
    opened: list[bool]
    passed: set[int] = field(default_factory=set)
    over: bool = False


@dataclass(slots=True)
class SimulatedMatch:
    """Plays the games of one edition, turn by turn."""

    rules: RuleSet
    scene: Scene
    players: SimulatedPlayers
    rng: Random
    games: int = 1
    first: int = 0
    cheat_counts: Counter[str] = field(default_factory=Counter)
    _game: _Game = field(init=False)
    _judgements: list[TrueJudgement] = field(default_factory=list)

    def play(self) -> Iterator[TrueTurn]:
        """Play every game and yield its turns; the scene then holds what the camera saw until the turn's end."""
        for game in range(1, self.games + 1):
            self._deal()
            self.scene.add_moments(6)
            seat = (self.first + game - 1) % self.players.count
            for number in range(1, _MAX_TURNS + 1):
                turn = self._turn(game, number, seat)
                if self._game.over:
                    yield replace(turn, shown_racks=self._show_racks(seat))
                    break
                yield turn
                seat = (seat + 1) % self.players.count
            if game < self.games:
                self._clear_table()

    def _deal(self) -> None:
        pieces = [PhysicalTile(tile, copy) for tile, count in self.rules.box.items() for copy in range(count)]
        self.rng.shuffle(pieces)
        hand, players = self.rules.rack_tiles, self.players.count
        if dealt := self.rules.dealt_jokers:  # each player's hand begins with them
            pieces.sort(key=lambda piece: not isinstance(piece.tile, Joker))
            jokers, others = pieces[: dealt * players], pieces[dealt * players :]
            self.rng.shuffle(others)
            undealt = hand - dealt
            hands = [
                (*jokers[seat::players], *others[seat * undealt : (seat + 1) * undealt]) for seat in range(players)
            ]
            pieces = [*chain.from_iterable(hands), *others[undealt * players :]]
        racks = [pieces[seat * hand : (seat + 1) * hand] for seat in range(players)]
        self._game = _Game(pieces[players * hand :], racks, [False] * players)
        self.scene.pool = len(self._game.pool)

    @property
    def _is_timed(self) -> bool:
        """Whether a turn's time may run out; never with a bank, because the duration of readings is unknown."""
        return bool(self.rules.turn_seconds) and not time_control(self.rules).banked

    def _clear_table(self) -> None:
        """Cheer the winner, and empty the table for the next game."""
        self.scene.wait(8)
        self.scene.pool = self.rules.tile_count - self.players.count * self.rules.rack_tiles
        self.scene.rearrange(self._side(0), Arrangement())

    def _show_racks(self, last: int) -> tuple[tuple[int, tuple[Tile, ...]], ...]:
        """Let each player with tiles, clockwise from `last`, lay them beside the sets, press, and take them back."""
        scene, players = self.scene, self.players.count
        table, shown = scene.arrangement, []
        scene.wait(_REACH_SECONDS)
        for seat in ((last + step) % players for step in range(1, players + 1)):
            if not (rack := sorted(self._game.racks[seat], key=lambda piece: piece.tile.code)):
                continue
            tiles = tuple(piece.tile for piece in rack)
            rows = [
                *table.table.sets,
                *(tiles[at : at + _TILES_PER_RACK_ROW] for at in range(0, len(tiles), _TILES_PER_RACK_ROW)),
            ]
            area = scene.play_area
            scene.rearrange(
                self._side(seat), arrange(table, rows, rack, side=self._side(seat), area=area, rng=scene.rng)
            )
            scene.add_moments(5)
            scene.press(seat)
            scene.add_moments(5)
            scene.rearrange(self._side(seat), table)
            scene.add_moments(3)
            shown.append((seat, tiles))
        return tuple(shown)

    def _side(self, seat: int) -> int:
        return self.players.sides[seat]

    # ---- one turn ----------------------------------------------------------------------------------------------------

    def _turn(self, game: int, number: int, seat: int) -> TrueTurn:
        scene, started = self.scene, self.scene.now
        before, opened = scene.arrangement.table, self._game.opened[seat]
        racks = tuple(map(len, self._game.racks))
        rack = tuple(piece.tile for piece in self._game.racks[seat])
        position = Position(table=before, rack=rack, opened=opened, rules=self.rules)
        self._judgements = []
        kind, drawn = self._play_turn(position, seat)
        last = self._judgements[-1]
        if last.is_legal and last.outcome is Outcome.PLAYED:
            self._game.opened[seat] = True
            self._game.passed.clear()
        won = last.is_legal and not self._game.racks[seat]
        self._game.over = self._game.over or won
        return TrueTurn(
            game=game,
            number=number,
            seat=seat,
            opened=opened,
            before=before,
            racks=racks,
            kind=kind,
            judgements=tuple(self._judgements),
            after=scene.arrangement,
            drawn=drawn,
            started=started,
            ended=scene.now,
            won=won,
        )

    def _play_turn(self, position: Position, seat: int) -> tuple[str | None, int]:
        """Play one turn; return its cheat or slip, if any, and how many tiles were drawn."""
        started = self.scene.now
        if self.rng.random() < self.players.cheat_rate:
            roll = self.rng.random()
            if roll < 0.03 and self._is_timed:
                return "dawdled", self._overrun(seat, started)
            hidden_loss = find_hidden_loss(position, self.rng) if roll < 0.15 else None
            if hidden_loss is not None:
                return "slip", self._slip(hidden_loss, seat)
            cheat = choose_cheat(position, self.rng, self.cheat_counts)
            if cheat is not None:
                self.cheat_counts[cheat.kind] += 1
                return self._cheat(position, cheat, seat, started)
        self.scene.wait(self.rng.uniform(2, 9))
        return None, self._play_honestly(position, seat)

    def _play_honestly(self, position: Position, seat: int) -> int:
        """Lay an honest play and press, or press and draw."""
        play = self._best_play(position, seat)
        if play is None:
            return self._pass(position, seat)
        self._lay(play.sets, seat)
        self._press(seat, frozenset(), Outcome.PLAYED)
        return 0

    def _best_play(self, position: Position, seat: int) -> PlannedPlay | None:
        find = strong_play if seat in self.players.strong_seats else casual_play
        return find(position.table, position.rack, self.rules, opened=position.opened)

    def _pass(self, position: Position, seat: int) -> int:
        self._lay(position.table.sets, seat)
        self._press(seat, frozenset(), Outcome.NO_PLAY)
        drawn = self._draw(seat, self.rules.pass_draw)
        if drawn and not self.rules.drawn_tile_waits:
            rack = tuple(piece.tile for piece in self._game.racks[seat])
            play = self._best_play(replace(position, rack=rack), seat)
            self._lay(play.sets if play else position.table.sets, seat)
            self._press(seat, frozenset(), Outcome.PLAYED if play else Outcome.NO_PLAY)
        return drawn

    def _cheat(self, position: Position, cheat: Cheat, seat: int, started: float) -> tuple[str, int]:
        """Cheat; once accused, correct it, take it back, or let the time run out."""
        self.scene.wait(self.rng.uniform(2, 8))
        self._lay(cheat.play.sets, seat)
        outcome = Outcome.PLAYED if cheat.play.played else Outcome.NO_PLAY
        runs_out = self._is_timed and self.rng.random() < 0.12
        if runs_out and self.rng.random() < 0.5:
            return f"late_{cheat.kind}", self._time_over(position, cheat, seat, started)
        self._press(seat, cheat.faults, outcome)
        if runs_out:
            return cheat.kind, self._time_over(position, cheat, seat, started)
        self.scene.wait(self.rng.uniform(1.5, 4))
        if self.rng.random() < 0.5:
            return cheat.kind, self._play_honestly(position, seat)
        return cheat.kind, self._pass(position, seat)

    def _time_over(self, position: Position, cheat: Cheat, seat: int, started: float) -> int:
        """Let the time run out over an illegal table; restore it, and draw tiles."""
        self._wait_past_time_limit(started)
        self._judge("time", cheat.faults, Outcome.PLAYED if cheat.play.played else Outcome.NO_PLAY)
        self._lay(position.table.sets, seat)
        return self._draw(seat, self.rules.incomplete_draw, penalty=True)

    def _overrun(self, seat: int, started: float) -> int:
        self._wait_past_time_limit(started)
        self._judge("time", frozenset(), Outcome.NO_PLAY)
        return self._draw(seat, self.rules.overrun_draw)

    def _slip(self, loss: HiddenLoss, seat: int) -> int:
        """Let another player take a tile first; the player to move plays honestly, and the tile must come back."""
        thief = (seat - 1) % self.players.count
        self._lay((*loss.other_sets, loss.short_set), thief)
        self.scene.wait(self.rng.uniform(2, 6))
        self._lay(loss.play.sets, seat)
        outcome = Outcome.PLAYED if loss.honest_play.played else Outcome.NO_PLAY
        self._press(seat, loss.faults, outcome)
        self.scene.wait(self.rng.uniform(1.5, 4))
        self._lay((*loss.honest_play.sets, loss.full_set), thief)
        self._press(seat, frozenset(), outcome)
        return 0 if loss.honest_play.played else self._draw(seat, self.rules.pass_draw)

    # ---- the parts of a turn -----------------------------------------------------------------------------------------

    def _lay(self, sets: Sequence[TileSet], seat: int) -> None:
        """Lay these sets on the table, with tiles from and to the rack of `seat`."""
        scene, rack = self.scene, self._game.racks[seat]
        current = scene.arrangement
        wanted = Counter(_tiles_of(sets)) - Counter(current.table.tiles)
        added = [piece for tile, count in wanted.items() for piece in [p for p in rack if p.tile == tile][:count]]
        after = arrange(current, sets, added, side=self._side(seat), area=scene.play_area, rng=scene.rng)
        returned = Counter(current.pieces) + Counter(added) - Counter(after.pieces)
        self._game.racks[seat] = [piece for piece in rack if piece not in added] + list(returned.elements())
        if set(after.rows) != set(current.rows):
            scene.rearrange(self._side(seat), after)
            scene.add_moments(5)

    def _press(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        self._judge("press", faults, outcome)
        self.scene.press(seat)

    def _judge(self, cause: str, faults: frozenset[Fault], outcome: Outcome) -> None:
        scene = self.scene
        self._judgements.append(
            TrueJudgement(at=scene.now, cause=cause, faults=faults, outcome=outcome, arrangement=scene.arrangement)
        )

    def _wait_past_time_limit(self, started: float) -> None:
        end = started + float(self.rules.turn_seconds or 0) + _LATE_PRESS_SECONDS
        self.scene.wait(max(0.0, end - self.scene.now))
        self.scene.add_moments(3)

    def _draw(self, seat: int, tiles: int, *, penalty: bool = False) -> int:
        """Draw tiles from the pool and return their number; the game is blocked once all pass with an empty pool.

        A penalty draw is no pass, as there was something to lay.
        """
        game = self._game
        if game.pool:
            game.passed.clear()
        elif not penalty:
            game.passed.add(seat)
        game.over = len(game.passed) == self.players.count
        drawn = min(tiles, len(game.pool))
        game.racks[seat] += [game.pool.pop() for _ in range(drawn)]
        if drawn:
            self.scene.draw(self._side(seat), drawn)
            self.scene.add_moments(3)
        return drawn


def _tiles_of(sets: Sequence[TileSet]) -> Iterator[Tile]:
    return (tile for tiles in sets for tile in tiles)
