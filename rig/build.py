"""Make the tables and drawings of the rig's pages, and the printed pieces, from rig.toml.

python rig/build.py              # tables and drawings
python rig/build.py --print DIR  # also the printed pieces as STL, by openscad
"""

import argparse
import math
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import cv2
import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parent
IMAGES = ROOT / "docs" / "images"
TILE_MM = 27.0
WIDTH_PIXELS = 2304  # of the frames that the referee reads, as referee/defaults.toml has them
STIFFNESS = 70_000.0  # N/mm², aluminium
GRAVITY = 9.81
# Pins of the 40-pin header by BCM number; ground and supply pins are named by what they give.
HEADER = {
    2: 3,
    3: 5,
    4: 7,
    14: 8,
    15: 10,
    17: 11,
    18: 12,
    27: 13,
    22: 15,
    23: 16,
    24: 18,
    10: 19,
    9: 21,
    25: 22,
    11: 23,
    8: 24,
    7: 26,
    5: 29,
    6: 31,
    12: 32,
    13: 33,
    19: 35,
    16: 36,
    26: 37,
    20: 38,
    21: 40,
}
GROUNDS = (6, 9, 14, 20, 25, 30, 34, 39)
COLOURS = {"green": "#2e9e4f", "amber": "#e09a1a", "red": "#d0443c", "buzzer": "#6a6f78", "button": "#3b6fb5"}

Numbers = dict[str, Any]


def numbers() -> Numbers:
    """The numbers of rig.toml, and the pins of the defaults."""
    rig: Numbers = tomllib.loads((HERE / "rig.toml").read_text("utf-8"))
    settings = tomllib.loads((ROOT / "referee" / "defaults.toml").read_text("utf-8"))
    for wire in rig["wire"]:
        table, _, key = wire["pin"].partition(".")
        wire["bcm"] = settings[table][key]
        wire["header"] = HEADER[wire["bcm"]]
    return rig


# Camera ---------------------------------------------------------------------------------------------------------------


def height_for(camera: Numbers, table: Numbers) -> float:
    """How high above the table, in mm, this camera sees all of it and the margin; the picture's long side along it."""
    sides = ((table["width"], camera["across"]), (table["depth"], camera["down"]))
    return max((side + 2 * table["margin"]) / 2 / math.tan(math.radians(angle) / 2) for side, angle in sides)


def seen_from(camera: Numbers, height: float) -> tuple[float, float]:
    """The width and depth of table, in mm, that a camera sees from a height in mm."""
    across, down = (2 * height * math.tan(math.radians(camera[side]) / 2) for side in ("across", "down"))
    return across, down


def tile_pixels(camera: Numbers, height: float) -> float:
    """How many pixels of a frame a tile's short side covers in the middle of the picture."""
    return TILE_MM * WIDTH_PIXELS / seen_from(camera, height)[0]


def camera_table(rig: Numbers) -> str:
    """Height, what is seen and how large tiles are, for each camera."""
    lines = ["| camera | field of view | height above the table | sees | a tile is wide |", "|---|---|---|---|---|"]
    for camera in rig["camera"]:
        height = _up(height_for(camera, rig["table"]), 10)
        across, down = seen_from(camera, height)
        view = f"{camera['across']:g}° × {camera['down']:g}°"
        seen = f"{across:.0f} × {down:.0f} mm"
        lines.append(
            f"| {camera['name']} | {view} | {height:.0f} mm | {seen} | {tile_pixels(camera, height):.0f} pixels |"
        )
    return "\n".join(lines)


