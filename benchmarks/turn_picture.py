"""The moving picture at the top of the README: turns of a simulated match, as the referee sees and judges them.

    python -m benchmarks.turn_picture

plays and referees a match with the program's own commands, and draws docs/images/turn.png (an animated PNG) from the
camera's pictures and the events that the referee wrote.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from referee.rules.notation import format_table, parse_table
from referee.vision.image.frame import Image
from referee.vision.image.picture_file import load_image

OUT = Path(__file__).parent.parent / "docs" / "images" / "turn.png"
SIZE, BAR = (512, 384), 58  # pixels
FROM, TO, STEP = 11, 12, 0.9  # turns, and seconds between pictures
LIGHTS = {"clock": (150, 150, 150), "warn": (40, 170, 240), "illegal": (50, 50, 220), "legal": (80, 180, 60)}
Line = dict[str, Any]


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
    with TemporaryDirectory() as temporary:
        folder, events = Path(temporary) / "evening", Path(temporary) / "events.jsonl"
        words = ("--edition", "original", "--seed", "1", "--games", "1", "--cheats", "0.3", "--size", "1280x960")
        _referee("simulate", *words, "--out", str(folder))
        options = (
            "--until-end",
            "--signals",
            "none",
            "--events",
            str(events),
            "--state",
            str(Path(temporary) / "state"),
        )
        _referee("run", "--camera", f"replay:{folder}", *options)
        pictures = list(drawn(folder, [json.loads(line) for line in events.read_text("utf-8").splitlines()]))
    animation = cv2.Animation()
    animation.frames = [picture for picture, _ in pictures]
    animation.durations = [milliseconds for _, milliseconds in pictures]
    cv2.imwriteanimation(str(OUT), animation, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{OUT}: {len(pictures)} pictures, {OUT.stat().st_size // 1024} kB")


def _referee(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "referee", *words], check=True, stdout=subprocess.DEVNULL)


def drawn(folder: Path, events: list[Line]) -> Iterator[tuple[Image, int]]:
    """Each picture and how many milliseconds it stays."""
    shots = [json.loads(line) for line in (folder / "timeline.jsonl").read_text("utf-8").splitlines()]
    shots = [shot for shot in shots if shot["event"] == "frame"]
    names = events[0]["names"]
    starts = [event for event in events if event["event"] == "turn_started" and FROM <= event["turn"] <= TO]
    before: Image | None = None
    for start in starts:
        mine = [event for event in events if event["turn"] == start["turn"] and event["at"] >= start["at"]]
        judged = [event["at"] for event in mine if event["event"] == "judged"]
        for at in sorted({*np.arange(start["at"], judged[-1], STEP).tolist(), *judged}):
            shot = max((one for one in shots if one["at"] <= max(at, shots[0]["at"])), key=lambda one: one["at"])
            before = still(load_image(folder / shot["file"]), before)
            told = [event for event in mine if event["at"] <= at and event["event"] in {"table_watched", "judged"}]
            left = start["seconds"] - (at - start["at"])
            yield (
                with_bar(before, names[start["seat"]], left, told[-1] if told else None),
                2400 if at in judged else 280,
            )


def still(picture: Image, before: Image | None) -> Image:
    """The picture in few colours, what only the sensor's noise changed as it was: small, and calm to look at."""
    small = cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA)
    few = np.asarray(np.round(small / 9.0) * 9, np.uint8)
    if before is None:
        return few
    changed = cv2.dilate((cv2.absdiff(few, before).max(axis=2) > 40).astype(np.uint8), np.ones((5, 5), np.uint8))
    return np.where(changed[..., None] > 0, few, before)


def with_bar(picture: Image, name: str, left: float, told: Line | None) -> Image:
    """The picture above a bar with the lamp, the clock and what the referee says."""
    light, lines = "clock", ("", "")
    if told is not None and told["event"] == "judged":
        light = told["verdict"]
        lines = (f"{told['verdict']}", first_message(told) or format_table(parse_table(told["table"])))
    elif told is not None and not told["legal"]:
        light, lines = "warn", ("not legal yet", first_message(told))
    bar = np.full((BAR, SIZE[0], 3), 30, np.uint8)
    cv2.circle(bar, (28, 29), 17, LIGHTS[light], -1, cv2.LINE_AA)
    put(bar, f"{name}  {round(left) // 60}:{round(left) % 60:02d}  {lines[0]}", (58, 24), 0.58)
    put(bar, lines[1], (58, 47), 0.42)
    return np.vstack([picture, bar])


def first_message(told: Line) -> str:
    return str(told["faults"][0]["message"]) if told.get("faults") else ""


def put(bar: Image, text: str, at: tuple[int, int], size: float) -> None:
    cv2.putText(bar, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (235, 235, 235), 1, cv2.LINE_AA)


if __name__ == "__main__":
    main()
