"""Worlds that guards are measured in: things beside tiles, pages without any, and tiles as they lie outside of play.

A step that keeps what is no tile from passing for one earns nothing in pictures of tiles. Its worth shows here: things
seen from about straight above and aslant, by a camera that knows its table and by one that does not.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from models.training.data.corruptions import tilt
from models.training.data.render.pages import PAGES, photographed
from models.training.evaluate.worlds import EDITIONS, RACKS, Known, Picture, Points, changed, photographs, racks
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM
from referee.sim.layout import Arrangement, PhysicalTile, arrange, footprints_overlap
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import random_setting
from referee.sim.scene import play_area
from referee.sim.table_objects import ObjectKind, TableObject
from referee.sim.view import LaidTile, View
from referee.vision.calibrate.table_plane import make_plane
from referee.vision.geometry.homography import homography
from referee.vision.geometry.optics import Intrinsics, Matrix
from referee.vision.profile import Profile

COVERED_FEET = "covered feet"
PAGES_WORLD, THINGS, FIELD = "pages", "things beside tiles", "photographs without tiles"
CALIBRATED, ASLANT = ", calibrated", ", aslant"
_SIZE: Final = (1280, 960)
_TABLE: Final = "K9 K10 K11 K12 / B3 B4 B5 / K7 R7 O7"
_KINDS: Final = (
    *(ObjectKind.CARD, ObjectKind.CARD, ObjectKind.SHEET),
    *(ObjectKind.COASTER, ObjectKind.PHONE, ObjectKind.LID),
)
_THINGS, _TRIES = 10, 40
_PX_PER_MM = 1.6  # of a page under a fixed camera
_LEAN = 45.0  # degrees
_SEAT = 58.0  # degrees by which somebody on a chair leans more
_STREWN = (16, 36)


@dataclass(frozen=True, slots=True)
class Strange:
    """A picture, and the kinds and outlines of what lies there and is no tile; none where no tile lies there at all."""

    picture: Picture
    things: tuple[tuple[str, Points], ...] = ()


def pages(count: int, seed: int, *, calibrated: bool = False) -> Iterator[Picture]:
    """Pages and boards without a tile, the kinds taking turns; `calibrated` by a camera above a known table."""
    box, kinds = rule_set("original").box, list(PAGES)
    for number in range(count):
        rng, kind = np.random.default_rng([seed, number]), kinds[number % len(kinds)]
        image = photographed(rng, kind, _SIZE, _PX_PER_MM if calibrated else None)
        profile = _straight_above() if calibrated else None
        yield Picture(group=PAGES_WORLD, name=f"{kind}-{number}", image=image, tiles=(), box=box, profile=profile)


def aslant(pictures: Iterable[Picture], group: str, degrees: float = _LEAN) -> Iterator[Picture]:
    """The same pictures by a camera that leans further and knows no table."""
    return (changed(one, group, tilt(degrees)) for one in pictures)


def strange_worlds(photos: Path | None, count: int, seed: int) -> dict[str, Callable[[], Iterator[Picture]]]:
    """Return worlds by name, `count` pictures of each kind that is drawn; none of them is trained on."""

    def things(more: int, *, calibrated: bool = False) -> Iterator[Picture]:
        return (strange.picture for strange in among_things(count, seed + more, calibrated=calibrated))

    drawn: dict[str, Callable[[], Iterator[Picture]]] = {
        PAGES_WORLD: lambda: pages(count, seed),
        PAGES_WORLD + ASLANT: lambda: aslant(pages(count, seed + 1), PAGES_WORLD),
        PAGES_WORLD + CALIBRATED: lambda: pages(count, seed + 2, calibrated=True),
        THINGS: lambda: things(3),
        THINGS + ASLANT: lambda: aslant(things(4), THINGS),
        THINGS + CALIBRATED: lambda: things(5, calibrated=True),
    }
    return drawn if photos is None else drawn | {FIELD: lambda: photographs(photos / "field", "train")}


def tile_worlds(count: int, seed: int) -> dict[str, Callable[[], Iterator[Picture]]]:
    """Return worlds of tiles as no set lies: strewn with small prints, seen from a seat, their feet covered."""
    return {
        "scattered small prints": lambda: strewn(count, seed),
        "seat": lambda: aslant(strewn(count, seed + 1), "seat", _SEAT),
        COVERED_FEET: lambda: racks(RACKS, count, seed + 2),
    }


def among_things(count: int, seed: int, *, calibrated: bool = False) -> Iterator[Strange]:
    """Three sets, and about them as many things as there is room for, ten at most."""
    for number in range(count):
        edition = EDITIONS[number % len(EDITIONS)]
        rules, rng = rule_set(edition), Random(f"no tiles {seed} {number}")
        setting = random_setting(rules, rng.randrange(10**6), _SIZE, (0, 1, 2, 3))
        area, sets = play_area(setting.view), parse_table(_TABLE).sets
        pieces = [PhysicalTile(tile, 0) for one in sets for tile in one]
        laid = arrange(Arrangement(), sets, pieces, side=rng.randrange(4), area=area, rng=rng).tiles
        taken, lying = [tile.corners() for tile in laid], []
        for place in range(_THINGS):
            kind = _KINDS[place % len(_KINDS)]
            for _ in range(_TRIES):
                x, y = rng.uniform(area.left, area.right), rng.uniform(area.top, area.bottom)
                thing = TableObject(kind=kind, x=x, y=y, angle=rng.uniform(0, 6.3), seed=rng.randrange(1 << 30))
                if not any(footprints_overlap(thing.corners(), other) for other in taken):
                    lying.append(thing)
                    taken.append(thing.corners())
                    break
        picture = _painted(setting, laid, f"{edition}-{number}", number, tuple(lying))
        picture = replace(picture, sets=(), box=rules.box, profile=_profile(setting) if calibrated else None)
        outlines = [np.asarray(setting.view.project_flat(thing.corners()), np.float32) for thing in lying]
        yield Strange(picture, tuple((thing.kind.value, one) for thing, one in zip(lying, outlines, strict=True)))


def strewn(count: int, seed: int) -> Iterator[Picture]:
    """Tiles of one box strewn at random, every way up, with prints smaller than most boxes have."""
    rules = rule_set("original")
    for number in range(count):
        rng = Random(f"strewn {seed} {number}")
        setting = random_setting(rules, rng.randrange(10**6), _SIZE, ())
        setting = replace(setting, style=replace(setting.style, digit_height=rng.uniform(7.5, 9.5)))
        view, tiles = setting.view, rng.sample(list(rules.box), rng.randint(*_STREWN))
        laid: list[LaidTile] = []
        for tile in tiles:
            x, y = rng.uniform(40, view.width_mm - 40), rng.uniform(40, view.height_mm - 40)
            one = LaidTile(tile=tile, copy=0, x=x, y=y, angle=rng.uniform(0, 6.3))
            if not any(footprints_overlap(one.corners(), other.corners()) for other in laid):
                laid.append(one)
        yield replace(_painted(setting, laid, f"strewn-{number}", number), box=rules.box)


def _painted(
    setting: TableSetting, laid: Iterable[LaidTile], name: str, number: int, lying: tuple[TableObject, ...] = ()
) -> Picture:
    laid = tuple(laid)
    image = Painter(setting).paint(laid, noise_index=number, objects=lying)
    quads = [np.asarray(setting.view.quad(tile, setting.style.thickness) + 0.5, np.float32) for tile in laid]
    tiles = tuple(Known(str(tile.tile), quad) for tile, quad in zip(laid, quads, strict=True))
    return Picture(group=THINGS, name=name, image=image, tiles=tiles)


def _profile(setting: TableSetting) -> Profile:
    """Return what calibration would know of a drawn camera and table."""
    view: View = setting.view
    focal, (width, height) = view.scale * view.height_above, view.size
    bend = (4 * view.distortion, 0.0, 0.0, 0.0)
    lens = Intrinsics(
        size=view.size, focal=(focal, focal), centre=(width / 2, height / 2), distortion=bend, pictures=12
    )
    area = play_area(view)
    outline = np.array([[x, y] for x in (area.left, area.right) for y in (area.top, area.bottom)])[[0, 2, 3, 1]]
    pixels = lens.undistort(view.project_flat(outline, setting.style.thickness) + 0.5)
    return _known(view.size, homography(pixels, outline), outline, lens)


def _straight_above() -> Profile:
    outline = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * np.array(_SIZE) / _PX_PER_MM
    return _known(_SIZE, np.diag([1 / _PX_PER_MM, 1 / _PX_PER_MM, 1.0]), outline, None)


def _known(size: tuple[int, int], matrix: Matrix | None, outline: Points, lens: Intrinsics | None) -> Profile:
    if matrix is None:
        raise ValueError("four corners of a table tell its plane")
    table = replace(make_plane(matrix, outline, None, "drawn"), tile_mm=(TILE_WIDTH_MM, TILE_HEIGHT_MM))
    return Profile(camera="drawn", size=size, intrinsics=lens, table=table)
