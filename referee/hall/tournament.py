"""A tournament as the hall's journal tells it: who entered, who sits where in each round, and what was said of results.

A pure fold of the journal's entries. A result that a table tells belongs to the first free board of the newest round
that seats just these players, whatever the table is called; no clock is asked. What fits nowhere is kept as a stray
and shown, so that nothing counts that nobody looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from referee.game.player_names import tidy_name
from referee.rules.editions import RuleSet
from referee.rules.formats import agreed_rules

Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player; a higher rating is stronger, 0: unknown."""

    name: str
    rating: int = 0
    club: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Who plays together in a round, by seat; players are numbers of entrants, from 0."""

    table: str
    """The table they were sent to; "" where they find one."""
    seats: tuple[int, ...]
    match: str = ""
    """The match that told its result."""
    entered: tuple[Plain, ...] = ()
    """Results entered by hand, the newest last."""
    signed: str = ""
    """Who saw the sheet signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round."""

    boards: tuple[Board, ...]
    byes: tuple[int, ...] = ()
    penalties: tuple[int, ...] = ()
    """The numbers of penalties entered in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament so far."""

    name: str
    entrants: tuple[Entrant, ...]
    length: int
    """How many rounds are planned."""
    seats: int
    """How many sit at a full table; two play by the Swiss system."""
    edition: str
    format: str
    rounds: tuple[Round, ...] = ()
    left: frozenset[int] = frozenset()
    """Those who play no more."""
    strays: tuple[Plain, ...] = field(default_factory=tuple)
    """Results of its players that fit no board of the round they were told in."""

    @property
    def rules(self) -> RuleSet:
        """The rules it is played by."""
        return agreed_rules(self.edition, self.format)

    @property
    def present(self) -> tuple[int, ...]:
        """Those who play on."""
        return tuple(number for number in range(len(self.entrants)) if number not in self.left)

    def names(self, board: Board) -> tuple[str, ...]:
        """Return the players of a board by seat."""
        return tuple(self.entrants[number].name for number in board.seats)


def as_key(name: str) -> str:
    """Return the common form of different spellings of a name."""
    return tidy_name(name).casefold()


def follow(tournaments: tuple[Tournament, ...], entry: Plain, *, is_news: bool = True) -> tuple[Tournament, ...]:
    """Return the tournaments after an entry of the journal; `is_news`: a result brings other scores than before."""
    kind = entry["kind"]
    if kind == "tournament":
        return (*tournaments, made(entry))
    change = _OF_ONE.get(kind)
    if change is not None:
        return tuple(change(one, entry) if one.name == entry["tournament"] else one for one in tournaments)
    if kind == "penalty":
        return (*tournaments[:-1], *(_penalised(one, entry) for one in tournaments[-1:]))
    if kind == "result" and is_news:
        return tuple(_told(one, entry, is_newest=one is tournaments[-1]) for one in tournaments)
    if kind == "corrected":
        return tuple(_unsigned(one, entry["match"]) for one in tournaments)
    return tournaments


def made(entry: Plain) -> Tournament:
    """Return a tournament at its beginning."""
    return Tournament(
        name=entry["name"],
        entrants=tuple(Entrant(one["name"], one["rating"], one["club"]) for one in entry["entrants"]),
        length=entry["rounds"],
        seats=entry["seats"],
        edition=entry["edition"],
        format=entry["format"],
    )


def _with_round(one: Tournament, entry: Plain) -> Tournament:
    boards = tuple(Board(table=board["table"], seats=tuple(board["seats"])) for board in entry["boards"])
    return replace(one, rounds=(*one.rounds, Round(boards=boards, byes=tuple(entry["byes"]))))


def _changed(one: Tournament, number: int, at: int, **said: Any) -> Tournament:
    """Return the tournament with one board of one round, both counted from 0, changed."""
    found = one.rounds[number]
    boards = (*found.boards[:at], replace(found.boards[at], **said), *found.boards[at + 1 :])
    rounds = (*one.rounds[:number], replace(found, boards=boards), *one.rounds[number + 1 :])
    return replace(one, rounds=rounds)


def _with_entered(one: Tournament, entry: Plain) -> Tournament:
    number, at = entry["round"] - 1, entry["board"] - 1
    entered = (*one.rounds[number].boards[at].entered, entry)
    return _changed(one, number, at, entered=entered, signed="")


def _with_signature(one: Tournament, entry: Plain) -> Tournament:
    return _changed(one, entry["round"] - 1, entry["board"] - 1, signed=entry["by"])


def _without(one: Tournament, entry: Plain) -> Tournament:
    return replace(one, left=one.left | {entry["player"]})


def _told(one: Tournament, entry: Plain, *, is_newest: bool) -> Tournament:
    """Take a result: of a match known already, or of a board of the newest round."""
    match = entry["match"]
    if any(board.match == match for found in one.rounds for board in found.boards):
        return _unsigned(one, match)
    if not is_newest or not one.rounds or not entry["result"].get("ranks"):  # nobody won a game: they begin anew
        return one
    players = {as_key(player["name"]) for player in entry["result"]["players"]}
    number = len(one.rounds) - 1
    for at, board in enumerate(one.rounds[number].boards):
        if not board.match and {as_key(name) for name in one.names(board)} == players:
            return _changed(one, number, at, match=match, signed="")
    if players & {as_key(entrant.name) for entrant in one.entrants}:
        names = [player["name"] for player in entry["result"]["players"]]
        stray = {"table": entry["table"], "round": number + 1, "match": match, "players": names}
        known = (known for known in one.strays if known["match"] != match)
        return replace(one, strays=(*known, stray))
    return one


def _unsigned(one: Tournament, match: str) -> Tournament:
    for number, found in enumerate(one.rounds):
        for at, board in enumerate(found.boards):
            if board.match == match:
                return _changed(one, number, at, signed="")
    return one


def _penalised(one: Tournament, entry: Plain) -> Tournament:
    """Count a penalty in the round that is played, if it is one of its players'."""
    if not one.rounds or as_key(entry["player"]) not in {as_key(entrant.name) for entrant in one.entrants}:
        return one
    *earlier, newest = one.rounds
    return replace(one, rounds=(*earlier, replace(newest, penalties=(*newest.penalties, entry["number"]))))


def named(tournaments: Sequence[Tournament], name: str) -> Tournament | None:
    """Return a tournament by its name, the newest where none is said; None where there is none."""
    found = [one for one in tournaments if not name or as_key(one.name) == as_key(name)]
    return found[-1] if found else None


_OF_ONE: Final[Mapping[str, Callable[[Tournament, Plain], Tournament]]] = MappingProxyType(
    {"round": _with_round, "entered": _with_entered, "signed": _with_signature, "left": _without}
)
KINDS: Final = ("tournament", *_OF_ONE)
"""The entries that are of tournaments alone."""
