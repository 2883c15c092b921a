"""Draw the animation at the top of the README: turns of a simulated match, as the referee sees and judges them.

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
        arguments = ("--edition", "original", "--seed", "1", "--games", "1", "--cheats", "0.3", "--size", "1280x960")
        _referee("simulate", *arguments, "--out", str(folder))
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
        pictures = list(draw_pictures(folder, [json.loads(line) for line in events.read_text("utf-8").splitlines()]))
    animation = cv2.Animation()
    animation.frames = [picture for picture, _ in pictures]
    animation.durations = [milliseconds for _, milliseconds in pictures]
    cv2.imwriteanimation(str(OUT), animation, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{OUT}: {len(pictures)} pictures, {OUT.stat().st_size // 1024} kB")


def _referee(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "referee", *arguments], check=True, stdout=subprocess.DEVNULL)


def draw_pictures(folder: Path, events: list[Line]) -> Iterator[tuple[Image, int]]:
    """Yield each picture and how many milliseconds it stays."""
    frames = [json.loads(line) for line in (folder / "timeline.jsonl").read_text("utf-8").splitlines()]
    frames = [frame for frame in frames if frame["event"] == "frame"]
    names = events[0]["names"]
    starts = [event for event in events if event["event"] == "turn_started" and FROM <= event["turn"] <= TO]
    before: Image | None = None
    for start in starts:
        turn_events = [event for event in events if event["turn"] == start["turn"] and event["at"] >= start["at"]]
        judged = [event["at"] for event in turn_events if event["event"] == "judged"]
        for at in sorted({*np.arange(start["at"], judged[-1], STEP).tolist(), *judged}):
            frame = max(
                (candidate for candidate in frames if candidate["at"] <= max(at, frames[0]["at"])),
                key=lambda candidate: candidate["at"],
            )
            before = with_few_colours(load_image(folder / frame["file"]), before)
            shown_events = [
                event for event in turn_events if event["at"] <= at and event["event"] in {"table_watched", "judged"}
            ]
            seconds_left = start["seconds"] - (at - start["at"])
            yield (
                with_bar(before, names[start["seat"]], seconds_left, shown_events[-1] if shown_events else None),
                2400 if at in judged else 280,
            )


def with_few_colours(picture: Image, before: Image | None) -> Image:
    """Return the picture small, in few colours, and unchanged where only sensor noise differs."""
    small = cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA)
    reduced = np.asarray(np.round(small / 9.0) * 9, np.uint8)
    if before is None:
        return reduced
    changed = cv2.dilate((cv2.absdiff(reduced, before).max(axis=2) > 40).astype(np.uint8), np.ones((5, 5), np.uint8))
    return np.where(changed[..., None] > 0, reduced, before)


def with_bar(picture: Image, name: str, left: float, event: Line | None) -> Image:
    """Return the picture above a bar with the lamp, the clock and the referee's message."""
    light, lines = "clock", ("", "")
    if event is not None and event["event"] == "judged":
        light = event["verdict"]
        lines = (f"{event['verdict']}", first_message(event) or format_table(parse_table(event["table"])))
    elif event is not None and not event["legal"]:
        light, lines = "warn", ("not legal yet", first_message(event))
    bar = np.full((BAR, SIZE[0], 3), 30, np.uint8)
    cv2.circle(bar, (28, 29), 17, LIGHTS[light], -1, cv2.LINE_AA)
    put_text(bar, f"{name}  {round(left) // 60}:{round(left) % 60:02d}  {lines[0]}", (58, 24), 0.58)
    put_text(bar, lines[1], (58, 47), 0.42)
    return np.vstack([picture, bar])


def first_message(event: Line) -> str:
    return str(event["faults"][0]["message"]) if event.get("faults") else ""


def put_text(bar: Image, text: str, at: tuple[int, int], size: float) -> None:
    cv2.putText(bar, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (235, 235, 235), 1, cv2.LINE_AA)


if __name__ == "__main__":
    main()
