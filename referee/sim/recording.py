"""A recorded match on disk: the frames a camera would take, the timeline, and the ground truth.

A folder with

`timeline.jsonl`, one object a line, in the order of time, `at` in seconds since the first line:
    {"event": "match", "at": 0.0, "format": 1, "edition": "original", "players": ["Ann", "Ben", "Cem"], "first": 0,
     "games": 1, "seed": 7, "size": [1600, 1200], "area": the table's outline in pixels, [[x, y] × 4]}
    {"event": "frame", "at": 0.2, "file": "frames/000001.jpg"}
    {"event": "press", "at": 14.95, "seat": 0, "kind": "press"}
    {"event": "hands", "at": 12.3, "until": 14.1}
    {"event": "end", "at": 1181.4}
Several frames may name one file if nothing has moved; with "repeat": true the camera sent that picture again. A press
lies between the frames around it.

`truth.jsonl`, one object a turn:
    {"game", "turn", "seat", "opened", "before": table, "table": table at the turn's end, "tiles": [tile, …],
     "verdict": "legal" | "illegal", "faults": [fault, …], "trick": the cheat or slip in the turn, or null,
     "judgements": [{"at", "file", "cause": "press" | "time", "table", "tiles", "verdict", "outcome", "faults"}],
     "drawn": tiles drawn, "won": whether the rack is empty, "from": seconds, "until": seconds,
     "shown": where the game ended, the racks laid after the turn, [[seat, tiles in notation], …]}
where each tile is {"tile": "R7", "set": index in the table, "quad": [[x, y] × 4], "mm": [x, y, degrees]}: the quad in
pixels, clockwise from the tile's own top left; the middle from the north-west corner of the table seen, and the turn
clockwise from upright. `verdict` and `faults` at the top are those of the last judgement.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import cv2
import numpy as np

from referee.errors import StorageError
from referee.hardware.ports import Press
from referee.rules.notation import format_table, format_tile
from referee.sim.camera_faults import CameraFaults, TakenPicture
from referee.sim.layout import Arrangement
from referee.sim.render import Painter, TableSetting
from referee.sim.scene import Scene, SceneMoment
from referee.sim.simulated_match import TrueJudgement, TrueTurn
from referee.sim.table_objects import objects_at
from referee.sim.view import LaidTile
from referee.storage.files import LineFile, make_folder, refusal, write_whole

FORMAT_VERSION = 1
_JPEG_QUALITY = 90
_NOISE_VARIANTS = 3  # pictures of a quiet table with different noise, used in rotation
_MIN_FREE_BYTES = 50_000_000


def tile_positions(
    arrangement: Arrangement,
    setting: TableSetting,
    displaced_tiles: Mapping[LaidTile, LaidTile] = MappingProxyType({}),
    shift: tuple[float, float] = (0.0, 0.0),
) -> list[dict[str, Any]]:
    """Return every tile with its position, in the order of the table.

    `displaced_tiles` moves some of them, `shift` the whole picture, in pixels (x, y).
    """
    return [
        {
            "tile": format_tile(laid.tile),
            "set": index,
            "quad": np.round(setting.view.quad(position, setting.style.thickness) + shift, 2).tolist(),
            "mm": [round(position.x, 2), round(position.y, 2), round(float(np.degrees(position.angle)), 2)],
        }
        for index, row in enumerate(arrangement.rows)
        for laid in row.tiles
        if laid.tile is not None
        for position in [displaced_tiles.get(laid, laid)]
    ]


@dataclass(slots=True)
class Recorder:
    """Writes a match into a folder, turn by turn."""

    folder: Path
    setting: TableSetting
    faults: CameraFaults | None = None
    """Those of the camera; without them it shows each moment of the scene."""
    _painter: Painter = field(init=False)
    _timeline: LineFile | None = None
    _truth: LineFile | None = None
    _file_count: int = 0
    _quiet_files: list[str] = field(default_factory=list)
    _quiet_key: object = None
    _quiet_frames: int = 0
    _frame_files: list[tuple[float, str]] = field(default_factory=list)

    def begin(self, match: Mapping[str, Any]) -> None:
        """Make the folder and write the first line; raises StorageError."""
        with self._writing():
            if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
                raise StorageError(f"{self.folder} is not empty; name a new folder or empty it")
            make_folder(self.folder / "frames")
            self._timeline = LineFile(self.folder / "timeline.jsonl")
            self._truth = LineFile(self.folder / "truth.jsonl")
            self._write(self._timeline, {"event": "match", "at": 0.0, "format": FORMAT_VERSION, **match})
        self._painter = Painter(self.setting)

    def record(self, turn: TrueTurn, scene: Scene) -> None:
        """Write a turn, and clear the recorded moments of the scene."""
        with self._writing():
            if shutil.disk_usage(self.folder).free < _MIN_FREE_BYTES:
                raise StorageError(f"{self.folder} has less than 50 MB left; free some space or play fewer games")
            lines = [*self._frames(scene.moments, turn.ended), *_presses(scene.presses), *_hands(scene.hand_intervals)]
            for line in sorted(lines, key=itemgetter("at")):
                self._write(self._timeline, line)
            self._write(self._truth, self._turn_record(turn))
        scene.moments.clear()
        scene.presses.clear()
        scene.hand_intervals.clear()

    def end(self, at: float) -> None:
        """Write the last line."""
        with self._writing():
            self._write(self._timeline, {"event": "end", "at": round(at, 3)})

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise StorageError, in one line, for an error of the disk."""
        try:
            yield
        except OSError as error:
            reason = refusal(error, self.folder, "name another folder")
            raise StorageError(f"{self.folder} cannot be written {reason}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files, whatever happened."""
        for file in (self._timeline, self._truth):
            if file is not None:
                file.close()

    def _frames(self, moments: Sequence[SceneMoment], until: float) -> Iterator[dict[str, Any]]:
        steady = (TakenPicture(moment.at, moment) for moment in moments)
        for picture in steady if self.faults is None else self.faults.frames(moments, until):
            line = {"event": "frame", "at": picture.at, "file": self._picture(picture)}
            yield line | ({"repeat": True} if picture.is_repeat else {})

    def _picture(self, taken: TakenPicture) -> str:
        """Return the file of a picture: a new one, or an earlier one while nothing moves."""
        if not (taken.is_repeat and self._frame_files):
            key = self._key(taken)
            is_quiet = key is not None and key == self._quiet_key
            self._quiet_frames = self._quiet_frames + 1 if is_quiet else 0
            if not is_quiet:
                self._quiet_files = []
            self._quiet_key = key
            if len(self._quiet_files) < _NOISE_VARIANTS:
                self._quiet_files.append(self._save(taken))
        name = self._quiet_files[self._quiet_frames % len(self._quiet_files)]
        self._frame_files.append((taken.at, name))
        return name

    def _key(self, taken: TakenPicture) -> object:
        """Return a value that is equal for pictures that differ by noise alone; None if nothing lies still."""
        moment, faults = taken.moment, self.faults
        if moment.hands:
            return None
        if faults is None:
            return moment.laid
        light = faults.light.key(taken.at - faults.late_seconds)
        seen = moment.laid, objects_at(moment.objects, taken.at), moment.shape, faults.shift(taken.at)
        return None if light is None else (*seen, light)

    def _save(self, taken: TakenPicture) -> str:
        self._file_count += 1
        name = f"frames/{self._file_count:06d}.jpg"
        if self.faults is None:
            image = self._painter.paint(taken.moment.laid, taken.moment.hands, noise_index=self._file_count)
        else:
            image = self.faults.picture(self._painter, taken, self._file_count)
        written, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        if not written:
            raise StorageError(f"{self.folder / name} cannot be made a JPEG; use another size")
        write_whole(self.folder / name, data.tobytes(), sync=False)
        return name

    def _turn_record(self, turn: TrueTurn) -> dict[str, Any]:
        judgements = [self._judgement(judgement, turn) for judgement in turn.judgements]
        self._frame_files.clear()
        last = judgements[-1]
        return {
            "game": turn.game,
            "turn": turn.number,
            "seat": turn.seat,
            "opened": turn.opened,
            "before": format_table(turn.before),
            "table": format_table(turn.after.table),
            "tiles": tile_positions(turn.after, self.setting, shift=self._shift(turn.ended)),
            "verdict": last["verdict"],
            "faults": last["faults"],
            "trick": turn.kind,
            "judgements": judgements,
            "drawn": turn.drawn,
            "won": turn.won,
            "from": round(turn.started, 3),
            "until": round(turn.ended, 3),
            "shown": [[seat, " ".join(map(format_tile, tiles))] for seat, tiles in turn.shown_racks],
        }

    def _judgement(self, judgement: TrueJudgement, turn: TrueTurn) -> dict[str, Any]:
        file = max((frame for frame in self._frame_files if frame[0] <= judgement.at + 1e-3), default=(0.0, ""))[1]
        return {
            "at": round(judgement.at, 3),
            "file": file,
            "cause": judgement.cause,
            "table": format_table(judgement.arrangement.table),
            "tiles": tile_positions(
                judgement.arrangement, self.setting, turn.displaced_tiles, self._shift(judgement.at)
            ),
            "verdict": "legal" if judgement.is_legal else "illegal",
            "outcome": judgement.outcome.value,
            "faults": sorted(fault.value for fault in judgement.faults),
        }

    def _shift(self, at: float) -> tuple[float, float]:
        return (0.0, 0.0) if self.faults is None else self.faults.shift(at)

    @staticmethod
    def _write(file: LineFile | None, line: Mapping[str, Any]) -> None:
        if file is None:
            raise ValueError("the recording has not begun")
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _presses(presses: Iterable[Press]) -> list[dict[str, Any]]:
    return [
        {"event": "press", "at": round(press.at, 3), "seat": press.seat, "kind": press.kind.value} for press in presses
    ]


def _hands(intervals: Iterable[tuple[float, float]]) -> list[dict[str, Any]]:
    return [{"event": "hands", "at": round(start, 3), "until": round(end, 3)} for start, end in intervals]
