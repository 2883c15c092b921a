"""Racks at the end of a game: shown to the camera, told by hand, scored; a score that is not sure is asked about."""

from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.event_parts import Reason
from referee.game.events import GameScored, MatchOver, RackAsked, RackRead, RacksShown
from referee.game.inputs import GameEnded, MatchEnded, PlayerLeft, RackShown, RacksTold, Seat, TableCorrected, TurnEnded
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.rules.notation import parse_tile, parse_tiles

from ..conftest import kinds, one  # isort: skip

WON = "R10 R11 R12 / B10 K10 O10"
BENS = "R1 R2 K5 K6"
CEMS = "J B1 B1 O7"


@pytest.fixture
def over(evening: Any) -> Any:
    """Ann has won with WON on the table; Ben and Cem hold four tiles each."""
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 4),))
    return won(evening)


def won(evening: Any) -> Any:
    evening.lay(WON)
    evening.press(call=True)
    assert evening.match.phase is Phase.GAME_OVER
    evening.wait(10.0)
    return evening


def press(evening: Any, seat: int | None = None) -> tuple[Any, ...]:
    """The button, and the second look that the referee then asks for."""
    evening.now += 2.0
    told = evening.enter(TurnEnded(evening.at, None if seat is None else Seat(seat)))
    return told + second_look(evening)


def second_look(evening: Any, seen: Any = None) -> tuple[Any, ...]:
    if not evening.match.wants_fresh_look:
        return ()
    evening.now += 1.0
    return evening.enter(TableSettled(evening.at, evening.at, seen or evening.seen))


def show(evening: Any, text: str, seat: int | None = None, **doubt: Any) -> tuple[Any, ...]:
    evening.lay(text, **doubt)
    return press(evening, seat)


# Seen --------------------------------------------------------------------------------------------------------------


def test_racks_shown_one_after_the_other_are_scored(over: Any) -> None:
    told = show(over, f"{WON} / {BENS}")
    assert (one(told, RackRead).owner, one(told, RackRead).value) == (1, 14)
    assert one(told, RackRead).tiles == parse_tiles("K5 K6 R1 R2")
    told = show(over, f"{WON} / {BENS} / {CEMS}")
    assert kinds(told) == ["RackRead", "GameScored"]
    assert (one(told, RackRead).owner, one(told, RackRead).value) == (2, 39)  # a joker counts 30
    assert one(told, GameScored).scores == {"Ann": 53, "Ben": -14, "Cem": -39}


def test_a_rack_that_was_taken_away_again_is_not_missed(over: Any) -> None:
    show(over, f"{WON} / {BENS}")
    over.lay(WON)
    told = show(over, f"{WON} / / {CEMS}".replace("/ /", "/"))
    assert one(told, RackRead).tiles == tuple(sorted(parse_tiles(CEMS), key=lambda tile: tile.code))


def test_the_button_of_a_seat_says_whose_rack_it_is(over: Any) -> None:
    assert one(show(over, f"{WON} / {CEMS}", seat=2), RackRead).owner == 2
    assert press(over, seat=0) == ()  # Ann has won
    assert press(over, seat=2) == ()  # known already


def test_the_page_says_whose_rack_it_is(over: Any) -> None:
    over.lay(f"{WON} / {CEMS}")
    over.enter(RackShown(over.at, Seat(2), "organiser"))
    assert one(second_look(over), RackRead).owner == 2


def test_a_rack_is_read_once_the_hands_are_away(over: Any) -> None:
    over.enter(TableMoving(over.at))
    over.now += 2.0
    assert over.enter(TurnEnded(over.at)) == ()
    assert over.lay(f"{WON} / {BENS}") == ()
    assert one(second_look(over), RackRead).owner == 1


def test_the_table_may_be_taken_away_between_the_racks(over: Any) -> None:
    show(over, f"{WON} / {BENS}")
    assert over.lay("") == ()  # no next game before all racks are known
    assert kinds(show(over, CEMS)) == ["RackRead", "GameScored"]
    assert kinds(over.lay("")) == ["GameStarted", "StarterAssumed", "TurnStarted"]


def test_a_table_pushed_aside_is_still_the_table(over: Any) -> None:
    told = show(over, f"{BENS} / B10 K10 O10 / R10 R11 R12")
    assert one(told, RackRead).tiles == parse_tiles("K5 K6 R1 R2")


# Asked -------------------------------------------------------------------------------------------------------------


