import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, Rack, rack_value, score_game, score_match, winners_of_game
from referee.rules.tiles import Tile

ORIGINAL, POLISH, EXPERT = rule_set("original"), rule_set("3in1-standard"), rule_set("3in1-expert")


def never(_: tuple[Tile, ...]) -> bool:
    return False


def blocked(**racks: Rack) -> GameResult:
    return GameResult(winner=None, racks=racks)


@pytest.mark.parametrize(
    ("rack", "edition", "value"),
    [
        ("", "original", 0),
        ("R1 K13", "original", 14),
        ("R5 J", "original", 35),
        ("JM JD JC J", "twist", 120),
        ("J R2", "3in1-standard", 52),
        ("JK JR R2", "3in1-expert", 42),
    ],
)
def test_rack_value(rack: str, edition: str, value: int) -> None:
    assert rack_value(parse_tiles(rack), rule_set(edition)) == value


def test_a_rack_may_be_its_value() -> None:
    assert rack_value(17, ORIGINAL) == 17


def test_the_winner_gets_what_the_others_lose() -> None:
    game = GameResult(winner="B", racks={"A": parse_tiles("R5 J"), "C": 7})
    assert score_game("ABC", game, ORIGINAL, never) == {"A": -35, "B": 42, "C": -7}
    assert score_game("ABC", game, POLISH, never) == {"A": -55, "B": 62, "C": -7}


def test_the_unopened_lose_their_rack_where_no_penalty_is_printed() -> None:
    game = GameResult(winner="B", racks={"A": 90}, unopened=frozenset("A"), could_open=frozenset("A"))
    assert score_game("AB", game, ORIGINAL, never) == {"A": -90, "B": 90}
    assert score_game("AB", game, POLISH, never) == {"A": -200, "B": 200}


def test_the_tiles_decide_whether_a_rack_held_an_opening() -> None:
    """`could_open` is asked only where the tiles are not known."""
    asked: list[tuple[Tile, ...]] = []

    def holds_meld(rack: tuple[Tile, ...]) -> bool:
        asked.append(rack)
        return False

    rack = parse_tiles("R5 K1")
    game = GameResult(winner="B", racks={"A": rack}, unopened=frozenset("A"), could_open=frozenset("A"))
    assert score_game("AB", game, POLISH, holds_meld) == {"A": -100, "B": 100}
    assert asked == [rack]


def test_the_penalty_of_the_unopened_does_not_count_in_a_blocked_game() -> None:
    game = GameResult(winner=None, racks={"A": 4, "B": 60}, unopened=frozenset("B"))
    assert score_game("AB", game, POLISH, never) == {"A": 56, "B": -60}


@pytest.mark.parametrize(
    ("game", "original", "polish"),
    [
        pytest.param(blocked(A=5, B=9), (4, -4), (4, -9), id="two players"),
        pytest.param(blocked(A=5, B=5), (0, 0), (-5, -5), id="both are lowest"),
        pytest.param(blocked(A=5, B=5, C=9), (2, 2, -4), (-1, -1, -9), id="joint winners share"),
        pytest.param(blocked(A=5, B=10, C=5), (2, -5, 2), (0, -10, 0), id="what does not divide goes to nobody"),
        pytest.param(blocked(A=3, B=3, C=3, D=5), (0, 0, 0, -2), (-2, -2, -2, -5), id="three joint winners"),
    ],
)
def test_blocked_games(game: GameResult, original: tuple[int, ...], polish: tuple[int, ...]) -> None:
    players = tuple(game.racks)
    assert tuple(score_game(players, game, ORIGINAL, never).values()) == original
    assert tuple(score_game(players, game, POLISH, never).values()) == polish


def test_a_blocked_game_counts_the_jokers_of_its_edition() -> None:
    """A joker is 50 in the Polish game, so B's 45 is lower; elsewhere it is 30, and A's rack is."""
    racks: dict[str, Rack] = {"A": parse_tiles("J"), "B": 45}
    game = GameResult(winner=None, racks=racks)
    assert score_match("AB", [game], ORIGINAL, never).games_won == {"A": 1, "B": 0}
    assert score_match("AB", [game], POLISH, never).games_won == {"A": 0, "B": 1}
    assert score_game("AB", game, ORIGINAL, never) == {"A": 15, "B": -15}
    assert score_game("AB", game, POLISH, never) == {"A": -50, "B": 5}


def test_joint_winners_have_each_won_a_game() -> None:
    game = blocked(A=5, B=9, C=5)
    assert winners_of_game(game, ORIGINAL) == ("A", "C")
    score = score_match("ABC", [game], ORIGINAL, never)
    assert score.games_won == {"A": 1, "B": 0, "C": 1}
    assert score.ranking == ("A", "C", "B")


def test_ranking_is_by_games_then_points_and_who_is_level_shares_a_rank() -> None:
    games = [
        GameResult(winner="D", racks={"A": 1, "B": 1, "C": 90}),
        GameResult(winner="C", racks={"A": 2, "B": 2, "D": 1}),
    ]
    score = score_match("ABCD", games, ORIGINAL, never)
    assert score.totals == {"A": -3, "B": -3, "C": -85, "D": 91}
    assert score.ranking == ("D", "C", "A", "B")
    assert score.ranks == {"A": 3, "B": 3, "C": 2, "D": 1}


def test_joint_winners_of_the_only_game_share_the_first_place_whatever_their_seats() -> None:
    """B loses 5, which two cannot share: the odd point must not put the first of them ahead."""
    score = score_match("ABCD", [blocked(A=5, B=10, C=5, D=20)], ORIGINAL, never)
    assert score.totals == {"A": 10, "B": -5, "C": 10, "D": -15}
    assert score_match("ABC", [blocked(A=5, B=10, C=5)], ORIGINAL, never).ranks == {"A": 1, "B": 3, "C": 1}


def test_no_game_yet() -> None:
    score = score_match("AB", [], EXPERT, never)
    assert (score.games, score.totals, score.ranking) == ((), {"A": 0, "B": 0}, ("A", "B"))


def test_a_winner_has_no_rack() -> None:
    with pytest.raises(ValueError, match="every player but the winner"):
        GameResult(winner="A", racks={"A": 4, "B": 3})
    with pytest.raises(ValueError, match="every player but the winner"):
        GameResult(winner="A", racks={})
