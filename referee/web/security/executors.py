"""Work that takes a while, away from the page's own thread: a little at a time, and never more than may wait."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from referee.web.security.request_checks import Refusal

MAX_WAITING: Final = 64
_Made = TypeVar("_Made")


class _Lane:
    """One thread, and those who wait for it."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=f"referee-page-{name}")
        self._waiting = 0

    async def do(self, make: Callable[[], _Made]) -> _Made:
        if self._waiting >= MAX_WAITING:
            raise Refusal(503, "busy", "the referee is busy; try again", seconds=2)
        self._waiting += 1
        doing: Awaitable[_Made] = asyncio.get_running_loop().run_in_executor(self._executor, make)
        try:
            return await doing
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class Executors:
    """A thread for pictures, so that each is made once, one for words, and one for what anyone may ask of a disk.

    Who looks on can make the last one busy for seconds; the organiser's words do not wait behind that.
    """

    def __init__(self) -> None:
        """Start no thread yet."""
        self._pictures, self._words, self._others = _Lane("pictures"), _Lane("words"), _Lane("work")

    async def picture(self, make: Callable[[], _Made]) -> _Made:
        """Make a picture."""
        return await self._pictures.do(make)

    async def word(self, make: Callable[[], _Made]) -> _Made:
        """Do what the organiser or a player says: soon."""
        return await self._words.do(make)

    async def other(self, make: Callable[[], _Made]) -> _Made:
        """Do anything else."""
        return await self._others.do(make)

    def close(self) -> None:
        """Begin nothing more."""
        for lane in (self._pictures, self._words, self._others):
            lane.close()
