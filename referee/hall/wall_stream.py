"""The wall's event stream: changed tables, made once for each role; guests get an earlier picture."""

import asyncio
import json
import zlib
from collections import Counter, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from referee.hall.desk import Desk
from referee.hall.ledger import Ledger
from referee.hall.picture import Role, view, wall
from referee.hall.tables import TableState
from referee.web.api.event_stream import ALIVE_SECONDS, MAX_PAGES, MAX_PAGES_EACH, TooManyPagesError

LOOK_SECONDS: Final = 0.2
SNAPSHOT_SECONDS: Final = 5.0

Plain = dict[str, Any]


@dataclass(eq=False, slots=True)
class Page:
    """One following page: what it was sent of each table."""

    address: str
    role: Role
    shown: dict[str, tuple[TableState, int]] = field(default_factory=dict)
    said: tuple[object, ...] = ()


class WallStream:
    """The hall as pages see it; lives in the server's thread."""

    def __init__(self, desk: Desk, delay_seconds: float) -> None:
        """Follow this desk; guests see it so many seconds later."""
        self._desk, self._delay = desk, delay_seconds
        self._pages: set[Page] = set()
        self._past: deque[tuple[float, bytes]] = deque()
        self.closing = False

    @property
    def pages(self) -> int:
        """How many pages follow."""
        return len(self._pages)

    async def run(self) -> None:
        """Keep past pictures for guests until closed."""
        while not self.closing and self._delay > 0:
            self._remember(monotonic())
            await asyncio.sleep(SNAPSHOT_SECONDS)

    def _remember(self, now: float) -> None:
        whole = self._whole(Role.GUEST, now)
        self._past.append((now, zlib.compress(_written(whole))))
        while len(self._past) > 1 and self._past[1][0] <= now - self._delay:
            self._past.popleft()

    def whole(self, role: Role) -> Plain:
        """Return everything a role may see now: for guests as it was."""
        now = monotonic()
        if role.sees_now or self._delay <= 0:
            return self._whole(role, now)
        if not self._past or self._past[0][0] > now - self._delay:
            nothing = {"now": round(now - self._delay, 1), "whole": True, "delay": self._delay, "tables": []}
            return {**nothing, "linked": self._desk.linked}
        _, packed = self._past[0]
        past: Plain = json.loads(zlib.decompress(packed))
        return {**past, "now": round(now - self._delay, 1), "delay": self._delay}

    def _whole(self, role: Role, now: float) -> Plain:
        desk = self._desk
        tables = wall(desk.tables, desk.ledger, role)
        return {"now": round(now, 1), "whole": True, "linked": desk.linked, **self._records(role), "tables": tables}

    def _records(self, role: Role) -> Plain:
        return {"penalties": list(self._desk.ledger.penalties)} if role.decides else {}

    def is_full(self, address: str) -> bool:
        """Return whether the limit of pages, for all or for this address, is reached."""
        here = Counter(page.address for page in self._pages)
        return here.total() >= MAX_PAGES or here[address] >= MAX_PAGES_EACH

    async def follow(self, address: str, role: Role) -> AsyncIterator[bytes]:
        """Yield server-sent events as long as somebody reads them; TooManyPagesError where too many do."""
        if self.is_full(address):
            raise TooManyPagesError
        page = Page(address, role)
        self._pages.add(page)
        try:
            yield b"retry: 1000\n\n"
            told_at = float("-inf")
            while not self.closing:
                now = monotonic()
                news = self._news(page, now, late=now - told_at >= ALIVE_SECONDS)
                if news is not None:
                    told_at = now
                    yield b"event: state\ndata: %s\n\n" % _written(news)
                await asyncio.sleep(LOOK_SECONDS if role.sees_now else SNAPSHOT_SECONDS / 2)
        finally:
            self._pages.discard(page)

    def _news(self, page: Page, now: float, *, late: bool) -> Plain | None:
        """Return what this page has not been shown; None where it has all, and was told so not long ago."""
        if not page.role.sees_now and self._delay > 0:
            key = (self._past[0][0] if self._past else 0.0,)
            if key == page.said and not late:
                return None
            page.said = key
            return self.whole(page.role)
        desk, first = self._desk, not page.said
        tables, ledger = desk.tables, desk.ledger
        changed = [table for name, table in tables.items() if _differs(page.shown.get(name), table, ledger, page.role)]
        gone = [name for name in page.shown if name not in tables]
        said = (desk.linked, ledger.penalties)
        if not (changed or gone or late or said != page.said):
            return None
        records = self._records(page.role) if said != page.said else {}
        page.said = said
        page.shown = {name: (table, len(ledger.penalties_of(name))) for name, table in tables.items()}
        views = [view(table, ledger, page.role) for table in changed]
        return {"now": round(now, 1), "whole": first, "linked": desk.linked, **records, "gone": gone, "tables": views}

    def close(self) -> None:
        """End the streams of all pages."""
        self.closing = True


def _differs(shown: tuple[TableState, int] | None, table: TableState, ledger: Ledger, role: Role) -> bool:
    if shown is None or shown[0] is not table:
        return True
    return role.decides and shown[1] != len(ledger.penalties_of(table.name))


def _written(plain: Plain) -> bytes:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
