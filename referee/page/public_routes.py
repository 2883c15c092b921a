"""Public endpoints: State and events, pictures, turns, scores, and downloads."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from referee.errors import NotationError, StorageError
from referee.game.state import Match
from referee.page.dependencies import Dependencies
from referee.page.event_stream import EventStream
from referee.plain_json import JsonObject
from referee.protocol.answers import Nearest
from referee.protocol.editions import editions, formats
from referee.protocol.score import score_csv, score_table
from referee.protocol.shown_values import notation
from referee.protocol.state import judge_current_table
from referee.rules.verdict import Legal
from referee.rules.wording import message_of, only_english, say
from referee.server.address import is_local_only, page_addresses, qr_svg
from referee.server.connection_limits import Traffic
from referee.server.event_streams import PageEvents
from referee.server.executors import Executors
from referee.server.request_checks import Refusal
from referee.server.requests import (
    UNCACHED,
    bytes_response,
    client_address,
    file_response,
    json_response,
    path_number,
    query_number,
)
from referee.solver import nearest_legal_table

JPEG: Final = "image/jpeg"
MAX_REPORT_PICTURES: Final = 50
MIN_LIVE_PICTURE_SECONDS: Final = 0.5
NEAREST_TABLE_SECONDS: Final = 5.0
_NO_PICTURE: Final = say(
    "refused.no_picture", "there is no such picture (any more); take addresses from the newest state"
)


class PublicRoutes:
    """The public request handlers."""

    def __init__(
        self,
        parts: Dependencies,
        stream: EventStream,
        executors: Executors,
        traffic: Traffic,
        is_organiser: Callable[[Request], bool],
        *,
        port: int,
    ) -> None:
        """Answer from the match of these parts; `port` is the page's own."""
        self._parts, self._stream, self._executors, self._port = parts, stream, executors, port
        self._traffic, self._is_organiser = traffic, is_organiser
        self._busy = asyncio.Lock()
        self._exporting = asyncio.Lock()
        self._shot: tuple[float, bytes] = (float("-inf"), b"")
        self._nearest: tuple[object, object] = (None, None)

    # The current match ------------------------------------------------------------------------------------------------

    async def state(self, _request: Request) -> Response:
        """Return the State."""
        return bytes_response(self._stream.state())

    async def events(self, request: Request) -> Response:
        """Stream State and turn events as server-sent events."""
        address = client_address(request)
        kept = self._traffic.is_reserved(address)
        if (page := self._stream.join(address, is_organiser=kept)) is None:
            raise Refusal(503, "busy", say("refused.pages", "too many pages are open; close one"), seconds=10)
        return PageEvents(self._stream.follow(page), lambda: self._stream.leave(page))

    async def address(self, _request: Request) -> Response:
        """Return the URLs of the page."""
        host = self._parts.settings.host
        return json_response({"addresses": page_addresses(host, self._port), "local_only": is_local_only(host)})

    async def qr(self, _request: Request) -> Response:
        """Return the page's URL as a QR code."""
        best = page_addresses(self._parts.settings.host, self._port)[0]
        return bytes_response(qr_svg(best), kind="image/svg+xml")

    async def editions(self, _request: Request) -> Response:
        """Return the editions."""
        return json_response({"editions": editions(), "formats": formats()})

    # Pictures ---------------------------------------------------------------------------------------------------------

    def _allow(self, request: Request) -> None:
        """Raise Refusal if the picture may show racks and the request is not the organiser's."""
        if self._parts.pictures.are_private() and not self._is_organiser(request):
            message = say(
                "refused.private",
                "the table is not calibrated yet, so only the organiser sees pictures; log in with the PIN",
            )
            raise Refusal(403, "organiser", message)

    async def live_picture(self, request: Request) -> Response:
        """Return the newest frame; encoded at most twice a second."""
        self._allow(request)
        now = asyncio.get_running_loop().time()
        if now - self._shot[0] >= MIN_LIVE_PICTURE_SECONDS:
            self._shot = (now, self._shot[1])  # requests meanwhile get the last picture
            made = await self._executors.picture(self._parts.pictures.live)
            self._shot = (now, made or b"")
        return _picture_response(self._shot[1] or None)

    async def picture(self, request: Request) -> Response:
        """Return a settled frame."""
        self._allow(request)
        frame_id = request.path_params["key"]
        return _picture_response(await self._executors.picture(lambda: self._parts.pictures.settled(frame_id)))

    async def crop(self, request: Request) -> Response:
        """Return the picture of one tile."""
        frame_id, index = request.path_params["key"], path_number(request, "index", 999)
        shown = self._stream.match.table.shown
        reading = None if shown is None else shown.reading
        if reading is None or reading.frame_id != frame_id or index >= len(reading.tiles):
            raise Refusal(404, "unknown", _NO_PICTURE)
        quad = reading.tiles[index].quad
        return _picture_response(
            await self._executors.picture(lambda: self._parts.pictures.tile(frame_id, index, quad))
        )

    async def evidence(self, request: Request) -> Response:
        """Return the picture of a judged turn."""
        self._allow(request)
        name = request.path_params["name"]
        pictures, album = self._parts.pictures, self._parts.album
        return _picture_response(await self._executors.picture(lambda: pictures.evidence(name, album.picture)))

    # Turns and scores -------------------------------------------------------------------------------------------------

    async def turns(self, request: Request) -> Response:
        """Return all turns, or those of one game."""
        turns = self._stream.history.turns(query_number(request, "game", None, 1000))
        return json_response(
            {"turns": await self._executors.other(lambda: [self._with_pictures(turn) for turn in turns])}
        )

    async def turn(self, request: Request) -> Response:
        """Return one turn."""
        turn = self._stream.history.turn(path_number(request, "game"), path_number(request, "turn"))
        if turn is None:
            raise Refusal(404, "unknown", only_english("unknown turn; see /api/turns"))
        return json_response(await self._executors.other(lambda: self._with_pictures(turn)))

    def _with_pictures(self, turn: JsonObject) -> JsonObject:
        shot = self._parts.album.find(turn["game"], turn["turn"], turn["frame_id"], turn["judged_at"])
        return {**turn, "pictures": shot.urls()}

    async def score(self, _request: Request) -> Response:
        """Return the score table."""
        return json_response(score_table(self._require_match()))

    async def scores_csv(self, _request: Request) -> Response:
        """Return the score table as CSV."""
        return file_response(
            score_csv(self._require_match()).encode("utf-8-sig"), "text/csv; charset=utf-8", "scores.csv"
        )

    async def record(self, _request: Request) -> Response:
        """Return the game record."""
        self._require_match()
        events = self._stream.history.events
        text = await self._executors.other(lambda: self._parts.export.record(events))
        return file_response(text.encode(), "text/plain; charset=utf-8", "record.txt")

    async def bundle(self, _request: Request) -> Response:
        """Return everything of the match in one file."""
        scores = score_csv(self._require_match())
        return await self._send_file("match.zip", lambda path: self._parts.export.bundle(path, scores))

    async def report(self, request: Request) -> Response:
        """Return a bug report; the last pictures only on request."""
        pictures = query_number(request, "pictures", None, MAX_REPORT_PICTURES) or 0
        return await self._send_file("referee-report.zip", lambda path: self._parts.report(path, pictures))

    async def _send_file(self, name: str, pack: Callable[[Path], None]) -> Response:
        """Write a temporary file and send it; one at a time."""
        if self._exporting.locked():
            raise Refusal(429, "busy", say("refused.packing", "another file is being packed; wait"), seconds=10)
        async with self._exporting:
            with tempfile.NamedTemporaryFile(prefix="referee-", suffix=".zip", delete=False) as file:
                path = Path(file.name)
            try:
                await self._executors.other(lambda: pack(path))
            except (OSError, StorageError) as error:
                path.unlink(missing_ok=True)
                message = say("refused.unpacked", "the file cannot be packed: {why}", why=message_of(error))
                raise Refusal(503, "busy", message, seconds=60) from None
        return _TemporaryFile(path, headers=UNCACHED, media_type="application/zip", filename=name)

    async def nearest(self, _request: Request) -> Response:
        """Return the nearest legal table; searched once per table."""
        match = self._require_match()
        shown = match.table.shown
        finding = judge_current_table(match)
        if shown is None or finding is None:
            message = say("refused.covered", "no turn is running, or the table is covered; wait until it lies still")
            raise Refusal(409, "now", message)
        if isinstance(finding.verdict, Legal):
            raise Refusal(409, "now", say("refused.legal", "this table is legal; leave it as it is"))
        if self._busy.locked():
            raise Refusal(429, "busy", say("refused.searching", "the search still runs; ask again"), seconds=2)
        async with self._busy:
            if self._nearest[0] is not shown:
                self._nearest = (shown, await self._executors.other(lambda: _nearest_table(match)))
        if self._nearest[1] is None:
            message = say("refused.none_nearest", "no legal table was found for these tiles; put the old one back")
            raise Refusal(409, "now", message)
        return json_response(self._nearest[1])

    def _require_match(self) -> Match:
        match = self._stream.match
        if match.seated is None:
            raise no_match()
        return match


def no_match() -> Refusal:
    """Return the response to whoever asks about a match before there is one."""
    return Refusal(409, "now", say("refused.no_match", "no match has begun; begin one first"))


class _TemporaryFile(FileResponse):
    """A file response that deletes its file afterwards."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


def _nearest_table(match: Match) -> Nearest | None:
    if match.table.shown is None:
        return None
    try:
        found = nearest_legal_table(match.table.shown.reading.table(), match.rules, seconds=NEAREST_TABLE_SECONDS)
    except NotationError:
        return None  # more tiles than the box has: something was misread
    if found is None:
        return None
    return {
        "sets": [notation(tiles) for tiles in found.table.sets],
        "moved": notation(found.moved),
        "optimal": found.optimal,
    }


def _picture_response(content: bytes | None) -> Response:
    if content is None:
        raise Refusal(404, "unknown", _NO_PICTURE)
    return bytes_response(content, kind=JPEG)
