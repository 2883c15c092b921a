"""Journal entries about who plays and where.

Late entries, players who leave and return, byes asked for, forfeits, seatings taken back and seats swapped by hand.
Each function raises ConfigError if the command is impossible.
"""

from referee.errors import ConfigError, FieldError
from referee.game.player_names import tidy_name, wrong_with_name
from referee.hall.bodies import (
    ByeBody,
    FinalsBody,
    ForfeitBody,
    LateEntrant,
    LeaverBody,
    NewTournament,
    RoundBody,
    SwapBody,
)
from referee.hall.ledger import Ledger
from referee.hall.standings import boards_without_result, outcome_of, standings
from referee.hall.tournament import Tournament, name_key
from referee.hall.tournament_entries import board_of, require_tournament, tournament_entry
from referee.plain_json import JsonObject
from referee.rules.wording import say, way_out


def late_entry(body: LateEntrant, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a player who joins a tournament that has begun."""
    tournament, name = require_tournament(body.tournament, ledger), tidy_name(body.player)
    if (wrong := wrong_with_name(name)) is not None:
        raise FieldError(
            say("entrant.name", "the name {name} {wrong}", name=repr(name[:50]), wrong=wrong), "player", "'player'"
        )
    if name_key(name) in _numbers(tournament):
        there = say("entrant.there", "{player} plays in {name} already", player=name, name=tournament.name)
        raise FieldError(there, "player", str(there))
    key = f"joined-{name_key(tournament.name)}-{name_key(name)}"
    facts = {"player": name, "rating": body.rating, "club": body.club.strip(), "missed": body.missed}
    return {"kind": "joined", "key": key, "tournament": tournament.name, "by": actor, "wall": wall, **facts}


def leaver_entry(body: LeaverBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that withdraws a player from later rounds."""
    tournament = require_tournament(body.tournament, ledger)
    player = _number(tournament, body.player)
    again = f"-{tournament.changes}" if tournament.changes else ""
    key = f"left-{name_key(tournament.name)}-{player}{again}"
    return {"kind": "left", "key": key, "tournament": tournament.name, "player": player, "by": actor, "wall": wall}


def return_entry(body: LeaverBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that lets a player who left play in later rounds again."""
    tournament = require_tournament(body.tournament, ledger)
    player = _number(tournament, body.player)
    if player not in tournament.left:
        raise ConfigError(say("entrant.not_left", "{player} has not left", player=tournament.entrants[player].name))
    key = f"returned-{name_key(tournament.name)}-{player}-{tournament.changes}"
    return {"kind": "returned", "key": key, "tournament": tournament.name, "player": player, "by": actor, "wall": wall}


def half_bye_entry(body: ByeBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a player who misses a round to come, for half a point."""
    tournament = require_tournament(body.tournament, ledger)
    player = _number(tournament, body.player)
    if tournament.seats > 2:
        raise ConfigError(say("half_bye.tables", "half a point is for two players at a table; let the player leave"))
    if not len(tournament.rounds) < body.round <= tournament.length:
        past = say(
            "half_bye.round", "round {round} is seated already or not planned; name one to come", round=body.round
        )
        raise FieldError(past, "round", f"'round' is {body.round}")
    key = f"half-bye-{name_key(tournament.name)}-{body.round}-{player}"
    facts = {"tournament": tournament.name, "round": body.round, "player": player}
    return {"kind": "half_bye", "key": key, "by": actor, "wall": wall, **facts}


def forfeit_entry(body: ForfeitBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a board of two that one player did not come to: the other wins, without points."""
    tournament, number, at = board_of(body, ledger)
    board, player = tournament.rounds[number].boards[at], _number(tournament, body.player)
    if len(board.seats) != 2 or player not in board.seats:
        raise ConfigError(
            say(
                "forfeit.board",
                "{player} does not sit at board {board} of two players in round {round}",
                player=tournament.entrants[player].name,
                board=at + 1,
                round=number + 1,
            )
        )
    facts = {"tournament": tournament.name, "round": number + 1, "board": at + 1, "scores": [0, 0], "won": None}
    more = {"forfeit": board.seats.index(player), "reason": body.reason.strip(), "key": body.key.strip()}
    return {"kind": "entered", "by": actor, "wall": wall, **facts, **more}


def unseat_entry(body: RoundBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that takes the newest seating back; ConfigError once a board has a result."""
    tournament = _with_open_round(body, ledger)
    key = f"unseated-{name_key(tournament.name)}-{body.round}-{tournament.changes}"
    return {
        "kind": "unseated",
        "key": key,
        "tournament": tournament.name,
        "round": body.round,
        "by": actor,
        "wall": wall,
    }


def swap_entry(body: SwapBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry that lets two players of the newest round change their seats, one of whom may have the bye."""
    tournament = _with_open_round(body, ledger)
    players = [_number(tournament, body.player), _number(tournament, body.other)]
    newest = tournament.rounds[-1]
    seated = {player for board in newest.boards for player in board.seats} | set(newest.byes)
    for player in players:
        if player not in seated:
            raise ConfigError(
                say(
                    "swap.not_seated",
                    "{player} is not seated in round {round}",
                    player=tournament.entrants[player].name,
                    round=body.round,
                )
            )
    facts = {"tournament": tournament.name, "round": body.round, "players": players, "key": body.key.strip()}
    return {"kind": "swapped", "by": actor, "wall": wall, **facts}


def finals_entry(body: FinalsBody, ledger: Ledger, actor: str, wall: str) -> JsonObject:
    """Return the entry of a tournament of those who qualified; points begin anew."""
    tournament = require_tournament(body.tournament, ledger)
    number = len(tournament.rounds)
    if not number or boards_without_result(tournament, number - 1, ledger):
        raise ConfigError(
            say("finals.waits", "{name} has a round without every result; enter what is missing", name=tournament.name)
        )
    qualified = [tournament.entrants[player] for player in _qualified(tournament, body, ledger)]
    lines = "\n".join(f"{entrant.name},{entrant.rating},{entrant.club}" for entrant in qualified)
    new = NewTournament(
        name=body.name,
        entrants=f"name,rating,club\n{lines}",
        rounds=body.rounds,
        seats=body.seats,
        edition=tournament.edition,
        format=body.format,
    )
    return {**tournament_entry(new, ledger, actor, wall), "is_final": True}


def _qualified(tournament: Tournament, body: FinalsBody, ledger: Ledger) -> list[int]:
    """Return the players of a final in order: by the standings, those who still play."""
    order = [line.player for line in standings(tournament, ledger) if line.player not in tournament.left]
    if body.per_board is None:
        return order[: body.players]
    number = len(tournament.rounds) - 1
    through = {
        player
        for at, board in enumerate(tournament.rounds[number].boards)
        if (outcome := outcome_of(tournament, number, at, ledger)) is not None
        for player, rank in zip(board.seats, outcome.ranks, strict=True)
        if rank <= body.per_board
    }
    return [player for player in order if player in through]


def _with_open_round(body: RoundBody, ledger: Ledger) -> Tournament:
    """Return the tournament if this is its newest round and no board has a result; else raise ConfigError."""
    tournament = require_tournament(body.tournament, ledger)
    if body.round != len(tournament.rounds):
        raise ConfigError(
            say("round.not_newest", "round {round} is not the newest round; see the list", round=body.round)
        )
    at_work = [
        at
        for at, board in enumerate(tournament.rounds[-1].boards)
        if board.match or outcome_of(tournament, body.round - 1, at, ledger) is not None
    ]
    if at_work:
        raise ConfigError(
            say(
                "round.has_result",
                "board {board} of round {round} has a result already; the seating stays",
                board=at_work[0] + 1,
                round=body.round,
            )
        )
    return tournament


def _numbers(tournament: Tournament) -> dict[str, int]:
    return {name_key(entrant.name): number for number, entrant in enumerate(tournament.entrants)}


def _number(tournament: Tournament, player: str) -> int:
    """Return an entrant's number; ConfigError, with the nearest name, for somebody who does not play."""
    names, name = _numbers(tournament), name_key(player)
    if name not in names:
        raise ConfigError(
            say(
                "tournament.no_player",
                "{player} does not play in {name}; {way_out}",
                player=f"{player!r:.50}",
                name=tournament.name,
                way_out=way_out(name, names),
            )
        )
    return names[name]
