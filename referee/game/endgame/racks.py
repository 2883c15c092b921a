"""The racks at the end of a game: the scores they give, and who won a blocked one."""

from dataclasses import replace

from referee.game.endgame.games import match_over
from referee.game.events import GameScored, RacksMissing, TurnEvent
from referee.game.inputs import RacksTold, Seat
from referee.game.setup import Result
from referee.game.state import Match, Phase, Step, forget_judged
from referee.rules.scoring import GameResult, rack_value, score_game, winners_of_game


def open_games(match: Match) -> tuple[int, ...]:
    """Return the games before the one in play, or of a match that is over, that still wait for racks."""
    over = len(match.results) if match.phase is Phase.MATCH_OVER else match.game - 1
    return tuple(game for game, result in enumerate(match.results[:over], start=1) if result.missing_racks)


def _lose_racks(match: Match, game: int, by: str) -> Step:
    """Wait no longer for the racks of a game: it stays without scores."""
    result = match.results[game - 1]
    if not result.missing_racks:
        return match, ()
    results = (*match.results[: game - 1], replace(result, lost=True), *match.results[game:])
    told = RacksMissing(**match.event_header, of_game=game, owners=result.missing_racks, lost=True, by=by)
    return replace(match, results=results), (told,)


def score_racks(match: Match, entered: RacksTold) -> Step:
    """Score a finished game by its racks; ignore racks that do not fit its players. No rack at all: they are lost.

    Racks may be entered again: the last entry counts.
    """
    game = len(match.results) if entered.game is None else entered.game
    if not 1 <= game <= len(match.results):
        return match, ()
    if not entered.racks:
        return _lose_racks(match, game, entered.by)
    result = match.results[game - 1]
    racks = {seat: rack_value(rack, match.rules) for seat, rack in entered.racks}
    if set(racks) != set(result.owners) or len(racks) != len(entered.racks):
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
