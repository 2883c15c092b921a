"""A tournament as the hall's journal would tell it, entry by entry."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import convert

from referee.hall import ledger as entries
from referee.hall import roster_entries, tournament_entries
from referee.hall.bodies import (
    ByeBody,
    FinalsBody,
    ForfeitBody,
    LateEntrant,
    LeaverBody,
    NewTournament,
    PenaltyBody,
    ResultBody,
    RoundBody,
    SignatureBody,
    SwapBody,
)
from referee.hall.ledger import Ledger, apply_entry
from referee.hall.messages import Result
from referee.hall.standings import standings
from referee.hall.tournament import Tournament, name_key
from referee.rules.declared_fields import read_fields

ENTRIES: dict[str, Any] = {
    "result": (tournament_entries.board_result_entry, ResultBody),
    "signature": (tournament_entries.signature_entry, SignatureBody),
    "finals": (roster_entries.finals_entry, FinalsBody),
    "late": (roster_entries.late_entry, LateEntrant),
    "leaver": (roster_entries.leaver_entry, LeaverBody),
    "return": (roster_entries.return_entry, LeaverBody),
    "half bye": (roster_entries.half_bye_entry, ByeBody),
    "forfeit": (roster_entries.forfeit_entry, ForfeitBody),
    "unseat": (roster_entries.unseat_entry, RoundBody),
    "swap": (roster_entries.swap_entry, SwapBody),
}


class Play:
    """A tournament that goes on by what is entered."""

    def __init__(
        self, names: str, *, seats: int = 2, rounds: int = 3, played: str = "booklet", ratings: Sequence[int] = ()
    ) -> None:
        players = names.split()
        lines = [f"{name},{rating}" for name, rating in zip(players, ratings or (0,) * len(players), strict=True)]
        rounds = min(rounds, len(players) - 1) if seats == 2 and not len(players) % 2 else rounds
        said = {"name": "Open", "rounds": rounds, "seats": seats, "edition": "original", "format": played}
        said["entrants"] = "\n".join(("name,rating", *lines))
        self._keys = 0
        self.ledger = apply_entry(
            Ledger(),
            tournament_entries.tournament_entry(read_fields(NewTournament, said, "it"), Ledger(), "organiser", "12:00"),
        )

    @property
    def tournament(self) -> Tournament:
        return self.ledger.tournaments[-1]

    @property
    def key(self) -> str:
        self._keys += 1
        return f"k{self._keys}"

    def seat(self, *boards: str, byes: str = "") -> None:
        """Seat a round by hand."""
        numbers = {entrant.name: at for at, entrant in enumerate(self.tournament.entrants)}
        seated = [
            {"table": f"t{at}", "seats": [numbers[name] for name in one.split()]} for at, one in enumerate(boards, 1)
        ]
        entry = {"kind": "round", "key": self.key, "tournament": "Open", "round": 1, "boards": seated}
        self.ledger = apply_entry(self.ledger, {**entry, "byes": [numbers[name] for name in byes.split()], "by": "o"})

    def tell(self, players: str, totals: Sequence[int], won: Sequence[int] = (), **more: Any) -> str:
        """A table tells the result of a match; gives the match."""
        won = won or [int(total == max(totals)) for total in totals]
        told = [
            {"name": name, "total": total, "games_won": games}
            for name, total, games in zip(players.split(), totals, won, strict=True)
        ]
        said = {"device": "d1", "journal": "m-1", "began_at": float(self._keys), "sha256": self.key, "players": told}
        result = {**said, "ranks": [1], **more}
        entry = entries.result_entry(more.get("table") or self._table(players), convert(result, Result), "12:30")
        self.ledger = apply_entry(self.ledger, entry)
        return entries.match_of(result)

    def _table(self, players: str) -> str:
        """Where these players sit in the newest round."""
        boards = self.tournament.rounds[-1].boards if self.tournament.rounds else ()
        seated = {frozenset(map(name_key, self.tournament.names(board))): board.table for board in boards}
        return seated.get(frozenset(map(name_key, players.split())), "t1")

    def say(self, what: str, **said: Any) -> None:
        """Enter what somebody decides about the tournament."""
        make, kind = ENTRIES[what]
        known = {"key": self.key, "reason": "miscounted"}
        said = {key: one for key, one in known.items() if key in kind.__struct_fields__} | said
        self.ledger = apply_entry(self.ledger, make(read_fields(kind, said, "it"), self.ledger, "arbiter", "13:00"))

    def seat_next(self) -> tuple[tuple[str, ...], ...]:
        """Seat the next round by the program; gives the players of its boards."""
        said = RoundBody(round=len(self.tournament.rounds) + 1)
        entry = tournament_entries.round_entry(said, self.ledger, (), "arbiter", "12:10")
        self.ledger = apply_entry(self.ledger, entry)
        return tuple(map(self.tournament.names, self.tournament.rounds[-1].boards))

    def penalise(self, player: str, points: int) -> None:
        said = PenaltyBody(key=self.key, table="t1", player=player, reason="looked", points=points)
        self.ledger = apply_entry(self.ledger, entries.penalty_entry(said, self.ledger, "arbiter", "13:00"))

    def places(self) -> list[tuple[Any, ...]]:
        """Rank, name, and what ranks there."""
        lines = standings(self.tournament, self.ledger)
        is_duel = self.tournament.seats == 2
        return [
            (
                line.rank,
                self.tournament.entrants[line.player].name,
                *((line.points, line.opponents) if is_duel else (line.games_won,)),
                line.total,
            )
            for line in lines
        ]


@pytest.fixture
def play() -> type[Play]:
    return Play
