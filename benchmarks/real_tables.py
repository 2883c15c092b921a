"""Play evenings on photographs of real tables, whose tiles come and go, with the complete referee.

    python -m benchmarks.real_tables PHOTOS [--first SEED] [--evenings N] [--out out/real-tables]

PHOTOS holds labels.jsonl and images. Of the held-out photographs, those are played whose tiles are read as labelled and
lie in two or more sets. With all tiles painted over, such a photograph is the bare table; a picture of a play takes the
tiles on the table from it. Only hands are rendered. `referee run` replays the pictures and presses as a recording; the
rules judge the true sets, and both must agree.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photographed import held_out_photographs
from referee.rules.formats import agreed_rules
from referee.rules.judge import judge_turn
from referee.rules.notation import format_tile
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Legal
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader

EDITION = "original"
SETTINGS = f'[match]\nedition = "{EDITION}"\nplayers = ["Ann", "Ben"]\n[house_rules]\ninitial_meld = 0\n'
WIDTH = 1280  # pixels: photographs of 640 are enlarged to a camera's width
MIN_SETS = 2
MAX_TURNS = 6  # a photograph's sets, one a turn
FRAME_SECONDS = (0.2, 0.2, 0.5, 1.0)  # of an evening, chosen at random
ANSWER_SECONDS = 6.0  # for which the table stays still after a press
NOISE = 2.0  # grey levels (standard deviation)
LAMP = 0.08  # relative amplitude of the light's changes
KINDS = ("right", "wrong accusation", "wrong pass", "undecided", "late")
TRICKS = ("none", "none", "two_tiles", "loose_tile", "tile_taken", "exchanged", "no_play")


@dataclass(frozen=True, slots=True)
class RealTable:
    """A photograph, its tiles with their quads, and its sets as indices of tiles."""

    name: str
    image: Image
    tiles: tuple[Tile, ...]
    quads: tuple[npt.NDArray[np.float32], ...]
    sets: tuple[tuple[int, ...], ...]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("photos", type=Path, metavar="PHOTOS")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--evenings", type=int, default=3, metavar="N", help="on each photograph")
    parser.add_argument("--out", type=Path, default=Path("out/real-tables"), metavar="DIR")
    arguments = parser.parse_args(argv)
    cv2.setNumThreads(1)
    sums, played = Counter[str](), 0
    for table in real_tables(arguments.photos):
        played += 1
        for seed in range(arguments.first, arguments.first + arguments.evenings):
            found = Evening(table, seed, arguments.out / f"{table.name}-{seed}").referee()
            failures = [f"{at:.1f} s {note}: {kind}" for at, note, kind in found if kind != "right"]
            print(f"{table.name} {seed}: {len(found)} judgements; {'; '.join(failures) or 'all right'}", flush=True)
            sums += Counter(kind for *_, kind in found)
    kinds = ", ".join(f"{sums[kind]} {kind}" for kind in KINDS)
    print(f"{played} photographs, {played * arguments.evenings} evenings, {sums.total()} judgements: {kinds}")
    return 1 if sums["wrong accusation"] or sums["wrong pass"] else 0


def real_tables(photos: Path) -> Iterator[RealTable]:
    """Yield the photographs that can be played."""
    reader = TableReader()
    for row, photograph in held_out_photographs(photos):
        image = _enlarged(photograph)
        reading = reader.read_table(Frame(row["image"], 0.0, image))
        tiles = tuple(tile.tile for tile in reading.tiles if tile.tile is not None)
        if Counter(map(format_tile, tiles)) != Counter(tile["tile"] for tile in row["tiles"]) or len(tiles) != len(
            reading.tiles
        ):
            continue
        sets = tuple(
            tile_set
            for tile_set in reading.layouts[0].sets
            if _is_legal((), (tuple(tiles[index] for index in tile_set),))
        )
        if len(sets) >= MIN_SETS:
            quads = tuple(np.array(tile.quad, np.float32) for tile in reading.tiles)
            yield RealTable(row["photo"], image, tiles, quads, sets)


def _enlarged(image: Image) -> Image:
    """Return the picture without its black bars, at a camera's size."""
    rows = np.flatnonzero(image.mean(axis=(1, 2)) > 12)
    image = image[rows[0] : rows[-1] + 1]
    scale = WIDTH / image.shape[1]
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)


