"""The pages' event stream: the State after each change and every turn event, encoded once for all pages."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Final

from msgspec.json import encode
from msgspec.structs import replace

from referee.game.state import Match
from referee.game.table.judging import TableJudgement
from referee.game.texts.messages import words
from referee.hardware.system import wall_label
from referee.history.history import History
from referee.page import dependencies
from referee.plain_json import json_bytes
from referee.protocol.bridge import Bridge
from referee.protocol.schema import Arbiter, Said, State
from referee.protocol.state import CameraStatus, judge_current_table, state_of
from referee.protocol.view_state import ViewState, next_view_state
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import Message
from referee.server.event_streams import KEEP_ALIVE_SECONDS, has_place
from referee.storage.match_step import MatchStep

log = logging.getLogger("referee")

MIN_STATE_INTERVAL_SECONDS: Final = 0.1
POLL_SECONDS: Final = 0.5
MAX_QUEUED_EVENTS: Final = 100


@dataclass(eq=False, slots=True)
class ConnectedPage:
    """One connected page; events beyond its queue are dropped, the newest State is not."""

    address: str
    gone: bool = False
    """Its place is another's now."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    events: deque[bytes] = field(default_factory=lambda: deque(maxlen=MAX_QUEUED_EVENTS))
    rev: int = 0

    def end(self) -> None:
        """End its stream."""
        self.gone = True
        self.news.set()


