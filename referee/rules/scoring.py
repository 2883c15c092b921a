"""Scoring: what a game gives each player, the totals of a match, and the ranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from referee.rules.editions import BlockedScoring, RuleSet
from referee.rules.tiles import NumberTile, Tile

Rack = tuple[Tile, ...] | int
"""The tiles left on a rack, or their value where only that is known."""
HoldsMeld = Callable[[tuple[Tile, ...]], bool]
"""Tells whether a rack holds an initial meld; a search, so it is handed in."""
_Player = TypeVar("_Player")


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
        """Refuse a winner with tiles left and a game without losers."""
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
    """Each player's place by games won, then by total, from 1; players level in both share it: 1, 2, 2, 4."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The players in the order of their ranks."""
        return by_rank(self.ranks)


def rack_value(rack: Rack, rules: RuleSet) -> int:
    """Return what a rack counts against its owner: its numbers, and the penalty for each joker."""
    if isinstance(rack, int):
        return rack
    return sum(tile.number if isinstance(tile, NumberTile) else rules.joker_penalty for tile in rack)


def score_match(
    players: Sequence[str], games: Sequence[GameResult], rules: RuleSet, holds_meld: HoldsMeld
) -> MatchScore:
    """Score every game, add up, and rank the players."""
    scores = tuple(score_game(players, game, rules, holds_meld) for game in games)
    totals = {player: sum(score[player] for score in scores) for player in players}
    winners = [winner for game in games for winner in game_winners(game, rules)]
    games_won = {player: winners.count(player) for player in players}
    ranks = ranks_of({player: (games_won[player], totals[player]) for player in players})
    return MatchScore(games=scores, totals=totals, games_won=games_won, ranks=ranks)


def ranks_of(standings: Mapping[_Player, tuple[int, ...]]) -> dict[_Player, int]:
    """Return each player's place, from 1, the highest standing first; who is level shares a place: 1, 2, 2, 4."""
    falling = sorted(standings.values(), reverse=True)
    return {player: falling.index(standing) + 1 for player, standing in standings.items()}


def by_rank(ranks: Mapping[_Player, int]) -> tuple[_Player, ...]:
    """Return the players in the order of their ranks."""
    return tuple(sorted(ranks, key=lambda player: ranks[player]))


def score_game(players: Sequence[str], game: GameResult, rules: RuleSet, holds_meld: HoldsMeld) -> Mapping[str, int]:
    """Return what every player scores in a game."""
    if game.winner is None:
        return _score_blocked(players, game, rules)
    lost = {player: _loss(player, game, rules, holds_meld) for player in players if player != game.winner}
    return {player: sum(lost.values()) if player == game.winner else -lost[player] for player in players}


def game_winners(game: GameResult, rules: RuleSet) -> tuple[str, ...]:
    """Return who won a game: who emptied the rack, or all who share the lowest rack of a blocked game."""
    if game.winner is not None:
        return (game.winner,)
    values = {player: rack_value(rack, rules) for player, rack in game.racks.items()}
    return tuple(player for player, value in values.items() if value == min(values.values()))


def _loss(player: str, game: GameResult, rules: RuleSet, holds_meld: HoldsMeld) -> int:
    rack = game.racks[player]
    if player not in game.unopened or rules.unopened_penalty is None or rules.could_open_penalty is None:
        return rack_value(rack, rules)
    if player in game.announced:
        return rules.unopened_penalty
    could_open = player in game.could_open if isinstance(rack, int) else holds_meld(rack)
    return rules.could_open_penalty if could_open else rules.unopened_penalty


def _score_blocked(players: Sequence[str], game: GameResult, rules: RuleSet) -> Mapping[str, int]:
    """Score a game in which nobody could go on.

    Joint winners share what the others lose. Points that do not divide go to nobody, or the order of the players
    would decide between winners.
    """
    values = {player: rack_value(game.racks[player], rules) for player in players}
    winners = [player for player in players if player in game_winners(game, rules)]
    lowest = min(values.values())
    own_rack = rules.blocked_scoring is BlockedScoring.OWN_RACK
    lost = {player: value if own_rack else value - lowest for player, value in values.items() if player not in winners}
    share = sum(lost.values()) // len(winners) - (lowest if own_rack else 0)
    return {player: share if player in winners else -lost[player] for player in players}
