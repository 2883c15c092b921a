"""A tournament's standings: the result of every board, and the ranks with their tie-breaks.

Two players: a win counts 1, a draw a half, and a bye as a win. More: as the format ranks a match, added up. Penalties
are taken from what the player scored at that board, or added where the lowest total wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from referee.hall.ledger import Ledger, MatchResult
from referee.hall.tournament import Board, Round, Tournament, name_key
from referee.rules.choices import Standing
from referee.rules.scoring import rank_players, standing_key
from referee.rules.wording import Message, say

WIN, DRAW = 1.0, 0.5
_DUEL_RANKING_RULE: Final = say(
    "hall.order.duel",
    "wins (a draw is half, a bye is one), the sum of the opponents' wins, the total; level players share",
)
_RANKING_RULES: Final[Mapping[Standing, Message]] = {
    Standing.GAMES_WON: say("hall.order.games_won", "games won, the highest total; level players share the place"),
    Standing.HIGHEST_TOTAL: say(
        "hall.order.highest_total", "the highest total, games won; level players share the place"
    ),
    Standing.LOWEST_TOTAL: say("hall.order.lowest_total", "the lowest total, games won; level players share the place"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOutcome:
    """The result of one board that counts, by seat."""

    scores: tuple[int, ...]
    """After penalties."""
    before_penalties: tuple[int, ...]
    """Before them."""
    games_won: tuple[int, ...]
    ranks: tuple[int, ...]
    reported: tuple[int, ...] | None
    """The table's report; None if no table reported this match."""
    by_hand: str
    """The role that entered or corrected it; "" if it is as reported."""
    penalties: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsLine:
    """One player's line of the standings."""

    rank: int
    player: int
    points: float
    """Wins of two-player matches; 0 at larger tables."""
    opponents: float
    """The sum of the opponents' wins."""
    games_won: int
    """Games."""
    total: int
    played: int


def tie_breaks(tournament: Tournament) -> Message:
    """Return the ranking criteria as a message, most important first."""
    return _DUEL_RANKING_RULE if tournament.seats == 2 else _RANKING_RULES[tournament.rules.standing]


def outcome_of(tournament: Tournament, number: int, at: int, ledger: Ledger) -> BoardOutcome | None:
    """Return the result of a board of a round, both counted from 0; None if it has none."""
    round_, rules = tournament.rounds[number], tournament.rules
    board = round_.boards[at]
    result = ledger.result(board.match) if board.match else None
    places, reported, games = _reported(tournament, board, result)
    is_by_hand = bool(board.entered) and not (result is not None and result.corrections)
    if result is not None and result.corrections:
        last = result.corrections[-1]
        scores, by = tuple(last.scores[place] for place in places), last.by
        games = tuple(last.won[place] for place in places) if last.won else games
    elif is_by_hand:
        entered = board.entered[-1]
        scores, by = tuple(entered["scores"]), str(entered["by"])
        games = tuple(entered["won"]) if entered.get("won") else games
    elif reported is not None:
        scores, by = reported, ""
    else:
        return None
    penalties = _penalties(tournament, round_, board, ledger)
    sign = 1 if rules.standing is Standing.LOWEST_TOTAL else -1
    held, scores = scores, tuple(score + sign * points for score, points in zip(scores, penalties, strict=True))
    ranks = rank_players({seat: standing_key(games[seat], scores[seat], rules) for seat in range(len(scores))})
    if is_by_hand and (absent := board.entered[-1].get("forfeit")) is not None:
        ranks = {seat: 1 + (seat == absent) for seat in range(len(scores))}
    return BoardOutcome(
        scores=scores,
        before_penalties=held,
        games_won=games,
        ranks=tuple(ranks[seat] for seat in range(len(scores))),
        reported=reported,
        by_hand=by,
        penalties=penalties,
    )


def _reported(
    tournament: Tournament, board: Board, result: MatchResult | None
) -> tuple[tuple[int, ...], tuple[int, ...] | None, tuple[int, ...]]:
    """Return each player's seat at the table, the reported totals, and the games won, in the board's order."""
    if result is None:
        return (), None, (0,) * len(board.seats)
    places, players = seats_at_table(tournament, board, result), result.told.players
    won = tuple(players[place].games_won or 0 for place in places)
    return places, tuple(players[place].total for place in places), won


