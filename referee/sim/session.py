"""Whole matches between simulated players, with the truth of every turn: known from what they meant to do, not judged.

A turn is played on a `Stage`, which keeps what camera and button get. What the verdict must be comes from how the play
was made (an honest play, or a trick with its known faults); tests compare it with the judge.
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
from referee.sim.cheats import Slip, any_trick, slip
from referee.sim.layout import Arrangement, Piece, arrange
from referee.sim.players import Play, casual_play, strong_play
from referee.sim.position import Position, Trick
from referee.sim.scene import Stage, play_area
from referee.sim.view import LaidTile

_SIDES = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3), 5: (0, 1, 2, 2, 3), 6: (0, 0, 1, 2, 2, 3)}
_MAX_TURNS = 300
_LATE_SECONDS = 4.0
_REACH_SECONDS = 6.0  # from the end of a game until the first rack is laid
_RACK_ROW = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the referee must say of the table as it lay when the button was pressed or the time was over."""

    at: float
    cause: str  # "press" or "time"
    faults: frozenset[Fault]
    outcome: Outcome
    arrangement: Arrangement

    @property
    def legal(self) -> bool:
        """Whether the turn must stand."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn as it truly was; `kind` names the trick or slip in it, if any, `racks` counts the tiles at its start.

    `shown` are the racks laid after it, by seat, where the game ended with it.
    `hardships` came in it; where it was not `whole` a tile lay half covered, face down or half outside the picture.
    `shown_as` tells how tiles lay in it that something befell, in place of how they were laid.
    """

    game: int
    number: int
    seat: int
    opened: bool
    before: Table
    racks: tuple[int, ...]
    kind: str | None
    judgements: tuple[Judgement, ...]
    after: Arrangement
    drawn: int
    started: float
    ended: float
    won: bool
    shown: tuple[tuple[int, tuple[Tile, ...]], ...] = ()
    hardships: tuple[str, ...] = ()
    whole: bool = True
    shown_as: Mapping[LaidTile, LaidTile] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who plays: how many, how often they slip or cheat (0 to 1), and who of them plays like the solver."""

    players: int = 3
    cheats: float = 0.35
    strong: frozenset[int] = frozenset({0})

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of the table each seat is at, clockwise from the south."""
        return _SIDES[self.players]


@dataclass(slots=True)
class _Game:
    """A game in progress."""

    pool: list[Piece]
    racks: list[list[Piece]]
    opened: list[bool]
    passed: set[int] = field(default_factory=set)
    over: bool = False


