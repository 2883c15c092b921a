"""Logging in and out, and the commands that enter the match."""

import asyncio
import logging
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from referee import __version__
from referee.errors import ConfigError, StorageError
from referee.game.inputs import Input
from referee.rules.answer import message_ids
from referee.web.api.bridge import Entered, TooManyCommandsError
from referee.web.api.command import InvalidCommandError, Speaker
from referee.web.api.commands import COMMANDS, parse_command
from referee.web.api.correction_commands import ANSWERS, CORRECTIONS
from referee.web.api.dependencies import Dependencies
from referee.web.api.event_stream import EventStream
from referee.web.security.connection_limits import Traffic
from referee.web.security.executors import Executors
from referee.web.security.logins import ORGANISER, Digits, Lock, Logins
from referee.web.security.request_checks import Refusal
from referee.web.security.requests import address_of, answer, body_of, read_body
from referee.web.security.sessions import (
    Session,
)

log = logging.getLogger("referee")
JsonObject = dict[str, Any]

ANSWER_SECONDS: Final = 3.0


class NewPin(Struct, frozen=True, forbid_unknown_fields=True):
    """The current PIN and a new one."""

    pin: Digits
    new: Digits


class Call(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether the arbiter is called, or the call taken back."""

    call: bool


class CommandRoutes:
    """Logging in and out, and `say`."""

    def __init__(self, parts: Dependencies, stream: EventStream, executors: Executors, traffic: Traffic) -> None:
        """Speak to the match of these parts."""
        self._parts, self._stream, self._executors = parts, stream, executors
        lock = Lock(parts.pin_hash, parts.session_file)
        self._logins = Logins({ORGANISER: lock}, executors, traffic, about=self._about, ended=stream.tell_sessions)

    async def session(self, request: Request) -> Response:
        """Return who the browser is logged in as; set its cookie if it has none."""
        return await self._logins.session(request)

    async def login(self, request: Request) -> Response:
        """Log in: make a session with the right PIN the organiser's."""
        return await self._logins.login(request)

    async def logout(self, request: Request) -> Response:
        """Log out: the session only looks from now on."""
        return await self._logins.logout(request)

    async def set_pin(self, request: Request) -> Response:
        """Set a new PIN for an organiser who knows the current one; sessions stay until the next start."""
        self.organiser(request)
        asked = await read_body(request, NewPin)
        await self._logins.try_pin(request, asked.pin)
        try:
            await self._executors.command(lambda: self._parts.set_pin(asked.new))
        except ConfigError as error:
            raise Refusal(400, "request", str(error), **message_ids(error)) from None
        except StorageError as error:
            raise Refusal(503, "busy", str(error)[:300], seconds=60) from None
        log.info("the organiser (%s) set another PIN", address_of(request))
        return answer({"set": True})

    def organiser(self, request: Request) -> None:
        """Raise Refusal unless the organiser asks; a change must also come from this page."""
        looks = request.method in {"GET", "HEAD"}
        role = self._logins.role(request) if looks else self._logins.changer(request)[0]
        if role is None:
            raise Refusal(403, "organiser", "only the organiser may do that; log in with the PIN")

    def is_organiser(self, request: Request) -> bool:
        """Return whether the organiser asks."""
        return self._logins.role(request) is not None

    def _about(self, _role: str | None) -> JsonObject:
        settings = self._parts.settings
        return {
            "players_may_correct": settings.players_may_correct,
            "corrections": settings.corrections,
            "version": __version__,
        }

    # Words ------------------------------------------------------------------------------------------------------------

    async def say(self, request: Request) -> Response:
        """Enter one command into the match, and answer once the match has taken it."""
        _, session = self._logins.changer(request)
        body = await body_of(request)
        speaker = self._speaker(session, str(body.get("say")), address_of(request))
        parts = self._parts
        try:
            command = await self._executors.command(
                lambda: parse_command(body, parts.bridge.match, speaker, parts.limits)
            )
        except InvalidCommandError as error:
            raise Refusal(400, "request", str(error), **message_ids(error)) from None
        entered = await self._enter(command)
        if not entered.changed and body["say"] == "agree":
            raise Refusal(409, "agreement", "another player has to agree, on another phone, while it is proposed")
        if not entered.changed:
            raise Refusal(409, "now", f"{body['say']!r} changes nothing now; check the match")
        log.info("%s (%s) said %s", speaker.by, address_of(request), body["say"])
        self._stream.look()
        return answer(
            {"entered": True, "told": [parts.plain(event) for event in entered.events], "rev": self._stream.rev}
        )

    async def call_arbiter(self, request: Request) -> Response:
        """Call the hall's arbiter, or take the call back; anyone at the table may."""
        self._logins.changer(request)
        is_open = (await read_body(request, Call)).call
        arbiter = self._parts.arbiter
        if arbiter is None:
            raise Refusal(409, "now", "this table belongs to no hall; name the hall under [hall]")
        arbiter.call(is_open=is_open)
        self._stream.look()
        return answer({"called_at": arbiter.called_at})

    def _speaker(self, session: Session, command: str, address: str) -> Speaker:
        """Return who speaks; a player may correct and answer as far as the settings let players."""
        voice, rule = self._logins.voice(session, address), self._parts.settings.corrections
        if session.organiser:
            return Speaker("organiser", voice)
        proposes = rule == "agreement"
        kind = COMMANDS.get(command)
        if (kind in CORRECTIONS and rule != "organiser") or (kind in ANSWERS and proposes):
            return Speaker("players", voice, proposes)
        raise Refusal(403, "organiser", "only the organiser may do that; log in with the PIN")

    async def _enter(self, command: Input) -> Entered:
        try:
            answered = self._parts.bridge.say(command)
        except TooManyCommandsError:
            raise Refusal(503, "busy", "the match still works on the last command; try again", seconds=2) from None
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.wrap_future(answered)  # cancelled by the time limit, the command is never said
        except TimeoutError:
            raise Refusal(
                503, "busy", "the match did not answer in time, and the command was dropped; try again", seconds=2
            ) from None
