"""Pairings of the next round: Swiss system for two seats, an integer programme for more.

Tables of three and more: fewest repeated meetings, then neighbours in the standings together. Those who sat together
before are groups G; x[p,t] says that player p sits at table t. k of a group at one table meet again k(k-1)/2 times,
which is the sum of (k-1)+, (k-2)+ …: so r[G,t,j] >= sum of x over G - j, and the sum of all r is what is repeated.
Among the seatings with the fewest, the squared distance of each player's place from the middle of the table's own
stretch of places is the least. The first round spreads the strong ones evenly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from highspy import SolutionStatus

from referee.errors import ConfigError, check_installed
from referee.hall.ledger import Ledger
from referee.hall.standings import TournamentTally, standings
from referee.hall.tournament import Tournament
from referee.rules.wording import say
from referee.solver.relaxation import quiet_highs

MAX_SOLVER_SECONDS: Final = 10.0
"""The time limit of each of the two optimisations; the best seating found by then is used."""
_COUNT_TOLERANCE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Seating:
    """The players of each board by seat, strongest board first, and the players with a bye."""

    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()


def seat_next(tournament: Tournament, ledger: Ledger, seconds: float = MAX_SOLVER_SECONDS) -> Seating:
    """Return the seating of the next round; ConfigError if the number of players does not fit the tables."""
    players = tournament.next_players
    least, most = tournament.rules.players
    if not least <= tournament.seats <= most:
        raise ConfigError(
            say(
                "seats.format",
                "{seats} seats at a table do not fit this format; use {least} to {most}",
                seats=tournament.seats,
                least=least,
                most=most,
            )
        )
    if tournament.seats == 2:
        if len(players) < 2:
            raise ConfigError(
                say("round.few", "{players} players are left; a round needs at least two", players=len(players))
            )
        return _swiss(tournament, ledger)
    sizes = table_sizes(len(players), tournament.seats, least)
    if not tournament.rounds and tournament.is_final:
        return Seating(tuple(players[at :: len(sizes)] for at in range(len(sizes))))
    if not tournament.rounds:
        return Seating(_spread(_by_rating(tournament), sizes))
    order = [line.player for line in standings(tournament, ledger) if line.player in players]
    groups = [board.seats for round_ in tournament.rounds for board in round_.boards]
    return Seating(_order_by_starts(tournament, _TableProgramme(order, sizes, groups, seconds).solve()))


def table_sizes(players: int, seats: int, least: int) -> tuple[int, ...]:
    """Return the number of players at each table, as even as possible; ConfigError if a table would have too few."""
    tables = ceil(players / seats)
    if not tables or players // tables < least:
        raise ConfigError(
            say(
                "seats.unfilled",
                "{players} players do not fill tables of {least} to {seats}; add or remove a player",
                players=players,
                least=least,
                seats=seats,
            )
        )
    return tuple(players // tables + (at < players % tables) for at in range(tables))


def _by_rating(tournament: Tournament) -> Sequence[int]:
    return sorted(tournament.next_players, key=lambda player: (-tournament.entrants[player].rating, player))


def _spread(order: Sequence[int], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Deal the players to the tables in serpentine order, so that all tables are equally strong."""
    tables: list[list[int]] = [[] for _ in sizes]
    orders, at = (range(len(sizes)), range(len(sizes) - 1, -1, -1)), 0
    waiting = list(order)
    while waiting:
        for table in orders[at % 2]:
            if waiting and len(tables[table]) < sizes[table]:
                tables[table].append(waiting.pop(0))
        at += 1
    return tuple(map(tuple, tables))


