"""Scoring: each player's score of a game, the totals of a match, and the ranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from referee.rules.choices import BlockedScoring, Scoring, Standing
from referee.rules.editions import RuleSet
from referee.rules.tiles import NumberTile, Tile

Rack = tuple[Tile, ...] | int
"""The tiles left on a rack, or their value where only that is known."""
HoldsMeld = Callable[[tuple[Tile, ...]], bool]
"""Tells whether a rack holds an initial meld; a search, so it is handed in."""
_Player = TypeVar("_Player")


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """The weight of each amount in a player's score."""

    rack: int = 0
    """What the own rack costs."""
    lowest: int = 0
    """The lowest rack of a blocked game."""
    gain: int = 0
    """What the losers lose, shared evenly among joint winners; what does not divide goes to nobody."""
    winner_points: int = 0
    second_points: int = 0
    """Counted for the second place alone."""


@dataclass(frozen=True, slots=True)
class OutcomeWeights:
    """The weights of winners (including those who share the lowest rack) and of losers."""

    winner: ScoreWeights
    loser: ScoreWeights


_LOSE_RACK: Final = ScoreWeights(rack=-1, second_points=1)
_TAKE_GAIN: Final = ScoreWeights(gain=1, winner_points=1)
_COUNT_RACK: Final = OutcomeWeights(ScoreWeights(rack=1), ScoreWeights(rack=1))
SCORE_WEIGHTS: Final[Mapping[tuple[Scoring, BlockedScoring | None], OutcomeWeights]] = MappingProxyType(
    {
        (Scoring.WINNER_TAKES, None): OutcomeWeights(_TAKE_GAIN, _LOSE_RACK),
        (Scoring.WINNER_TAKES, BlockedScoring.DIFFERENCE): OutcomeWeights(
            _TAKE_GAIN, ScoreWeights(rack=-1, lowest=1, second_points=1)
        ),
        (Scoring.WINNER_TAKES, BlockedScoring.OWN_RACK): OutcomeWeights(
            ScoreWeights(gain=1, lowest=-1, winner_points=1), _LOSE_RACK
        ),
        (Scoring.RACKS, None): _COUNT_RACK,
        (Scoring.RACKS, BlockedScoring.DIFFERENCE): _COUNT_RACK,
        (Scoring.RACKS, BlockedScoring.OWN_RACK): _COUNT_RACK,
    }
)
"""By what a game is scored and, of a blocked one, by what its losers lose."""
_SECOND_RANK: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """How a game ended."""

    winner: str | None
    """Who emptied the rack; None if nobody could go on."""
    racks: Mapping[str, Rack]
    """What was left on every rack but the winner's."""
    unopened: frozenset[str] = frozenset()
    could_open: frozenset[str] = frozenset()
    """Of the unopened, those who held an initial meld; asked only where the rack is a value."""
    announced: frozenset[str] = frozenset()
    """Of the unopened, those who drew the missing tile last and announced their opening."""

    def __post_init__(self) -> None:
        """Raise ValueError unless the racks are those of every player but the winner."""
        if not self.racks or self.winner in self.racks:
            raise ValueError("racks are those of every player but the winner")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchScore:
    """The scores of a match."""

    games: tuple[Mapping[str, int], ...]
    """For each game what every player scored."""
    totals: Mapping[str, int]
    games_won: Mapping[str, int]
    ranks: Mapping[str, int]
    """Each player's place, from 1, by the `standing_key` of the rules; who is level shares it: 1, 2, 2, 4."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The players, best rank first."""
        return players_by_rank(self.ranks)


def rack_value(rack: Rack, rules: RuleSet) -> int:
    """Return the value of a rack: its numbers plus the penalty for each joker."""
    if isinstance(rack, int):
        return rack
    return sum(tile.number if isinstance(tile, NumberTile) else rules.joker_penalty for tile in rack)


