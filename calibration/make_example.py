"""Calibrate a simulated camera over a simulated table: the example profile, and the pictures of docs/calibration.md.

Run from the repository root: python calibration/make_example.py [--pictures DIR]
With --pictures only what the camera sees is written, for whoever wants to try the steps without a camera.
"""

import argparse
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import numpy.typing as npt

from referee.cli.main import main as referee
from referee.rules.notation import parse_tiles
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.vision.geometry.optics import Intrinsics

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from tests.support.setup_tiles import setup_tiles  # noqa: E402 - beside the package, not in it
from tests.support.targets import PlanePose, board_sheet, render_sheet, table_sheet  # noqa: E402 - as above

IMAGES = ROOT / "docs" / "images"
PROFILE = ROOT / "calibration" / "example-profile.json"
OPTICS = Intrinsics(
    size=(1920, 1080), focal=(1450.0, 1453.0), centre=(968.0, 535.0), distortion=(-0.12, 0.04, 0.0006, -0.0004)
)
TABLE = PlanePose(point=(600, 450), distance=1550, lean=8, yaw=-5, roll=2)
WIDTH = 720  # pixels of the pictures in the manual

Image = npt.NDArray[np.uint8]


def board_pictures() -> list[Image]:
    """The board held twelve times before the camera, all over the picture."""
    rng = np.random.default_rng(5)
    poses = [
        PlanePose(
            point=(122.5, 87.5),
            distance=rng.uniform(380, 600),
            at=(0.5 + 0.28 * (i % 3 - 1), 0.5 + 0.28 * (i // 3 % 3 - 1)),
            lean=rng.uniform(-30, 30),
            yaw=rng.uniform(-30, 30),
            roll=rng.uniform(-15, 15),
        )
        for i in range(12)
    ]
    return [render_sheet(board_sheet(), pose, OPTICS, seed=i) for i, pose in enumerate(poses)]


def jokers_picture() -> Image:
    """Four jokers in a row."""
    view = View(size=(960, 540), width_mm=500)
    tiles = parse_tiles("J JD JC JM")
    laid = [LaidTile(tile=tile, copy=0, x=130 + 80 * i, y=140, angle=0.05 * (i - 1)) for i, tile in enumerate(tiles)]
    return Painter(TableSetting(view=view)).paint(laid)


def numbers_picture() -> Image:
    """Four numbers of each colour."""
    view = View(size=(1920, 1080), width_mm=1000)
    tiles = parse_tiles("R1 R5 R9 R13 K2 K6 K10 K12 B3 B7 B11 B4 O1 O4 O8 O12")
    laid = [
        LaidTile(tile=tile, copy=0, x=250 + 75 * (i % 8), y=180 + 170 * (i // 8), angle=0.1 * (i % 5 - 2))
        for i, tile in enumerate(tiles)
    ]
    return Painter(TableSetting(view=view)).paint(laid)


def setup_picture() -> Image:
    """The tiles of `calibrate setup`, four in each corner and six in the middle."""
    view = View(size=(1920, 1080), width_mm=1750, tilt=(4, -3))
    laid, _ = setup_tiles(view, Random(3))  # noqa: S311 - no secret
    return Painter(TableSetting(view=view, seats=())).paint(laid)


def small(image: Image, width: int = WIDTH) -> Image:
    """The picture as wide as the manual shows it."""
    height = round(image.shape[0] * width / image.shape[1])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def save(name: str, image: Image) -> None:
    """Write a picture of the manual, in few colours, for it is kept in the repository."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    quantised = np.asarray(np.round(image / 17.0) * 17, np.uint8)
    path = IMAGES / f"calibrate-{name}.png"
    cv2.imwrite(str(path), quantised, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{path.relative_to(ROOT)} {path.stat().st_size // 1024} kB")


def call(*words: object) -> None:
    """Run a step; stop where it fails."""
    code = referee(["calibrate", *map(str, words), "--profile", str(PROFILE)])
    if code:
        sys.exit(code)


def write_pictures(folder: Path) -> None:
    """Write what the camera sees at each step."""
    (folder / "board").mkdir(parents=True, exist_ok=True)
    for number, picture in enumerate(board_pictures()):
        cv2.imwrite(str(folder / "board" / f"{number:02d}.png"), picture)
    table = render_sheet(table_sheet((1200, 900), (3, -5, 12, 8)), TABLE, OPTICS)
    pictures = {"setup": setup_picture(), "table": table, "jokers": jokers_picture(), "numbers": numbers_picture()}
    for name, picture in pictures.items():
        cv2.imwrite(str(folder / f"{name}.png"), picture)


def main() -> None:
    """Calibrate as the manual tells, and keep what it shows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--pictures", type=Path, metavar="DIR", help="write the camera's pictures there, and nothing else"
    )
    if into := parser.parse_args().pictures:
        write_pictures(into)
        return
    PROFILE.unlink(missing_ok=True)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        seen = folder / "seen"
        write_pictures(folder)
        words = ("setup", folder / "setup.png", "--annotate", seen, "--profile", folder / "tiles.json")
        referee(["calibrate", *map(str, words)])
        save("setup", small(np.asarray(cv2.imread(str(seen / "setup-setup.png")), np.uint8)))
        call("camera", folder / "board", "--name", "simulated", "--annotate", seen)
        call("table", folder / "table.png", "--size", "1200x900", "--annotate", seen)
        call("colours", folder / "numbers.png", "--annotate", seen)
        pictures = [np.asarray(cv2.imread(str(seen / f"{number:02d}.png")), np.uint8) for number in (0, 1, 5, 6, 8, 11)]
        rows = [np.hstack([small(picture, WIDTH // 3) for picture in pictures[start : start + 3]]) for start in (0, 3)]
        save("board", np.vstack(rows))
        for name, file in (("lens", "lens"), ("table", "table-table")):
            save(name, small(np.asarray(cv2.imread(str(seen / f"{file}.png")), np.uint8)))
        jokers = ("tiles", folder / "jokers.png", "--order", "J JD JC JM", "--annotate", seen, "--keep")
        referee(["calibrate", *map(str, jokers), "--profile", str(folder / "faces.json")])
        save("tiles", small(np.asarray(cv2.imread(str(seen / "enrolled.png")), np.uint8), 480))


if __name__ == "__main__":
    main()
