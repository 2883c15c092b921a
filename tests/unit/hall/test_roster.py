"""Who plays and where, as it changes in a weekend; every standing is worked out by hand."""

from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.errors import ConfigError

FOUR = "Ann Ben Cem Dora"


def refused(one: Any, what: str, **said: Any) -> str:
    with pytest.raises(ConfigError) as found:
        one.say(what, **said)
    return str(found.value)


@pytest.mark.parametrize(("missed", "points"), [("zero", 0.0), ("bye", 1.0)])
def test_a_late_entrant_has_nothing_or_byes_for_the_missed_rounds(play: Any, missed: str, points: float) -> None:
    one = play(FOUR)
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [10, -10])
    one.tell("Cem Dora", [5, -5])
    one.say("late", player="Eve", missed=missed)
    assert {name: own for _, name, own, *_ in one.places()}["Eve"] == points
    seated = one.seat_next()
    assert "Eve" in {*sum(seated, ())} | {
        one.tournament.entrants[player].name for player in one.tournament.rounds[1].byes
    }
    assert refused(one, "late", player="eve") == "eve plays in Open already"


def test_a_bye_for_missed_rounds_is_a_bye_and_another_gets_the_next_one(play: Any) -> None:
    one = play(FOUR)
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [10, -10])
    one.tell("Cem Dora", [5, -5])
    one.say("late", player="Eve", missed="bye")
    one.seat_next()
    (bye,) = one.tournament.rounds[1].byes
    assert one.tournament.entrants[bye].name != "Eve"


def test_who_left_returns_and_keeps_the_points(play: Any) -> None:
    one = play(FOUR)
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [10, -10])
    one.tell("Cem Dora", [5, -5])
    one.say("leaver", player="Ann")
    assert one.places()[0][:3] == (1, "Ann", 1.0)
    assert refused(one, "return", player="Ben") == "Ben has not left"
    one.say("return", player="ann")
    one.say("leaver", player="Ann")
    assert 0 in one.tournament.left, "who came back may leave again"
    one.say("return", player="Ann")
    assert "Ann" in {*sum(one.seat_next(), ())}


def test_a_bye_that_was_asked_for_is_half_a_point(play: Any) -> None:
    one = play(FOUR, rounds=3)
    one.say("half bye", round=1, player="Dora")
    seated = one.seat_next()
    assert "Dora" not in {*sum(seated, ())}
    (bye,) = one.tournament.rounds[0].byes  # three players are left
    one.tell(" ".join(seated[0]), [10, -10])
    points = {name: own for _, name, own, *_ in one.places()}
    assert (points["Dora"], points[one.tournament.entrants[bye].name], points[seated[0][0]]) == (0.5, 1.0, 1.0)
    assert "seated already" in refused(one, "half bye", round=1, player="Ann")


