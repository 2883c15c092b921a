"""Event streams of pages: what the page and the hall share of them."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from typing import Final, Protocol

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from referee.server.requests import UNCACHED
from referee.server.sessions import is_this_machine

KEEP_ALIVE_SECONDS: Final = 10.0  # a page shows State older than 20 s as stale


MAX_PAGES: Final = 120


MAX_ORGANISER_PAGES: Final = 8  # additional places for devices with an organiser session


MAX_PAGES_PER_ADDRESS: Final = 30  # one address cannot take all places


class FollowingPage(Protocol):
    """A page that follows a stream."""

    address: str
    gone: bool

    def end(self) -> None:
        """End its stream."""


def has_place(pages: Collection[FollowingPage], address: str, *, is_organiser: bool) -> bool:
    """Return whether one more page of this address may follow; this machine's may have any number.

    If all places are taken, one page of an address with more pages has to go. Organisers have additional places.
    """
    here = Counter(page.address for page in pages if not page.gone)
    if here[address] >= MAX_PAGES_PER_ADDRESS and not is_this_machine(address):
        return False
    if here.total() < MAX_PAGES + (MAX_ORGANISER_PAGES if is_organiser else 0):
        return True
    crowd, most = here.most_common(1)[0]
    if most <= here[address] + 1:
        return False
    next(page for page in pages if page.address == crowd and not page.gone).end()
    return True


class PageEvents(StreamingResponse):
    """The server-sent events of one page, which leaves its stream however the response ends."""

    def __init__(self, messages: AsyncIterator[bytes], leave: Callable[[], None]) -> None:
        """Send these messages, then call `leave`."""
        super().__init__(messages, media_type="text/event-stream", headers={**UNCACHED, "x-accel-buffering": "no"})
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()
