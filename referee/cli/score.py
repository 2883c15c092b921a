"""`referee score`: score games given as JSON and rank the players."""

import argparse
import json
from collections.abc import Iterator

from referee.cli.streams import standard_input
from referee.errors import ConfigError
from referee.game.endgame.scoring_json import score_from_json, scores_to_json
from referee.rules.editions import EDITIONS
from referee.rules.formats import BOOKLET, FORMATS, agreed_rules
from referee.rules.json_input import MAX_INPUT_BYTES, parse_json
from referee.rules.scoring import MatchScore
from referee.rules.wording import listed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--edition", metavar="ID", required=True, help=f"the rules to score by: {', '.join(EDITIONS)}")
    parser.add_argument(
        "--format", metavar="ID", default=BOOKLET, help=f"format, in addition to the edition: {', '.join(FORMATS)}"
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.epilog = (
        'The match is read from standard input as JSON: {"players": ["A", "B"], '
        '"games": [{"winner": "A", "racks": {"B": "R5 J"}}]}. docs/commands.md tells the rest.'
    )


def run(arguments: argparse.Namespace) -> int:
    """Score the games from standard input."""
    rules = agreed_rules(arguments.edition, arguments.format)
    text = standard_input("a match as JSON").read(MAX_INPUT_BYTES + 1)
    if len(text) > MAX_INPUT_BYTES:
        raise ConfigError(f"standard input has more than {MAX_INPUT_BYTES} bytes; give one match")
    players, score = score_from_json(parse_json(text), rules)
    print(json.dumps(scores_to_json(score)) if arguments.json else "\n".join(_score_table(players, score)))
    return 0


def _score_table(players: tuple[str, ...], score: MatchScore) -> Iterator[str]:
    rows = [
        (f"Game {place}", [f"{game[player]:+d}" for player in players]) for place, game in enumerate(score.games, 1)
    ]
    rows.append(("Total", [f"{score.totals[player]:+d}" for player in players]))
    rows.append(("Games won", [str(score.games_won[player]) for player in players]))
    widths = [max(len(player), 5) for player in players]
    for name, figures in [("", list(players)), *rows]:
        yield f"{name:10}" + "".join(f"  {figure:>{width}}" for figure, width in zip(figures, widths, strict=True))
    first = [player for player in score.ranking if score.ranks[player] == 1]
    yield f"Ranking: {', '.join(f'{score.ranks[player]}. {player}' for player in score.ranking)}."
    if score.games:
        yield f"{listed(first)} {'share the win' if first[1:] else 'wins'}."
