"""`referee judge`: judge a turn in notation, or many as JSON lines."""

import argparse
import json
from collections.abc import Iterator, Mapping

from referee.cli.house_rule_options import add_house_rules, rules_of_call, rules_of_request
from referee.cli.streams import standard_input
from referee.errors import ConfigError, NotationError
from referee.plain_json import JsonObject
from referee.rules.editions import EDITIONS
from referee.rules.json_input import answer_lines, check_keys, expect_bool, expect_text
from referee.rules.judge import judge_turn
from referee.rules.notation import format_tiles, parse_table
from referee.rules.table import Table
from referee.rules.verdict import VERDICT_NAMES, Fault, Illegal, Legal, Outcome, Undecided, Verdict, Violation
from referee.rules.verdict_json import verdict_to_json
from referee.rules.wording import count_text, listed

LEGAL, ILLEGAL, WRONG_INPUT, UNDECIDED = 0, 1, 2, 3
_EXIT_CODES: dict[type[Verdict], int] = {Legal: LEGAL, Illegal: ILLEGAL, Undecided: UNDECIDED}
_EXIT_CODES_BY_NAME: dict[object, int] = {VERDICT_NAMES[kind]: code for kind, code in _EXIT_CODES.items()}
_WORST_FIRST = (WRONG_INPUT, ILLEGAL, UNDECIDED, LEGAL)
_REQUEST_KEYS = ("id", "edition", "before", "after", "opened", "house_rules")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--edition", metavar="ID", help=f"the rules to judge by: {', '.join(EDITIONS)}")
    parser.add_argument("--before", metavar="TABLE", help="the table before the turn, such as 'R3 R4 R5 / K7 R7 B7'")
    parser.add_argument("--after", metavar="TABLE", help="the table after the turn")
    add_house_rules(parser)
    opened = parser.add_mutually_exclusive_group()
    opened.add_argument(
        "--opened", dest="opened", action="store_true", default=None, help="the player had opened (default)"
    )
    opened.add_argument(
        "--not-opened", dest="opened", action="store_false", default=None, help="the player had not opened"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="answer in JSON")
    output.add_argument(
        "--jsonl", action="store_true", help="judge requests from standard input, one JSON object a line"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge; return 0 legal, 1 illegal, 3 undecided; of many, 2 if a line was invalid, else 1, else 3."""
    if arguments.jsonl:
        return _judge_lines(arguments)
    for name in ("edition", "after"):
        if getattr(arguments, name) is None:
            raise ConfigError(f"--{name} is missing; give --edition ID and --after TABLE, or --jsonl")
    before, after = parse_table(arguments.before or ""), parse_table(arguments.after)
    verdict = judge_turn(before, after, opened=arguments.opened is not False, rules=rules_of_call(arguments))
    if arguments.json:
        print(json.dumps({"id": None, **verdict_to_json(verdict)}))
    else:
        print("\n".join(_verdict_lines(verdict, after)))
    return _EXIT_CODES[type(verdict)]


def _judge_lines(arguments: argparse.Namespace) -> int:
    for name in ("edition", "before", "after", "opened", "house_rule"):
        if getattr(arguments, name) is not None:
            raise ConfigError(f"--{name.replace('_', '-')} cannot be used with --jsonl; write it into each line")
    codes = set()
    for reply in answer_lines(standard_input("turns, a line of JSON each,"), _judge_request, "turn"):
        codes.add(_EXIT_CODES_BY_NAME.get(reply.get("verdict"), WRONG_INPUT))
        print(json.dumps(reply), flush=True)
    return next((code for code in _WORST_FIRST if code in codes), LEGAL)


def _judge_request(request: Mapping[str, object]) -> JsonObject:
    check_keys(request, _REQUEST_KEYS, ("edition", "after"), "the request")
    verdict = judge_turn(
        _parse_table(request, "before"),
        _parse_table(request, "after"),
        opened=expect_bool(request.get("opened", True), "opened"),
        rules=rules_of_request(request),
    )
    return verdict_to_json(verdict)


def _parse_table(request: Mapping[str, object], name: str) -> Table:
    text = expect_text(request.get(name, ""), name)
    try:
        return parse_table(text)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None


# ---- the verdict as text -------------------------------------------------------------------------------------------


def _verdict_lines(verdict: Verdict, after: Table) -> Iterator[str]:
    match verdict:
        case Legal(outcome=Outcome.NO_PLAY):
            yield "Legal: nothing was played, so the player draws a tile."
        case Legal():
            yield f"Legal: {listed(verdict.played)} {'was' if len(verdict.played) == 1 else 'were'} played."
        case Illegal():
            yield f"Illegal: {count_text(len(verdict.violations), 'fault')}."
        case Undecided():
            yield f"Undecided: look again at {listed(verdict.doubtful_tiles)}."
    yield from (f"- {_violation_line(violation, after)}" for violation in verdict.violations)
    if verdict.meld is not None and isinstance(verdict, Legal) and verdict.played:
        yield f"The opening is worth {verdict.meld}."
    for judged in verdict.sets:
        if judged.untidy:
            yield f"{format_tiles(judged.tiles)} is a run, though it is not laid in order."


def _violation_line(violation: Violation, after: Table) -> str:
    if violation.fault is not Fault.LOOSE_TILE and violation.set_index is not None:
        return f"{format_tiles(after.sets[violation.set_index])}: {violation.message}."
    return f"{violation.message[0].upper()}{violation.message[1:]}."
