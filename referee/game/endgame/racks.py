"""The racks at the end of a game: the scores they give, and who won a blocked one."""

from dataclasses import replace

from referee.game.endgame.games import match_over
from referee.game.events import GameScored, TurnEvent
from referee.game.inputs import RacksTold, Seat
from referee.game.setup import Result
from referee.game.state import Match, Phase, Step, forget_judged
from referee.rules.scoring import GameResult, rack_value, score_game, winners_of_game


def owners(result: Result) -> tuple[Seat, ...]:
    """Return the seats whose racks score a finished game: all who were there at its end, except the winner's."""
    return tuple(seat for seat in result.present if result.blocked or seat not in result.winners)


def score_racks(match: Match, entered: RacksTold) -> Step:
    """Score a finished game by its racks; ignore racks that do not fit its players.

    Racks may be entered again: the last entry counts.
    """
    game = len(match.results) if entered.game is None else entered.game
    if not 1 <= game <= len(match.results):
        return match, ()
    result = match.results[game - 1]
    racks = {seat: rack_value(rack, match.rules) for seat, rack in entered.racks}
    if set(racks) != set(owners(result)) or len(racks) != len(entered.racks):
        return match, ()
    return _score(match, game, result, racks, entered)


def _score(match: Match, game: int, result: Result, racks: dict[Seat, int], entered: RacksTold) -> Step:
    names = match.setup.names

    def named(seats: tuple[Seat, ...]) -> frozenset[str]:
        return frozenset(names[seat] for seat in seats)

    ended = GameResult(
        winner=None if result.blocked else names[result.winners[0]],
        racks={names[seat]: value for seat, value in racks.items()},
        unopened=named(result.unopened),
        could_open=named(entered.could_open),
        announced=named(entered.announced),
    )
    players = [names[seat] for seat in result.present]
    scores = score_game(players, ended, match.rules, lambda _: False)  # racks are values here, `could_open` decides
    winners = tuple(Seat(names.index(name)) for name in winners_of_game(ended, match.rules))
    scored = replace(result, winners=winners, scores=tuple((Seat(names.index(n)), s) for n, s in scores.items()))
    results = (*match.results[: game - 1], scored, *match.results[game:])
    after = replace(forget_judged(match) if game == match.game else match, results=results)
    totals = {names[seat]: after.total(seat) for seat in match.setup.seats}
    events: tuple[TurnEvent, ...] = (
        replace(GameScored(**after.event_header, scores=scores, totals=totals), game=game),
    )
    if match.phase is Phase.MATCH_OVER:
        events += (match_over(after),)
    return after, events
