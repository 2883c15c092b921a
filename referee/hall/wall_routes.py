"""Every address of the hall's page, and what answers there."""

import asyncio
import csv
import io
import logging
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from referee import __version__
from referee.errors import ConfigError, StorageError
from referee.hall.desk import Desk
from referee.hall.ledger import Ledger
from referee.hall.picture import Role, event_shown, natural, results, view
from referee.hall.tournament_files import safe
from referee.hall.tournament_routes import TournamentRoutes
from referee.hall.wall_stream import WallStream
from referee.web.api.event_stream import TooManyPagesError
from referee.web.api.page_files import load_assets
from referee.web.api.page_texts import with_languages
from referee.web.api.routes import ANSWERS_TO_FAULTS, Pages
from referee.web.security.connection_limits import Traffic
from referee.web.security.executors import Executors
from referee.web.security.logins import Lock, Logins
from referee.web.security.request_checks import Refusal, RequestChecks, known_names
from referee.web.security.requests import address_of, answer, body_of, only
from referee.web.security.sessions import is_this_machine

VERBS: Final = frozenset({"pause", "resume", "clock", "start", "next_game", "end_match", "undo", "answer_call"})
"""What the wall may ask of a table, of the table's own list."""
MAX_EVENTS: Final = 30

log = logging.getLogger("referee")


