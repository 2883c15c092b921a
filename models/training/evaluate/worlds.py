"""Pictures to grade the reader on, and what is on them: photographs, full tables rendered, and a second look at them.

The first renderer is that of the training, with other seeds: as a fixed camera sees tables (`still`), the same with
digits from fonts never trained on, spoiled (shaken, dark, drained of colour), and seen by a camera that leans further.
The second look is drawn by the simulator (`referee/sim`), which shares no line with the first: its own digits (strokes,
no font), light, surfaces, shadows and lens. None of its pictures is ever trained on. Photographs are graded as they
are, made worse in the ways of `corruptions`, with their tiles printed as other boxes might (`reprinted`), in several of
these ways at once (`combined_corruptions`), and with jokers never seen among them.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.combined_corruptions import COMBINATIONS, COMBINED
from models.training.data.corruptions import CHANGES, TURNS, Change, tilt
from models.training.data.render import faces, layout
from models.training.data.render.fonts import fonts
from models.training.data.render.scene_generator import Box, full_table, stepped_rack
from models.training.data.render.signs import HELD_OUT_PICTOGRAMS, Sign, with_pictograms
from models.training.data.reprinted import REPRINTS, printed_with
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile
from referee.rules.tiles import Tile
from referee.sim.faces import STYLES
from referee.sim.glyphs import Lettering
from referee.sim.hardship_kinds import USUAL_HARDSHIPS
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import match_with_hardships, random_setting
from referee.sim.scene import area_in_picture, play_area
from referee.vision.image.frame import Image
from referee.vision.image.picture_file import load_image
from referee.vision.profile import Profile

EDITIONS = ("original", "twist", "3in1-expert", "original")
SIZE = (2304, 1296)
SPOILT = "photographs, "  # and in which way
LEAN = 45  # degrees
LEANT = f"full tables, leaning by {LEAN}° more"
RACKS = "racks of three steps"
_RACK_SIZE = (1600, 1200)
_SHOWS_DIGIT = 0.6  # the share of a tile on a rack that shows at least where its digit does
_CHANGED = 30  # grey levels
_OF_AN_EVENING, _TURNS_APART = 4, 8  # pictures of one evening, and turns between them
Points = npt.NDArray[np.float32]


class Known(NamedTuple):
    """A tile that is in a picture: its name, its face's outline, and what share of it nothing covers."""

    name: str
    outline: Points
    uncovered: float = 1.0

    def shown(self, image: Image) -> float:
        """The share of the face that is neither covered nor beyond the picture's edge."""
        height, width = image.shape[:2]
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        hull = cv2.convexHull(self.outline)
        inside, _ = cv2.intersectConvexConvex(hull, frame)
        return float(self.uncovered * inside / max(cv2.contourArea(hull), 1e-6))


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture and what is on it: its tiles and, where known, which of them lie together."""

    group: str
    name: str
    image: Image
    tiles: tuple[Known, ...]
    sets: tuple[tuple[int, ...], ...] | None = None
    box: Mapping[Tile, int] | None = None
    profile: Profile | None = None


def worlds(photos: Path | None, split: str, tables: int, seed: int) -> Iterator[Picture]:
    """Every picture to be graded, world by world; `tables` of each that is drawn."""
    if photos:
        yield from photographs(photos, split)
        yield from spoilt(photographs(photos, split))
        yield from strange_jokers(f"{SPOILT}jokers never seen", photographs(photos, split))
    yield from rendered("full tables", tables, seed, still=True)
    yield from rendered("full tables, other fonts", tables, seed + 1, still=True, held_out=True)
    yield from rendered("full tables, spoiled", tables, seed + 2, still=False)
    yield from second_look("second look", tables, seed + 3)
    leant = rendered(LEANT, tables, seed + 4, still=True)
    yield from (changed(one, LEANT, tilt(LEAN)) for one in leant)
    kept = list(racks(RACKS, tables, seed + 5))
    yield from kept
    for name, turn in TURNS.items():
        yield from (changed(one, f"{RACKS}, {name}", turn) for one in kept)


def photographs(folder: Path, split: str) -> Iterator[Picture]:
    """Labelled photographs of one split, grouped by the series they belong to."""
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["split"] != split:
            continue
        series = re.match(r"[A-Za-z]+\d*", row["photo"])
        tiles = tuple(Known(tile["tile"], np.array(tile["polygon"], np.float32)) for tile in row["tiles"])
        path = folder / row["image"]
        yield Picture(group=series[0] if series else "?", name=path.name, image=load_image(path), tiles=tiles)


def spoilt(pictures: Iterable[Picture]) -> Iterator[Picture]:
    """Every picture in each way of making it worse, of printing its tiles anew, and some of both at once, by group."""
    kept = list(pictures)
    changes = [
        *(CHANGES | REPRINTS).items(),
        *((COMBINED, change) for change in COMBINATIONS),
    ]
    for name, change in changes:
        yield from (changed(one, f"{SPOILT}{name}", change) for one in kept)


def changed(picture: Picture, group: str, change: Change) -> Picture:
    """The picture after a change, as one of a group."""
    image, outlines = change(picture.image, [tile.outline for tile in picture.tiles])
    tiles = tuple(tile._replace(outline=at) for tile, at in zip(picture.tiles, outlines, strict=True))
    return replace(picture, group=group, image=image, tiles=tiles)


def strange_jokers(group: str, pictures: Iterable[Picture]) -> Iterator[Picture]:
    """Photographs in which every third tile is a plain joker of a print never trained on: a word or a pictogram.

    None where no font is installed to print it with.
    """
    kept = fonts(held_out=True)
    pictorial = with_pictograms(fonts())
    signs = [Sign(word, font, 0.75, 0.35) for word, font in zip(("JOKER", "J", "Joker"), kept, strict=False)]
    signs += [Sign(one, pictorial, 0.6, 0.45) for one in HELD_OUT_PICTOGRAMS] if pictorial else []
    for number, one in enumerate(pictures if signs else ()):
        change = printed_with(faces.sign_mask(signs[number % len(signs)], 0.36, 256, 192))
        chosen = range(number % 3, len(one.tiles), 3)
        image, _ = change(one.image, [one.tiles[place].outline for place in chosen])
        tiles = list(one.tiles)
        for place in chosen:
            if _differ(one.image, image, tiles[place].outline):
                tiles[place] = tiles[place]._replace(name="J")
        yield replace(one, group=group, image=image, tiles=tuple(tiles))


def _differ(before: Image, after: Image, outline: Points) -> bool:
    """Whether two pictures differ within an outline; a print that cannot be told from its tile's edges is left."""
    left, top, width, height = cv2.boundingRect(np.round(outline).astype(np.int32))
    part = np.s_[max(top, 0) : top + height, max(left, 0) : left + width]
    return bool(np.abs(before[part].astype(np.int16) - after[part]).max(initial=0) > _CHANGED)


