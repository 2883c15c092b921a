"""Work done side by side: jobs by several processes, and what training needs next on another core."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import cv2

from models.training.train.device import reckon_there

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Made = TypeVar("Made")


def done_by(workers: int, jobs: Sequence[Callable[[], object]]) -> None:
    """Do all jobs, so many at a time; what one raises is raised here. Each must be picklable, such as a partial."""
    if workers < 2 or len(jobs) < 2:
        for job in jobs:
            job()
        return
    start = multiprocessing.get_context("spawn")  # a fork would share the threads and the GPU of this process
    with ProcessPoolExecutor(min(workers, len(jobs)), start, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for begun in [pool.submit(job) for job in jobs]:
            begun.result()


def made_ahead(makes: Iterator[Made]) -> Iterator[Made]:
    """What an iterator gives, in the same order: each thing is made while the one before it is used."""
    with ThreadPoolExecutor(1, initializer=reckon_there) as core:
        coming = core.submit(next, makes, None)
        while (made := coming.result()) is not None:
            coming = core.submit(next, makes, None)
            yield made
