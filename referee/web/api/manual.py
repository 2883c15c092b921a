"""The manual, as `make docs` packed it: read from its file when it is asked for, so that it costs no memory."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from referee.web.api.page_files import TYPES
from referee.web.security.executors import Executors
from referee.web.security.request_checks import Refusal

PACKED: Final = Path(__file__).resolve().parents[1] / "manual.zip"
_KINDS: Final[Mapping[str, str]] = {**TYPES, "jpg": "image/jpeg", "pdf": "application/pdf"}
_TEXT: Final = "text/plain; charset=utf-8"
_ABSENT: Final = "The manual is not in this build of the referee: run 'make docs' in the checkout and start it again.\n"


class Manual:
    """Serves the manual's pages; where none was built, one line that says how to build it."""

    def __init__(self, executors: Executors) -> None:
        """Read by these threads; nothing is opened yet."""
        self._executors = executors

    async def first(self, _request: Request) -> Response:
        """Redirect to the first page."""
        return RedirectResponse("/manual/index.html")

    async def page(self, request: Request) -> Response:
        """Return a file of the manual."""
        path = request.path_params["path"] or "index.html"
        found = await self._executors.other(lambda: _read(path))
        if found is None:
            return PlainTextResponse(_ABSENT, 404)
        content, mark = found
        headers = {"etag": f'"{mark:08x}"', "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        kind = _KINDS.get(path.rpartition(".")[2], _TEXT)
        return Response(content, headers={**headers, "content-type": kind})


def _read(path: str) -> tuple[bytes, int] | None:
    """Return a file's content and its checksum; None without a manual, Refusal without such a file."""
    try:
        with zipfile.ZipFile(PACKED) as manual:
            return manual.read(path), manual.getinfo(path).CRC
    except FileNotFoundError:
        return None
    except KeyError:
        raise Refusal(404, "unknown", f"the manual has no page {path[:60]!r}; begin at /manual") from None
