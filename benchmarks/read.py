"""Measure time and memory of reading a table: locate, read and `read_table`, beside YOLO11n.

    python -m benchmarks.read [--threads 1 2 4] [--widths 2304] [--tables 8] [--repeats 15] [--peer yolo11n.onnx]

writes benchmarks/results/read.md. Every measurement runs in its own process, so that peak memory is its own; the peer
and read_table are timed alternately. On a busy machine processor time is more reliable than the clock, and the minimum
more than the median, so all three ratios are given. A table's time depends on how many of its tiles are read again, so
several are drawn, each with another box and lamp: sharp and bright ones, and some blurred or pale. Their digits need no
font and are the same on every machine. The peer has YOLO11n's layers and random weights (`benchmarks/peer.py`), on
which speed does not depend. --peer takes YOLO11n itself, as `yolo export model=yolo11n.yaml format=onnx dynamic=True`
writes it (package ultralytics): it takes 1.02 to 1.07 times as long, for the additions that place its boxes.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnxruntime

from referee.vision.detect.detection_scale import fit_zoom
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader

SIZES = ((1280, 960), (2304, 1296), (4608, 2592))
TILES = (30, 106)
PEERS = (640,)
HERE = Path(__file__).parent


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--widths", type=int, nargs="+", default=[size[0] for size in SIZES], help="of the frames")
    parser.add_argument("--tables", type=int, default=8, help="of each size and number of tiles")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--peer", type=Path, help="a YOLO11n exported to ONNX for 640, with a free picture size")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "read.md")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # the processes started below
    arguments = parser.parse_args(argv)
    if arguments.measure:
        print(json.dumps(measure(json.loads(arguments.measure))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        peer = arguments.peer or draw_peer(Path(scratch) / "peer.onnx")
        sizes = [size for size in SIZES if size[0] in arguments.widths]
        frames = {
            (size, tiles): [str(draw_frame(Path(scratch), size, tiles, number)) for number in range(arguments.tables)]
            for size in sizes
            for tiles in TILES
        }
        rows = [
            run_in_process(
                {"frames": frames[size, tiles], "peer": str(peer), "threads": threads, "repeats": arguments.repeats}
            )
            | {"size": size, "tiles": tiles, "threads": threads}
            for threads in arguments.threads
            for size in sizes
            for tiles in TILES
        ]
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(as_markdown(rows, arguments.peer is not None), encoding="utf-8")
    print(arguments.out.read_text(encoding="utf-8"))


def draw_frame(folder: Path, size: tuple[int, int], tiles: int, number: int) -> Path:
    """Draw a clean table with this many tiles; return its file."""
    from models.training.data.render.scene_generator import Box, full_table  # noqa: PLC0415 - not in the processes whose memory is measured

    box = Box(np.random.default_rng([7, tiles, number, 6]), min(size[0] // 20, 220), fontless=True)
    rng = np.random.default_rng([7, tiles, number])
    scene = full_table(rng, size=size, tiles=tiles, clean=True, still=True, box=box)
    path = folder / f"{size[0]}-{tiles}-{number}.npy"
    np.save(path, scene.image)
    return path


def draw_peer(path: Path) -> Path:
    """Save a network with YOLO11n's layers and random weights; return its file."""
    import onnx  # noqa: PLC0415 - not in the processes whose memory is measured

    from benchmarks.peer import yolo11n  # noqa: PLC0415

    onnx.save(yolo11n(), path)
    return path


