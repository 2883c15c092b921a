"""Jobs that do not wait for each other, such as rendering banks, done by several processes."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

import cv2

from referee.cli.progress import with_progress


def done_by(workers: int, jobs: Sequence[Callable[[], object]]) -> None:
    """Do all jobs, so many at a time; what one raises is raised here. Each must be picklable, such as a partial."""
    if workers < 2 or len(jobs) < 2:
        for job in with_progress(jobs, "rendering"):
            job()
        return
    start = multiprocessing.get_context("spawn")  # a fork would share the threads and the GPU of this process
    with ProcessPoolExecutor(min(workers, len(jobs)), start, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for begun in with_progress([pool.submit(job) for job in jobs], "rendering"):
            begun.result()
