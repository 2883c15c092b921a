"""Threads for work that takes a while, each with a bounded queue."""

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
    """Three threads: for pictures, so that each is made once, for commands, and for all other work.

    Anybody can keep the last one busy for seconds; commands do not wait behind it.
    """

    def __init__(self) -> None:
        """Start no thread yet."""
        self._pictures, self._words, self._others = _Lane("pictures"), _Lane("words"), _Lane("work")

    async def picture(self, make: Callable[[], _Made]) -> _Made:
        """Make a picture."""
        return await self._pictures.do(make)

    async def command(self, make: Callable[[], _Made]) -> _Made:
        """Run a command of the organiser or a player."""
        return await self._words.do(make)

    async def other(self, make: Callable[[], _Made]) -> _Made:
        """Run any other work."""
        return await self._others.do(make)

    def close(self) -> None:
        """Start nothing more."""
        for lane in (self._pictures, self._words, self._others):
            lane.close()
