"""Journal entries of a tournament; each function raises ConfigError if the command is impossible."""

from collections.abc import Sequence
from dataclasses import replace

from referee.errors import ConfigError, FieldError
from referee.hall import ledger as entries
from referee.hall.bodies import CorrectionBody, NewTournament, ResultBody, RoundBody, SignatureBody
from referee.hall.entrants import parse_entrants
from referee.hall.ledger import Ledger
from referee.hall.seating import seat_next, table_sizes
from referee.hall.standings import boards_without_result, outcome_of, seats_at_table
from referee.hall.tournament import Board, Tournament, as_created, find_tournament, name_key, tournament_from_entry
from referee.plain_json import JsonObject
from referee.rules.choices import Standing
from referee.rules.declared_fields import VALUE_KINDS
from referee.rules.formats import agreed_rules
from referee.rules.wording import Message, say, way_out


def tournament_entry(body: NewTournament, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a new tournament; a repeated command gives the known entry."""
    name, edition, played = body.name.strip(), body.edition.strip(), body.format.strip()
    rules = agreed_rules(edition, played)
    seats, rounds = _within(rules.players[1], "seats", body.seats, least=2), body.rounds
    entrants = parse_entrants(body.entrants.strip())
    if seats < rules.players[0]:
        few = say(
            "seats.few", "format {format} is for {least} and more; give as many", format=played, least=rules.players[0]
        )
        raise FieldError(few, "seats", f"'seats' is {seats}")
    if seats > 2:
        table_sizes(len(entrants), seats, rules.players[0])
    elif rounds > (most := len(entrants) - 1 + len(entrants) % 2):
        met = say(
            "rounds.many",
            "after round {most} of {players} players everybody has met everybody; give fewer",
            most=most,
            players=len(entrants),
        )
        raise FieldError(met, "rounds", f"'rounds' is {rounds}")
    listed = [{"name": entrant.name, "rating": entrant.rating, "club": entrant.club} for entrant in entrants]
    facts = {"name": name, "entrants": listed, "rounds": rounds, "seats": seats, "edition": edition, "format": played}
    entry = {"kind": "tournament", "key": f"tournament-{name_key(name)}", "by": actor, "wall": wall, **facts}
    there = find_tournament(ledger.tournaments, name)
    if there is not None and replace(as_created(there, len(entrants)), is_final=False) != tournament_from_entry(entry):
        exists = say(
            "tournament.exists", "tournament {name} exists already; choose another name", name=repr(there.name)
        )
        raise FieldError(exists, "name", str(exists))
    return entry


def round_entry(body: RoundBody, ledger: Ledger, tables: Sequence[str], actor: str, wall: str) -> JsonObject:
    """Return the entry of the next round; its first boards get these tables.

    A repeated command gives an entry whose key is known.
    """
    tournament, number = require_tournament(body.tournament, ledger), body.round
    facts = {
        "kind": "round",
        "key": _round_key(tournament, number),
        "tournament": tournament.name,
        "round": number,
    }
    if number <= len(tournament.rounds):
        return facts
    if number != len(tournament.rounds) + 1 or number > tournament.length:
        raise ConfigError(
            say(
                "round.not_next",
                "round {round} is not the next round of {name}: {there} of {length} rounds are there; see the list",
                round=number,
                name=tournament.name,
                there=len(tournament.rounds),
                length=tournament.length,
            )
        )
    if waits := () if number == 1 else boards_without_result(tournament, number - 2, ledger):
        raise ConfigError(
            say(
                "round.waits",
                "round {round} waits for the result of board {boards}; enter what is missing by hand",
                round=number - 1,
                boards=", ".join(str(at + 1) for at in waits),
            )
        )
    seating = seat_next(tournament, ledger)
    places = (*tables, *("",) * len(seating.boards))
    seats = [{"table": place, "seats": list(board)} for place, board in zip(places, seating.boards, strict=False)]
    missing = sorted(player for at, player in tournament.half_byes if at == number and player in tournament.present)
    byes = {"byes": list(seating.byes), **({"half_byes": missing} if missing else {})}
    return {**facts, "boards": seats, **byes, "by": actor, "wall": wall}


def _round_key(tournament: Tournament, number: int) -> str:
    """Return the key of a round that is there, or of the next one: another after a seating was taken back."""
    if number <= len(tournament.rounds):
        return tournament.rounds[number - 1].key
    return f"round-{name_key(tournament.name)}-{number}" + (f"-{tournament.changes}" if tournament.changes else "")


def board_result_entry(body: ResultBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a result entered by hand; if the table reported one, a correction that keeps both."""
    tournament, number, at = board_of(body, ledger)
    board = tournament.rounds[number].boards[at]
    scores, won = list(body.scores), list(body.won or ())
    for key, numbers in (("scores", scores), ("won", won)):
        if len(numbers) != len(board.seats) and (numbers or key == "scores"):
            raise FieldError(_number_for_each(tournament, board), key, f"{key!r} is {numbers!r:.40}")
    _check_winner(tournament, board, scores, won)
    reason = {"reason": body.reason.strip(), "key": body.key.strip()}
    reported = ledger.result(board.match)
    if reported is not None:
        places = seats_at_table(tournament, board, reported)
        order = sorted(range(len(places)), key=places.__getitem__)
        corrected = CorrectionBody(**reason, match=board.match, scores=tuple(scores[seat] for seat in order))
        more = {"won": [won[seat] for seat in order]} if won else {}
        return {**entries.correction_entry(corrected, ledger, actor, wall), **more}
    if not won and tournament.seats > 2 and tournament.rules.standing is Standing.GAMES_WON:
        missing = say(
            "won.missing",
            "games won rank the players; give them for {players}",
            players=", ".join(tournament.names(board)),
        )
        raise FieldError(missing, "won", "'won' is missing")
    facts = {"tournament": tournament.name, "round": number + 1, "board": at + 1, "scores": scores, "won": won or None}
    return {"kind": "entered", "by": actor, "wall": wall, **facts, **reason}


def _check_winner(tournament: Tournament, board: Board, scores: Sequence[int], won: Sequence[int]) -> None:
    """Raise FieldError if the scores of a single game contradict who won it."""
    if sum(won) != 1 or not any(scores):
        return
    lowest = tournament.rules.standing is Standing.LOWEST_TOTAL
    best = (min if lowest else max)(scores)
    winner = list(won).index(1)
    if scores[winner] != best:
        contradiction = say(
            "won.contradicts",
            "{player} won the game with {score}, and another has {best}; mend the scores or who won",
            player=tournament.names(board)[winner],
            score=scores[winner],
            best=best,
        )
        raise FieldError(contradiction, "won", f"'won' is {list(won)!r:.40}")


def signature_entry(body: SignatureBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that marks a board's score sheet as signed."""
    tournament, number, at = board_of(body, ledger)
    if outcome_of(tournament, number, at, ledger) is None:
        raise ConfigError(
            say(
                "board.no_result",
                "board {board} of round {round} has no result yet; enter it first",
                board=at + 1,
                round=number + 1,
            )
        )
    facts = {"tournament": tournament.name, "round": number + 1, "board": at + 1, "key": body.key.strip()}
    return {"kind": "signed", "by": actor, "wall": wall, **facts}


def require_tournament(name: str, ledger: Ledger) -> Tournament:
    """Return the tournament of this name, the newest if it is empty; ConfigError if it does not exist."""
    tournament = find_tournament(ledger.tournaments, name)
    if tournament is None:
        known = [tournament.name for tournament in ledger.tournaments]
        if not known:
            raise ConfigError(
                say(
                    "tournament.none",
                    "no tournament exists yet; create one: referee hall tournament create NAME players.csv",
                )
            )
        raise ConfigError(
            say(
                "tournament.unknown",
                "tournament {name} does not exist; {way_out}",
                name=f"{name!r:.50}",
                way_out=way_out(name, known),
            )
        )
    return tournament


def board_of(body: SignatureBody, ledger: Ledger) -> tuple[Tournament, int, int]:
    """Return the tournament and the indices of round and board; ConfigError if they do not exist."""
    tournament = require_tournament(body.tournament, ledger)
    if not tournament.rounds:
        raise ConfigError(say("round.none", "{name} has no round yet; seat the first one", name=tournament.name))
    number = _within(len(tournament.rounds), "round", body.round) - 1
    return tournament, number, _within(len(tournament.rounds[number].boards), "board", body.board) - 1


def _number_for_each(tournament: Tournament, board: Board) -> Message:
    names = ", ".join(tournament.names(board))
    return say("scores.each", "give a whole number for each of {players}", players=names)


def _within(most: int, key: str, value: int, least: int = 1) -> int:
    if not least <= value <= most:
        numbers = say(
            "value.range", "{what} from {least} to {most}", what=VALUE_KINDS[int], least=f"{least}", most=f"{most}"
        )
        raise FieldError(say("field.give", "give {wanted}", wanted=numbers), key, f"{key!r} is {value}")
    return value
