"""The manual that `make docs` packed; read from its zip file on request to save memory."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from referee.rules.wording import only_english
from referee.server.executors import Executors
from referee.server.page_files import MEDIA_TYPES
from referee.server.request_checks import Refusal

MANUAL_FILE: Final = Path(__file__).resolve().parents[1] / "manual.zip"
_MEDIA_TYPES: Final[Mapping[str, str]] = {**MEDIA_TYPES, "jpg": "image/jpeg", "pdf": "application/pdf"}
_TEXT: Final = "text/plain; charset=utf-8"
_NOT_BUILT: Final = (
    "The manual is not in this build of the referee: run 'make docs' in the checkout and start it again.\n"
)


class Manual:
    """Serves the manual's pages, or one line with build instructions if there is no manual."""

    def __init__(self, executors: Executors) -> None:
        """Use these executors; no file is opened yet."""
        self._executors = executors

    async def first(self, _request: Request) -> Response:
        """Redirect to the first page."""
        return RedirectResponse("/manual/index.html")

    async def page(self, request: Request) -> Response:
        """Return a file of the manual."""
        path = request.path_params["path"] or "index.html"
        found = await self._executors.other(lambda: _read(path))
        if found is None:
            return PlainTextResponse(_NOT_BUILT, 404)
        content, mark = found
        headers = {"etag": f'"{mark:08x}"', "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        kind = _MEDIA_TYPES.get(path.rpartition(".")[2], _TEXT)
        return Response(content, headers={**headers, "content-type": kind})


def _read(path: str) -> tuple[bytes, int] | None:
    """Return a file's content and checksum; None without a manual, Refusal for an unknown file."""
    try:
        with zipfile.ZipFile(MANUAL_FILE) as manual:
            return manual.read(path), manual.getinfo(path).CRC
    except FileNotFoundError:
        return None
    except KeyError:
        raise Refusal(404, "unknown", only_english(f"the manual has no page {path[:60]!r}; begin at /manual")) from None
