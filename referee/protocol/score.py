"""The score table as in the booklet's sample: one row per game, sums, checks, big points, ranking."""

from msgspec import structs

from referee.game.endgame.games import ranks
from referee.game.endgame.racks import open_games
from referee.game.endgame.score_sheet import format_sheet
from referee.game.setup import Result
from referee.game.state import Match, Phase
from referee.protocol import schema
from referee.protocol.answers import Score, ScoredGame
from referee.protocol.shown_values import notation
from referee.rules.choices import BlockedScoring, Scoring
from referee.rules.editions import RuleSet
from referee.rules.scoring import players_by_rank


def game_result(match: Match, number: int, result: Result) -> schema.GameResult:
    """Return one finished game; its scores are null until the racks are known."""
    scores = None if result.scores is None else dict(result.scores)
    listed = None if scores is None else [scores.get(seat) for seat in match.setup.seats]
    return schema.GameResult(
        game=number,
        winners=list(result.winners),
        blocked=result.blocked,
        on_time=result.on_time,
        scores=listed,
        unopened=list(result.unopened),
    )


def game_results(match: Match) -> list[schema.GameResult]:
    """Return every finished game, first game first."""
    return [game_result(match, number, result) for number, result in enumerate(match.results, start=1)]


def games_won(match: Match) -> list[int]:
    """Return the number of games won by each seat: its big points."""
    return [sum(seat in result.winners for result in match.results) for seat in match.setup.seats]


def seats_without_racks(match: Match) -> list[int] | None:
    """Return the seats whose racks are needed to score the last game; None if it is scored."""
    if not match.results or match.results[-1].scores is not None:
        return None
    if match.phase not in {Phase.GAME_OVER, Phase.CLEARING, Phase.MATCH_OVER}:
        return None
    return list(match.results[-1].owners)


def open_racks(match: Match) -> list[schema.OpenRacks]:
    """Return the earlier games that still wait for racks: whose, and those that were shown."""
    listed: list[schema.OpenRacks] = []
    for game in open_games(match):
        result = match.results[game - 1]
        shown = [schema.KnownRack(seat=seat, tiles=notation(tiles)) for seat, tiles in result.shown]
        listed.append(schema.OpenRacks(game=game, missing=list(result.missing_racks), shown=shown))
    return listed


def score_table(match: Match) -> Score:
    """Return the score table with the booklets' checks."""
    games = []
    for number, result in enumerate(match.results, start=1):
        points = [] if result.scores is None else [point for _, point in result.scores]
        check = _adds_up(result, match.rules)
        row = structs.asdict(game_result(match, number, result))
        games.append(ScoredGame(**row, sum=sum(points), check=check))
    totals = [match.total(seat) for seat in match.setup.seats]
    places = ranks(match)
    order = players_by_rank(places)
    return Score(
        players=list(match.setup.names),
        games=games,
        totals=totals,
        totals_check=sum(totals) == sum(game.sum for game in games) and all(game.check for game in games),
        games_won=games_won(match),
        big_points=True,
        ranking=[*order],
        ranks=[places[seat] for seat in match.setup.seats],
    )


def _adds_up(result: Result, rules: RuleSet) -> bool:
    """Return whether a row sums to 0, apart from a remainder that joint winners cannot share and racks they pay."""
    if result.scores is None or not _is_zero_sum(rules):
        return True
    points = dict(result.scores)
    lacking = -sum(points.values())
    if not result.blocked:
        return lacking == 0
    lost = [-point for seat, point in points.items() if seat not in result.winners]
    paid = min(lost, default=lacking) if rules.blocked_scoring is BlockedScoring.OWN_RACK else 0
    return 0 <= lacking < (len(points) - len(lost)) * (paid + 1)


def _is_zero_sum(rules: RuleSet) -> bool:
    """Return whether these rules give scores that sum to 0."""
    bonus = rules.winner_points or rules.second_points
    return rules.scoring is Scoring.WINNER_TAKES and not bonus and rules.loss_cap is None


def score_csv(match: Match) -> str:
    """Return the score table as CSV, with games won and ranks."""
    table = score_table(match)
    none = [None] * len(table.players)
    return format_sheet(
        table.players,
        [(game.game, game.scores or none) for game in table.games],
        [("games won", table.games_won), ("rank", table.ranks)],
    )
