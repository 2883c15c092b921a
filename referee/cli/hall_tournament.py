"""`referee hall tournament`: manage a tournament in the hall's journal while no wall is served; show it at any time."""

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from referee.errors import ConfigError, StorageError
from referee.hall.bodies import (
    ByeBody,
    CommandBody,
    FinalsBody,
    ForfeitBody,
    LateEntrant,
    LeaverBody,
    NewTournament,
    ResultBody,
    RoundBody,
    SignatureBody,
    SwapBody,
)
from referee.hall.ledger import Ledger
from referee.hall.records import EventStore, HallJournal, read_ledger
from referee.hall.tournament import Tournament
from referee.hall.tournament_files import game_records, results_csv, standings_csv, tournament_to_json
from referee.hardware.system import wall_label
from referee.language.catalogue import ENGLISH, languages
from referee.rules.declared_fields import read_fields
from referee.settings.config import SYSTEM_FILE, folder_in_use
from referee.storage.files import refusal, write_whole
from referee.storage.folder import FolderLock

ACTOR: Final = "command line"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(dest="step", metavar="ACTION", required=True, parser_class=type(parser))
    create = _action(actions, "create", "create a tournament from a list of players")
    create.add_argument("name", metavar="NAME")
    create.add_argument("entrants", type=Path, metavar="FILE.csv", help="players, with the columns name, rating, club")
    create.add_argument("--rounds", type=int, required=True, metavar="N")
    create.add_argument("--seats", type=int, default=2, metavar="N", help="players at a full table (2: Swiss system)")
    create.add_argument("--edition", default="original", metavar="ID")
    create.add_argument("--format", default="booklet", metavar="ID")
    seat = _action(actions, "seat", "seat the next round")
    seat.add_argument("round", type=int, metavar="ROUND")
    seat.add_argument("--tables", default="", metavar="T1,T2", help="tables of the first boards, in order")
    result = _action(actions, "result", "enter or correct a result by hand")
    _board(result)
    result.add_argument("--scores", type=_numbers, required=True, metavar="N,N", help="by seat")
    result.add_argument("--won", type=_numbers, metavar="N,N", help="games won, by seat")
    result.add_argument("--reason", required=True)
    _board(_action(actions, "sign", "mark the score sheet of a board as signed"))
    _add_roster_actions(actions)
    show = _action(actions, "show", "show rounds and standings")
    show.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    sheets = _action(actions, "sheets", "write score sheets or the standings as PDF")
    sheets.add_argument("file", type=Path, metavar="FILE.pdf")
    sheets.add_argument(
        "--round", type=int, metavar="N", help="print the sheets of this round (default: the standings)"
    )
    sheets.add_argument("--language", choices=tuple(languages()), default=ENGLISH, help="language of the sheets")
    export = _action(actions, "export", "write standings, results, JSON and all game records")
    export.add_argument("folder", type=Path, metavar="DIR")


def _add_roster_actions(actions: Any) -> None:
    """Add the actions about who plays and where."""
    finals = _action(actions, "finals", "create a final of the best players; points begin anew")
    finals.add_argument("name", metavar="NAME")
    finals.add_argument("--players", type=int, default=8, metavar="N", help="how many qualify (default: 8)")
    finals.add_argument("--per-board", type=int, metavar="N", help="the best of each board of the last round instead")
    finals.add_argument("--rounds", type=int, default=1, metavar="N")
    finals.add_argument("--seats", type=int, default=4, metavar="N", help="players at a full table")
    finals.add_argument("--format", default="booklet", metavar="ID")
    join = _action(actions, "join", "enter a player who comes late")
    join.add_argument("player", metavar="PLAYER")
    join.add_argument("--rating", type=int, default=0, metavar="N")
    join.add_argument("--club", default="", metavar="NAME")
    join.add_argument("--missed", choices=("zero", "bye"), default="zero", help="what missed rounds count")
    for name, purpose in (
        ("leave", "withdraw a player from later rounds"),
        ("return", "let a player who left play again"),
    ):
        _action(actions, name, purpose).add_argument("player", metavar="PLAYER")
    half = _action(actions, "half-bye", "let a player miss a round to come, for half a point")
    half.add_argument("round", type=int, metavar="ROUND")
    half.add_argument("player", metavar="PLAYER")
    forfeit = _action(actions, "forfeit", "enter that a player of a board of two did not come")
    _board(forfeit)
    forfeit.add_argument("player", metavar="PLAYER")
    forfeit.add_argument("--reason", default="did not come")
    _action(actions, "unseat", "take the newest seating back").add_argument("round", type=int, metavar="ROUND")
    swap = _action(actions, "swap", "let two players of the newest round change their seats")
    swap.add_argument("round", type=int, metavar="ROUND")
    swap.add_argument("player", metavar="PLAYER")
    swap.add_argument("other", metavar="PLAYER")


