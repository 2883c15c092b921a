"""Work that takes a while, away from the page's own thread: a little at a time, and never more than may wait."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from referee.web.request_checks import Refusal

MOST_WAITING: Final = 64
_Made = TypeVar("_Made")


class Executors:
    """A few threads: one for pictures, so that each is made once, one for everything else that waits for a disk."""

    def __init__(self) -> None:
        """Start no thread yet."""
        self._pictures = ThreadPoolExecutor(1, thread_name_prefix="referee-page-pictures")
        self._others = ThreadPoolExecutor(1, thread_name_prefix="referee-page-work")
        self._waiting = 0

    async def picture(self, make: Callable[[], _Made]) -> _Made:
        """Make a picture."""
        return await self._do(self._pictures, make)

    async def other(self, make: Callable[[], _Made]) -> _Made:
        """Do anything else."""
        return await self._do(self._others, make)

    async def _do(self, executor: ThreadPoolExecutor, make: Callable[[], _Made]) -> _Made:
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, "busy", "too much is asked for just now; try again", seconds=2)
        self._waiting += 1
        doing: Awaitable[_Made] = asyncio.get_running_loop().run_in_executor(executor, make)
        try:
            return await doing
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Begin nothing more."""
        for executor in (self._pictures, self._others):
            executor.shutdown(wait=False, cancel_futures=True)
