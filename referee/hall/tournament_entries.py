"""Entries of a tournament for the hall's journal; each raises ConfigError, one line, where it is impossible."""

from collections.abc import Sequence
from dataclasses import replace

from referee.errors import ConfigError
from referee.hall import ledger as entries
from referee.hall.bodies import Correction, Leaver, NewTournament, OfRound, Result, Signature
from referee.hall.entrants import parse_entrants
from referee.hall.ledger import Ledger, Plain
from referee.hall.seating import seat_next, table_sizes
from referee.hall.standings import outcome_of, waiting
from referee.hall.tournament import Board, Tournament, as_key, made, named
from referee.rules.choices import Standing
from referee.rules.formats import agreed_rules
from referee.rules.wording import way_out


def tournament(said: NewTournament, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry of a new tournament; repeated, the known one."""
    name, edition, played = said.name.strip(), said.edition.strip(), said.format.strip()
    rules = agreed_rules(edition, played)
    seats, rounds = _upto(rules.players[1], "seats", said.seats, least=2), said.rounds
    entrants = parse_entrants(said.entrants.strip())
    if seats < rules.players[0]:
        raise ConfigError(f"'seats' is {seats}, and format {played} is for {rules.players[0]} and more; give as many")
    if seats > 2:
        table_sizes(len(entrants), seats, rules.players[0])
    elif rounds > (most := len(entrants) - 1 + len(entrants) % 2):
        met = f"after round {most} of {len(entrants)} players everybody has met everybody"
        raise ConfigError(f"'rounds' is {rounds}, and {met}; give fewer")
    listed = [{"name": one.name, "rating": one.rating, "club": one.club} for one in entrants]
    facts = {"name": name, "entrants": listed, "rounds": rounds, "seats": seats, "edition": edition, "format": played}
    entry = {"kind": "tournament", "key": f"tournament-{as_key(name)}", "by": by, "wall": wall, **facts}
    there = named(ledger.tournaments, name)
    if there is not None and replace(there, rounds=(), left=frozenset(), strays=()) != made(entry):
        raise ConfigError(f"tournament {there.name!r} exists already; choose another name")
    return entry


def seated(said: OfRound, ledger: Ledger, tables: Sequence[str], by: str, wall: str) -> Plain:
    """Return the entry of the next round, seated anew; the first boards sit at these tables.

    Said again of a round that is there, it gives an entry that is known.
    """
    found, number = find(said.tournament, ledger), said.round
    facts = {"kind": "round", "key": f"round-{as_key(found.name)}-{number}", "tournament": found.name, "round": number}
    if number <= len(found.rounds):
        return facts
    if number != len(found.rounds) + 1 or number > found.length:
        after = f"{len(found.rounds)} of {found.length} rounds are there"
        raise ConfigError(f"round {number} is not the next round of {found.name}: {after}; see the list")
    if waits := () if number == 1 else waiting(found, number - 2, ledger):
        numbers = ", ".join(str(at + 1) for at in waits)
        raise ConfigError(f"round {number - 1} waits for the result of board {numbers}; enter what is missing by hand")
    seating = seat_next(found, ledger)
    places = (*tables, *("",) * len(seating.boards))
    seats = [{"table": place, "seats": list(board)} for place, board in zip(places, seating.boards, strict=False)]
    return {**facts, "boards": seats, "byes": list(seating.byes), "by": by, "wall": wall}


def result(said: Result, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry of a board's result by hand: a correction where the table told one, so that both stay."""
    found, number, at = _board(said, ledger)
    board = found.rounds[number].boards[at]
    scores, won = list(said.scores), list(said.won or ())
    for key, numbers in (("scores", scores), ("won", won)):
        if len(numbers) != len(board.seats) and (numbers or key == "scores"):
            raise ConfigError(f"{key!r} is {numbers!r:.40}; give a whole number for each of {_players(found, board)}")
    reason = {"reason": said.reason.strip(), "key": said.key.strip()}
    told = next((one for one in ledger.results if entries.match_of(one["result"]) == board.match), None)
    if told is not None:
        seats = {as_key(name): seat for seat, name in enumerate(found.names(board))}
        order = [seats[as_key(player["name"])] for player in told["result"]["players"]]
        corrected = Correction(**reason, match=board.match, scores=tuple(scores[seat] for seat in order))
        more = {"won": [won[seat] for seat in order]} if won else {}
        return {**entries.correction(corrected, ledger, by, wall), **more}
    if not won and found.seats > 2 and found.rules.standing is Standing.GAMES_WON:
        raise ConfigError(f"'won' is missing, but games won rank the players; give it for {_players(found, board)}")
    facts = {"tournament": found.name, "round": number + 1, "board": at + 1, "scores": scores, "won": won or None}
    return {"kind": "entered", "by": by, "wall": wall, **facts, **reason}


def signature(said: Signature, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry that says that the sheet of a board is signed."""
    found, number, at = _board(said, ledger)
    if outcome_of(found, number, at, ledger) is None:
        raise ConfigError(f"board {at + 1} of round {number + 1} has no result yet; enter it first")
    facts = {"tournament": found.name, "round": number + 1, "board": at + 1, "key": said.key.strip()}
    return {"kind": "signed", "by": by, "wall": wall, **facts}


def leaver(said: Leaver, ledger: Ledger, by: str, wall: str) -> Plain:
    """Return the entry that takes a player out of the rounds to come."""
    found, name = find(said.tournament, ledger), as_key(said.player)
    names = {as_key(one.name): number for number, one in enumerate(found.entrants)}
    if name not in names:
        raise ConfigError(f"{said.player!r:.50} does not play in {found.name}; {way_out(name, names)}")
    key = f"left-{as_key(found.name)}-{names[name]}"
    return {"kind": "left", "key": key, "tournament": found.name, "player": names[name], "by": by, "wall": wall}


def find(name: str, ledger: Ledger) -> Tournament:
    """Return the tournament of this name, the newest where it is empty."""
    found = named(ledger.tournaments, name)
    if found is None:
        known = [one.name for one in ledger.tournaments]
        if not known:
            raise ConfigError("no tournament exists yet; create one: referee hall tournament create NAME players.csv")
        raise ConfigError(f"tournament {name!r:.50} does not exist; {way_out(name, known)}")
    return found


def _board(said: Signature, ledger: Ledger) -> tuple[Tournament, int, int]:
    """Return the tournament, and the round and the board that are meant, counted from 0."""
    found = find(said.tournament, ledger)
    if not found.rounds:
        raise ConfigError(f"{found.name} has no round yet; seat the first one")
    number = _upto(len(found.rounds), "round", said.round) - 1
    return found, number, _upto(len(found.rounds[number].boards), "board", said.board) - 1


def _players(found: Tournament, board: Board) -> str:
    return ", ".join(found.names(board))


def _upto(most: int, key: str, value: int, least: int = 1) -> int:
    if not least <= value <= most:
        raise ConfigError(f"{key!r} is {value}; give a whole number from {least} to {most}")
    return value
