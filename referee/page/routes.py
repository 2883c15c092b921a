"""The page's routes and the ASGI application."""

from typing import Annotated, Any, Final

from msgspec import Meta
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from referee.page.bundle import bundle_assets
from referee.page.command_routes import Call, Cancelled, CommandRoutes, NewPin
from referee.page.dependencies import Dependencies
from referee.page.evening_routes import EveningRoutes, Forget
from referee.page.event_stream import EventStream
from referee.page.logs import MAX_LINES, LogBuffer
from referee.page.manual import Manual
from referee.page.organiser_routes import Calibrate, Changes, End, OrganiserRoutes, Signal
from referee.page.photo_routes import Held, Laid, PhotoRoutes
from referee.page.public_routes import JPEG, MAX_REPORT_PICTURES, PublicRoutes
from referee.protocol import answers, schema, setup_answers
from referee.protocol.commands import SayBody
from referee.rules.house_rules import HouseRules
from referee.server.connection_limits import Traffic
from referee.server.executors import Executors
from referee.server.logins import Login
from referee.server.openapi import ApiRoute, OpenApiDocument
from referee.server.page_files import load_assets
from referee.server.page_texts import with_languages
from referee.server.request_checks import PHOTO_PATH, RequestChecks, accepted_names
from referee.server.requests import EmptyBody
from referee.server.static_files import EXCEPTION_HANDLERS, StaticFiles

_ZIP: Final = "application/zip"


def application(
    parts: Dependencies, stream: EventStream, executors: Executors, logs: LogBuffer, traffic: Traffic, *, port: int
) -> ASGIApp:
    """Return the page as an ASGI application."""
    commands = CommandRoutes(parts, stream, executors, traffic)
    public = PublicRoutes(parts, stream, executors, traffic, commands.is_organiser, port=port)
    organiser = OrganiserRoutes(parts, commands, executors, logs)
    evenings = EveningRoutes(parts, stream, commands, executors)
    pages = StaticFiles(with_languages(bundle_assets(load_assets())))
    manual = Manual(executors)

    async def bundle(request: Request) -> Response:
        """Return everything of the match in one file."""
        commands.organiser(request)
        return await public.bundle(request)

    async def report(request: Request) -> Response:
        """Return a bug report; its last pictures may show racks, so they are included only on request."""
        commands.organiser(request)
        return await public.report(request)

    routes: list[Route] = [
        Route("/", pages.first),
        Route("/display", pages.first),
        Route("/page/{path:path}", pages.part),
        Route("/manual", manual.first),
        Route("/manual/{path:path}", manual.page),
        *_command_routes(commands),
        *_organiser_routes(organiser),  # its picture's route must precede those of frames
        *_public_routes(public),
        *_evening_routes(evenings),
        *([] if parts.read_photo is None else _photo_routes(PhotoRoutes(parts, commands, executors, parts.read_photo))),
        ApiRoute("/api/export/match.zip", bundle, _ZIP, organiser=True),
        ApiRoute(
            "/api/export/report.zip",
            report,
            _ZIP,
            query={"pictures": _number_up_to(MAX_REPORT_PICTURES)},
            organiser=True,
        ),
    ]
    interface = OpenApiDocument(routes, "The page's interface; see docs/web.md.", HouseRules)
    routes.append(ApiRoute("/api/openapi.json", interface.document, dict[str, Any]))
    app = Starlette(routes=routes, exception_handlers=EXCEPTION_HANDLERS)
    return RequestChecks(app, accepted_names(parts.settings.names))


def _command_routes(commands: CommandRoutes) -> list[Route]:
    """Return the routes of login and commands."""
    return [
        ApiRoute("/api/session", commands.session, answers.Session),
        ApiRoute("/api/login", commands.login, answers.Session, body=Login),
        ApiRoute("/api/logout", commands.logout, answers.Session, body=EmptyBody),
        ApiRoute("/api/pin", commands.set_pin, answers.PinSet, body=NewPin, organiser=True),
        ApiRoute("/api/say", commands.say, answers.Entered, body=SayBody),
        ApiRoute("/api/cancel", commands.cancel, answers.Dropped, body=Cancelled),
        ApiRoute("/api/arbiter", commands.call_arbiter, schema.Arbiter, body=Call),
    ]


