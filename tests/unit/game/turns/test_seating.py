"""Names and places: what a match keeps when its players are called otherwise, and when they sit otherwise."""

from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.endgame.shown_racks import waiting_racks
from referee.game.events import GameScored, GameStarted, MatchOver, NamesChanged, SeatsChanged, TurnStarted
from referee.game.inputs import (
    BUTTON,
    ClockSet,
    GameEnded,
    MatchEnded,
    NextGame,
    Paused,
    PlayersRenamed,
    PlayersReseated,
    RacksTold,
    Resumed,
    Seat,
    TableCorrected,
    TurnEnded,
    Undone,
)
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.game.texts.messages import words
from referee.hardware.ports import Press, PressKind
from referee.history.story import StoryFold
from referee.rules.notation import parse_tile
from referee.service.button_mapping import meaning
from referee.storage.json_codec import input_from_json, input_to_json

from ..conftest import OPEN, kinds, one  # isort: skip

ANN, BEN, CEM = Seat(0), Seat(1), Seat(2)


def rename(evening: Any, *names: str) -> tuple[Any, ...]:
    told: tuple[Any, ...] = evening.enter(PlayersRenamed(evening.at, names, "organiser"))
    return told


def reseat(evening: Any, *order: Seat) -> tuple[Any, ...]:
    told: tuple[Any, ...] = evening.enter(PlayersReseated(evening.at, order, "organiser"))
    return told


def ended(evening: Any, edition: str = "3in1-standard") -> Any:
    """Ann began the first game, and it is over; the table is clear."""
    evening.start("Ann Ben Cem", edition, games=3)
    evening.lay("")
    evening.enter(GameEnded(evening.at))
    return evening


# Names ----------------------------------------------------------------------------------------------------------------


def test_a_new_name_holds_for_the_turn_that_goes_on(evening: Any) -> None:
    evening.start("Ann Ben")
    told = one(rename(evening, "Ann", "Bob"), NamesChanged)
    assert (told.names, told.by) == (("Ann", "Bob"), "organiser")
    assert words(told, evening.match.setup.names) == "The players are Ann and Bob."
    assert words(one(evening.play(OPEN), TurnStarted), evening.match.setup.names).startswith("Turn 2, Bob")


@pytest.mark.parametrize(
    "names",
    [("Ann", "Ben"), ("Ann",), ("Ann", "Ben", "Cem"), ("Ann", "ann"), ("Ann", ""), ("Ann", "x" * 41)],
    ids=["as they are", "too few", "too many", "one twice", "nothing", "too long"],
)
def test_names_that_cannot_be_change_nothing(names: tuple[str, ...], evening: Any) -> None:
    evening.start("Ann Ben")
    assert rename(evening, *names) == ()
    assert evening.match.setup.names == ("Ann", "Ben")


def test_two_players_may_exchange_their_names_and_the_scores_stay_with_the_seats(evening: Any) -> None:
    ended(evening)
    evening.enter(RacksTold(evening.at, ((ANN, 5), (BEN, 10), (CEM, 15))))
    rename(evening, "Ben", "Ann", "Cem")
    over = one(evening.enter(MatchEnded(evening.at)), MatchOver)
    assert over.totals == {"Ben": 20, "Ann": -10, "Cem": -15}  # the lowest rack wins 10 + 15 - 5


def test_a_press_taken_back_or_judged_again_does_not_bring_the_old_name_back(evening: Any) -> None:
    evening.opened()
    rename(evening, "Ann", "Bob")
    evening.enter(Undone(evening.at, "organiser"))
    assert evening.match.setup.names == ("Ann", "Bob")
    evening.play(f"{OPEN} / B10 K10 O10")
    rename(evening, "Anna", "Bob")
    evening.enter(TableCorrected(evening.at, TileIs(3, parse_tile("B9")), "organiser"))  # a group no more
    assert evening.match.setup.names == ("Anna", "Bob")


