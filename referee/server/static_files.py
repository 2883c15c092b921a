"""The files of a page as they are served, and refusals as answers."""

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from referee.rules.wording import only_english
from referee.server.page_files import Asset
from referee.server.page_texts import page_text
from referee.server.request_checks import Refusal
from referee.server.requests import json_response


class StaticFiles:
    """Serves the page's files; browsers may cache them but must revalidate."""

    def __init__(self, assets: Mapping[str, Asset], first: str = "index.html") -> None:
        """Serve these files; `first` is the page at `/`."""
        self._assets, self._begin = assets, first

    async def first(self, request: Request) -> Response:
        """Return the page."""
        return self._give(self._begin, request)

    async def part(self, request: Request) -> Response:
        """Return a file of the page."""
        return self._give(request.path_params["path"], request)

    def _give(self, path: str, request: Request) -> Response:
        asset = self._assets.get(path) or page_text(path)
        if asset is None:
            raise Refusal(404, "unknown", only_english(f"there is no page {path[:60]!r}; begin at /"))
        headers = {"etag": asset.etag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        if asset.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(
                asset.compressed, headers={**headers, "content-type": asset.kind, "content-encoding": "gzip"}
            )
        return Response(asset.content, headers={**headers, "content-type": asset.kind})


async def _refusal_response(_request: Request, refusal: Exception) -> Response:
    if not isinstance(refusal, Refusal):
        raise refusal
    response = json_response(refusal.body, refusal.status)
    response.headers.update(refusal.headers)
    return response


async def _http_error_response(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 405:
        message = only_english(f"{request.method} does nothing here; see docs/web.md")
        return await _refusal_response(request, Refusal(405, "request", message))
    message = only_english("there is no such page; begin at /")
    return await _refusal_response(request, Refusal(error.status_code, "unknown", message))


EXCEPTION_HANDLERS: Final = {Refusal: _refusal_response, HTTPException: _http_error_response}
