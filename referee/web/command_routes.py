"""Whoever speaks: sessions, the PIN, and the words that enter the match."""

import asyncio
import logging
import time
from math import ceil
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from referee import __version__
from referee.errors import StorageError
from referee.game.inputs import Input
from referee.web.bridge import Entered, TooManyWordsError
from referee.web.commands import understand
from referee.web.connection_limits import Traffic, network_of
from referee.web.correction_commands import ANSWERS, CORRECTIONS
from referee.web.dependencies import Dependencies
from referee.web.event_stream import EventStream
from referee.web.executors import Executors
from referee.web.pin import MOST_DIGITS, Turnstile, is_pin
from referee.web.request_checks import Refusal
from referee.web.requests import COOKIE, DEVICE_COOKIE, address_of, answer, body_of, only
from referee.web.sessions import (
    DEVICE_SECONDS,
    MOST_ORGANISERS,
    SECONDS,
    Session,
    Sessions,
    is_this_machine,
    load_sessions,
    save_sessions,
)
from referee.web.words_said import Speaker, WrongWordError

log = logging.getLogger("referee")
Plain = dict[str, Any]

ANSWER_SECONDS: Final = 3.0


class CommandRoutes:
    """Logging in and out, and `say`."""

    def __init__(self, parts: Dependencies, stream: EventStream, executors: Executors, traffic: Traffic) -> None:
        """Speak to the match of these parts."""
        self._parts, self._stream, self._executors, self._traffic = parts, stream, executors, traffic
        try:
            pin = parts.pin_hash() or ""
        except StorageError:
            pin = ""  # nobody can log in either, and whoever asks for the session is told
        self._sessions = Sessions(load_sessions(parts.session_file), pin, time.monotonic(), time.time())
        self._turnstile = Turnstile()
        self._pin_set = True

    # Sessions ---------------------------------------------------------------------------------------------------------

    async def session(self, request: Request) -> Response:
        """Tell a browser who it is, and give it a cookie if it has none."""
        known = self._find(request)
        try:
            self._pin_set = bool(await self._executors.word(self._parts.pin_hash))
        except StorageError as error:
            log.warning("%s", error)
            self._pin_set = False
        return self._told(known or self._sessions.new(), fresh=known is None)

    async def login(self, request: Request) -> Response:
        """Make who knows the PIN the organiser."""
        self._changer(request)
        body = await body_of(request)
        only(body, "pin")
        pin = body["pin"]
        if not isinstance(pin, str) or len(pin) > 4 * MOST_DIGITS:
            raise Refusal(400, "request", "'pin' is a text of digits; give it")
        address, device = address_of(request), self._sessions.device(request.cookies.get(DEVICE_COOKIE))
        place, known = device or network_of(address), device is not None or is_this_machine(address)
        wait = self._turnstile.wait(place, time.monotonic(), known=known)
        if wait > 0:
            raise Refusal(429, "tries", f"too many wrong PINs; wait {ceil(wait)} s", seconds=ceil(10 * wait) / 10)
        # Counted before it is looked at: two tries at once are two.
        self._turnstile.failed(place, time.monotonic(), known=known)
        if not await self._executors.word(lambda: is_pin(pin, self._kept_pin())):
            log.warning("a wrong PIN came from %s", address)
            raise Refusal(403, "pin", "that is not the PIN; it was shown when the referee started")
        self._turnstile.passed(place, known=known)
        session, ended = self._sessions.promote(time.monotonic())
        await self._keep()
        log.info("the organiser logged in from %s", address)
        if ended:
            log.info("the session that began first has ended: %d devices may be logged in", MOST_ORGANISERS)
            self._stream.tell_sessions()
        response = self._told(session, fresh=True, ended=ended)
        if device is None:
            new = self._sessions.new_device()
            response.set_cookie(DEVICE_COOKIE, new, DEVICE_SECONDS, httponly=True, samesite="strict")
        return response

    async def _keep(self) -> None:
        """Keep the sessions over a restart."""
        file, kept = self._parts.session_file, self._sessions.kept(time.monotonic(), time.time())
        if file is None:
            return
        try:
            await self._executors.word(lambda: save_sessions(file, kept))
        except StorageError as error:
            log.warning("%s", error)

    def _kept_pin(self) -> str:
        try:
            kept = self._parts.pin_hash()
        except StorageError as error:
            raise Refusal(503, "busy", str(error), seconds=60) from None
        if not kept:
            raise Refusal(403, "pin", "no PIN is set; set one where the referee runs: referee config pin")
        return kept

    async def logout(self, request: Request) -> Response:
        """Make the organiser somebody who only looks."""
        session = self._changer(request)
        only(await body_of(request))
        self._sessions.end(session)
        await self._keep()
        return self._told(self._sessions.new(), fresh=True)

    def organiser(self, request: Request) -> None:
        """Refuse whoever is not the organiser; one who changes something must prove to be this page."""
        session = self._find(request) if request.method in {"GET", "HEAD"} else self._changer(request)
        if session is None or not session.organiser:
            raise Refusal(403, "organiser", "only the organiser may do that; log in with the PIN")

    def is_organiser(self, request: Request) -> bool:
        """Tell whether the organiser asks."""
        session = self._find(request)
        return session is not None and session.organiser

    def _find(self, request: Request) -> Session | None:
        session = self._sessions.find(request.cookies.get(COOKIE), time.monotonic())
        if session is not None and session.organiser:
            self._traffic.keep(address_of(request))
        return session

    def _changer(self, request: Request) -> Session:
        session = self._find(request)
        if session is None or not self._sessions.is_token(session, request.headers.get("x-csrf-token")):
            raise Refusal(403, "session", "this page is older than the referee; load it again")
        return session

    def _told(self, session: Session, *, fresh: bool, ended: int = 0) -> Response:
        response = answer(
            {
                "organiser": session.organiser,
                "csrf": session.token,
                "pin_set": self._pin_set,
                "players_may_correct": self._parts.settings.players_may_correct,
                "corrections": self._parts.settings.corrections,
                "version": __version__,
                "ended": ended,
            }
        )
        if fresh:
            response.set_cookie(COOKIE, session.cookie, int(SECONDS), httponly=True, samesite="strict")
        return response

    # Words ------------------------------------------------------------------------------------------------------------

    async def say(self, request: Request) -> Response:
        """Enter one word into the match, and answer once it has been taken."""
        session = self._changer(request)
        body = await body_of(request)
        speaker = self._speaker(session, str(body.get("say")), address_of(request))
        parts = self._parts
        try:
            word = await self._executors.word(lambda: understand(body, parts.bridge.match, speaker, parts.limits))
        except WrongWordError as error:
            raise Refusal(400, "request", str(error)) from None
        entered = await self._enter(word)
        if not entered.changed and body["say"] == "agree":
            raise Refusal(409, "agreement", "another player has to agree, on another phone, while it is proposed")
        if not entered.changed:
            raise Refusal(409, "now", f"{body['say']!r} changes nothing now; look at the match again")
        log.info("%s (%s) said %s", speaker.by, address_of(request), body["say"])
        self._stream.look()
        return answer(
            {"entered": True, "told": [parts.plain(event) for event in entered.told], "rev": self._stream.rev}
        )

    def _speaker(self, session: Session, word: str, address: str) -> Speaker:
        """Say who speaks; a player may correct and answer as far as the settings let players."""
        voice, rule = self._sessions.voice(session, address), self._parts.settings.corrections
        if session.organiser:
            return Speaker("organiser", voice)
        proposes = rule == "agreement"
        if (word in CORRECTIONS and rule != "organiser") or (word in ANSWERS and proposes):
            return Speaker("players", voice, proposes)
        raise Refusal(403, "organiser", "only the organiser may say that; log in with the PIN")

    async def _enter(self, word: Input) -> Entered:
        try:
            answered = self._parts.bridge.say(word)
        except TooManyWordsError:
            raise Refusal(503, "busy", "the match has not taken what was said before; try again", seconds=2) from None
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.wrap_future(answered)  # cancelled by the time limit, the word is never said
        except TimeoutError:
            raise Refusal(503, "busy", "the match did not answer in time; it was not said", seconds=2) from None
