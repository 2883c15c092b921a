from typing import Any

import pytest

from referee.errors import ConfigError
from referee.rules.choices import BlockedScoring, ClockKind, OutOfTime, Scoring, Standing
from referee.rules.editions import EDITIONS, rule_set
from referee.rules.formats import DEFAULT_SOURCE, FORMATS, agreed_rules, wrong_with_players
from referee.rules.house_rules import HOUSE_RULES
from referee.rules.scoring import SCORE_WEIGHTS, GameResult, score_game, score_match
from referee.rules.tiles import Tile

LEAGUE, OPEN_TABLE = agreed_rules("original", "league"), agreed_rules("original", "open-table")
PAIR = agreed_rules("original", "two-player")


def never(_: tuple[Tile, ...]) -> bool:
    return False


def test_the_booklet_changes_nothing() -> None:
    assert [agreed_rules(edition) for edition in EDITIONS] == list(EDITIONS.values())


@pytest.mark.parametrize("played", FORMATS.values(), ids=FORMATS)
def test_a_format_is_made_of_house_rules_each_with_its_source(played: Any) -> None:
    assert set(played.changes) <= set(HOUSE_RULES)
    rules = agreed_rules("original", played.id)
    for key, (value, source) in played.changes.items():
        assert (getattr(rules, key), rules.sources[key]) == (value, source)
        assert source == DEFAULT_SOURCE or "," in source  # who published it, and where


def test_two_players_as_at_the_olympiad() -> None:
    assert (PAIR.players, PAIR.bank_seconds, PAIR.turn_seconds, PAIR.clock) == ((2, 2), 600, 10, ClockKind.BRONSTEIN)
    assert (PAIR.rack_tiles, PAIR.dealt_jokers, PAIR.joker_penalty) == (14, 1, 50)
    assert (PAIR.unopened_penalty, PAIR.could_open_penalty, PAIR.out_of_time) == (100, 200, OutOfTime.END_TURN)


def test_house_rules_go_over_the_format() -> None:
    rules = agreed_rules("twist", "league", {"loss_cap": 40, "turn_seconds": 120, "out_of_time": "lose"})
    assert (rules.loss_cap, rules.turn_seconds, rules.winner_points) == (40, 120, 50)
    assert (rules.sources["loss_cap"], rules.out_of_time) == ("house rule", OutOfTime.LOSE)
    assert agreed_rules("original", "league", {"loss_cap": 0}).loss_cap is None


@pytest.mark.parametrize(("format_id", "games"), [("booklet", 3), ("club", 3), ("league", 20), ("open-table", 3)])
def test_how_many_games_make_a_round(format_id: str, games: int) -> None:
    assert agreed_rules("original", format_id).games_per_round(3) == games


def test_two_players_play_one_game_a_round() -> None:
    assert PAIR.games_per_round(2) == 1


@pytest.mark.parametrize(
    ("edition", "format_id", "message"),
    [
        ("original", "leage", "format 'leage' is not known; did you mean 'league'?"),
        ("original", "", "format '' is not known; use one of booklet, club, two-player, league, open-table"),
        (
            "xp",
            "two-player",
            "format two-player is for 2 players, and edition xp for 5 to 6 players; change one of them",
        ),
    ],
)
def test_a_format_nobody_can_play(edition: str, format_id: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        agreed_rules(edition, format_id)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("rules", "players", "message"),
    [
        (rule_set("original"), 5, "original is for 2 to 4 players, not 5"),
        (PAIR, 3, "format two-player with original is for 2 players, not 3"),
        (OPEN_TABLE, 2, "format open-table with original is for 3 to 4 players, not 2"),
        (
            agreed_rules("original", house_rules={"dealt_jokers": 1}),
            3,
            "dealt_jokers = 1 takes 3 jokers for 3 players, and the box of original has 2; deal fewer",
        ),
        (
            agreed_rules("twist", house_rules={"dealt_jokers": 3, "rack_tiles": 2}),
            2,
            "dealt_jokers = 3 is more than rack_tiles = 2; deal fewer",
        ),
        (
            agreed_rules("original", house_rules={"out_of_time": "lose"}),
            3,
            "out_of_time = 'lose' is for two players, not 3; use 'pass'",
        ),
        (PAIR, 2, None),
        (OPEN_TABLE, 4, None),
        (agreed_rules("twist", house_rules={"dealt_jokers": 2}), 4, None),
    ],
)
def test_whether_so_many_can_play(rules: Any, players: int, message: str | None) -> None:
    wrong = wrong_with_players(rules, players)
    assert (wrong and str(wrong)) == message