def must_ask(told: tuple[Any, ...], reason: Reason) -> RackAsked:
    event: RackAsked = one(told, RackAsked)
    assert event.reason is reason
    return event


def test_a_press_without_a_rack_says_what_to_do(over: Any) -> None:
    event = must_ask(press(over), Reason.NOTHING)
    assert (
        words(event, ("Ann", "Ben", "Cem"))
        == "Lay Ben's rack face up on the table, beside the sets, and press: 4 tiles."
    )


def test_one_look_scores_nothing(over: Any, read_table: Any) -> None:
    over.lay(f"{WON} / {BENS}")
    over.now += 2.0
    assert over.enter(TurnEnded(over.at)) == ()
    told = second_look(over, read_table(f"{WON} / R1 R2 K5 K8"))
    must_ask(told, Reason.DOUBT)
    assert over.match.results[-1].scores is None


def test_a_doubtful_tile_is_asked_about_and_named(over: Any) -> None:
    told = show(over, f"{WON} / {BENS}", doubts={9: "K8"})
    event = must_ask(told, Reason.DOUBT)
    assert [(doubt.index, doubt.may_be) for doubt in event.doubts] == [(9, parse_tiles("K6 K8"))]
    told = over.enter(TableCorrected(over.at, TileIs(9, parse_tile("K8")), "players"))
    assert kinds(told) == ["TileNamed", "RackRead"]
    assert one(told, RackRead).value == 16


def test_a_doubtful_tile_of_the_table_does_not_matter(over: Any) -> None:
    assert one(show(over, f"{WON} / {BENS}", doubts={1: "R7"}), RackRead).value == 14


def test_another_count_than_expected_is_confirmed_by_a_second_press(over: Any) -> None:
    event = must_ask(show(over, f"{WON} / R1 R2 K5"), Reason.COUNT)
    assert (len(event.tiles), event.expected) == (3, 4)
    assert one(press(over), RackRead).value == 8


def test_but_only_of_what_was_asked_about(over: Any) -> None:
    show(over, f"{WON} / R1 R2 K5")
    must_ask(show(over, f"{WON} / R1 R2 K7"), Reason.COUNT)


def test_no_rack_holds_more_than_the_box(over: Any) -> None:
    must_ask(show(over, f"{WON} / R10 R10 K5 K6"), Reason.BOX)
    must_ask(press(over), Reason.BOX)  # and no press makes it so


def test_two_racks_together_hold_no_more_than_the_box(over: Any) -> None:
    show(over, f"{WON} / B1 B1 K5 K6")
    must_ask(show(over, f"{WON} / B1 B1 K5 K6 / {CEMS}"), Reason.BOX)


def test_a_table_half_taken_away_is_asked_about(over: Any) -> None:
    must_ask(show(over, f"R10 R11 R12 / {BENS}"), Reason.TABLE)


# The 200 points ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("could_open", "lost"), [((), 100), ((Seat(1),), 200)])
def test_whether_an_opening_was_held_is_found_out_first(evening: Any, could_open: Any, lost: Any) -> None:
    evening.start("Ann Ben", "3in1-standard", house_rules=(("rack_tiles", 4),))
    told = show(won(evening), f"{WON} / {BENS}")
    assert kinds(told) == ["RackRead", "RacksShown"]
    racks = one(told, RacksShown).racks
    assert racks == ((1, parse_tiles("K5 K6 R1 R2")),)
    assert one(evening.enter(RacksTold(evening.at, racks, could_open)), GameScored).scores == {
        "Ann": lost,
        "Ben": -lost,
    }


def test_in_a_blocked_game_it_makes_no_difference(evening: Any) -> None:
    evening.start("Ann Ben", "3in1-standard", house_rules=(("rack_tiles", 4),)).lay("")
    evening.enter(GameEnded(evening.at))
    assert kinds(show(evening, BENS, seat=1)) == ["RackRead"]
    told = show(evening, f"{BENS} / {CEMS}", seat=0)
    assert kinds(told) == ["RackRead", "GameScored"]
    assert one(told, GameScored).scores == {"Ann": -59, "Ben": 45}  # 9 + a joker of 50 lost; the sum less Ben's 14


# By hand -----------------------------------------------------------------------------------------------------------