def run_in_process(task: dict[str, Any]) -> dict[str, Any]:
    """Measure in new processes: once for the times, once for the memory, with a single table and no peer."""
    command = [sys.executable, "-m", "benchmarks.read", "--measure"]
    environment = os.environ | {"OMP_NUM_THREADS": str(task["threads"])}
    answers = []
    for variant in (task, task | {"frames": task["frames"][:1], "peer": None, "repeats": 3}):
        completed = subprocess.run(
            [*command, json.dumps(variant)], capture_output=True, text=True, check=True, env=environment
        )
        answers.append(json.loads(completed.stdout.splitlines()[-1]))
    times, memory = answers
    return {**times, "peak_mb": memory["peak_mb"]}


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Return milliseconds of each part, timed alternately with the peer, and the process's peak memory."""
    import cv2  # noqa: PLC0415 - the number of its threads is part of the measurement

    cv2.setNumThreads(task["threads"])
    reader = TableReader(threads=task["threads"])
    frames = [Frame("benchmark", 0.0, np.load(path)) for path in task["frames"]]
    first_readings = [reader.read_table(frame) for frame in frames]
    frames_and_scales = [(frame, fit_zoom(first)) for frame, first in zip(frames, first_readings, strict=True)]
    parts: dict[str, Callable[[], object]] = {}
    count = len(frames_and_scales)
    tables, searches = ([f"{kind}{number}" for number in range(count)] for kind in ("table", "search"))
    for table, search, (frame, zoom) in zip(tables, searches, frames_and_scales, strict=True):
        parts[table] = partial(reader.read_table, frame, zoom=zoom)
        parts[search] = partial(reader.read_table, frame)
    if task["peer"]:
        parts |= {f"peer{side}": _peer(task["peer"], side, task["threads"]) for side in PEERS}
    times = _timed(parts, task["repeats"])
    readings = [reader.read_table(frame, zoom=zoom) for frame, zoom in frames_and_scales]
    stages = [
        reader.read_table(frames_and_scales[0][0], zoom=frames_and_scales[0][1]).milliseconds
        for _ in range(task["repeats"])
    ]
    return {
        **{name: statistics.median(stage[name] for stage in stages) for name in ("locate", "read")},
        "tables": [times[name] for name in tables],
        "searches": [times[name] for name in searches],
        "times": {name: part for name, part in times.items() if name not in (*tables, *searches)},
        "found": [len(reading.tiles) for reading in readings],
        "in_doubt": [len(reading.unsure) for reading in readings],
        "peak_mb": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """Return the peak memory of this process; ru_maxrss would include the parent's."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


class Times(NamedTuple):
    """A part's milliseconds: the median by the clock, the median processor time, and the minimum by the clock."""

    clock: float
    work: float
    best: float


def _timed(parts: dict[str, Callable[[], object]], repeats: int) -> dict[str, Times]:
    """Return the times of each part; the parts run alternately."""
    clock: dict[str, list[float]] = {name: [] for name in parts}
    work: dict[str, list[float]] = {name: [] for name in parts}
    for turn in range(repeats + 2):
        for name, part in parts.items():
            start, processor_start = time.perf_counter(), time.process_time()
            part()
            if turn >= 2:
                clock[name].append((time.perf_counter() - start) * 1000)
                work[name].append((time.process_time() - processor_start) * 1000)
    return {
        name: Times(statistics.median(clock[name]), statistics.median(work[name]), min(clock[name])) for name in parts
    }


def _peer(path: str, side: int, threads: int) -> Callable[[], object]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    picture = np.random.default_rng(1).random((1, 3, side, side), np.float32)
    return lambda: session.run(None, {name: picture})


def as_markdown(rows: Sequence[dict[str, Any]], real_peer: bool) -> str:  # noqa: FBT001 - one caller
    """Return the results as a table, with machine, date and command."""
    peer = "YOLO11n as exported" if real_peer else "YOLO11n's layers, random weights"
    description = (
        f"{datetime.now(UTC):%Y-%m-%d}, {_processor()}, Python {platform.python_version()}, "
        f"ONNX Runtime {onnxruntime.__version__}; `python -m benchmarks.read`. Medians in milliseconds, "
        f"the least, the middle and the largest of {len(rows[0]['tables'])} tables; the peer ({peer}) took turns with "
        "read_table in one process. *table* is a picture from a camera that has found its scale, *locate* and "
        "*read* parts of the first, *search* a picture at unknown scale. Memory: the peak of a process that reads "
        "the first. "
        f"The machine's load at the end: {os.getloadavg()[1]:.1f}."
    )
    columns = (
        *("frame", "tiles", "threads", "found", "in doubt", "table", "peer at 640", "table / peer at 640"),
        *(
            "the same, processor time",
            "each at its best",
            "locate",
            "read",
            "search",
            "search / peer at 640",
            "peak MB",
        ),
    )
    lines = [
        "# Seeing a table: time and memory",
        "",
        description,
        "",
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
    ]
    return "\n".join([*lines, *map(_as_line, rows), ""])


def _as_line(row: dict[str, Any]) -> str:
    tables, searches = ([Times(*values) for values in row[kind]] for kind in ("tables", "searches"))
    times = {name: Times(*values) for name, values in row["times"].items()}
    peer = times["peer640"]
    cells = (
        *(f"{row['size'][0]} × {row['size'][1]}", row["tiles"], row["threads"]),
        *(_spread(row[name], 0) for name in ("found", "in_doubt")),
        _spread([table.clock for table in tables], 0),
        f"{peer.clock:.0f}",
        *(_spread([getattr(table, kind) / getattr(peer, kind) for table in tables], 2) for kind in Times._fields),
        *(f"{milliseconds:.0f}" for milliseconds in (row["locate"], row["read"])),
        _spread([search.clock for search in searches], 0),
        _spread([search.clock / peer.clock for search in searches], 2),
        f"{row['peak_mb']:.0f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _spread(values: Sequence[float], digits: int) -> str:
    """The least, the middle and the largest value, or one number where they are alike."""
    told = [f"{value:.{digits}f}" for value in (min(values), statistics.median(values), max(values))]
    return told[0] if len(set(told)) == 1 else "–".join(told)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith(("model name", "Model"))]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
