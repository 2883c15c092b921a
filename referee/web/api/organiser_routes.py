"""What only the organiser sees and does: settings, calibration, signals, logs; and how the service is."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from referee.errors import RefereeError
from referee.web.api.command_routes import CommandRoutes
from referee.web.api.dependencies import Dependencies, Sides
from referee.web.api.logs import MOST_LINES, Logs
from referee.web.api.public_routes import JPEG
from referee.web.security.executors import Executors
from referee.web.security.request_checks import Refusal
from referee.web.security.requests import answer, answer_bytes, asked_number, body_of, only

ENDINGS: Final = ("restart", "power_off")
STEPS: Final = ("setup", "table", "colours")
MEASURES: Final = {"table_mm": (200, 5000), "tile_mm": (18, 52)}
"""What may be told of a step in millimetres, and the least and the most."""


class OrganiserRoutes:
    """Answers the organiser."""

    def __init__(self, parts: Dependencies, sessions: CommandRoutes, executors: Executors, logs: Logs) -> None:
        """Set up the referee of these parts."""
        self._office, self._sessions, self._executors, self._logs = parts.office, sessions, executors, logs

    async def settings(self, request: Request) -> Response:
        """Give the settings."""
        self._sessions.organiser(request)
        return answer(await self._executors.word(self._office.settings))

    async def change_settings(self, request: Request) -> Response:
        """Keep changed settings, or say what is wrong with each."""
        self._sessions.organiser(request)
        body = await body_of(request)
        only(body, "settings")
        changes = body["settings"]
        if not isinstance(changes, dict) or not changes:
            raise Refusal(400, "request", "'settings' is an object of settings, such as {\"signals.volume\": 0.5}")
        try:
            wrong = await self._executors.word(lambda: self._office.change_settings(changes))
        except RefereeError as error:
            raise Refusal(503, "busy", str(error), seconds=60) from None
        if wrong:
            raise Refusal(400, "request", "; ".join(wrong.values())[:500], errors=dict(wrong))
        return answer(await self._executors.word(self._office.settings))

    async def calibration(self, request: Request) -> Response:
        """Give the profile and the last check."""
        self._sessions.organiser(request)
        return answer(await self._executors.word(self._office.calibration))

    async def check(self, request: Request) -> Response:
        """Check everything now."""
        self._sessions.organiser(request)
        only(await body_of(request))
        try:
            return answer(await self._executors.word(self._office.check))
        except RefereeError as error:
            raise Refusal(409, "now", str(error)) from None

    async def calibrate(self, request: Request) -> Response:
        """Take a step of the calibration."""
        self._sessions.organiser(request)
        body = await body_of(request)
        only({**MEASURES, **body}, "step", *MEASURES)
        if body.get("step") not in STEPS:
            raise Refusal(400, "request", f"'step' is one of {', '.join(STEPS)}, not {body.get('step')!r:.40}")
        measures = [_sides(key, body.get(key), limits) for key, limits in MEASURES.items()]
        try:
            return answer(await self._executors.other(lambda: self._office.calibrate(body["step"], *measures)))
        except RefereeError as error:
            raise Refusal(409, "now", str(error)) from None

    async def guide(self, request: Request) -> Response:
        """Say what keeps the camera from seeing well."""
        self._sessions.organiser(request)
        return answer(await self._executors.picture(self._office.guide))

    async def calibration_picture(self, request: Request) -> Response:
        """Give the newest frame with the profile drawn in."""
        self._sessions.organiser(request)
        made = await self._executors.picture(self._office.calibration_picture)
        if made is None:
            raise Refusal(404, "unknown", "the camera has shown nothing yet; wait or look at the cable")
        return answer_bytes(made, kind=JPEG)

    async def signals(self, request: Request) -> Response:
        """Name the cues."""
        self._sessions.organiser(request)
        return answer({"cues": list(self._office.cues())})

    async def test_signal(self, request: Request) -> Response:
        """Play a cue."""
        self._sessions.organiser(request)
        body = await body_of(request)
        only(body, "cue")
        if body["cue"] not in self._office.cues():
            raise Refusal(400, "request", f"{body['cue']!r:.40} is no cue; see /api/signals")
        self._office.test(body["cue"])
        return answer({"played": body["cue"]})

    async def health(self, _request: Request) -> Response:
        """Tell how the service is."""
        return answer(await self._executors.other(self._office.health))

    async def logs(self, request: Request) -> Response:
        """Give the last lines of the log."""
        self._sessions.organiser(request)
        return answer({"lines": self._logs.last(asked_number(request, "lines", 200, MOST_LINES) or 0)})

    async def retry(self, request: Request) -> Response:
        """Ask a service in safe mode to try again."""
        self._sessions.organiser(request)
        only(await body_of(request))
        if not await self._executors.word(self._office.retry):
            raise Refusal(409, "now", "the service is not in safe mode; nothing is to be tried again")
        return answer({"retry": True})

    async def end(self, request: Request) -> Response:
        """End the service, which is started afresh or shuts the machine down."""
        self._sessions.organiser(request)
        body = await body_of(request)
        only(body, "then")
        if body["then"] not in ENDINGS:
            raise Refusal(400, "request", f"'then' is one of {', '.join(ENDINGS)}, not {body['then']!r:.40}")
        try:
            await self._executors.word(lambda: self._office.end(power_off=body["then"] == "power_off"))
        except RefereeError as error:
            raise Refusal(409, "now", str(error)) from None
        return answer({"then": body["then"]})


def _sides(key: str, value: object, limits: tuple[int, int]) -> Sides | None:
    """Give two measures in millimetres; None where they are not known."""
    if value is None:
        return None
    least, most = limits
    if isinstance(value, list) and len(value) == 2:
        first, second = value
        if all(type(side) in {int, float} and least <= side <= most for side in (first, second)):
            return float(first), float(second)
    raise Refusal(400, "request", f"{key!r} is {value!r:.40}; give two numbers from {least} to {most} in mm, or null")
