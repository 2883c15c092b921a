"""Time and memory of seeing a table: locate, read and the whole `read_table`, beside YOLO11n.

    python -m benchmarks.read [--threads 1 2 4] [--widths 2304] [--repeats 15] [--peer yolo11n.onnx]

writes benchmarks/results/read.md. Every measurement runs in a process of its own, so that its peak memory is its own;
the peer and read_table are timed in turn. On a busy machine their processors' times tell more than a clock's, and the
shortest of many more than those in the middle, so the ratio is given by all three. The peer is a network of YOLO11n's
layers with random weights (`benchmarks/peer.py`); speed does not depend on them. --peer takes YOLO11n itself, as `yolo
export model=yolo11n.yaml format=onnx dynamic=True` writes it (package ultralytics, wanted for nothing else): it takes
1.02 to 1.07 times as long, for the sums that place its boxes.
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
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from benchmarks.peer import yolo11n
from referee.vision.frame import Frame
from referee.vision.geometry import rectify
from referee.vision.pipeline import TableReader
from referee.vision.zoom import zoom_of

SIZES = ((1280, 960), (2304, 1296), (4608, 2592))
TILES = (30, 106)
PEERS = (640, 1280)
HERE = Path(__file__).parent


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--widths", type=int, nargs="+", default=[size[0] for size in SIZES], help="of the frames")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--peer", type=Path, help="a YOLO11n exported to ONNX for 640, with a free picture size")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "read.md")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # the processes started below
    words = parser.parse_args(argv)
    if words.measure:
        print(json.dumps(measure(json.loads(words.measure))))
        return
    with tempfile.TemporaryDirectory() as scratch:
        peer = words.peer or Path(scratch) / "peer.onnx"
        if words.peer is None:
            onnx.save(yolo11n(), peer)
        sizes = [size for size in SIZES if size[0] in words.widths]
        frames = dict(draw_frames(Path(scratch), sizes))
        rows = [
            run_apart(
                {"frame": str(frames[size, tiles]), "peer": str(peer), "threads": threads, "repeats": words.repeats}
            )
            | {"size": size, "tiles": tiles, "threads": threads}
            for threads in words.threads
            for size in sizes
            for tiles in TILES
        ]
    words.out.parent.mkdir(exist_ok=True)
    words.out.write_text(as_markdown(rows, words.peer is not None), encoding="utf-8")
    print(words.out.read_text(encoding="utf-8"))


def draw_frames(folder: Path, sizes: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[tuple[int, int], int], Path]]:
    """A clean rendered table for each size and number of tiles."""
    from models.training.scene import full_table  # noqa: PLC0415 - not in the processes whose memory is measured

    for size in sizes:
        for tiles in TILES:
            scene = full_table(np.random.default_rng([7, tiles]), size=size, tiles=tiles, clean=True, still=True)
            path = folder / f"{size[0]}-{tiles}.npy"
            np.save(path, scene.image)
            yield (size, tiles), path


def run_apart(task: dict[str, Any]) -> dict[str, Any]:
    """A measurement in a fresh process: once for the times, once without the peer for the memory."""
    words = [sys.executable, "-m", "benchmarks.read", "--measure"]
    environment = os.environ | {"OMP_NUM_THREADS": str(task["threads"])}
    answers = []
    for one in (task, task | {"peer": None, "repeats": 3}):
        done = subprocess.run([*words, json.dumps(one)], capture_output=True, text=True, check=True, env=environment)
        answers.append(json.loads(done.stdout.splitlines()[-1]))
    times, memory = answers
    return {**times, "peak_mb": memory["peak_mb"]}


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds of each part, in turn with the peer, and the process's peak memory."""
    import cv2  # noqa: PLC0415 - the number of its threads is part of the measurement

    cv2.setNumThreads(task["threads"])
    image = np.load(task["frame"])
    reader = TableReader(threads=task["threads"])
    frame = Frame("benchmark", 0.0, image)
    first = reader.read_table(frame)
    zoom = zoom_of(first)
    quads = np.array([tile.quad for tile in first.tiles], np.float32).reshape(-1, 4, 2)
    parts: dict[str, Callable[[], object]] = {
        "search": lambda: reader.read_table(frame),
        "table": lambda: reader.read_table(frame, zoom=zoom),
        "crops": lambda: rectify(image, quads),
    }
    if task["peer"]:
        parts |= {f"peer{side}": _peer(task["peer"], side, task["threads"]) for side in PEERS}
    times, work, best = _timed(parts, task["repeats"])
    compared = [name for name in ("table", *(f"peer{side}" for side in PEERS)) if name in parts]
    times |= {f"{name}_work": work[name] for name in compared} | {f"{name}_best": best[name] for name in compared}
    known = [reader.read_table(frame, zoom=zoom).milliseconds for _ in range(task["repeats"])]
    times |= {name: statistics.median(one[name] for one in known) for name in ("locate", "read")}
    return times | {"found": len(first.tiles), "peak_mb": peak_megabytes()}