def heights_drawing(rig: Numbers) -> str:
    """Each camera above the table, to scale."""
    table, scale = rig["table"], 0.2
    heights = [_up(height_for(camera, table), 10) for camera in rig["camera"]]
    column, top = 260, 40
    floor = top + max(heights) * scale + 20
    parts = []
    for number, (camera, height) in enumerate(zip(rig["camera"], heights, strict=True)):
        x, eye = column * number + column / 2, floor - height * scale
        half = seen_from(camera, height)[1] / 2 * scale
        deep = table["depth"] / 2 * scale
        parts += [
            f'<path d="M{x} {eye}L{x - half:.1f} {floor}H{x + half:.1f}Z" fill="#fdf3d0" stroke="#c9a227"/>',
            f'<rect x="{x - deep:.1f}" y="{floor}" width="{2 * deep:.1f}" height="8" fill="#8b5e34"/>',
            f'<circle cx="{x}" cy="{eye}" r="5" fill="#333"/>',
            f'<text x="{x}" y="{eye - 12:.1f}" text-anchor="middle">{camera["name"]}</text>',
            f'<text x="{x}" y="{floor - 30}" text-anchor="middle" font-weight="bold">{height / 1000:.2f} m</text>',
        ]
    note = f"side view of a table {table['depth']} mm deep, {table['margin']} mm seen beyond each edge"
    parts.append(f'<text x="{column * len(heights) / 2}" y="{floor + 34}" text-anchor="middle">{note}</text>')
    return _svg(column * len(heights), floor + 50, "How high each camera hangs", parts)


def bending(rig: Numbers) -> float:
    """How far, in mm, the camera's own weight bends upright and boom together."""
    arm, reach = rig["arm"], rig["table"]["depth"] / 2
    outer, inner = arm["tube"], arm["tube"] - 2 * arm["tube_wall"]
    area_moment = math.pi / 64 * (outer**4 - inner**4)
    force = arm["camera_grams"] / 1000 * GRAVITY
    height = height_for(rig["camera"][0], rig["table"])
    boom = force * reach**3 / (3 * STIFFNESS * area_moment)
    upright = force * reach * height / (STIFFNESS * area_moment) * reach
    return boom + upright


# Lamps ----------------------------------------------------------------------------------------------------------------


def mirrored_at(beside: float, above: float, camera: float) -> float:
    """How far from the middle, in mm, a camera sees a lamp mirrored in flat tiles; lamp and camera so far up."""
    return beside * camera / (camera + above)


