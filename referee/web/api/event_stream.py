"""The event stream of pages: the State after each change, and every turn event; each is made once for all."""

import asyncio
import json
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from referee.game.events import TurnEvent
from referee.game.state import Match
from referee.game.table.judging import TableJudgement
from referee.game.texts.messages import words
from referee.web.api.bridge import Bridge
from referee.web.api.dependencies import Arbiter
from referee.web.security.sessions import is_this_machine
from referee.web.view.state import Sighting, find_now, state
from referee.web.view.turn_history import TurnHistory
from referee.web.view.view_state import Happened, Recent, go_on

JsonObject = dict[str, Any]
log = logging.getLogger("referee")

MIN_SECONDS: Final = 0.1
LOOK_SECONDS: Final = 0.5
ALIVE_SECONDS: Final = 10.0  # a page trusts nothing older than 20 s
MAX_TOLD: Final = 100
MAX_PAGES: Final = 120
KEPT_PAGES: Final = 8  # more, for devices on which the organiser is logged in
MAX_PAGES_EACH: Final = 30  # of one address: nobody alone can keep all the others from following


class TooManyPagesError(Exception):
    """The limit of following pages is reached."""


@dataclass(eq=False, slots=True)
class Page:
    """One following page; what it does not take in time is lost, except the newest State."""

    address: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    events: deque[bytes] = field(default_factory=lambda: deque(maxlen=MAX_TOLD))
    rev: int = 0
    gone: bool = False
    """Its place is another's now."""