@dataclass(slots=True)
class Evening:
    """Plays the games of one edition, turn by turn."""

    rules: RuleSet
    stage: Stage
    company: Company
    rng: Random
    games: int = 1
    first: int = 0
    done: Counter[str] = field(default_factory=Counter)
    _game: _Game = field(init=False)
    _judgements: list[Judgement] = field(default_factory=list)

    def play(self) -> Iterator[Turn]:
        """Play every game; after each turn the stage holds what the camera saw up to its end."""
        for game in range(1, self.games + 1):
            self._deal()
            self.stage.look(6)
            seat = (self.first + game - 1) % self.company.players
            for number in range(1, _MAX_TURNS + 1):
                turn = self._turn(game, number, seat)
                if self._game.over:
                    yield replace(turn, shown=self._show_racks(seat))
                    break
                yield turn
                seat = (seat + 1) % self.company.players
            if game < self.games:
                self._clear()

    def _deal(self) -> None:
        pieces = [Piece(tile, copy) for tile, count in self.rules.box.items() for copy in range(count)]
        self.rng.shuffle(pieces)
        hand, players = self.rules.rack_tiles, self.company.players
        if dealt := self.rules.dealt_jokers:  # each player's hand begins with them
            pieces.sort(key=lambda piece: not isinstance(piece.tile, Joker))
            jokers, others = pieces[: dealt * players], pieces[dealt * players :]
            self.rng.shuffle(others)
            rest = hand - dealt
            hands = [(*jokers[seat::players], *others[seat * rest : (seat + 1) * rest]) for seat in range(players)]
            pieces = [*chain.from_iterable(hands), *others[rest * players :]]
        racks = [pieces[seat * hand : (seat + 1) * hand] for seat in range(players)]
        self._game = _Game(pieces[players * hand :], racks, [False] * players)
        self.stage.pool = len(self._game.pool)

    @property
    def _runs_out(self) -> bool:
        """Whether a turn's time may run out; a bank's never does: what looks add is not known."""
        return bool(self.rules.turn_seconds) and not time_control(self.rules).banked

    def _clear(self) -> None:
        """Cheer the winner, and empty the table for the next game."""
        self.stage.wait(8)
        self.stage.pool = self.rules.tile_count - self.company.players * self.rules.rack_tiles
        self.stage.change(self._side(0), Arrangement())

    def _show_racks(self, last: int) -> tuple[tuple[int, tuple[Tile, ...]], ...]:
        """From the left of `last` on each who has tiles left lays them beside the sets, presses and takes them back."""
        stage, players = self.stage, self.company.players
        table, shown = stage.arrangement, []
        stage.wait(_REACH_SECONDS)
        for seat in ((last + step) % players for step in range(1, players + 1)):
            if not (rack := sorted(self._game.racks[seat], key=lambda piece: piece.tile.code)):
                continue
            tiles = tuple(piece.tile for piece in rack)
            rows = [*table.table.sets, *(tiles[at : at + _RACK_ROW] for at in range(0, len(tiles), _RACK_ROW))]
            area = play_area(stage.view)
            stage.change(self._side(seat), arrange(table, rows, rack, side=self._side(seat), area=area, rng=stage.rng))
            stage.look(5)
            stage.press(seat)
            stage.look(5)
            stage.change(self._side(seat), table)
            stage.look(3)
            shown.append((seat, tiles))
        return tuple(shown)

    def _side(self, seat: int) -> int:
        return self.company.sides[seat]

    # ---- one turn ----------------------------------------------------------------------------------------------------

    def _turn(self, game: int, number: int, seat: int) -> Turn:
        stage, started = self.stage, self.stage.now
        before, opened = stage.arrangement.table, self._game.opened[seat]
        racks = tuple(map(len, self._game.racks))
        rack = tuple(piece.tile for piece in self._game.racks[seat])
        position = Position(table=before, rack=rack, opened=opened, rules=self.rules)
        self._judgements = []
        kind, drawn = self._act(position, seat)
        last = self._judgements[-1]
        if last.legal and last.outcome is Outcome.PLAYED:
            self._game.opened[seat] = True
            self._game.passed.clear()
        won = last.legal and not self._game.racks[seat]
        self._game.over = self._game.over or won
        return Turn(
            game=game,
            number=number,
            seat=seat,
            opened=opened,
            before=before,
            racks=racks,
            kind=kind,
            judgements=tuple(self._judgements),
            after=stage.arrangement,
            drawn=drawn,
            started=started,
            ended=stage.now,
            won=won,
        )

    def _act(self, position: Position, seat: int) -> tuple[str | None, int]:
        """Play one turn; gives what was wrong with it and how many tiles were drawn."""
        started = self.stage.now
        if self.rng.random() < self.company.cheats:
            whim = self.rng.random()
            if whim < 0.03 and self._runs_out:
                return "dawdled", self._dawdle(seat, started)
            slipped = slip(position, self.rng) if whim < 0.15 else None
            if slipped is not None:
                return "slip", self._slip(slipped, seat)
            trick = any_trick(position, self.rng, self.done)
            if trick is not None:
                self.done[trick.kind] += 1
                return self._trick(position, trick, seat, started)
        self.stage.wait(self.rng.uniform(2, 9))
        return None, self._honest(position, seat)

    def _honest(self, position: Position, seat: int) -> int:
        """Lay an honest play and press, or press and draw."""
        play = self._best(position, seat)
        if play is None:
            return self._pass(position, seat)
        self._lay(play.sets, seat)
        self._press(seat, frozenset(), Outcome.PLAYED)
        return 0

    def _best(self, position: Position, seat: int) -> Play | None:
        find = strong_play if seat in self.company.strong else casual_play
        return find(position.table, position.rack, self.rules, opened=position.opened)

    def _pass(self, position: Position, seat: int) -> int:
        self._lay(position.table.sets, seat)
        self._press(seat, frozenset(), Outcome.NO_PLAY)
        drawn = self._draw(seat, self.rules.pass_draw)
        if drawn and not self.rules.drawn_tile_waits:
            rack = tuple(piece.tile for piece in self._game.racks[seat])
            play = self._best(replace(position, rack=rack), seat)
            self._lay(play.sets if play else position.table.sets, seat)
            self._press(seat, frozenset(), Outcome.PLAYED if play else Outcome.NO_PLAY)
        return drawn

    def _trick(self, position: Position, trick: Trick, seat: int, started: float) -> tuple[str, int]:
        """Do what is not allowed; then, told so, mend it or take it back, or let the time run out over it."""
        self.stage.wait(self.rng.uniform(2, 8))
        self._lay(trick.play.sets, seat)
        outcome = Outcome.PLAYED if trick.play.played else Outcome.NO_PLAY
        late = self._runs_out and self.rng.random() < 0.12
        if late and self.rng.random() < 0.5:
            return f"late_{trick.kind}", self._time_over(position, trick, seat, started)
        self._press(seat, trick.faults, outcome)
        if late:
            return trick.kind, self._time_over(position, trick, seat, started)
        self.stage.wait(self.rng.uniform(1.5, 4))
        if self.rng.random() < 0.5:
            return trick.kind, self._honest(position, seat)
        return trick.kind, self._pass(position, seat)

    def _time_over(self, position: Position, trick: Trick, seat: int, started: float) -> int:
        """Let the time run out over a table that cannot stay so; put it back, and draw tiles."""
        self._wait_past_the_end(started)
        self._judge("time", trick.faults, Outcome.PLAYED if trick.play.played else Outcome.NO_PLAY)
        self._lay(position.table.sets, seat)
        return self._draw(seat, self.rules.incomplete_draw, penalty=True)

    def _dawdle(self, seat: int, started: float) -> int:
        self._wait_past_the_end(started)
        self._judge("time", frozenset(), Outcome.NO_PLAY)
        return self._draw(seat, self.rules.overrun_draw)

    def _slip(self, lost: Slip, seat: int) -> int:
        """Another player takes a tile first; the player to move plays on honestly, and the tile must come back."""
        thief = (seat - 1) % self.company.players
        self._lay((*lost.others, lost.short), thief)
        self.stage.wait(self.rng.uniform(2, 6))
        self._lay(lost.play.sets, seat)
        outcome = Outcome.PLAYED if lost.honest.played else Outcome.NO_PLAY
        self._press(seat, lost.faults, outcome)
        self.stage.wait(self.rng.uniform(1.5, 4))
        self._lay((*lost.honest.sets, lost.whole), thief)
        self._press(seat, frozenset(), outcome)
        return 0 if lost.honest.played else self._draw(seat, self.rules.pass_draw)

    # ---- what a turn is made of --------------------------------------------------------------------------------------

    def _lay(self, sets: Sequence[TileSet], seat: int) -> None:
        """Lay the table so, from and to the rack of `seat`."""
        stage, rack = self.stage, self._game.racks[seat]
        now = stage.arrangement
        wanted = Counter(_tiles(sets)) - Counter(now.table.tiles)
        added = [piece for tile, count in wanted.items() for piece in [p for p in rack if p.tile == tile][:count]]
        after = arrange(now, sets, added, side=self._side(seat), area=play_area(stage.view), rng=stage.rng)
        back = Counter(now.pieces) + Counter(added) - Counter(after.pieces)
        self._game.racks[seat] = [piece for piece in rack if piece not in added] + list(back.elements())
        if set(after.rows) != set(now.rows):
            stage.change(self._side(seat), after)
            stage.look(5)

    def _press(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        self._judge("press", faults, outcome)
        self.stage.press(seat)

    def _judge(self, cause: str, faults: frozenset[Fault], outcome: Outcome) -> None:
        stage = self.stage
        self._judgements.append(
            Judgement(at=stage.now, cause=cause, faults=faults, outcome=outcome, arrangement=stage.arrangement)
        )

    def _wait_past_the_end(self, started: float) -> None:
        end = started + float(self.rules.turn_seconds or 0) + _LATE_SECONDS
        self.stage.wait(max(0.0, end - self.stage.now))
        self.stage.look(3)

    def _draw(self, seat: int, tiles: int, *, penalty: bool = False) -> int:
        """Take tiles from the pool; when everybody has passed over an empty pool the game is blocked.

        Who draws as a penalty has not passed: there was something to lay.
        """
        game = self._game
        if game.pool:
            game.passed.clear()
        elif not penalty:
            game.passed.add(seat)
        game.over = len(game.passed) == self.company.players
        drawn = min(tiles, len(game.pool))
        game.racks[seat] += [game.pool.pop() for _ in range(drawn)]
        if drawn:
            self.stage.draw(self._side(seat), drawn)
            self.stage.look(3)
        return drawn


def _tiles(sets: Sequence[TileSet]) -> Iterator[Tile]:
    return (tile for tiles in sets for tile in tiles)
