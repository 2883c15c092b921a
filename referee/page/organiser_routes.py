"""The organiser's endpoints: settings, calibration, signals, logs, and the service's health."""

from collections.abc import Awaitable
from typing import Annotated, Any, Final, Literal, TypeVar

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import RefereeError
from referee.hardware.system import is_service
from referee.page.command_routes import CommandRoutes
from referee.page.dependencies import Dependencies
from referee.page.logs import MAX_LINES, LogBuffer
from referee.page.public_routes import JPEG
from referee.page.setup import Setup
from referee.rules.wording import Message, only_english, say, say_count
from referee.server.executors import Executors
from referee.server.request_checks import Refusal, refusal_of
from referee.server.requests import EmptyBody, bytes_response, json_response, query_number, read_body

_Result = TypeVar("_Result")
_TableSide = Annotated[float, Meta(ge=200, le=5000)]
_TileSide = Annotated[float, Meta(ge=18, le=52)]
_TABLE_WANTED: Final = say("wanted.table", "two numbers from 200 to 5000 in mm, or nothing")
_TILE_WANTED: Final = say("wanted.tile_size", "two numbers from 18 to 52 in mm, or nothing")
_ORDER_WANTED: Final = say("wanted.order", "jokers row by row from the left, such as 'J JD'")


class Changes(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings to change, by `section.key`; null restores the value from before the page changed it."""

    settings: Annotated[
        dict[str, Any],
        Meta(
            min_length=1,
            examples=[{"signals.volume": 0.5}],
            extra={"wanted": 'an object of settings, such as {"signals.volume": 0.5}'},
        ),
    ]


class Signal(Struct, frozen=True, forbid_unknown_fields=True):
    """A cue to play."""

    cue: Annotated[str, Meta(max_length=100, extra={"wanted": "a cue; see /api/signals"})]


class Calibrate(Struct, frozen=True, forbid_unknown_fields=True):
    """A step of the calibration, with known sizes in millimetres."""

    step: Literal["light", "setup", "table", "colours", "tiles"]
    table_mm: Annotated[tuple[_TableSide, _TableSide], Meta(extra={"wanted": _TABLE_WANTED})] | None = None
    tile_mm: Annotated[tuple[_TileSide, _TileSide], Meta(extra={"wanted": _TILE_WANTED})] | None = None
    order: Annotated[str, Meta(max_length=200, extra={"wanted": _ORDER_WANTED})] | None = None


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """What follows the end of the service: restart or power off."""

    then: Literal["restart", "power_off"]


class OrganiserRoutes:
    """The organiser's request handlers."""

    def __init__(self, parts: Dependencies, sessions: CommandRoutes, executors: Executors, logs: LogBuffer) -> None:
        """Change and show these parts."""
        self._parts, self._sessions, self._executors, self._logs = parts, sessions, executors, logs

    @property
    def _setup(self) -> Setup:
        if self._parts.setup is None:
            message = say(
                "safe.no_camera", "in safe mode camera and models are off; fix what the page names and try again"
            )
            raise Refusal(409, "now", message)
        return self._parts.setup

    async def settings(self, request: Request) -> Response:
        """Return the settings."""
        self._sessions.organiser(request)
        return json_response(await self._executors.command(self._parts.page_settings.show))

    async def change_settings(self, request: Request) -> Response:
        """Store changed settings, or answer with the error of each."""
        self._sessions.organiser(request)
        changes = (await read_body(request, Changes)).settings
        try:
            wrong = await self._executors.command(lambda: self._parts.page_settings.change(changes))
        except RefereeError as error:
            raise refusal_of(error, 503, "busy", seconds=60) from None
        if wrong:
            line = "; ".join(mistake["message"] for mistake in wrong.values())[:500]
            raise Refusal(400, "request", _wrong_settings(len(wrong)), error=line, errors=dict(wrong))
        return json_response(await self._executors.command(self._parts.page_settings.show))

    async def calibration(self, request: Request) -> Response:
        """Return the profile and the last check."""
        self._sessions.organiser(request)
        return json_response(await self._executors.command(self._setup.calibration))

    async def check(self, request: Request) -> Response:
        """Run all checks now."""
        self._sessions.organiser(request)
        await read_body(request, EmptyBody)
        return json_response(await _done(self._executors.command(self._setup.check)))

    async def calibrate(self, request: Request) -> Response:
        """Run a step of the calibration."""
        self._sessions.organiser(request)
        asked = await read_body(request, Calibrate)
        setup = self._setup
        calibrated = self._executors.other(
            lambda: setup.calibrate(asked.step, asked.table_mm, asked.tile_mm, asked.order)
        )
        return json_response(await _done(calibrated))

    async def guide(self, request: Request) -> Response:
        """Return the problems of the live picture."""
        self._sessions.organiser(request)
        return json_response(await _done(self._executors.picture(self._setup.guide)))

    async def calibration_picture(self, request: Request) -> Response:
        """Return the newest frame with the profile drawn in."""
        self._sessions.organiser(request)
        made = await self._executors.picture(self._setup.calibration_picture)
        if made is None:
            message = say("refused.no_frame", "no picture from the camera yet; wait, or check its cable")
            raise Refusal(404, "unknown", message)
        return bytes_response(made, kind=JPEG)

    async def signals(self, request: Request) -> Response:
        """Return the names of all cues."""
        self._sessions.organiser(request)
        return json_response({"cues": list(self._setup.cues())})

    async def test_signal(self, request: Request) -> Response:
        """Play a cue."""
        self._sessions.organiser(request)
        cue = (await read_body(request, Signal)).cue
        if cue not in self._setup.cues():
            raise Refusal(400, "request", only_english(f"{cue!r:.40} is not a cue; see /api/signals"))
        self._setup.play_cue(cue)
        return json_response({"played": cue})

    async def health(self, _request: Request) -> Response:
        """Return the health of the service."""
        health = await self._executors.other(self._parts.health)
        return json_response({**health, "can_end": is_service()})

    async def logs(self, request: Request) -> Response:
        """Return the last lines of the log."""
        self._sessions.organiser(request)
        return json_response({"lines": self._logs.last(query_number(request, "lines", 200, MAX_LINES) or 0)})

    async def retry(self, request: Request) -> Response:
        """Make a service in safe mode try again."""
        self._sessions.organiser(request)
        await read_body(request, EmptyBody)
        if self._parts.ask_retry is None:
            message = say("refused.not_safe", "the service is not in safe mode; there is nothing to retry")
            raise Refusal(409, "now", message)
        await self._executors.command(self._parts.ask_retry)
        return json_response({"retry": True})

    async def end(self, request: Request) -> Response:
        """End the service; restart it or power off the machine."""
        self._sessions.organiser(request)
        then = (await read_body(request, End)).then
        await _done(self._executors.command(lambda: self._parts.end(power_off=then == "power_off")))
        return json_response({"then": then})


def _wrong_settings(count: int) -> Message:
    return say_count(
        "settings.wrong",
        "{count} setting is not right yet: see the line beside it.",
        "{count} settings are not right yet: see the lines beside them.",
        count=count,
    )


async def _done(work: Awaitable[_Result]) -> _Result:
    """Return the result of some work; Refusal says why it cannot be done now."""
    try:
        return await work
    except RefereeError as error:
        raise refusal_of(error, 409, "now") from None
