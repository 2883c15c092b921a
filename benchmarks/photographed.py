"""Cut the faces of a real box out of labelled photographs, for simulated games with a real print."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.rules.notation import format_tile, parse_tile
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM, FacePhotographs, TileStyle
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader

if TYPE_CHECKING:
    from referee.rules.tiles import Tile

PX_PER_MM: Final = 3
MIN_LONG_SIDE_PX: Final = 44
"""The least size of a tile in its photograph; smaller ones would blur the simulated table."""
SPLIT: Final = "valid"
"""Photographs that no model was trained on."""


def held_out_photographs(folder: Path) -> Iterator[tuple[dict[str, Any], Image]]:
    """Yield the labels, as in labels.jsonl, and the picture of each photograph that no model was trained on."""
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["split"] == SPLIT:
            yield row, np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)


def cut_out_faces(folder: Path, file: Path) -> Path:
    """Cut the tiles out of a folder's held-out photographs into `file`, unless it exists; return `file`.

    The labels do not say which way up a tile lies, so the referee reads it; tiles that it reads differently from their
    labels are left out.
    """
    if file.exists():
        return file
    reader, pictures = TableReader(), {}
    for row, image in held_out_photographs(folder):
        centres = np.array([np.mean(tile["polygon"], axis=0) for tile in row["tiles"]]).reshape(-1, 2)
        for number, tile in enumerate(reader.read_table(Frame(row["image"], 0.0, image)).tiles):
            quad = np.array(tile.quad, np.float64)
            long_side = float(np.hypot(*(quad[3] - quad[0])))
            distances = np.hypot(*(centres - np.array(tile.centre)).T)
            if (
                tile.tile is None
                or tile.unsure
                or long_side < MIN_LONG_SIDE_PX
                or distances.min(initial=np.inf) > long_side / 4
            ):
                continue
            if format_tile(tile.tile) == row["tiles"][int(distances.argmin())]["tile"]:
                pictures[f"{format_tile(tile.tile)} {row['photo']} {number}"] = _face(image, quad)
    np.savez_compressed(file, allow_pickle=False, **pictures)
    return file


def _face(image: Image, quad: npt.NDArray[np.float64]) -> Image:
    width, height = round(TILE_WIDTH_MM * PX_PER_MM), round(TILE_HEIGHT_MM * PX_PER_MM)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    flat = cv2.warpPerspective(
        image, cv2.getPerspectiveTransform(quad.astype(np.float32), corners), (width, height), flags=cv2.INTER_CUBIC
    )
    return np.asarray(flat, np.uint8)


def with_photographed_faces(style: TileStyle, faces: Path, seed: int) -> TileStyle:
    """Return a style whose number tiles and regular jokers are pictures from the file, chosen at random.

    Other jokers, which the photographed box lacks, are drawn as usual.
    """
    rng = np.random.default_rng(seed)
    of_tile: dict[Tile, list[Image]] = defaultdict(list)
    with np.load(faces) as pictures:
        for name in rng.permutation(sorted(pictures)):
            of_tile[parse_tile(str(name).split()[0])].append(_match_brightness(style, pictures[name]))
    return replace(style, photographs=FacePhotographs(of_tile), dimple_radius=0.0, engraving="none")


def _match_brightness(style: TileStyle, picture: Image) -> Image:
    body = np.percentile(picture.reshape(-1, 3), 75, axis=0)
    return np.clip(picture * (np.array(style.body) / np.maximum(body, 1.0)), 0, 255).astype(np.uint8)
