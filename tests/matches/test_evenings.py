"""What a season of evenings counts: a lost thread, questions about tiles and empty places, racks that were read."""

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.game.event_parts import Doubt
from referee.game.events import GameScored, LookingAgain, RackAsked, RackRead
from referee.game.inputs import Seat
from referee.reading.inputs import Seconds
from referee.reading.observation import TileReading
from referee.rules.notation import parse_table, parse_tile, parse_tiles

ROOT = Path(__file__).parents[2]
HEADER: Any = {"at": Seconds(1.0), "seat": Seat(0), "turn": 3, "game": 1}


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.evening_log")


@pytest.mark.parametrize(
    ("agreed", "lost"),
    [("", None), ("++", None), ("+--+", None), ("-+", None), ("++-", 2), ("+-+--", 3), ("--", 0)],
)
def test_an_evening_is_lost_from_the_turn_after_which_nothing_agrees(log: Any, agreed: str, lost: int | None) -> None:
    assert log.lost_from([sign == "+" for sign in agreed]) == lost


def turn(**changes: Any) -> Any:
    true = {"game": 1, "number": 3, "seat": 0, "before": parse_table("R1 R2 R3"), "shown_racks": ()}
    return SimpleNamespace(**true | changes)


def match(*, seat: int = 0, game: int = 1, tables: tuple[str, ...] = ("R1 R2 R3",)) -> Any:
    start = SimpleNamespace(tables=tuple(map(parse_table, tables)), disputed=())
    return SimpleNamespace(seat=seat, game=game, turn_start=start)


def test_a_turn_agrees_if_seat_game_and_a_possible_table_do(log: Any) -> None:
    evening = log.EveningLog()
    for now in (match(), match(seat=1), match(game=2), match(tables=("R1 R2 R4",)), match(tables=("", "R3 R2 R1"))):
        evening.begin(turn(), now)
    assert evening.agreed == [True, False, False, False, True]
    assert evening.summary(games=3)["lost"] is None
    evening.begin(turn(number=4), match(seat=2))
    assert evening.summary(games=3)["lost"] == (1, 4)


def test_each_tile_asked_about_counts_once_a_turn_and_empty_places_apart(log: Any) -> None:
    evening = log.EveningLog()
    reading = [
        TileReading(tile=parse_tile("R1"), quad=((x, 0.0), (x + 20, 0.0), (x + 20, 30.0), (x, 30.0)), confidence=0.5)
        for x in (0.0, 100.0)
    ]
    doubts = (Doubt(0, ()), Doubt(1, ()))
    for _ in range(2):
        asked = LookingAgain(**HEADER, reason=None, doubts=doubts)  # type: ignore[arg-type]
        evening.hear(asked, reading, lambda tile: 7 if tile is reading[0] else None)
    said = evening.summary(games=3)
    assert (said["questions"], said["questions_median"], said["empty"]) == ([2, 0, 0], 0, 1)


def test_racks_count_as_read_only_with_their_own_tiles(log: Any) -> None:
    evening = log.EveningLog()
    evening.show(turn(shown_racks=((1, parse_tiles("R1 K2")), (2, parse_tiles("J")))))
    for seat, tiles in ((1, "R1 K3"), (2, "J"), (2, "J")):
        evening.hear(RackRead(**HEADER, owner=Seat(seat), tiles=parse_tiles(tiles), value=0), (), lambda _: None)
    evening.hear(RackAsked(**HEADER, owner=Seat(1), reason=None, tiles=(), expected=2), (), lambda _: None)  # type: ignore[arg-type]
    evening.hear(GameScored(**HEADER, scores={}, totals={}), (), lambda _: None)
    said = evening.summary(games=1)
    assert (said["racks"], said["racks_read"], said["racks_asked"], said["scored"]) == (2, 1, 1, 1)