# Scores -----------------------------------------------------------------------------------------------------------


def test_every_way_to_end_a_game_has_its_terms() -> None:
    assert set(SCORE_WEIGHTS) == {(scoring, blocked) for scoring in Scoring for blocked in (None, *BlockedScoring)}


def test_the_example_of_the_league() -> None:
    """Racks of 25, 15 and 10: 50 and a bonus of 50 for the winner, 5 back for who has least left."""
    game = GameResult(winner="A", racks={"B": 25, "C": 15, "D": 10})
    assert score_game("ABCD", game, LEAGUE, never) == {"A": 100, "B": -25, "C": -15, "D": -5}


def test_a_cap_spares_the_loser_and_costs_the_winner_nothing() -> None:
    game = GameResult(winner="A", racks={"B": 80, "C": 30})
    assert score_game("ABC", game, LEAGUE, never) == {"A": 160, "B": -25, "C": -20}


@pytest.mark.parametrize(
    ("racks", "scores"),
    [
        pytest.param({"A": 5, "B": 9, "C": 50}, {"A": 99, "B": 1, "C": -25}, id="lowest, second, capped"),
        pytest.param({"A": 5, "B": 5, "C": 15}, {"A": 55, "B": 55, "C": -10}, id="joint winners leave no second"),
        pytest.param({"A": 5, "B": 9, "C": 9}, {"A": 58, "B": 1, "C": 1}, id="joint seconds each get its points"),
    ],
)
def test_a_blocked_game_in_a_league(racks: dict[str, int], scores: dict[str, int]) -> None:
    assert score_game("ABC", GameResult(winner=None, racks=racks), LEAGUE, never) == scores


def test_the_highest_total_wins_a_league_whoever_won_more_games() -> None:
    games = [
        GameResult(winner="A", racks={"B": 1, "C": 25}),
        GameResult(winner="A", racks={"B": 1, "C": 25}),
        GameResult(winner="B", racks={"A": 90, "C": 90}),
    ]
    score = score_match("ABC", games, LEAGUE, never)
    assert score.totals == {"A": 76 + 76 - 20, "B": 4 + 4 + 230, "C": -25 - 25 - 20}
    assert score.games_won == {"A": 2, "B": 1, "C": 0}
    assert score.ranks == {"A": 2, "B": 1, "C": 3}


def test_at_an_open_table_everybody_counts_the_own_rack_and_the_lowest_total_wins() -> None:
    games = [
        GameResult(winner="A", racks={"B": 12, "C": 40}),
        GameResult(winner=None, racks={"A": 60, "B": 7, "C": 8}),
    ]
    score = score_match("ABC", games, OPEN_TABLE, never)
    assert score.games == ({"A": 0, "B": 12, "C": 40}, {"A": 60, "B": 7, "C": 8})
    assert score.ranks == {"A": 3, "B": 1, "C": 2}
    assert score.ranking == ("B", "C", "A")


def test_the_olympiad_charges_who_has_not_opened() -> None:
    game = GameResult(winner="A", racks={"B": 20}, unopened=frozenset("B"))
    assert score_game("AB", game, PAIR, never) == {"A": 100, "B": -100}
    assert score_game("AB", game, PAIR, lambda _: True) == {"A": 100, "B": -100}, "a value: `could_open` says it"


def test_only_the_total_ranks_a_club() -> None:
    rules = agreed_rules("original", "club")
    assert rules.standing is Standing.HIGHEST_TOTAL
    games = [GameResult(winner="A", racks={"B": 5}), GameResult(winner="B", racks={"A": 5})]
    assert score_match("AB", games, rules, never).ranks == {"A": 1, "B": 1}