def _action(actions: Any, name: str, purpose: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(
        name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    if name != "create":
        action.add_argument(
            "--tournament", default="", metavar="NAME", help="name of the tournament (default: the newest)"
        )
    suppress = argparse.SUPPRESS  # keeps the value given before the action
    help_ = f"settings file (default: {SYSTEM_FILE})"
    action.add_argument("--config", type=Path, default=suppress, metavar="FILE", help=help_)
    help_ = "state folder of the hall"
    action.add_argument("--state", type=Path, default=suppress, metavar="DIR", help=help_)
    return action


def _board(action: argparse.ArgumentParser) -> None:
    action.add_argument("round", type=int, metavar="ROUND")
    action.add_argument("board", type=int, metavar="BOARD")


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a list of whole numbers; write 40,-40") from None


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; return the exit code."""
    folder = folder_in_use(arguments.config, arguments.state) / "hall"
    return _ACTIONS[arguments.step](arguments, folder)


def _create(arguments: argparse.Namespace, folder: Path) -> int:
    try:
        text = arguments.entrants.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"list {arguments.entrants} cannot be read: {why}; name a CSV file") from None
    fields = {key: getattr(arguments, key) for key in ("name", "rounds", "seats", "edition", "format")}
    found = _enter(folder, "tournament_entry", NewTournament, {**fields, "entrants": text}, arguments.name)
    print(f"{found.name}: {len(found.entrants)} players, {found.length} rounds; next: referee hall tournament seat 1")
    return 0


def _seat(arguments: argparse.Namespace, folder: Path) -> int:
    tables = [table.strip() for table in arguments.tables.split(",") if table.strip()]
    fields = {"tournament": arguments.tournament, "round": arguments.round}
    _enter(folder, "round_entry", RoundBody, fields, arguments.tournament, tables)
    _print_round(_read(arguments, folder)["rounds"][arguments.round - 1])
    return 0


def _result(arguments: argparse.Namespace, folder: Path) -> int:
    fields = {key: getattr(arguments, key) for key in ("tournament", "round", "board", "scores", "won", "reason")}
    _enter(folder, "board_result_entry", ResultBody, {**fields, "key": token_hex(8)}, arguments.tournament)
    _print_round(_read(arguments, folder)["rounds"][arguments.round - 1])
    return 0


def _sign(arguments: argparse.Namespace, folder: Path) -> int:
    fields = {key: getattr(arguments, key) for key in ("tournament", "round", "board")}
    _enter(folder, "signature_entry", SignatureBody, {**fields, "key": token_hex(8)}, arguments.tournament)
    print(f"board {arguments.board} of round {arguments.round} is signed")
    return 0


def _change_roster(arguments: argparse.Namespace, folder: Path) -> int:
    """Enter who plays and where, and print what was done."""
    entry, kind, keys, done = _ROSTER[arguments.step]
    fields = {key: getattr(arguments, key) for key in ("tournament", *keys)}
    if "key" in kind.__struct_fields__:
        fields["key"] = token_hex(8)
    _enter(folder, entry, kind, fields, arguments.tournament)
    print(done.format_map(vars(arguments)))
    return 0


_ROSTER: Final[Mapping[str, tuple[str, type[CommandBody], tuple[str, ...], str]]] = {
    "finals": (
        "finals_entry",
        FinalsBody,
        ("name", "players", "per_board", "rounds", "seats", "format"),
        "{name} is created; next: referee hall tournament seat 1",
    ),
    "join": (
        "late_entry",
        LateEntrant,
        ("player", "rating", "club", "missed"),
        "{player} plays from the next round on",
    ),
    "leave": ("leaver_entry", LeaverBody, ("player",), "{player} is withdrawn from later rounds"),
    "return": ("return_entry", LeaverBody, ("player",), "{player} plays from the next round on"),
    "half-bye": ("half_bye_entry", ByeBody, ("round", "player"), "{player} misses round {round} for half a point"),
    "forfeit": (
        "forfeit_entry",
        ForfeitBody,
        ("round", "board", "player", "reason"),
        "{player} has lost board {board} of round {round}",
    ),
    "unseat": ("unseat_entry", RoundBody, ("round",), "the seating of round {round} is taken back"),
    "swap": ("swap_entry", SwapBody, ("round", "player", "other"), "{player} and {other} have changed their seats"),
}


def _show(arguments: argparse.Namespace, folder: Path) -> int:
    tournament = _read(arguments, folder)
    if arguments.json:
        print(json.dumps(tournament, ensure_ascii=False))
        return 0
    print(f"{tournament['name']}: {len(tournament['rounds'])} of {tournament['length']} rounds")
    for round_ in tournament["rounds"][-1:]:
        _print_round(round_)
    print(f"\nstandings by {tournament['tie_breaks']}")
    for line in tournament["standings"]:
        first = f"{line['points']:g} ({line['opponents']:g})" if tournament["seats"] == 2 else f"{line['games_won']}"
        print(f"{line['rank']:>3}  {line['name']:<24} {first:>10} {line['total']:>7}")
    return 0


def _print_round(round_: Mapping[str, Any]) -> None:
    print(f"round {round_['round']}")
    for board in round_["boards"]:
        result, place = board["result"], f" at {board['table']}" if board["table"] else ""
        scores = ("",) * len(board["players"]) if result is None else (f" {score:+d}" for score in result["scores"])
        players = ", ".join(f"{player}{score}" for player, score in zip(board["players"], scores, strict=True))
        notes = [*(("by hand",) if result and result["by_hand"] else ()), *(("signed",) if board["signed"] else ())]
        print(f"  board {board['board']}{place}: {players}{''.join(f' ({note})' for note in notes)}")
    for kind, players in (("bye", round_["byes"]), ("half a point", round_["half_byes"])):
        if players:
            print(f"  {kind}: {', '.join(players)}")


def _sheets(arguments: argparse.Namespace, folder: Path) -> int:
    from referee.hall.sheets import round_sheets, standings_sheet  # noqa: PLC0415 - needs the extra

    tournament, language = _read(arguments, folder), arguments.language
    is_standings = arguments.round is None
    sheets = (
        standings_sheet(tournament, language) if is_standings else round_sheets(tournament, arguments.round, language)
    )
    _write(arguments.file, sheets)
    print(f"{arguments.file} is written")
    return 0


def _export(arguments: argparse.Namespace, folder: Path) -> int:
    tournament, ledger = _read(arguments, folder), read_ledger(folder / "hall.jsonl")
    records = game_records(_found(ledger, arguments.tournament), ledger, EventStore(folder / "events"))
    text = json.dumps(tournament, ensure_ascii=False, indent=1)
    files = {"standings.csv": standings_csv(tournament), "results.csv": results_csv(tournament), "records.txt": records}
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"folder {arguments.folder} cannot be created {refusal(error, arguments.folder)}") from None
    for name, content in {**files, "tournament.json": f"{text}\n"}.items():
        _write(arguments.folder / name, content)
    print(f"{arguments.folder} holds {', '.join((*files, 'tournament.json'))}")
    return 0


def _write(path: Path, content: bytes | str) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise StorageError(f"file {path} cannot be written {refusal(error, path)}") from None


def _found(ledger: Ledger, name: str) -> Tournament:
    from referee.hall.tournament_entries import require_tournament  # noqa: PLC0415 - the seating loads HiGHS

    return require_tournament(name, ledger)


def _read(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    ledger = read_ledger(folder / "hall.jsonl")
    return tournament_to_json(_found(ledger, arguments.tournament), ledger)


def _enter(
    folder: Path, entry: str, kind: type[CommandBody], fields: Mapping[str, Any], name: str, *more: Any
) -> Tournament:
    """Append an entry made by the named function of `tournament_entries`; return the tournament after it."""
    from referee.hall import roster_entries, tournament_entries  # noqa: PLC0415 - the seating loads HiGHS

    body = read_fields(kind, fields, "the entry")
    try:
        lock = FolderLock(folder)
    except StorageError as error:
        if "in use" not in str(error):
            raise
        raise StorageError("the running hall holds the tournament's journal; use its wall, or stop it first") from None
    make = getattr(tournament_entries, entry, None) or getattr(roster_entries, entry)
    with lock, HallJournal(folder / "hall.jsonl") as journal:
        return _found(journal.append(make(body, journal.ledger, *more, ACTOR, wall_label())), name)


_ACTIONS: Final[Mapping[str, Callable[[argparse.Namespace, Path], int]]] = {
    "create": _create,
    "seat": _seat,
    "result": _result,
    "sign": _sign,
    **dict.fromkeys(_ROSTER, _change_roster),
    "show": _show,
    "sheets": _sheets,
    "export": _export,
}