def test_a_forfeit_is_a_win_without_points(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    one.say("forfeit", round=1, board=1, player="Ann")
    assert one.places() == [(1, "Ben", 1.0, 0.0, 0), (2, "Ann", 0.0, 1.0, 0)]


def test_a_seating_is_taken_back_until_a_board_has_a_result_and_seated_anew(play: Any) -> None:
    one = play(FOUR)
    first = one.seat_next()
    one.say("unseat", round=1)
    assert one.tournament.rounds == ()
    assert one.seat_next() == first
    one.say("unseat", round=1)
    one.say("leaver", player="Dora")
    (board,) = one.seat_next()
    one.tell(" ".join(board), [10, -10])
    assert refused(one, "unseat", round=1) == "board 1 of round 1 has a result already; the seating stays"


def test_two_players_change_their_seats(play: Any) -> None:
    one = play("Ann Ben Cem Dora Eve")
    one.seat("Ann Ben", "Cem Dora", byes="Eve")
    one.say("swap", round=1, player="Ben", other="Cem")
    one.say("swap", round=1, player="Dora", other="Eve")
    (round_,) = one.tournament.rounds
    assert [*map(one.tournament.names, round_.boards)] == [("Ann", "Cem"), ("Ben", "Eve")]
    assert [one.tournament.entrants[player].name for player in round_.byes] == ["Dora"]


@pytest.mark.parametrize(
    ("scores", "won", "told"),
    [
        ([25, -25], [0, 1], "Ben won the game with -25, and another has 25; mend the scores or who won"),
        ([25, -25], [1, 0], ""),
        ([-5, 5], [2, 1], ""),
    ],
)
def test_a_result_that_contradicts_itself_is_refused(play: Any, scores: list[int], won: list[int], told: str) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    if told:
        assert told in refused(one, "result", round=1, board=1, scores=scores, won=won)
    else:
        one.say("result", round=1, board=1, scores=scores, won=won)
        assert one.places()[0][1] == "Ann"


def test_a_weekend_of_34_with_two_late_and_one_who_leaves(play: Any) -> None:
    """The player of the lower number wins every game, so points count the weaker opponents that each one met."""
    one = play(" ".join(f"P{number:02}" for number in range(34)), rounds=5)
    for number in range(5):
        if number == 1:
            one.say("late", player="P34")
            one.say("late", player="P35", missed="bye")
        if number == 3:
            one.say("leaver", player="P33")
        for first, second in one.seat_next():
            one.tell(f"{first} {second}", [10, -10] if first < second else [-10, 10])
    points = {name: own for _, name, own, *_ in one.places()}
    beaten: dict[str, float] = dict.fromkeys(points, 0.0)
    for round_ in one.tournament.rounds:
        for board in round_.boards:
            beaten[min(one.tournament.names(board))] += 1
        for bye in round_.byes:
            beaten[one.tournament.entrants[bye].name] += 1
    assert points == beaten
    assert one.places()[0][:3] == (1, "P00", 5.0)
    met = [frozenset(board.seats) for round_ in one.tournament.rounds for board in round_.boards]
    assert len(met) == len(set(met)) == 17 + 18 + 18 + 17 + 17
    byes = [bye for round_ in one.tournament.rounds for bye in round_.byes]
    assert len(byes) == len(set(byes)), "nobody has two"


def test_scores_that_begin_with_a_minus_are_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = tmp_path / "players.csv"
    players.write_text("name\nAnn\nBen\n", encoding="utf-8")

    def call(*words: str) -> int:
        return main(["hall", "tournament", *words, "--state", str(tmp_path)])

    assert call("create", "Open", str(players), "--rounds", "1") == 0
    assert call("seat", "1") == 0
    assert call("result", "1", "1", "--scores", "-40,40", "--reason", "counted") == 0
    assert "-40" in capsys.readouterr().out
    assert call("swap", "1", "Ann", "Ben") == 2
    assert "has a result already" in capsys.readouterr().err


def test_the_best_eight_play_two_semifinals_and_the_best_two_of_each_a_final(play: Any) -> None:
    """Nine players of a table each; the lower number is better, so 1-3-5-7 and 2-4-6-8 meet, then 1 3 2 4."""
    one = play(" ".join(f"P{number}" for number in range(1, 10)), seats=3, played="league", rounds=1)
    one.seat("P1 P2 P3", "P4 P5 P6", "P7 P8 P9")
    assert "without every result" in refused(one, "finals", name="Semifinals")
    one.tell("P1 P2 P3", [90, 80, 70])
    one.tell("P4 P5 P6", [60, 50, 40])
    one.tell("P7 P8 P9", [30, 20, 10])
    one.say("finals", name="Semifinals")
    assert one.seat_next() == (("P1", "P3", "P5", "P7"), ("P2", "P4", "P6", "P8"))
    assert {total for *_, total in one.places()} == {0}, "points begin anew"
    one.tell("P1 P3 P5 P7", [40, 30, -30, -40], [2, 1, 0, 0])
    one.tell("P2 P4 P6 P8", [40, 30, -30, -40], [2, 1, 0, 0])
    one.say("finals", name="Final", per_board=2)
    (final,) = one.seat_next()
    assert set(final) == {"P1", "P2", "P3", "P4"}