class EventStream:
    """Follows the match for all pages; used on the page's thread only."""

    def __init__(
        self,
        bridge: Bridge,
        camera_status: Callable[[], CameraStatus],
        now: Callable[[], float],
        history: History,
        *,
        safe_mode: Callable[[], Message | None] = lambda: None,
        arbiter: dependencies.Arbiter | None = None,
    ) -> None:
        """Follow this bridge; `history` is that of its match."""
        self._bridge, self._camera_status, self._now, self._history = bridge, camera_status, now, history
        self.view_state = ViewState()
        self._safe_mode, self._arbiter = safe_mode, arbiter
        self.rev = 0
        self.closing = False
        self._made: State | None = None
        self._made_at = float("-inf")
        self._late = False
        self._state: bytes | None = None
        self._key = b""
        self._pages: set[ConnectedPage] = set()
        self._told = 0
        self._changed = asyncio.Event()
        self._found: tuple[tuple[object, ...], TableJudgement | None] = ((None,) * 6, None)
        self.began: Callable[[str], None] = _keep_no_picture

    @property
    def match(self) -> Match:
        """The current match."""
        return self._bridge.match

    @property
    def history(self) -> History:
        """The history of all turns."""
        self.refresh()
        return self._history

    @property
    def pages(self) -> int:
        """The number of connected pages."""
        return len(self._pages)

    async def run(self) -> None:
        """Follow the match until cancelled."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed.set)

        self._bridge.on_change(wake)
        failed = False
        while not self.closing:
            await self._wait()
            try:
                self._changed.clear()
                self._take_steps()  # events are sent at once, States at a limited rate
                await asyncio.sleep(0)
                if time.monotonic() - self._made_at >= MIN_STATE_INTERVAL_SECONDS:
                    self.update()
                failed = False
            except Exception:  # page and match go on with the next change
                if not failed:
                    log.exception("the page cannot show this match; please report it with the journal")
                failed = True

    async def _wait(self) -> None:
        """Wait for a change, or until the next State is due."""
        since = time.monotonic() - self._made_at
        limit = MIN_STATE_INTERVAL_SECONDS - since if self._late else POLL_SECONDS
        try:
            async with asyncio.timeout(max(0.0, limit)):
                await self._changed.wait()
            self._late = time.monotonic() - self._made_at < MIN_STATE_INTERVAL_SECONDS
        except TimeoutError:
            self._late = False

    def update(self) -> None:
        """Fetch the newest steps and send State and events to the pages."""
        self._changed.clear()
        self._take_steps()
        arbiter = None if self._arbiter is None else Arbiter(called_at=self._arbiter.called_at)
        why = self._safe_mode()
        safe = {} if why is None else {"safe_mode": str(why), "safe_mode_message": Said(**message_to_json(why))}
        made = replace(self._make_state(), arbiter=arbiter, **safe)
        key = encode(_without_time(made))
        if key != self._key:
            self._key = key
            self.rev += 1
            for page in self._pages:
                page.news.set()
        self._made = replace(made, rev=self.rev, wall=wall_label())
        self._made_at, self._state = time.monotonic(), None

    def _take_steps(self) -> None:
        for happened in self._bridge.steps():
            self._apply(happened)

    def _apply(self, happened: MatchStep) -> None:
        self.view_state = next_view_state(self.view_state, happened)
        by = getattr(happened.entered, "by", "")
        names = happened.match.setup.names if happened.match.seated is not None else ()
        for event, told in zip(happened.events, happened.told, strict=True):
            self._told += 1
            payload = {**told, "words": words(event, names)} | ({"by": by} if by else {})
            self._broadcast(b"event: told\nid: %d\ndata: %s\n\n" % (self._told, json_bytes(payload)))
        began = happened.match.turn_start.observation
        if began is not None and began is not happened.earlier.turn_start.observation:
            self.began(began.reading.frame_id)

    def _broadcast(self, message: bytes) -> None:
        for page in self._pages:
            page.events.append(message)
            page.news.set()

    def _make_state(self) -> State:
        now = self._bridge.now
        judgement = self._judge_current_table(now.match)
        return state_of(now, self.view_state, self._camera_status(), judgement, self._now())

    def _judge_current_table(self, match: Match) -> TableJudgement | None:
        """Return the judgement of the current table; judge again only if the table or its reference changed."""
        seen = match.table.current and match.table.current.hypotheses
        key = (seen, match.turn_start, match.players, match.seat, match.phase)
        if any(old is not new for old, new in zip(self._found[0], key, strict=True)):
            self._found = (key, judge_current_table(match))
        return self._found[1]

    def refresh(self) -> None:
        """Update unless that was done within MIN_STATE_INTERVAL_SECONDS."""
        old = time.monotonic() - self._made_at > MIN_STATE_INTERVAL_SECONDS
        if old or self._bridge.waiting or self._changed.is_set():
            self.update()

    def state(self) -> bytes:
        """Return the current State as JSON."""
        self.refresh()
        return self._newest()

    def _newest(self) -> bytes:
        """Return the last State as JSON, encoded once."""
        if self._state is None:
            self._state = encode(self._made)
        return self._state

    def refresh_sessions(self) -> None:
        """Make every page load its session again, because a login ended another session."""
        self._broadcast(b"event: session\ndata: {}\n\n")

    def join(self, address: str, *, is_organiser: bool = False) -> ConnectedPage | None:
        """Add a page; None where there is no place for it."""
        if not has_place(self._pages, address, is_organiser=is_organiser):
            return None
        page = ConnectedPage(address)
        self._pages.add(page)
        return page

    def leave(self, page: ConnectedPage) -> None:
        """Remove a page."""
        self._pages.discard(page)

    async def follow(self, page: ConnectedPage) -> AsyncIterator[bytes]:
        """Yield server-sent events as long as somebody reads them."""
        yield b"retry: 1000\n\n"
        while not self.closing and not page.gone:
            page.news.clear()
            while page.events:
                yield page.events.popleft()
            if page.rev != self.rev:
                if time.monotonic() - self._made_at > POLL_SECONDS:
                    self.update()
                newest, page.rev = self._newest(), self.rev
                yield b"event: state\ndata: %s\n\n" % newest
            await self._wait_for_news(page)

    async def _wait_for_news(self, page: ConnectedPage) -> None:
        try:
            async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                await page.news.wait()
        except TimeoutError:
            page.rev = 0  # send the State again: it refreshes the clock and reveals a closed connection

    def close(self) -> None:
        """End the streams of all pages."""
        self.closing = True
        for page in self._pages:
            page.news.set()


def _keep_no_picture(_frame_id: str) -> None:
    """Keep no picture."""


def _without_time(state: State) -> State:
    """Return the State without what only the passing of time changes."""
    match = state.match
    if match is not None and match.clock.running:
        match = replace(match, clock=replace(match.clock, seconds_left=None))
    return replace(state, at=0.0, match=match, table=replace(state.table, seen_at=None))
