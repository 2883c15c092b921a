"""Standings, worked out by hand."""

from typing import Any

from msgspec.structs import replace

from referee.hall import ledger as entries
from referee.hall.bodies import WithdrawalBody
from referee.hall.standings import boards_without_result, outcome_of


def duels(play: Any, played: str) -> Any:
    """Four players, everybody against everybody; the draw is a match without a point."""
    one = play("Ann Ben Cem Dora", played=played)
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [40, -40])
    one.tell("Dora Cem", [-10, 10])
    one.seat("Cem Ann", "Ben Dora")
    one.tell("Ann Cem", [0, 0], [1, 1])
    one.tell("Ben Dora", [20, -20])
    one.seat("Dora Ann", "Ben Cem")
    one.tell("Dora Ann", [30, -30])
    one.tell("Ben Cem", [5, -5])
    return one


def test_two_players_are_ranked_by_wins_then_the_opponents_wins_then_the_total(play: Any) -> None:
    # Ann and Cem both have 1.5 and met opponents of 4.5: Ann's total of 10 is more than Cem's 5.
    assert duels(play, "booklet").places() == [
        (1, "Ben", 2.0, 4.0, -15),
        (2, "Ann", 1.5, 4.5, 10),
        (3, "Cem", 1.5, 4.5, 5),
        (4, "Dora", 1.0, 5.0, 0),
    ]


def test_a_player_renamed_after_the_match_keeps_its_points(play: Any) -> None:
    one = play("Ann Ben", played="booklet")
    one.seat("Ann Ben")
    first = one.tell("Ben Ann", [-40, 40])
    before = one.places()
    told = one.ledger.results[0].told
    players = tuple(replace(player, name=name) for player, name in zip(told.players, ("Ben", "Anna"), strict=True))
    said = entries.result_entry("t1", replace(told, sha256="anew", players=players), "12:40")
    one.ledger = entries.apply_entry(one.ledger, said)
    assert entries.match_of(said["result"]) == first
    assert one.places() == before


def test_a_penalty_is_taken_from_the_total_where_games_won_decide_a_match(play: Any) -> None:
    one = duels(play, "booklet")
    one.penalise("Ann", 6)
    assert [place[:2] for place in one.places()] == [(1, "Ben"), (2, "Cem"), (3, "Ann"), (4, "Dora")]  # 5 and 4


def test_a_penalty_may_turn_a_match_where_the_total_decides_it(play: Any) -> None:
    one = duels(play, "league")
    one.penalise("Ben", 11)  # 5 becomes -6, and Cem's -5 wins
    assert one.places() == [
        (1, "Cem", 2.5, 3.5, 5),
        (2, "Ann", 1.5, 4.5, 10),
        (3, "Dora", 1.0, 5.0, 0),
        (4, "Ben", 1.0, 5.0, -26),
    ]


def test_a_withdrawn_penalty_counts_no_more(play: Any) -> None:
    one = duels(play, "league")
    before = one.places()
    one.penalise("Ben", 11)
    one.ledger = entries.apply_entry(
        one.ledger, entries.withdrawal_entry(WithdrawalBody(number=1), one.ledger, "arbiter", "13:05")
    )
    assert one.places() == before


def test_a_bye_counts_as_a_win_and_adds_nothing_to_the_opponents_wins(play: Any) -> None:
    one = play("Ann Ben Cem")
    one.seat("Ann Ben", byes="Cem")
    one.tell("Ann Ben", [40, -40])
    assert one.places() == [(1, "Ann", 1.0, 0.0, 40), (2, "Cem", 1.0, 0.0, 0), (3, "Ben", 0.0, 1.0, -40)]


def test_tables_of_the_booklet_go_by_games_won_then_the_total(play: Any) -> None:
    # The booklet's example: player 4 (2 wins, +89) is ahead of player 1 (2 wins, -56), then -8, then -26.
    one = play("P1 P2 P3 P4", seats=4)
    one.seat("P1 P2 P3 P4")
    one.tell("P1 P2 P3 P4", [-56, -8, -26, 89], [2, 0, 0, 2])
    assert one.places() == [(1, "P4", 2, 89), (2, "P1", 2, -56), (3, "P2", 0, -8), (4, "P3", 0, -26)]


def test_at_open_tables_the_lowest_total_wins_and_a_penalty_is_added(play: Any) -> None:
    one = play("Ann Ben Cem", seats=3, played="open-table")
    one.seat("Ann Ben Cem")
    one.tell("Ann Ben Cem", [12, 30, 12], [2, 1, 0])
    one.penalise("Ann", 20)
    assert one.places() == [(1, "Cem", 0, 12), (2, "Ben", 1, 30), (3, "Ann", 2, 32)]


def test_in_a_league_the_highest_total_wins_whoever_won_more_games(play: Any) -> None:
    one = play("Ann Ben Cem", seats=3, played="league")
    one.seat("Ann Ben Cem")
    one.tell("Ann Ben Cem", [90, 120, -20], [11, 9, 0])
    assert one.places() == [(1, "Ben", 9, 120), (2, "Ann", 11, 90), (3, "Cem", 0, -20)]


def test_who_is_level_in_everything_shares_the_place_and_who_left_keeps_the_place_of_the_points(play: Any) -> None:
    one = play("Ann Ben Cem Dora", seats=4, played="league")
    one.seat("Ann Ben Cem Dora")
    one.tell("Ann Ben Cem Dora", [60, 10, 10, -30], [1, 0, 0, 0])
    one.say("leaver", player="ANN")
    assert [(rank, name) for rank, name, *_ in one.places()] == [(1, "Ann"), (2, "Ben"), (2, "Cem"), (4, "Dora")]


def test_what_is_corrected_by_hand_holds_and_what_the_table_said_stays(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    one.tell("Ben Ann", [40, -40])  # at the table they sat otherwise
    one.say("result", round=1, board=1, scores=[15, -15], won=[1, 0])
    outcome = outcome_of(one.tournament, 0, 0, one.ledger)
    assert outcome is not None
    assert (outcome.scores, outcome.reported, outcome.games_won, outcome.ranks) == (
        (15, -15),
        (-40, 40),
        (1, 0),
        (1, 2),
    )
    assert outcome.by_hand == "arbiter"


def test_what_was_entered_by_hand_holds_when_the_table_tells_it_later(play: Any) -> None:
    one = play("Ann Ben Cem Dora")
    one.seat("Ann Ben", "Cem Dora")
    one.say("result", round=1, board=2, scores=[25, -25], reason="the link was down")
    assert boards_without_result(one.tournament, 0, one.ledger) == (0,)
    one.tell("Dora Cem", [-24, 24])
    outcome = outcome_of(one.tournament, 0, 1, one.ledger)
    assert outcome is not None
    assert (outcome.scores, outcome.reported) == ((25, -25), (24, -24))
