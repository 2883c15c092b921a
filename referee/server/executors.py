"""Worker threads with bounded queues, for work that takes a while."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from referee.rules.wording import say
from referee.server.request_checks import Refusal

MAX_QUEUED_TASKS: Final = 64
MAX_QUEUED_PHOTOS: Final = 4
_Result = TypeVar("_Result")


class _Lane:
    """One worker thread and its queue."""

    def __init__(self, name: str, most: int = MAX_QUEUED_TASKS) -> None:
        self._most = most
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=f"referee-page-{name}")
        self._waiting = 0

    async def do(self, make: Callable[[], _Result]) -> _Result:
        if self._waiting >= self._most:
            raise Refusal(503, "busy", say("refused.busy_now", "the referee is busy; try again"), seconds=2)
        self._waiting += 1
        doing: Awaitable[_Result] = asyncio.get_running_loop().run_in_executor(self._executor, make)
        try:
            return await doing
        finally:
            self._waiting -= 1

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class Executors:
    """Four worker threads: for pictures, for commands, for photographs to read, and for all other work.

    Any visitor can keep the last one busy for seconds; commands do not wait for it.
    """

    def __init__(self) -> None:
        """Create the workers; their threads start with the first task."""
        self._pictures, self._words, self._others = _Lane("pictures"), _Lane("words"), _Lane("work")
        self._photos = _Lane("photos", MAX_QUEUED_PHOTOS)

    async def picture(self, make: Callable[[], _Result]) -> _Result:
        """Make a picture."""
        return await self._pictures.do(make)

    async def command(self, make: Callable[[], _Result]) -> _Result:
        """Run a command of the organiser or a player."""
        return await self._words.do(make)

    async def photo(self, make: Callable[[], _Result]) -> _Result:
        """Read a photograph, one at a time."""
        return await self._photos.do(make)

    async def other(self, make: Callable[[], _Result]) -> _Result:
        """Run any other work."""
        return await self._others.do(make)

    def close(self) -> None:
        """Accept no more tasks."""
        for lane in (self._pictures, self._words, self._photos, self._others):
            lane.close()
