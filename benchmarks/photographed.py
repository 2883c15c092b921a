"""The faces of a real box, cut out of labelled photographs, for simulated games with a real box's print."""

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
"""Of a tile in its photograph: smaller ones would blur the simulated table."""
SPLIT: Final = "valid"
"""Photographs that no model was trained on."""


def untrained(folder: Path) -> Iterator[tuple[dict[str, Any], Image]]:
    """Give the labels, as in labels.jsonl, and the picture of each photograph that no model was trained on."""
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["split"] == SPLIT:
            yield row, np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)


def cut_out(folder: Path, kept: Path) -> Path:
    """Cut every tile out of the photographs below a folder that no model saw, once, into the file `kept`.

    The labels do not say which way up a tile lies, so the referee is asked; tiles that it reads otherwise than they are
    labelled are left out. Bodies are made equally light, for a box has one.
    """
    if kept.exists():
        return kept
    reader, pictures = TableReader(), {}
    for row, image in untrained(folder):
        middles = np.array([np.mean(tile["polygon"], axis=0) for tile in row["tiles"]]).reshape(-1, 2)
        for number, tile in enumerate(reader.read_table(Frame(row["image"], 0.0, image)).tiles):
            quad = np.array(tile.quad, np.float64)
            long = float(np.hypot(*(quad[3] - quad[0])))
            apart = np.hypot(*(middles - np.array(tile.centre)).T)
            if tile.tile is None or tile.unsure or long < MIN_LONG_SIDE_PX or apart.min(initial=np.inf) > long / 4:
                continue
            if format_tile(tile.tile) == row["tiles"][int(apart.argmin())]["tile"]:
                pictures[f"{format_tile(tile.tile)} {row['photo']} {number}"] = _face(image, quad)
    np.savez_compressed(kept, allow_pickle=False, **pictures)
    return kept


def _face(image: Image, quad: npt.NDArray[np.float64]) -> Image:
    width, height = round(TILE_WIDTH_MM * PX_PER_MM), round(TILE_HEIGHT_MM * PX_PER_MM)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    flat = cv2.warpPerspective(
        image, cv2.getPerspectiveTransform(quad.astype(np.float32), corners), (width, height), flags=cv2.INTER_CUBIC
    )
    return np.asarray(flat, np.uint8)


def printed_as(style: TileStyle, faces: Path, seed: int) -> TileStyle:
    """Give a style whose number tiles and plain jokers are the pictures cut out into a file, chosen by chance.

    What the photographed box does not have, other jokers, is drawn as ever.
    """
    rng = np.random.default_rng(seed)
    of_tile: dict[Tile, list[Image]] = defaultdict(list)
    with np.load(faces) as pictures:
        for name in rng.permutation(sorted(pictures)):
            of_tile[parse_tile(str(name).split()[0])].append(_as_light_as(style, pictures[name]))
    return replace(style, photographs=FacePhotographs(of_tile), dimple_radius=0.0, engraving="none")


def _as_light_as(style: TileStyle, picture: Image) -> Image:
    body = np.percentile(picture.reshape(-1, 3), 75, axis=0)
    return np.clip(picture * (np.array(style.body) / np.maximum(body, 1.0)), 0, 255).astype(np.uint8)