def peak_megabytes() -> float:
    """The most memory this process held; the kernel's other figure (ru_maxrss) is handed down from the parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def _timed(parts: dict[str, Callable[[], object]], repeats: int) -> tuple[dict[str, float], ...]:
    """The times of each part in milliseconds: median by the clock and of the processors, and the clock's shortest.

    The parts take turns.
    """
    times: dict[str, list[float]] = {name: [] for name in parts}
    work: dict[str, list[float]] = {name: [] for name in parts}
    for turn in range(repeats + 2):
        for name, part in parts.items():
            start, worked = time.perf_counter(), time.process_time()
            part()
            if turn >= 2:
                times[name].append((time.perf_counter() - start) * 1000)
                work[name].append((time.process_time() - worked) * 1000)
    return (
        {name: statistics.median(values) for name, values in times.items()},
        {name: statistics.median(values) for name, values in work.items()},
        {name: min(values) for name, values in times.items()},
    )


def _peer(path: str, side: int, threads: int) -> Callable[[], object]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    picture = np.random.default_rng(1).random((1, 3, side, side), np.float32)
    return lambda: session.run(None, {name: picture})


def as_markdown(rows: Sequence[dict[str, Any]], real_peer: bool) -> str:  # noqa: FBT001 - one caller
    """The results as a table, with machine, date and command."""
    peer = "YOLO11n as exported" if real_peer else "YOLO11n's layers, random weights"
    about = (
        f"{datetime.now(UTC):%Y-%m-%d}, {_processor()}, Python {platform.python_version()}, "
        f"ONNX Runtime {onnxruntime.__version__}; `python -m benchmarks.read`. Medians in milliseconds; "
        f"the peer ({peer}) took turns with read_table in one process. *search* is a picture of "
        "unknown scale, *table* one from a camera that has found its scale. Memory: the peak of a process that reads. "
        f"The machine's load at the end: {os.getloadavg()[1]:.1f}."
    )
    columns = (
        *("frame", "tiles (found)", "threads", "locate", "crops", "read", "table", "search"),
        *(
            "peer at 640",
            "peer at 1280",
            "table / peer at 640",
            "the same, processor time",
            "each at its best",
            "peak MB",
        ),
    )
    heads = (f"| {' | '.join(columns)} |", "|---" * len(columns) + "|")
    lines = ["# Seeing a table: time and memory", "", about, "", *heads]
    lines += [
        f"| {row['size'][0]} × {row['size'][1]} | {row['tiles']} ({row['found']}) | {row['threads']} | "
        + " | ".join(
            f"{row[name]:.1f}" for name in ("locate", "crops", "read", "table", "search", "peer640", "peer1280")
        )
        + f" | {row['table'] / row['peer640']:.2f} | {row['table_work'] / row['peer640_work']:.2f}"
        + f" | {row['table_best'] / row['peer640_best']:.2f} | {row['peak_mb']:.0f} |"
        for row in rows
    ]
    return "\n".join([*lines, ""])


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith(("model name", "Model"))]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
