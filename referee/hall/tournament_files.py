"""A tournament as JSON, CSV, and the game records of all tables in one file."""

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from referee.hall.ledger import Ledger
from referee.hall.records import EventStore
from referee.hall.standings import boards_without_result, outcome_of, standings, tie_breaks
from referee.hall.tournament import Tournament
from referee.history.record import format_events, split_matches
from referee.rules.verdict_json import message_to_json
from referee.storage.json_codec import events_from_json

_START_TOLERANCE_SECONDS: Final = 0.002
"""Seconds by which two times of one moment may differ, each rounded."""


def tournament_to_json(tournament: Tournament, ledger: Ledger, reported: int | None = None) -> dict[str, Any]:
    """Return a tournament as JSON values, with the results of its first `reported` rounds (None: all)."""
    rounds = range(len(tournament.rounds))
    reported = len(rounds) if reported is None else reported
    return {
        "name": tournament.name,
        "edition": tournament.edition,
        "format": tournament.format,
        "seats": tournament.seats,
        "length": tournament.length,
        "tie_breaks": str(tie_breaks(tournament)),
        "ranked_by": message_to_json(tie_breaks(tournament)),
        "entrants": [
            {"name": entrant.name, "rating": entrant.rating, "club": entrant.club, "left": number in tournament.left}
            for number, entrant in enumerate(tournament.entrants)
        ],
        "rounds": [_round(tournament, number, ledger, is_told=number < reported) for number in rounds],
        "standings": [
            {
                "rank": line.rank,
                "name": tournament.entrants[line.player].name,
                "points": line.points,
                "opponents": line.opponents,
                "games_won": line.games_won,
                "total": line.total,
                "played": line.played,
            }
            for line in standings(tournament, ledger, reported)
        ],
        "strays": [dict(stray) for stray in tournament.strays],
        "complete": bool(rounds) and not boards_without_result(tournament, rounds[-1], ledger),
        "signed": all(board.signed for round_ in tournament.rounds for board in round_.boards),
    }


def _round(tournament: Tournament, number: int, ledger: Ledger, *, is_told: bool) -> dict[str, Any]:
    found = tournament.rounds[number]
    return {
        "round": number + 1,
        "boards": [_board(tournament, number, at, ledger, is_told=is_told) for at in range(len(found.boards))],
        "byes": [tournament.entrants[player].name for player in found.byes],
        "half_byes": [tournament.entrants[player].name for player in found.half_byes],
    }


def _board(tournament: Tournament, number: int, at: int, ledger: Ledger, *, is_told: bool) -> dict[str, Any]:
    board = tournament.rounds[number].boards[at]
    outcome = outcome_of(tournament, number, at, ledger) if is_told else None
    result = None
    if outcome is not None:
        result = {
            "scores": list(outcome.scores),
            "held": list(outcome.before_penalties),
            "games_won": list(outcome.games_won),
            "ranks": list(outcome.ranks),
            "told": None if outcome.reported is None else list(outcome.reported),
            "by_hand": outcome.by_hand,
            "penalties": list(outcome.penalties),
        }
    names = list(tournament.names(board))
    return {"board": at + 1, "table": board.table, "players": names, "signed": board.signed, "result": result}


def standings_csv(plain: dict[str, Any]) -> str:
    """Return the standings as CSV."""
    columns = ("rank", "name", "points", "opponents", "games_won", "total", "played")
    return _csv_text(columns, ([line[column] for column in columns] for line in plain["standings"]))


def results_csv(plain: dict[str, Any]) -> str:
    """Return the results as CSV, one line per player."""
    columns = ("round", "board", "table", "player", "told", "penalty", "score", "rank", "by hand", "signed")
    return _csv_text(columns, _results(plain))


def _results(plain: dict[str, Any]) -> Iterator[list[Any]]:
    for round_ in plain["rounds"]:
        for board in round_["boards"]:
            for seat, player in enumerate(board["players"]):
                result = board["result"]
                cells = ["", "", "", "", ""]
                if result is not None:
                    reported = "" if result["told"] is None else result["told"][seat]
                    numbers = (result["penalties"][seat], result["scores"][seat], result["ranks"][seat])
                    cells = [reported, *numbers, result["by_hand"]]
                yield [round_["round"], board["board"], board["table"], player, *cells, board["signed"]]


def _csv_text(columns: tuple[str, ...], rows: Iterator[list[Any]]) -> str:
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return sheet.getvalue()


def spreadsheet_safe(text: str) -> str:
    """Return the text escaped so that no spreadsheet reads it as a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def game_records(tournament: Tournament, ledger: Ledger, store: EventStore) -> str:
    """Return the game records of all tables in one text; StorageError if stored events cannot be read."""
    written = []
    for number, found in enumerate(tournament.rounds, start=1):
        for board in found.boards:
            if (result := ledger.result(board.match)) is None:
                continue
            head = {"event": tournament.name, "round": number, "table": result.table}
            kept = tuple(events_from_json(store.all_events(result.table, result.told.journal)))
            matches = (match for match in split_matches(kept) if match)
            began = result.told.began_at or 0.0
            written += [
                format_events(head, match) for match in matches if abs(match[0].at - began) < _START_TOLERANCE_SECONDS
            ]
    return "\n".join(written)
