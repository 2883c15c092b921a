"""The racks at the end of a game: the scores they give, and who won a blocked one."""

from dataclasses import replace

from referee.game.events import GameScored
from referee.game.inputs import RacksTold, Seat
from referee.game.state import Match, Result, Step
from referee.rules.scoring import GameResult, game_winners, rack_value, score_game


def tell_racks(match: Match, told: RacksTold) -> Step:
    """Score the game just ended; racks that do not fit its players, or come before any game has ended, are ignored."""
    if not match.results:
        return match, ()
    result = match.results[-1]
    racks = {seat: rack_value(rack, match.rules) for seat, rack in told.racks}
    owners = [seat for seat in match.present if result.blocked or seat not in result.winners]
    if sorted(racks) != owners:
        return match, ()
    return _score(match, result, racks, told)


def _score(match: Match, result: Result, racks: dict[Seat, int], told: RacksTold) -> Step:
    names = match.sitting.names

    def named(seats: tuple[Seat, ...]) -> frozenset[str]:
        return frozenset(names[seat] for seat in seats)

    game = GameResult(
        winner=None if result.blocked else names[result.winners[0]],
        racks={names[seat]: value for seat, value in racks.items()},
        unopened=named(result.unopened),
        could_open=named(told.could_open),
        announced=named(told.announced),
    )
    players = [names[seat] for seat in match.present]
    scores = score_game(players, game, match.rules, lambda _: False)  # racks are values here, `could_open` decides
    winners = tuple(Seat(names.index(name)) for name in game_winners(game, match.rules))
    scored = replace(result, winners=winners, scores=tuple((Seat(names.index(n)), s) for n, s in scores.items()))
    after = replace(match, results=(*match.results[:-1], scored))
    totals = {names[seat]: after.total(seat) for seat in match.present}
    return after, (GameScored(**after.here, scores=scores, totals=totals),)
