"""Endpoints for login, logout, PIN, and commands to the match."""

import asyncio
import logging
from concurrent.futures import Future
from functools import partial
from typing import Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from referee import __version__
from referee.errors import ConfigError, StorageError
from referee.page.dependencies import Dependencies
from referee.page.event_stream import EventStream
from referee.plain_json import JsonObject
from referee.protocol.bridge import CommandResult, TooManyCommandsError
from referee.protocol.command import CommandId, InvalidCommandError, Sender
from referee.protocol.commands import COMMANDS, parse_command
from referee.protocol.correction_commands import ANSWERS, CORRECTIONS
from referee.rules.wording import say
from referee.server.connection_limits import Traffic
from referee.server.executors import Executors
from referee.server.logins import ORGANISER, Digits, Logins, RolePin
from referee.server.request_checks import Refusal, refusal_of
from referee.server.requests import client_address, json_response, read_body, read_json
from referee.server.sessions import (
    Session,
)

log = logging.getLogger("referee")

COMMAND_TIMEOUT_SECONDS: Final = 3.0


class NewPin(Struct, frozen=True, forbid_unknown_fields=True):
    """The current PIN and a new one."""

    pin: Digits
    new: Digits


class Cancelled(Struct, frozen=True, forbid_unknown_fields=True):
    """The id of a command whose sender has thought better of it."""

    id: CommandId


class Call(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether to call the arbiter or to cancel the call."""

    call: bool


class CommandRoutes:
    """The request handlers of login and commands."""

    def __init__(self, parts: Dependencies, stream: EventStream, executors: Executors, traffic: Traffic) -> None:
        """Send commands to the match of these parts."""
        self._parts, self._stream, self._executors = parts, stream, executors
        lock = RolePin(parts.pin_hash, parts.session_file)
        self._logins = Logins({ORGANISER: lock}, executors, traffic, about=self._about, ended=stream.refresh_sessions)

    async def session(self, request: Request) -> Response:
        """Return the browser's role; set its cookie if it has none."""
        return await self._logins.session(request)

    async def login(self, request: Request) -> Response:
        """Log in: start an organiser session if the PIN is correct."""
        return await self._logins.login(request)

    async def logout(self, request: Request) -> Response:
        """Log out: end the organiser session."""
        return await self._logins.logout(request)

    async def set_pin(self, request: Request) -> Response:
        """Set a new PIN if the current one is correct; sessions stay valid until the next start."""
        self.organiser(request)
        asked = await read_body(request, NewPin)
        await self._logins.try_pin(request, asked.pin)
        try:
            await self._executors.command(lambda: self._parts.set_pin(asked.new))
        except ConfigError as error:
            raise refusal_of(error, 400, "request") from None
        except StorageError as error:
            raise refusal_of(error, 503, "busy", seconds=60) from None
        log.info("the organiser (%s) set a new PIN", client_address(request))
        return json_response({"set": True})

    def authorise(self, request: Request) -> None:
        """Raise Refusal unless the request comes from this page, whoever sends it."""
        self._logins.authorise_change(request)

    def organiser(self, request: Request) -> None:
        """Raise Refusal unless the organiser is logged in; a change also needs the page's token."""
        looks = request.method in {"GET", "HEAD"}
        role = self._logins.role(request) if looks else self._logins.authorise_change(request)[0]
        if role is None:
            raise _organiser_only()

    def is_organiser(self, request: Request) -> bool:
        """Return whether the request is the organiser's."""
        return self._logins.role(request) is not None

    def _about(self, _role: str | None) -> JsonObject:
        settings = self._parts.settings
        return {
            "players_may_correct": settings.players_may_correct,
            "corrections": settings.corrections,
            "has_table": self._parts.has_table,
            "version": __version__,
        }

    # Commands ---------------------------------------------------------------------------------------------------------

    async def say(self, request: Request) -> Response:
        """Submit one command; answer after the match's step."""
        _, session = self._logins.authorise_change(request)
        body = await read_json(request)
        sender = self._sender(session, str(body.get("say")), client_address(request))
        entered = await self._result(await self._submit(body, sender))
        if entered.over is not None:
            raise Refusal(409, "stale", entered.over)
        if not entered.changed and body["say"] == "agree":
            message = say("refused.agree", "another player has to agree, on another phone, while it is proposed")
            raise Refusal(409, "agreement", message)
        if not entered.changed:
            raise Refusal(409, "now", say("refused.no_change", "that changes nothing now; check the match"))
        log.info("%s (%s) sent %s", sender.by, client_address(request), body["say"])
        self._stream.update()
        return json_response({"entered": True, "told": entered.told, "rev": self._stream.rev})

    async def cancel(self, request: Request) -> Response:
        """Drop a command that the match has not taken, also one that is still on its way."""
        self._logins.authorise_change(request)
        if not self._parts.bridge.cancel((await read_body(request, Cancelled)).id):
            raise Refusal(409, "now", say("command.done_already", "It was done before it could be cancelled."))
        return json_response({"cancelled": True})

    async def call_arbiter(self, request: Request) -> Response:
        """Call the hall's arbiter, or cancel the call; every visitor may."""
        self._logins.authorise_change(request)
        is_open = (await read_body(request, Call)).call
        arbiter = self._parts.arbiter
        if arbiter is None:
            message = say("refused.no_hall", "this table belongs to no hall; name the hall under [hall]")
            raise Refusal(409, "now", message)
        arbiter.call(is_open=is_open)
        self._stream.update()
        return json_response({"called_at": arbiter.called_at})

    def _sender(self, session: Session, command: str, address: str) -> Sender:
        """Return the sender; Refusal if the settings do not let players send this command."""
        voice, rule = self._logins.device_marks(session, address), self._parts.settings.corrections
        if session.organiser:
            return Sender("organiser", voice)
        proposes = rule == "agreement"
        kind = COMMANDS.get(command)
        if (kind in CORRECTIONS and rule != "organiser") or (kind in ANSWERS and proposes):
            return Sender("players", voice, proposes)
        raise _organiser_only()

    async def _submit(self, body: JsonObject, sender: Sender) -> Future[CommandResult]:
        parts = self._parts
        bridge = parts.bridge
        try:
            if (known := bridge.result_of(body)) is not None:
                return known
            parse = partial(parse_command, body, bridge.now, sender, parts.limits)
            return bridge.submit(await self._executors.command(parse))
        except InvalidCommandError as error:
            raise refusal_of(error, 400, "request") from None
        except TooManyCommandsError:
            message = say("refused.queue", "the match still works on the last command; try again")
            raise Refusal(503, "busy", message, seconds=2) from None

    async def _result(self, answer: Future[CommandResult]) -> CommandResult:
        """Return the result once the match has taken the command; a command that waits too long is dropped."""
        await asyncio.wait((asyncio.wrap_future(answer),), timeout=COMMAND_TIMEOUT_SECONDS)
        if not answer.done():
            answer.cancel()
        if answer.done() and not answer.cancelled():
            return answer.result()
        message = say("refused.dropped", "the match did not answer in time, and the command was dropped; try again")
        raise Refusal(503, "busy", message, seconds=2)


def _organiser_only() -> Refusal:
    return Refusal(
        403, "organiser", say("refused.organiser_only", "only the organiser may do that; log in with the PIN")
    )
