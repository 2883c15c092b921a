"""The hall's endpoints and their request handlers."""

import asyncio
import csv
import io
import logging
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee import __version__
from referee.errors import StorageError
from referee.hall import answers
from referee.hall.bodies import CommandBody, CorrectionBody, ForgetTable, PenaltyBody, TableCommand, WithdrawalBody
from referee.hall.desk import Desk
from referee.hall.ledger import Ledger, correction_entry, penalty_entry, withdrawal_entry
from referee.hall.messages import read_event
from referee.hall.tables import HallTable
from referee.hall.tournament_files import spreadsheet_safe
from referee.hall.tournament_routes import TournamentRoutes, enter_or_refuse, staff_only_view
from referee.hall.wall_stream import WallStream
from referee.hall.wall_view import Role, event_view, natural_key, result_views, table_view
from referee.plain_json import JsonObject
from referee.rules.wording import Message, only_english, say
from referee.server.connection_limits import Traffic
from referee.server.event_streams import PageEvents
from referee.server.executors import Executors
from referee.server.logins import Login, Logins, RolePin
from referee.server.openapi import ApiRoute, OpenApiDocument
from referee.server.page_files import load_assets
from referee.server.page_texts import with_languages
from referee.server.request_checks import Refusal, RequestChecks, accepted_names, refusal_of
from referee.server.requests import EmptyBody, bytes_response, client_address, json_response, read_body
from referee.server.sessions import is_this_machine
from referee.server.static_files import EXCEPTION_HANDLERS, StaticFiles

MAX_EVENTS: Final = 30

log = logging.getLogger("referee")


