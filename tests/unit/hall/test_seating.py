"""Who meets whom: nobody twice while that can be, then those of like standing."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from referee.errors import ConfigError
from referee.hall.seating import Seating, seat_next, table_sizes
from referee.hall.standings import standings

Groups = tuple[tuple[int, ...], ...]


def play_round(one: Any, rng: Random) -> Seating:
    seating = seat_next(one.tournament, one.ledger)
    names = [entrant.name for entrant in one.tournament.entrants]
    boards = [" ".join(names[player] for player in board) for board in seating.boards]
    one.seat(*boards, byes=" ".join(names[player] for player in seating.byes))
    for board in boards:
        totals = rng.sample(range(-60, 60), len(board.split()))
        one.tell(board, totals)
    assert sorted([*sum(seating.boards, ()), *seating.byes]) == sorted(one.tournament.present)
    return seating


def meetings(one: Any) -> Counter[frozenset[int]]:
    boards = (board.seats for round_ in one.tournament.rounds for board in round_.boards)
    return Counter(frozenset(pair) for board in boards for pair in combinations(board, 2))


@pytest.mark.parametrize("players", [8, 9])
def test_two_players_never_meet_twice_and_nobody_has_two_byes(play: Any, players: int) -> None:
    pytest.importorskip("caissify_pairings", reason="needs caissify-pairings: pip install caissify-pairings")
    one, rng = play(" ".join(f"P{number}" for number in range(players)), rounds=5), Random(1)
    byes = [player for _ in range(5) for player in play_round(one, rng).byes]
    assert max(meetings(one).values()) == 1
    assert len(byes) == len(set(byes)) == 5 * (players % 2)


def test_the_first_round_of_two_pairs_the_upper_with_the_lower_half(play: Any) -> None:
    pytest.importorskip("caissify_pairings", reason="needs caissify-pairings: pip install caissify-pairings")
    one = play("P0 P1 P2 P3", ratings=(1600, 1900, 1700, 1800))
    boards = {frozenset(board) for board in seat_next(one.tournament, one.ledger).boards}
    assert boards == {frozenset({1, 2}), frozenset({3, 0})}


def test_where_two_must_meet_again_it_is_said(play: Any) -> None:
    pytest.importorskip("caissify_pairings", reason="needs caissify-pairings: pip install caissify-pairings")
    one, rng = play("A B C D"), Random(2)
    for _ in range(3):
        play_round(one, rng)
    with pytest.raises(ConfigError, match="round 4 has no pairing without a repeat"):
        seat_next(one.tournament, one.ledger)


@pytest.mark.parametrize(
    ("players", "seats", "sizes"), [(14, 4, (4, 4, 3, 3)), (9, 4, (3, 3, 3)), (5, 4, (3, 2)), (32, 4, (4,) * 8)]
)
def test_tables_are_filled_as_evenly_as_can_be(players: int, seats: int, sizes: tuple[int, ...]) -> None:
    assert table_sizes(players, seats, 2) == sizes


def test_players_who_fill_no_tables_are_told_so() -> None:
    with pytest.raises(ConfigError, match="5 players do not fill tables of 3 to 4"):
        table_sizes(5, 4, 3)


def test_the_first_round_of_tables_spreads_the_strong(play: Any) -> None:
    one = play(" ".join(f"P{number}" for number in range(8)), seats=4)
    assert seat_next(one.tournament, one.ledger).boards == ((0, 3, 4, 7), (1, 2, 5, 6))


def partitions(players: tuple[int, ...], size: int) -> Iterator[Groups]:
    """Every way to seat the players at tables of one size."""
    if not players:
        yield ()
        return
    first, *others = players
    for rest in combinations(others, size - 1):
        table = (first, *rest)
        for more in partitions(tuple(player for player in others if player not in rest), size):
            yield (table, *more)


@pytest.mark.parametrize("seed", range(2))
def test_tables_repeat_the_fewest_meetings_of_all_seatings_then_seat_neighbours(play: Any, seed: int) -> None:
    one, rng = play(" ".join(f"P{number}" for number in range(9)), seats=3, rounds=5), Random(seed)
    for _ in range(5):
        if one.tournament.rounds:
            met, order = meetings(one), [line.player for line in standings(one.tournament, one.ledger)]
            every = [
                (sum(met[frozenset(pair)] for table in way for pair in combinations(table, 2)), spread(way, order))
                for way in partitions(tuple(range(9)), 3)
            ]
            boards = seat_next(one.tournament, one.ledger).boards
            repeated = sum(met[frozenset(pair)] for table in boards for pair in combinations(table, 2))
            assert (repeated, spread(boards, order)) == min(every)
        play_round(one, rng)


def spread(way: Groups, order: list[int]) -> float:
    """The squared distances from the middles of the stretches of places, tables in their best order."""
    places = sorted((sorted(order.index(player) for player in table) for table in way), key=sum)
    return sum((place - (3 * at + 1)) ** 2 for at, table in enumerate(places) for place in table)


def test_those_who_left_are_seated_no_more(play: Any) -> None:
    one, rng = play(" ".join(f"P{number}" for number in range(8)), seats=4, rounds=3), Random(4)
    play_round(one, rng)
    one.say("leaver", player="P3")
    assert sorted(len(board) for board in play_round(one, rng).boards) == [3, 4]