def test_the_story_tells_of_the_players_by_their_last_names(evening: Any) -> None:
    evening.start("Ann Ben", games=1).play(OPEN)
    evening.enter(GameEnded(evening.at))
    evening.enter(RacksTold(evening.at, ((ANN, 5), (BEN, 30))))
    rename(evening, "Ben", "Ann")
    evening.enter(MatchEnded(evening.at))
    rename(evening, "Ben", "Anna")
    fold = StoryFold()
    for event in evening.told:
        fold.note(event)
    story = fold.story()
    assert story is not None
    assert [(one.name, one.games_won, one.score, one.place) for one in story.players] == [
        ("Ben", 1, 25, 1),
        ("Anna", 0, -25, 2),
    ]


# Places ---------------------------------------------------------------------------------------------------------------


def test_between_games_the_players_change_places_and_the_next_to_the_left_begins(evening: Any) -> None:
    ended(evening)
    told = one(reseat(evening, ANN, CEM, BEN), SeatsChanged)
    assert (told.order, told.by) == ((ANN, CEM, BEN), "organiser")
    assert words(told, evening.match.setup.names) == "Clockwise now sit Ann, Cem and Ben."
    started = one(evening.enter(NextGame(evening.at)), GameStarted)
    assert (started.seat, started.names) == (CEM, ("Ann", "Ben", "Cem"))  # in the Polish box the left of the last
    assert [one(evening.play(""), TurnStarted).seat for _ in range(3)] == [BEN, ANN, CEM]


def test_before_the_first_turn_is_judged_places_may_change_in_a_break_too(evening: Any) -> None:
    evening.start("Ann Ben Cem")
    assert kinds(reseat(evening, ANN, CEM, BEN)) == ["SeatsChanged"]
    evening.enter(Paused(evening.at))
    assert kinds(reseat(evening, ANN, BEN, CEM)) == ["SeatsChanged"]
    evening.enter(Resumed(evening.at))
    evening.play(OPEN)
    assert reseat(evening, ANN, CEM, BEN) == ()


@pytest.mark.parametrize("order", [(ANN, BEN, CEM), (ANN, BEN), (ANN, BEN, BEN)], ids=["so it is", "short", "twice"])
def test_an_order_that_is_none_changes_nothing(order: tuple[Seat, ...], evening: Any) -> None:
    ended(evening)
    assert reseat(evening, *order) == ()


def test_racks_are_asked_for_from_the_left_of_the_winner_as_they_sit_now(evening: Any) -> None:
    ended(evening, "original")
    assert waiting_racks(evening.match) == (BEN, CEM, ANN)  # blocked in Ann's turn
    reseat(evening, CEM, BEN, ANN)
    assert waiting_racks(evening.match) == (CEM, BEN, ANN)
    told = evening.enter(RacksTold(evening.at, ((ANN, 5), (BEN, 10), (CEM, 15))))
    assert one(told, GameScored).scores == {"Ann": 15, "Ben": -5, "Cem": -10}


def test_a_game_that_was_won_stays_won_once_places_have_changed(evening: Any) -> None:
    evening.opened().lay(f"{OPEN} / B10 K10 O10 / K1 K2 K3")
    evening.press(call=True)
    reseat(evening, BEN, ANN)
    assert evening.enter(Undone(evening.at, "organiser")) == ()
    assert evening.enter(ClockSet(evening.at, 20.0, "organiser")) == ()
    assert evening.match.phase is Phase.GAME_OVER


def test_a_button_stays_where_it_is_and_the_player_who_sits_there_presses_it(evening: Any) -> None:
    evening.start("Ann Ben Cem")
    press = Press(evening.at, PressKind.PRESS, BEN)
    assert meaning(press, evening.match) == TurnEnded(evening.at, BEN, voice=BUTTON)
    reseat(evening, ANN, CEM, BEN)
    assert meaning(press, evening.match) == TurnEnded(evening.at, CEM, voice=BUTTON)
    assert meaning(press, Match()) == TurnEnded(evening.at, BEN, voice=BUTTON)


def test_what_was_written_down_gives_the_same_again(evening: Any) -> None:
    ended(evening)
    rename(evening, "Ann", "Bob", "Cem")
    reseat(evening, ANN, CEM, BEN)
    evening.enter(NextGame(evening.at))
    match, told = Match(), []
    for entered in evening.inputs:
        match, more, _ = step(match, input_from_json(input_to_json(entered)))
        told += more
    assert (match, told) == (evening.match, evening.told)