def rendered(group: str, count: int, seed: int, *, still: bool, held_out: bool = False) -> Iterator[Picture]:
    """Rendered full tables, the editions taking turns."""
    for number in range(count):
        edition = EDITIONS[number % len(EDITIONS)]
        rng = np.random.default_rng([seed, number])
        box = Box(rng, 100, held_out=True) if held_out else None
        one = full_table(rng, edition, SIZE, still=still, box=box)
        tiles = tuple(Known(tile.tile, np.asarray(tile.quad, np.float32), tile.visible) for tile in one.tiles)
        name, rules = f"{edition}-{number}", rule_set(edition)
        yield Picture(group=group, name=name, image=one.image, tiles=tiles, sets=one.sets, box=rules.box)


def racks(group: str, count: int, seed: int) -> Iterator[Picture]:
    """Rendered racks of three steps; tiles count though the row before them covers their lower third."""
    for number in range(count):
        one = stepped_rack(np.random.default_rng([seed, number]), _RACK_SIZE)
        tiles = tuple(
            Known(tile.tile, np.asarray(tile.quad, np.float32), float(tile.visible >= _SHOWS_DIGIT))
            for tile in one.tiles
        )
        yield Picture(group=group, name=f"rack-{number}", image=one.image, tiles=tiles)


def second_look(group: str, count: int, seed: int) -> Iterator[Picture]:
    """Full tables drawn by the simulator: every box, surface and lamp it has, digits of any weight and width."""
    for number in range(count):
        edition = EDITIONS[number % len(EDITIONS)]
        rules, rng = rule_set(edition), Random(f"second look {seed} {number}")
        setting = _worse(random_setting(rules, rng.randrange(10**6), SIZE, (0, 1, 2, 3)), rng)
        laid = _legal_table(edition, setting, rng)
        image = Painter(setting).paint(laid.tiles, noise_index=number)
        quads = [setting.view.quad(tile, setting.style.thickness) + 0.5 for tile in laid.tiles]
        names = [str(tile.tile) for tile in laid.tiles]
        tiles = tuple(Known(name, np.asarray(quad, np.float32)) for name, quad in zip(names, quads, strict=True))
        ends = np.cumsum([0, *(len(row.tiles) for row in laid.rows)]).tolist()
        sets = tuple(tuple(range(start, end)) for start, end in itertools.pairwise(ends))
        yield Picture(group=group, name=f"{edition}-{number}", image=image, tiles=tiles, sets=sets, box=rules.box)


