"""The wall's event stream: changed tables for each role; guests get delayed snapshots."""

import asyncio
import json
import zlib
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from referee.hall.desk import Desk
from referee.hall.ledger import Ledger
from referee.hall.tables import HallTable
from referee.hall.wall_view import Role, table_view, wall_view
from referee.plain_json import JsonObject, json_bytes
from referee.server.event_streams import KEEP_ALIVE_SECONDS, has_place

POLL_SECONDS: Final = 0.2
SNAPSHOT_SECONDS: Final = 5.0


@dataclass(eq=False, slots=True)
class WallPage:
    """One connected page and the tables it was last sent."""

    address: str
    role: Role
    gone: bool = False
    """Its place is another's now."""
    sent_tables: dict[str, tuple[HallTable, int]] = field(default_factory=dict)
    sent_key: tuple[object, ...] = ()

    def end(self) -> None:
        """End its stream."""
        self.gone = True


class WallStream:
    """The hall's state for connected pages; used on the server's thread only."""

    def __init__(self, desk: Desk, delay_seconds: float) -> None:
        """Follow this desk; guests see it `delay_seconds` later."""
        self._desk, self._delay = desk, delay_seconds
        self._pages: set[WallPage] = set()
        self._snapshots: deque[tuple[float, bytes]] = deque()
        self.closing = False

    @property
    def pages(self) -> int:
        """The number of connected pages."""
        return len(self._pages)

    async def run(self) -> None:
        """Take snapshots for guests until closed."""
        while not self.closing and self._delay > 0:
            self._remember(monotonic())
            await asyncio.sleep(SNAPSHOT_SECONDS)

    def _remember(self, now: float) -> None:
        whole = self._live_view(Role.GUEST, now)
        self._snapshots.append((now, zlib.compress(json_bytes(whole))))
        while len(self._snapshots) > 1 and self._snapshots[1][0] <= now - self._delay:
            self._snapshots.popleft()

    def snapshot(self, role: Role) -> JsonObject:
        """Return all tables as a role may see them now; guests get the delayed snapshot."""
        now = monotonic()
        if role.sees_live or self._delay <= 0:
            return self._live_view(role, now)
        if not self._snapshots or self._snapshots[0][0] > now - self._delay:
            nothing = {"now": round(now - self._delay, 1), "whole": True, "delay": self._delay, "tables": []}
            return {**nothing, "linked": self._desk.linked}
        _, packed = self._snapshots[0]
        past: JsonObject = json.loads(zlib.decompress(packed))
        return {**past, "now": round(now - self._delay, 1), "delay": self._delay}

    def _live_view(self, role: Role, now: float) -> JsonObject:
        desk = self._desk
        tables = wall_view(desk.tables, desk.ledger, role)
        return {"now": round(now, 1), "whole": True, "linked": desk.linked, **self._records(role), "tables": tables}

    def _records(self, role: Role) -> JsonObject:
        return {"penalties": list(self._desk.ledger.penalties)} if role.can_decide else {}

    def join(self, address: str, role: Role) -> WallPage | None:
        """Add a page; None where there is no place for it."""
        if not has_place(self._pages, address, is_organiser=role.sees_live):
            return None
        page = WallPage(address, role)
        self._pages.add(page)
        return page

    def leave(self, page: WallPage) -> None:
        """Remove a page."""
        self._pages.discard(page)

    async def follow(self, page: WallPage) -> AsyncIterator[bytes]:
        """Yield server-sent events until the page disconnects."""
        yield b"retry: 1000\n\n"
        sent_at = float("-inf")
        while not self.closing and not page.gone:
            now = monotonic()
            changes = self._changes_for(page, now, is_due=now - sent_at >= KEEP_ALIVE_SECONDS)
            if changes is not None:
                sent_at = now
                yield b"event: state\ndata: %s\n\n" % json_bytes(changes)
            await asyncio.sleep(POLL_SECONDS if page.role.sees_live else SNAPSHOT_SECONDS / 2)

    def _changes_for(self, page: WallPage, now: float, *, is_due: bool) -> JsonObject | None:
        """Return the changes since this page's last message; None if there are none and no keep-alive is due."""
        if not page.role.sees_live and self._delay > 0:
            key = (self._snapshots[0][0] if self._snapshots else 0.0,)
            if key == page.sent_key and not is_due:
                return None
            page.sent_key = key
            return self.snapshot(page.role)
        desk, first = self._desk, not page.sent_key
        tables, ledger = desk.tables, desk.ledger
        changed = [
            table for name, table in tables.items() if _differs(page.sent_tables.get(name), table, ledger, page.role)
        ]
        gone = [name for name in page.sent_tables if name not in tables]
        state = (desk.linked, ledger.penalties)
        if not (changed or gone or is_due or state != page.sent_key):
            return None
        records = self._records(page.role) if state != page.sent_key else {}
        page.sent_key = state
        page.sent_tables = {name: (table, len(ledger.penalties_of(name))) for name, table in tables.items()}
        views = [table_view(table, ledger, page.role) for table in changed]
        return {"now": round(now, 1), "whole": first, "linked": desk.linked, **records, "gone": gone, "tables": views}

    def close(self) -> None:
        """End the streams of all pages."""
        self.closing = True


def _differs(shown: tuple[HallTable, int] | None, table: HallTable, ledger: Ledger, role: Role) -> bool:
    if shown is None or shown[0] is not table:
        return True
    return role.can_decide and shown[1] != len(ledger.penalties_of(table.name))
