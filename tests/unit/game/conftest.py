"""An evening told in notation: what the players lay, press and wait becomes inputs of a match."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from referee.game.correction_types import StatedCorrection
from referee.game.events import TurnEvent
from referee.game.inputs import MatchStarted, RummikubCalled, Seat, TableCorrected, Ticked, TurnEnded
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import Layout, Quad, TableReading, TileReading
from referee.rules.notation import parse_table, parse_tile


def place(row: int, column: int) -> Quad:
    """Where the tile lies that stands there in the text."""
    x, y = 10.0 * column, 20.0 * row
    return ((x, y), (x + 9.0, y), (x + 9.0, y + 13.0), (x, y + 13.0))


def reading(
    text: str,
    doubts: Mapping[int, str] | None = None,
    others: Sequence[Sequence[Sequence[int]]] = (),
    backs: int = 0,
    rival: float = 1.0,
) -> TableReading:
    """A reading of this table; tile n (counted over the text) may also be `doubts[n]`, `others` are rival layouts.

    The rivals score `rival`. Beside it lie so many tiles face down, none of them read for sure.
    """
    doubts = doubts or {}
    rows, tiles, places = [], [], []
    for number, row in enumerate(parse_table(text).sets):
        places += [place(number, column) for column in range(len(row))]
        rows.append(tuple(range(len(tiles), len(tiles) + len(row))))
        tiles += row
    seen = tuple(
        TileReading(
            quad=places[number],
            tile=tile,
            confidence=0.6 if number in doubts else 1.0,
            unsure=number in doubts,
            alternatives=((parse_tile(doubts[number]), 0.4),) if doubts.get(number) else (),
        )
        for number, tile in enumerate(tiles)
    )
    seen += tuple(
        TileReading(quad=place(90 + back // 20, back % 20), tile=None, confidence=0.6, unsure=True)
        for back in range(backs)
    )
    pool = tuple(range(len(tiles), len(seen)))
    layouts = [
        Layout(tuple(tuple(r) for r in layout if len(r) > 1), (*(r[0] for r in layout if len(r) == 1), *pool), score)
        for layout, score in ((rows, 1.0), *((other, rival) for other in others))
    ]
    return TableReading(frame_id=f"frame of {text or 'nothing'}", at=0.0, tiles=seen, layouts=tuple(layouts))


def taken_then(settled: TableSettled) -> TableSettled:
    """The same, the last look taken when it was told."""
    return replace(settled, reading=replace(settled.reading, at=settled.at))


OPEN = "R10 R11 R12"  # 33 points
TABLE = f"{OPEN} / B10 K10 O10"  # what `opened` leaves; Ann is to move
TABLES = (
    "",
    "R10 R11 R12",
    "R10 R11 R12 / B10 K10 O10",
    "R10 R11 R12 R13 / B10 K10 O10",
    "R10 R11 / B10 K10 O10",
    "R10 R11 R12 / B10 K10 O10 / J K2",
    "R10 R11 R12 / B10 K10 O10 / J K2 K3",
    "R7 R7 R7",
    "O1 O2 O3 / R11 R12 R13",
)


def kinds(told: tuple[Any, ...]) -> list[str]:
    return [type(event).__name__ for event in told]


def one(told: tuple[Any, ...], kind: type[Any]) -> Any:
    found = [event for event in told if isinstance(event, kind)]
    assert len(found) == 1, f"{kind.__name__} is told {len(found)} times among {kinds(told)}, not once"
    return found[0]


class Evening:
    """A match, the events it has told, and what the players do."""

    def __init__(self) -> None:
        self.match = Match()
        self.told: list[TurnEvent] = []
        self.inputs: list[Input] = []
        self.now = 0.0
        self.seen = reading("")
        self.second_looks = True
        """Whether an illegal table is shown a second time, as it was, without being asked for."""

    def start(self, players: str = "Ann Ben Cem", edition: str = "original", **more: object) -> "Evening":
        limits = more.pop("limits", Limits())
        self.enter(
            MatchStarted(
                at=self.at,
                names=tuple(players.split()),
                edition=edition,
                limits=limits,
                **more,  # type: ignore[arg-type]
            )
        )
        return self

    def opened(self, edition: str = "original") -> "Evening":
        """Ann and Ben have opened, the table is TABLE, and Ann is to move."""
        self.start("Ann Ben", edition).play("R10 R11 R12")
        self.play(TABLE)
        return self

    @property
    def at(self) -> Seconds:
        return Seconds(self.now)

    def enter(self, entered: Input) -> tuple[TurnEvent, ...]:
        if isinstance(entered, TableSettled):
            entered = taken_then(entered)
        self.match, told, _ = step(self.match, entered)
        self.inputs.append(entered)
        self.told += told
        if isinstance(entered, TableSettled):
            self.seen = entered.reading
        if self.second_looks and self.match.play.first_look is not None and not isinstance(entered, TableMoving):
            self.now += 0.6
            told += self.enter(TableSettled(self.at, Seconds(self.now - 0.4), self.seen))
        return told

    def wait(self, seconds: float) -> tuple[TurnEvent, ...]:
        self.now += seconds
        return self.enter(Ticked(self.at))

    def lay(self, text: str, after: float = 2.0, **doubt: object) -> tuple[TurnEvent, ...]:
        """The table changes and settles again, `after` seconds later."""
        return self.show(reading(text, **doubt), after)  # type: ignore[arg-type]

    def show(self, seen: TableReading, after: float = 2.0) -> tuple[TurnEvent, ...]:
        """The table changes and settles again, `after` seconds later, to be read so."""
        self.now += after / 2
        told = self.enter(TableMoving(self.at))
        since = self.at
        self.now += after / 2
        return told + self.enter(TableSettled(self.at, since, seen))

    def say(self, said: StatedCorrection, frame_id: str = "") -> tuple[TurnEvent, ...]:
        """The organiser corrects what was read."""
        self.now += 0.5
        return self.enter(TableCorrected(self.at, said, "organiser", frame_id))

    def press(self, seat: int | None = None, *, call: bool = False, after: float = 2.0) -> tuple[TurnEvent, ...]:
        """The button, and a tenth of a second later a look that finds the table as it was."""
        self.now += after
        pressed = RummikubCalled if call else TurnEnded
        told = self.enter(pressed(self.at, None if seat is None else Seat(seat)))
        self.now += 0.1
        return told + self.enter(TableStill(self.at, f"{self.seen.frame_id} at {self.now:g}"))

    def play(self, text: str, **doubt: object) -> tuple[TurnEvent, ...]:
        """Lay the table so and press."""
        return self.lay(text, **doubt) + self.press()

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.told]


@pytest.fixture
def evening() -> Evening:
    return Evening()


@pytest.fixture(scope="session")
def new_evening() -> type[Evening]:
    return Evening


@pytest.fixture
def read_table() -> Callable[..., TableReading]:
    return reading
