"""Every address of the page, and what answers there."""

from collections.abc import Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee.web.asking import answer
from referee.web.assets import Asset, load_assets
from referee.web.guard import Guard, Refusal, known_names
from referee.web.live import Live
from referee.web.logs import Logs
from referee.web.parts import Parts
from referee.web.setting_up import SettingUp
from referee.web.showing import Showing
from referee.web.speaking import Speaking
from referee.web.work import Work

_FIRST: Final = "index.html"


def application(parts: Parts, live: Live, work: Work, logs: Logs, port: int) -> ASGIApp:
    """Give the page as an application for a server."""
    showing, speaking = Showing(parts, live, work, port), Speaking(parts, live, work)
    setting = SettingUp(parts, speaking, work, logs)
    pages = Pages(load_assets())

    async def bundle(request: Request) -> Response:
        speaking.organiser(request)
        return await showing.bundle(request)

    routes = [
        Route("/", pages.first),
        Route("/page/{path:path}", pages.part),
        Route("/api/session", speaking.session),
        Route("/api/login", speaking.login, methods=["POST"]),
        Route("/api/logout", speaking.logout, methods=["POST"]),
        Route("/api/say", speaking.say, methods=["POST"]),
        Route("/api/state", showing.state),
        Route("/api/events", showing.events),
        Route("/api/address", showing.address),
        Route("/api/qr.svg", showing.qr),
        Route("/api/live.jpg", showing.live_picture),
        Route("/api/picture/calibration.jpg", setting.calibration_picture),
        Route("/api/picture/{key}.jpg", showing.picture),
        Route("/api/crop/{key}/{index}.jpg", showing.crop),
        Route("/api/evidence/{name}", showing.evidence),
        Route("/api/turns", showing.turns),
        Route("/api/turns/{game}/{turn}", showing.turn),
        Route("/api/score", showing.score),
        Route("/api/editions", showing.editions),
        Route("/api/nearest", showing.nearest),
        Route("/api/export/record.txt", showing.record),
        Route("/api/export/scores.csv", showing.scores_csv),
        Route("/api/export/match.zip", bundle),
        Route("/api/settings", setting.settings),
        Route("/api/settings", setting.change_settings, methods=["POST"]),
        Route("/api/calibration", setting.calibration),
        Route("/api/calibration/check", setting.check, methods=["POST"]),
        Route("/api/signals", setting.signals),
        Route("/api/signals/test", setting.test_signal, methods=["POST"]),
        Route("/api/health", setting.health),
        Route("/api/logs", setting.logs),
        Route("/api/retry", setting.retry, methods=["POST"]),
    ]
    app = Starlette(routes=routes, exception_handlers={Refusal: _refused, HTTPException: _unknown})
    return Guard(app, known_names(parts.settings.names))


class Pages:
    """Gives the files of the page, which a browser may keep but has to ask about."""

    def __init__(self, assets: Mapping[str, Asset]) -> None:
        """Give these files."""
        self._assets = assets

    async def first(self, request: Request) -> Response:
        """Give the page."""
        return self._give(_FIRST, request)

    async def part(self, request: Request) -> Response:
        """Give a part of the page."""
        return self._give(request.path_params["path"], request)

    def _give(self, path: str, request: Request) -> Response:
        asset = self._assets.get(path)
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
    if "seconds" in refusal.body:
        response.headers["retry-after"] = str(max(1, round(refusal.body["seconds"])))
    return response


async def _unknown(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 405:
        return answer({"error": f"{request.method} does nothing here; see docs/web.md", "error_id": "request"}, 405)
    return answer({"error": "there is no such page; begin at /", "error_id": "unknown"}, error.status_code)
