"""A tournament folded from the hall's journal: entrants, the seating of each round, and results.

A pure fold of the journal's entries. A result that a table tells belongs to the first free board of the newest round
that seats just these players at this table, or at no table of its own; no clock is asked. What fits nowhere is kept as
a stray and shown, so that nothing counts that nobody looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from referee.game.player_names import tidy_name
from referee.hall.messages import Result
from referee.plain_json import JsonObject
from referee.rules.editions import RuleSet
from referee.rules.formats import agreed_rules


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player; a higher rating is stronger, 0: unknown."""

    name: str
    rating: int = 0
    club: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The players of one board by seat, as indices of entrants."""

    table: str
    """The assigned table; "" if the players choose one."""
    seats: tuple[int, ...]
    match: str = ""
    """The match that reported its result."""
    entered: tuple[JsonObject, ...] = ()
    """Results entered by hand, newest last."""
    signed: str = ""
    """The role that confirmed the signatures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The boards, byes and penalties of one round."""

    boards: tuple[Board, ...]
    byes: tuple[int, ...] = ()
    half_byes: tuple[int, ...] = ()
    """Players who asked to miss it, for half a point."""
    penalties: tuple[int, ...] = ()
    """The numbers of the penalties of this round."""
    key: str = ""
    """The key of the entry that seated it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament so far."""

    name: str
    entrants: tuple[Entrant, ...]
    length: int
    """The number of planned rounds."""
    seats: int
    """The players at a full table; two play by the Swiss system."""
    edition: str
    format: str
    rounds: tuple[Round, ...] = ()
    left: frozenset[int] = frozenset()
    """Players who withdrew."""
    half_byes: frozenset[tuple[int, int]] = frozenset()
    """Rounds, from 1, and the players who asked to miss them."""
    is_final: bool = False
    """Its entrants qualified in this order, and are dealt to the first boards in turn: 1-3-5-7 and 2-4-6-8."""
    changes: int = 0
    """How often a player came back or a seating was taken back."""
    strays: tuple[JsonObject, ...] = field(default_factory=tuple)
    """Results of its players that fit no board of the current round."""

    @property
    def rules(self) -> RuleSet:
        """The rules of its edition and format."""
        return agreed_rules(self.edition, self.format)

    @property
    def present(self) -> tuple[int, ...]:
        """Players who still play, also those who miss the next round."""
        return tuple(number for number in range(len(self.entrants)) if number not in self.left)

    @property
    def next_players(self) -> tuple[int, ...]:
        """Players of the next round."""
        return tuple(player for player in self.present if (len(self.rounds) + 1, player) not in self.half_byes)

    def names(self, board: Board) -> tuple[str, ...]:
        """Return the players of a board by seat."""
        return tuple(self.entrants[number].name for number in board.seats)


def name_key(name: str) -> str:
    """Return the key under which spellings of a name are equal."""
    return tidy_name(name).casefold()


def apply_to_tournaments(tournaments: tuple[Tournament, ...], entry: JsonObject) -> tuple[Tournament, ...]:
    """Return the tournaments after a journal entry that is no result."""
    kind = entry["kind"]
    if kind == "tournament":
        return (*tournaments, tournament_from_entry(entry))
    change = _CHANGES.get(kind)
    if change is not None:
        return tuple(
            change(tournament, entry) if tournament.name == entry["tournament"] else tournament
            for tournament in tournaments
        )
    if kind == "penalty":
        return (*tournaments[:-1], *(_penalised(tournament, entry) for tournament in tournaments[-1:]))
    if kind == "corrected":
        return tuple(_unsigned(tournament, entry["match"]) for tournament in tournaments)
    return tournaments


def with_reported_result(
    tournaments: tuple[Tournament, ...], match: str, table: str, told: Result
) -> tuple[Tournament, ...]:
    """Return the tournaments after a table reported a new result of a match."""
    return tuple(
        _with_reported_result(tournament, match, table, told, is_newest=tournament is tournaments[-1])
        for tournament in tournaments
    )


def tournament_from_entry(entry: JsonObject) -> Tournament:
    """Return the new tournament that an entry describes."""
    return Tournament(
        name=entry["name"],
        entrants=tuple(Entrant(entrant["name"], entrant["rating"], entrant["club"]) for entrant in entry["entrants"]),
        length=entry["rounds"],
        seats=entry["seats"],
        edition=entry["edition"],
        format=entry["format"],
        is_final=entry.get("is_final", False),
    )


def as_created(tournament: Tournament, entrants: int) -> Tournament:
    """Return a tournament as it was created with this many entrants."""
    return Tournament(
        name=tournament.name,
        entrants=tournament.entrants[:entrants],
        length=tournament.length,
        seats=tournament.seats,
        edition=tournament.edition,
        format=tournament.format,
        is_final=tournament.is_final,
    )


def _with_round(tournament: Tournament, entry: JsonObject) -> Tournament:
    boards = tuple(Board(table=board["table"], seats=tuple(board["seats"])) for board in entry["boards"])
    byes, half = tuple(entry["byes"]), tuple(entry.get("half_byes", ()))
    seated = Round(boards=boards, byes=byes, half_byes=half, key=str(entry.get("key", "")))
    return replace(tournament, rounds=(*tournament.rounds, seated))


def _without_round(tournament: Tournament, entry: JsonObject) -> Tournament:
    """Take the newest seating back, if it is still the one that was meant."""
    if len(tournament.rounds) != entry["round"]:
        return tournament
    return replace(tournament, rounds=tournament.rounds[:-1], changes=tournament.changes + 1)


def _with_swapped(tournament: Tournament, entry: JsonObject) -> Tournament:
    one, other = entry["players"]
    to = {one: other, other: one}
    newest = tournament.rounds[-1]
    boards = tuple(
        replace(board, seats=tuple(to.get(player, player) for player in board.seats)) for board in newest.boards
    )
    byes = tuple(to.get(player, player) for player in newest.byes)
    return replace(tournament, rounds=(*tournament.rounds[:-1], replace(newest, boards=boards, byes=byes)))


def _with_entrant(tournament: Tournament, entry: JsonObject) -> Tournament:
    """Add a late entrant, with byes for the rounds that are there if so agreed."""
    late = len(tournament.entrants)
    rounds = tournament.rounds
    if entry["missed"] == "bye":
        rounds = tuple(replace(seated, byes=(*seated.byes, late)) for seated in rounds)
    entrant = Entrant(entry["player"], entry["rating"], entry["club"])
    return replace(tournament, entrants=(*tournament.entrants, entrant), rounds=rounds)


def _with_returned(tournament: Tournament, entry: JsonObject) -> Tournament:
    return replace(tournament, left=tournament.left - {entry["player"]}, changes=tournament.changes + 1)


def _with_half_bye(tournament: Tournament, entry: JsonObject) -> Tournament:
    return replace(tournament, half_byes=tournament.half_byes | {(entry["round"], entry["player"])})


def _with_board(tournament: Tournament, number: int, at: int, **changes: Any) -> Tournament:
    """Return the tournament with one board changed; round and board count from 0."""
    found = tournament.rounds[number]
    boards = (*found.boards[:at], replace(found.boards[at], **changes), *found.boards[at + 1 :])
    rounds = (*tournament.rounds[:number], replace(found, boards=boards), *tournament.rounds[number + 1 :])
    return replace(tournament, rounds=rounds)


def _with_entered(tournament: Tournament, entry: JsonObject) -> Tournament:
    number, at = entry["round"] - 1, entry["board"] - 1
    entered = (*tournament.rounds[number].boards[at].entered, entry)
    return _with_board(tournament, number, at, entered=entered, signed="")


def _with_signature(tournament: Tournament, entry: JsonObject) -> Tournament:
    return _with_board(tournament, entry["round"] - 1, entry["board"] - 1, signed=entry["by"])


def _with_leaver(tournament: Tournament, entry: JsonObject) -> Tournament:
    return replace(tournament, left=tournament.left | {entry["player"]})


def _with_reported_result(
    tournament: Tournament, match: str, table: str, told: Result, *, is_newest: bool
) -> Tournament:
    """Assign a reported result to its known board, else to a free board of the newest round, else to the strays."""
    if any(board.match == match for found in tournament.rounds for board in found.boards):
        return _unsigned(tournament, match)
    if not is_newest or not tournament.rounds or not told.ranks:  # no game was won: the match will be restarted
        return tournament
    names = [player.name for player in told.players]
    players = sorted(map(name_key, names))
    number = len(tournament.rounds) - 1
    for at, board in enumerate(tournament.rounds[number].boards):
        is_here = not board.match and board.table in {"", table}
        if is_here and sorted(map(name_key, tournament.names(board))) == players:
            return _with_board(tournament, number, at, match=match, signed="")
    if set(players) & {name_key(entrant.name) for entrant in tournament.entrants}:
        stray = {"table": table, "round": number + 1, "match": match, "players": names}
        known = (known for known in tournament.strays if known["match"] != match)
        return replace(tournament, strays=(*known, stray))
    return tournament


def _unsigned(tournament: Tournament, match: str) -> Tournament:
    for number, found in enumerate(tournament.rounds):
        for at, board in enumerate(found.boards):
            if board.match == match:
                return _with_board(tournament, number, at, signed="")
    return tournament


def _penalised(tournament: Tournament, entry: JsonObject) -> Tournament:
    """Add a penalty to the current round if its player is an entrant."""
    if not tournament.rounds or name_key(entry["player"]) not in {
        name_key(entrant.name) for entrant in tournament.entrants
    }:
        return tournament
    *earlier, newest = tournament.rounds
    return replace(tournament, rounds=(*earlier, replace(newest, penalties=(*newest.penalties, entry["number"]))))


def find_tournament(tournaments: Sequence[Tournament], name: str) -> Tournament | None:
    """Return the tournament of this name, the newest if it is empty; None if there is none."""
    found = [tournament for tournament in tournaments if not name or name_key(tournament.name) == name_key(name)]
    return found[-1] if found else None


_CHANGES: Final[Mapping[str, Callable[[Tournament, JsonObject], Tournament]]] = MappingProxyType(
    {
        "round": _with_round,
        "unseated": _without_round,
        "swapped": _with_swapped,
        "entered": _with_entered,
        "signed": _with_signature,
        "joined": _with_entrant,
        "left": _with_leaver,
        "returned": _with_returned,
        "half_bye": _with_half_bye,
    }
)
TOURNAMENT_ENTRY_KINDS: Final = ("tournament", *_CHANGES)
"""The kinds of entries that concern tournaments only."""