def _public_routes(public: PublicRoutes) -> list[Route]:
    """Return the public routes."""
    return [
        ApiRoute("/api/state", public.state, schema.State),
        ApiRoute("/api/events", public.events, "text/event-stream"),
        ApiRoute("/api/address", public.address, answers.Address),
        ApiRoute("/api/qr.svg", public.qr, "image/svg+xml"),
        ApiRoute("/api/live.jpg", public.live_picture, JPEG),
        ApiRoute("/api/picture/{key}.jpg", public.picture, JPEG),
        ApiRoute("/api/crop/{key}/{index}.jpg", public.crop, JPEG),
        ApiRoute("/api/evidence/{name}", public.evidence, JPEG),
        ApiRoute("/api/turns", public.turns, answers.Turns, query={"game": _number_up_to(1000)}),
        ApiRoute("/api/turns/{game}/{turn}", public.turn, answers.WholeTurn),
        ApiRoute("/api/score", public.score, answers.Score),
        ApiRoute("/api/editions", public.editions, answers.Editions),
        ApiRoute("/api/nearest", public.nearest, answers.Nearest),
        ApiRoute("/api/export/record.txt", public.record, "text/plain"),
        ApiRoute("/api/export/scores.csv", public.scores_csv, "text/csv"),
    ]


def _photo_routes(photos: PhotoRoutes) -> list[Route]:
    """Return the routes of photographs."""
    return [
        ApiRoute(PHOTO_PATH, photos.read, answers.PhotoReading, body=JPEG, query={"edition": str}),
        ApiRoute("/api/photo/judge", photos.judge, answers.Laid, body=Laid),
        ApiRoute("/api/photo/play", photos.play, answers.FoundPlay, body=Held),
    ]


def _evening_routes(evenings: EveningRoutes) -> list[Route]:
    """Return the routes of stories, evenings and statistics."""
    return [
        ApiRoute("/api/story", evenings.story, answers.Story),
        ApiRoute("/api/evenings", evenings.evenings, answers.Evenings, organiser=True),
        ApiRoute("/api/evenings/{journal}/{number}", evenings.evening, answers.Story, organiser=True),
        ApiRoute("/api/statistics/delete", evenings.delete_player, answers.Evenings, body=Forget, organiser=True),
        ApiRoute("/api/export/statistics.csv", evenings.statistics_csv, "text/csv", organiser=True),
    ]


def _organiser_routes(organiser: OrganiserRoutes) -> list[Route]:
    """Return the organiser's routes of setup and health."""
    return [
        ApiRoute("/api/settings", organiser.settings, setup_answers.Settings, organiser=True),
        ApiRoute("/api/settings", organiser.change_settings, setup_answers.Settings, body=Changes, organiser=True),
        ApiRoute("/api/calibration", organiser.calibration, setup_answers.Calibration, organiser=True),
        ApiRoute("/api/calibration/check", organiser.check, setup_answers.Report, body=EmptyBody, organiser=True),
        ApiRoute("/api/calibration/guide", organiser.guide, setup_answers.Guide, organiser=True),
        ApiRoute("/api/calibration/step", organiser.calibrate, setup_answers.StepTaken, body=Calibrate, organiser=True),
        ApiRoute("/api/picture/calibration.jpg", organiser.calibration_picture, JPEG, organiser=True),
        ApiRoute("/api/signals", organiser.signals, setup_answers.Cues, organiser=True),
        ApiRoute("/api/signals/test", organiser.test_signal, setup_answers.Played, body=Signal, organiser=True),
        ApiRoute("/api/health", organiser.health, setup_answers.Health),
        ApiRoute(
            "/api/logs",
            organiser.logs,
            setup_answers.LogLines,
            query={"lines": _number_up_to(MAX_LINES)},
            organiser=True,
        ),
        ApiRoute("/api/retry", organiser.retry, setup_answers.Retried, body=EmptyBody, organiser=True),
        ApiRoute("/api/end", organiser.end, setup_answers.Ended, body=End, organiser=True),
    ]


def _number_up_to(most: int) -> Any:
    return Annotated[int, Meta(ge=1, le=most)]