class EventStream:
    """The match as pages see it; lives in the page's thread."""

    def __init__(
        self,
        bridge: Bridge,
        sighting: Callable[[], Sighting],
        now: Callable[[], float],
        wall: Callable[[], str],
        plain: Callable[[TurnEvent], JsonObject],
        *,
        safe_mode: Callable[[], str | None] = lambda: None,
        arbiter: Arbiter | None = None,
    ) -> None:
        """Follow this bridge; `plain` writes a turn event as `referee run --events` does."""
        self._bridge, self._sighting, self._now, self._wall, self._plain = bridge, sighting, now, wall, plain
        self._history = TurnHistory()
        self.recent = Recent()
        self._safe_mode, self._arbiter = safe_mode, arbiter
        self.rev = 0
        self.closing = False
        self._made: JsonObject = {}
        self._made_at = float("-inf")
        self._late = False
        self._state: bytes | None = None
        self._key = b""
        self._pages: set[Page] = set()
        self._told = 0
        self._changed = asyncio.Event()
        self._found: tuple[tuple[object, ...], TableJudgement | None] = ((None,) * 6, None)
        self.began: Callable[[str], None] = _nothing

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self._bridge.match

    @property
    def history(self) -> TurnHistory:
        """Every turn so far."""
        self.refresh()
        return self._history

    @property
    def pages(self) -> int:
        """How many pages follow."""
        return len(self._pages)

    def restore(self, events: Iterable[JsonObject]) -> None:
        """Take the events told before the referee was restarted."""
        self._history.restore(events)

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
                self._take_steps()  # events are told at once, States not too often
                await asyncio.sleep(0)
                if time.monotonic() - self._made_at >= MIN_SECONDS:
                    self.look()
                failed = False
            except Exception:  # the page goes on with the next change, and so does the match
                if not failed:
                    log.exception("the page cannot show this match; please report it with the journal")
                failed = True

    async def _wait(self) -> None:
        """Wait until something has changed, or until it is time for the next State."""
        since = time.monotonic() - self._made_at
        limit = MIN_SECONDS - since if self._late else LOOK_SECONDS
        try:
            async with asyncio.timeout(max(0.0, limit)):
                await self._changed.wait()
            self._late = time.monotonic() - self._made_at < MIN_SECONDS
        except TimeoutError:
            self._late = False

    def look(self) -> None:
        """Take the newest steps and send them to the pages."""
        self._changed.clear()
        self._take_steps()
        arbiter = None if self._arbiter is None else {"called_at": self._arbiter.called_at}
        made = {"safe_mode": self._safe_mode(), "arbiter": arbiter, **self._make()}
        key = _written(_lasting(made))
        if key != self._key:
            self._key = key
            self.rev += 1
            for page in self._pages:
                page.news.set()
        self._made = {"rev": self.rev, "wall": self._wall(), **made}
        self._made_at, self._state = time.monotonic(), None

    def _take_steps(self) -> None:
        for happened in self._bridge.steps():
            self._take(happened)

    def _take(self, happened: Happened) -> None:
        self.recent = go_on(self.recent, happened)
        by = getattr(happened.entered, "by", "")
        names = happened.match.setup.names if happened.match.seated is not None else ()
        for event in happened.events:
            plain = self._plain(event)
            self._history.note(plain, self._wall())
            self._told += 1
            payload = {**plain, "words": words(event, names)} | ({"by": by} if by else {})
            self._tell(b"event: told\nid: %d\ndata: %s\n\n" % (self._told, _written(payload)))
        began = happened.match.turn_start.observation
        if began is not None and began is not happened.earlier.turn_start.observation:
            self.began(began.reading.frame_id)

    def _tell(self, message: bytes) -> None:
        for page in self._pages:
            page.events.append(message)
            page.news.set()

    def _make(self) -> JsonObject:
        match = self._bridge.match
        return state(match, self.recent, self._sighting(), self._find(match), self._now())

    def _find(self, match: Match) -> TableJudgement | None:
        """Judge the table as it lies only where it, or what it is judged against, has changed."""
        seen = match.table.current and match.table.current.hypotheses
        key = (seen, match.turn_start, match.players, match.seat, match.phase)
        if any(old is not new for old, new in zip(self._found[0], key, strict=True)):
            self._found = (key, find_now(match))
        return self._found[1]

    def refresh(self) -> None:
        """Take the newest steps, unless that was just done."""
        old = time.monotonic() - self._made_at > MIN_SECONDS
        if old or self._bridge.waiting or self._changed.is_set():
            self.look()

    def state(self) -> bytes:
        """Return the State as it is now."""
        self.refresh()
        return self._newest()

    def _newest(self) -> bytes:
        """Return the last State made, written once for all who ask."""
        if self._state is None:
            self._state = _written(self._made)
        return self._state

    def is_full(self, address: str, *, kept: bool = False) -> bool:
        """Return whether as many pages follow as may: all together, or from this address if it is another machine's.

        Where all places are taken, one of an address that has more of them is taken back; some are `kept`.
        """
        here = Counter(page.address for page in self._pages if not page.gone)
        if here[address] >= MAX_PAGES_EACH and not is_this_machine(address):
            return True
        if here.total() < MAX_PAGES + (KEPT_PAGES if kept else 0):
            return False
        crowd, most = here.most_common(1)[0]
        if most <= here[address] + 1:
            return True
        last = next(page for page in self._pages if page.address == crowd and not page.gone)
        last.gone = True
        last.news.set()
        return False

    def tell_sessions(self) -> None:
        """Make every page ask again who it is: a session was ended by another one."""
        self._tell(b"event: session\ndata: {}\n\n")

    async def follow(self, address: str, *, kept: bool = False) -> AsyncIterator[bytes]:
        """Yield server-sent events as long as somebody reads them; TooManyPagesError where too many do."""
        if self.is_full(address, kept=kept):
            raise TooManyPagesError
        page = Page(address)
        self._pages.add(page)
        try:
            yield b"retry: 1000\n\n"
            while not self.closing and not page.gone:
                page.news.clear()
                while page.events:
                    yield page.events.popleft()
                if page.rev != self.rev:
                    if time.monotonic() - self._made_at > LOOK_SECONDS:
                        self.look()
                    newest, page.rev = self._newest(), self.rev
                    yield b"event: state\ndata: %s\n\n" % newest
                await self._news(page)
        finally:
            self._pages.discard(page)

    async def _news(self, page: Page) -> None:
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await page.news.wait()
        except TimeoutError:
            page.rev = 0  # send the State again: its clock is old, and a page that is gone is noticed

    def close(self) -> None:
        """End the streams of all pages."""
        self.closing = True
        for page in self._pages:
            page.news.set()


def _nothing(_frame_id: str) -> None:
    """Keep no picture."""


def _written(plain: JsonObject) -> bytes:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _lasting(made: JsonObject) -> JsonObject:
    """Return the State without what only the passing of time changes."""
    match, table = made["match"], made["table"]
    clock = None if match is None else {**match["clock"], "seconds_left": None}
    standing = clock and not clock["running"] and match["clock"]["seconds_left"]
    return {
        "safe_mode": made["safe_mode"],
        "match": match and {**match, "clock": {**(clock or {}), "seconds_left": standing}},
        "table": {**table, "seen_at": None},
    }