def test_racks_may_be_told_again(over: Any) -> None:
    first = RacksTold(over.at, ((Seat(1), 10), (Seat(2), 20)), by="organiser")
    assert one(over.enter(first), GameScored).totals == {"Ann": 30, "Ben": -10, "Cem": -20}
    told = over.enter(RacksTold(over.at, ((Seat(1), 11), (Seat(2), 20))))
    assert one(told, GameScored).totals == {"Ann": 31, "Ben": -11, "Cem": -20}


def test_racks_of_an_earlier_game_may_be_told_in_the_next(over: Any) -> None:
    over.lay("")
    assert (over.match.phase, over.match.game) == (Phase.TURN, 2)
    told = over.enter(RacksTold(over.at, ((Seat(1), 10), (Seat(2), 20)), game=1))
    assert (one(told, GameScored).game, one(told, GameScored).scores["Ann"]) == (1, 30)


@pytest.mark.parametrize("game", [0, 2, -1])
def test_a_game_that_has_not_been_has_no_racks(over: Any, game: int) -> None:
    assert over.enter(RacksTold(over.at, ((Seat(1), 10), (Seat(2), 20)), game=game)) == ()


@pytest.mark.parametrize(
    "racks",
    [
        pytest.param(((Seat(1), 10),), id="one is missing"),
        pytest.param(((Seat(0), 10), (Seat(1), 10), (Seat(2), 20)), id="the winner has none"),
        pytest.param(((Seat(1), 10), (Seat(1), 12), (Seat(2), 20)), id="one is told twice"),
        pytest.param(((Seat(1), 10), (Seat(3), 20)), id="of somebody else"),
    ],
)
def test_racks_that_do_not_fit_score_nothing(over: Any, racks: Any) -> None:
    assert over.enter(RacksTold(over.at, racks)) == ()


def test_who_left_after_the_game_still_owes_the_rack(over: Any) -> None:
    over.enter(PlayerLeft(over.at, Seat(2)))
    told = over.enter(RacksTold(over.at, ((Seat(1), 10), (Seat(2), 20))))
    assert one(told, GameScored).scores == {"Ann": 30, "Ben": -10, "Cem": -20}


def test_the_ranking_is_told_again_when_the_last_racks_are(over: Any) -> None:
    over.enter(MatchEnded(over.at))
    told = over.enter(RacksTold(over.at, ((Seat(1), 20), (Seat(2), 10))))
    assert one(told, MatchOver).ranking == ("Ann", "Cem", "Ben")


def test_who_is_level_shares_the_place(over: Any) -> None:
    over.enter(RacksTold(over.at, ((Seat(1), 10), (Seat(2), 10))))
    ended = one(over.enter(MatchEnded(over.at)), MatchOver)
    assert (ended.ranking, ended.ranks) == (("Ann", "Ben", "Cem"), {"Ann": 1, "Ben": 2, "Cem": 2})
    assert words(ended, ("Ann", "Ben", "Cem")) == (
        "The match is over: Ann wins.\n          total\n  1. Ann    +20\n  2. Ben    -10\n  2. Cem    -10"
    )


def test_an_end_with_no_racks_told_can_be_scored_later(over: Any) -> None:
    assert over.match.results[-1].scores is None
    over.now += 1000.0
    assert "GameScored" in kinds(over.enter(RacksTold(Seconds(over.now), ((Seat(1), 10), (Seat(2), 20)))))


def test_a_question_about_openings_that_was_lost_is_asked_again(evening: Any) -> None:
    evening.start("Ann Ben", "3in1-standard", house_rules=(("rack_tiles", 4),))
    show(won(evening), f"{WON} / {BENS}")
    assert kinds(press(evening)) == ["RacksShown"]


def test_the_racks_of_one_game_are_not_those_of_the_next(evening: Any) -> None:
    """Racks shown in the first game had been taken for those of the second, which was scored with them at once."""
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 4),), games=2)
    won(evening)
    show(evening, f"{WON} / {BENS}")
    show(evening, f"{WON} / {BENS} / {CEMS}")
    evening.wait(6.0)
    evening.lay("")
    assert (evening.match.game, evening.match.seat, evening.match.showing.racks) == (2, 1, ())
    won(evening)
    told = show(evening, f"{WON} / R3 R4 O5 O6")  # Cem's; Ben has won this game
    assert (one(told, RackRead).owner, one(told, RackRead).value, kinds(told)) == (2, 18, ["RackRead"])
    told = show(evening, f"{WON} / R3 R4 O5 O6 / {CEMS}")
    assert one(told, GameScored).scores == {"Ann": -39, "Ben": 57, "Cem": -18}