def seats_at_table(tournament: Tournament, board: Board, result: MatchResult) -> tuple[int, ...]:
    """Return the seat that each player of the board has in the result."""
    names = [name_key(name) for name in tournament.names(board)]
    reports = (result.told, *result.earlier)  # a player may have been renamed since; the seats stay
    seats = ({name_key(player.name): seat for seat, player in enumerate(report.players)} for report in reports)
    seated = next(found for found in seats if found.keys() >= set(names))
    return tuple(seated[name] for name in names)


def _penalties(tournament: Tournament, round_: Round, board: Board, ledger: Ledger) -> tuple[int, ...]:
    held = [ledger.penalties[number - 1] for number in round_.penalties]
    points = {name_key(name): 0 for name in tournament.names(board)}
    for standing in held:
        if not standing["withdrawn"] and name_key(standing["player"]) in points:
            points[name_key(standing["player"])] += standing["points"]
    return tuple(points.values())


def boards_without_result(tournament: Tournament, number: int, ledger: Ledger) -> tuple[int, ...]:
    """Return the boards of a round without a result, both counted from 0."""
    boards = range(len(tournament.rounds[number].boards))
    return tuple(at for at in boards if outcome_of(tournament, number, at, ledger) is None)


def standings(tournament: Tournament, ledger: Ledger, rounds: int | None = None) -> tuple[StandingsLine, ...]:
    """Return the standings after `rounds` rounds (None: all); players who left keep the place of their points."""
    tally = TournamentTally(tournament, ledger, len(tournament.rounds) if rounds is None else rounds)
    keys = {player: tally.key(player) for player in range(len(tournament.entrants))}
    ranks = rank_players(keys)
    lines = (
        StandingsLine(
            rank=ranks[player],
            player=player,
            points=tally.points[player],
            opponents=tally.opponents(player),
            games_won=tally.games_won[player],
            total=tally.total[player],
            played=tally.played[player],
        )
        for player in keys
    )
    return tuple(sorted(lines, key=lambda line: (line.rank, line.player)))


class TournamentTally:
    """Points, totals and games of each player after a number of rounds."""

    def __init__(self, tournament: Tournament, ledger: Ledger, rounds: int) -> None:
        """Sum the boards that have a result."""
        players = len(tournament.entrants)
        self._is_duel, self._rules = tournament.seats == 2, tournament.rules
        self.points: list[float] = [0.0] * players
        self.total, self.games_won, self.played = ([0] * players for _ in range(3))
        self._met: list[list[int]] = [[] for _ in range(players)]
        for number, round_ in enumerate(tournament.rounds[:rounds]):
            for player in round_.byes:
                self.points[player] += WIN
            for player in round_.half_byes:
                self.points[player] += DRAW
            for at, board in enumerate(round_.boards):
                outcome = outcome_of(tournament, number, at, ledger)
                if outcome is not None:
                    self._add(board.seats, outcome)

    def _add(self, seats: Sequence[int], outcome: BoardOutcome) -> None:
        for seat, player in enumerate(seats):
            self.total[player] += outcome.scores[seat]
            self.games_won[player] += outcome.games_won[seat]
            self.played[player] += 1
            if self._is_duel:
                self._met[player].append(seats[1 - seat])
                is_draw = outcome.ranks[0] == outcome.ranks[1]
                self.points[player] += DRAW if is_draw else WIN * (outcome.ranks[seat] == 1)

    def opponents(self, player: int) -> float:
        """Return the sum of the opponents' points; a bye adds none."""
        return sum(self.points[other] for other in self._met[player])

    def key(self, player: int) -> tuple[int, ...]:
        """Return a player's sort key; the highest ranks first."""
        if self._is_duel:
            halves = (round(2 * self.points[player]), round(2 * self.opponents(player)))
            return *halves, self.total[player]
        return (*standing_key(self.games_won[player], self.total[player], self._rules), self.games_won[player])