class WallRoutes:
    """The hall's page and what it asks."""

    def __init__(
        self, desk: Desk, stream: WallStream, locks: Mapping[str, Lock], executors: Executors, traffic: Traffic
    ) -> None:
        """Answer from this desk; who knows the PIN of a lock has its role."""
        self._desk, self._stream, self._executors = desk, stream, executors
        self.logins = Logins(locks, executors, traffic, about=_about, ended=lambda: None)
        self.tournament = TournamentRoutes(desk, executors, self._role, self._decider)

    async def wall(self, request: Request) -> Response:
        """Give every table."""
        return answer(self._stream.whole(self._role(request)))

    async def events(self, request: Request) -> Response:
        """Give the tables as they change."""
        address = address_of(request)
        if self._stream.is_full(address):
            raise Refusal(503, "busy", "too many pages follow the hall; close one", seconds=10)
        try:
            body = self._stream.follow(address, self._role(request))
        except TooManyPagesError:
            raise Refusal(503, "busy", "too many pages follow the hall; close one", seconds=10) from None
        return StreamingResponse(body, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def table(self, request: Request) -> Response:
        """Give one table to the staff, with its last events."""
        self._staff(request)
        name = str(request.path_params["name"])
        table = self._desk.tables.get(name)
        if table is None:
            raise Refusal(404, "unknown", f"no table {name[:40]!r} is known; look at the wall")
        newest = await self._executors.other(lambda: self._desk.events.newest(name, table.match, MAX_EVENTS))
        shown = view(table, self._desk.ledger, Role.ARBITER)
        told = [event_shown(event) for event in newest]
        return answer({"table": shown, "told": told, "health": dict(table.health)})

    async def ask(self, request: Request) -> Response:
        """Ask one table, several, or all that are linked, for something; each one's answer."""
        role = self._decider(request)
        body = await body_of(request)
        only(body, "tables", "verb", "with")
        names, verb, said = body["tables"], body["verb"], body["with"]
        if verb not in VERBS or not isinstance(said, dict):
            raise Refusal(400, "request", f"'verb' is {verb!r:.40}; use one of {', '.join(sorted(VERBS))}")
        tables = self._desk.tables
        if names == "all":
            names = [name for name, table in tables.items() if table.online]
        if not isinstance(names, list) or any(name not in tables for name in names):
            raise Refusal(400, "request", "'tables' is a list of names on the wall, or \"all\"")
        asked = {name: self._desk.ask(name, verb, said, role.value) for name in sorted(names, key=natural)}
        answers = dict(zip(asked, await asyncio.gather(*map(self._desk.answered, asked.values())), strict=True))
        log.info("the %s asked %d tables for %s", role.value, len(asked), verb)
        return answer({"answers": answers})

    async def penalise(self, request: Request) -> Response:
        """Enter a penalty."""
        return await self._decide(request, self._desk.penalise, ("key", "table", "player", "reason", "points"))

    async def withdraw(self, request: Request) -> Response:
        """Withdraw a penalty."""
        return await self._decide(request, self._desk.withdraw, ("number",))

    async def correct(self, request: Request) -> Response:
        """Correct a result by hand."""
        return await self._decide(request, self._desk.correct, ("key", "match", "reason", "scores"))

    async def _decide(
        self, request: Request, enter: Callable[[Mapping[str, Any], str], Ledger], keys: tuple[str, ...]
    ) -> Response:
        role = self._decider(request)
        body = await body_of(request)
        only(body, *keys)
        try:
            ledger = await self._executors.word(lambda: enter(body, role.value))
        except ConfigError as error:
            raise Refusal(400, "request", str(error)) from None
        except StorageError as error:
            raise Refusal(503, "disk", str(error), seconds=10) from None
        return answer({"penalties": list(ledger.penalties), "results": list(results(ledger))})

    async def forget(self, request: Request) -> Response:
        """Take a table that has gone off the wall."""
        self._decider(request)
        body = await body_of(request)
        only(body, "table")
        table = self._desk.tables.get(body["table"]) if isinstance(body["table"], str) else None
        if table is None or table.online:
            raise Refusal(409, "now", "only a table that is not linked can be taken off the wall")
        self._desk.forget(table.name)
        return answer({"ok": True})

    async def results(self, request: Request) -> Response:
        """Give every result to the staff."""
        self._staff(request)
        return answer({"results": list(results(self._desk.ledger))})

    async def results_csv(self, request: Request) -> Response:
        """Give every result as a sheet."""
        self._staff(request)
        sheet = io.StringIO()
        rows = csv.writer(sheet, lineterminator="\n")
        rows.writerow(("table", "match", "player", "told", "score", "corrected by", "reason"))
        for one in results(self._desk.ledger):
            last = one["corrections"][-1] if one["corrections"] else {"by": "", "reason": ""}
            for player, told, score in zip(one["players"], one["told"], one["scores"], strict=True):
                rows.writerow((one["table"], one["journal"], safe(player), told, score, last["by"], last["reason"]))
        return Response(sheet.getvalue(), media_type="text/csv")

    async def metrics(self, request: Request) -> Response:
        """Give the hall's metrics to this machine: Prometheus has no PIN, and alerts are not for guests."""
        if not is_this_machine(address_of(request)):
            raise Refusal(403, "role", "only this machine may read the metrics; let Prometheus read them here")
        if find_spec("prometheus_client") is None:
            raise Refusal(503, "unknown", "the metrics need prometheus-client; install it with the extra 'hall'")
        from referee.hall.metrics import exposition  # noqa: PLC0415 - needs the extra

        said = exposition(self._desk.tables, linked=self._desk.linked)
        return Response(said, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _role(self, request: Request) -> Role:
        return Role(self.logins.role(request) or Role.GUEST)

    def _staff(self, request: Request) -> None:
        if not self._role(request).decides:
            raise Refusal(403, "role", "only the organiser and the arbiter see that; log in with the PIN")

    def _decider(self, request: Request) -> Role:
        role = Role(self.logins.changer(request)[0] or Role.GUEST)
        if not role.decides:
            raise Refusal(403, "role", "only the organiser and the arbiter may do that; log in with the PIN")
        return role


def application(routes: WallRoutes, names: tuple[str, ...]) -> ASGIApp:
    """Give the hall's page, which may be called by these names, as an application for a server."""
    own = {f"hall/{path}": asset for path, asset in load_assets("referee.hall").items()}
    first = "hall/index.html"
    pages = Pages(with_languages({**load_assets(), **own}, first), first)
    app = Starlette(
        routes=[
            Route("/", pages.first),
            Route("/page/{path:path}", pages.part),
            Route("/api/session", routes.logins.session),
            Route("/api/login", routes.logins.login, methods=["POST"]),
            Route("/api/logout", routes.logins.logout, methods=["POST"]),
            Route("/api/wall", routes.wall),
            Route("/api/events", routes.events),
            Route("/api/table/{name}", routes.table),
            Route("/api/ask", routes.ask, methods=["POST"]),
            Route("/api/penalty", routes.penalise, methods=["POST"]),
            Route("/api/withdraw", routes.withdraw, methods=["POST"]),
            Route("/api/correct", routes.correct, methods=["POST"]),
            Route("/api/forget", routes.forget, methods=["POST"]),
            Route("/api/results", routes.results),
            *routes.tournament.routes(),
            Route("/metrics", routes.metrics),
            Route("/api/results.csv", routes.results_csv),
        ],
        exception_handlers=ANSWERS_TO_FAULTS,
    )
    return RequestChecks(app, known_names(names))


def _about(role: str | None) -> dict[str, Any]:
    return {"role": role or Role.GUEST.value, "version": __version__}