def _order_by_starts(tournament: Tournament, boards: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Order the seats of each board by how often the players have started."""
    began = dict.fromkeys(range(len(tournament.entrants)), 0)
    for round_ in tournament.rounds:
        for board in round_.boards:
            began[board.seats[0]] += 1
    return tuple(tuple(sorted(board, key=lambda player: (began[player], player))) for board in boards)


# Tables of three and more ---------------------------------------------------------------------------------------------


class _TableProgramme:
    """The integer programme of one round."""

    def __init__(
        self, order: Sequence[int], sizes: Sequence[int], groups: Sequence[Sequence[int]], seconds: float
    ) -> None:
        self._order, self._sizes = order, sizes
        self._seconds = seconds
        self._model = quiet_highs()
        self._model.setOptionValue("mip_rel_gap", 0.0)
        tables = range(len(sizes))
        self._sits = [[self._model.addBinary() for _ in tables] for _ in order]
        for row in self._sits:
            self._model.addConstr(sum(row) == 1)
        for table in tables:
            self._model.addConstr(sum(row[table] for row in self._sits) == sizes[table])
        self._repeats = self._repeated(groups)

    def _repeated(self, groups: Sequence[Sequence[int]]) -> list[Any]:
        place = {player: at for at, player in enumerate(self._order)}
        repeats = []
        for group in groups:
            here = [place[player] for player in group if player in place]
            for table, size in enumerate(self._sizes):
                for more in range(1, min(len(here), size)):
                    repeat = self._model.addVariable(lb=0.0)
                    self._model.addConstr(repeat >= sum(self._sits[at][table] for at in here) - more)
                    repeats.append(repeat)
        return repeats

    def solve(self) -> tuple[tuple[int, ...], ...]:
        """Return the players of each table; in the order of the standings if no solution was found in time."""
        table_at = [table for table, size in enumerate(self._sizes) for _ in range(size)]
        if self._repeats:
            table_at = self._minimised(sum(self._repeats)) or table_at
            fewest = round(self._model.getObjectiveValue())
            self._model.addConstr(sum(self._repeats) <= fewest + _COUNT_TOLERANCE)
        far = (self._cost(at, table) * sits for at, row in enumerate(self._sits) for table, sits in enumerate(row))
        table_at = self._minimised(sum(far)) or table_at
        tables = range(len(self._sizes))
        return tuple(
            tuple(self._order[at] for at in range(len(self._order)) if table_at[at] == table) for table in tables
        )

    def _minimised(self, goal: Any) -> list[int]:
        """Return the table of each player, in the order of the standings; empty if no solution was found in time."""
        self._model.setOptionValue("time_limit", self._model.getRunTime() + self._seconds)
        self._model.minimize(goal)
        if self._model.getInfo().primal_solution_status != SolutionStatus.kSolutionStatusFeasible:
            return []
        return [max(range(len(row)), key=lambda table: self._model.variableValue(row[table])) for row in self._sits]

    def _cost(self, at: int, table: int) -> float:
        begin = sum(self._sizes[:table])
        return (at - (begin + (self._sizes[table] - 1) / 2)) ** 2


# Two players ----------------------------------------------------------------------------------------------------------


def _swiss(tournament: Tournament, ledger: Ledger) -> Seating:
    """Pair by FIDE's Dutch system; white sits first."""
    check_installed("pairings need", "wall", caissify_pairings="caissify-pairings")
    from caissify_pairings.engines.dutch import dutch_pairings  # noqa: PLC0415 - of the extra

    seeds = {player: at for at, player in enumerate(_by_rating(tournament), start=1)}
    history = _History(tournament, ledger)
    tally = TournamentTally(tournament, ledger, len(tournament.rounds))
    players = [
        {
            "id": seeds[player],
            "name": tournament.entrants[player].name,
            "score": tally.points[player],
            "rating": 0,
            "starting_number": seeds[player],
            "color_hist": history.colours[player],
            "float_history": history.floats[player],
            "bye_count": history.byes[player],
        }
        for player in seeds
    ]
    met = {(seeds[a], seeds[b]) for a, b in history.met if a in seeds and b in seeds}
    number = len(tournament.rounds) + 1
    pairs = dutch_pairings(players, met, round_number=number, total_rounds=max(tournament.length, number))
    player_of = {seed: player for player, seed in seeds.items()}
    if sum(pair["black_id"] is None for pair in pairs) > len(player_of) % 2:
        raise ConfigError(
            say("round.repeat", "round {round} has no pairing without a repeat; end the tournament here", round=number)
        )
    return Seating(
        tuple(
            (player_of[pair["white_id"]], player_of[pair["black_id"]]) for pair in pairs if pair["black_id"] is not None
        ),
        tuple(player_of[pair["white_id"]] for pair in pairs if pair["black_id"] is None),
    )


class _History:
    """The history that the Dutch system needs: colours, floats, byes and past opponents."""

    def __init__(self, tournament: Tournament, ledger: Ledger) -> None:
        players = range(len(tournament.entrants))
        self.colours: Mapping[int, list[str]] = {player: [] for player in players}
        self.floats: Mapping[int, list[str]] = {player: [] for player in players}
        self.byes = dict.fromkeys(players, 0)
        self.met: set[tuple[int, int]] = set()
        for number, round_ in enumerate(tournament.rounds):
            points = TournamentTally(tournament, ledger, number).points
            for board in round_.boards:
                first, second = board.seats
                self.met.add((first, second))
                for player, other, colour in ((first, second, "white"), (second, first, "black")):
                    self.colours[player].append(colour)
                    self.floats[player].append(_float_direction(points[player], points[other]))
            for player in round_.half_byes:
                self.floats[player].append("down")
            for player in round_.byes:
                self.byes[player] += 1
                self.floats[player].append("down")


def _float_direction(own: float, other: float) -> str:
    if own == other:
        return "none"
    return "down" if own > other else "up"