class WallRoutes:
    """The request handlers of the hall's page."""

    def __init__(
        self, desk: Desk, stream: WallStream, locks: Mapping[str, RolePin], executors: Executors, traffic: Traffic
    ) -> None:
        """Answer from this desk; a visitor who enters the PIN of a lock gets its role."""
        self._desk, self._stream, self._executors = desk, stream, executors
        self.logins = Logins(locks, executors, traffic, about=_about, ended=lambda: None)
        self.tournament = TournamentRoutes(desk, executors, self._role, self._decider)

    async def wall(self, request: Request) -> Response:
        """Return every table."""
        return json_response(self._stream.snapshot(self._role(request)))

    async def events(self, request: Request) -> Response:
        """Stream changed tables as server-sent events."""
        if (page := self._stream.join(client_address(request), self._role(request))) is None:
            message = say("refused.hall_pages", "too many pages of the hall are open; close one")
            raise Refusal(503, "busy", message, seconds=10)
        return PageEvents(self._stream.follow(page), lambda: self._stream.leave(page))

    async def table(self, request: Request) -> Response:
        """Return one table to the staff, with its last events."""
        self._staff(request)
        name = str(request.path_params["name"])
        table = self._desk.tables.get(name)
        if table is None:
            raise Refusal(404, "unknown", _unknown_table(name))
        newest = await self._executors.other(lambda: self._newest_events(table))
        shown = table_view(table, self._desk.ledger, Role.ARBITER)
        events = [event_view(event) for event in map(read_event, newest) if event is not None]
        return json_response({"table": shown, "told": events, "health": table.health.report})

    def _newest_events(self, table: HallTable) -> list[JsonObject]:
        try:
            return self._desk.events.newest(table.name, table.match, MAX_EVENTS) if table.match else []
        except StorageError as error:
            raise refusal_of(error, 503, "disk", seconds=10) from None

    async def send_command(self, request: Request) -> Response:
        """Send a command to one, several or all linked tables; return each table's answer."""
        role = self._decider(request)
        body = await read_body(request, TableCommand)
        tables = self._desk.tables
        names = [name for name, table in tables.items() if table.online] if body.tables == "all" else body.tables
        if unknown := [name for name in names if name not in tables]:
            raise Refusal(400, "request", _unknown_table(unknown[0]))
        names = sorted(names, key=natural_key)
        once = {} if body.id is None else {"id": body.id}
        pending = {
            name: self._desk.send_command(
                name, body.verb, {**body.details, **body.meant.get(name, {}), **once}, role.value
            )
            for name in names
        }
        replies = dict(
            zip(pending, await asyncio.gather(*map(self._desk.wait_for_answer, pending.values())), strict=True)
        )
        log.info("the %s asked %d tables for %s", role.value, len(pending), body.verb)
        return json_response({"answers": replies})

    async def penalise(self, request: Request) -> Response:
        """Enter a penalty."""
        return await self._decide(request, penalty_entry, PenaltyBody)

    async def withdraw(self, request: Request) -> Response:
        """Withdraw a penalty."""
        return await self._decide(request, withdrawal_entry, WithdrawalBody)

    async def correct(self, request: Request) -> Response:
        """Correct a result by hand."""
        return await self._decide(request, correction_entry, CorrectionBody)

    async def _decide(
        self, request: Request, make: Callable[[Any, Ledger, str, str], JsonObject], kind: type[CommandBody]
    ) -> Response:
        role = self._decider(request)
        ledger = await enter_or_refuse(
            self._executors.command, self._desk.enter, make, await read_body(request, kind), role.value
        )
        return json_response({"penalties": list(ledger.penalties), "results": list(result_views(ledger))})

    async def forget(self, request: Request) -> Response:
        """Remove a table that is no longer linked."""
        self._decider(request)
        table = self._desk.tables.get((await read_body(request, ForgetTable)).table)
        if table is None or table.online:
            message = say("refused.linked", "a linked table stays on the wall; switch it off first")
            raise Refusal(409, "now", message)
        self._desk.forget(table.name)
        return json_response({"ok": True})

    async def results(self, request: Request) -> Response:
        """Return every result to the staff."""
        self._staff(request)
        return json_response({"results": list(result_views(self._desk.ledger))})

    async def results_csv(self, request: Request) -> Response:
        """Return every result as CSV to the staff."""
        self._staff(request)
        sheet = io.StringIO()
        rows = csv.writer(sheet, lineterminator="\n")
        rows.writerow(("table", "match", "player", "told", "score", "corrected by", "reason"))
        for result in result_views(self._desk.ledger):
            last = result["corrections"][-1] if result["corrections"] else {"by": "", "reason": ""}
            for player, reported, score in zip(result["players"], result["told"], result["scores"], strict=True):
                rows.writerow(
                    (
                        result["table"],
                        result["journal"],
                        spreadsheet_safe(player),
                        reported,
                        score,
                        last["by"],
                        last["reason"],
                    )
                )
        return bytes_response(sheet.getvalue().encode(), kind="text/csv")

    async def metrics(self, request: Request) -> Response:
        """Return the hall's metrics to this machine only: Prometheus has no PIN, and guests see no alerts."""
        if not is_this_machine(client_address(request)):
            message = only_english("only this machine may read the metrics; run Prometheus here")
            raise Refusal(403, "role", message)
        if find_spec("prometheus_client") is None:
            message = only_english("the metrics need prometheus-client; install it with the extra 'wall'")
            raise Refusal(503, "unknown", message)
        from referee.hall.metrics import exposition  # noqa: PLC0415 - needs the extra

        body = exposition(self._desk.tables, linked=self._desk.linked)
        return Response(body, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _role(self, request: Request) -> Role:
        return Role(self.logins.role(request) or Role.GUEST)

    def _staff(self, request: Request) -> None:
        if not self._role(request).can_decide:
            raise staff_only_view()

    def _decider(self, request: Request) -> Role:
        role = Role(self.logins.authorise_change(request)[0] or Role.GUEST)
        if not role.can_decide:
            message = say("refused.staff", "only the organiser and the arbiter may do that; log in with the PIN")
            raise Refusal(403, "role", message)
        return role


def _unknown_table(name: str) -> Message:
    return say("refused.table", "table {name} is unknown; see the wall", name=repr(name[:40]))


def application(routes: WallRoutes, names: tuple[str, ...]) -> ASGIApp:
    """Return the hall's ASGI application; `names` are accepted host names."""
    own = {f"hall/{path}": asset for path, asset in load_assets("referee.hall").items()}
    first = "hall/index.html"
    pages = StaticFiles(with_languages({**load_assets(), **own}, first), first)
    listed = [
        Route("/", pages.first),
        Route("/page/{path:path}", pages.part),
        ApiRoute("/api/session", routes.logins.session, answers.Session),
        ApiRoute("/api/login", routes.logins.login, answers.Session, body=Login),
        ApiRoute("/api/logout", routes.logins.logout, answers.Session, body=EmptyBody),
        ApiRoute("/api/wall", routes.wall, answers.Wall),
        ApiRoute("/api/events", routes.events, "text/event-stream"),
        ApiRoute("/api/table/{name}", routes.table, answers.TableTold, organiser=True),
        ApiRoute("/api/ask", routes.send_command, answers.Answers, body=TableCommand),
        ApiRoute("/api/penalty", routes.penalise, answers.Records, body=PenaltyBody),
        ApiRoute("/api/withdraw", routes.withdraw, answers.Records, body=WithdrawalBody),
        ApiRoute("/api/correct", routes.correct, answers.Records, body=CorrectionBody),
        ApiRoute("/api/forget", routes.forget, answers.Done, body=ForgetTable),
        ApiRoute("/api/results", routes.results, answers.Results, organiser=True),
        ApiRoute("/api/results.csv", routes.results_csv, "text/csv", organiser=True),
        *routes.tournament.routes(),
        Route("/metrics", routes.metrics),
    ]
    interface = OpenApiDocument(listed, "The interface of a hall's page; see docs/hall.md.")
    listed.append(ApiRoute("/api/openapi.json", interface.document, dict[str, Any]))
    app = Starlette(routes=listed, exception_handlers=EXCEPTION_HANDLERS)
    return RequestChecks(app, accepted_names(names))


def _about(role: str | None) -> dict[str, Any]:
    return {"role": role or Role.GUEST.value, "version": __version__}