def glare_picture(rig: Numbers) -> Any:
    """What the camera sees under lamps beside it, and under lamps low at the table's ends; tiles mirror both."""
    from referee.rules.notation import parse_tiles  # noqa: PLC0415 - the pages are made without the program's models
    from referee.sim.render import Painter, TableSetting  # noqa: PLC0415
    from referee.sim.view import LaidTile, View  # noqa: PLC0415

    width = rig["table"]["width"]
    camera = height_for(rig["camera"][0], rig["table"])
    view = View(size=(1120, 840), width_mm=width, height_above=camera, tilt=(0, 0), turn=0, distortion=0)
    rows = ("R1 R2 R3 R4 R5", "K7 R7 B7 O7", "B9 B10 B11 B12", "O3 O4 O5 O6", "K11 B11 O11", "K2 K3 K4 K5")
    laid = [
        LaidTile(tile=tile, copy=0, x=340 + 190 * (row % 3) + 28 * place, y=390 + 110 * (row // 3), angle=0)
        for row, text in enumerate(rows)
        for place, tile in enumerate(parse_tiles(text))
    ]
    plain = Painter(TableSetting(view=view)).paint(laid)
    on_tile = np.zeros(plain.shape[:2], np.uint8)
    for tile in laid:
        cv2.fillConvexPoly(on_tile, np.round(tile.corners() * view.scale).astype(np.int32), 1)
    low = width / 2 + rig["lamps"]["beside"], rig["lamps"]["above"]
    pictures = [_lit(plain, on_tile, view.scale, camera, lamp) for lamp in ((350.0, camera), low)]
    pictures = [
        one[plain.shape[0] // 4 : -plain.shape[0] // 4, plain.shape[1] // 5 : -plain.shape[1] // 5] for one in pictures
    ]
    gap = np.full((pictures[0].shape[0], 16, 3), 255, np.uint8)
    return np.hstack([pictures[0], gap, pictures[1]])


def _lit(plain: Any, on_tile: Any, scale: float, camera: float, lamp: tuple[float, float]) -> Any:
    """The picture with the glare of two lamps so far left and right of the middle and so high, in mm."""
    height, width = plain.shape[:2]
    y, x = np.mgrid[:height, :width]
    point = np.stack([(x - width / 2) / scale, (y - height / 2) / scale, np.zeros_like(x)], axis=-1)
    to_eye = np.array([0, 0, camera]) - point
    to_eye /= np.linalg.norm(to_eye, axis=-1, keepdims=True)
    glare = np.zeros((height, width))
    for side in (-1, 1):
        for along in (-100, 0, 100):  # a lamp is a bar, not a point
            to_lamp = np.array([side * lamp[0], along, lamp[1]]) - point
            to_lamp /= np.linalg.norm(to_lamp, axis=-1, keepdims=True)
            half = to_eye + to_lamp
            half /= np.linalg.norm(half, axis=-1, keepdims=True)
            glare += np.exp(-((np.degrees(np.arccos(half[..., 2].clip(-1, 1))) / 3.0) ** 2))
    strength = np.where(on_tile, 150.0, 18.0) * glare  # tiles are glossy, cloth is not
    return np.clip(plain + strength[..., None], 0, 255).astype(np.uint8)


# Wiring ---------------------------------------------------------------------------------------------------------------


def wiring_table(rig: Numbers) -> str:
    """Each lead from its pin to ground."""
    named = {part["id"]: part["name"] for part in rig["part"]}
    lines = ["| lead | BCM pin | header pin | on the way to ground | setting |", "|---|---|---|---|---|"]
    for wire in rig["wire"]:
        way = ", then ".join(named[part].split(",")[0] for part in wire["parts"])
        lines.append(f"| {wire['to']} | {wire['bcm']} | {wire['header']} | {way} | `{wire['pin']}` |")
    return "\n".join(lines)


def header_drawing(rig: Numbers) -> str:
    """The 40-pin header, each lead with its parts."""
    used = {wire["header"]: wire for wire in rig["wire"]}
    ground = min(pin for pin in GROUNDS if pin > 12)
    parts = ['<rect x="20" y="40" width="96" height="500" rx="8" fill="#2b2b2b"/>']
    for pin in range(1, 41):
        x, y = 48 + 40 * ((pin - 1) % 2), 52 + 24.5 * ((pin - 1) // 2)
        fill = _colour(used[pin]["to"]) if pin in used else "#7a5230" if pin == ground else "#d8c27a"
        parts.append(f'<circle cx="{x}" cy="{y}" r="8" fill="{fill}"/>')
        parts.append(
            f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="9" '
            f'fill="{"#fff" if pin in used or pin == ground else "#222"}">{pin}</text>'
        )
    for row, wire in enumerate(rig["wire"]):
        pin, y = wire["header"], 90 + 80 * row
        x0, y0 = 48 + 40 * ((pin - 1) % 2), 52 + 24.5 * ((pin - 1) // 2)
        colour = _colour(wire["to"])
        turn = 150 + 12 * row
        parts.append(
            f'<path d="M{x0} {y0}{"v12" if pin % 2 else ""}H{turn}V{y}H780V560" fill="none" stroke="{colour}" '
            'stroke-width="2.5"/>'
        )
        parts.append(f'<text x="225" y="{y - 10}" font-size="13">GPIO {wire["bcm"]}, pin {pin}: {wire["to"]}</text>')
        for place, part in enumerate(wire["parts"]):
            parts += _symbol(part, 500 + 120 * place, y, colour)
    gy = 52 + 24.5 * ((ground - 1) // 2)
    gx = 48 + 40 * ((ground - 1) % 2)
    parts.append(f'<path d="M{gx} {gy}H132V560H780" fill="none" stroke="#7a5230" stroke-width="3"/>')
    parts.append(f'<text x="420" y="580" text-anchor="middle">ground, pin {ground} or any of {_listed(GROUNDS)}</text>')
    parts.append('<text x="68" y="30" text-anchor="middle" font-size="12">pin 1 is beside the card</text>')
    return _svg(820, 600, "The lamps, the buzzer and the button on the 40-pin header", parts)


def breadboard_drawing(rig: Numbers) -> str:
    """The same on half a breadboard, to try it before anything is soldered."""
    step, left, top = 18, 60, 70
    columns = 38
    parts = [f'<rect x="20" y="20" width="{columns * step + 80}" height="330" rx="10" fill="#f4f1ea" stroke="#bbb"/>']
    parts.append(f'<path d="M40 48H{columns * step + 80}" stroke="#3b6fb5" stroke-width="2"/>')
    parts.append('<text x="44" y="40" font-size="11" fill="#3b6fb5">ground rail (−)</text>')
    for column in range(columns):
        x = left + step * column
        parts.append(f'<circle cx="{x}" cy="58" r="2.2" fill="#888"/>')
        parts += [
            f'<circle cx="{x}" cy="{top + 30 + step * row + (26 if row > 4 else 0)}" r="2.2" fill="#888"/>'
            for row in range(10)
        ]
    for number, wire in enumerate(rig["wire"]):
        colour, x = _colour(wire["to"]), left + step * (2 + 7 * number)
        y = top + 30 + 3 * step
        parts.append(f'<path d="M{x} 385V{y}" stroke="{colour}" stroke-width="3" fill="none"/>')
        parts.append(f'<text x="{x}" y="402" text-anchor="middle" font-size="11">pin {wire["header"]}</text>')
        last = x
        for part in wire["parts"]:
            parts += _symbol(part, last + 1.5 * step, y, colour, width=3 * step)
            last += 3 * step if part == wire["parts"][0] and len(wire["parts"]) > 1 else 2 * step
        parts.append(f'<path d="M{last} {y}V58" stroke="#3b6fb5" stroke-width="2.5" fill="none"/>')
        parts.append(f'<text x="{x + 20}" y="{y + 40}" font-size="11" text-anchor="middle">{wire["to"]}</text>')
    ground = min(pin for pin in GROUNDS if pin > 12)
    parts.append(f'<path d="M{left + step * (columns - 1)} 58V385" stroke="#7a5230" stroke-width="3" fill="none"/>')
    parts.append(
        f'<text x="{left + step * (columns - 1)}" y="402" text-anchor="middle" font-size="11">'
        f"pin {ground}, ground</text>"
    )
    return _svg(columns * step + 120, 420, "The same on a breadboard", parts)


def _symbol(part: str, x: float, y: float, colour: str, width: float = 80) -> list[str]:
    """A part in a lead that runs from left to right through (x, y)."""
    half = min(width / 2, 34)
    if part.startswith("resistor"):
        ohms = part.partition("-")[2]
        return [
            f'<rect x="{x - half:.1f}" y="{y - 8}" width="{2 * half:.1f}" height="16" fill="#e9d8b4" stroke="#555"/>',
            f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="10">{ohms} Ω</text>',
        ]
    if part.startswith("led"):
        return [
            f'<path d="M{x - 12} {y - 12}V{y + 12}L{x + 10} {y}Z" fill="{colour}" stroke="#333"/>',
            f'<path d="M{x + 10} {y - 12}V{y + 12}" stroke="#333" stroke-width="3"/>',
            f'<text x="{x}" y="{y - 18}" text-anchor="middle" font-size="9">long leg left</text>',
        ]
    if part == "buzzer":
        return [f'<circle cx="{x}" cy="{y}" r="15" fill="#333"/><circle cx="{x}" cy="{y}" r="4" fill="#999"/>']
    return [
        f'<rect x="{x - 16}" y="{y - 16}" width="32" height="32" rx="4" fill="#ddd" stroke="#333"/>',
        f'<circle cx="{x}" cy="{y}" r="10" fill="{colour}"/>',
    ]


def _colour(name: str) -> str:
    return next(colour for word, colour in COLOURS.items() if word in name)


# Parts ----------------------------------------------------------------------------------------------------------------


def needed(rig: Numbers) -> dict[str, int]:
    """How many of each part the wiring, the printed pieces and the steps of the page need."""
    count: dict[str, int] = {"lead": len(rig["wire"]), **rig["assembly"]["needs"]}
    count["cable-tie"] = math.ceil(sum(tubes(rig)) / rig["assembly"]["tie_every"])
    for wire in rig["wire"]:
        for part in wire["parts"]:
            count[part] = count.get(part, 0) + 1
    for piece in rig["piece"]:
        for part, many in piece["needs"].items():
            count[part] = count.get(part, 0) + many
    return count


def tubes(rig: Numbers) -> tuple[float, float]:
    """How long, in mm, upright and boom are: for the camera that hangs highest in the list's first place."""
    height = _up(height_for(rig["camera"][0], rig["table"]), 10)
    return height + 80, rig["table"]["depth"] / 2 + 120


def lead(rig: Numbers) -> float:
    """How long, in mm, each lead is: from a Pi 300 mm from the camera along both tubes to a corner of the table."""
    return _up(sum(tubes(rig)) - 300 + rig["table"]["width"] / 2, 500)


def parts_table(rig: Numbers) -> str:
    """The shopping list."""
    lines = ["| part | pieces | about € | easily forgotten |", "|---|---|---|---|"]
    arm = rig["arm"]
    upright, boom = tubes(rig)
    for part in rig["part"]:
        name = part["name"]
        if part["id"] == "tube":
            name += f", {arm['tube']} × {arm['tube_wall']} mm: {upright:.0f} mm and {boom:.0f} mm"
        if part["id"] == "lead":
            name += f", {lead(rig) / 1000:g} m"
        lines.append(f"| {name} | {part['count']} | {part['euro']:g} | {part.get('forgotten', '')} |")
    total = sum(part["euro"] for part in rig["part"])
    lines.append(f"| **together** | | **{total:.0f}** | {rig['prices']['note']}; {rig['prices']['on']} |")
    return "\n".join(lines)


# Writing --------------------------------------------------------------------------------------------------------------


def pages(rig: Numbers) -> dict[Path, str]:
    """Each file that is made, and its text."""
    camera = height_for(rig["camera"][0], rig["table"])
    lamp = rig["table"]["width"] / 2 + rig["lamps"]["beside"], rig["lamps"]["above"]
    blocks = {
        "cameras": camera_table(rig),
        "parts": parts_table(rig),
        "bending": f"The camera's weight bends this arm by {bending(rig):.1f} mm.",
        "glare": (
            f"A lamp {lamp[0]:.0f} mm from the middle and {lamp[1]:.0f} mm up is mirrored "
            f"{mirrored_at(*lamp, camera):.0f} mm from the middle, beside a table that ends at "
            f"{rig['table']['width'] / 2:.0f} mm. A lamp next to the camera, 350 mm from the middle, is mirrored at "
            f"{mirrored_at(350, camera, camera):.0f} mm: on the tiles."
        ),
        "wiring": wiring_table(rig),
    }
    made = {
        IMAGES / "rig-heights.svg": heights_drawing(rig),
        IMAGES / "wiring.svg": header_drawing(rig),
        IMAGES / "wiring-breadboard.svg": breadboard_drawing(rig),
    }
    for page in (HERE / "README.md", ROOT / "docs" / "wiring.md"):
        text = page.read_text("utf-8")
        for name, block in blocks.items():
            mark = re.compile(rf"(<!-- made: {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
            text = mark.sub(lambda found, block=block: found[1] + block + found[2], text)
        made[page] = text
    return made


def print_pieces(rig: Numbers, folder: Path) -> None:
    """Write every printed piece as STL; ends with a line that says what is missing without openscad."""
    if shutil.which("openscad") is None:
        sys.exit("openscad is not installed: sudo apt install openscad")
    folder.mkdir(parents=True, exist_ok=True)
    sizes = ("tube", "wall", "clearance", "table_edge", "button_hole", "buzzer")
    given = [word for name in sizes for word in ("-D", f"{name}={rig['arm'][name]}")]
    for piece in rig["piece"]:
        name = piece["name"]
        words = ["openscad", *given, "-D", f'piece="{name}"', "-o", str(folder / f"{name}.stl"), str(HERE / "arm.scad")]
        subprocess.run(words, check=True, capture_output=True)
        print(folder / f"{name}.stl")


def _svg(width: float, height: float, title: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">'
    ground = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>'
    return "\n".join([head, f"<title>{title}</title>", ground, *parts, "</svg>", ""])


def _up(value: float, step: int) -> float:
    return math.ceil(value / step) * step


def _listed(pins: tuple[int, ...]) -> str:
    return ", ".join(str(pin) for pin in pins)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--print", type=Path, metavar="DIR", dest="printed", help="write the printed pieces there")
    parser.add_argument("--glare", action="store_true", help="draw the picture of right and wrong lamps anew")
    words = parser.parse_args()
    rig = numbers()
    for path, text in pages(rig).items():
        path.write_text(text, "utf-8")
    if words.glare:
        cv2.imwrite(str(IMAGES / "rig-glare.jpg"), glare_picture(rig), [cv2.IMWRITE_JPEG_QUALITY, 85])
    if words.printed:
        print_pieces(rig, words.printed)


if __name__ == "__main__":
    main()
