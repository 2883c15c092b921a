"""The tournament's endpoints: its view, the staff's commands, and its files."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee.errors import ConfigError, StorageError
from referee.hall import answers, roster_entries
from referee.hall import tournament_entries as entries
from referee.hall.bodies import (
    MAX_ROUNDS,
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
from referee.hall.desk import Desk
from referee.hall.ledger import Ledger
from referee.hall.sheets import round_sheets, standings_sheet
from referee.hall.standings import boards_without_result
from referee.hall.tournament import Tournament, find_tournament
from referee.hall.tournament_files import game_records, results_csv, standings_csv, tournament_to_json
from referee.hall.wall_view import Role
from referee.language.catalogue import ENGLISH
from referee.plain_json import JsonObject
from referee.rules.wording import only_english, say
from referee.server.executors import Executors
from referee.server.openapi import ApiRoute
from referee.server.request_checks import Refusal, refusal_of
from referee.server.requests import file_response, json_response, read_body

_LEDGER_COMMANDS: Final[Mapping[str, tuple[Callable[[Any, Ledger, str, str], JsonObject], type[CommandBody]]]] = {
    "create": (entries.tournament_entry, NewTournament),
    "result": (entries.board_result_entry, ResultBody),
    "sign": (entries.signature_entry, SignatureBody),
    "finals": (roster_entries.finals_entry, FinalsBody),
    "join": (roster_entries.late_entry, LateEntrant),
    "leave": (roster_entries.leaver_entry, LeaverBody),
    "return": (roster_entries.return_entry, LeaverBody),
    "half-bye": (roster_entries.half_bye_entry, ByeBody),
    "forfeit": (roster_entries.forfeit_entry, ForfeitBody),
    "unseat": (roster_entries.unseat_entry, RoundBody),
    "swap": (roster_entries.swap_entry, SwapBody),
}
"""What the staff may enter."""
_NAME: Final = Annotated[str, Meta(max_length=200)]
_FILES: Final = {"tournament": _NAME, "round": Annotated[int, Meta(ge=1, le=MAX_ROUNDS)], "language": str}

log = logging.getLogger("referee")


class TournamentRoutes:
    """The request handlers of a tournament."""

    def __init__(
        self, desk: Desk, executors: Executors, role: Callable[[Request], Role], decider: Callable[[Request], Role]
    ) -> None:
        """Answer from this desk; `role` returns the visitor's role, `decider` raises Refusal without the right."""
        self._desk, self._executors, self._role, self._decider = desk, executors, role, decider

    def routes(self) -> list[Route]:
        """Return the routes of the tournament's endpoints."""
        return [
            ApiRoute("/api/tournament", self.show, answers.TournamentNow, query={"name": _NAME}),
            ApiRoute("/api/tournament/seat", self.seat, answers.TournamentNow, body=RoundBody),
            ApiRoute("/api/tournament/start", self.start, answers.Answers, body=RoundBody),
            ApiRoute(
                "/api/tournament/files/{name}", self.file, "application/octet-stream", query=_FILES, organiser=True
            ),
            *(self._entering(word, make, kind) for word, (make, kind) in _LEDGER_COMMANDS.items()),
        ]

    async def show(self, request: Request) -> Response:
        """Return a tournament; guests see results of complete rounds only."""
        role, ledger = self._role(request), self._desk.ledger
        tournament = find_tournament(ledger.tournaments, request.query_params.get("name", ""))
        if tournament is None:
            return json_response({"tournament": None, "names": []})
        shown = tournament_to_json(tournament, ledger, _complete(tournament, ledger) if role is Role.GUEST else None)
        if not role.can_decide:
            del shown["strays"]
        return json_response({"tournament": shown, "names": [tournament.name for tournament in ledger.tournaments]})

    async def seat(self, request: Request) -> Response:
        """Seat the next round at the linked tables."""
        role = self._decider(request)
        body = await read_body(request, RoundBody)
        return self._shown(
            body.tournament, await enter_or_refuse(self._executors.other, self._desk.seat, body, role.value)
        )

    async def start(self, request: Request) -> Response:
        """Start the matches of the newest round that have not begun; return each table's answer."""
        role = self._decider(request)
        body = await read_body(request, RoundBody)
        tournament = _or_refuse(lambda: entries.require_tournament(body.tournament, self._desk.ledger))
        if body.round != len(tournament.rounds):
            message = say("refused.round", "round {round} is not the current round; see the list", round=body.round)
            raise Refusal(409, "now", message)
        pending = {
            board.table: self._desk.send_command(
                board.table,
                "start",
                {"names": list(tournament.names(board)), "edition": tournament.edition, "format": tournament.format},
                role.value,
            )
            for board in tournament.rounds[-1].boards
            if board.table
            and not board.match
            and not board.entered
            and not self._plays(board.table, tournament.names(board))
        }
        replies = await asyncio.gather(*map(self._desk.wait_for_answer, pending.values()))
        log.info(
            "the %s started round %d of %s at %d tables",
            role.value,
            len(tournament.rounds),
            tournament.name,
            len(pending),
        )
        return json_response({"answers": dict(zip(pending, replies, strict=True))})

    def _plays(self, name: str, players: tuple[str, ...]) -> bool:
        """Return whether these players play there already; a repeated start must not end their match."""
        table = self._desk.tables.get(name)
        match = None if table is None else table.state.match
        names = () if match is None else tuple(player.name for player in match.players)
        return match is not None and names == players and match.phase != "match_over"

    def _entering(
        self, word: str, make: Callable[[Any, Ledger, str, str], JsonObject], kind: type[CommandBody]
    ) -> Route:
        async def enter(request: Request) -> Response:
            role, body = self._decider(request), await read_body(request, kind)
            name = body.name if isinstance(body, NewTournament) else getattr(body, "tournament", "")
            return self._shown(
                name, await enter_or_refuse(self._executors.command, self._desk.enter, make, body, role.value)
            )

        enter.__name__, enter.__doc__ = word, (kind.__doc__ or "").partition("\n")[0]
        return ApiRoute(f"/api/tournament/{word}", enter, answers.TournamentNow, body=kind)

    def _shown(self, name: str, ledger: Ledger) -> Response:
        return json_response({"tournament": tournament_to_json(entries.require_tournament(name, ledger), ledger)})

    async def file(self, request: Request) -> Response:
        """Return a file of a tournament to the staff."""
        if not self._role(request).can_decide:
            raise staff_only_view()
        name, ledger = str(request.path_params["name"]), self._desk.ledger
        tournament = _or_refuse(lambda: entries.require_tournament(request.query_params.get("tournament", ""), ledger))
        number, language = request.query_params.get("round", ""), request.query_params.get("language", ENGLISH)
        try:
            content, kind = await self._executors.other(lambda: self._file(name, tournament, ledger, number, language))
        except (ConfigError, StorageError) as error:
            raise refusal_of(error, 409, "now") from None
        return file_response(content, kind, name)

    def _file(self, name: str, tournament: Tournament, ledger: Ledger, number: str, language: str) -> tuple[bytes, str]:
        plain = tournament_to_json(tournament, ledger)
        if name == "sheets.pdf":
            wanted = int(number) if number.isascii() and number.isdecimal() else 0
            return round_sheets(plain, wanted, language), "application/pdf"
        if name == "standings.pdf":
            return standings_sheet(plain, language), "application/pdf"
        texts: Mapping[str, tuple[Callable[[], str], str]] = {
            "standings.csv": (lambda: standings_csv(plain), "text/csv; charset=utf-8"),
            "results.csv": (lambda: results_csv(plain), "text/csv; charset=utf-8"),
            "tournament.json": (lambda: json.dumps(plain, ensure_ascii=False, indent=1), "application/json"),
            "records.txt": (lambda: game_records(tournament, ledger, self._desk.events), "text/plain; charset=utf-8"),
        }
        if name not in texts:
            raise ConfigError(
                only_english(f"there is no file {name[:40]!r}; ask for sheets.pdf, standings.pdf or {', '.join(texts)}")
            )
        make, kind = texts[name]
        return make().encode(), kind


def _complete(tournament: Tournament, ledger: Ledger) -> int:
    """Return the number of rounds with all results."""
    numbers = range(len(tournament.rounds))
    return next(
        (number for number in numbers if boards_without_result(tournament, number, ledger)), len(tournament.rounds)
    )


def staff_only_view() -> Refusal:
    """Return the response to a guest who asks for what the staff sees."""
    message = say("refused.staff_view", "only the organiser and the arbiter may see that; log in with the PIN")
    return Refusal(403, "role", message)


async def enter_or_refuse(
    lane: Callable[[Callable[[], Ledger]], Awaitable[Ledger]], enter: Callable[..., Ledger], *arguments: Any
) -> Ledger:
    """Append a staff decision in this executor lane; Refusal if it is impossible or cannot be stored."""
    try:
        return await lane(lambda: enter(*arguments))
    except ConfigError as error:
        raise refusal_of(error, 400, "request") from None
    except StorageError as error:
        raise refusal_of(error, 503, "disk", seconds=10) from None


def _or_refuse(find: Callable[[], Tournament]) -> Tournament:
    try:
        return find()
    except ConfigError as error:
        raise refusal_of(error, 404, "unknown") from None