def _is_legal(before: Sequence[tuple[Tile, ...]], after: Sequence[tuple[Tile, ...]], *, opened: bool = True) -> bool:
    rules = agreed_rules(EDITION, house_rules={"initial_meld": 0})
    return isinstance(judge_turn(Table(tuple(before)), Table(tuple(after)), opened=opened, rules=rules), Legal)


@dataclass
class Evening:
    """One evening on a photograph, written as a recording into a folder."""

    table: RealTable
    seed: int
    folder: Path
    seconds: float = 0.0
    frames: int = 0
    seat: int = 0
    opened: set[int] = field(default_factory=set)
    lines: list[dict[str, object]] = field(default_factory=list)
    expected: list[tuple[float, float, str, bool]] = field(default_factory=list)
    """For each press: its time, the deadline of the answer, what was done, and whether it is legal."""

    def __post_init__(self) -> None:
        self.random = Random(f"{self.table.name} {self.seed}")
        self.noise = np.random.default_rng(self.random.getrandbits(32))
        self.frame_seconds = self.random.choice(FRAME_SECONDS)
        tiles_mask = self._mask(range(len(self.table.tiles)), grow=25)
        background = cv2.inpaint(self.table.image, tiles_mask, 7, cv2.INPAINT_TELEA).astype(np.float32)
        grain = self.noise.normal(0, 6, background.shape)
        self.background = np.where(tiles_mask[..., None] > 0, background + grain, background)

    def referee(self) -> list[tuple[float, str, str]]:
        """Play and judge the evening; return each press's time, what was done, and the answer."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "frames").mkdir(parents=True)
        self._play()
        timeline = "".join(json.dumps(line) + "\n" for line in self.lines)
        (self.folder / "timeline.jsonl").write_text(timeline, encoding="utf-8")
        (self.folder / "settings.toml").write_text(SETTINGS, encoding="utf-8")
        command = (sys.executable, "-m", "referee", "run", "--new", "--until-end", "--signals", "none")
        files = ("--config", "settings.toml", "--camera", "replay:.", "--events", "events.jsonl", "--state", "state")
        subprocess.run([*command, *files], cwd=self.folder, check=True, capture_output=True)
        events = [json.loads(line) for line in (self.folder / "events.jsonl").read_text("utf-8").splitlines()]
        judged = [event for event in events if event["event"] == "judged"]
        found: list[tuple[float, str, str]] = []
        for at, until, note, legal in self.expected:
            answer = _answer(next((event for event in judged if at <= event["at"] <= until), None), legal=legal)
            if (
                answer != "late" or not found or found[-1][2] != "undecided"
            ):  # an undecided verdict had already passed the turn on
                found.append((at, note, answer))
        return found

    def _play(self) -> None:
        sets = self.random.sample(self.table.sets, min(len(self.table.sets), MAX_TURNS))
        laid: list[tuple[int, ...]] = []
        self._show(self._picture(laid), 2.0)
        for new in sets:
            self._play_trick(self.random.choice(TRICKS), laid, new)
            self._play_turn(laid, [*laid, new], f"a set of {len(new)}")
            laid.append(new)
            self.opened.add(self.seat)
            self.seat = 1 - self.seat

    def _play_trick(self, trick: str, laid: Sequence[tuple[int, ...]], new: tuple[int, ...]) -> None:
        """Play a trick before the turn's own play."""
        match trick:
            case "two_tiles":
                self._play_turn(laid, [*laid, new[:2]], trick)
            case "loose_tile":
                self._play_turn(laid, [*laid, new[1:2]], trick)
            case "tile_taken" if laid:
                taken = self.random.choice(self.random.choice(laid))
                self._play_turn(laid, [*(tuple(i for i in tile_set if i != taken) for tile_set in laid), new], trick)
            case "exchanged" if laid:
                first, second = self.random.choice(self.random.choice(laid)), self.random.choice(new)
                self._play_turn(laid, [*laid, new], trick, {first: second, second: first})
            case "no_play" if laid:
                self._play_turn(laid, laid, trick)
                self.seat = 1 - self.seat

    def _play_turn(
        self,
        laid: Sequence[tuple[int, ...]],
        after: Sequence[tuple[int, ...]],
        note: str,
        replaced: dict[int, int] | None = None,
    ) -> None:
        """Lay the table, with or without a hand in the frames, and press; `replaced` maps places to other tiles."""
        replaced = replaced or {}
        picture = self._picture(after, replaced)
        if self.random.random() < 2 / 3:
            self._show_hand(picture)
        self._show(picture, self.random.uniform(0.5, 3.0))
        at = round(self.seconds + 0.05, 3)
        self.lines.append({"event": "press", "at": at, "seat": self.seat, "kind": "press"})
        self._show(picture, ANSWER_SECONDS)
        before = [self._names(tile_set, {}) for tile_set in laid]
        legal = _is_legal(
            before, [self._names(tile_set, replaced) for tile_set in after if tile_set], opened=self.seat in self.opened
        )
        self.expected.append((at, self.seconds, note, legal))

    def _names(self, indices: Sequence[int], replaced: dict[int, int]) -> tuple[Tile, ...]:
        return tuple(self.table.tiles[replaced.get(index, index)] for index in indices)

    def _picture(
        self, laid: Sequence[tuple[int, ...]], replaced: dict[int, int] | None = None
    ) -> npt.NDArray[np.float32]:
        """Paint the tiles in these places over the bare table."""
        indices, image = [index for tile_set in laid for index in tile_set], self.table.image.copy()
        for index, tile in (replaced or {}).items():
            homography = cv2.getPerspectiveTransform(self.table.quads[tile], self.table.quads[index])
            size = (image.shape[1], image.shape[0])
            warped = cv2.warpPerspective(self.table.image, homography, size, flags=cv2.INTER_CUBIC)
            inside = self._mask([index], grow=1) > 0
            image[inside] = warped[inside]
        alpha = cv2.GaussianBlur(self._mask(indices, grow=7), (0, 0), 1.2)[..., None] / np.float32(255)
        return np.asarray(self.background * (1 - alpha) + image * alpha, np.float32)

    def _mask(self, indices: Sequence[int] | range, grow: int) -> npt.NDArray[np.uint8]:
        mask = np.zeros(self.table.image.shape[:2], np.uint8)
        for index in indices:
            cv2.fillPoly(mask, [np.rint(self.table.quads[index]).astype(np.int32)], 255)
        return np.asarray(cv2.dilate(mask, np.ones((grow, grow), np.uint8)), np.uint8)

    def _show_hand(self, picture: npt.NDArray[np.float32]) -> None:
        """Show a hand that comes from the lower edge and goes."""
        height, width = picture.shape[:2]
        for depth in (0.55, 0.35, 0.6):
            x, tip = width * self.random.uniform(0.3, 0.7), height * depth
            arm = np.array([(-60, height), (-45, tip + 60), (-25, tip), (25, tip), (45, tip + 60), (70, height)])
            with_hand = picture.copy()
            skin = (95.0 + self.random.randint(-10, 10), 125.0, 180.0)
            cv2.fillPoly(with_hand, [np.rint(arm + np.array((x, 0))).astype(np.int32)], skin)
            self._frame(cv2.GaussianBlur(with_hand, (0, 0), 0.8))

    def _show(self, picture: npt.NDArray[np.float32], seconds: float) -> None:
        until = self.seconds + seconds
        while self.seconds < until:
            self._frame(picture)

    def _frame(self, picture: npt.ArrayLike) -> None:
        """Write a frame with noise and the present light."""
        self.seconds = round(self.seconds + self.frame_seconds, 3)
        self.frames += 1
        light = 1 + LAMP * np.sin(self.seconds / 15)
        image = np.asarray(picture) * light + self.noise.normal(0, NOISE, np.shape(picture))
        name = f"frames/{self.frames:06d}.jpg"
        cv2.imwrite(str(self.folder / name), np.clip(image, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])
        self.lines.append({"event": "frame", "at": self.seconds, "file": name})


def _answer(event: dict[str, str] | None, *, legal: bool) -> str:
    """Return how a press was answered."""
    verdict = event["verdict"] if event else "late"
    if verdict in {"late", "undecided"}:
        return verdict
    return "right" if (verdict == "legal") == legal else "wrong accusation" if legal else "wrong pass"


if __name__ == "__main__":
    sys.exit(main())
