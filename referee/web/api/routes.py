"""Every address of the page, and what answers there."""

from collections.abc import Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee.web.api.bundle import bundled
from referee.web.api.command_routes import CommandRoutes
from referee.web.api.dependencies import Dependencies
from referee.web.api.evening_routes import EveningRoutes
from referee.web.api.event_stream import EventStream
from referee.web.api.logs import Logs
from referee.web.api.manual import Manual
from referee.web.api.organiser_routes import OrganiserRoutes
from referee.web.api.page_files import Asset, load_assets
from referee.web.api.page_texts import page_text, with_languages
from referee.web.api.public_routes import PublicRoutes
from referee.web.security.connection_limits import Traffic
from referee.web.security.executors import Executors
from referee.web.security.request_checks import Refusal, RequestChecks, known_names
from referee.web.security.requests import answer


def application(
    parts: Dependencies, stream: EventStream, executors: Executors, logs: Logs, traffic: Traffic, *, port: int
) -> ASGIApp:
    """Give the page as an application for a server."""
    commands = CommandRoutes(parts, stream, executors, traffic)
    public = PublicRoutes(parts, stream, executors, traffic, commands.is_organiser, port=port)
    organiser = OrganiserRoutes(parts, commands, executors, logs)
    evenings = EveningRoutes(parts, stream, commands, executors)
    pages = Pages(with_languages(bundled(load_assets())))
    manual = Manual(executors)

    async def bundle(request: Request) -> Response:
        commands.organiser(request)
        return await public.bundle(request)

    async def report(request: Request) -> Response:
        commands.organiser(request)
        return await public.report(request)

    routes = [
        Route("/", pages.first),
        Route("/display", pages.first),
        Route("/page/{path:path}", pages.part),
        Route("/manual", manual.first),
        Route("/manual/{path:path}", manual.page),
        Route("/api/session", commands.session),
        Route("/api/login", commands.login, methods=["POST"]),
        Route("/api/logout", commands.logout, methods=["POST"]),
        Route("/api/pin", commands.set_pin, methods=["POST"]),
        Route("/api/say", commands.say, methods=["POST"]),
        Route("/api/arbiter", commands.call_arbiter, methods=["POST"]),
        Route("/api/state", public.state),
        Route("/api/events", public.events),
        Route("/api/address", public.address),
        Route("/api/qr.svg", public.qr),
        Route("/api/live.jpg", public.live_picture),
        Route("/api/picture/calibration.jpg", organiser.calibration_picture),
        Route("/api/picture/{key}.jpg", public.picture),
        Route("/api/crop/{key}/{index}.jpg", public.crop),
        Route("/api/evidence/{name}", public.evidence),
        Route("/api/turns", public.turns),
        Route("/api/turns/{game}/{turn}", public.turn),
        Route("/api/story", evenings.story),
        Route("/api/evenings", evenings.evenings),
        Route("/api/evenings/{journal}/{number}", evenings.evening),
        Route("/api/statistics/delete", evenings.delete_player, methods=["POST"]),
        Route("/api/score", public.score),
        Route("/api/editions", public.editions),
        Route("/api/nearest", public.nearest),
        Route("/api/export/record.txt", public.record),
        Route("/api/export/scores.csv", public.scores_csv),
        Route("/api/export/statistics.csv", evenings.statistics_csv),
        Route("/api/export/match.zip", bundle),
        Route("/api/export/report.zip", report),
        Route("/api/settings", organiser.settings),
        Route("/api/settings", organiser.change_settings, methods=["POST"]),
        Route("/api/calibration", organiser.calibration),
        Route("/api/calibration/check", organiser.check, methods=["POST"]),
        Route("/api/calibration/guide", organiser.guide),
        Route("/api/calibration/step", organiser.calibrate, methods=["POST"]),
        Route("/api/signals", organiser.signals),
        Route("/api/signals/test", organiser.test_signal, methods=["POST"]),
        Route("/api/health", organiser.health),
        Route("/api/logs", organiser.logs),
        Route("/api/retry", organiser.retry, methods=["POST"]),
        Route("/api/end", organiser.end, methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers=ANSWERS_TO_FAULTS)
    return RequestChecks(app, known_names(parts.settings.names))


class Pages:
    """Gives the files of the page, which a browser may keep but has to ask about."""

    def __init__(self, assets: Mapping[str, Asset], first: str = "index.html") -> None:
        """Give these files, `first` as the page itself."""
        self._assets, self._begin = assets, first

    async def first(self, request: Request) -> Response:
        """Give the page."""
        return self._give(self._begin, request)

    async def part(self, request: Request) -> Response:
        """Give a part of the page."""
        return self._give(request.path_params["path"], request)

    def _give(self, path: str, request: Request) -> Response:
        asset = self._assets.get(path) or page_text(path)
        if asset is None:
            raise Refusal(404, "unknown", f"there is no page {path[:60]!r}; begin at /")
        headers = {"etag": asset.etag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(asset.packed, headers={**headers, "content-type": asset.kind, "content-encoding": "gzip"})
        return Response(asset.content, headers={**headers, "content-type": asset.kind})


async def _refused(_request: Request, refusal: Exception) -> Response:
    if not isinstance(refusal, Refusal):
        raise refusal
    response = answer(refusal.body, refusal.status)
    response.headers.update(refusal.headers)
    return response


async def _unknown(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 405:
        return answer({"error": f"{request.method} does nothing here; see docs/web.md", "error_id": "request"}, 405)
    return answer({"error": "there is no such page; begin at /", "error_id": "unknown"}, error.status_code)


ANSWERS_TO_FAULTS: Final = {Refusal: _refused, HTTPException: _unknown}
