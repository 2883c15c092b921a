"""A simulated camera of known optics, its pictures of the targets, and scenes of tiles in known places."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pytest

from referee.reading.observation import TileReading
from referee.rules.notation import parse_tiles
from referee.sim.faces import STYLES
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.vision.calibrate.markers import BoardView, find_board
from referee.vision.geometry.optics import Intrinsics
from referee.vision.image.frame import Image
from tests.support.targets import PlanePose, board_sheet, render_sheet, table_sheet

MIDDLE = (122.5, 87.5)
Scene = tuple[Image, tuple[TileReading, ...]]


@pytest.fixture(scope="session")
def optics() -> Intrinsics:
    return Intrinsics(
        size=(1920, 1080), focal=(1450.0, 1453.0), centre=(968.0, 535.0), distortion=(-0.12, 0.04, 0.0006, -0.0004)
    )


def board_poses(count: int, tilt: float = 30.0, seed: int = 5) -> list[PlanePose]:
    """The board all over the picture, tilted by up to some degrees."""
    rng = np.random.default_rng(seed)
    return [
        PlanePose(
            point=MIDDLE,
            distance=rng.uniform(380, 600),
            at=(0.5 + 0.28 * (i % 3 - 1), 0.5 + 0.28 * (i // 3 % 3 - 1)),
            lean=rng.uniform(-tilt, tilt),
            yaw=rng.uniform(-tilt, tilt),
            roll=rng.uniform(-15, 15),
        )
        for i in range(count)
    ]


@pytest.fixture(scope="session")
def board_pictures(optics: Intrinsics) -> list[Image]:
    return [render_sheet(board_sheet(), pose, optics, seed=i) for i, pose in enumerate(board_poses(12))]


@pytest.fixture(scope="session")
def board_views(board_pictures: list[Image]) -> list[BoardView]:
    return [find_board(picture) for picture in board_pictures]


@pytest.fixture(scope="session")
def table_pose() -> PlanePose:
    return PlanePose(point=(600, 450), distance=1550, lean=8, yaw=-5, roll=2)


@pytest.fixture(scope="session")
def table_picture(optics: Intrinsics, table_pose: PlanePose) -> Image:
    return render_sheet(table_sheet((1200, 900), (3, -5, 20, 8)), table_pose, optics, seed=99)


@pytest.fixture(scope="session")
def scene() -> Callable[..., Scene]:
    """Sixteen number tiles, four of each ink, as rendered and as they are; nobody may change them: they are kept."""

    @lru_cache(4)
    def make(style: str = "classic", width_mm: float = 1200, size: tuple[int, int] = (1920, 1080)) -> Scene:
        tiles = parse_tiles("R1 R5 R9 R13 K2 K6 K10 K12 B3 B7 B11 B4 O1 O4 O8 O12")
        view = View(size=size, width_mm=width_mm)
        laid = [
            LaidTile(
                tile=tile,
                copy=0,
                x=width_mm * (0.15 + 0.1 * (i % 8)),
                y=view.height_mm * (0.3 + 0.35 * (i // 8)),
                angle=0.1 * i,
            )
            for i, tile in enumerate(tiles)
        ]
        setting = TableSetting(view=view, style=STYLES[style])
        image = Painter(setting).paint(laid)
        image.flags.writeable = False
        quads = [view.quad(one, setting.style.thickness) + 0.5 for one in laid]
        return image, tuple(_reading(tile, quad) for tile, quad in zip(tiles, quads, strict=True))

    return make


def _reading(tile: object, quad: npt.NDArray[np.float64]) -> TileReading:
    (a, b, c, d) = ((float(x), float(y)) for x, y in quad)
    return TileReading(quad=(a, b, c, d), tile=tile, confidence=1.0)  # type: ignore[arg-type]