def unkind_evenings(group: str, count: int, seed: int) -> Iterator[Picture]:
    """The table as it is judged, on evenings with racks, boxes and cards about it, tiles fallen, slid or on edge.

    `count` pictures of the table as far as is played on, of turns after which every tile lies whole and face up.
    """
    for number in range(-(-count // _OF_AN_EVENING)):
        edition = EDITIONS[number % len(EDITIONS)]
        rules = rule_set(edition)
        evening, setting = match_with_hardships(
            rules, seed=seed + number, games=1, cheat_rate=0.3, size=SIZE, hardships=USUAL_HARDSHIPS
        )
        painter = Painter(setting)
        played_on = np.array(area_in_picture(setting.view))
        low, high = played_on.min(axis=0).astype(int), played_on.max(axis=0).astype(int)
        turns = (turn for turn in evening.play() if turn.all_visible and turn.number % _TURNS_APART == 0)
        for turn in itertools.islice(turns, min(_OF_AN_EVENING, count - number * _OF_AN_EVENING)):
            shot = [shot for shot in evening.scene.moments if not shot.hands and shot.at <= turn.judgements[-1].at][-1]
            image = painter.paint(shot.laid, noise_index=turn.number, objects=shot.objects)[
                low[1] : high[1], low[0] : high[0]
            ]
            known = []
            for tile in (tile for tile in shot.laid if tile.tile is not None):
                quad = setting.view.quad(tile, setting.style.thickness) + 0.5 - low
                known.append(Known(str(tile.tile), np.asarray(quad, np.float32)))
            name = f"{edition}-{seed + number}-{turn.number}"
            yield Picture(group=group, name=name, image=image, tiles=tuple(known), sets=(), box=rules.box)


def _worse(setting: TableSetting, rng: Random) -> TableSetting:
    """The setting with any of the boxes, digits of any weight, and a poorer picture than a simulated match has."""
    lettering = Lettering(weight=rng.uniform(0.13, 0.24), width=rng.uniform(0.6, 0.74), rounded=rng.random() < 0.4)
    box = STYLES[rng.choice(list(STYLES))]
    style = replace(box, lettering=lettering, digit_height=rng.uniform(10, 14), digit_top=6.5)
    return replace(setting, style=style, grain=rng.uniform(1.2, 6.0), blur=rng.uniform(0.45, 1.3))


def _legal_table(edition: str, setting: TableSetting, rng: Random) -> Arrangement:
    """A legal table of 60 to 106 tiles, laid as the simulator's players lay them."""
    names = layout.legal_table(np.random.default_rng(rng.randrange(10**9)), edition, rng.randrange(60, 107))
    sets = tuple(tuple(parse_tile(name) for name in one) for one in names)
    copies: Counter[Tile] = Counter()
    pieces = []
    for tile in (tile for one in sets for tile in one):
        pieces.append(PhysicalTile(tile, copies[tile]))
        copies[tile] += 1
    return arrange(Arrangement(), sets, pieces, side=rng.randrange(4), area=play_area(setting.view), rng=rng)