def score_match(
    players: Sequence[str], games: Sequence[GameResult], rules: RuleSet, holds_meld: HoldsMeld
) -> MatchScore:
    """Return the score of every game, the totals and the ranks."""
    scores = tuple(score_game(players, game, rules, holds_meld) for game in games)
    totals = {player: sum(score[player] for score in scores) for player in players}
    winners = [winner for game in games for winner in winners_of_game(game, rules)]
    games_won = {player: winners.count(player) for player in players}
    ranks = rank_players({player: standing_key(games_won[player], totals[player], rules) for player in players})
    return MatchScore(games=scores, totals=totals, games_won=games_won, ranks=ranks)


def standing_key(games_won: int, total: int, rules: RuleSet) -> tuple[int, ...]:
    """Return a player's sort key; the highest ranks first."""
    match rules.standing:
        case Standing.GAMES_WON:
            return games_won, total
        case Standing.HIGHEST_TOTAL:
            return (total,)
        case Standing.LOWEST_TOTAL:
            return (-total,)


def rank_players(standings: Mapping[_Player, tuple[int, ...]]) -> dict[_Player, int]:
    """Return each player's rank, from 1, highest standing first; level players share a rank: 1, 2, 2, 4."""
    falling = sorted(standings.values(), reverse=True)
    return {player: falling.index(standing_key) + 1 for player, standing_key in standings.items()}


def players_by_rank(ranks: Mapping[_Player, int]) -> tuple[_Player, ...]:
    """Return the players in the order of their ranks."""
    return tuple(sorted(ranks, key=lambda player: ranks[player]))


def score_game(players: Sequence[str], game: GameResult, rules: RuleSet, holds_meld: HoldsMeld) -> Mapping[str, int]:
    """Return every player's score of a game, by the `SCORE_WEIGHTS` of the rules."""
    blocked = game.winner is None
    winners = winners_of_game(game, rules)
    costs = {player: _cost(player, game, rules, holds_meld) for player in players}
    ranks = rank_players({player: (player in winners, -cost) for player, cost in costs.items()})
    terms = SCORE_WEIGHTS[rules.scoring, rules.blocked_scoring if blocked else None]
    lowest = min(costs.values()) if blocked else 0
    lost = -sum(terms.loser.rack * costs[p] + terms.loser.lowest * lowest for p in players if p not in winners)
    amounts = _Amounts(lowest, lost // len(winners), rules)
    return {
        player: amounts.score(terms.winner if player in winners else terms.loser, cost, ranks[player])
        for player, cost in costs.items()
    }


@dataclass(frozen=True, slots=True)
class _Amounts:
    """The amounts of one game that weights apply to."""

    lowest: int
    gain: int
    rules: RuleSet

    def score(self, terms: ScoreWeights, cost: int, rank: int) -> int:
        """Return the score of a player with this rack cost and rank in the game."""
        cap = self.rules.loss_cap
        rack = terms.rack * cost + terms.lowest * self.lowest
        if cap is not None:
            rack = max(-cap, min(cap, rack))
        points = terms.winner_points * self.rules.winner_points
        points += terms.second_points * self.rules.second_points if rank == _SECOND_RANK else 0
        return rack + terms.gain * self.gain + points


def winners_of_game(game: GameResult, rules: RuleSet) -> tuple[str, ...]:
    """Return a game's winners: the player who emptied the rack, or all with the lowest rack of a blocked game."""
    if game.winner is not None:
        return (game.winner,)
    values = {player: rack_value(rack, rules) for player, rack in game.racks.items()}
    return tuple(player for player, value in values.items() if value == min(values.values()))


def _cost(player: str, game: GameResult, rules: RuleSet, holds_meld: HoldsMeld) -> int:
    """Return a rack's cost: its value, or the unopened player's penalty if another player emptied the rack."""
    if player == game.winner:
        return 0
    rack = game.racks[player]
    if game.winner is None or player not in game.unopened:
        return rack_value(rack, rules)
    if rules.unopened_penalty is None or rules.could_open_penalty is None:
        return rack_value(rack, rules)
    if player in game.announced:
        return rules.unopened_penalty
    could_open = player in game.could_open if isinstance(rack, int) else holds_meld(rack)
    return rules.could_open_penalty if could_open else rules.unopened_penalty
