"""The best play that was missed: only from tiles that were certainly held, and never looked for during a turn."""

import time
from collections.abc import Iterator

import pytest

from referee.game.inputs import MatchStarted, NextGame, RacksTold, RummikubCalled, Seat, TurnEnded
from referee.game.state import Match, Phase
from referee.history.history import History
from referee.history.missed_plays import MissedPlays, certain_positions, solve
from referee.history.story import Story, StoryTurn
from referee.reading.inputs import Input, Seconds, TableSettled, TableStill
from referee.rules.notation import parse_tiles
from referee.storage.match_step import MatchStep
from tests.conftest import PATIENCE_SECONDS
from tests.service.conftest import reading


def turn(number: int, played: str = "", before: str = "", *, drew: int = 0, verdict: str = "legal") -> StoryTurn:
    return StoryTurn(
        game=1,
        turn=number,
        seat=0,
        seconds=1.0,
        verdict=verdict,
        outcome="played",
        faults=(),
        played=tuple(played.split()),
        before=before,
        table="",
        frame_id="f",
        judged_at=float(number),
        opened=True,
        opening=None,
        longest_run=(),
        drew=drew,
        penalty=False,
    )


def held(*turns: StoryTurn, rack: str = "") -> dict[int, str]:
    story = Story(
        number=1,
        began_at=0.0,
        ended_at=None,
        edition="original",
        format="booklet",
        names=("Ann",),
        games=1,
        turns=turns,
        players=(),
    )
    racks = {0: tuple(rack.split())} if rack else {}
    return {one.turn: " ".join(sorted(one.held)) for one in certain_positions(story, 1, racks)}


def test_after_the_last_draw_what_was_laid_later_was_held() -> None:
    assert held(turn(1, "R1", drew=1), turn(2, "R2"), turn(3, "R3"), turn(4, "R4")) == {2: "R2 R3 R4", 3: "R3 R4"}


def test_what_was_left_on_a_rack_that_was_told_was_held_too() -> None:
    assert held(turn(1, drew=1), turn(2, "R2"), turn(3, "R3"), rack="J K5") == {2: "J K5 R2 R3", 3: "J K5 R3"}


def test_of_the_turn_of_the_last_draw_and_of_those_before_nothing_is_said() -> None:
    assert held(turn(1, "R1"), turn(2, "R2"), turn(3, drew=1), rack="R5 R6") == {}


def test_a_turn_that_was_not_judged_for_sure_ends_what_is_known() -> None:
    assert held(turn(1, "R1"), turn(2, "R9", verdict="undecided"), turn(3, "R3"), turn(4, "R4")) == {3: "R3 R4"}


def test_a_better_play_is_found_by_the_rules_that_were_agreed() -> None:
    asked = {"edition": "original", "format": "booklet", "house_rules": {}, "before": "", "laid": 3}
    asked |= {"opened": False, "held": ["R10", "R11", "R12", "R13", "B1", "B2", "B3"]}
    assert len(solve(asked)["played"]) == 7
    assert solve({**asked, "house_rules": {"initial_meld": 60}})["played"] == []
    assert solve({**asked, "held": ["R10", "R10", "R10"]})["played"] == []


@pytest.fixture
def missed() -> Iterator[MissedPlays]:
    plays = MissedPlays(History())
    yield plays
    plays.close()


class Evening:
    """Players at a table, as a match takes them."""

    def __init__(self, missed: MissedPlays) -> None:
        self.match, self.missed, self.at = Match(), missed, 0.0

    def enter(self, *entered: Input) -> None:
        for one in entered:
            taken = MatchStep.of(self.match, one)
            self.match = taken.match
            self.missed._history.publish(taken)
            self.missed.publish(taken)

    def now(self) -> Seconds:
        self.at += 1.0
        return Seconds(self.at)

    def lay(self, table: str) -> None:
        seen = self.now()
        self.enter(TableSettled(seen, Seconds(seen - 0.4), reading(table, seen)))

    def play(self, table: str) -> None:
        self.lay(table)
        self.enter(TurnEnded(self.now()), TableStill(self.now()))

    def until_searched(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while self.missed.searching:
            assert time.monotonic() < end, "the search does not end"
            time.sleep(0.01)


def test_it_is_looked_for_when_the_game_is_over_and_stops_when_another_turn_begins(missed: MissedPlays) -> None:
    evening = Evening(missed)
    rules = (("rack_tiles", 8), ("turn_seconds", 0))
    evening.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original", house_rules=rules, games=2))
    evening.play("R10 R11 R12")
    evening.play("R10 R11 R12 / B10 K10 O10")
    evening.play("R10 R11 R12 / B10 K10 O10 / K1 K2 K3")  # Ann held R13 too, and laid it a turn later
    assert not missed.searching
    evening.play("R10 R11 R12 / B10 K10 O10 / K1 K2 K3")  # Ben draws
    evening.lay("R10 R11 R12 R13 / B10 K10 O10 / K1 K2 K3 K4")
    evening.enter(RummikubCalled(evening.now()), TableStill(evening.now()))
    assert evening.match.phase is Phase.GAME_OVER
    evening.enter(RacksTold(evening.now(), ((Seat(1), parse_tiles("R1 R2")),)))
    evening.until_searched()
    found = missed.found()
    assert {key: (play["laid"], len(play["played"])) for key, play in found.items()} == {(1, 1): (3, 8), (1, 3): (3, 5)}
    evening.enter(NextGame(evening.now()))
    evening.lay("")
    assert evening.match.phase is Phase.TURN
    assert not missed.searching
    assert missed.found() == found


def test_a_tile_that_was_drawn_and_laid_at_once_was_not_held_before(missed: MissedPlays) -> None:
    evening = Evening(missed)
    rules = (("turn_seconds", 0), ("drawn_tile_waits", False))
    evening.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original", house_rules=rules))
    evening.play("R10 R11 R12")
    evening.play("R10 R11 R12 / B10 K10 O10")
    evening.play("R10 R11 R12 / B10 K10 O10")  # Ann draws and plays on
    evening.play("R10 R11 R12 R13 / B10 K10 O10")
    evening.play("R10 R11 R12 R13 / B10 K10 O10 / K1 K2 K3")
    evening.play("R9 R10 R11 R12 R13 / B10 K10 O10 / K1 K2 K3")
    story = evening.missed._history.story()
    assert story is not None
    assert [(turn.seat, turn.drew) for turn in story.turns] == [(0, 0), (1, 0), (0, 1), (1, 0), (0, 0)]
    known = certain_positions(story, 1, {0: ("R8",)})
    assert [(one.turn, one.held) for one in known if one.turn != 2] == [(5, ("R8", "R9"))]
