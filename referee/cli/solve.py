"""`referee solve`: find the play with the most tiles, for one position or many as JSON lines."""

import argparse
import json
from collections.abc import Mapping

from referee.cli.house_rule_options import add_house_rules, rules_of_call, rules_of_request
from referee.cli.progress import Countdown
from referee.cli.streams import standard_input
from referee.errors import ConfigError
from referee.plain_json import JsonObject
from referee.rules.editions import EDITIONS
from referee.rules.json_input import answer_lines, check_keys, expect_bool, expect_text
from referee.rules.notation import format_table, format_tiles, parse_table, parse_tiles
from referee.rules.wording import count_text
from referee.solver import MAX_SECONDS, Play, best_play, with_fewest_moves

DONE, WRONG_INPUT = 0, 2
_REQUEST_KEYS = ("id", "edition", "table", "rack", "opened", "house_rules")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = (
        "Of plays that lay as many tiles, the one worth most is given: the sum of the tiles laid from the rack, jokers "
        "counting what they stand for."
    )
    parser.add_argument("--edition", metavar="ID", help=f"the rules to play by: {', '.join(EDITIONS)}")
    parser.add_argument("--table", metavar="TABLE", help="the sets on the table, such as 'R3 R4 R5 / K7 R7 B7'")
    parser.add_argument("--rack", metavar="TILES", help="the player's tiles, such as 'R6 J K13'")
    add_house_rules(parser)
    parser.add_argument(
        "--not-opened",
        action="store_true",
        help="the player has not opened: find an initial meld that leaves the table alone",
    )
    parser.add_argument(
        "--fewest-moves",
        action="store_true",
        help="lay the tiles of the best play so that the fewest tiles on the table move",
    )
    parser.add_argument(
        "--seconds",
        type=_parse_seconds,
        default=MAX_SECONDS,
        help=f"stop after this time and give the best play found (default {MAX_SECONDS:.0f})",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="answer in JSON")
    output.add_argument(
        "--jsonl", action="store_true", help="solve positions from standard input, one JSON object a line"
    )


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a search time; give a number of seconds above 0")
    return seconds


def run(arguments: argparse.Namespace) -> int:
    """Solve and return 0; of many, 2 if a line was invalid."""
    if arguments.jsonl:
        return _solve_lines(arguments)
    for name in ("edition", "rack"):
        if getattr(arguments, name) is None:
            raise ConfigError(f"--{name} is missing; give --edition ID, --table TABLE and --rack TILES, or --jsonl")
    table, rules = parse_table(arguments.table or ""), rules_of_call(arguments)
    opened = not arguments.not_opened
    with Countdown("searching the best play, at the latest until the bar is full", arguments.seconds):
        play = best_play(table, parse_tiles(arguments.rack), rules, opened=opened, seconds=arguments.seconds)
        if arguments.fewest_moves:
            play = with_fewest_moves(play, table, rules, opened=opened, seconds=arguments.seconds)
    print(json.dumps(_play_to_json(play)) if arguments.json else _play_text(play))
    return DONE


def _solve_lines(arguments: argparse.Namespace) -> int:
    for name in ("edition", "table", "rack", "not_opened", "house_rule"):
        if getattr(arguments, name):
            option = name.replace("_", "-")
            raise ConfigError(f"--{option} cannot be used with --jsonl; write it into each line")
    code = DONE
    for reply in answer_lines(
        standard_input("positions, a line of JSON each,"),
        lambda request: _solve_request(request, arguments.seconds, fewest_moves=arguments.fewest_moves),
        "position",
    ):
        code = WRONG_INPUT if "error" in reply else code
        print(json.dumps(reply), flush=True)
    return code


def _solve_request(request: Mapping[str, object], seconds: float, *, fewest_moves: bool) -> JsonObject:
    check_keys(request, _REQUEST_KEYS, ("edition", "rack"), "the request")
    table, rules = parse_table(_request_text(request, "table")), rules_of_request(request)
    opened = expect_bool(request.get("opened", True), "opened")
    play = best_play(table, parse_tiles(_request_text(request, "rack")), rules, opened=opened, seconds=seconds)
    if fewest_moves:
        play = with_fewest_moves(play, table, rules, opened=opened, seconds=seconds)
    return _play_to_json(play)


def _request_text(request: Mapping[str, object], name: str) -> str:
    return expect_text(request.get(name, ""), name)


def _play_to_json(play: Play) -> JsonObject:
    answer: JsonObject = {"tiles_played": len(play.tiles)}
    if play.tiles:
        answer |= {"worth": play.worth, "table": format_table(play.table), "played": [str(tile) for tile in play.tiles]}
    if play.tiles or not play.optimal:
        answer["optimal"] = play.optimal
    return answer | {"tiles_proven": play.tiles_proven}


def _play_text(play: Play) -> str:
    proof = "" if play.optimal else f" The search ran out of time; there may be a play that lays {_gap_text(play)}."
    if not play.tiles:
        return f"{'Nothing can be played' if play.tiles_proven else 'No play was found'}.{proof}"
    laid = f"{count_text(len(play.tiles), 'tile')} worth {play.worth}: {format_tiles(play.tiles)}.{proof}"
    return "\n".join([laid, *(format_tiles(tiles) for tiles in play.table.sets)])


def _gap_text(play: Play) -> str:
    return "as many, worth more" if play.tiles_proven else "more"
